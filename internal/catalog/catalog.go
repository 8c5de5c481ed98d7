// Package catalog yields what a module's pages and generated Go should be: it reads the
// source and the pages, makes the model and renders it, all in memory, and says what is
// wrong on the way. gen-catalog writes the result; verify-catalog compares it with what
// is on disk. There is no other path to either.
package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/extract"
	"github.com/agentplan/sdk/internal/fence"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/scope"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/tree"
)

// Result is the state in which a module should be.
type Result struct {
	Settings *settings.Settings
	Entries  []*model.Entry // all of them, those of pages and those that no page has
	Layout   []Page         // where the pages show them
	Changes  []Change       // what differs from the disk, sorted by path
	Regions  int            // how many regions the pages have
	Pages    int            // how many pages have one
	Packages int            // how many packages the source has
	Prose    Prose          // what was judged of the hand-written text
	Scope    *scope.Scope   // what was judged at all; nil: everything

	// Findings are all faults of the tree, sorted. Those of the rules region-stale and
	// gen-stale are the Changes.
	finding.List
	// Accepted are the faults that the module's baseline lets pass. They are not among the
	// findings, but their changes are among the Changes.
	Accepted []finding.Finding
}

// Change is one file that should have other bytes, or should not be.
type Change struct {
	Path   string // relative to the module root
	Want   []byte
	Remove bool
}

// Options choose what a Build does.
type Options struct {
	// Judge asks for the hand-written text of the pages to be judged as well, as
	// verify-catalog does; without it only what gen-catalog writes is made.
	Judge bool
	// Members asks for the comments and declarations of members, which no page has but as
	// part of a declaration; they are made for generated Go without that.
	Members bool
	// Change limits what is judged and reported to what a change can have touched; nil is no
	// limit.
	Change *scope.Change
	// Fences keeps what fences import from one Build to the next; it may be nil.
	Fences *fence.Cache
}

// Build reads the module and makes the result. All of it is made from a guess at the
// module's packages while that is confirmed, if need be by the go command, and is made once
// more in the rare case that the go command sees something else.
func Build(ctx context.Context, s *settings.Settings, o Options) *Result {
	if o.Change != nil && o.Change.Empty() {
		r := &Result{Settings: s}
		r.Scope = o.Change.Scope(tree.Load(s, &r.List), nil)
		return r
	}
	var docs *tree.Tree
	var pageFaults finding.List
	var pages parallel.Group
	pages.Go(func() { docs = tree.LoadReleased(s, &pageFaults) })
	loading := source.Start(ctx, s)
	pages.Wait()
	if guess := loading.Guess(); guess != nil {
		r := buildFrom(ctx, s, docs, &pageFaults, guess[0], finding.List{}, o).finish(ctx, o)
		if loading.Confirms(guess) {
			return r
		}
	}
	var faults finding.List
	mod := loading.Module(&faults)
	return buildFrom(ctx, s, docs, &pageFaults, mod, faults, o).finish(ctx, o)
}

func buildFrom(ctx context.Context, s *settings.Settings, docs *tree.Tree, pageFaults *finding.List, mod *source.Module, faults finding.List, o Options) *build {
	r := &Result{Settings: s, List: faults}
	r.Findings = append(r.Findings, pageFaults.Findings...)
	r.Failures = append(r.Failures, pageFaults.Failures...)
	b := &build{Result: r, tree: docs, mod: mod}
	b.checkPages()
	b.makeSlots()
	if mod == nil {
		b.restorePages(pageFaults)
		return b
	}
	r.Packages = countPackages(mod.Builds())
	b.makeEntries(ctx, o.Members)
	if b.restorePages(pageFaults) {
		b.makePages()
	}
	return b
}

// countPackages counts the packages that any of the builds sees.
func countPackages(builds source.Builds) int {
	dirs := map[string]bool{}
	for _, mod := range builds {
		for _, p := range mod.Packages {
			dirs[p.Dir] = true
		}
	}
	return len(dirs)
}

// finish looks at what is written by hand and sorts what there is to say.
func (b *build) finish(ctx context.Context, o Options) *Result {
	b.checkWork()
	if o.Change != nil {
		b.narrow(o.Change)
	}
	if o.Judge || b.quotesDeclarations() {
		pages := markdown.LoadFor(b.tree, b.after(), b.judges)
		fences := fence.Read(pages)
		if o.Judge {
			b.checkProse(ctx, pages, fences, o.Fences)
		}
		b.checkDeclarations(pages, fences)
	}
	b.Sort()
	b.accept(o.Judge)
	b.Sort()
	return b.Result
}

// build is the work of one Build.
type build struct {
	*Result
	mod   *source.Module
	tree  *tree.Tree
	x     *extract.Union
	slots []*slot

	blocked map[*tree.Group]bool
}

// makeEntries makes the entries, while the pages are released: their text would stand beside
// the types of all packages.
func (b *build) makeEntries(ctx context.Context, members bool) {
	b.tree.Release()
	gen := b.Settings.Gen != ""
	b.x = extract.New(ctx, b.mod.Builds(), b.selected, extract.Needs{Guards: gen, Members: gen || members}, &b.List)
	b.selectEntries()
	b.checkOwners()
	tagged := b.x.Tagged()
	b.checkUnowned(tagged)
	b.collectEntries(tagged)
	b.checkAnchors()
	b.x = nil // the entries have all that it knows
	for _, mod := range b.mod.Builds() {
		mod.ForgetTypes()
	}
}

// restorePages reports whether the pages are what they were when they were read. If not,
// neither this nor another build of the tree has a result.
func (b *build) restorePages(faults *finding.List) bool {
	var again finding.List
	ok := b.tree.Restore(b.Settings, &again)
	faults.Failures = append(faults.Failures, again.Failures...)
	b.Failures = append(b.Failures, again.Failures...)
	return ok
}

// makePages renders the entries and compares them with what is on disk.
func (b *build) makePages() {
	modes := b.modes()
	b.layOut(modes)
	b.renderPages(modes)
	b.renderGen()
}

// block records that a page must stay as it is, in all its languages.
func (b *build) block(g *tree.Group) {
	if b.blocked == nil {
		b.blocked = map[*tree.Group]bool{}
	}
	b.blocked[g] = true
}

// checkPages reports faulty markers and pages that one language lacks.
func (b *build) checkPages() {
	for _, g := range b.tree.Groups {
		for _, s := range g.Sides {
			switch {
			case s.Missing() && !g.InTree:
				b.Add(settings.FileName, s.Line, finding.PageMissing, "%s does not exist; write it, or take it out of pages", s.Path)
				b.block(g)
			case s.Missing() && g.First() != nil:
				b.Add(g.First().Path, 1, finding.PageMissing, "there is no %s; write the page in that language too", s.Path)
				b.block(g)
			}
			if s.Page == nil {
				b.block(g)
				continue
			}
			for _, p := range s.Page.Problems {
				b.Add(s.Path, p.Line, finding.Marker, "%s", p.Message)
				b.block(g)
			}
			if n := len(s.Page.Regions); n > 0 {
				b.Regions += n
				b.Pages++
			}
		}
	}
	for _, o := range b.tree.Orphans {
		for _, p := range o.Page.Problems {
			b.Add(o.Path, p.Line, finding.Marker, "%s", p.Message)
		}
		for _, r := range o.Page.Regions {
			b.Add(o.Path, r.Line, finding.Marker, "a region on a page that belongs to no group, so nothing fills it; move the page into a language directory of %s, or name it under pages in %s", b.Settings.Docs, settings.FileName)
		}
	}
}

// checkWork fails a run that has nothing to do: a tree without any marker.
func (b *build) checkWork() {
	markers := b.Regions
	for _, g := range b.tree.Groups {
		for _, s := range g.Sides {
			if s.Page == nil {
				if !s.Missing() {
					return // an unreadable page may hold one
				}
				continue
			}
			markers += len(s.Page.Problems)
		}
	}
	if markers == 0 && len(b.Failures) == 0 {
		b.Fail("", 0, "nothing to do: no page has a generated region; put <!-- BEGIN GENERATED catalog DIR --> and <!-- END GENERATED catalog --> on a page of %s/%s", b.Settings.Docs, strings.Join(b.Settings.Langs, ", "+b.Settings.Docs+"/"))
	}
}

// collectEntries gathers the entries of directives and of selectors, each once.
func (b *build) collectEntries(tagged []*model.Entry) {
	seen := map[*model.Entry]bool{}
	add := func(list []*model.Entry) {
		for _, e := range list {
			if !seen[e] {
				seen[e] = true
				b.Entries = append(b.Entries, e)
			}
		}
	}
	add(tagged)
	var named []*model.Entry
	for _, s := range b.slots {
		named = append(named, s.entries...)
	}
	slices.SortStableFunc(named, func(x, y *model.Entry) int {
		if c := strings.Compare(x.Dir, y.Dir); c != 0 {
			return c
		}
		if c := strings.Compare(x.File, y.File); c != 0 {
			return c
		}
		return x.Line - y.Line
	})
	add(named)
}

// checkAnchors reports entries whose anchors are the same once written.
func (b *build) checkAnchors() {
	first := map[string]*model.Entry{}
	for _, e := range b.Entries {
		for _, a := range e.Anchors() {
			o := first[a]
			if o == nil {
				first[a] = e
				continue
			}
			if o != e {
				b.Add(e.File, e.Claim, finding.Directive, "anchor %s is that of %s (%s:%d) already; give one of them another name", a, describe(o), o.File, o.Claim)
				break
			}
		}
	}
}
