package catalog

import (
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/tree"
)

// slot is one region of a group in all languages that have it.
type slot struct {
	group     *tree.Group
	regions   []int // by side: index of the region, or -1
	selectors []string
	level     int // of the first language that has it

	entries []*model.Entry
	broken  bool // a selector fault: what belongs here is not known
}

// line is the line of the slot's begin marker on a side, or 0.
func (s *slot) line(side int) int {
	if s.regions[side] < 0 {
		return 0
	}
	return s.group.Sides[side].Page.Regions[s.regions[side]].Line
}

// first is the first side that has the slot.
func (s *slot) first() int {
	return slices.IndexFunc(s.regions, func(i int) bool { return i >= 0 })
}

// makeSlots pairs the regions of each group's languages and reports where they differ.
func (b *build) makeSlots() {
	for _, g := range b.tree.Groups {
		b.slots = append(b.slots, b.groupSlots(g)...)
	}
}

func (b *build) groupSlots(g *tree.Group) []*slot {
	ref := slices.IndexFunc(g.Sides, func(s *tree.Side) bool { return s.Page != nil })
	if ref < 0 {
		return nil
	}
	var slots []*slot
	for i := range g.Sides[ref].Page.Regions {
		slots = append(slots, newSlot(g, ref, i))
	}
	for side := ref + 1; side < len(g.Sides); side++ {
		if g.Sides[side].Page != nil {
			slots = append(slots, b.pair(slots, g, ref, side)...)
		}
	}
	return slots
}

func newSlot(g *tree.Group, side, region int) *slot {
	r := g.Sides[side].Page.Regions[region]
	s := &slot{group: g, regions: make([]int, len(g.Sides)), selectors: r.Selectors, level: r.Level}
	for i := range s.regions {
		s.regions[i] = -1
	}
	s.regions[side] = region
	return s
}

// pair matches the regions of one side with those of the reference side by their
// selectors and their order, and returns slots for those that only this side has. A page
// with faulty markers may have more regions than were read: nothing is said of those.
func (b *build) pair(slots []*slot, g *tree.Group, ref, side int) []*slot {
	have := g.Sides[side].Page.Regions
	doubtful := len(g.Sides[side].Page.Problems) > 0 || len(g.Sides[ref].Page.Problems) > 0
	report := func(path string, line int, format string, args ...any) {
		if !doubtful {
			b.Add(path, line, finding.RegionMissing, format, args...)
		}
		b.block(g)
	}
	var extra []*slot
	matches := commonRegions(slots, have)
	si, hi := 0, 0
	for _, m := range append(matches, [2]int{len(slots), len(have)}) {
		for si < m[0] || hi < m[1] {
			path, other := g.Sides[ref].Path, g.Sides[side].Path
			switch {
			case si < m[0] && hi < m[1]:
				report(path, slots[si].line(ref), "%s has other selectors here (line %d: %s); write the same in every language", other, have[hi].Line, strings.Join(have[hi].Selectors, " "))
				si, hi = si+1, hi+1
			case si < m[0]:
				report(path, slots[si].line(ref), "%s has no region for %s; add one with the same selectors", other, strings.Join(slots[si].selectors, " "))
				si++
			default:
				report(other, have[hi].Line, "%s has no region for %s; add one with the same selectors", path, strings.Join(have[hi].Selectors, " "))
				extra = append(extra, newSlot(g, side, hi))
				hi++
			}
		}
		if m[0] < len(slots) {
			slots[m[0]].regions[side] = m[1]
		}
		si, hi = m[0]+1, m[1]+1
	}
	return extra
}

// commonRegions is the longest common subsequence of two pages' regions by selectors.
func commonRegions(slots []*slot, have []page.Region) [][2]int {
	n, m := len(slots), len(have)
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	same := func(i, j int) bool { return slices.Equal(slots[i].selectors, have[j].Selectors) }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if same(i, j) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case same(i, j):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// selected are the declarations of a build that selectors ask for by name.
func (b *build) selected(mod *source.Module) []*source.Decl {
	var out []*source.Decl
	for _, s := range b.slots {
		for _, text := range s.selectors {
			sel, err := parseSelector(text)
			if err != nil || sel.name == "" || mod.Package(sel.dir) == nil {
				continue
			}
			p := mod.Package(sel.dir)
			if sel.name == "*" {
				out = append(out, p.Decls()...)
			} else if d := p.Decl(sel.name); d != nil {
				out = append(out, d)
			}
		}
	}
	return out
}

// selection is what a selector selects, or why it selects nothing.
type selection struct {
	entries []*model.Entry
	err     error
}

// selections resolves the selectors of all slots, by slot. With several builds it takes one
// after the other, as what they have in common is kept.
func (b *build) selections() [][]selection {
	all := make([][]selection, len(b.slots))
	var todo []func()
	for i, s := range b.slots {
		all[i] = make([]selection, len(s.selectors))
		for j, text := range s.selectors {
			todo = append(todo, func() { all[i][j].entries, all[i][j].err = b.resolve(text) })
		}
	}
	if len(b.mod.Builds()) == 1 {
		parallel.Each(len(todo), func(i int) { todo[i]() })
		return all
	}
	for _, resolve := range todo {
		resolve()
	}
	return all
}

// selectEntries resolves the selectors of all slots.
func (b *build) selectEntries() {
	all := b.selections()
	for i, s := range b.slots {
		if len(s.selectors) == 0 {
			b.selectorFault(s, "no selectors after catalog; name what to show, such as DIR, DIR#KIND, DIR.Name, DIR.* or DIR#package")
		}
		for j, text := range s.selectors {
			entries, err := all[i][j].entries, all[i][j].err
			if err != nil {
				b.selectorFault(s, err.Error())
				continue
			}
			s.entries = append(s.entries, entries...)
			for _, e := range entries {
				if e.Lacks != "" {
					b.selectorFault(s, fmt.Sprintf("selector %s selects %s (%s:%d), whose members are not all known: %s", text, describe(e), e.File, e.Line, e.Lacks))
				}
			}
		}
	}
}

// selectorFault reports a fault of a slot's selectors in every language that has it.
func (b *build) selectorFault(s *slot, message string) {
	s.broken = true
	b.block(s.group)
	for side := range s.regions {
		if line := s.line(side); line > 0 {
			b.Add(s.group.Sides[side].Path, line, finding.Selector, "%s", message)
		}
	}
}

// checkOwners reports declarations that a language shows twice. The first region keeps
// them.
func (b *build) checkOwners() {
	owners := map[string]*slot{}
	for _, s := range b.slots {
		kept := s.entries[:0]
		for _, e := range s.entries {
			var owner *slot
			for _, key := range e.Owns {
				owner = cmp.Or(owner, owners[key])
			}
			if owner != nil {
				b.ownedTwice(s, owner, e)
				continue
			}
			for _, key := range e.Owns {
				owners[key] = s
			}
			kept = append(kept, e)
		}
		s.entries = kept
	}
}

func (b *build) ownedTwice(s, first *slot, e *model.Entry) {
	s.broken = true
	b.block(s.group)
	for side, sd := range s.group.Sides {
		line := s.line(side)
		if line == 0 {
			continue
		}
		other := min(side, len(first.regions)-1)
		if first.line(other) == 0 {
			other = first.first()
		}
		where := first.group.Sides[other].Path
		if first == s {
			b.Add(sd.Path, line, finding.OwnedTwice, "two selectors of this region select %s; keep one", describe(e))
			continue
		}
		b.Add(sd.Path, line, finding.OwnedTwice, "%s is selected already at %s:%d; keep one of the two", describe(e), where, first.line(other))
	}
}

// describe names an entry in a message.
func describe(e *model.Entry) string {
	switch e.Kind {
	case model.Untagged:
		return e.Dir + "." + e.Name
	case model.Package:
		return "the package comment of " + e.Dir
	}
	return string(e.Kind) + " " + e.Name
}

// checkUnowned reports the entries of directives that no page shows. A region that one
// language lacks is reported as that.
func (b *build) checkUnowned(tagged []*model.Entry) {
	owned := map[string]bool{}
	for _, s := range b.slots {
		for _, e := range s.entries {
			for _, key := range e.Owns {
				owned[key] = true
			}
		}
	}
	for _, text := range b.brokenSelectors() {
		if entries, err := b.resolve(text); err == nil {
			for _, e := range entries {
				owned[e.Owns[0]] = true
			}
		}
	}
	for _, e := range tagged {
		if !owned[e.Owns[0]] {
			b.Add(e.File, e.Line, finding.Unowned, "%s %s is on no page; put <!-- BEGIN GENERATED catalog %s --> and an END marker on a page of every language", e.Kind, e.Name, selectorOf(e))
		}
	}
}

// selectorOf is a selector that selects an entry and as little else as can be.
func selectorOf(e *model.Entry) string {
	if token.IsExported(e.ID.Name) {
		return e.Dir + "." + e.ID.Name
	}
	return e.Dir + "#" + string(e.Kind)
}

var beginWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<!--\s*\S+\s+\S+\s+\S+\s+(.*?)\s*-->`) })

// brokenSelectors are the selectors on lines with faulty markers: once mended, they will
// own something, so it is not reported as unowned.
func (b *build) brokenSelectors() []string {
	var out []string
	for _, g := range b.tree.Groups {
		for _, s := range g.Sides {
			if s.Page == nil || len(s.Page.Problems) == 0 {
				continue
			}
			all := strings.Split(string(s.Src), "\n")
			for _, p := range s.Page.Problems {
				if p.Line <= len(all) {
					if m := beginWords().FindStringSubmatch(all[p.Line-1]); m != nil {
						out = append(out, strings.Fields(m[1])...)
					}
				}
			}
		}
	}
	return out
}
