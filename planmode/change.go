package planmode

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// Change is one thing that happened to the plan mode of a session. It is derived from the
// log alone: whoever reads the same log gets the same changes, in the order of the events
// that made them.
//
//catalog:type
type Change struct {
	// Position is the position in the log at which the event that made the change ends.
	Position int64 `json:"position"`
	// Index tells apart the changes that one event makes; they count from 0. Position
	// and Index together name a change of a session.
	Index int `json:"index"`
	// Time is when the event was logged. It may go back.
	Time time.Time `json:"time"`
	// Session is the id of the session.
	Session string `json:"session"`
	// Kind tells what changed.
	Kind ChangeKind `json:"kind"`
	// From is the state of plan mode before the change, as [Service.Get] shows it.
	From State `json:"from"`
	// To is the state after it: the same for a change of a review or a hand-off. That of
	// the last change is the state at the end of the log.
	To State `json:"to"`
	// Actor tells on whose behalf the change came about.
	Actor Actor `json:"actor"`
	// Cause tells what led to it.
	Cause Cause `json:"cause"`
	// ReviewID names the review that changed, or whose approval changed the state. It is
	// empty where no review has a part in the change.
	ReviewID string `json:"reviewId,omitempty"`
	// Revision is the number of that review, 0 for none.
	Revision int `json:"revision,omitempty"`
	// ReviewFrom is the state of the review before the change, empty unless a review that
	// was open changed.
	ReviewFrom ReviewState `json:"reviewFrom,omitempty"`
	// ReviewTo is the state of the review after the change, empty unless one changed.
	ReviewTo ReviewState `json:"reviewTo,omitempty"`
	// Decision is what the answer to a review said, empty where nobody decided.
	Decision Decision `json:"decision,omitempty"`
	// Reason is what the user wrote with an answer, word for word.
	Reason string `json:"reason,omitempty"`
	// Handoff is the hand-off as it is after the change, nil unless one changed. It is
	// shared between readers: do not write through it.
	Handoff *Handoff `json:"handoff,omitempty"`
}

// ChangeKind is the kind of a [Change].
//
//catalog:type
type ChangeKind string

// The kinds of changes.
const (
	// ChangeMode is a committed switch: another state is in force.
	ChangeMode ChangeKind = "mode"
	// ChangePending means that another selection waits for the next step, or that none
	// waits any more.
	ChangePending ChangeKind = "pending"
	// ChangeOpened means that a plan was presented and its review is open.
	ChangeOpened ChangeKind = "review-opened"
	// ChangeParked means that a review stays open and no call waits for it any more.
	ChangeParked ChangeKind = "review-parked"
	// ChangeSettled means that a review was settled; [Change.ReviewTo] tells how.
	ChangeSettled ChangeKind = "review-settled"
	// ChangeSuperseded means that a review ended because there is nothing left to
	// answer.
	ChangeSuperseded ChangeKind = "review-superseded"
	// ChangeHandoff means that a hand-off of a plan to a new session began, is complete
	// or was cancelled.
	ChangeHandoff ChangeKind = "handoff"
)

// Cause tells what led to a [Change].
//
//catalog:type
type Cause string

// The causes of changes.
const (
	// CauseSelection is a selection, as [Service.Set] and an operator's policy make it.
	CauseSelection Cause = "selection"
	// CauseCommand is a /plan command that the host logged: it began, or it ended.
	CauseCommand Cause = "command"
	// CauseApproval is the approval of a plan. The user or the policy that gave it is
	// the actor of the [ChangeSettled] before.
	CauseApproval Cause = "approval"
	// CauseExit is a successful exit_plan_mode in the log of a harness that records no
	// reviews.
	CauseExit Cause = "exit"
	// CauseSwitch is a plan/mode that no selection led to. It counts as the user's, as
	// it does for the notices.
	CauseSwitch Cause = "switch"
	// CausePresented is a plan that was presented with exit_plan_mode.
	CausePresented Cause = "presented"
	// CauseAnswer is an answer to a review, or what took the place of one: a time limit,
	// or the program that had to end the review.
	CauseAnswer Cause = "answer"
	// CauseDetached means that the call of a review stopped waiting: it has its result,
	// its turn is over, or its reviewer cannot wait.
	CauseDetached Cause = "detached"
)

// Changes yields what [PlanMode.Watch] yields, and ends where the agent's log ends. An
// error is yielded last.
func (p *PlanMode) Changes(ctx context.Context, agent Agent, from int64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		log, err := logOf(agent)
		if err != nil {
			yield(Change{}, fmt.Errorf("read plan mode changes: %w", err))
			return
		}
		tip, err := log.Tip(ctx)
		if err == nil && from == session.Any {
			from = tip
		}
		if err == nil && (from < 0 || from > tip) {
			err = fmt.Errorf("position %d of %d: %w", from, tip, session.ErrPosition)
		}
		if err != nil {
			yield(Change{}, fmt.Errorf("read plan mode changes of session %s: %w", log.ID(), err))
			return
		}
		known := history{session: log.ID()}
		for e, err := range log.Read(ctx, 0) {
			if err != nil {
				yield(Change{}, fmt.Errorf("read plan mode changes of session %s: %w", log.ID(), err))
				return
			}
			for _, c := range known.add(e) {
				if c.Position > from && !yield(c, nil) {
					return
				}
			}
		}
	}
}
