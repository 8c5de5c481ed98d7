package planmode_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// gated returns plan mode with a gate that lets read run.
func gated(t testing.TB, opts planmode.Options) *planmode.PlanMode {
	t.Helper()
	if opts.Gate == nil {
		opts.Gate = &planmode.Gate{Allow: []string{"read"}}
	}
	return newPlanMode(t, &opts)
}

// use asks the gate about a call of the model.
func use(p *planmode.PlanMode, a planmode.Agent, name string) (planmode.Result, bool) {
	return p.Admit(context.Background(), a, planmode.ToolUse{Name: name, CallID: "call-" + name})
}

// wantRefused checks that the gate refuses a call, in words that hold the parts.
func wantRefused(t *testing.T, p *planmode.PlanMode, a planmode.Agent, name string, parts ...string) {
	t.Helper()
	r, ok := use(p, a, name)
	if ok {
		t.Errorf("%s runs", name)
		return
	}
	wantRefusal(t, r, parts...)
}

// wantRuns checks that the gate lets a call run.
func wantRuns(t *testing.T, p *planmode.PlanMode, a planmode.Agent, name string) {
	t.Helper()
	if r, ok := use(p, a, name); !ok || r.Content != "" {
		t.Errorf("%s is refused: %+v", name, r)
	}
}

func status(t testing.TB, p *planmode.PlanMode, a planmode.Agent) planmode.Status {
	t.Helper()
	s, err := p.Status(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heedless is a log that reads on under a context that has ended.
type heedless struct{ session.Log }

func (l heedless) Read(_ context.Context, from int64) iter.Seq2[session.Event, error] {
	return l.Log.Read(context.Background(), from)
}

func TestGate(t *testing.T) {
	ctx := context.Background()
	t.Run("none lets every call run", func(t *testing.T) {
		p := newPlanMode(t, nil)
		wantRuns(t, p, planning(), "write")
		wantRuns(t, p, nil, "write")
	})
	t.Run("C055 C085 C089 what is not listed is refused, counted and shown the exit tool", func(t *testing.T) {
		p, a := gated(t, planmode.Options{}), planning()
		wantRuns(t, p, a, "read")
		wantRuns(t, p, a, planmode.ToolName)
		for i, name := range []string{"write", "shell", "Read", "read2", "", "plan_exit"} {
			wantRefused(t, p, a, name, "exit_plan_mode", "had no effect")
			if got := status(t, p, a).Refusals; got != i+1 {
				t.Errorf("%d refusals after %d", got, i+1)
			}
		}
		all := events(t, a.log)
		e := all[len(all)-6]
		if diff := cmp.Diff(`{"tool":"write","callId":"call-write"}`, string(e.Data)); diff != "" || e.Type != "plan/refusal" || !e.Ignorable {
			t.Errorf("event is %+v %s", e, diff)
		}
		if err := session.Validate(e); err != nil {
			t.Error(err)
		}
	})
	t.Run("C091 a hint counts where the operator trusts it", func(t *testing.T) {
		p, a := gated(t, planmode.Options{Gate: &planmode.Gate{TrustReadOnly: []string{"grep", "docs__*"}}}), planning()
		for name, trusted := range map[string]bool{"grep": true, "docs__find": true, "docs__": true, "grep2": false, "mail__find": false} {
			for _, hint := range []bool{false, true} {
				_, ok := p.Admit(ctx, a, planmode.ToolUse{Name: name, ReadOnly: hint})
				if ok != (trusted && hint) {
					t.Errorf("%s with the hint %v runs: %v", name, hint, ok)
				}
			}
		}
		every := gated(t, planmode.Options{Gate: &planmode.Gate{TrustReadOnly: []string{"*"}}})
		if _, ok := every.Admit(ctx, a, planmode.ToolUse{Name: "any", ReadOnly: true}); !ok {
			t.Error("* does not trust every tool")
		}
	})
	t.Run("C045 stays shut after a rejected exit", func(t *testing.T) {
		for _, d := range []planmode.Decision{planmode.Revise, planmode.Dismiss, "unknown"} {
			p, a := gated(t, planmode.Options{Reviewer: answering(d, "")}), planning()
			exit(t, p, a, "c", plan)
			wantRefused(t, p, a, "write")
			p.BeforeStep(ctx, a)
			wantRefused(t, p, a, "write")
		}
	})
	t.Run("follows what is in force, not what is selected", func(t *testing.T) {
		p, a := gated(t, planmode.Options{Reviewer: answering(planmode.Approve, "")}), newAgent(start(), header())
		set(t, p, a, true)
		wantRuns(t, p, a, "write")
		p.BeforeStep(ctx, a)
		wantRefused(t, p, a, "write")
		if r := exit(t, p, a, "c", plan); r.IsError {
			t.Fatal(r.Content)
		}
		wantRefused(t, p, a, "write")
		p.BeforeStep(ctx, a)
		wantRuns(t, p, a, "write")
	})
	t.Run("C089 is bounded in one stay", func(t *testing.T) {
		p, a := gated(t, planmode.Options{Gate: &planmode.Gate{MaxRefusals: 2}}), planning()
		wantRefused(t, p, a, "write", "Plan with the other tools")
		wantRefused(t, p, a, "write", "Plan with the other tools")
		before := len(events(t, a.log))
		for range 3 {
			wantRefused(t, p, a, "write", "as were 2 calls before it", "stop here and wait for the user", "exit_plan_mode")
		}
		if got := len(events(t, a.log)); got != before || status(t, p, a).Refusals != 2 {
			t.Errorf("%d events were written, status %+v", got-before, status(t, p, a))
		}
		add(t, a, mode(false), mode(true))
		if got := status(t, p, a).Refusals; got != 0 {
			t.Errorf("%d refusals in a new stay", got)
		}
		wantRefused(t, p, a, "write", "Plan with the other tools")
	})
	t.Run("refuses what cannot be known", func(t *testing.T) {
		p, a := gated(t, planmode.Options{}), agentOn(unreadable{newLog()})
		wantRefused(t, p, a, "write", "could not be found out", "disk is full")
		ended, cancel := context.WithCancel(ctx)
		cancel()
		for _, log := range []session.Log{newLog(), heedless{newLog()}} {
			if r, ok := p.Admit(ended, agentOn(log), planmode.ToolUse{Name: "write"}); ok || !strings.Contains(r.Content, "context canceled") {
				t.Errorf("under a context that has ended it gives %+v", r)
			}
		}
		wantRefused(t, p, nil, "write", "no agent given")
		wantRefused(t, p, agentOn(nil), "write", "no log")
		wantRuns(t, p, a, "read")
		over, cancel := context.WithCancel(ctx)
		cancel()
		if _, ok := p.Admit(over, agentOn(&faultyLog{Log: newLog()}), planmode.ToolUse{Name: "write"}); ok {
			t.Error("a call under a context that is over runs")
		}
	})
	t.Run("refuses also where that cannot be logged", func(t *testing.T) {
		for name, test := range map[string]struct {
			fault  fault
			logged int
		}{"lost": {fault{0, errDisk}, 0}, "landed": {fault{-1, errDisk}, 1}, "conflict": {fault{0, session.ErrConflict}, 1}} {
			t.Run(name, func(t *testing.T) {
				log := &faultyLog{Log: planning().log}
				p, a := gated(t, planmode.Options{}), agentOn(log)
				log.fail(test.fault)
				wantRefused(t, p, a, "write")
				if got := status(t, p, a).Refusals; got != test.logged {
					t.Errorf("%d refusals are logged, want %d", got, test.logged)
				}
			})
		}
	})
	t.Run("works after Close", func(t *testing.T) {
		p, a := gated(t, planmode.Options{}), planning()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, p, a, "write")
	})
	t.Run("many at once are each counted once", func(t *testing.T) {
		a := planning()
		gate := &planmode.Gate{MaxRefusals: 30}
		var wg sync.WaitGroup
		for range 4 {
			p := gated(t, planmode.Options{Gate: gate})
			for range 10 {
				wg.Go(func() { wantRefused(t, p, a, "write") })
			}
		}
		wg.Wait()
		if got := status(t, newPlanMode(t, nil), a).Refusals; got != 30 {
			t.Errorf("%d refusals are logged", got)
		}
	})
	t.Run("what the operator passed is copied", func(t *testing.T) {
		gate := &planmode.Gate{Allow: []string{"read"}}
		p, a := newPlanMode(t, &planmode.Options{Gate: gate}), planning()
		gate.Allow[0] = "write"
		wantRefused(t, p, a, "write")
	})
}

func TestGateOptions(t *testing.T) {
	for want, gate := range map[string]*planmode.Gate{
		`gate allows ""`:         {Allow: []string{"read", ""}},
		`gate allows " "`:        {Allow: []string{" "}},
		`gate allows "docs__*"`:  {Allow: []string{"docs__*"}},
		`gate trusts ""`:         {TrustReadOnly: []string{""}},
		`gate trusts "a*b"`:      {TrustReadOnly: []string{"a*b"}},
		`gate trusts "**"`:       {TrustReadOnly: []string{"**"}},
		"a negative MaxRefusals": {MaxRefusals: -1},
	} {
		_, err := planmode.New(planmode.Config{Section: guidance}, &planmode.Options{Gate: gate})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}

// gateHost is a host that has no seam but tools and the gate.
type gateHost struct {
	stubHost
	gates []func(context.Context, planmode.Agent, planmode.ToolUse) (planmode.Result, bool)
}

func (h *gateHost) AddGate(fn func(context.Context, planmode.Agent, planmode.ToolUse) (planmode.Result, bool)) func() {
	h.gates = append(h.gates, fn)
	return func() { h.gates = nil }
}

// stubHost is a host that keeps nothing.
type stubHost struct{ taken error }

func (stubHost) PrependStep(func(context.Context, planmode.Agent)) func() { return func() {} }
func (stubHost) AddSection(string, int, func(context.Context, planmode.Agent) (string, error)) func() {
	return func() {}
}
func (h stubHost) AddTool(planmode.Tool) (func(), error) { return func() {}, h.taken }

func TestMountGate(t *testing.T) {
	t.Run("with a gate", func(t *testing.T) {
		h, p := &gateHost{}, gated(t, planmode.Options{})
		unmount, err := p.Mount(h)
		if err != nil {
			t.Fatal(err)
		}
		if len(h.gates) != 1 {
			t.Fatalf("%d gates", len(h.gates))
		}
		if _, ok := h.gates[0](t.Context(), planning(), planmode.ToolUse{Name: "write"}); ok {
			t.Error("write runs")
		}
		unmount()
		if len(h.gates) != 0 {
			t.Error("the gate is still there")
		}
	})
	t.Run("without a gate", func(t *testing.T) {
		h := &gateHost{}
		if _, err := newPlanMode(t, nil).Mount(h); err != nil || len(h.gates) != 0 {
			t.Errorf("%d gates, %v", len(h.gates), err)
		}
	})
	t.Run("a host that cannot refuse", func(t *testing.T) {
		_, err := gated(t, planmode.Options{}).Mount(stubHost{})
		if err == nil || !strings.Contains(err.Error(), "no GateHost") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("undone when a later registration fails", func(t *testing.T) {
		h := &gateHost{stubHost: stubHost{taken: errors.New("taken")}}
		if _, err := gated(t, planmode.Options{}).Mount(h); err == nil || len(h.gates) != 0 {
			t.Errorf("%d gates, %v", len(h.gates), err)
		}
	})
}
