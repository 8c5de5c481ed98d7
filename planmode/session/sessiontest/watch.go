package sessiontest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode/session"
)

// patience is how long the suite waits for what must come; it fails no sooner.
const patience = 2 * time.Minute

func watcher(t *testing.T, log session.Log) session.Watcher {
	t.Helper()
	w, ok := log.(session.Watcher)
	if !ok {
		t.Skip("the log is no session.Watcher")
	}
	return w
}

func testWatch(t *testing.T, log session.Log) {
	w := watcher(t, log)
	appendTo(t, log, 0, modes(0, 3)...)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	const total = 40
	late := make(chan []session.Event, 1)
	caughtUp := make(chan struct{})
	go func() {
		var got []session.Event
		for e, err := range w.Watch(ctx, 1) {
			if err != nil {
				t.Errorf("Watch: %v", err)
				break
			}
			if got = append(got, e); len(got) == 2 {
				close(caughtUp)
			}
			if len(got) == total-1 {
				break
			}
		}
		late <- got
	}()
	select {
	case <-caughtUp:
	case <-ctx.Done():
		t.Fatal("Watch does not yield the events that stand in the log")
	}
	for n := 3; n < total; n++ {
		appendTo(t, log, session.Any, mode(n))
	}
	got := <-late
	if diff := cmp.Diff(payloads(modes(1, total)), payloads(got)); diff != "" {
		t.Errorf("watched events differ (-want +got):\n%s", diff)
	}
	for i, e := range got {
		if e.Seq != uint64(i)+1 {
			t.Errorf("watched event %d has seq %d", i, e.Seq)
		}
	}
}

func testWatchEnds(t *testing.T, log session.Log) {
	w := watcher(t, log)
	appendTo(t, log, 0, mode(0))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var end error
	n := 0
	for _, err := range w.Watch(ctx, 0) {
		if end != nil {
			t.Fatal("Watch goes on after an error")
		}
		if end = err; err == nil {
			n++
			cancel()
		}
	}
	if n != 1 || !errors.Is(end, context.Canceled) {
		t.Errorf("a cancelled Watch yields %d events and error %v, want 1 and the context's", n, end)
	}
}

func testWatchBadPosition(t *testing.T, log session.Log) {
	w := watcher(t, log)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, from := range []int64{-1, 1} {
		var end error
		for _, err := range w.Watch(ctx, from) {
			end = err
		}
		if !errors.Is(end, session.ErrPosition) {
			t.Errorf("Watch from %d of 0 ends with %v, want ErrPosition", from, end)
		}
	}
}
