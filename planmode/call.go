package planmode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// lastWord is how long a reviewer has to return the answer it may hold when its context
// ends.
const lastWord = time.Second

// call is a call of exit_plan_mode that waits for the answer to its review.
type call struct {
	p      *PlanMode
	agent  Agent
	review Review
}

// answer is what a reviewer returned.
type answer struct {
	verdict Verdict
	err     error
	by      Actor
}

// await asks the reviewer and returns the result of the call. Whatever comes first into
// the log is the outcome: the reviewer's answer, one by Settle, the user leaving plan
// mode, the time limit, or the end of the call.
func (c *call) await(ctx context.Context) Result {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	recording, done := c.p.lingering(ctx)
	defer done()
	answers := c.ask(asking)
	changes := follow(asking, c.agent.Log())
	var expired <-chan time.Time
	if limit := c.p.opts.ReviewTimeout; limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	var again <-chan time.Time // for a log that could not be read
	for {
		select {
		case a := <-answers:
			return c.answered(ctx, recording, a)
		case <-changes:
		case <-again:
		case <-expired:
			select {
			case a := <-answers:
				return c.answered(ctx, recording, a)
			default:
				return c.settle(recording, Settlement{State: ReviewExpired, By: ByPolicy})
			}
		case <-ctx.Done():
			return c.abort(ctx, recording, stop, answers)
		case <-c.p.closing:
			return c.abort(ctx, recording, stop, answers)
		}
		how, ended, err := c.outcome(recording)
		if ended {
			return c.result(how)
		}
		again = nil
		if err != nil {
			again = time.After(longestPoll)
		}
	}
}

// ask runs the reviewer. Its panic counts as an error: it runs on a goroutine of ours,
// where nobody else can recover it.
func (c *call) ask(ctx context.Context) <-chan answer {
	reviewer := c.p.reviewer()
	answers := make(chan answer, 1)
	go func() {
		a := answer{by: ByUser}
		defer func() {
			if fault := recover(); fault != nil {
				a = answer{err: fmt.Errorf("reviewer panicked: %v", fault)}
			}
			answers <- a
		}()
		if policy, ok := reviewer.(PolicyReviewer); ok && policy.ReviewsByPolicy() {
			a.by = ByPolicy
		}
		a.verdict, a.err = reviewer.Review(ctx, c.agent, c.review)
	}()
	return answers
}

// abort ends the review because the call or plan mode ends, unless the reviewer has an
// answer.
func (c *call) abort(ctx, recording context.Context, stop func(), answers <-chan answer) Result {
	stop()
	timer := time.NewTimer(lastWord)
	defer timer.Stop()
	select {
	case a := <-answers:
		return c.answered(ctx, recording, a)
	case <-timer.C:
	}
	select {
	case a := <-answers:
		return c.answered(ctx, recording, a)
	default:
		return c.settle(recording, Settlement{State: ReviewAborted, By: ByHost})
	}
}

// answered records what the reviewer returned. ctx is the context of the call, which may
// have ended; recording outlasts it.
func (c *call) answered(ctx, recording context.Context, a answer) Result {
	over := ctx.Err() != nil || c.p.isClosed()
	switch {
	case errors.Is(a.err, ErrReviewPending):
		return c.detach(recording, refusedParked, c.review.Revision)
	case errors.Is(a.err, ErrDismissed):
		return c.settle(recording, Settlement{State: ReviewDismissed, Decision: Dismiss, By: a.by})
	case over && (errors.Is(a.err, context.Canceled) || errors.Is(a.err, context.DeadlineExceeded)):
		return c.settle(recording, Settlement{State: ReviewAborted, By: ByHost})
	case a.err != nil:
		return c.fail(recording, a.err)
	}
	how, err := c.p.judge(a.verdict, &c.review)
	if err != nil {
		return c.fail(recording, err)
	}
	how.By = a.by
	return c.settle(recording, how)
}

// fail ends the review because the reviewer gave no answer, and tells why if nothing
// else came first.
func (c *call) fail(ctx context.Context, cause error) Result {
	how, err := c.record(ctx, Settlement{State: ReviewAborted, By: ByHost})
	if err == nil && how.State != ReviewAborted {
		return c.result(how)
	}
	return refuse(refusedReviewerError, cause)
}

// settle records how the review ended, unless it has, and returns the result of what
// stands.
func (c *call) settle(ctx context.Context, how Settlement) Result {
	stands, err := c.record(ctx, how)
	var veto *VetoError
	switch {
	case errors.As(err, &veto):
		return c.detach(ctx, refusedVetoAnswer, veto.Reason)
	case err != nil:
		return refuse(refusedNotRecorded, err)
	}
	return c.result(stands)
}

// record settles the review and returns the settlement that stands in the log.
func (c *call) record(ctx context.Context, how Settlement) (Settlement, error) {
	stands, err := c.tryRecord(ctx, how)
	var veto *VetoError
	if err != nil && !errors.As(err, &veto) {
		c.p.noteClosing(err)
	}
	return stands, err
}

func (c *call) tryRecord(ctx context.Context, how Settlement) (Settlement, error) {
	asked := false
	for attempt := 0; ; attempt++ {
		log, v, err := c.p.read(ctx, c.agent)
		if err != nil {
			return Settlement{}, err
		}
		if stands, ended := v.outcomeOf(c.review.ID); ended {
			return stands, nil
		}
		if open := v.openReview(); open == nil || open.ID != c.review.ID {
			return Settlement{}, fmt.Errorf("review %s: %w", c.review.ID, ErrNoReview)
		}
		if !asked {
			if err := c.p.answerVetoed(ctx, c.agent, &v.Folded, &how); err != nil {
				return Settlement{}, err
			}
			asked = true
		}
		// The call runs within a step, so the next boundary brings an approval into
		// force; only where its turn has ended none may come.
		commit := !v.TurnOpen && v.Review.State == ReviewParked
		landed, err := c.p.write(ctx, log, v.pos, settlement(&v.Folded, log.ID(), how, commit)...)
		if err == nil || landed > 0 {
			if err := c.p.afterSettled(ctx, log, c.review.ID, how.Decision, commit); err != nil {
				c.p.warn(ctx, c.agent, "hand-off not completed", slog.String(logReview, c.review.ID),
					slog.Int(logRevision, c.review.Revision), slog.Any(logError, err))
			}
			return how, nil
		}
		if errors.Is(err, session.ErrConflict) {
			err = pause(ctx, attempt)
		}
		if err != nil {
			return Settlement{}, err
		}
	}
}

// detach records that nobody waits for the answer, and refuses the call with a text. Where
// the answer is there the call returns that.
func (c *call) detach(ctx context.Context, id textID, args ...any) Result {
	for attempt := 0; ; attempt++ {
		log, v, err := c.p.read(ctx, c.agent)
		if err != nil {
			break
		}
		if how, ended := v.outcomeOf(c.review.ID); ended {
			return c.result(how)
		}
		if open := v.openReview(); open == nil || open.State == ReviewParked {
			break
		}
		_, err = c.p.write(ctx, log, v.pos, reviewEvent(ReviewEvent{ID: c.review.ID, State: stateParked}))
		if !errors.Is(err, session.ErrConflict) || pause(ctx, attempt) != nil {
			break
		}
	}
	// Where the record could not be written, the result of this call parks the review.
	return refuse(id, args...)
}

// outcome returns how the review ended, if it has.
func (c *call) outcome(ctx context.Context) (how Settlement, ended bool, err error) {
	_, v, err := c.p.read(ctx, c.agent)
	if err != nil {
		return Settlement{}, false, err
	}
	how, ended = v.outcomeOf(c.review.ID)
	return how, ended, nil
}

// result returns what the model is told of the outcome.
func (c *call) result(how Settlement) Result {
	return outcomeResult(how, c.review.Plan)
}
