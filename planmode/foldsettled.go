package planmode

import (
	"errors"
	"fmt"
)

// applySettled folds a settlement of the review of that id.
func (s *Folded) applySettled(id string, state ReviewState, o object) error {
	how, awaited, err := parseSettlement(state, o)
	if err != nil {
		return err
	}
	r := s.openReview()
	if r == nil || r.ID != id {
		return nil
	}
	if hash, _ := o.text("sha256"); hash != r.SHA256 {
		return fmt.Errorf("sha256 %.80q is not that of the plan under review", hash)
	}
	how.ReviewID, how.Revision = id, r.Revision
	awaited = awaited && r.State == ReviewWaiting
	s.finish(outcome{Settlement: how, plan: r.Plan, owed: !awaited})
	if awaited {
		s.await(awaitedAnswer{reviewID: id, callID: r.CallID, inTurn: s.reviewInTurn})
	}
	if state == ReviewApproved {
		s.approve(how)
	}
	if how.leaves() {
		s.choose(false, how.By)
	}
	return nil
}

// approve notes what a settlement of the newest review approved.
func (s *Folded) approve(how Settlement) {
	approved := &ApprovedPlan{Plan: s.Review.Plan, SHA256: s.Review.SHA256, Revision: how.Revision}
	if how.Plan != "" {
		approved.Plan, approved.SHA256, approved.Edited = how.Plan, how.PlanSHA256, true
	}
	if how.Decision == ApproveWithNotes {
		approved.Notes = how.Feedback
	}
	s.Approved = approved
	if how.Decision == ApproveFresh {
		s.Handoff = &Handoff{
			ReviewID: how.ReviewID, Revision: how.Revision,
			Session: how.Session, SHA256: approved.SHA256, By: how.By,
			State: HandoffOpen,
		}
	}
}

// parseSettlement reads a settlement that is no opening. What depends on the review is
// left to the caller.
func parseSettlement(state ReviewState, o object) (how Settlement, awaited bool, err error) {
	how.State = state
	if _, err = o.text("sha256"); err != nil {
		return how, false, err
	}
	if how.Feedback, err = o.optionalText("feedback"); err != nil {
		return how, false, err
	}
	by, err := o.text("by")
	if err != nil {
		return how, false, err
	}
	how.By = Actor(by)
	switch how.By {
	case ByUser, ByPolicy, ByHost:
	default:
		return how, false, fmt.Errorf("by is %.40q: user, policy or host was expected", by)
	}
	if awaited, err = o.boolean("awaited"); err != nil {
		return how, false, err
	}
	if how.Comments, err = o.comments("comments"); err != nil {
		return how, false, err
	}
	return how, awaited, how.parseDecision(o)
}

// parseDecision reads which decision led to the state. One that is not known here is an
// error and so no consent, whatever it meant to its writer.
func (how *Settlement) parseDecision(o object) error {
	decision, err := o.optionalText("decision")
	if err != nil {
		return err
	}
	how.Decision = Decision(decision)
	switch {
	case !o.has("decision"):
		how.Decision = plainDecision(how.State)
	case how.Decision.state() != how.State || decision == "":
		return fmt.Errorf("decision is %.40q and state %s", decision, how.State)
	}
	if how.Plan, err = o.optionalText("plan"); err != nil {
		return err
	}
	if how.PlanSHA256, err = o.optionalText("planSha256"); err != nil {
		return err
	}
	if how.Session, err = o.optionalText("session"); err != nil {
		return err
	}
	switch {
	case how.Plan != "" && how.PlanSHA256 != hashOf(how.Plan):
		return o.unexpected("planSha256", "the hash of plan")
	case how.Plan != "" && how.State == ReviewApproved && !how.Decision.takesPlan():
		return fmt.Errorf("plan stands beside the decision %s", how.Decision)
	case how.Plan == "" && how.Decision == ApproveEdit:
		return errors.New("plan is missing: the edited text was expected")
	case how.Session == "" && how.Decision == ApproveFresh:
		return errors.New("session is missing: the id of the new session was expected")
	}
	return nil
}
