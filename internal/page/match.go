package page

import (
	"cmp"
	"fmt"
	"slices"
)

type pair struct{ begin, end marker }

// match finds the regions among markers that are in document order, and the
// problems. One mistake gives one problem: a faulty marker still pairs with the
// counterpart that it would otherwise leave behind as unopened or unclosed.
func match(markers []marker) ([]pair, []Problem) {
	var problems []Problem
	report := func(m marker, format string, args ...any) {
		problems = append(problems, Problem{m.line + 1, fmt.Sprintf(format, args...)})
	}
	for _, m := range markers {
		if m.fault != "" {
			report(m, "%s", m.fault)
		}
	}

	partner := pairUp(markers, func(i int) bool { return markers[i].fault == "" })
	left := pairUp(markers, func(i int) bool { return partner[i] < 0 })
	for i, m := range markers {
		switch {
		case partner[i] >= 0:
		case left[i] < 0 && m.fault == "" && m.end:
			report(m, "END without a BEGIN: remove it, or begin the region with %s", quote(marker{}))
		case left[i] < 0 && m.fault == "":
			report(m, "BEGIN without an END: end the region with %s on a line of its own, "+
				"and look for an unclosed code fence or comment before it", quote(marker{end: true}))
		case left[i] >= 0 && m.end && m.block != nil && m.block == markers[left[i]].block:
			// Both stand in one foreign block: moving the region mends both.
			problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Line == m.line+1 })
		}
	}

	pairs, nested := topLevel(markers, partner)
	for _, n := range nested {
		report(n.inner, "region within the region of line %d: end that one before this line, or remove this one", n.outer.line+1)
	}
	slices.SortFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return pairs, problems
}

// pairUp pairs each END with the nearest open BEGIN, among the markers that use
// accepts. It returns the index of each marker's partner, -1 for none.
func pairUp(markers []marker, use func(i int) bool) []int {
	partner := make([]int, len(markers))
	var open []int
	for i, m := range markers {
		partner[i] = -1
		switch {
		case !use(i):
		case !m.end:
			open = append(open, i)
		case len(open) > 0:
			b := open[len(open)-1]
			open = open[:len(open)-1]
			partner[i], partner[b] = b, i
		}
	}
	return partner
}

// nesting names a region and the outermost one around it.
type nesting struct{ outer, inner marker }

// topLevel returns the pairs that neither hold another pair nor are held by one,
// and the nestings of the others.
func topLevel(markers []marker, partner []int) ([]pair, []nesting) {
	var pairs []pair
	var nested []nesting
	for i := 0; i < len(markers); i++ {
		end := partner[i]
		if end < 0 {
			continue
		}
		alone := true
		for j := i + 1; j < end; j++ {
			if partner[j] > j {
				nested = append(nested, nesting{markers[i], markers[j]})
				alone = false
			}
		}
		if alone {
			pairs = append(pairs, pair{markers[i], markers[end]})
		}
		i = end
	}
	return pairs, nested
}
