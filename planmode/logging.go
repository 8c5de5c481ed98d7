package planmode

import (
	"context"
	"log/slog"
)

// The keys of what is logged through log/slog, see the package comment.
const (
	logSession  = "session"
	logAgent    = "agent"
	logReview   = "review"
	logRevision = "revision"
	logTool     = "tool"
	logPath     = "path"
	logError    = "error"
)

// warn logs what could not be done for an agent, with its session.
func (p *PlanMode) warn(ctx context.Context, agent Agent, message string, attrs ...slog.Attr) {
	logger := p.logger()
	if !logger.Enabled(ctx, slog.LevelWarn) {
		return
	}
	var all []slog.Attr
	if agent != nil {
		all = append(all, slog.String(logAgent, agent.ID()))
		if log := agent.Log(); log != nil {
			all = append(all, slog.String(logSession, log.ID()))
		}
	}
	logger.LogAttrs(ctx, slog.LevelWarn, "plan mode: "+message, append(all, attrs...)...)
}
