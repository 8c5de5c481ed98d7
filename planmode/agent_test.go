package planmode_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

const guidance = "Plan first. Change nothing."

// testAgent is an agent over any log that keeps what was steered.
type testAgent struct {
	log   session.Log
	fails error

	mu      sync.Mutex
	steered []string
}

func newAgent(events ...session.Event) *testAgent {
	return agentOn(newLog(events...))
}

func agentOn(log session.Log) *testAgent { return &testAgent{log: log} }

func newLog(events ...session.Event) *session.MemoryLog {
	log := session.NewMemoryLog("s")
	if _, err := log.Append(context.Background(), session.Any, events...); err != nil {
		panic(err)
	}
	return log
}

func (a *testAgent) ID() string       { return "agent" }
func (a *testAgent) Log() session.Log { return a.log }
func (a *testAgent) Steer(_ context.Context, text string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fails != nil {
		return a.fails
	}
	a.steered = append(a.steered, text)
	return nil
}

// newPlanMode returns a plan mode whose boundaries have all the time that a slow machine
// takes.
func newPlanMode(t testing.TB, opts *planmode.Options) *planmode.PlanMode {
	t.Helper()
	var patient planmode.Options
	if opts != nil {
		patient = *opts
	}
	if patient.BoundaryTimeout == 0 {
		patient.BoundaryTimeout = time.Hour
	}
	p, err := planmode.New(planmode.Config{Section: guidance}, &patient)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// events returns all events of the log.
func events(t testing.TB, log session.Log) []session.Event {
	t.Helper()
	var out []session.Event
	for e, err := range log.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// kinds returns what plan mode wrote in short words, one for each event.
func kinds(t testing.TB, log session.Log) []string {
	t.Helper()
	var out []string
	for _, e := range events(t, log) {
		var data struct {
			Active *bool
			State  string
			Source struct{ Plugin string }
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Type == planmode.EventMode && *data.Active:
			out = append(out, "mode on")
		case e.Type == planmode.EventMode:
			out = append(out, "mode off")
		case e.Type == planmode.EventSelect && *data.Active:
			out = append(out, "select on")
		case e.Type == planmode.EventSelect:
			out = append(out, "select off")
		case e.Type == planmode.EventHandoff:
			out = append(out, "handoff")
		case e.Type == planmode.EventReview:
			out = append(out, "review "+data.State)
		case data.Source.Plugin == "plan-mode":
			out = append(out, "notice")
		}
	}
	return out
}

func add(t testing.TB, a planmode.Agent, events ...session.Event) {
	t.Helper()
	if _, err := a.Log().Append(context.Background(), session.Any, events...); err != nil {
		t.Fatal(err)
	}
}

func set(t testing.TB, p *planmode.PlanMode, a planmode.Agent, active bool) planmode.Outcome {
	t.Helper()
	outcome, err := p.Set(context.Background(), a, active)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// state returns the state as JSON, as a client sees it.
func state(t testing.TB, p *planmode.PlanMode, a planmode.Agent) string {
	t.Helper()
	s, err := p.Get(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

const (
	off        = `{"active":false}`
	on         = `{"active":true}`
	offPending = `{"active":false,"pending":true}`
	onPending  = `{"active":true,"pending":false}`
)

// notices returns the texts of the notices in the log.
func notices(t testing.TB, p *planmode.PlanMode, a planmode.Agent) []string {
	t.Helper()
	var out []string
	for n, err := range p.Notices(context.Background(), a) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n.Text)
	}
	return out
}

func event(kind, data string) session.Event {
	e := session.Event{Type: kind, Data: json.RawMessage(data)}
	e.Ignorable = kind == planmode.EventSelect || kind == planmode.EventReview || kind == planmode.EventHandoff || kind == planmode.EventRefusal
	if kind == "user/message" || kind == "tool/result" {
		e.SurfaceOp = json.RawMessage(`"append"`)
	}
	return e
}

func mode(active bool) session.Event {
	if active {
		return event("plan/mode", `{"active":true}`)
	}
	return event("plan/mode", `{"active":false}`)
}

func header() session.Event { return event("request/header", `{"header":{},"reason":"change"}`) }

func start() session.Event { return session.TurnStart(1) }
func end() session.Event   { return session.TurnEnd(1, session.TurnCompleted) }

func exitCall(id string) session.Event {
	return session.ToolCall(1, 1, id, planmode.ToolName, `{}`)
}

// exitResult is what a host logs of a result.
func exitResult(id string, r planmode.Result) session.Event {
	return session.ToolResult(1, 1, session.ToolOutcome{
		MessageID: "m-" + id, CallID: id, IsError: r.IsError,
		Content: []session.Block{session.TextBlock(r.Content)},
	})
}

const plan = "# Plan\n\n1. Look.\n2. Change.\n"

func planArgs(plan string) json.RawMessage {
	out, err := json.Marshal(map[string]string{"plan": plan})
	if err != nil {
		panic(err)
	}
	return out
}

// reviewFunc is a reviewer made of a function.
type reviewFunc func(ctx context.Context, r planmode.Review) (planmode.Verdict, error)

func (f reviewFunc) Review(ctx context.Context, _ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	return f(ctx, r)
}

// answering returns a reviewer that decides so on whatever it is shown.
func answering(d planmode.Decision, feedback string) planmode.Reviewer {
	return reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) {
		return planmode.Verdict{Decision: d, Feedback: feedback, SHA256: r.SHA256}, nil
	})
}

// exit calls the exit tool as a host does within an open turn: call, run, result.
func exit(t testing.TB, p *planmode.PlanMode, a planmode.Agent, id, plan string) planmode.Result {
	t.Helper()
	add(t, a, exitCall(id))
	r := p.ExitTool().Call(context.Background(), a, id, planArgs(plan))
	add(t, a, exitResult(id, r))
	return r
}
