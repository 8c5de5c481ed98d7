package planmode

import "context"

// HeadlessPolicy tells what exit_plan_mode does where there is no reviewer, as in a
// program that runs without a user.
//
//catalog:type
type HeadlessPolicy string

// The policies for calls of exit_plan_mode without a reviewer.
const (
	// HeadlessFail means that the call fails and says that there is no review channel.
	// Nothing is opened. It is the default.
	HeadlessFail HeadlessPolicy = "fail"
	// HeadlessPark means that the review is opened and parked, so that the plan can be
	// answered later by [PlanMode.Settle], and that the call fails and says so.
	HeadlessPark HeadlessPolicy = "park"
)

// autoApprover answers for an operator who has every plan approved.
type autoApprover struct{}

var _ PolicyReviewer = autoApprover{}

// Review approves the plan.
func (autoApprover) Review(_ context.Context, _ Agent, r Review) (Verdict, error) {
	return Verdict{Decision: Approve, SHA256: r.SHA256}, nil
}

// ReviewsByPolicy reports that nobody looked at the plan.
func (autoApprover) ReviewsByPolicy() bool { return true }
