package planmode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/agentplan/sdk/planmode/session"
)

// BeforeStep is the step boundary: a host runs it before it derives each request, the
// first of a turn, each later one and each repetition after an error, and before every
// other listener of its step hook. It brings the selection that waits into force, and
// writes one notice if the model was last told another state than the one in force or
// has to be told the answer to a review. Both are one append. A hand-off that is under
// way is completed first, and until that is done nothing is written.
//
// It never stands in the way of a turn. What goes wrong is logged as a warning, and the
// next boundary does what is left. It takes no longer than [Options.BoundaryTimeout],
// and does nothing under a context that has ended or after [PlanMode.Close]. Where there
// is nothing to do it writes nothing.
func (p *PlanMode) BeforeStep(ctx context.Context, agent Agent) {
	if p.isClosed() || ctx.Err() != nil {
		return
	}
	log, err := logOf(agent)
	if err != nil {
		p.warn(ctx, agent, "step boundary not applied", slog.Any(logError, err))
		return
	}
	cur := p.cursors.of(log)
	if v, ok := cur.peek(); ok && !v.due() {
		cur.steps.crossed(v.Active)
		return
	}
	limited, cancel := context.WithTimeout(ctx, p.opts.BoundaryTimeout)
	defer cancel()
	err = p.cross(limited, log, cur)
	if err != nil && ctx.Err() == nil && !p.isClosed() {
		p.warn(ctx, agent, "step boundary not applied", slog.Any(logError, err))
	}
}

// cross writes what is due at the boundary.
func (p *PlanMode) cross(ctx context.Context, log session.Log, cur *cursor) error {
	for attempt := 0; ; attempt++ {
		v, err := cur.read(ctx)
		if err != nil {
			return err
		}
		if !v.due() || p.isClosed() {
			cur.steps.crossed(v.Active)
			return nil
		}
		active, err := p.crossAt(ctx, log, v)
		if err == nil {
			cur.steps.crossed(active)
			return nil
		}
		if !errors.Is(err, session.ErrConflict) {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return fmt.Errorf("others kept appending: %w", err)
		}
	}
}

// crossAt writes at the end of the view what is due there, after it has gone on with the
// hand-off that is open, and returns the mode in force then. An error that is
// session.ErrConflict asks for another view.
func (p *PlanMode) crossAt(ctx context.Context, log session.Log, v view) (active bool, err error) {
	var handed []session.Event
	if v.openHandoff() != nil {
		if handed, err = p.handOver(ctx, log, v); err != nil {
			return v.Active, err
		}
	}
	events := boundary(v.Folded, handed...)
	// The next boundary finds what this one cannot read in its time, so that, other than
	// write, it does not look once that is over.
	_, err = log.Append(ctx, v.pos, events...)
	if err != nil {
		_, err = afterError(ctx, log, v.pos, events, err)
	}
	return modeAfter(v.Active, events), err
}

// due reports whether a boundary has something to write.
func (s *Folded) due() bool {
	return s.Pending != nil || s.toldWrong() || s.owes() || s.openHandoff() != nil
}

// exitEvents returns the exit that waits, if one does, followed by what is handed over.
func exitEvents(s *Folded, handed []session.Event) []session.Event {
	if s.Pending == nil || *s.Pending {
		return handed
	}
	return append([]session.Event{modeEvent(false)}, handed...)
}

// boundary decides what a step boundary writes: the mode, what is handed over and a
// notice. What is handed over goes with an exit, and before an entry, which would cancel
// it.
func boundary(s Folded, handed ...session.Event) []session.Event {
	var events []session.Event
	add := func(e session.Event) {
		if err := s.apply(e); err != nil {
			panic("planmode: fold an event of its own: " + err.Error())
		}
		events = append(events, e)
	}
	for _, e := range exitEvents(&s, handed) {
		add(e)
	}
	if s.Pending != nil {
		add(modeEvent(*s.Pending))
	}
	if s.due() {
		events = append(events, notice(&s))
	}
	return events
}
