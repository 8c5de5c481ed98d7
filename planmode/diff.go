package planmode

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diffPlans returns what changed from one revision to another as a unified diff.
func diffPlans(from, to *Review) string {
	label := func(r *Review) string { return fmt.Sprintf("revision %d", r.Revision) }
	unified := udiff.Unified(label(from), label(to), splitLines(from.Plan), splitLines(to.Plan))
	if unified == "" { // equal but for the ends of lines
		unified = udiff.Unified(label(from), label(to), from.Plan, to.Plan)
	}
	return unified
}

// splitLines returns a plan with LF after each CR that ends a line alone, which a diff
// would else not take for the end of a line.
func splitLines(plan string) string {
	if !strings.Contains(plan, "\r") {
		return plan
	}
	plan = strings.ReplaceAll(plan, "\r\n", "\n")
	plan = strings.ReplaceAll(plan, "\r", "\r\n")
	return plan
}

// handed returns the newest review of s as it is handed to whoever answers it.
func (p *PlanMode) handed(sessionID string, s *Folded) Review {
	review := *s.Review
	if s.lastReview != nil {
		review.Diff = diffPlans(s.lastReview, s.Review)
	}
	review.File = p.planFile(sessionID, s.Review)
	return review
}
