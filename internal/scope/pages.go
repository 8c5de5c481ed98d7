package scope

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/baseline"
	"github.com/agentplan/sdk/internal/lock"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/tree"
)

// touch puts a group in scope. Where fragments of its pages may be others than they were,
// the pages that link to it follow.
func (s *Scope) touch(g *tree.Group, fragments bool) {
	s.groups[g] = true
	if fragments {
		for _, side := range g.Sides {
			s.names = append(s.names, path.Base(side.Path))
		}
	}
}

// changedPages puts the groups of changed pages in scope, and collects the names of the
// files that links may lead to or no longer lead to.
func (s *Scope) changedPages() {
	s.names = append(s.names, s.change.newNames()...)
	for _, f := range s.change.files {
		g := s.sides[f.path]
		switch {
		case g != nil:
			s.changedPage(g, f)
		case isMarkdown(f.path):
			s.names = append(s.names, path.Base(f.path))
			if !f.has && hasRegion(f.old) {
				s.everything(f.path + " and its regions are gone")
			}
		case slices.Contains([]string{"GNUmakefile", "makefile", "Makefile"}, f.path):
			s.touchPages(func(t *text) bool { return hasWord(t.plain, map[string]bool{"make": true}) })
		}
	}
}

func hasRegion(src []byte) bool {
	p, err := page.Parse(src)
	return err == nil && len(p.Regions)+len(p.Problems) > 0
}

func (s *Scope) changedPage(g *tree.Group, f *file) {
	var side *tree.Side
	for _, sd := range g.Sides {
		if sd.Path == f.path {
			side = sd
		}
	}
	old := &page.Page{}
	if f.had {
		var err error
		if old, err = page.Parse(f.old); err != nil {
			s.everything(f.path + " was no page before")
			return
		}
	}
	now := side.Page
	if now == nil {
		if f.has {
			s.everything(f.path + " cannot be read")
			return
		}
		now = &page.Page{}
	}
	if !slices.EqualFunc(old.Regions, now.Regions, func(a, b page.Region) bool { return slices.Equal(a.Selectors, b.Selectors) }) ||
		len(old.Problems)+len(now.Problems) > 0 {
		s.everything(f.path + " has other regions")
		return
	}
	if f.moved() {
		// What is generated of a hook may lead here.
		if f.has && len(modes(now)) > 0 || f.had && len(modes(old)) > 0 {
			s.everything(f.path + " defines dispatch modes")
		}
		s.touch(g, true)
		return
	}
	if !maps.Equal(modes(old), modes(now)) {
		s.everything(f.path + " defines other dispatch modes")
		return
	}
	p := &markdown.Page{Side: side, Group: g}
	s.touch(g, !sameFragments(markdown.Alone(p, f.old), markdown.Alone(p, side.Src)))
}

// modes are the dispatch modes that a page defines.
func modes(p *page.Page) map[string]bool {
	out := map[string]bool{}
	for id := range p.IDs() {
		if strings.HasPrefix(id, "mode-") {
			out[id] = true
		}
	}
	return out
}

// sameFragments reports whether two states of a page have the same headings and ids.
func sameFragments(a, b *markdown.Set) bool {
	x, y := a.Pages[0].Doc, b.Pages[0].Doc
	if !slices.EqualFunc(x.Headings(), y.Headings(), func(h, k markdown.Heading) bool { return h.Text == k.Text }) {
		return false
	}
	names := func(ids map[string]int) []string { return slices.Sorted(maps.Keys(ids)) }
	return slices.Equal(names(x.IDs()), names(y.IDs()))
}

// touchPages puts the groups in scope that have a page of some kind.
func (s *Scope) touchPages(is func(*text) bool) {
	for _, t := range s.pages {
		if !s.groups[t.group] && is(t) {
			s.groups[t.group] = true
		}
	}
}

// links puts the pages in scope that may lead to what has changed.
func (s *Scope) links() {
	if len(s.names) > 0 {
		slices.Sort(s.names)
		s.names = slices.Compact(s.names)
		s.touchPages(func(t *text) bool { return s.names.in(t.links) })
	}
}

// lockFiles puts the pages in scope of which the lock file or the baseline has other
// entries.
func (s *Scope) lockFiles() {
	if f := s.change.by[s.lockPath()]; f != nil {
		s.changedLock(f)
	}
	if f := s.change.by[baseline.Path(s.settings)]; f != nil {
		s.everything(f.path + " changed")
	}
}

func (s *Scope) changedLock(f *file) {
	src, err := f.now(s.settings)
	if err != nil || !f.had || !f.has {
		s.everything(f.path + " came or went")
		return
	}
	old, err1 := lock.Parse(f.old)
	now, err2 := lock.Parse(src)
	if err1 != nil || err2 != nil || len(old.Conflicts)+len(now.Conflicts) > 0 {
		s.everything(f.path + " is no lock file without conflicts")
		return
	}
	entries := map[string]string{}
	for _, e := range old.Entries {
		entries[e.String()] = e.Format()
	}
	for _, e := range now.Entries {
		if entries[e.String()] == e.Format() {
			delete(entries, e.String())
			continue
		}
		s.lock[e.Path] = true
	}
	kept := map[lock.Hash]bool{}
	for _, e := range now.Entries {
		for _, h := range e.Texts {
			kept[h] = true
		}
	}
	for _, e := range old.Entries {
		if _, differs := entries[e.String()]; !differs {
			continue
		}
		s.lock[e.Path] = true
		named := slices.ContainsFunc(now.Entries, func(n lock.Entry) bool { return n.Name == e.Name })
		for _, h := range e.Texts {
			if !named && !kept[h] {
				// A section that moved to another page was known by this.
				s.everything(f.path + " no longer has " + e.String())
			}
		}
	}
	for page := range s.lock {
		if g := s.sides[page]; g != nil {
			s.touch(g, false)
		}
	}
}

// linePairs are the lines of a file without the white space around them, each with the
// next and without.
func linePairs(src []byte) map[[2]string]bool {
	out := map[[2]string]bool{}
	var before string
	for line := range bytes.Lines(src) {
		text := string(bytes.TrimSpace(line))
		out[[2]string{before, text}], out[[2]string{before, ""}] = true, true
		before = text
	}
	out[[2]string{before, ""}] = true
	return out
}
