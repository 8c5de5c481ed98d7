package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/examples/loop"
	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// scripted answers each request by the next function.
type scripted []func(r loop.Request) (loop.Reply, error)

func (*scripted) Name() (provider, model string) { return "test", "scripted" }

func (s *scripted) Reply(_ context.Context, r loop.Request) (loop.Reply, error) {
	if len(*s) == 0 {
		return loop.Reply{}, errors.New("asked once too often")
	}
	next := (*s)[0]
	*s = (*s)[1:]
	return next(r)
}

func done(loop.Request) (loop.Reply, error) { return loop.Reply{Text: "done"}, nil }

func newAgent(t *testing.T, host *loop.Host, log session.Log, model loop.Model) *loop.Agent {
	t.Helper()
	agent, err := loop.New(t.Context(), host, log, model, &loop.Options{MaxSteps: 3, RetryDelay: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// readLog returns the types of the events in the log and the kind of its last turn/end.
func readLog(t *testing.T, log session.Log) (types []string, kind string) {
	t.Helper()
	for e, err := range log.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Validate(e); err != nil {
			t.Error(err)
		}
		types = append(types, e.Type)
		if e.Type == "turn/end" {
			var data struct{ Reason struct{ Kind string } }
			if err := json.Unmarshal(e.Data, &data); err != nil {
				t.Error(err)
			}
			kind = data.Reason.Kind
		}
	}
	return types, kind
}

func echo() planmode.Tool {
	return planmode.Tool{Name: "echo", Schema: json.RawMessage(`{}`), Call: func(_ context.Context, _ planmode.Agent, _ string, args json.RawMessage) planmode.Result {
		return planmode.Result{Content: string(args)}
	}}
}

func calls(names ...string) func(loop.Request) (loop.Reply, error) {
	var reply loop.Reply
	for i, name := range names {
		reply.Calls = append(reply.Calls, loop.Call{ID: fmt.Sprint("c", i), Name: name})
	}
	return func(loop.Request) (loop.Reply, error) { return reply, nil }
}

// What the user selects while a request fails is in force for its repetition.
func TestRetryCrossesBoundary(t *testing.T) {
	plan, err := planmode.New(planmode.Config{Section: "PLAN"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	host, log := new(loop.Host), session.NewMemoryLog("s")
	if _, err := plan.Mount(host); err != nil {
		t.Fatal(err)
	}
	var agent *loop.Agent
	var systems []string
	agent = newAgent(t, host, log, &scripted{
		func(r loop.Request) (loop.Reply, error) {
			systems = append(systems, r.System)
			_, err := plan.Set(t.Context(), agent, true)
			return loop.Reply{}, errors.Join(loop.ErrTemporary, err)
		},
		func(r loop.Request) (loop.Reply, error) {
			systems = append(systems, r.System)
			return done(r)
		},
	})
	if err := agent.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"", "PLAN"}, systems); diff != "" {
		t.Errorf("system prompts (-want +got):\n%s", diff)
	}
	types, _ := readLog(t, log)
	want := []string{
		"turn/start", "user/message", "step/start", "request/header",
		"plan/select", "plan/mode", "user/message", "request/header", "assistant/message", "step/end", "turn/end",
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestTurnEnds(t *testing.T) {
	down := func(loop.Request) (loop.Reply, error) { return loop.Reply{}, loop.ErrTemporary }
	for name, test := range map[string]struct {
		model scripted
		kind  string
		fails bool
	}{
		"completed":       {scripted{done}, session.TurnCompleted, false},
		"unknown tool":    {scripted{calls("nope"), done}, session.TurnCompleted, false},
		"tool":            {scripted{calls("echo", "echo"), done}, session.TurnCompleted, false},
		"back again":      {scripted{down, down, done}, session.TurnCompleted, false},
		"down":            {scripted{down, down, down}, session.TurnError, true},
		"error":           {scripted{}, session.TurnError, true},
		"too many steps":  {scripted{calls("echo"), calls("echo"), calls("echo"), done}, session.TurnError, true},
		"limit of length": {scripted{func(loop.Request) (loop.Reply, error) { return loop.Reply{Truncated: true}, nil }}, session.TurnMaxTokens, true},
	} {
		t.Run(name, func(t *testing.T) {
			host, log := new(loop.Host), session.NewMemoryLog("s")
			if _, err := host.AddTool(echo()); err != nil {
				t.Fatal(err)
			}
			err := newAgent(t, host, log, &test.model).Prompt(t.Context(), "go")
			if (err != nil) != test.fails {
				t.Errorf("error %v", err)
			}
			if _, kind := readLog(t, log); kind != test.kind {
				t.Errorf("turn ended %q, want %q", kind, test.kind)
			}
		})
	}
}

// A turn that is cancelled is closed in the log, and each call that the model asked for
// has a result.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	host, log := new(loop.Host), session.NewMemoryLog("s")
	stop := echo()
	stop.Name = "stop"
	stop.Call = func(context.Context, planmode.Agent, string, json.RawMessage) planmode.Result {
		cancel()
		return planmode.Result{Content: "stopped"}
	}
	for _, tool := range []planmode.Tool{stop, echo()} {
		if _, err := host.AddTool(tool); err != nil {
			t.Fatal(err)
		}
	}
	agent := newAgent(t, host, log, &scripted{calls("stop", "echo"), done})
	if err := agent.Prompt(ctx, "go"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	types, kind := readLog(t, log)
	want := []string{
		"turn/start", "user/message", "step/start", "request/header", "assistant/message",
		"tool/call", "tool/result", "tool/result", "step/end", "turn/end",
	}
	if diff := cmp.Diff(want, types); diff != "" || kind != session.TurnAborted {
		t.Errorf("events, ended %s (-want +got):\n%s", kind, diff)
	}
	if err := agent.Prompt(t.Context(), "go on"); err != nil {
		t.Errorf("the next turn: %v", err)
	}
}

// A message that comes while a turn runs is part of its next step.
func TestSteer(t *testing.T) {
	host, log := new(loop.Host), session.NewMemoryLog("s")
	var agent *loop.Agent
	var last []string
	agent = newAgent(t, host, log, &scripted{
		func(r loop.Request) (loop.Reply, error) { return loop.Reply{}, agent.Steer(t.Context(), "more") },
		func(r loop.Request) (loop.Reply, error) {
			for _, m := range r.Messages {
				last = append(last, m.Text)
			}
			return done(r)
		},
	})
	if err := agent.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"go", "", "more"}, last); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if agent.Waiting() {
		t.Error("the message waits still")
	}
}

func TestRepair(t *testing.T) {
	log := session.NewMemoryLog("s")
	_, err := log.Append(t.Context(), 0,
		session.CommandRun("a", "plan", ""), session.CommandDone("a", ""), session.CommandRun("b", "plan", " off"),
		session.TurnStart(4), session.StepStart(4, 1), session.ToolCall(4, 1, "c", "echo", "{}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if repaired, err := loop.Repair(t.Context(), log); repaired != want || err != nil {
			t.Errorf("repaired %v, %v, want %v", repaired, err, want)
		}
	}
	types, _ := readLog(t, log)
	want := []string{"tool/result", "step/end", "turn/end", "command/done"}
	if diff := cmp.Diff(want, types[6:]); diff != "" {
		t.Errorf("repair (-want +got):\n%s", diff)
	}
	agent := newAgent(t, new(loop.Host), log, &scripted{done})
	if err := agent.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	for e, err := range log.Read(t.Context(), 10) {
		if err != nil || e.Type == "turn/start" && string(e.Data) != `{"turn":5}` {
			t.Errorf("the next turn is %s, %v", e.Data, err)
		}
	}
}

func TestReadOnly(t *testing.T) {
	agent, err := loop.New(t.Context(), new(loop.Host), session.NewMemoryLog("s"), &scripted{}, &loop.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Prompt(t.Context(), "go"); !errors.Is(err, loop.ErrReadOnly) {
		t.Errorf("prompt: %v", err)
	}
	if err := agent.RunTurn(t.Context()); !errors.Is(err, loop.ErrReadOnly) {
		t.Errorf("turn: %v", err)
	}
	if _, err := agent.RunCommand(t.Context(), "nope", ""); !errors.Is(err, loop.ErrNoCommand) {
		t.Errorf("command: %v", err)
	}
}
