package catalog

import (
	"bytes"
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/prose"
	"github.com/agentplan/sdk/internal/render"
	"github.com/agentplan/sdk/internal/tree"
)

// home is where a declaration is documented.
type home struct {
	group   *tree.Group
	anchor  string
	members map[string]string // member -> anchor
}

// homes finds the regions in which declarations are documented.
func (b *build) homes() map[model.ID][]home {
	out := map[model.ID][]home{}
	for _, s := range b.slots {
		for _, e := range s.entries {
			h := home{group: s.group, anchor: e.Anchor, members: map[string]string{}}
			for _, m := range e.Members {
				h.members[m.Name] = m.Anchor
			}
			for id, anchor := range e.Declarations {
				h.anchor = anchor
				out[id] = append(out[id], h)
			}
		}
	}
	return out
}

// renderPages renders every region that can be, and records the pages that would have
// other bytes. A page that is blocked stays as it is.
func (b *build) renderPages(modes map[*tree.Group]map[string]bool) {
	texts := b.renderSlots(modes)
	bodies := map[*tree.Group][]map[int]string{}
	for i, s := range b.slots {
		if texts[i] == "" {
			continue
		}
		if bodies[s.group] == nil {
			bodies[s.group] = make([]map[int]string, len(s.group.Sides))
		}
		for side, region := range s.regions {
			if region < 0 {
				continue
			}
			if bodies[s.group][side] == nil {
				bodies[s.group][side] = map[int]string{}
			}
			bodies[s.group][side][region] = texts[i]
		}
	}
	for _, g := range b.tree.Groups {
		for i := range bodies[g] {
			b.comparePage(g, g.Sides[i], bodies[g][i])
		}
	}
}

// renderSlots renders the regions, and returns those that not every language has already.
func (b *build) renderSlots(modes map[*tree.Group]map[string]bool) []string {
	homes := b.homes()
	texts := make([]string, len(b.slots))
	var order []int // the largest first, so that all workers end at the same time
	sizes := make([]int, len(b.slots))
	for i, s := range b.slots {
		if !s.broken && !b.oneLanguage(s.group) {
			order = append(order, i)
			sizes[i] = s.size()
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(sizes[y], sizes[x]) })
	renderers := sync.Pool{New: func() any { return new(render.Renderer) }}
	parallel.Each(len(order), func(n int) {
		r := renderers.Get().(*render.Renderer)
		defer renderers.Put(r)
		s := b.slots[order[n]]
		first := s.group.Sides[s.first()]
		body := r.Body(s.entries, s.level, &pageLinks{b: b, group: s.group, from: first.Path, homes: homes, modes: modes, known: map[*tree.Group]string{}})
		if !s.has(body) { // what is there already is not made whole
			texts[order[n]] = whole(body)
		}
	})
	return texts
}

// size is how many bytes the slot has on the first page that has it.
func (s *slot) size() int {
	side := s.first()
	have, _ := s.group.Sides[side].Page.Bytes(s.regions[side])
	return len(have)
}

// has reports whether the region has a body in every language that has the region, as far
// as that shows without making the body whole.
func (s *slot) has(body iter.Seq[[]byte]) bool {
	var have []byte
	for side, region := range s.regions {
		if region < 0 {
			continue
		}
		text, plain := s.group.Sides[side].Page.Bytes(region)
		if !plain || have != nil && !bytes.Equal(have, text) {
			return false
		}
		have = text
	}
	for piece := range body {
		rest, ok := bytes.CutPrefix(have, piece)
		if !ok {
			return false
		}
		have = rest
	}
	return len(have) == 0
}

func whole(body iter.Seq[[]byte]) string {
	var b strings.Builder
	for piece := range body {
		b.Write(piece)
	}
	return b.String()
}

// oneLanguage reports whether a page of the group is missing: then its regions are not
// judged before it is written.
func (b *build) oneLanguage(g *tree.Group) bool {
	for _, s := range g.Sides {
		if s.Missing() {
			return true
		}
	}
	return false
}

func (b *build) comparePage(g *tree.Group, s *tree.Side, bodies map[int]string) {
	if s.Page == nil || len(bodies) == 0 {
		return
	}
	stale := false
	for i, r := range s.Page.Regions {
		text, ok := bodies[i]
		if !ok || s.Page.Has(i, text) {
			continue
		}
		stale = true
		b.Findings = append(b.Findings, finding.Finding{
			Path: s.Path, Line: r.Line, Rule: finding.RegionStale,
			Message: "the region for " + strings.Join(r.Selectors, " ") + " is not what the source gives; run `" + b.Settings.GenCommand() + "`",
			Diff:    unified(s.Path, s.Page.Body(i), text, r.Line),
			Mended:  !b.blocked[g],
			Content: finding.Content(s.Page.Body(i), text),
		})
	}
	if stale && !b.blocked[g] {
		b.Changes = append(b.Changes, Change{Path: s.Path, Want: s.Page.Splice(bodies)})
	}
}

// definesMode matches what a page has if it defines a mode.
var definesMode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:id|name)\s*=\s*["']?mode-`) })

// modes finds the pages that define a dispatch mode by an explicit anchor mode-MODE.
func (b *build) modes() map[*tree.Group]map[string]bool {
	out := map[*tree.Group]map[string]bool{}
	if !b.showsModes() {
		return out
	}
	for _, g := range b.tree.Groups {
		first := g.First()
		if first == nil || !definesMode().Match(first.Src) {
			continue
		}
		for id := range first.Page.IDs() {
			if mode, ok := strings.CutPrefix(id, "mode-"); ok {
				if out[g] == nil {
					out[g] = map[string]bool{}
				}
				out[g][mode] = true
			}
		}
	}
	return out
}

// showsModes reports whether an entry of a page has a dispatch mode.
func (b *build) showsModes() bool {
	return slices.ContainsFunc(b.slots, func(s *slot) bool {
		return slices.ContainsFunc(s.entries, func(e *model.Entry) bool { return e.Mode != "" })
	})
}

// pageLinks are the link targets of one region: pages of the language directories link
// to each other, any other page only to itself.
type pageLinks struct {
	b     *build
	group *tree.Group
	from  string // the first language's page
	homes map[model.ID][]home
	modes map[*tree.Group]map[string]bool
	known map[*tree.Group]string // paths to pages
}

func (l *pageLinks) reaches(g *tree.Group) bool {
	return g == l.group || g.InTree && l.group.InTree
}

// Decl implements [render.Links].
func (l *pageLinks) Decl(id model.ID, member string) string {
	for _, h := range l.homes[id] {
		if !l.reaches(h.group) {
			continue
		}
		anchor := h.anchor
		if a := h.members[member]; a != "" {
			anchor = a
		}
		return l.to(h.group) + "#" + prose.LinkDest(anchor)
	}
	return ""
}

// Mode implements [render.Links].
func (l *pageLinks) Mode(mode string) string {
	for _, g := range l.b.tree.Groups {
		if l.reaches(g) && l.modes[g][mode] {
			return l.to(g) + "#mode-" + mode
		}
	}
	return ""
}

// Source implements [render.Links].
func (l *pageLinks) Source(file string) string {
	if prefix := l.b.Settings.SourceURL; prefix != "" {
		return prefix + prose.LinkDest(file)
	}
	return prose.LinkDest(markdown.Relative(l.from, file))
}

// to is the path to a group's page in the same language, empty for the same page.
func (l *pageLinks) to(g *tree.Group) string {
	if g == l.group {
		return ""
	}
	path, ok := l.known[g]
	if !ok {
		path = prose.LinkDest(markdown.Relative(l.from, g.First().Path))
		l.known[g] = path
	}
	return path
}
