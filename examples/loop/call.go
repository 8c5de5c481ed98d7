package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// runCall runs a tool call between its tool/call and its tool/result. Every call that a
// reply asks for gets a result, so that the conversation stays whole when a turn is
// cancelled.
func (a *Agent) runCall(ctx context.Context, step int64, c Call) error {
	outcome := session.ToolOutcome{MessageID: newID("message"), CallID: c.ID}
	if ctx.Err() != nil {
		outcome.IsError = true
		outcome.ErrorName, outcome.ErrorCode = "ToolNotStartedError", session.ToolNotStarted
		outcome.Content = []session.Block{session.TextBlock("The user cancelled the turn before this call was started. It had no effect.")}
		return a.appendLast(ctx, session.ToolResult(a.turns, step, outcome))
	}
	if err := a.append(ctx, session.ToolCall(a.turns, step, c.ID, c.Name, c.Arguments)); err != nil {
		return err
	}
	result := a.CallTool(ctx, c)
	outcome.IsError = result.IsError
	outcome.Content = []session.Block{session.TextBlock(result.Content)}
	return a.appendLast(ctx, session.ToolResult(a.turns, step, outcome))
}

// CallTool runs the tool of that name if the gates let it. Whoever calls a tool does it
// through here, also a tool that calls others: there is no way around the gates.
func (a *Agent) CallTool(ctx context.Context, c Call) planmode.Result {
	args := c.Arguments
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	for _, t := range a.host.catalog() {
		if t.Name != c.Name {
			continue
		}
		use := planmode.ToolUse{Name: t.Name, CallID: c.ID, ReadOnly: t.ReadOnly}
		if refusal, ok := a.host.admit(ctx, a, use); !ok {
			return refusal
		}
		return t.Call(ctx, a, c.ID, json.RawMessage(args))
	}
	return planmode.Result{Content: fmt.Sprintf("There is no tool %q.", c.Name), IsError: true}
}
