package loop

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// ErrNoCommand reports a command that nobody registered. Nothing was logged.
var ErrNoCommand = errors.New("no such command")

// RunCommand runs what the user typed after the slash, between its command/run and its
// command/done. Input is the rest of the line after the name. It may be called while a
// turn runs.
func (a *Agent) RunCommand(ctx context.Context, name, input string) (reply string, err error) {
	for _, c := range a.host.Commands() {
		if c.Name != name {
			continue
		}
		id := newID("command")
		if err := a.append(ctx, session.CommandRun(id, name, input)); err != nil {
			return "", fmt.Errorf("run command %s: %w", name, err)
		}
		reply, err := c.Run(ctx, a, input)
		done := session.CommandDone(id, reply)
		if err != nil {
			err = fmt.Errorf("run command %s: %w", name, err)
			done = session.CommandFailed(id, err.Error())
		}
		return reply, errors.Join(err, a.appendLast(ctx, done))
	}
	return "", fmt.Errorf("run command %s: %w", name, ErrNoCommand)
}
