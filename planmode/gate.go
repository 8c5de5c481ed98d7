package planmode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/agentplan/sdk/planmode/session"
)

// DefaultMaxRefusals is the default of [Gate.MaxRefusals].
const DefaultMaxRefusals = 20

// Gate refuses tool calls while plan mode is in force. It is a list of what may run:
// a tool that neither list below names is refused, whatever it does. exit_plan_mode is
// never refused by it. The gate changes nothing about the tools that are offered, so the
// tool catalog of a request is the same in both modes.
//
// The gate is asked when a call is about to run, see [PlanMode.Admit] and [GateHost]. It
// is no sandbox: what a listed tool does is not looked at.
//
//catalog:type
type Gate struct {
	// Allow names the tools that run in plan mode, each by its whole name.
	Allow []string
	// TrustReadOnly names the tools whose own word the operator takes: they run in plan
	// mode if they say that they change nothing, see [ToolUse.ReadOnly]. A name that
	// ends in * stands for all names that begin so, such as those of one server; a lone
	// * stands for every tool.
	TrustReadOnly []string
	// MaxRefusals bounds how many refusals are logged from one entry into plan mode to
	// its end. Calls are refused after that as well, and the model is told to stop. The
	// default is [DefaultMaxRefusals].
	MaxRefusals int
}

// ToolUse is a tool call that is about to run.
//
//catalog:type
type ToolUse struct {
	// Name is the name of the tool.
	Name string
	// CallID is the id of the call in the log. For a call that another tool makes it may
	// be that of the outer call, or empty.
	CallID string
	// ReadOnly tells that the tool says of itself that it changes nothing, as in
	// [Tool.ReadOnly]. It counts only for tools that [Gate.TrustReadOnly] names.
	ReadOnly bool
}

// GateListener is a function that a host asks right before it runs a tool call. If the
// call is not to run it returns false and the result that the model gets instead, and
// the listeners after it are not asked.
//
//catalog:hook agent/tool mode=serial
type GateListener = func(ctx context.Context, agent Agent, use ToolUse) (refusal Result, ok bool)

// GateHost is a [Host] whose tool calls can be refused. [PlanMode.Mount] finds it by type
// assertion and needs it where [Options.Gate] is set.
//
//catalog:service gateHost
type GateHost interface {
	// AddGate registers a listener that is asked once for each tool call, when the call
	// has been logged and before anything of it runs: for calls of the model, for calls
	// that a tool or a script makes in turn, and for calls of child agents, with the
	// agent that makes the call. A refused call does not run; its refusal is its result,
	// logged and given to the model as it is. See [GateListener].
	AddGate(fn func(ctx context.Context, agent Agent, use ToolUse) (refusal Result, ok bool)) (remove func())
}

// Admit asks the gate whether a call may run now, and returns false with the result for
// the model if not. Without [Options.Gate] every call may. A host asks right before a
// call runs; one that is a [GateHost] does so through what [PlanMode.Mount] registers.
//
// A call of a tool that the gate does not name is refused while plan mode is in force
// for the agent, or with [ChildrenInherit] for an agent above it. It is refused as well
// where that cannot be known: without an agent (nil), with a log that cannot be read, or
// when ctx has ended. What is in force is read from the log at each call, so that the
// gate closes and opens with the step boundary. Each refusal is logged as a
// [RefusalEvent], up to [Gate.MaxRefusals]; one that cannot be logged within
// [Options.BoundaryTimeout] is a warning and refuses all the same. Admit works after
// [PlanMode.Close] as before.
func (p *PlanMode) Admit(ctx context.Context, agent Agent, use ToolUse) (refusal Result, ok bool) {
	gate := p.opts.Gate
	if gate == nil || gate.passes(use) {
		return Result{}, true
	}
	var limited context.Context
	for attempt := 0; ; attempt++ {
		by, err := p.planner(ctx, agent)
		if err == nil {
			err = ctx.Err() // a log need not have looked
		}
		switch {
		case err != nil:
			p.warn(ctx, agent, "tool call refused: the mode is unknown", slog.String(logTool, use.Name), slog.Any(logError, err))
			return refuse(refusedToolUnknown, use.Name, err), false
		case by == nil:
			return Result{}, true
		case by.Refusals >= gate.MaxRefusals:
			return refuse(by.wording(refusedToolStop, refusedChildToolStop), use.Name, by.Refusals), false
		}
		if limited == nil {
			var cancel context.CancelFunc
			limited, cancel = context.WithTimeout(ctx, p.opts.BoundaryTimeout)
			defer cancel()
		}
		_, err = p.write(limited, by.log, by.pos, by.refusalOf(agent, use))
		if errors.Is(err, session.ErrConflict) && pause(limited, attempt) == nil {
			continue
		}
		if err != nil {
			p.warn(ctx, agent, "refused tool call not logged", slog.String(logTool, use.Name), slog.Any(logError, err))
		}
		return refuse(by.wording(refusedTool, refusedChildTool), use.Name), false
	}
}

// refusalOf returns the event that tells of the agent's call that was refused.
func (by *planner) refusalOf(agent Agent, use ToolUse) session.Event {
	data := RefusalEvent{Tool: use.Name, CallID: use.CallID}
	if by.child {
		data.Agent = agent.ID()
	}
	return refusalEvent(data)
}

// passes reports whether a use runs in both modes.
func (g *Gate) passes(use ToolUse) bool {
	if use.Name == ToolName || slices.Contains(g.Allow, use.Name) {
		return true
	}
	return use.ReadOnly && slices.ContainsFunc(g.TrustReadOnly, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(use.Name, prefix)
		}
		return pattern == use.Name
	})
}

// checked returns a copy of the gate with its defaults, or what is wrong with it.
func (g *Gate) checked() (*Gate, error) {
	for _, name := range g.Allow {
		if strings.TrimSpace(name) == "" || strings.HasSuffix(name, "*") {
			return nil, fmt.Errorf("gate allows %q: the whole name of a tool was expected", name)
		}
	}
	for _, name := range g.TrustReadOnly {
		if strings.TrimSpace(name) == "" || strings.Contains(strings.TrimSuffix(name, "*"), "*") {
			return nil, fmt.Errorf("gate trusts %q: the name of a tool, or its beginning and *, was expected", name)
		}
	}
	if g.MaxRefusals < 0 {
		return nil, errors.New("gate has a negative MaxRefusals")
	}
	out := &Gate{Allow: slices.Clone(g.Allow), TrustReadOnly: slices.Clone(g.TrustReadOnly), MaxRefusals: g.MaxRefusals}
	if out.MaxRefusals == 0 {
		out.MaxRefusals = DefaultMaxRefusals
	}
	return out, nil
}
