package planmode

import (
	"context"
	"errors"

	"github.com/agentplan/sdk/planmode/session"
)

// Agent is one running agent as plan mode sees it. A host implements it; its methods
// are called from several goroutines.
//
//catalog:service agent
type Agent interface {
	// ID names the agent to people. Plan mode keeps nothing under it: the state of an
	// agent is that of its log.
	ID() string

	// Log returns the session log of the agent. Return the same handle each time: what
	// was folded of a log is remembered by its handle, and a new one is read from the
	// start.
	Log() session.Log

	// Steer submits text as a message of the user, to be part of the next step, and
	// returns once it is accepted: it starts a turn where none is open. After an error
	// nothing was submitted.
	Steer(ctx context.Context, text string) error
}

// errNoAgent reports a call without an agent.
var errNoAgent = errors.New("no agent given")

// logOf returns the log of the agent.
func logOf(agent Agent) (session.Log, error) {
	if agent == nil {
		return nil, errNoAgent
	}
	log := agent.Log()
	if log == nil {
		return nil, errors.New("agent has no log")
	}
	return log, nil
}
