package planmode_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// busySession returns n events of a session in which plan mode changes all the time, the
// last of them a switch.
func busySession(n int) []session.Event {
	out := make([]session.Event, 0, n)
	for i := 0; len(out) < n-1; i++ {
		review, call := fmt.Sprint("r", i), fmt.Sprint("c", i)
		for _, e := range []session.Event{
			session.TurnStart(int64(i + 1)), header(), event("assistant/chunk", `{"turn":1}`),
			event("plan/select", `{"active":true,"by":"user"}`), mode(true),
			exitCall(call),
			event("plan/review", fmt.Sprintf(`{"id":%q,"callId":%q,"revision":%d,"state":"open","plan":"# Plan","sha256":"h"}`, review, call, i+1)),
			event("plan/review", fmt.Sprintf(`{"id":%q,"state":"approved","sha256":"h","by":"user","awaited":true}`, review)),
			exitResult(call, planmode.Result{Content: "yes"}),
			mode(false),
			session.TurnEnd(int64(i+1), session.TurnCompleted),
		} {
			if len(out) < n-1 {
				out = append(out, e)
			}
		}
	}
	return append(out, mode(!planmode.FoldPlanMode(out)))
}

// wantSame fails unless a subscriber got what all have to get.
func wantSame(t *testing.T, name string, got, want []planmode.Change) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i].Position != want[i].Position || got[i].Index != want[i].Index {
			t.Fatalf("%s: change %d is %s, want %s", name, i, told(got[i]), told(want[i]))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s got %d changes, want %d", name, len(got), len(want))
	}
}

// TestWatchThousand has a thousand subscribers on one session, of which some come late,
// some sleep and some leave, while it grows. Nothing is lost, doubled or out of order, and
// those who sleep hold no queue of their own.
func TestWatchThousand(t *testing.T) {
	const subscribers, total = 1000, 12_000
	ctx := t.Context()
	all := busySession(total)
	log := newLog(all[:total/3]...)
	p, a := newPlanMode(t, nil), agentOn(log)
	want := watchTo(ctx, t, newPlanMode(t, nil), newAgent(all...), 0, total)
	after := func(from int64) []planmode.Change {
		for i, c := range want {
			if c.Position > from {
				return want[i:]
			}
		}
		return nil
	}

	var before, asleep runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	wake := make(chan struct{})
	var sleeping, done sync.WaitGroup
	for n := range subscribers {
		from := int64(n*7) % (total / 3)
		sleeps := n%4 == 0
		if sleeps {
			sleeping.Add(1)
		}
		done.Go(func() {
			rest := after(from)
			nap := n % len(rest)
			seen := 0
			for c, err := range p.Watch(ctx, a, from) {
				switch {
				case err != nil:
					t.Errorf("subscriber %d: %v", n, err)
					return
				case c.Position != rest[seen].Position || c.Index != rest[seen].Index || c.Kind != rest[seen].Kind:
					t.Errorf("subscriber %d from %d: change %d is %s, want %s", n, from, seen, told(c), told(rest[seen]))
					return
				}
				if sleeps && seen == nap {
					sleeping.Done()
					<-wake
				}
				if seen++; seen == len(rest) || n%10 == 9 && seen == 100 {
					return
				}
			}
		})
	}
	for i := total / 3; i < total; i += 50 {
		add(t, a, all[i:min(i+50, total)]...)
	}
	sleeping.Wait()
	runtime.GC()
	runtime.ReadMemStats(&asleep)
	// A queue for each who sleeps would hold more than a gigabyte.
	if grown := int64(asleep.HeapAlloc) - int64(before.HeapAlloc); grown > 128<<20 {
		t.Errorf("%d subscribers, of which a quarter sleep, take up %d MB", subscribers, grown>>20)
	}
	close(wake)
	done.Wait()
}

// TestWatchSuffix holds that whoever starts somewhere gets what one from the start gets
// from there on.
func TestWatchSuffix(t *testing.T) {
	const total = 700
	all := busySession(total)
	a := newAgent(all...)
	want := watchTo(t.Context(), t, newPlanMode(t, nil), a, 0, total)
	p := newPlanMode(t, nil)
	for from := int64(total - 1); from >= 0; from -= 7 {
		rest := want
		for len(rest) > 0 && rest[0].Position <= from {
			rest = rest[1:]
		}
		wantSame(t, fmt.Sprint("a subscriber from ", from), watchTo(t.Context(), t, p, a, from, total), rest)
	}
}

// countedLog counts what is asked of a log.
type countedLog struct {
	*session.MemoryLog
	watches, asked atomic.Int64
	watching       atomic.Int64 // the iterators of Watch that run
}

func (l *countedLog) Watch(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	l.watches.Add(1)
	return func(yield func(session.Event, error) bool) {
		l.watching.Add(1)
		defer l.watching.Add(-1)
		l.MemoryLog.Watch(ctx, from)(yield)
	}
}

func (l *countedLog) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	l.asked.Add(1)
	return l.MemoryLog.Read(ctx, from)
}

func (l *countedLog) Tip(ctx context.Context) (int64, error) {
	l.asked.Add(1)
	return l.MemoryLog.Tip(ctx)
}

// asleep has n subscribers sleep over their first change, and returns what ends them.
func asleep(t testing.TB, p *planmode.PlanMode, a planmode.Agent, n int) (leave func()) {
	t.Helper()
	wake := make(chan struct{})
	var sleeping, done sync.WaitGroup
	sleeping.Add(n)
	for range n {
		done.Go(func() {
			for _, err := range p.Watch(context.Background(), a, 0) {
				if err != nil {
					t.Error(err)
				}
				sleeping.Done()
				<-wake
				return
			}
		})
	}
	sleeping.Wait()
	return func() {
		close(wake)
		done.Wait()
	}
}

// TestWatchCostsNoWriter holds that a thousand subscribers that sleep are one watch of the
// log, and that a Set asks the log no more than with one.
func TestWatchCostsNoWriter(t *testing.T) {
	const sets = 200
	for _, n := range []int{1, 1000} {
		log := &countedLog{MemoryLog: newLog(mode(true))}
		p, a := newPlanMode(t, nil), agentOn(log)
		leave := asleep(t, p, a, n)
		before := log.asked.Load()
		for i := range sets {
			set(t, p, a, i%2 == 1)
		}
		// The feed may look at each Set, two or three times.
		if asked := log.asked.Load() - before; asked > 8*sets {
			t.Errorf("with %d subscribers that sleep %d Sets ask the log %d times", n, sets, asked)
		}
		if watches := log.watches.Load(); watches > 1 {
			t.Errorf("%d subscribers watch the log %d times", n, watches)
		}
		leave()
	}
}

// TestWatchLeaves holds that nothing watches a log any more when its subscribers have left,
// whichever way, and that others may come after them.
func TestWatchLeaves(t *testing.T) {
	log := &countedLog{MemoryLog: newLog(mode(true))}
	p, a := newPlanMode(t, nil), agentOn(log)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for range 10 {
			waiting.Go(func() {
				for _, err := range p.Watch(ctx, a, session.Any) {
					if !errors.Is(err, context.Canceled) {
						t.Errorf("a subscriber gets %v", err)
					}
				}
			})
		}
		asleep(t, p, a, 10)()
		cancel()
		waiting.Wait()
		for deadline := time.Now().Add(time.Minute); log.watching.Load() > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the log is still watched")
			}
		}
	}
}

// TestWatchManySessions holds that changes tell their session, and a review its agent.
func TestWatchManySessions(t *testing.T) {
	ctx := t.Context()
	p := newPlanMode(t, nil)
	changes := make(chan planmode.Change)
	for _, id := range []string{"a", "b"} {
		log := session.NewMemoryLog(id)
		a := agentOn(log)
		set(t, p, a, true)
		go func() {
			for c, err := range p.Watch(ctx, a, 1) {
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
				select {
				case changes <- c:
				case <-ctx.Done():
				}
			}
		}()
	}
	got := map[string]planmode.ChangeKind{}
	for range 2 {
		c := <-changes
		got[c.Session] = c.Kind
	}
	if diff := cmp.Diff(map[string]planmode.ChangeKind{"a": planmode.ChangeMode, "b": planmode.ChangeMode}, got); diff != "" {
		t.Error(diff)
	}
}
