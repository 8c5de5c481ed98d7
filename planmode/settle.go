package planmode

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// Settle answers the open review of that id in the name of the user, from any process
// that has the log. The first answer wins: for a review that has its outcome the error
// is a [*SettledError] that tells it. A verdict whose SHA256 is missing or another than
// that of the plan, whose decision is unknown or cannot be had here, whose edited plan
// breaks a rule for plans, whose comments are about lines that the plan does not have, or
// whose words are not UTF-8, is refused with an error and the review stays open. An id that no review has gives
// [ErrNoReview]. An approval that [Options.Veto] refuses is a [*VetoError], and the review
// stays open as well.
//
// When Settle returns nil the answer is in the log. A call that waits for it returns it;
// otherwise the next step boundary tells the model. Settle starts no turn: with none
// open, an approval or Leave brings the default mode into force at once.
//
// With ApproveFresh it also makes the new session. If that fails the error is a
// [*HandoffError]: the approval is in the log, and [PlanMode.ResumeHandoff] or the next
// step boundary does the rest.
func (p *PlanMode) Settle(ctx context.Context, agent Agent, id string, v Verdict) error {
	asked := false
	for attempt := 0; ; attempt++ {
		log, now, err := p.read(ctx, agent)
		if err != nil {
			return fmt.Errorf("settle review %s: %w", id, err)
		}
		if how, ended := now.outcomeOf(id); ended {
			return &SettledError{ID: id, State: how.State}
		}
		review := now.openReview()
		if review == nil || review.ID != id {
			return fmt.Errorf("settle review %q: %w", id, ErrNoReview)
		}
		how, err := p.judge(v, review)
		if err != nil {
			return fmt.Errorf("settle review %s: %w", id, err)
		}
		how.By = ByUser
		if !asked {
			if err := p.answerVetoed(ctx, agent, &now.Folded, &how); err != nil {
				return fmt.Errorf("settle review %s: %w", id, err)
			}
			asked = true
		}
		events := settlement(&now.Folded, log.ID(), how, !now.TurnOpen)
		landed, err := p.write(ctx, log, now.pos, events...)
		if err == nil || landed > 0 {
			// The settlement is the first of the events. What is missing of the rest
			// the next boundary writes.
			return p.afterSettled(ctx, log, id, how.Decision, !now.TurnOpen)
		}
		if !errors.Is(err, session.ErrConflict) {
			return fmt.Errorf("settle review %s: %w", id, err)
		}
		if err := pause(ctx, attempt); err != nil {
			return fmt.Errorf("settle review %s: others kept appending: %w", id, err)
		}
	}
}

// afterSettled does what is due beyond the record of the decision on a review. With
// commit a hand-off is completed; otherwise that is left to the next step boundary. The
// error is a [*HandoffError].
func (p *PlanMode) afterSettled(ctx context.Context, log session.Log, id string, d Decision, commit bool) error {
	if d != ApproveFresh {
		return nil
	}
	_, err := p.advance(ctx, log, commit)
	if err != nil {
		h := Handoff{ReviewID: id, Session: handoffSession(log.ID(), id)}
		return h.failed(err)
	}
	return nil
}
