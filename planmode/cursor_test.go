package planmode_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// unreadable is a log that cannot be read.
type unreadable struct{ session.Log }

func (unreadable) Read(context.Context, int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) { yield(session.Event{}, errDisk) }
}
func (unreadable) Tip(context.Context) (int64, error) { return 0, errDisk }

// shrinkingLog can take events back, as the recovery after a crashed write does.
type shrinkingLog struct {
	mu  sync.Mutex
	log *session.MemoryLog
	// rewinds counts how often events were taken back.
	rewinds uint64
	// reads counts the events that were read.
	reads int
}

func newShrinkingLog(events ...session.Event) *shrinkingLog {
	return &shrinkingLog{log: newLog(events...)}
}

func (l *shrinkingLog) current() *session.MemoryLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log
}

// replace keeps the first n events and puts others in the place of the rest. Whoever uses
// the log meanwhile sees it as it was or as it is then.
func (l *shrinkingLog) replace(t testing.TB, n int, others ...session.Event) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = newLog(append(events(t, l.log)[:n:n], others...)...)
	l.rewinds++
}

func (l *shrinkingLog) ID() string { return "s" }
func (l *shrinkingLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Append(ctx, expect, events...)
}
func (l *shrinkingLog) Tip(ctx context.Context) (int64, error) { return l.current().Tip(ctx) }
func (l *shrinkingLog) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		for e, err := range l.current().Read(ctx, from) {
			l.mu.Lock()
			l.reads++
			l.mu.Unlock()
			if !yield(e, err) {
				return
			}
		}
	}
}

// countingLog is a shrinkingLog that tells how often it took events back.
type countingLog struct{ *shrinkingLog }

func (l countingLog) Rewinds() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rewinds
}

func TestCursorFollowsRecovery(t *testing.T) {
	many := make([]session.Event, 40)
	for i := range many {
		many[i] = event("step/start", fmt.Sprintf(`{"turn":1,"step":%d}`, i+1))
	}
	for _, test := range []struct {
		name   string
		before []session.Event
		keep   int
		after  []session.Event
		want   string
	}{
		{"shorter", []session.Event{start(), mode(true)}, 1, nil, off},
		{"empty", []session.Event{mode(true)}, 0, nil, off},
		{"as long", []session.Event{start(), mode(true)}, 1, []session.Event{mode(false)}, off},
		{"longer", []session.Event{mode(true)}, 0, []session.Event{start(), end(), header()}, off},
		{"same end, other before it", []session.Event{mode(true), header()}, 0, []session.Event{start(), header()}, off},
		{"far behind", append([]session.Event{mode(true)}, many...), 0, many[:3], off},
		{"nothing taken", []session.Event{start(), mode(true)}, 2, []session.Event{end()}, on},
		{"many after", []session.Event{start(), mode(true)}, 2, many, on},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := newShrinkingLog(test.before...)
			p, a := newPlanMode(t, nil), agentOn(log)
			state(t, p, a)
			log.replace(t, test.keep, test.after...)
			for range 2 {
				if diff := cmp.Diff(test.want, state(t, p, a)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestCursorReadsOnlyWhatIsNew(t *testing.T) {
	log := newShrinkingLog()
	p, a := newPlanMode(t, nil), agentOn(log)
	for range 1000 {
		add(t, a, start(), end())
	}
	add(t, a, mode(true))
	state(t, p, a)
	log.reads = 0
	for range 10 {
		add(t, a, start())
		state(t, p, a)
	}
	if log.reads > 10*20 {
		t.Errorf("%d events were read for 10 new ones", log.reads)
	}
}

func TestCursorsOfManyLogs(t *testing.T) {
	p := newPlanMode(t, nil)
	var agents []*testAgent
	for i := range 300 {
		if i%2 == 0 {
			agents = append(agents, newAgent(mode(true)))
		} else {
			agents = append(agents, newAgent(start()))
		}
	}
	for range 2 {
		for i, a := range agents {
			want := off
			if i%2 == 0 {
				want = on
			}
			if got := state(t, p, a); got != want {
				t.Fatalf("agent %d is %s", i, got)
			}
		}
	}
}

// incomparable is a log whose values cannot be compared.
type incomparable struct {
	session.Log
	_ []int
}

func TestCursorOfIncomparableLog(t *testing.T) {
	p, a := newPlanMode(t, nil), agentOn(incomparable{Log: newLog(mode(true))})
	for range 2 {
		if got := state(t, p, a); got != on {
			t.Errorf("state is %s", got)
		}
	}
}

func TestCursorRefusesGaps(t *testing.T) {
	p, a := newPlanMode(t, nil), agentOn(gapped{newLog(mode(true), start())})
	if _, err := p.Get(context.Background(), a); err == nil {
		t.Error("a log with a gap is read")
	}
}

// gapped leaves out the first event.
type gapped struct{ session.Log }

func (l gapped) Read(ctx context.Context, _ int64) iter.Seq2[session.Event, error] {
	return l.Log.Read(ctx, 1)
}

// allocations returns how often f allocates at least: what other goroutines of the program
// allocate meanwhile is counted as well.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(100, f)
	for range 4 {
		least = min(least, testing.AllocsPerRun(100, f))
	}
	return least
}

func TestAllocations(t *testing.T) {
	ctx := context.Background()
	for name, a := range map[string]*testAgent{
		"active":  newAgent(mode(true), header(), start()),
		"pending": newAgent(start(), event("plan/select", `{"active":true,"by":"user"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlanMode(t, nil)
			if n := allocations(func() {
				if _, err := p.Get(ctx, a); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("Get allocates %v times", n)
			}
		})
	}
	t.Run("boundary", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(mode(true), header(), start())
		p.BeforeStep(ctx, a)
		if n := allocations(func() { p.BeforeStep(ctx, a) }); n != 0 {
			t.Errorf("BeforeStep allocates %v times", n)
		}
	})
}

var _ planmode.Agent = (*testAgent)(nil)

func TestCursorAsksRewinder(t *testing.T) {
	log := countingLog{newShrinkingLog(start(), mode(true))}
	p, a := newPlanMode(t, nil), agentOn(log)
	if got := state(t, p, a); got != on {
		t.Fatalf("state is %s", got)
	}
	log.reads = 0
	state(t, p, a)
	if log.reads > 0 {
		t.Errorf("%d events were read of an unchanged log", log.reads)
	}
	log.replace(t, 1, mode(false), start())
	for range 2 {
		if got := state(t, p, a); got != off {
			t.Errorf("state is %s", got)
		}
	}
	log.replace(t, 0)
	if got := state(t, p, a); got != off {
		t.Errorf("state is %s", got)
	}
}
