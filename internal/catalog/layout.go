package catalog

import (
	"maps"
	"slices"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/tree"
)

// Page is a page that shows entries, or defines dispatch modes, in all its languages.
type Page struct {
	Files   []string // in the order of the languages; one alone serves all of them
	InTree  bool     // of the language directories, rather than of the pages setting
	Modes   []string // dispatch modes that it defines, sorted
	Regions []Region
}

// Region is one region of a page.
type Region struct {
	Selectors []string
	Level     int // of the headings of its entries
	Entries   []*model.Entry
}

// layOut records what the pages show.
func (b *build) layOut(modes map[*tree.Group]map[string]bool) {
	regions := map[*tree.Group][]Region{}
	for _, s := range b.slots {
		regions[s.group] = append(regions[s.group], Region{Selectors: s.selectors, Level: s.level, Entries: s.entries})
	}
	for _, g := range b.tree.Groups {
		if len(regions[g]) == 0 && len(modes[g]) == 0 {
			continue
		}
		p := Page{InTree: g.InTree, Modes: slices.Sorted(maps.Keys(modes[g])), Regions: regions[g]}
		for _, s := range g.Sides {
			if !s.Missing() {
				p.Files = append(p.Files, s.Path)
			}
		}
		b.Layout = append(b.Layout, p)
	}
}
