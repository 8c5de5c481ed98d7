package skeleton

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
)

// report adds a finding for each stretch, one for what only stands in another place, and
// one for each group of links with other fragments.
func (c *comparison) report() {
	c.dropGone()
	gone := map[string][]*stretch{}
	for _, s := range c.stretches {
		if len(s.b) == 0 {
			k := wholes(s.a)
			gone[k] = append(gone[k], s)
		}
	}
	moved := map[*stretch]bool{}
	for _, s := range c.stretches {
		if k := wholes(s.b); len(s.a) == 0 && len(gone[k]) > 0 {
			from := gone[k][0]
			gone[k] = gone[k][1:]
			moved[s], moved[from] = true, true
			if s.run == from.run && s.run.proseA != s.run.proseB {
				continue // the same text in fewer or more paragraphs
			}
			c.add(s.b[0].line, "%s stands in another place than in %s:%d", describe(s.b), c.pathA, from.a[0].line)
		}
	}
	switched := slices.ContainsFunc(c.stretches, (*stretch).lone)
	for _, s := range c.stretches {
		if switched && !s.lone() {
			// Its links stand where it is not recognized.
			s.a = slices.DeleteFunc(s.a, isSwitch)
			s.b = slices.DeleteFunc(s.b, isSwitch)
		}
		switch {
		case moved[s], len(s.a)+len(s.b) == 0:
		case len(s.b) == 0 && s.prev.b != nil && s.prev.b.runs:
			// That code has swallowed it.
		case len(s.a) == 0:
			c.add(s.b[0].line, "%s where %s%s has nothing of the kind", describe(s.b), c.pathA, after(s.prev.a))
		case len(s.b) == 0:
			c.add(s.place(), "nothing where %s:%d has %s", c.pathA, s.a[0].line, describe(s.a))
		case s.a[0].leadsAs(s.b[0]):
			c.add(s.b[0].line, "%s as in %s:%d, which is not of this page's language", describe(s.b), c.pathA, s.a[0].line)
		default:
			c.add(s.b[0].line, "%s where %s:%d has %s", describe(s.b), c.pathA, s.a[0].line, describe(s.a))
		}
	}
	c.fragments()
	c.onlyUnclosed()
	for i := range c.out.Findings {
		c.out.Findings[i].Message += "; write both pages alike"
	}
}

// dropGone takes out links that lead to a file that is not there, which the rule link
// reports, each with a link of the other page that nothing else answers to.
func (c *comparison) dropGone() {
	for _, s := range c.stretches {
		s.a = slices.DeleteFunc(s.a, func(n *node) bool {
			return c.isGone(n) && c.takeLink(n.kind, s.run, func(t *stretch) *[]*node { return &t.b })
		})
		s.b = slices.DeleteFunc(s.b, func(n *node) bool {
			return c.isGone(n) && c.takeLink(n.kind, s.run, func(t *stretch) *[]*node { return &t.a })
		})
	}
	c.stretches = slices.DeleteFunc(c.stretches, func(s *stretch) bool { return len(s.a)+len(s.b) == 0 })
}

func (c *comparison) isGone(n *node) bool { return (n.kind == link || n.kind == image) && c.gone(n) }

// takeLink removes the first link of a kind from one side of the stretches of a run, and
// reports whether there is one.
func (c *comparison) takeLink(k kind, r *run, side func(*stretch) *[]*node) bool {
	for _, s := range c.stretches {
		list := side(s)
		if i := slices.IndexFunc(*list, func(n *node) bool { return n.kind == k }); s.run == r && i >= 0 {
			*list = slices.Delete(*list, i, i+1)
			return true
		}
	}
	return false
}

// lone reports whether a stretch is the language switcher, which one page lacks.
func (s *stretch) lone() bool {
	return len(s.a)+len(s.b) == 1 && append(slices.Clone(s.a), s.b...)[0].kind == switcher
}

func isSwitch(n *node) bool { return n.kind == link && n.key == otherLanguage }

// onlyUnclosed drops all findings but the first where one of the pages has a code block
// that never ends: what it swallows differs for that reason alone.
func (c *comparison) onlyUnclosed() {
	if (c.openA == 0) == (c.openB == 0) || len(c.out.Findings) == 0 {
		return
	}
	first := slices.MinFunc(c.out.Findings, finding.Finding.Compare)
	why := fmt.Sprintf("the code block of line %d has no end", c.openB)
	if c.openB == 0 {
		why = fmt.Sprintf("the code block of %s:%d has no end", c.pathA, c.openA)
	}
	first.Message += " (" + why + ")"
	c.out.Findings = []finding.Finding{first}
}

func wholes(seq []*node) string {
	var b strings.Builder
	for _, n := range seq {
		b.Write(n.whole[:])
	}
	return b.String()
}

// describe says what the first node of a stretch is, and how much follows.
func describe(seq []*node) string {
	text := seq[0].text
	if n := len(seq) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more to line %d", n, seq[n].end())
	}
	return text
}

func after(n *node) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(", behind its line %d,", n.end())
}

// place is the line of b at which something is missing: that of the block that should
// have a link, that of what follows otherwise.
func (s *stretch) place() int {
	first := s.a[0].kind
	switch {
	case s.prev.b != nil && (first == link || first == image || s.next == nil):
		return s.prev.b.end()
	case s.next != nil && first != link && first != image:
		return s.next.line
	case s.home != nil:
		return s.home.line
	case s.next != nil:
		return s.next.line
	}
	return 1
}

// spot is a target in a block of page a.
type spot struct {
	block int
	key   string
}

// fragments compares the fragments of links that lead to the same page. Within one block
// their order does not count, and one made of a heading's words matches any.
func (c *comparison) fragments() {
	groups := map[spot][]pair{}
	var order []spot
	for _, p := range c.links {
		s := spot{p.a.block, p.a.key}
		if groups[s] == nil {
			order = append(order, s)
		}
		groups[s] = append(groups[s], p)
	}
	for _, s := range order {
		var left, right []*node
		for _, p := range groups[s] {
			left, right = append(left, p.a), append(right, p.b)
		}
		left, right = unmatched(left, right), unmatched(right, left)
		wildLeft, wildRight := count(left, anyFragment), count(right, anyFragment)
		if len(left)-wildLeft <= wildRight && len(right)-wildRight <= wildLeft {
			continue
		}
		a, b := firstFixed(left, left[0]), firstFixed(right, right[0])
		c.add(b.line, "%s where %s:%d has %s", b.text, c.pathA, a.line, a.text)
	}
}

// unmatched returns the nodes of a whose fragments those of b do not have as often.
func unmatched(a, b []*node) []*node {
	have := map[string]int{}
	for _, n := range b {
		have[n.frag]++
	}
	var out []*node
	for _, n := range a {
		if n.frag != anyFragment && have[n.frag] > 0 {
			have[n.frag]--
			continue
		}
		out = append(out, n)
	}
	return out
}

func count(seq []*node, fragment string) int {
	n := 0
	for _, x := range seq {
		if x.frag == fragment {
			n++
		}
	}
	return n
}

// firstFixed returns the first node whose fragment is the same in every language, or def.
func firstFixed(seq []*node, def *node) *node {
	for _, n := range seq {
		if n.frag != anyFragment {
			return n
		}
	}
	return def
}
