package loop

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// Compact replaces all messages that the model sees by one line. Nothing is deleted from
// the log, so plan mode is where it was. It waits for the running turn.
func (a *Agent) Compact(ctx context.Context) error {
	a.running.Lock()
	defer a.running.Unlock()
	if err := a.surface.follow(ctx, a.log); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	n := len(a.surface.messages)
	text := fmt.Sprintf("The conversation so far, %d messages, was left out to save space.", n)
	summary := session.UserMessage(newID("message"), session.PluginSource("loop", "summary", "compaction"), session.TextBlock(text))
	summary.SurfaceOp = json.RawMessage(fmt.Sprintf(`{"op":"replace","start":0,"end":%d}`, n))
	if _, err := a.log.Append(ctx, a.surface.position, summary); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return nil
}
