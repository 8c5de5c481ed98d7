package planmode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

func TestSet(t *testing.T) {
	type step struct {
		active  bool
		outcome planmode.Outcome
		state   string
	}
	for _, test := range []struct {
		name  string
		log   []session.Event
		steps []step
		wrote []string
	}{
		{"D12 off in a turn", []session.Event{mode(true), start()},
			[]step{{false, planmode.Queued, onPending}}, []string{"mode on", "select off"}},
		{"D13 off while off", []session.Event{start()},
			[]step{{false, planmode.Noop, off}}, nil},
		{"D14 on twice in a turn", []session.Event{start()},
			[]step{{true, planmode.Queued, offPending}, {true, planmode.Noop, offPending}}, []string{"select on"}},
		{"D15 D16 idle", nil,
			[]step{{true, planmode.Committed, on}, {false, planmode.Committed, off}},
			[]string{"select on", "mode on", "select off", "mode off"}},
		{"D24 on and off in a turn", []session.Event{start()},
			[]step{{true, planmode.Queued, offPending}, {false, planmode.Cancelled, off}},
			[]string{"select on", "select off"}},
		{"off and on in a turn", []session.Event{mode(true), start()},
			[]step{{false, planmode.Queued, onPending}, {true, planmode.Cancelled, on}, {true, planmode.Noop, on}},
			[]string{"mode on", "select off", "select on"}},
		{"cancel of an idle selection", []session.Event{event("plan/select", `{"active":true,"by":"user"}`)},
			[]step{{true, planmode.Noop, offPending}, {false, planmode.Cancelled, off}},
			[]string{"select on", "select off"}},
		{"turn has ended", []session.Event{start(), end()},
			[]step{{true, planmode.Committed, on}}, []string{"select on", "mode on"}},
		{"announced command is not the target", []session.Event{start(), session.CommandRun("c", "plan", "")},
			[]step{{true, planmode.Queued, offPending}}, []string{"select on"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, a := newPlanMode(t, nil), newAgent(test.log...)
			for _, step := range test.steps {
				if got := set(t, p, a, step.active); got != step.outcome {
					t.Errorf("set %v: %s, want %s", step.active, got, step.outcome)
				}
				if diff := cmp.Diff(step.state, state(t, p, a)); diff != "" {
					t.Error(diff)
				}
			}
			if diff := cmp.Diff(test.wrote, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
			for _, e := range events(t, a.log) {
				if err := session.Validate(e); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestGet(t *testing.T) {
	t.Run("D10 D101 empty log", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent()
		if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D11 written by anyone", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent()
		state(t, p, a)
		add(t, a, mode(true))
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D96 malformed value", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(mode(true), event("plan/mode", `{"active":42}`), event("plan/mode", `{}`))
		got, err := p.Get(context.Background(), a)
		if !got.Active {
			t.Error("the value before is lost")
		}
		var malformed *planmode.MalformedError
		if !errors.As(err, &malformed) || malformed.Seq != 1 {
			t.Fatalf("error is %v", err)
		}
		for _, part := range []string{"seq 1", "seq 2", "a boolean was expected"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("error %q lacks %q", err, part)
			}
		}
		if got := set(t, p, a, false); got != planmode.Committed {
			t.Errorf("set gives %s", got)
		}
	})
	t.Run("no agent", func(t *testing.T) {
		p := newPlanMode(t, nil)
		if _, err := p.Get(context.Background(), nil); err == nil {
			t.Error("no error")
		}
		if _, err := p.Set(context.Background(), nil, true); err == nil {
			t.Error("no error")
		}
	})
	t.Run("pending is the caller's to break", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(start())
		set(t, p, a, true)
		s, _ := p.Get(context.Background(), a)
		*s.Pending = false
		p.BeforeStep(context.Background(), a)
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSetFaults(t *testing.T) {
	t.Run("failed append changes nothing", func(t *testing.T) {
		log := &faultyLog{Log: newLog()}
		p, a := newPlanMode(t, nil), agentOn(log)
		log.fail(fault{0, errDisk})
		if _, err := p.Set(context.Background(), a, true); !errors.Is(err, errDisk) {
			t.Fatalf("error is %v", err)
		}
		if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		if got := set(t, p, a, true); got != planmode.Committed {
			t.Errorf("set again: %s", got)
		}
	})
	t.Run("landed after all", func(t *testing.T) {
		log := &faultyLog{Log: newLog(start())}
		p, a := newPlanMode(t, nil), agentOn(log)
		log.fail(fault{-1, errDisk})
		if got := set(t, p, a, true); got != planmode.Queued {
			t.Errorf("set gives %s", got)
		}
		if diff := cmp.Diff([]string{"select on"}, kinds(t, log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("landed under a cancelled context", func(t *testing.T) {
		log := &faultyLog{Log: newLog()}
		p, a := newPlanMode(t, nil), agentOn(log)
		ctx, cancel := context.WithCancel(context.Background())
		a.log = cancelling{log, cancel}
		outcome, err := p.Set(ctx, a, true)
		if err != nil || outcome != planmode.Committed {
			t.Errorf("set gives %s, %v", outcome, err)
		}
	})
	t.Run("a prefix landed", func(t *testing.T) {
		log := &faultyLog{Log: newLog()}
		p, a := newPlanMode(t, nil), agentOn(log)
		log.fail(fault{1, errDisk})
		if _, err := p.Set(context.Background(), a, true); !errors.Is(err, errDisk) {
			t.Fatalf("error is %v", err)
		}
		if diff := cmp.Diff(offPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		p.BeforeStep(context.Background(), a)
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("conflicts until the context ends", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer cancel()
		p, a := newPlanMode(t, nil), agentOn(conflicting{newLog()})
		if _, err := p.Set(ctx, a, true); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
	})
}

// cancelling cancels the caller's context within an append that lands.
type cancelling struct {
	session.Log
	cancel func()
}

func (l cancelling) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	if _, err := l.Log.Append(ctx, expect, events...); err != nil {
		return 0, err
	}
	l.cancel()
	return 0, ctx.Err()
}

// conflicting never lets anybody append.
type conflicting struct{ session.Log }

func (l conflicting) Append(context.Context, int64, ...session.Event) (int64, error) {
	return 0, session.ErrConflict
}

func TestConcurrentUsers(t *testing.T) {
	t.Run("C077", func(t *testing.T) {
		log := newLog()
		processes := []*planmode.PlanMode{newPlanMode(t, nil), newPlanMode(t, nil)}
		var wg sync.WaitGroup
		errs := make(chan error, 100)
		for i := range 100 {
			wg.Go(func() {
				p, a := processes[i%2], agentOn(log)
				if i%10 == 9 {
					_, err := p.Get(context.Background(), a)
					errs <- err
					return
				}
				_, err := p.Set(context.Background(), a, i%3 == 0)
				errs <- err
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			if err != nil {
				t.Error(err)
			}
		}
		last := "mode off"
		for _, kind := range kinds(t, log) {
			if strings.HasPrefix(kind, "mode") {
				if kind == last {
					t.Fatalf("two events %q in a row", kind)
				}
				last = kind
			}
		}
		if got, want := state(t, processes[0], agentOn(log)), fmt.Sprintf(`{"active":%v}`, planmode.FoldPlanMode(events(t, log))); got != want {
			t.Errorf("state is %s, want %s", got, want)
		}
	})
}
