package planmode

import "github.com/agentplan/sdk/planmode/session"

// Settlement is how a review ended.
//
//catalog:type
type Settlement struct {
	// ReviewID names the review.
	ReviewID string `json:"reviewId"`
	// Revision is the number of the review.
	Revision int `json:"revision"`
	// State is the final state of the review.
	State ReviewState `json:"state"`
	// Feedback is what the user wrote, word for word.
	Feedback string `json:"feedback,omitempty"`
	// By tells who settled the review; it is empty for a superseded one.
	By Actor `json:"by,omitempty"`
	// Decision is the decision that counts, empty where nobody decided: an approval that
	// came with a remark is Revise here.
	Decision Decision `json:"decision,omitempty"`
	// Plan is the text that the user made of the plan, byte for byte; empty if the user
	// changed nothing.
	Plan string `json:"plan,omitempty"`
	// PlanSHA256 is the hash of Plan in lower-case hex.
	PlanSHA256 string `json:"planSha256,omitempty"`
	// Comments are what the user wrote about lines of the plan.
	Comments []Comment `json:"comments,omitempty"`
	// Session is the session that an approval with a fresh context makes.
	Session string `json:"session,omitempty"`
}

// ApprovedPlan is the plan that was approved last.
//
//catalog:type
type ApprovedPlan struct {
	// Plan is the text that was approved, byte for byte: the one under review, or what
	// the user made of it.
	Plan string `json:"plan"`
	// SHA256 is its hash in lower-case hex.
	SHA256 string `json:"sha256"`
	// Revision is the number of its review.
	Revision int `json:"revision"`
	// Superseded tells that the approval no longer stands: plan mode was entered again
	// after it, or the exit it led to was cancelled.
	Superseded bool `json:"superseded"`
	// Edited tells that the user edited the text of the model before approving it.
	Edited bool `json:"edited,omitempty"`
	// Notes is what the user wrote beside the approval and approved with it.
	Notes string `json:"notes,omitempty"`
	// From is the session in which the plan was approved, if that is another one: this
	// session began with the plan.
	From string `json:"from,omitempty"`
}

// leaves reports whether the settlement selects the default mode.
func (how *Settlement) leaves() bool { return how.State == ReviewApproved || how.Decision == Leave }

// settlement returns the events that settle the open review of s in the session of that
// id. With commit an exit takes force at once, except that a hand-off goes first.
func settlement(s *Folded, sessionID string, how Settlement, commit bool) []session.Event {
	awaited := s.Review.State == ReviewWaiting
	e := ReviewEvent{
		ID:         s.Review.ID,
		State:      string(how.State),
		Plan:       how.Plan,
		SHA256:     s.Review.SHA256,
		Feedback:   how.Feedback,
		By:         how.By,
		Awaited:    &awaited,
		PlanSHA256: how.PlanSHA256,
		Comments:   how.Comments,
	}
	if how.Decision != plainDecision(how.State) {
		e.Decision = how.Decision
	}
	if how.Decision == ApproveFresh {
		e.Session = handoffSession(sessionID, s.Review.ID)
	}
	events := []session.Event{reviewEvent(e)}
	if commit && how.leaves() && how.Decision != ApproveFresh && s.Active {
		events = append(events, modeEvent(false))
	}
	return events
}
