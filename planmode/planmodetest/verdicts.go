package planmodetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

const editedPlan = "# The plan, edited\n\nDo half of it.\n"

// pending is a reviewer that cannot wait for an answer.
type pending struct{}

func (pending) Review(context.Context, planmode.Agent, planmode.Review) (planmode.Verdict, error) {
	return planmode.Verdict{}, planmode.ErrReviewPending
}

// answered is a verdict on the plan that the suite presents, and what has to follow from
// it.
type answered struct {
	name     string
	verdict  planmode.Verdict
	told     []string // what the next request has to hold once, beside the plan
	leaves   bool     // plan mode ends with the next step
	approved string   // the text that is approved, "" for none
}

func answeredCases() []answered {
	return []answered{
		{"approve", planmode.Verdict{Decision: planmode.Approve}, nil, true, plan},
		{"approve an edit", planmode.Verdict{Decision: planmode.ApproveEdit, Plan: editedPlan}, []string{editedPlan}, true, editedPlan},
		{"approve with notes", planmode.Verdict{Decision: planmode.ApproveWithNotes, Feedback: "MIND THE TESTS"}, []string{"MIND THE TESTS"}, true, plan},
		{"approve, but", planmode.Verdict{Decision: planmode.Approve, Feedback: "BUT LOOK"}, []string{"BUT LOOK"}, false, ""},
		{"revise", planmode.Verdict{Decision: planmode.Revise, Feedback: "FEWER STEPS"}, []string{"FEWER STEPS"}, false, ""},
		{"comment on lines", planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Line: 3, Text: "DO WHAT?"}}}, []string{"> Do it.\n\nDO WHAT?"}, false, ""},
		{"dismiss", planmode.Verdict{Decision: planmode.Dismiss, Feedback: "ONE MOMENT"}, []string{"ONE MOMENT"}, false, ""},
		{"leave", planmode.Verdict{Decision: planmode.Leave, Feedback: "NOT TODAY"}, []string{"NOT TODAY"}, true, ""},
	}
}

func verdictChecks() []check {
	var out []check
	for _, c := range answeredCases() {
		out = append(out,
			check{"verdict " + c.name, func(r *rig) error { return checkAnswered(r, c) }},
			check{"verdict " + c.name + " without a call", func(r *rig) error { return checkAnsweredLate(r, c) }})
	}
	return out
}

// planWith mounts plan mode with all decisions and selects it.
func (r *rig) planWith(reviewer planmode.Reviewer, sessions session.Store) (*planmode.PlanMode, error) {
	p, _, err := r.mountWith(&planmode.Options{Reviewer: reviewer, ApprovalNotes: true, Sessions: sessions})
	if err != nil {
		return nil, fmt.Errorf("mount: %w", err)
	}
	_, err = p.Set(r.ctx, r.Agent, true)
	return p, err
}

// checkAnswered has the verdict returned to the call that waits for it.
func checkAnswered(r *rig, c answered) error {
	p, err := r.planWith(&answers{c.verdict}, nil)
	if err != nil {
		return err
	}
	r.calls(exitCall("c1"))
	got, err := r.prompt("plan it")
	if err != nil {
		return err
	}
	if len(got) != 2 {
		return fmt.Errorf("%d requests were sent, want 2: a tool result does not end the turn", len(got))
	}
	if err := wantTold(p, r, got[1], c); err != nil {
		return err
	}
	told, err := notices(r, p)
	if err != nil {
		return err
	}
	if len(told) > 0 {
		return fmt.Errorf("the result of the call was told again by a notice: is its tool/result in the log as it was? %q", told)
	}
	return wantCallsLogged(r, map[string]bool{"c1": c.approved == ""})
}

// checkAnsweredLate settles the review after its turn, so that a notice tells the model.
func checkAnsweredLate(r *rig, c answered) error {
	p, err := r.planWith(pending{}, nil)
	if err != nil {
		return err
	}
	r.calls(exitCall("c1"))
	if _, err := r.prompt("plan it"); err != nil {
		return err
	}
	review, err := p.OpenReview(r.ctx, r.Agent)
	if err != nil {
		return err
	}
	if review == nil || review.State != planmode.ReviewParked {
		return fmt.Errorf("after a call whose reviewer cannot wait the open review is %+v", review)
	}
	v := c.verdict
	v.SHA256 = review.SHA256
	if err := p.Settle(r.ctx, r.Agent, review.ID, v); err != nil {
		return err
	}
	got, err := r.prompt("go on")
	if err != nil {
		return err
	}
	if err := wantTold(p, r, got[0], c); err != nil {
		return err
	}
	return wantCallsLogged(r, map[string]bool{"c1": true})
}

// wantTold checks the request that follows a verdict.
func wantTold(p *planmode.PlanMode, r *rig, got Request, c answered) error {
	if guided := strings.Contains(got.System, guidance); guided == c.leaves {
		return fmt.Errorf("the request after the answer has the guidance: %v, want %v", guided, !c.leaves)
	}
	for _, text := range c.told {
		if n := countHolding(got.Messages, text); n != 1 {
			return fmt.Errorf("the request after the answer holds %q %d times, want once: %q", text, n, got.Messages)
		}
	}
	approved, err := p.ApprovedPlan(r.ctx, r.Agent)
	switch {
	case err != nil:
		return err
	case c.approved == "" && approved != nil, c.approved != "" && (approved == nil || approved.Plan != c.approved):
		return fmt.Errorf("approved plan is %+v, want %q", approved, c.approved)
	}
	return wantValid(r)
}

// checkHandoff approves with a fresh context and goes on in the new session.
func checkHandoff(r *rig) error {
	store := session.NewMemoryStore()
	p, err := r.planWith(&answers{{Decision: planmode.ApproveFresh, Plan: editedPlan}}, store)
	if err != nil {
		return err
	}
	r.calls(exitCall("c1"))
	got, err := r.prompt("plan it")
	if err != nil {
		return err
	}
	if len(got) != 2 || strings.Contains(got[1].System, guidance) {
		return fmt.Errorf("after a hand-off %d requests were sent, want 2, the second without the guidance", len(got))
	}
	if n := countHolding(got[1].Messages, editedPlan); n > 0 {
		return errors.New("the session that handed the plan over is given the edited text")
	}
	h, err := p.ResumeHandoff(r.ctx, r.Agent)
	if err != nil {
		return err
	}
	if h == nil || h.State != planmode.HandoffComplete {
		return fmt.Errorf("after the turn the hand-off is %+v", h)
	}
	if err := wantCallsLogged(r, map[string]bool{"c1": false}); err != nil {
		return err
	}
	if r.Switch == nil {
		return nil
	}
	next, err := store.Open(r.ctx, h.Session)
	if err != nil {
		return err
	}
	if r.Agent, err = r.Switch(r.ctx, next); err != nil {
		return fmt.Errorf("switch to the new session: %w", err)
	}
	if got, err = r.prompt("go"); err != nil {
		return err
	}
	if strings.Contains(got[0].System, guidance) {
		return errors.New("the new session is in plan mode")
	}
	if n := strings.Count(strings.Join(got[0].Messages, "\x00"), editedPlan); n != 1 {
		return fmt.Errorf("the first request of the new session holds the plan %d times, want once: %q", n, got[0].Messages)
	}
	if n := countHolding(got[0].Messages, "plan it"); n > 0 {
		return fmt.Errorf("the first request of the new session holds messages of the old one: %q", got[0].Messages)
	}
	return wantValid(r)
}
