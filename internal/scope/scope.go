// Package scope yields which parts of a module a change since a git revision can have
// touched: those whose findings may be others than they were.
//
// It errs on one side. A page counts as touched where the text that it shares with what
// has changed allows for a connection, such as the name of a file or of a declaration; and
// where not even that can be told cheaply, everything does. What git does not see is no
// part of a change: files outside the repository, the module cache, the Go version.
package scope

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/baseline"
	"github.com/agentplan/sdk/internal/confirmed"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/tree"
)

// Scope is what a change can have touched.
type Scope struct {
	change   *Change
	settings *settings.Settings
	tree     *tree.Tree
	mod      *source.Module

	all    string // why everything is; empty where not everything is
	groups map[*tree.Group]bool
	sides  map[string]*tree.Group
	source map[string]bool // directories of packages; nil where no Go has changed
	names  names           // of files and pages that links of comments may lead to
	lock   map[string]bool // pages of changed entries of the lock file

	pages []*text
}

// Scope finds what the change can have touched. The module may be nil where the source
// could not be read.
func (c *Change) Scope(t *tree.Tree, mod *source.Module) *Scope {
	s := &Scope{
		change: c, settings: c.settings, tree: t, mod: mod,
		groups: map[*tree.Group]bool{}, sides: map[string]*tree.Group{}, lock: map[string]bool{},
	}
	for _, g := range t.Groups {
		for _, side := range g.Sides {
			s.sides[side.Path] = g
		}
	}
	if c.Empty() {
		return s
	}
	for _, f := range c.files {
		if reason := s.decisive(f); reason != "" {
			s.everything(f.path + " " + reason)
		}
	}
	if mod == nil {
		s.everything("the source cannot be read")
	}
	for _, step := range []func(){s.embedded, s.readPages, s.changedPages, s.lockFiles, s.changedSource, s.links} {
		if s.all == "" {
			step()
		}
	}
	s.pages = nil
	return s
}

// everything records why all has to be judged. The first reason is kept.
func (s *Scope) everything(why string) {
	if s.all == "" {
		s.all = why
	}
}

// decisive tells why the change of a file touches everything.
func (s *Scope) decisive(f *file) string {
	base := path.Base(f.path)
	switch {
	case f.opaque:
		return "is no file that can be compared"
	case f.path == settings.FileName:
		return "changed"
	case base == "go.mod" || base == "go.sum" || base == "go.work" || base == "go.work.sum":
		return "changed"
	case source.IsForeign(f.path):
		return "may belong to a package"
	case strings.Contains("/"+f.path, "/vendor/"):
		return "is vendored"
	case strings.HasPrefix(f.path, "../") && strings.HasSuffix(base, ".go"):
		return "is Go outside of the module"
	case s.settings.Gen != "" && strings.HasPrefix(f.path, s.settings.Gen+"/"):
		return "is generated Go"
	}
	return ""
}

// embedded looks for files that came or went where a package may embed them: without one
// of them the go command lists no such package.
func (s *Scope) embedded() {
	embeds := map[string]bool{}
	for _, p := range s.mod.Packages {
		for _, f := range p.Files {
			if slices.Contains(imports(f.AST), "embed") {
				embeds[p.Dir] = true
			}
		}
	}
	for _, f := range s.change.files {
		if !f.moved() || len(embeds) == 0 {
			continue
		}
		for dir := path.Dir(f.path); ; dir = path.Dir(dir) {
			if embeds[dir] {
				s.everything(f.path + " may be embedded")
			}
			if dir == "." || path.Base(dir) == ".." {
				break
			}
		}
	}
}

// Everything tells why all pages are in scope; it is empty where they are not.
func (s *Scope) Everything() string { return s.all }

// Group reports whether the pages of a group are in scope, in all their languages.
func (s *Scope) Group(g *tree.Group) bool { return s.all != "" || s.groups[g] }

// Entry reports whether what the lock file has of the sections of a page is in scope; the
// page is that of the first language, and need not exist.
func (s *Scope) Entry(page string) bool {
	if s.all != "" || s.lock[page] || s.change.by[page] != nil {
		return true
	}
	g := s.sides[page]
	return g != nil && s.groups[g]
}

// All reports whether a run over what is in scope has all findings of a rule on a file.
func (s *Scope) All(file string, rule finding.Rule) bool {
	return s.all != "" || file != s.lockPath() && s.Finding(finding.Finding{Path: file, Rule: rule})
}

func (s *Scope) lockPath() string { return path.Join(s.settings.Docs, confirmed.LockName) }

// Finding reports whether a finding of a full run is in scope, by its rule and its file.
func (s *Scope) Finding(f finding.Finding) bool {
	if s.all != "" {
		return true
	}
	switch {
	case f.Rule == finding.OwnedTwice:
		// The message names the line of a marker on another page.
		return !s.change.Empty()
	case f.Rule == finding.GenStale, f.Rule == finding.Directive, f.Rule == finding.Unowned:
		return s.source != nil
	case f.Path == settings.FileName:
		return s.namedPages()
	case f.Path == s.lockPath():
		return true // only those of entries in scope are made
	case f.Path == baseline.Path(s.settings):
		return true // likewise
	}
	if g := s.sides[f.Path]; g != nil {
		return s.groups[g]
	}
	if s.change.by[f.Path] != nil {
		return true
	}
	if !strings.HasSuffix(f.Path, ".go") {
		return false
	}
	if f.Rule == finding.Link || f.Rule == finding.Anchor {
		file := s.file(f.Path)
		return file != nil && s.names.in(string(file.Src))
	}
	return s.source[path.Dir(f.Path)]
}

// namedPages reports whether pages that the settings name are in scope.
func (s *Scope) namedPages() bool {
	for g := range s.groups {
		if !g.InTree {
			return true
		}
	}
	return false
}

func (s *Scope) file(name string) *source.File {
	if s.mod == nil {
		return nil
	}
	for _, f := range s.mod.Files {
		if f.Path == name {
			return f
		}
	}
	return nil
}

// String says in a few words how much is in scope.
func (s *Scope) String() string {
	n, all := 0, 0
	for _, g := range s.tree.Groups {
		for _, side := range g.Sides {
			if side.Page == nil {
				continue
			}
			all++
			if s.Group(g) {
				n++
			}
		}
	}
	noun := "pages"
	if all == 1 {
		noun = "page"
	}
	out := fmt.Sprintf("%d of %d %s", n, all, noun)
	if s.all != "" {
		out += ", since " + s.all
	}
	return out
}
