package catalog

import (
	"slices"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/scope"
	"github.com/agentplan/sdk/internal/tree"
)

// narrow limits the result to what a change can have touched. What is generated is known by
// then, for all pages: it decides where links lead.
func (b *build) narrow(c *scope.Change) {
	mod := b.mod
	if len(b.Failures) > 0 {
		mod = nil
	}
	b.Scope = c.Scope(b.tree, mod)
	b.drop(0)
	b.Regions, b.Pages = 0, 0
	for _, g := range b.tree.Groups {
		for _, s := range g.Sides {
			if s.Page != nil && len(s.Page.Regions) > 0 && b.judges(g) {
				b.Regions += len(s.Page.Regions)
				b.Pages++
			}
		}
	}
}

// judges reports whether the pages of a group are to be judged.
func (b *build) judges(g *tree.Group) bool { return b.Scope == nil || b.Scope.Group(g) }

// drop takes away the findings from an index on that are out of scope.
func (b *build) drop(from int) {
	if b.Scope == nil {
		return
	}
	kept := slices.DeleteFunc(b.Findings[from:], func(f finding.Finding) bool { return !b.Scope.Finding(f) })
	b.Findings = b.Findings[:from+len(kept)]
}
