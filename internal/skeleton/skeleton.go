// Package skeleton compares the pages of a group, which say the same in several
// languages: by the rule structure they have the same headings, lists, tables, code,
// quotes, tags, images and link targets, and generated regions in the same places.
//
// Words, emphasis and the order of links within one paragraph belong to a language, and so
// do comments in code. What two languages have to have in common is only what both of
// them can say alike.
package skeleton

import (
	"fmt"
	"slices"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/tree"
)

// Input is what a check needs.
type Input struct {
	Settings *settings.Settings
	Tree     *tree.Tree
	Pages    *markdown.Set // of the tree, of which those to be judged are; ids are looked up in all, after generation
}

// Check adds the findings of the rule structure to out. The first page of a group that
// exists is the reference, and findings stand on the others. Pages with faulty markers are
// not compared: nobody knows what is hand-written there.
func Check(in Input, out *finding.List) {
	targets := newTargets(in.Settings, in.Tree, in.Pages)
	lists := make([]finding.List, len(in.Tree.Groups))
	parallel.Each(len(lists), func(i int) {
		checkGroup(in.Tree.Groups[i], in.Pages, targets, &lists[i])
	})
	for _, l := range lists {
		out.Findings = append(out.Findings, l.Findings...)
	}
}

func checkGroup(g *tree.Group, set *markdown.Set, targets *targets, out *finding.List) {
	var pages []*markdown.Page
	for _, s := range g.Sides {
		if p := set.Page(s.Path); p != nil && p.Doc != nil && p.Group == g && len(p.Side.Page.Problems) == 0 {
			pages = append(pages, p)
		} else if s.Page != nil && len(pages) == 0 {
			return // the reference itself cannot be compared
		}
	}
	for i := 1; i < len(pages); i++ {
		ref, other := pages[0], pages[i]
		left, right := pairRegions(ref, other)
		a := &builder{page: ref, targets: targets, regions: left}
		b := &builder{page: other, targets: targets, regions: right}
		c := comparison{settings: targets.settings, pathA: ref.Path, pathB: other.Path}
		c.sequences(a.build(), b.build(), nil, false)
		c.openA, c.openB = a.unclosed, b.unclosed
		c.report()
		out.Findings = append(out.Findings, c.out.Findings...)
	}
}

// pairRegions gives the regions that both pages have, in the same order, keys that are
// equal. All others are region-missing, and no part of a skeleton.
func pairRegions(a, b *markdown.Page) (left, right map[*page.Region]string) {
	left, right = map[*page.Region]string{}, map[*page.Region]string{}
	x, y := a.Side.Page.Regions, b.Side.Page.Regions
	equal := func(i, j int) bool { return slices.Equal(x[i].Selectors, y[j].Selectors) }
	length := make([][]int, len(x)+1)
	for i := range length {
		length[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); equal(i, j) {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case equal(i, j):
			key := fmt.Sprint(len(left))
			left[&x[i]], right[&y[j]] = key, key
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return left, right
}
