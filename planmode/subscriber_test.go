package planmode

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// flakyLog is a log that cannot be read once.
type flakyLog struct {
	session.Log
	failing atomic.Bool
	failed  chan struct{}
}

func (l *flakyLog) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	if !l.failing.CompareAndSwap(true, false) {
		return l.Log.Read(ctx, from)
	}
	close(l.failed)
	return func(yield func(session.Event, error) bool) { yield(session.Event{}, errors.New("not now")) }
}

// TestFeedGoesOn holds that those who wait are woken although the log could not be read
// when the feed began.
func TestFeedGoesOn(t *testing.T) {
	ctx := t.Context()
	log := &flakyLog{Log: session.NewMemoryLog("s"), failed: make(chan struct{})}
	log.failing.Store(true)
	feed := newFeed(log)
	defer feed.stop()
	<-log.failed
	for i := range 3 {
		rang := feed.bell.listen()
		if _, err := log.Append(ctx, session.Any, modeEvent(i%2 == 0)); err != nil {
			t.Fatal(err)
		}
		select {
		case <-rang:
		case <-time.After(20 * time.Second):
			t.Fatal("nobody is woken")
		}
	}
}

// swappedLog is a log that another takes the place of.
type swappedLog struct{ session.Log }

// TestSubscriberMissesNothingBeforeIt has a subscriber that saw nothing yet wait at a
// position. When the log is taken back and a change comes before that position, which it
// would never get, it is told.
func TestSubscriberMissesNothingBeforeIt(t *testing.T) {
	ctx := t.Context()
	step := session.StepStart(1, 1)
	logOf := func(events ...session.Event) *session.MemoryLog {
		log := session.NewMemoryLog("s")
		if _, err := log.Append(ctx, 0, events...); err != nil {
			t.Fatal(err)
		}
		return log
	}
	for name, test := range map[string]struct {
		instead []session.Event
		gone    bool
	}{
		"a change before it":  {[]session.Event{step, modeEvent(true), step, step}, true},
		"a change after it":   {[]session.Event{step, step, step, modeEvent(true)}, false},
		"the log ends before": {[]session.Event{step}, true},
		"nothing":             {[]session.Event{step, step, step, step}, false},
	} {
		t.Run(name, func(t *testing.T) {
			log := &swappedLog{logOf(step, session.StepEnd(1, 1), step)}
			feed := newFeed(log)
			defer feed.stop()
			s := &subscriber{feed: feed, from: 3}
			yield := func(Change, error) bool { return true }
			if err := s.start(ctx); err != nil {
				t.Fatal(err)
			}
			// It comes to the end of the log, where it would wait.
			for s.at.end < 3 {
				if _, err := s.pass(yield); err != nil {
					t.Fatal(err)
				}
				if err := s.move(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.pass(yield); err != nil {
				t.Fatal(err)
			}
			if err := feed.lock(ctx); err != nil {
				t.Fatal(err)
			}
			log.Log = logOf(test.instead...)
			feed.unlock()
			err := s.move(ctx)
			for err == nil && s.at.end < 4 {
				if _, err = s.pass(yield); err == nil {
					err = s.move(ctx)
				}
			}
			if err == nil {
				_, err = s.pass(yield)
			}
			if gone := errors.Is(err, session.ErrPosition); gone != test.gone || err != nil && !gone {
				t.Errorf("the subscriber gets %v, want to be told: %v", err, test.gone)
			}
		})
	}
}
