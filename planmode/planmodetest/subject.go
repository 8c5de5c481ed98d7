package planmodetest

import (
	"context"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// Model stands in for the model of the host under test. The host calls it where it would
// send a request, and takes an error for one of the provider: it may repeat the request
// or end the turn.
type Model func(ctx context.Context, r Request) (Reply, error)

// Request is what the host sends to the model, as far as plan mode is concerned.
type Request struct {
	// System is the whole system prompt, "" if there is none.
	System string
	// Messages holds the text of each message in order, whoever wrote it. The text of a
	// tool result is a message of its own.
	Messages []string
	// Tools holds each tool as the host sends it, name, description and schema in some
	// fixed form.
	Tools []string
}

// Reply is what the model answers. A reply without calls ends the turn.
type Reply struct {
	// Text is the text of the reply.
	Text string
	// Calls are the tool calls of the reply, to be run in order.
	Calls []Call
}

// Call is a tool call that the model asks for.
type Call struct {
	// ID is the id of the call, unique within the session.
	ID string
	// Name is the name of the tool.
	Name string
	// Arguments is the JSON that the model wrote.
	Arguments string
}

// Subject is a host under test with one agent on an empty session, and the ways to drive
// it. Its functions are called one at a time.
type Subject struct {
	// Host is where plan mode is mounted.
	Host planmode.Host
	// Agent is the agent that Prompt drives.
	Agent planmode.Agent
	// Prompt submits a message of the user and runs the turn to its end. It returns an
	// error if the turn could not be completed.
	Prompt func(ctx context.Context, text string) error
	// Command runs what a user types after the slash, such as "plan" with "off". It is
	// needed exactly if Host is a [planmode.CommandHost]. It returns the reply, or an
	// error if there is no such command or it failed.
	Command func(ctx context.Context, name, input string) (string, error)
	// Settled returns when no turn runs any more and steered text was taken up. Nil
	// means that this is so whenever Prompt and Command have returned.
	Settled func(ctx context.Context) error
	// Nested runs a call as the host runs one that a tool makes of another tool, and
	// returns its result. It is called while a tool of a turn runs. Nil means that tools of
	// the host call no others.
	Nested func(ctx context.Context, c Call) (planmode.Result, error)
	// Child starts an agent that works for Agent, a [planmode.ChildAgent] on a session of
	// its own that offers the same tools and asks the same model, submits a message to it
	// and runs its turn to its end. It is called while a tool of a turn of Agent runs.
	// Nil means that the host has no such agents.
	Child func(ctx context.Context, text string) error
	// Compact replaces all messages so far by a summary that quotes none of them. Nil
	// means that the host cannot.
	Compact func(ctx context.Context) error
	// Switch makes the host go on with the session of another log, which is not empty:
	// Prompt drives that one from then on. It returns the agent of that session. Nil means
	// that the host cannot.
	Switch func(ctx context.Context, log session.Log) (planmode.Agent, error)
}

// Open makes a new host with an agent on an empty session that asks model, without plan
// mode. What it holds it gives back through t.Cleanup.
type Open func(t testing.TB, model Model) *Subject
