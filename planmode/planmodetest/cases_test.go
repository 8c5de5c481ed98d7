package planmodetest_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/planmodetest"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

const guidance = "Plan first."

// stage is a loop with plan mode mounted, a scripted model and the requests it got.
type stage struct {
	*loop
	p        *planmode.PlanMode
	unmount  func()
	script   []func() planmodetest.Reply
	requests []planmodetest.Request
}

func newStage(t *testing.T, reviewer planmode.Reviewer) *stage {
	t.Helper()
	return newStageWith(t, planmode.Options{Reviewer: reviewer})
}

func newStageWith(t *testing.T, opts planmode.Options) *stage {
	t.Helper()
	s := &stage{}
	s.loop = newLoop(func(_ context.Context, r planmodetest.Request) (planmodetest.Reply, error) {
		s.requests = append(s.requests, r)
		if len(s.script) == 0 {
			return planmodetest.Reply{Text: "done"}, nil
		}
		next := s.script[0]
		s.script = s.script[1:]
		return next(), nil
	})
	for _, name := range []string{"read", "write"} {
		tool := planmode.Tool{Name: name, Schema: []byte(`{}`), Call: func(context.Context, planmode.Agent, string, json.RawMessage) planmode.Result {
			return planmode.Result{Content: name + " worked"}
		}}
		if _, err := s.AddTool(tool); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if s.p, err = planmode.New(planmode.Config{Section: guidance}, &opts); err != nil {
		t.Fatal(err)
	}
	if s.unmount, err = s.p.Mount(s.loop); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.p.Close() })
	return s
}

func (s *stage) set(t *testing.T, active bool) {
	t.Helper()
	if _, err := s.p.Set(context.Background(), s.loop, active); err != nil {
		t.Fatal(err)
	}
}

// prompt runs a turn and returns its requests.
func (s *stage) prompt(t *testing.T) []planmodetest.Request {
	t.Helper()
	before := len(s.requests)
	if err := s.Prompt(context.Background(), "go"); err != nil {
		t.Fatal(err)
	}
	return s.requests[before:]
}

// types returns the types of the events from a position on, those of messages left out
// unless they are notices.
func (s *stage) types(t *testing.T, from int64) []string {
	t.Helper()
	var out []string
	for e, err := range s.log.Read(context.Background(), from) {
		if err != nil {
			t.Fatal(err)
		}
		notice := strings.Contains(string(e.Data), `"plugin":"plan-mode"`)
		switch {
		case notice:
			out = append(out, "notice")
		case e.Type != "user/message" && e.Type != "assistant/message":
			out = append(out, e.Type)
		}
	}
	return out
}

func TestCases(t *testing.T) {
	ctx := context.Background()
	call := func(name, args string) func() planmodetest.Reply {
		return func() planmodetest.Reply {
			return planmodetest.Reply{Calls: []planmodetest.Call{{ID: "c-" + name, Name: name, Arguments: args}}}
		}
	}
	exit := call(planmode.ToolName, `{"plan":"# T"}`)
	t.Run("D32 D33 D35 C013 C101 C123 sections and catalog", func(t *testing.T) {
		s := newStage(t, nil)
		before := s.prompt(t)[0]
		s.set(t, true)
		after := s.prompt(t)[0]
		if before.System != "" || after.System != guidance {
			t.Errorf("system prompts are %q and %q", before.System, after.System)
		}
		if diff := cmp.Diff(before.Tools, after.Tools); diff != "" || len(before.Tools) != 3 {
			t.Errorf("catalogs are %q and %q", before.Tools, after.Tools)
		}
	})
	t.Run("D36 a tool added late", func(t *testing.T) {
		s := newStage(t, nil)
		if _, err := s.AddTool(planmode.Tool{Name: "late", Schema: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
		before := s.prompt(t)[0]
		s.set(t, true)
		if diff := cmp.Diff(before.Tools, s.prompt(t)[0].Tools); diff != "" || !strings.HasPrefix(before.Tools[3], "late") {
			t.Errorf("catalog is %q %s", before.Tools, diff)
		}
	})
	t.Run("D41 D91 other tools work in both modes", func(t *testing.T) {
		s := newStage(t, nil)
		for _, active := range []bool{false, true} {
			s.set(t, active)
			s.script = append(s.script, call("write", `{}`))
			requests := s.prompt(t)
			if !slices.Contains(requests[len(requests)-1].Messages, "write worked") {
				t.Errorf("messages are %q", requests[len(requests)-1].Messages)
			}
		}
	})
	t.Run("D45 D57 commands", func(t *testing.T) {
		s := newStage(t, nil)
		for _, name := range []string{"mode", "review"} {
			if _, err := s.Command(ctx, name, ""); err == nil {
				t.Errorf("/%s is known", name)
			}
		}
		s.unmount()
		if _, err := s.Command(ctx, "plan", ""); err == nil {
			t.Error("/plan is known after unmounting")
		}
	})
	t.Run("D47 the message of /plan under guidance", func(t *testing.T) {
		s := newStage(t, nil)
		if _, err := s.Command(ctx, "plan", "  look around "); err != nil {
			t.Fatal(err)
		}
		if got := s.requests[0]; got.System != guidance || !slices.Contains(got.Messages, "look around") {
			t.Errorf("request is %+v", got)
		}
	})
	t.Run("D70 D71 D72 approved exit", func(t *testing.T) {
		s := newStage(t, approver{})
		s.set(t, true)
		var inBatch string
		if _, err := s.AddTool(planmode.Tool{Name: "look", Schema: []byte(`{}`), Call: func(ctx context.Context, a planmode.Agent, _ string, _ json.RawMessage) planmode.Result {
			inBatch, _ = s.p.Section(ctx, a)
			return planmode.Result{}
		}}); err != nil {
			t.Fatal(err)
		}
		s.script = append(s.script, func() planmodetest.Reply {
			return planmodetest.Reply{Calls: append(exit().Calls, planmodetest.Call{ID: "look", Name: "look", Arguments: `{}`})}
		})
		got := s.prompt(t)
		if inBatch != guidance || got[0].System != guidance || got[1].System != "" {
			t.Errorf("sections are %q, in the batch %q, %q", got[0].System, inBatch, got[1].System)
		}
		if diff := cmp.Diff(got[0].Tools, got[1].Tools); diff != "" {
			t.Error(diff)
		}
		want := []string{"plan/select", "plan/mode", "turn/start", "request/header", "tool/call", "plan/review", "plan/review", "tool/result", "tool/call", "tool/result", "plan/mode", "request/header", "turn/end"}
		if diff := cmp.Diff(want, s.types(t, 0)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D90 entered before the first turn", func(t *testing.T) {
		s := newStage(t, nil)
		s.set(t, true)
		if got := s.prompt(t)[0]; got.System != guidance || len(got.Tools) != 3 {
			t.Errorf("request is %+v", got)
		}
		if diff := cmp.Diff([]string{"plan/select", "plan/mode", "turn/start", "request/header", "turn/end"}, s.types(t, 0)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D92 entered between turns", func(t *testing.T) {
		s := newStage(t, nil)
		first := s.prompt(t)[0]
		s.set(t, true)
		second := s.prompt(t)[0]
		if diff := cmp.Diff(first.Tools, second.Tools); diff != "" || second.System != guidance {
			t.Errorf("request is %+v", second)
		}
		want := []string{"turn/start", "request/header", "turn/end", "plan/select", "plan/mode", "turn/start", "notice", "request/header", "turn/end"}
		if diff := cmp.Diff(want, s.types(t, 0)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D94 selected after the last boundary of a turn", func(t *testing.T) {
		s := newStage(t, nil)
		s.script = append(s.script, func() planmodetest.Reply {
			s.set(t, true)
			return planmodetest.Reply{Text: "done"}
		})
		s.prompt(t)
		if got := s.prompt(t)[0]; got.System != guidance {
			t.Errorf("request is %+v", got)
		}
		want := []string{"turn/start", "request/header", "plan/select", "turn/end", "turn/start", "plan/mode", "notice", "request/header", "turn/end"}
		if diff := cmp.Diff(want, s.types(t, 0)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("C007 C009 C027 compaction", func(t *testing.T) {
		s := newStage(t, approver{})
		s.set(t, true)
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		if got := s.prompt(t)[0]; got.System != guidance {
			t.Errorf("request is %+v", got)
		}
		s.script = append(s.script, exit)
		s.prompt(t)
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		if got := s.prompt(t)[0]; got.System != "" {
			t.Errorf("request is %+v", got)
		}
		if got, err := s.p.ApprovedPlan(ctx, s.loop); err != nil || got.Plan != "# T" {
			t.Errorf("approved plan is %+v, %v", got, err)
		}
	})
	t.Run("C019 C023 C035 a resumed process asks the log", func(t *testing.T) {
		s := newStage(t, nil)
		s.prompt(t)
		s.set(t, true)
		resumed, err := planmode.New(planmode.Config{Section: guidance}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := resumed.Get(ctx, s.loop); err != nil || !got.Active {
			t.Errorf("state is %+v, %v", got, err)
		}
	})
	t.Run("C069 text that waits is no answer", func(t *testing.T) {
		s := newStage(t, reviewerFunc(func(a planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
			if err := a.Steer(ctx, "approve"); err != nil {
				return planmode.Verdict{}, err
			}
			return planmode.Verdict{}, planmode.ErrReviewPending
		}))
		s.set(t, true)
		s.script = append(s.script, exit)
		s.prompt(t)
		if r, err := s.p.OpenReview(ctx, s.loop); err != nil || r == nil || r.State != planmode.ReviewParked {
			t.Errorf("review is %+v, %v", r, err)
		}
	})
	t.Run("C075 C131 each flip is one event to a watcher", func(t *testing.T) {
		s := newStage(t, nil)
		watched, stop := context.WithCancel(ctx)
		defer stop()
		seen := make(chan string)
		go func() {
			for e, err := range s.log.Watch(watched, 0) {
				if err != nil {
					return
				}
				if e.Type == planmode.EventMode {
					seen <- string(e.Data)
				}
			}
		}()
		for _, active := range []bool{true, false, true} {
			s.set(t, active)
			want := `{"active":false}`
			if active {
				want = `{"active":true}`
			}
			if got := <-seen; got != want {
				t.Errorf("watcher saw %s, want %s", got, want)
			}
		}
	})
	t.Run("C021 C129 a fork knows what stood at its position", func(t *testing.T) {
		store := session.NewMemoryStore()
		log, err := store.Create(ctx, session.Header{ID: "a"})
		if err != nil {
			t.Fatal(err)
		}
		s := newStage(t, nil)
		agent := agentOf{log}
		if _, err := s.p.Set(ctx, agent, true); err != nil {
			t.Fatal(err)
		}
		for at, want := range []bool{0: false, 1: false, 2: true} {
			fork, err := store.Fork(ctx, "a", int64(at), "fork"+string(rune('0'+at)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := s.p.Get(ctx, agentOf{fork}); err != nil || got.Active != want {
				t.Errorf("fork at %d is %+v, %v", at, got, err)
			}
		}
	})
}

type agentOf struct{ log session.Log }

func (a agentOf) ID() string                          { return "fork" }
func (a agentOf) Log() session.Log                    { return a.log }
func (a agentOf) Steer(context.Context, string) error { return nil }

type reviewerFunc func(planmode.Agent, planmode.Review) (planmode.Verdict, error)

func (f reviewerFunc) Review(_ context.Context, a planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	return f(a, r)
}

// approver approves everything.
type approver struct{}

func (approver) Review(_ context.Context, _ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	return planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}, nil
}
