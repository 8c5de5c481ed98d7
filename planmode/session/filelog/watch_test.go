package filelog

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// A watch sees what other processes append, told by the system or by polling.
func TestWatchAcrossProcesses(t *testing.T) {
	for _, how := range []string{"system", "polling"} {
		t.Run(how, func(t *testing.T) {
			store := newStore(t, t.TempDir(), &Options{PollInterval: time.Millisecond, Logger: discard()})
			log := mustCreate(t, store, "s")
			if how == "polling" {
				// A system watcher that is closed takes no directory.
				wake, cancel, err := store.hub.subscribe(t.TempDir())
				if err != nil || wake == nil {
					t.Fatal(err)
				}
				defer cancel()
				if err := store.hub.watcher.Close(); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			seen := make(chan session.Event)
			go func() {
				defer close(seen)
				for e, err := range log.Watch(ctx, 0) {
					if err != nil {
						if !errors.Is(err, context.Canceled) {
							t.Errorf("watch: %v", err)
						}
						return
					}
					seen <- e
				}
			}()
			for n := range 3 {
				j := startJob(t, "append", store.dir, "s", strconv.Itoa(n+1))
				if err := j.cmd.Wait(); err != nil {
					t.Fatal(err)
				}
				e, ok := <-seen
				if !ok {
					t.Fatal("the watch has ended")
				}
				if want := string(session.TurnStart(int64(n) + 1).Data); string(e.Data) != want || e.Seq != uint64(n) {
					t.Errorf("event %d is %d %s, want %s", n, e.Seq, e.Data, want)
				}
			}
			cancel()
			for e := range seen {
				t.Errorf("a further event: %+v", e)
			}
		})
	}
}

// The system watcher lives as long as there is a watch.
func TestHub(t *testing.T) {
	var h hub
	a, b := t.TempDir(), t.TempDir()
	_, stopA, err := h.subscribe(a)
	if err != nil {
		t.Fatal(err)
	}
	_, stopA2, err := h.subscribe(a)
	if err != nil {
		t.Fatal(err)
	}
	wakeB, stopB, err := h.subscribe(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.subscribe(b + "/missing"); err == nil {
		t.Error("a missing directory is watched")
	}
	stopA()
	stopA2()
	h.wake(h.watcher, b)
	<-wakeB
	h.wakeAll(h.watcher)
	<-wakeB
	if h.watcher == nil || len(h.dirs) != 1 {
		t.Errorf("with one watch left the hub has %d directories", len(h.dirs))
	}
	old := h.watcher
	stopB()
	if h.watcher != nil || len(h.dirs) != 0 {
		t.Error("without a watch the system watcher stays")
	}
	h.wake(old, b) // what is reported late reaches nobody
}

func TestWatchOfRemovedSession(t *testing.T) {
	store := newStore(t, t.TempDir(), nil)
	log := mustCreate(t, store, "s")
	if _, err := log.Append(t.Context(), 0, session.TurnStart(1)); err != nil {
		t.Fatal(err)
	}
	for _, err := range log.Watch(t.Context(), 0) {
		if err == nil {
			if err := os.RemoveAll(log.dir); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !errors.Is(err, session.ErrNotExist) {
			t.Errorf("watch of a removed session: %v, want ErrNotExist", err)
		}
	}
}
