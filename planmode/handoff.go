package planmode

import (
	"context"
	"errors"
	"fmt"
)

// Handoff is the way of a plan, approved with a fresh context, to a session of its own.
// The session that it comes from stays in plan mode until the new one exists and begins
// with the plan.
//
//catalog:type
type Handoff struct {
	// ReviewID names the review in which the plan was approved.
	ReviewID string `json:"reviewId"`
	// Revision is the number of the review.
	Revision int `json:"revision"`
	// Session is the id of the new session in [Options.Sessions].
	Session string `json:"session"`
	// SHA256 is the hash of the plan that is handed over, in lower-case hex.
	SHA256 string `json:"sha256"`
	// By tells who approved the plan.
	By Actor `json:"by"`
	// State tells how far the hand-off is.
	State HandoffState `json:"state"`
}

// HandoffState is how far a [Handoff] is.
//
//catalog:type
type HandoffState string

// The states of a hand-off.
const (
	// HandoffOpen means that the approval is in the log and that the new session has to
	// be made, or was made and has to be noted. Whoever comes next goes on with it.
	HandoffOpen HandoffState = "open"
	// HandoffComplete means that the new session begins with the plan and that the one
	// which it comes from has left plan mode for it.
	HandoffComplete HandoffState = "complete"
	// HandoffCancelled means that plan mode was selected again before the hand-off was
	// complete: the approval does not stand. A new session that was made before that is
	// left alone.
	HandoffCancelled HandoffState = "cancelled"
)

// HandoffError reports a hand-off that could not be completed. The approval is in the log
// and nothing is lost: the hand-off is open.
//
//catalog:type
type HandoffError struct {
	// ReviewID names the review in which the plan was approved.
	ReviewID string
	// Session is the id of the new session.
	Session string
	// Err says what went wrong.
	Err error
}

// Error names the review and the session.
func (e *HandoffError) Error() string {
	return fmt.Sprintf("hand over the plan of review %s to session %s: %v", e.ReviewID, e.Session, e.Err)
}

// Unwrap returns what went wrong.
func (e *HandoffError) Unwrap() error { return e.Err }

// failed returns err as a [*HandoffError].
func (h *Handoff) failed(err error) error {
	var incomplete *HandoffError
	if errors.As(err, &incomplete) {
		return err
	}
	return &HandoffError{ReviewID: h.ReviewID, Session: h.Session, Err: err}
}

// Handoff returns the newest hand-off of the agent's session, nil if there was none. When
// it is complete, go on with the new session: its log begins with the plan, and it is not
// in plan mode.
func (p *PlanMode) Handoff(ctx context.Context, agent Agent) (*Handoff, error) {
	log, v, err := p.read(ctx, agent)
	if err != nil || v.Handoff == nil {
		return nil, err
	}
	return v.handoffOf(log.ID()), nil
}

// ResumeHandoff goes on with a hand-off that is open, such as one that a crash cut off,
// and returns what Handoff does then. While a turn is open it makes the new session and
// leaves the rest to the next step boundary, so that the guidance stays in force for the
// rest of the step. A host calls it when a turn has ended, and when it opens a session;
// where nothing is open it writes nothing. The error is a [*HandoffError] if the hand-off
// could not go on. It may run any number of times and in several processes.
func (p *PlanMode) ResumeHandoff(ctx context.Context, agent Agent) (*Handoff, error) {
	log, v, err := p.read(ctx, agent)
	if err != nil {
		return nil, err
	}
	return p.advance(ctx, log, !v.TurnOpen)
}

// handoffOf returns the newest hand-off as one of the session of that id. A session that
// was forked while the hand-off was open hands over to a session of its own.
func (s *Folded) handoffOf(sessionID string) *Handoff {
	h := *s.Handoff
	if h.State != HandoffComplete {
		h.Session = handoffSession(sessionID, h.ReviewID)
	}
	return &h
}
