package confirmed

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/section"
)

// prose reports the blocks of a passage whose source is not what it was when they were
// confirmed to describe it.
func (j *judge) prose(p *passage) {
	j.unmarked(p)
	if len(p.marks) == 0 {
		return
	}
	if p.entry == nil { // also in a conflict
		if len(p.sides) == 1 {
			j.unconfirmed(p, slices.Sorted(maps.Keys(p.subjects)))
		}
		return // else the rule translation says so
	}
	changed := map[int][]string{} // by topic
	var fresh []string
	for _, m := range p.marks {
		for _, name := range m.names {
			switch h, ok := p.entry.Subjects[name]; {
			case !ok:
				fresh = append(fresh, name)
			case string(h) != p.subjects[name].Sum && !slices.Contains(changed[m.topic], name):
				changed[m.topic] = append(changed[m.topic], name)
			}
		}
	}
	if len(fresh) > 0 {
		slices.Sort(fresh)
		j.unconfirmed(p, slices.Compact(fresh))
	}
	for _, topic := range slices.Sorted(maps.Keys(changed)) {
		j.changedSource(p, p.topics[topic], changed[topic])
	}
}

// unmarked reports declarations that a passage was confirmed to describe and that none of
// its marks names any more. A mark with a fault may be meant to.
func (j *judge) unmarked(p *passage) {
	if p.entry == nil || len(p.faults) > 0 {
		return
	}
	var names []string
	for name := range p.entry.Subjects {
		if p.subjects[name] == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	j.add(p, p.sides[0], finding.Prose, fmt.Sprintf("section %s was confirmed to describe %s, which no mark of it names any more; put the mark back, or, if that is right", title(p), and(names)), nil)
}

// unconfirmed reports declarations that a passage names, but that are not confirmed.
func (j *judge) unconfirmed(p *passage, names []string) {
	for _, m := range p.marks {
		if !slices.ContainsFunc(m.names, func(n string) bool { return slices.Contains(names, n) }) {
			continue
		}
		state := "is not confirmed yet"
		if p.conflict != nil {
			state = fmt.Sprintf("is in a merge conflict (%s:%d)", j.in.LockPath(), p.conflict.Line)
		}
		var at []string
		for i, s := range p.sides {
			at = append(at, lines(s, p.topics[m.topic][i]))
		}
		j.out.Findings = append(j.out.Findings, finding.Finding{
			Path: m.path, Line: m.line, Rule: finding.Prose,
			Message: fmt.Sprintf("that section %s describes %s %s; compare %s, then run %s",
				title(p), and(names), state, and(at), j.command(p.inPath(m.path), p.token())),
			Content: p.token(),
		})
		return
	}
}

// changedSource reports a block in every language; blocks has its index by side.
func (j *judge) changedSource(p *passage, blocks []int, names []string) {
	slices.Sort(names)
	var sources []former
	var decls []string
	for _, name := range names {
		sub := p.subjects[name]
		f := former{subject: sub, want: string(p.entry.Subjects[name])}
		j.past.wantSource(f)
		sources = append(sources, f)
		decls = append(decls, fmt.Sprintf("%s (%s:%d)", name, sub.Path, sub.Line))
	}
	for i, s := range p.sides {
		var others []string
		for k, o := range p.sides {
			if k != i {
				others = append(others, lines(o, blocks[k]))
			}
		}
		also := ""
		if len(others) > 0 {
			also = " and " + and(others)
		}
		j.pending = append(j.pending, pending{
			finding: finding.Finding{
				Path: s.path, Line: blockOf(s, blocks[i]).Line, Rule: finding.Prose,
				Message: fmt.Sprintf("%s changed since %s was confirmed to describe it; bring the text%s in line with it, then run %s",
					and(decls), lines(s, blocks[i]), also, j.command(p.in(s), p.token())),
				Content: p.token(),
			},
			sources: sources,
		})
	}
}

// blockOf is a block in one language. Where pages differ in their blocks, the heading
// stands for it.
func blockOf(s side, block int) section.Block {
	if block < len(s.Blocks) {
		return s.Blocks[block]
	}
	return section.Block{Line: s.Line, End: s.Line}
}

// lines is the place of a block in one language.
func lines(s side, block int) string {
	b := blockOf(s, block)
	if b.End > b.Line {
		return fmt.Sprintf("%s:%d-%d", s.path, b.Line, b.End)
	}
	return fmt.Sprintf("%s:%d", s.path, b.Line)
}
