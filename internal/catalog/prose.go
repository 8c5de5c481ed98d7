package catalog

import (
	"bytes"
	"context"
	"slices"

	"github.com/agentplan/sdk/internal/confirmed"
	"github.com/agentplan/sdk/internal/fence"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/links"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/skeleton"
	"github.com/agentplan/sdk/internal/symbol"
)

// Prose says what was judged of the hand-written text of pages.
type Prose struct {
	Pages        int // in all languages
	Links        int // that lead to files and pages, those of doc comments included
	Sections     confirmed.Summary
	Code         *fence.Report  // nil where the source could not be read
	Declarations int            // fences that quote a declaration
	Symbols      *symbol.Report // nil where the source could not be read
}

// after is the text of each page that would have other bytes.
func (b *build) after() map[string][]byte {
	out := map[string][]byte{}
	for _, c := range b.Changes {
		out[c.Path] = c.Want
	}
	return out
}

// checkProse judges the hand-written text of all pages: its structure in each language,
// its links, its code, the names it uses, and whether people confirmed it. Without the
// source only the first two can be judged.
func (b *build) checkProse(ctx context.Context, pages *markdown.Set, fences *fence.Set, cache *fence.Cache) {
	var structure finding.List
	var beside parallel.Group
	beside.Go(func() {
		skeleton.Check(skeleton.Input{Settings: b.Settings, Tree: b.tree, Pages: pages}, &structure)
	})
	defer func() {
		beside.Wait()
		b.Findings = append(b.Findings, structure.Findings...)
		b.Failures = append(b.Failures, structure.Failures...)
	}()
	b.Prose.Pages = len(pages.Pages)
	before := len(b.Findings)
	b.Prose.Links = links.Check(links.Input{Settings: b.Settings, Tree: b.tree, Pages: pages, Unknown: b.unknownPages(), Module: b.mod}, &b.List)
	b.drop(before) // of doc comments
	if b.mod == nil || len(b.Failures) > 0 {
		return
	}
	sections := confirmed.Input{Settings: b.Settings, Tree: b.tree, Module: b.mod, Command: b.Settings.GenCommand("confirm")}
	if b.Scope != nil {
		sections.Judges = b.Scope.Entry
	}
	b.Prose.Sections = confirmed.Check(ctx, sections, &b.List)
	b.Prose.Code = fences.CheckCode(ctx, b.mod, cache, &b.List)
	b.Prose.Symbols = symbol.Check(b.mod, pages, b.Entries, &b.List)
}

// quotesDeclarations reports whether a page may have a fence that quotes a declaration.
func (b *build) quotesDeclarations() bool {
	for _, g := range b.tree.Groups {
		for _, s := range g.Sides {
			if bytes.Contains(s.Src, []byte("// from ")) {
				return true
			}
		}
	}
	return false
}

// unknownPages are the pages that stay as they are although something would be generated:
// what will stand on them is not known.
func (b *build) unknownPages() map[string]bool {
	out := map[string]bool{}
	for g := range b.blocked {
		for _, s := range g.Sides {
			out[s.Path] = true
		}
	}
	return out
}

// checkDeclarations reports the fences that quote a declaration and no longer equal it,
// brings them up to date on pages that are not blocked, and marks the findings that this
// mends.
func (b *build) checkDeclarations(pages *markdown.Set, fences *fence.Set) {
	if b.mod == nil || len(b.Failures) > 0 {
		return
	}
	if b.Prose.Declarations = fences.CheckDeclarations(b.mod, &b.List); b.Prose.Declarations == 0 {
		return
	}
	stale := map[string]bool{}
	for _, f := range b.Findings {
		stale[f.Path] = stale[f.Path] || f.Rule == finding.Declaration
	}
	for _, p := range pages.Pages {
		if b.blocked[p.Group] || !stale[p.Path] {
			continue
		}
		at := slices.IndexFunc(b.Changes, func(c Change) bool { return c.Path == p.Path })
		have := p.Src
		if at >= 0 {
			have = b.Changes[at].Want
		}
		want := fence.Refresh(b.mod, have)
		if bytes.Equal(want, have) {
			continue
		}
		if at >= 0 {
			b.Changes[at].Want = want
		} else {
			b.Changes = append(b.Changes, Change{Path: p.Path, Want: want})
		}
		b.markMended(p, want)
	}
}

// markMended marks the declaration findings of a page that are gone once it is refreshed.
func (b *build) markMended(p *markdown.Page, want []byte) {
	var left finding.List
	fence.Read(markdown.Alone(p, want)).CheckDeclarations(b.mod, &left)
	stays := map[string]int{}
	for _, f := range left.Findings {
		stays[f.Message]++
	}
	for i, f := range b.Findings {
		if f.Path != p.Path || f.Rule != finding.Declaration {
			continue
		}
		if stays[f.Message]--; stays[f.Message] < 0 {
			b.Findings[i].Mended = true
		}
	}
}
