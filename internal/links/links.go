// Package links judges where the links of pages lead: the rule link says that a file is
// not there, the rule anchor that it has no such place. Web addresses are neither fetched
// nor judged.
package links

import (
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/slug"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/tree"
)

// Input is what a check needs.
type Input struct {
	Settings *settings.Settings
	Tree     *tree.Tree
	Pages    *markdown.Set // of the tree; fragments are looked up in its pages after generation

	// Unknown holds the paths of pages whose text after generation is not known in full.
	// A fragment that is not found there is not judged.
	Unknown map[string]bool

	// Module is the source whose doc comments are judged; nil for none.
	Module *source.Module
}

// Check adds the findings of the rules link and anchor to out: first those of the pages,
// then those of Go doc comments. It returns how many links it judged.
func Check(in Input, out *finding.List) int {
	c := &checker{
		Input:   in,
		files:   files{disk: in.Settings.Disk, root: in.Settings.Root, listing: map[string][]string{}},
		anchors: map[string]func() *anchors{},
		titles:  map[string]func() map[string]bool{},
		missing: map[string]bool{},
	}
	for _, g := range in.Tree.Groups {
		for _, s := range g.Sides {
			if s.Missing() && (g.First() != nil || !g.InTree) {
				c.missing[s.Path] = true
			}
		}
	}
	for _, p := range in.Pages.All() {
		c.anchors[p.Path] = sync.OnceValue(func() *anchors { return newAnchors(p.After()) })
		c.titles[p.Path] = sync.OnceValue(func() map[string]bool {
			names := map[string]bool{}
			for _, title := range p.Titles() {
				names[slug.Of(title)] = true
			}
			return names
		})
	}
	lists := make([]finding.List, len(in.Pages.Pages))
	judged := make([]int, len(in.Pages.Pages))
	parallel.Each(len(lists), func(i int) {
		judged[i] = c.page(in.Pages.Pages[i], &lists[i])
	})
	n := 0
	for i, l := range lists {
		out.Findings = append(out.Findings, l.Findings...)
		n += judged[i]
	}
	return n + c.comments(out)
}

type checker struct {
	Input
	files   files
	missing map[string]bool                   // pages that page-missing reports
	titles  map[string]func() map[string]bool // names of hand-written headings, by path

	mu      sync.Mutex
	anchors map[string]func() *anchors // by path
}

// page judges the links of a page and returns how many there are.
func (c *checker) page(p *markdown.Page, out *finding.List) int {
	n := 0
	for _, l := range p.Doc.Links(p.Doc.Root) {
		if l.Kind == markdown.Reference || p.Generated(l.Line) {
			continue
		}
		t := markdown.Resolve(p.Path, l.Dest)
		if t.Local && (l.Dest != "" || l.Kind == markdown.Definition) {
			c.target(p.Path, l, t, out)
			n++
		}
	}
	c.loose(p, out)
	return n
}

// target judges one relative destination.
func (c *checker) target(from string, l markdown.Link, t markdown.Target, out *finding.List) {
	what := "link"
	if l.Image {
		what = "image"
	}
	switch {
	case c.missing[t.Path]:
		return
	case strings.HasPrefix(t.Path, "../") || t.Path == "..":
		if !c.files.outside(t.Path) && !isForge(t.Path) {
			out.Add(from, l.Line, finding.Link, "%s to %s: it leads out of the module, to nothing; correct the path", what, l.Dest)
		}
		return
	case !t.Self && !c.files.exists(t.Path):
		out.Add(from, l.Line, finding.Link, "%s to %s: there is no %s; %s", what, l.Dest, t.Path, c.suggest(from, t.Path))
		return
	case t.Dir && !c.files.isDir(t.Path):
		out.Add(from, l.Line, finding.Link, "%s to %s: %s is a file; remove the slash at the end", what, l.Dest, t.Path)
		return
	}
	if !l.Image {
		c.fragment(from, l.Line, what+" to "+l.Dest, t, out)
	}
}

// fragment judges the fragment of a target that exists. Only Markdown has anchors that
// are known; a line of a source file is a link to the file.
func (c *checker) fragment(from string, line int, what string, t markdown.Target, out *finding.List) {
	name := strings.ToLower(t.Path)
	if t.Fragment == "" || isNative(t.Fragment) || !strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, ".markdown") {
		return
	}
	if t.Fragment == "readme" && strings.HasPrefix(path.Base(name), "readme.") {
		return // GitHub shows it below the files of its directory, under this id
	}
	if p := c.Pages.Page(t.Path); p != nil && (c.titles[t.Path]()[t.Fragment] || p.HasID(t.Fragment)) {
		return // most links do not need more than that
	}
	a := c.anchorsOf(t.Path)
	if a == nil || a.has(t.Fragment) || c.Unknown[t.Path] {
		return
	}
	remedy := "correct the fragment, or mark the place with <a id=\"" + t.Fragment + "\"></a>"
	if near := nearest.Of(t.Fragment, a.names); near != "" {
		remedy = "did you mean #" + near + "?"
	}
	out.Add(from, line, finding.Anchor, "%s: %s has no anchor %s; %s", what, t.Path, t.Fragment, remedy)
}

// isNative reports whether a fragment works on every page: the top of it, a line of its
// text, or words that the browser finds.
func isNative(fragment string) bool {
	if fragment == "top" || strings.HasPrefix(fragment, ":~:") {
		return true
	}
	rest, ok := strings.CutPrefix(fragment, "L")
	return ok && rest != "" && strings.Trim(rest, "0123456789CL-") == "" && rest[0] >= '0' && rest[0] <= '9'
}

// anchorsOf returns what fragments can name on a page, or nil for a file that cannot be
// read. Files outside the groups are read here.
func (c *checker) anchorsOf(name string) *anchors {
	c.mu.Lock()
	load := c.anchors[name]
	if load == nil {
		load = sync.OnceValue(func() *anchors {
			src, err := c.Settings.Disk.ReadFile(filepath.Join(c.Settings.Root, filepath.FromSlash(name)))
			if err != nil {
				return nil
			}
			return newAnchors(markdown.Parse(src))
		})
		c.anchors[name] = load
	}
	c.mu.Unlock()
	return load()
}
