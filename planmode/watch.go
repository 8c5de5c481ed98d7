package planmode

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/agentplan/sdk/planmode/session"
)

// Watch yields the changes of plan mode that events after position from of the agent's log
// made, and then each further one once its event is in the log, whoever appended it: the
// switches that were committed, the selections that wait, and what becomes of reviews. They
// come in the order of the log, each of them once. From 0 they are all changes of the
// session; with session.Any they are those to come. Whoever starts later at a position
// gets exactly what one who started at 0 gets from there on.
//
// To go on after a change c, watch from c.Position. If the changes of one event must not
// be cut apart, because what the last one led to was not kept, watch from c.Position-1 and
// pass over the changes whose Position is c.Position and whose Index is not above c.Index.
//
// Any number of subscribers may watch a session. The log is the queue: one who is slow
// loses nothing, keeps nobody waiting and takes up no more memory than one who is not, and
// nothing is done for a subscriber when something is logged but to wake those that wait.
//
// It ends with an error, which is yielded last: that of the context; one that wraps
// session.ErrPosition if the log has no such position, or if a change that was passed was
// taken back, after which a subscriber starts anew; or that of a log which cannot be read.
// An event that is malformed makes no change. [PlanMode.Close] does not end it.
func (p *PlanMode) Watch(ctx context.Context, agent Agent, from int64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		log, err := logOf(agent)
		if err != nil {
			yield(Change{}, fmt.Errorf("watch plan mode: %w", err))
			return
		}
		feed, leave := p.feeds.join(log)
		defer leave()
		s := &subscriber{feed: feed, from: from}
		if goOn, err := s.run(ctx, yield); goOn {
			yield(Change{}, fmt.Errorf("watch plan mode of session %s: %w", log.ID(), err))
		}
	}
}

// subscriber is one run of [PlanMode.Watch].
type subscriber struct {
	feed *feed
	from int64

	at     *stretch // the part of the log that the subscriber is in
	passed int      // how many of its changes lie behind
	begun  bool     // all up to from lies behind
}

// run yields changes until yield returns false, or an error comes up with goOn.
func (s *subscriber) run(ctx context.Context, yield func(Change, error) bool) (goOn bool, err error) {
	if err := s.start(ctx); err != nil {
		return true, err
	}
	for {
		if goOn, err := s.pass(yield); !goOn || err != nil {
			return goOn, err
		}
		if err := s.move(ctx); err != nil {
			return true, err
		}
	}
}

// start finds where to begin.
func (s *subscriber) start(ctx context.Context) error {
	tip, err := s.feed.log.Tip(ctx)
	if err != nil {
		return err
	}
	if s.from == session.Any {
		s.from = tip
	}
	if s.from < 0 || s.from > tip {
		return fmt.Errorf("position %d of %d: %w", s.from, tip, session.ErrPosition)
	}
	s.at, err = s.feed.before(ctx, s.from)
	if err == nil {
		s.passed = len(s.at.changes)
	}
	return err
}

// pass yields the changes of the stretch that lie ahead.
func (s *subscriber) pass(yield func(Change, error) bool) (goOn bool, err error) {
	for ; s.passed < len(s.at.changes); s.passed++ {
		c := &s.at.changes[s.passed]
		switch {
		case c.Position > s.from:
			s.begun = true
			if !yield(c.Change, nil) {
				return false, nil
			}
		case s.begun:
			return true, errGone(c.Position)
		}
	}
	s.begun = s.begun || s.at.end >= s.from
	return true, nil
}

// errGone reports that a change up to the position was passed and is no longer in the log.
func errGone(position int64) error {
	return fmt.Errorf("position %d: %w: events were taken back", position, session.ErrPosition)
}

// move goes on to the next stretch of the log, and waits until there is one.
func (s *subscriber) move(ctx context.Context) error {
	for restarts := 0; ; {
		grown := s.feed.bell.listen()
		next, err := s.feed.next(ctx, s.at)
		switch {
		case errors.Is(err, errChanged) && restarts < maxRestarts:
			restarts++
			if err := s.restart(ctx); !errors.Is(err, errChanged) {
				return err
			}
			continue
		case err != nil:
			return err
		case next != nil:
			s.at, s.passed = next, 0
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-grown:
		}
	}
}

// restart finds the place of the subscriber in a log that has taken events back. It fails
// with session.ErrPosition if the changes that lie behind are no longer those of the log.
func (s *subscriber) restart(ctx context.Context) error {
	tip, err := s.feed.log.Tip(ctx)
	if err != nil {
		return err
	}
	if tip < s.from {
		return errGone(s.from)
	}
	at, err := s.feed.before(ctx, 0)
	if err != nil {
		return err
	}
	count, sum := 0, uint64(0)
	if s.begun {
		count, sum = s.at.mark(s.passed)
	}
	for at.count+len(at.changes) < count {
		next, err := s.feed.next(ctx, at)
		if err != nil {
			return err
		}
		if next == nil {
			return errGone(at.end)
		}
		at = next
	}
	passed := count - at.count
	if _, now := at.mark(passed); now != sum {
		return errGone(at.end)
	}
	s.at, s.passed = at, passed
	return nil
}
