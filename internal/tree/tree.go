// Package tree yields the pages of a module: the groups of pages that say the same in
// each language, and the Markdown files that belong to none.
package tree

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
)

// Group is one page in its languages.
type Group struct {
	InTree bool    // of the language directories, rather than of the pages setting
	Sides  []*Side // in the order of the languages
}

// Side is a group's page in one language.
type Side struct {
	Path string     // relative to the module root
	Lang string     // empty for the only page of a group: it serves every language
	Line int        // in the settings file, for a page that is named there
	Src  []byte     // as on disk
	Page *page.Page // nil where the page does not exist or cannot be read

	broken   bool   // it exists, but cannot be read
	released bool   // its text is forgotten
	sum      uint64 // of the text of a released page
}

// Missing reports whether the page does not exist.
func (s *Side) Missing() bool { return s.Page == nil && !s.broken }

// First returns the first side that could be read, or nil.
func (g *Group) First() *Side {
	for _, s := range g.Sides {
		if s.Page != nil {
			return s
		}
	}
	return nil
}

// Tree is all Markdown of a module that the tools care for.
type Tree struct {
	Groups  []*Group // by the path of the first page
	Orphans []*Side  // with markers, but in no group

	seed maphash.Seed // of the sums of pages
}

// Load finds, reads and parses the pages. What cannot be read is a failure in out.
func Load(s *settings.Settings, out *finding.List) *Tree {
	return load(&loader{s: s, out: out})
}

// LoadReleased is [Load] followed by [Tree.Release], in the memory of few pages.
func LoadReleased(s *settings.Settings, out *finding.List) *Tree {
	return load(&loader{s: s, out: out, spare: make(chan []byte, runtime.GOMAXPROCS(0))})
}

func load(l *loader) *Tree {
	s := l.s
	groups := l.languageGroups()
	for _, g := range s.Groups {
		groups = append(groups, l.namedGroup(g))
	}
	slices.SortStableFunc(groups, func(a, b *Group) int { return strings.Compare(a.Sides[0].Path, b.Sides[0].Path) })
	t := &Tree{Groups: groups, Orphans: l.orphans(groups), seed: maphash.MakeSeed()}
	l.checkUnique(groups)
	l.read(t)
	t.Orphans = slices.DeleteFunc(t.Orphans, func(o *Side) bool {
		return o.Page == nil || len(o.Page.Regions)+len(o.Page.Problems) == 0
	})
	return t
}

type loader struct {
	s   *settings.Settings
	out *finding.List

	spare chan []byte // memory of pages that were released; nil where none are
}

// languageGroups pairs the pages of the language directories by their path in them.
func (l *loader) languageGroups() []*Group {
	docs := l.s.Abs(l.s.Docs)
	if info, err := l.s.Disk.Stat(docs); err != nil || !info.IsDir() {
		if err == nil {
			l.out.Fail(l.s.Docs, 0, "not a directory; name the directory of the pages with --docs")
		} else if len(l.s.Groups) == 0 {
			l.out.Fail(l.s.Docs, 0, "no such directory; make it with a directory for each language (%s), or name another with --docs", strings.Join(l.s.Langs, ", "))
		}
		return nil
	}
	names := map[string]bool{}
	missing := 0
	for _, lang := range l.s.Langs {
		dir := path.Join(l.s.Docs, lang)
		found, err := l.pagesIn(dir)
		if errors.Is(err, fs.ErrNotExist) {
			missing++
		}
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && len(l.s.Groups) > 0 && missing == len(l.s.Langs)) {
			l.out.Fail(dir, 0, "%v; make the directory, or name the languages that exist with --langs", finding.Cause(err))
		}
		for _, name := range found {
			names[name] = true
		}
	}
	var groups []*Group
	for _, name := range sortedKeys(names) {
		g := &Group{InTree: true}
		for _, lang := range l.s.Langs {
			g.Sides = append(g.Sides, &Side{Path: path.Join(l.s.Docs, lang, name), Lang: lang})
		}
		groups = append(groups, g)
	}
	return groups
}

func sortedKeys(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// pagesIn lists the Markdown files below a directory, relative to it. Names that start
// with a dot are passed over.
func (l *loader) pagesIn(dir string) ([]string, error) {
	root := l.s.Abs(dir)
	if info, err := l.s.Disk.Stat(root); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, errors.New("not a directory")
	}
	var out []string
	// The separator makes WalkDir follow a directory that is itself a link.
	err := l.s.Disk.WalkDir(root+string(filepath.Separator), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if rel == "." {
			return nil
		}
		if hidden := strings.HasPrefix(d.Name(), "."); hidden || d.Name() == "node_modules" && d.IsDir() {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(d.Name(), ".md") {
			out = append(out, filepath.ToSlash(rel))
			if d.IsDir() {
				return fs.SkipDir // no page: reading it says so
			}
		}
		return nil
	})
	return out, err
}

func (l *loader) namedGroup(g settings.Group) *Group {
	out := &Group{}
	for i, p := range g.Pages {
		side := &Side{Path: p.Path, Line: p.Line}
		if len(g.Pages) > 1 {
			side.Lang = l.s.Langs[i]
		}
		out.Sides = append(out.Sides, side)
	}
	return out
}

// checkUnique reports pages that are in the language directories and in the pages
// setting.
func (l *loader) checkUnique(groups []*Group) {
	inTree := map[string]bool{}
	for _, g := range groups {
		for _, s := range g.Sides {
			if g.InTree {
				inTree[s.Path] = true
			}
		}
	}
	for _, g := range groups {
		for _, s := range g.Sides {
			if !g.InTree && inTree[s.Path] {
				l.out.Fail(settings.FileName, s.Line, "pages: %s is a page of the language directories already; remove it here", s.Path)
			}
		}
	}
}

// orphans lists the Markdown files of the docs directory and the module root that are in
// no group. A file that a page links to is that page.
func (l *loader) orphans(groups []*Group) []*Side {
	taken := map[string]bool{}
	for _, g := range groups {
		for _, s := range g.Sides {
			taken[s.Path] = true
			if real, err := l.s.Disk.EvalSymlinks(l.s.Abs(s.Path)); err == nil {
				taken[real] = true
			}
		}
	}
	var names []string
	if l.s.Docs != "." {
		found, _ := l.pagesIn(l.s.Docs) // a docs directory that cannot be read was reported
		for _, name := range found {
			names = append(names, path.Join(l.s.Docs, name))
		}
	}
	entries, err := l.s.Disk.ReadDir(l.s.Root)
	if err != nil {
		l.out.Fail("", 0, "read the module root: %v", finding.Cause(err))
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	var out []*Side
	for _, name := range names {
		real, err := l.s.Disk.EvalSymlinks(l.s.Abs(name))
		if err == nil && !taken[name] && !taken[real] {
			out = append(out, &Side{Path: name})
		}
	}
	return out
}

var markerWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)generated?`) })

// read reads and parses all pages in parallel, and of the orphans those that may hold a
// marker.
func (l *loader) read(t *Tree) {
	var sides []*Side
	for _, g := range t.Groups {
		sides = append(sides, g.Sides...)
	}
	all := append(slices.Clone(sides), t.Orphans...)
	errs := make([]error, len(all))
	parallel.Each(len(all), func(i int) {
		errs[i] = l.readSide(all[i], i >= len(sides), t.seed)
	})
	for i, err := range errs {
		if err != nil {
			l.out.Fail(all[i].Path, 0, "read page: %v; mend or remove it", finding.Cause(err))
		}
	}
}

func (l *loader) readSide(s *Side, orphan bool, seed maphash.Seed) error {
	name := l.s.Abs(s.Path)
	info, err := l.s.Disk.Stat(name)
	if err != nil {
		if _, lerr := l.s.Disk.Lstat(name); lerr != nil && errors.Is(err, fs.ErrNotExist) {
			return nil // missing: a finding, not a failure
		}
	} else if info.IsDir() {
		err = errors.New("a directory where a page should be")
	} else if !info.Mode().IsRegular() {
		err = errors.New("not a regular file") // reading a named pipe would wait for ever
	}
	if err == nil {
		s.Src, err = l.s.Disk.ReadInto(l.memory(info), name)
	}
	if orphan && (err != nil || !markerWord().Match(s.Src)) {
		return nil
	}
	if err == nil {
		s.Page, err = page.Parse(s.Src)
	}
	s.broken = err != nil
	if src := s.Src; l.spare != nil && s.release(seed) {
		select {
		case l.spare <- src:
		default:
		}
	}
	return err
}

// memory returns memory for a large page that another one has left behind, or nil.
func (l *loader) memory(info fs.FileInfo) []byte {
	if info.Size() < largePage {
		return nil
	}
	select {
	case buf := <-l.spare:
		return buf
	default:
		return nil
	}
}
