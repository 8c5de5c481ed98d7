package loop

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// Options are the choices of an [Agent]. Nil and zero values are the defaults.
type Options struct {
	// MaxSteps bounds the steps of a turn. Zero means 40.
	MaxSteps int64
	// Retries is how often a request is repeated after a temporary error. Zero means 2.
	Retries int
	// RetryDelay is the pause before the first repetition; each further one is twice as
	// long. Zero means one second.
	RetryDelay time.Duration
	// ReadOnly makes an agent that runs no turns, for a process beside the one that
	// does: commands and reviews work, messages are refused.
	ReadOnly bool
	// Parent is the agent that this one works for, nil if there is none.
	Parent planmode.Agent
}

// ErrReadOnly reports a message or a turn of an agent that runs no turns.
var ErrReadOnly = errors.New("another process runs the turns of this session")

// Agent runs turns on a session log. Steer, RunCommand, Waiting and Wake are safe for
// concurrent use; turns run one at a time.
type Agent struct {
	host  *Host
	log   session.Log
	model Model
	opts  Options
	wake  chan struct{}

	mu    sync.Mutex
	inbox []string

	// What follows belongs to the running turn.
	running  sync.Mutex
	turns    int64           // the number of the last turn in the log
	surface  surface         // what the model sees
	header   json.RawMessage // the payload of the last header of this process
	reopened bool            // the log had a header before this process came
}

var _ planmode.ChildAgent = (*Agent)(nil)

// New returns an agent on a log, which may be that of an earlier process; run [Repair]
// first.
func New(ctx context.Context, host *Host, log session.Log, model Model, opts *Options) (*Agent, error) {
	a := &Agent{host: host, log: log, model: model, wake: make(chan struct{}, 1)}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.MaxSteps == 0 {
		a.opts.MaxSteps = 40
	}
	if a.opts.Retries == 0 {
		a.opts.Retries = 2
	}
	if a.opts.RetryDelay == 0 {
		a.opts.RetryDelay = time.Second
	}
	for e, err := range log.Read(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("open agent on session %s: %w", log.ID(), err)
		}
		switch e.Type {
		case "turn/start":
			var data struct{ Turn int64 }
			if err := json.Unmarshal(e.Data, &data); err == nil {
				a.turns = max(a.turns, data.Turn)
			}
		case "request/header":
			a.reopened = true
		}
	}
	return a, nil
}

// ID names the agent after its session.
func (a *Agent) ID() string { return a.log.ID() }

// Log returns the session log.
func (a *Agent) Log() session.Log { return a.log }

// Parent returns the agent that this one works for, nil if there is none.
func (a *Agent) Parent() planmode.Agent { return a.opts.Parent }

// Steer takes a message of the user. The running turn takes it up at its next step; with
// none running, [Agent.Wake] tells the program to run one.
func (a *Agent) Steer(ctx context.Context, text string) error {
	if a.opts.ReadOnly {
		return ErrReadOnly
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	a.inbox = append(a.inbox, text)
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
	return nil
}

// Wake returns a channel that gets a value when a message came. Whoever runs the turns
// receives from it, and runs one while [Agent.Waiting] says so.
func (a *Agent) Wake() <-chan struct{} { return a.wake }

// Waiting reports whether messages wait for a step.
func (a *Agent) Waiting() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.inbox) > 0
}

// takeSteered returns the messages that wait.
func (a *Agent) takeSteered() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	texts := a.inbox
	a.inbox = nil
	return texts
}

// append adds events at the end of the log, wherever others have moved it.
func (a *Agent) append(ctx context.Context, events ...session.Event) error {
	_, err := a.log.Append(ctx, session.Any, events...)
	return err
}

// closing bounds the appends that must happen although a turn was cancelled.
const closing = 10 * time.Second

// appendLast adds events also when the context has ended, so that what began is closed.
func (a *Agent) appendLast(ctx context.Context, events ...session.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	return a.append(ctx, events...)
}

// newID returns an id that no other message or command has.
func newID(kind string) string { return kind + "-" + rand.Text() }
