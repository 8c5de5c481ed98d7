package planmodetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/planmode"
)

// gateLog is what a gate of a check was asked and what ran, in order.
type gateLog struct {
	r      *rig
	happen []string
	refuse map[string]bool // names of tools
}

// refusalText is what a gate of a check says.
const refusalText = "the gate of the check refuses this"

// gate registers a gate that notes what it is asked.
func (g *gateLog) gate(name string) (remove func(), err error) {
	host, ok := g.r.Host.(planmode.GateHost)
	if !ok {
		return nil, errNotSupported
	}
	return host.AddGate(func(_ context.Context, a planmode.Agent, use planmode.ToolUse) (planmode.Result, bool) {
		g.note("%s asked for %s%s by %s", name, use.Name, hint(use.ReadOnly), g.who(a))
		if g.refuse[use.Name] {
			return planmode.Result{Content: refusalText, IsError: true}, false
		}
		return planmode.Result{}, true
	}), nil
}

func hint(readOnly bool) string {
	if readOnly {
		return " (read-only)"
	}
	return ""
}

// who names the agent that a gate was given.
func (g *gateLog) who(a planmode.Agent) string {
	own := g.r.Agent.Log().ID()
	switch {
	case a == nil:
		return "nobody"
	case a.Log().ID() == own:
		return "the agent"
	}
	if child, ok := a.(planmode.ChildAgent); ok && child.Parent() != nil && child.Parent().Log().ID() == own {
		return "a child"
	}
	return "an agent without a parent"
}

func (g *gateLog) note(format string, args ...any) {
	g.happen = append(g.happen, fmt.Sprintf(format, args...))
}

// tool registers a tool that notes that it ran.
func (g *gateLog) tool(name string, readOnly bool, run func(ctx context.Context)) error {
	_, err := g.r.Host.AddTool(planmode.Tool{
		Name: name, Description: "A tool of the check.", Schema: json.RawMessage(`{"type":"object"}`), ReadOnly: readOnly,
		Call: func(ctx context.Context, _ planmode.Agent, _ string, _ json.RawMessage) planmode.Result {
			g.note("%s ran", name)
			if run != nil {
				run(ctx)
			}
			return planmode.Result{Content: name + " worked"}
		},
	})
	if err != nil {
		return fmt.Errorf("add a tool: %w", err)
	}
	return nil
}

// logged reports whether the log has the tool/call of that id.
func (g *gateLog) logged(id string) bool {
	events, err := g.r.events()
	if err != nil {
		return false
	}
	for _, e := range events {
		var data struct{ CallID string }
		if e.Type == "tool/call" && json.Unmarshal(e.Data, &data) == nil && data.CallID == id {
			return true
		}
	}
	return false
}

func checkGateAsked(r *rig) error {
	g := &gateLog{r: r}
	if _, err := g.gate("first"); err != nil {
		return err
	}
	if _, err := g.gate("second"); err != nil {
		return err
	}
	var early []string
	r.Host.(planmode.GateHost).AddGate(func(_ context.Context, _ planmode.Agent, use planmode.ToolUse) (planmode.Result, bool) {
		if !g.logged(use.CallID) {
			early = append(early, use.CallID)
		}
		return planmode.Result{}, true
	})
	if err := errors.Join(g.tool("write", false, nil), g.tool("peek", true, nil)); err != nil {
		return err
	}
	r.calls(Call{ID: "c1", Name: "write", Arguments: `{}`}, Call{ID: "c2", Name: "peek", Arguments: `{}`})
	if _, err := r.prompt("go"); err != nil {
		return err
	}
	if len(early) > 0 {
		return fmt.Errorf("the gates were asked about the calls %q, which have no tool/call in the log", early)
	}
	return wantList("gates and tools", g.happen,
		"first asked for write by the agent", "second asked for write by the agent", "write ran",
		"first asked for peek (read-only) by the agent", "second asked for peek (read-only) by the agent", "peek ran")
}

func checkGateRefuses(r *rig) error {
	g := &gateLog{r: r, refuse: map[string]bool{"write": true}}
	if _, err := g.gate("first"); err != nil {
		return err
	}
	if _, err := g.gate("second"); err != nil {
		return err
	}
	if err := errors.Join(g.tool("write", false, nil), g.tool("peek", false, nil)); err != nil {
		return err
	}
	r.calls(Call{ID: "c1", Name: "write", Arguments: `{}`}, Call{ID: "c2", Name: "peek", Arguments: `{}`})
	got, err := r.prompt("go")
	if err != nil {
		return err
	}
	if len(got) != 2 || countHolding(got[1].Messages, refusalText) != 1 || countHolding(got[1].Messages, "write worked") > 0 {
		return fmt.Errorf("a refused call is not answered by its refusal alone: %+v", got)
	}
	if err := wantList("gates and tools", g.happen,
		"first asked for write by the agent",
		"first asked for peek by the agent", "second asked for peek by the agent", "peek ran"); err != nil {
		return err
	}
	return wantCallsLogged(r, map[string]bool{"c1": true, "c2": false})
}

func checkGateUndo(r *rig) error {
	g := &gateLog{r: r, refuse: map[string]bool{"write": true}}
	remove, err := g.gate("first")
	if err != nil {
		return err
	}
	if remove == nil {
		return errors.New("the registration of a gate gave no undo")
	}
	if err := g.tool("write", false, nil); err != nil {
		return err
	}
	remove()
	r.calls(Call{ID: "c1", Name: "write", Arguments: `{}`})
	if _, err := r.prompt("go"); err != nil {
		return err
	}
	return wantList("gates and tools", g.happen, "write ran")
}

func checkGateNested(r *rig) error {
	g := &gateLog{r: r, refuse: map[string]bool{"write": true}}
	if _, err := g.gate("gate"); err != nil || r.Nested == nil {
		return errNotSupported
	}
	var results []planmode.Result
	nested := func(ctx context.Context) {
		for i, name := range []string{"write", "peek"} {
			result, err := r.Nested(ctx, Call{ID: fmt.Sprint("n", i), Name: name, Arguments: `{}`})
			if err != nil {
				g.note("nested call of %s: %v", name, err)
			}
			results = append(results, result)
		}
	}
	if err := errors.Join(g.tool("write", false, nil), g.tool("peek", false, nil), g.tool("outer", false, nested)); err != nil {
		return err
	}
	r.calls(Call{ID: "c1", Name: "outer", Arguments: `{}`})
	if _, err := r.prompt("go"); err != nil {
		return err
	}
	if len(results) != 2 || !results[0].IsError || results[0].Content != refusalText || results[1].IsError {
		return fmt.Errorf("the results of a refused and of another nested call are %+v", results)
	}
	return wantList("gates and tools", g.happen,
		"gate asked for outer by the agent", "outer ran",
		"gate asked for write by the agent", "gate asked for peek by the agent", "peek ran")
}

func checkGateChild(r *rig) error {
	g := &gateLog{r: r, refuse: map[string]bool{"write": true}}
	if _, err := g.gate("gate"); err != nil || r.Child == nil {
		return errNotSupported
	}
	spawn := func(ctx context.Context) {
		if err := r.Child(ctx, "look into it"); err != nil {
			g.note("child: %v", err)
		}
	}
	if err := errors.Join(g.tool("write", false, nil), g.tool("peek", false, nil), g.tool("spawn", false, spawn)); err != nil {
		return err
	}
	r.calls(Call{ID: "c1", Name: "spawn", Arguments: `{}`})
	r.calls(Call{ID: "k1", Name: "write", Arguments: `{}`}, Call{ID: "k2", Name: "peek", Arguments: `{}`})
	if _, err := r.prompt("go"); err != nil {
		return err
	}
	return wantList("gates and tools", g.happen,
		"gate asked for spawn by the agent", "spawn ran",
		"gate asked for write by a child", "gate asked for peek by a child", "peek ran")
}

func checkGateOfPlanMode(r *rig) error {
	g := &gateLog{r: r}
	if _, ok := r.Host.(planmode.GateHost); !ok {
		return errNotSupported
	}
	p, unmount, err := r.mountWith(&planmode.Options{
		Reviewer: &answers{{Decision: planmode.Approve}},
		Gate:     &planmode.Gate{Allow: []string{"peek"}, TrustReadOnly: []string{"docs_*"}},
	})
	if err != nil {
		return fmt.Errorf("mount with a gate: %w", err)
	}
	if err := errors.Join(g.tool("write", false, nil), g.tool("peek", false, nil), g.tool("docs_find", true, nil)); err != nil {
		return err
	}
	use := func(prefix string) {
		r.calls(Call{ID: prefix + "1", Name: "write", Arguments: `{}`}, Call{ID: prefix + "2", Name: "peek", Arguments: `{}`}, Call{ID: prefix + "3", Name: "docs_find", Arguments: `{}`})
	}
	use("a")
	inactive, err := r.prompt("go")
	if err != nil {
		return err
	}
	if _, err := p.Set(r.ctx, r.Agent, true); err != nil {
		return err
	}
	use("b")
	r.calls(exitCall("x"))
	use("c")
	active, err := r.prompt("plan it")
	if err != nil {
		return err
	}
	unmount()
	all := []string{"write ran", "peek ran", "docs_find ran"}
	if err := wantList("tools that ran", g.happen, slices.Concat(all, all[1:], all)...); err != nil {
		return err
	}
	for i, request := range active {
		if err := wantList(fmt.Sprintf("tool catalog of request %d in plan mode", i+1), request.Tools, inactive[0].Tools...); err != nil {
			return err
		}
	}
	if len(active) != 4 || countHolding(active[1].Messages, "The call was refused") != 1 || !strings.Contains(active[1].System, guidance) {
		return fmt.Errorf("the model does not read once that its call was refused: %+v", active)
	}
	events, err := r.events()
	if err != nil {
		return err
	}
	refusals := 0
	for _, e := range events {
		if e.Type == planmode.EventRefusal {
			refusals++
		}
	}
	if refusals != 1 {
		return fmt.Errorf("%d refusals are in the log, want 1", refusals)
	}
	return wantValid(r)
}
