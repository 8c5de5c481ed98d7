package planmode

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
		case <-time.After(time.Minute):
			t.Fatal("nobody is woken")
		}
	}
}

// lateLog is a log whose watches begin when begin is closed.
type lateLog struct {
	mu    sync.Mutex
	log   *session.MemoryLog
	begin chan struct{}
}

func (l *lateLog) now() *session.MemoryLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log
}

func (l *lateLog) ID() string                             { return "s" }
func (l *lateLog) Tip(ctx context.Context) (int64, error) { return l.now().Tip(ctx) }
func (l *lateLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	return l.now().Append(ctx, expect, events...)
}
func (l *lateLog) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	return l.now().Read(ctx, from)
}
func (l *lateLog) Watch(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	<-l.begin
	return l.now().Watch(ctx, from)
}

// TestFollowSeesWhatWasTakenBackBefore has a log take events back after it was asked for
// its tip and before it is watched. Whoever saw them hears of it.
func TestFollowSeesWhatWasTakenBackBefore(t *testing.T) {
	step := session.StepStart(1, 1)
	for name, instead := range map[string][]session.Event{
		"nothing is left":      nil,
		"the last is gone":     {step},
		"another is there":     {step, step},
		"more are there":       {step, step, step, step},
		"a change is the last": {step, step, modeEvent(true)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &lateLog{log: memoryLog(t, step, modeEvent(true)), begin: make(chan struct{})}
				feed := newFeed(log)
				defer feed.stop()
				gone := make(chan error, 1)
				go func() {
					s := &subscriber{feed: feed}
					goOn, err := s.run(t.Context(), func(Change, error) bool { return true })
					if !goOn {
						err = errors.New("the subscriber stopped")
					}
					gone <- err
				}()
				synctest.Wait()
				log.mu.Lock()
				log.log = memoryLog(t, instead...)
				log.mu.Unlock()
				close(log.begin)
				if err := <-gone; !errors.Is(err, session.ErrPosition) {
					t.Errorf("the subscriber gets %v", err)
				}
			})
		})
	}
}

func memoryLog(t *testing.T, events ...session.Event) *session.MemoryLog {
	t.Helper()
	log := session.NewMemoryLog("s")
	if _, err := log.Append(t.Context(), 0, events...); err != nil {
		t.Fatal(err)
	}
	return log
}

// swappedLog is a log that another takes the place of.
type swappedLog struct{ session.Log }

// TestSubscriberMissesNothingBeforeIt has a subscriber that saw nothing yet wait at a
// position. When the log is taken back and a change comes before that position, which it
// would never get, it is told.
func TestSubscriberMissesNothingBeforeIt(t *testing.T) {
	ctx := t.Context()
	step := session.StepStart(1, 1)
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
			log := &swappedLog{memoryLog(t, step, session.StepEnd(1, 1), step)}
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
			log.Log = memoryLog(t, test.instead...)
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
