package planmodetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// TestHost checks a host by what plan mode relies on:
//
//   - step listeners run one after another before each request, the one registered last
//     first, and what they append is part of that request;
//   - sections stand in their order, are absent while they are "", and their errors keep
//     the request from being sent;
//   - the tool catalog is the same bytes in both modes;
//   - tool calls get their id and arguments, and their result reaches the model as a
//     success or a failure;
//   - the log tells turns, headers, tool calls, their results and commands, each event at
//     its place;
//   - a command that is refused leaves no selection behind and tells the user why;
//   - a notice is in the next request and in every later one until it is compacted away;
//   - each verdict on a plan reaches the model with all that the user said, and a plan
//     that is handed over is in the first request of its session;
//   - gates, of a [planmode.GateHost], are asked once for each call after it was logged and
//     before anything of it runs, nested calls and those of child agents included, and a
//     refused call does not run;
//   - each registration can be undone, and unmounting leaves the host as it was.
//
// Each check opens a host of its own.
func TestHost(t *testing.T, open Open) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			r, err := newRig(t, open)
			if err != nil {
				t.Fatal(err)
			}
			switch err := c.run(r); {
			case errors.Is(err, errNotSupported):
				t.Skip(err)
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// check is one property of a host.
type check struct {
	name string
	run  func(r *rig) error
}

func checks() []check {
	return append([]check{
		{"steps run last registered first", checkStepOrder},
		{"steps run before each request", checkStepEach},
		{"sections stand in order", checkSectionOrder},
		{"section error keeps the request", checkSectionError},
		{"tool names are unique", checkToolNames},
		{"tool results reach the model", checkToolResults},
		{"registrations can be undone", checkUndo},
		{"unmounting restores the host", checkUnmount},
		{"tool catalog is equal in both modes", checkCatalog},
		{"log tells turns and headers", checkLog},
		{"notice stays until compacted", checkNotice},
		{"approved exit", checkApproved},
		{"revised plan", checkRevised},
		{"selection in a turn", checkQueued},
		{"commands", checkCommands},
		{"refused commands", checkVeto},
		{"changes of a turn", checkWatch},
		{"hand-off to a new session", checkHandoff},
		{"gates are asked before each call", checkGateAsked},
		{"refused calls do not run", checkGateRefuses},
		{"gates can be undone", checkGateUndo},
		{"gates are asked for nested calls", checkGateNested},
		{"gates are asked for child agents", checkGateChild},
		{"gate of plan mode", checkGateOfPlanMode},
	}, verdictChecks()...)
}

// errNotSupported reports a check that does not concern the host.
var errNotSupported = errors.New("the host has no such ability")

// timeLimit bounds one check, so that a host that hangs is told.
const timeLimit = 2 * time.Minute

const guidance = "GUIDANCE-OF-PLAN-MODE"

// rig is a subject with a scripted model and the requests it got.
type rig struct {
	*Subject
	t        testing.TB
	ctx      context.Context
	script   []func(Request) (Reply, error)
	requests []Request
}

func newRig(t testing.TB, open Open) (*rig, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	t.Cleanup(cancel)
	r := &rig{t: t, ctx: ctx}
	r.Subject = open(t, r.model)
	switch _, commands := r.Host.(planmode.CommandHost); {
	case r.Host == nil || r.Agent == nil || r.Prompt == nil:
		return nil, errors.New("subject lacks a host, an agent or a prompt")
	case commands != (r.Command != nil):
		return nil, errors.New("subject must have Command exactly if its host is a CommandHost")
	}
	return r, nil
}

// model answers by the script, and with plain text after its end.
func (r *rig) model(_ context.Context, req Request) (Reply, error) {
	r.requests = append(r.requests, req)
	if len(r.script) == 0 {
		return Reply{Text: "done"}, nil
	}
	next := r.script[0]
	r.script = r.script[1:]
	return next(req)
}

// calls makes the model answer the next request with tool calls.
func (r *rig) calls(calls ...Call) {
	r.script = append(r.script, func(Request) (Reply, error) { return Reply{Calls: calls}, nil })
}

// prompt runs a turn and returns its requests.
func (r *rig) prompt(text string) ([]Request, error) {
	before := len(r.requests)
	if err := r.Prompt(r.ctx, text); err != nil {
		return nil, fmt.Errorf("prompt %q: %w", text, err)
	}
	if err := r.settled(); err != nil {
		return nil, err
	}
	if len(r.requests) == before {
		return nil, fmt.Errorf("prompt %q led to no request", text)
	}
	return r.requests[before:], nil
}

func (r *rig) settled() error {
	if r.Settled == nil {
		return nil
	}
	if err := r.Settled(r.ctx); err != nil {
		return fmt.Errorf("wait for the turn: %w", err)
	}
	return nil
}

// mount mounts plan mode with a reviewer.
func (r *rig) mount(reviewer planmode.Reviewer) (p *planmode.PlanMode, unmount func(), err error) {
	return r.mountWith(&planmode.Options{Reviewer: reviewer})
}

// mountWith mounts plan mode with options.
func (r *rig) mountWith(opts *planmode.Options) (p *planmode.PlanMode, unmount func(), err error) {
	p, err = planmode.New(planmode.Config{Section: guidance}, opts)
	if err != nil {
		return nil, nil, err
	}
	r.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			r.t.Errorf("close plan mode: %v", err)
		}
	})
	unmount, err = p.Mount(r.Host)
	return p, unmount, err
}

// events returns what the log holds.
func (r *rig) events() ([]session.Event, error) {
	var out []session.Event
	for e, err := range r.Agent.Log().Read(r.ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		out = append(out, e)
	}
	return out, nil
}

// folded returns what plan mode knows of the log.
func (r *rig) folded() (planmode.Folded, error) {
	events, err := r.events()
	var s planmode.Folded
	for _, e := range events {
		var malformed error
		if s, malformed = planmode.Fold(s, e); malformed != nil {
			return s, malformed
		}
	}
	return s, err
}
