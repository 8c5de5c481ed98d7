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
	result := a.call(ctx, c)
	outcome.IsError = result.IsError
	outcome.Content = []session.Block{session.TextBlock(result.Content)}
	return a.appendLast(ctx, session.ToolResult(a.turns, step, outcome))
}

// call runs the tool of that name.
func (a *Agent) call(ctx context.Context, c Call) planmode.Result {
	args := c.Arguments
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	for _, t := range a.host.catalog() {
		if t.Name == c.Name {
			return t.Call(ctx, a, c.ID, json.RawMessage(args))
		}
	}
	return planmode.Result{Content: fmt.Sprintf("There is no tool %q.", c.Name), IsError: true}
}
