package planmode

import (
	"context"
	"fmt"
	"iter"
)

// Revision is one submission of the plan of a session. All submissions of a session are
// revisions of one plan, whatever their titles are.
//
//catalog:type
type Revision struct {
	// Number counts the revisions of the session from 1. It is [Review.Revision].
	Number int `json:"number"`
	// ReviewID names the review of the revision.
	ReviewID string `json:"reviewId"`
	// CallID is the id of the exit_plan_mode call that presented it.
	CallID string `json:"callId"`
	// Plan is the text as the model wrote it, byte for byte.
	Plan string `json:"plan"`
	// SHA256 is the hash of Plan in lower-case hex.
	SHA256 string `json:"sha256"`
	// Title is the text of the heading that the plan begins with.
	Title string `json:"title"`
	// State tells whether the review is open and how it ended.
	State ReviewState `json:"state"`
	// Superseded tells that the revision does not count any more: there is a newer one,
	// its review was superseded, or its approval no longer stands.
	Superseded bool `json:"superseded"`
	// Settlement is how the review ended, nil while it is open.
	Settlement *Settlement `json:"settlement,omitempty"`
	// Position is the position in the log at which the event that opened the review ends.
	Position int64 `json:"position"`
	// File is the path to which [Options.PlanDir] has the plan exported, empty without
	// that option.
	File string `json:"file,omitempty"`
}

// Revisions yields the revisions of the plan in the agent's log, oldest first, as they
// stand at its end. It reads the log at each use. An error is yielded last. Sessions of
// harnesses that record no plan/review have none.
func (p *PlanMode) Revisions(ctx context.Context, agent Agent) iter.Seq2[Revision, error] {
	return func(yield func(Revision, error) bool) {
		log, err := logOf(agent)
		if err != nil {
			yield(Revision{}, fmt.Errorf("read plan revisions: %w", err))
			return
		}
		var s Folded
		var opened int64 // where the newest review was opened
		for e, err := range log.Read(ctx, 0) {
			if err != nil {
				yield(Revision{}, fmt.Errorf("read plan revisions of session %s: %w", log.ID(), err))
				return
			}
			before := s
			if s.apply(e) != nil || before.reviewID() == s.reviewID() {
				continue
			}
			if before.Review != nil {
				// Nothing else can become of a revision once there is a newer one.
				before.supersede()
				r := p.revision(log.ID(), &before, opened)
				r.Superseded = true
				if !yield(r, nil) {
					return
				}
			}
			opened = int64(e.Seq) + 1
		}
		if s.Review != nil {
			yield(p.revision(log.ID(), &s, opened), nil)
		}
	}
}

// reviewID returns the id of the newest review, "" for none.
func (s *Folded) reviewID() string {
	if s.Review == nil {
		return ""
	}
	return s.Review.ID
}

// revision returns the newest revision of s, which was opened at the position.
func (p *PlanMode) revision(sessionID string, s *Folded, opened int64) Revision {
	r := Revision{
		Number: s.Review.Revision, ReviewID: s.Review.ID, CallID: s.Review.CallID,
		Plan: s.Review.Plan, SHA256: s.Review.SHA256, Title: s.Review.Title, State: s.Review.State,
		Position: opened,
		File:     p.planFile(sessionID, s.Review),
	}
	if how, ended := s.outcomeOf(s.Review.ID); ended {
		r.Settlement = &how
	}
	switch r.State {
	case ReviewSuperseded:
		r.Superseded = true
	case ReviewApproved:
		r.Superseded = s.Approved.Superseded
	}
	return r
}

// Diff returns the differences between two revisions of the plan as a unified diff, ""
// if they are equal. The order is that of the numbers as given: what only to has is
// added. A line ends with LF, CR or CRLF; which of them shows only where nothing else
// differs. The error is [ErrNoReview] if the session does not have the revisions.
func (p *PlanMode) Diff(ctx context.Context, agent Agent, from, to int) (string, error) {
	var old, now *Review
	for r, err := range p.Revisions(ctx, agent) {
		if err != nil {
			return "", fmt.Errorf("compare revisions %d and %d: %w", from, to, err)
		}
		review := &Review{Revision: r.Number, Plan: r.Plan}
		if r.Number == from {
			old = review
		}
		if r.Number == to {
			now = review
		}
	}
	switch {
	case old == nil:
		return "", fmt.Errorf("compare revisions %d and %d: revision %d: %w", from, to, from, ErrNoReview)
	case now == nil:
		return "", fmt.Errorf("compare revisions %d and %d: revision %d: %w", from, to, to, ErrNoReview)
	}
	return diffPlans(old, now), nil
}
