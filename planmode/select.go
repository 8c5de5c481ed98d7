package planmode

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// Set implements [Service].
func (p *PlanMode) Set(ctx context.Context, agent Agent, active bool) (Outcome, error) {
	outcome, _, err := p.choose(ctx, agent, active)
	return outcome, err
}

// choose is Set; it returns also what it decided on.
func (p *PlanMode) choose(ctx context.Context, agent Agent, active bool) (Outcome, Folded, error) {
	var asked Outcome // what Veto was asked about
	for attempt := 0; ; attempt++ {
		log, v, err := p.read(ctx, agent)
		if err != nil {
			return "", Folded{}, fmt.Errorf("set plan mode: %w", err)
		}
		outcome, events := selection(&v.Folded, active)
		if len(events) == 0 {
			return outcome, v.Folded, nil
		}
		if outcome != asked {
			if err := p.selectionVetoed(ctx, agent, &v.Folded, active); err != nil {
				return "", Folded{}, fmt.Errorf("set plan mode: %w", err)
			}
			asked = outcome
		}
		_, err = p.write(ctx, log, v.pos, events...)
		if err == nil {
			return outcome, v.Folded, nil
		}
		if !errors.Is(err, session.ErrConflict) {
			return "", Folded{}, fmt.Errorf("set plan mode: %w", err)
		}
		if err := pause(ctx, attempt); err != nil {
			return "", Folded{}, fmt.Errorf("set plan mode of session %s: others kept appending: %w", log.ID(), err)
		}
	}
}

// selection decides what a selection by the user comes to and what it writes.
func selection(s *Folded, active bool) (Outcome, []session.Event) {
	switch {
	case active == s.target():
		return Noop, nil
	case active == s.Active:
		return Cancelled, []session.Event{selectEvent(active)}
	case s.TurnOpen:
		return Queued, []session.Event{selectEvent(active)}
	}
	return Committed, []session.Event{selectEvent(active), modeEvent(active)}
}
