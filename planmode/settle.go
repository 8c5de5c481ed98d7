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
// that of the plan, or whose decision is unknown, is refused with an error and the
// review stays open. An id that no review has gives [ErrNoReview].
//
// When Settle returns nil the answer is in the log. A call that waits for it returns it;
// otherwise the next step boundary tells the model. Settle starts no turn: with none
// open, an approval brings the default mode into force at once.
func (p *PlanMode) Settle(ctx context.Context, agent Agent, id string, v Verdict) error {
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
		state, err := v.state(review.SHA256)
		if err != nil {
			return fmt.Errorf("settle review %s: %w", id, err)
		}
		events := settlement(&now.Folded, Settlement{State: state, Feedback: v.Feedback, By: ByUser}, !now.TurnOpen)
		landed, err := p.write(ctx, log, now.pos, events...)
		if err == nil || landed > 0 {
			// The settlement is the first of the events. What is missing of the rest
			// the next boundary writes.
			return nil
		}
		if !errors.Is(err, session.ErrConflict) {
			return fmt.Errorf("settle review %s: %w", id, err)
		}
		if err := pause(ctx, attempt); err != nil {
			return fmt.Errorf("settle review %s: others kept appending: %w", id, err)
		}
	}
}

// settlement returns the events that settle the open review of s. With commit an
// approval takes force at once.
func settlement(s *Folded, how Settlement, commit bool) []session.Event {
	awaited := s.Review.State == ReviewWaiting
	events := []session.Event{reviewEvent(ReviewEvent{
		ID:       s.Review.ID,
		State:    string(how.State),
		SHA256:   s.Review.SHA256,
		Feedback: how.Feedback,
		By:       how.By,
		Awaited:  &awaited,
	})}
	if commit && how.State == ReviewApproved && s.Active {
		events = append(events, modeEvent(false))
	}
	return events
}
