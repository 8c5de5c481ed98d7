package loop

import (
	"context"
	"errors"

	"github.com/agentplan/sdk/planmode"
)

// ErrTemporary is wrapped by the error of a [Model] that may answer when it is asked
// again.
var ErrTemporary = errors.New("the model is not available now")

// Model answers requests.
type Model interface {
	// Name returns who is asked: the provider and its model.
	Name() (provider, model string)

	// Reply answers a request. It returns soon after ctx ends. An error that wraps
	// [ErrTemporary] is worth a further request, any other ends the turn.
	Reply(ctx context.Context, r Request) (Reply, error)
}

// Request is what a model is asked.
type Request struct {
	System   string
	Messages []Message
	Tools    []planmode.Tool
}

// Role tells whose message it is.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of the conversation.
type Message struct {
	Role Role
	// Text holds the text blocks, a line apart.
	Text string
	// Plugin names the plug-in that wrote a message of [RoleUser]; empty means that the
	// user did.
	Plugin string
	// Calls are the tool calls that a message of [RoleAssistant] asks for.
	Calls []Call
	// CallID names the call that a message of [RoleTool] answers, Failed whether it
	// failed.
	CallID string
	Failed bool
}

// Call is a tool call that a model asks for.
type Call struct {
	ID, Name string
	// Arguments is the JSON that the model wrote.
	Arguments string
}

// Reply is what a model answers. Without calls it ends the turn.
type Reply struct {
	Text  string
	Calls []Call
	// Truncated tells that the reply reached a limit of length and is not complete.
	Truncated bool
	// InputTokens and OutputTokens are the usage; both 0 means unknown.
	InputTokens, OutputTokens int64
}
