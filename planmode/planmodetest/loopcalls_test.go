package planmodetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/planmodetest"
	"github.com/agentplan/sdk/planmode/session"
)

// admit asks the gates.
func (l *loop) admit(ctx context.Context, t planmode.Tool, callID string) (planmode.Result, bool) {
	use := planmode.ToolUse{Name: t.Name, CallID: callID, ReadOnly: t.ReadOnly && !l.faults["hides hints"]}
	var agent planmode.Agent = l
	if l.parent != nil && l.faults["asks in the name of the parent"] {
		agent = l.parent
	}
	for _, gate := range l.gates {
		if refusal, ok := (*gate)(ctx, agent, use); !ok && !l.faults["ignores refusals"] {
			return refusal, false
		}
	}
	return planmode.Result{}, true
}

// use runs a tool if the gates let it.
func (l *loop) use(ctx context.Context, t planmode.Tool, call planmodetest.Call) planmode.Result {
	if l.faults["asks after the call"] {
		result := t.Call(ctx, l, call.ID, json.RawMessage(call.Arguments))
		if refusal, ok := l.admit(ctx, t, call.ID); !ok {
			return refusal
		}
		return result
	}
	refusal, ok := l.admit(ctx, t, call.ID)
	switch {
	case ok:
		return t.Call(ctx, l, call.ID, json.RawMessage(call.Arguments))
	case l.faults["hides refusals"]:
		return planmode.Result{Content: "not now", IsError: true}
	case l.faults["takes refusals for success"]:
		refusal.IsError = false
	}
	return refusal
}

// nested runs a call that a tool makes.
func (l *loop) nested(ctx context.Context, call planmodetest.Call) (planmode.Result, error) {
	i := slices.IndexFunc(l.tools, func(t planmode.Tool) bool { return t.Name == call.Name })
	if i < 0 {
		return planmode.Result{}, fmt.Errorf("no tool %s", call.Name)
	}
	if l.faults["forgets nested calls"] {
		return l.tools[i].Call(ctx, l, call.ID, json.RawMessage(call.Arguments)), nil
	}
	return l.use(ctx, l.tools[i], call), nil
}

func (l *loop) call(ctx context.Context, step int64, call planmodetest.Call) error {
	i := slices.IndexFunc(l.tools, func(t planmode.Tool) bool { return t.Name == call.Name })
	if i < 0 {
		return fmt.Errorf("no tool %s", call.Name)
	}
	logged := session.ToolCall(l.turn, step, call.ID, call.Name, call.Arguments)
	if l.faults["logs calls late"] {
		l.admit(ctx, l.tools[i], call.ID)
	}
	if err := l.append(ctx, logged); err != nil {
		return err
	}
	if l.faults["logs calls late"] {
		return l.finish(ctx, step, call, l.tools[i].Call(ctx, l, call.ID, json.RawMessage(call.Arguments)))
	}
	return l.finish(ctx, step, call, l.use(ctx, l.tools[i], call))
}

// finish logs the result of a call.
func (l *loop) finish(ctx context.Context, step int64, call planmodetest.Call, result planmode.Result) error {
	if result.IsError && l.faults["ends turns on failure"] {
		return errors.New(result.Content)
	}
	return l.append(ctx, session.ToolResult(l.turn, step, session.ToolOutcome{
		MessageID: l.id("m"), CallID: call.ID, IsError: result.IsError != l.faults["confuses failures"],
		Content: []session.Block{session.TextBlock(result.Content)},
	}))
}
