package planmode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Review is a plan that was presented for review.
//
//catalog:type
type Review struct {
	// ID names the review; it is not the id of its call.
	ID string `json:"id"`
	// CallID is the id of the exit_plan_mode call that presented the plan.
	CallID string `json:"callId"`
	// Revision counts the reviews of the session from 1.
	Revision int `json:"revision"`
	// Plan is the text as the model wrote it, byte for byte.
	Plan string `json:"plan"`
	// Title is the text of the heading that the plan begins with.
	Title string `json:"title"`
	// SHA256 is the hash of Plan in lower-case hex. A [Verdict] names it.
	SHA256 string `json:"sha256"`
	// State tells whether the review is open and how it ended.
	State ReviewState `json:"state"`
	// Diff is what changed since the last revision as a unified diff, empty for the first
	// one and where nothing changed. Like File it is derived when the review is handed
	// to whoever answers it.
	Diff string `json:"diff,omitempty"`
	// File is the path to which [Options.PlanDir] has the plan exported, empty without
	// that option. If it could not be written, a warning was logged.
	File string `json:"file,omitempty"`
}

// ReviewState is where a review stands.
//
//catalog:type
type ReviewState string

// The states of a review. It is open while waiting or parked; every other state is
// final.
const (
	// ReviewWaiting means that the call which presented the plan waits for the answer.
	ReviewWaiting ReviewState = "waiting"
	// ReviewParked means that the review is open and no call waits for it: its reviewer
	// could not block, or its turn is over.
	ReviewParked ReviewState = "parked"
	// ReviewApproved means that the plan was approved, as it was shown or as the user
	// edited it.
	ReviewApproved ReviewState = "approved"
	// ReviewRevise means that the user wants changes.
	ReviewRevise ReviewState = "revise"
	// ReviewDismissed means that the user closed the review without an answer to the
	// plan: to speak first, or to leave plan mode.
	ReviewDismissed ReviewState = "dismissed"
	// ReviewAborted means that the program had to end the review.
	ReviewAborted ReviewState = "aborted"
	// ReviewExpired means that nobody answered within [Options.ReviewTimeout].
	ReviewExpired ReviewState = "expired"
	// ReviewSuperseded means that there is nothing left to answer: the user left plan
	// mode or a newer plan was presented. It is derived from the log and no verdict.
	ReviewSuperseded ReviewState = "superseded"
)

// Open reports whether the review can still be answered.
func (s ReviewState) Open() bool { return s == ReviewWaiting || s == ReviewParked }

// settles reports whether a settlement can have the state.
func (s ReviewState) settles() bool {
	switch s {
	case ReviewApproved, ReviewRevise, ReviewDismissed, ReviewAborted, ReviewExpired:
		return true
	}
	return false
}

// Reviewer asks somebody about a plan.
//
//catalog:service reviewer
type Reviewer interface {
	// Review shows the plan and returns the answer, with [Verdict.SHA256] set to the
	// hash of what was shown. It is called once for each review and may block for as
	// long as the user thinks. It returns when ctx ends, which happens when the call was
	// cancelled, plan mode was closed or the answer has come by another way. An answer
	// that it returns within a second of that still counts if no other came first.
	//
	// It returns [ErrReviewPending] if it cannot block: the answer then comes through
	// [PlanMode.Settle]. It returns [ErrDismissed] if the user closed the question.
	// Any other error ends the review as aborted and its message reaches the model. No
	// error is ever taken for consent. It must be safe for concurrent use.
	Review(ctx context.Context, agent Agent, r Review) (Verdict, error)
}

// PolicyReviewer is an optional ability of a [Reviewer] that does not ask a person: the
// log then records its answers as those of a policy, and the model is told that the
// user has not seen the plan.
//
//catalog:service policyReviewer
type PolicyReviewer interface {
	Reviewer
	// ReviewsByPolicy reports whether answers come from a policy. It is asked once for
	// each review, before the answer.
	ReviewsByPolicy() bool
}

var (
	// ErrReviewPending is returned by a [Reviewer] that cannot wait for the answer.
	ErrReviewPending = errors.New("review is pending")

	// ErrDismissed is returned by a [Reviewer] whose user closed the question without
	// an answer.
	ErrDismissed = errors.New("review was dismissed")

	// ErrNoReview reports an id that no review of the session has.
	ErrNoReview = errors.New("no such review")

	// ErrNoSessions reports a verdict that asks for a new session where [Options.Sessions]
	// is nil.
	ErrNoSessions = errors.New("there is no store to make a new session in")
)

// SettledError reports a verdict that came too late: the review had its outcome.
//
//catalog:type
type SettledError struct {
	// ID names the review.
	ID string
	// State is its outcome.
	State ReviewState
}

// Error names the review and its outcome.
func (e *SettledError) Error() string {
	return fmt.Sprintf("settle review %s: already %s", e.ID, e.State)
}

func hashOf(plan string) string {
	sum := sha256.Sum256([]byte(plan))
	return hex.EncodeToString(sum[:])
}
