package session

import (
	"encoding/json"
	"fmt"
)

// Block is one content block of a message, a JSON object with a type.
type Block = json.RawMessage

// TextBlock is a block of text.
func TextBlock(text string) Block {
	return payload(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
}

// ToolCallBlock is the block by which a model asks for a tool call. Arguments is the
// JSON text that the model wrote, kept as a string.
func ToolCallBlock(callID, name, arguments string) Block {
	return payload(struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}{"tool-call", callID, name, arguments})
}

// UserSource is the source of a message that the user wrote.
func UserSource() json.RawMessage { return json.RawMessage(`{"kind":"user"}`) }

// PluginSource is the source of a message that a plug-in wrote for the user's side.
// Form says what kind of message it is, summary is for a reader of the log.
func PluginSource(plugin, form, summary string) json.RawMessage {
	return payload(struct {
		Kind    string `json:"kind"`
		Plugin  string `json:"plugin"`
		Form    string `json:"form"`
		Summary string `json:"summary"`
	}{"plugin", plugin, form, summary})
}

type message struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content []Block         `json:"content"`
	Source  json.RawMessage `json:"source"`
}

func newMessage(id, role string, source json.RawMessage, content []Block) message {
	if content == nil {
		content = []Block{}
	}
	if !json.Valid(source) {
		panic(fmt.Sprintf("session: source of message %q is not JSON", id))
	}
	return message{ID: id, Role: role, Content: content, Source: source}
}

// UserMessage is a message on the user's side of the conversation, at the end of what
// the model sees. The id is unique within the session. Source and content are JSON, or
// UserMessage panics; see [UserSource], [PluginSource] and [TextBlock].
func UserMessage(id string, source json.RawMessage, content ...Block) Event {
	return Event{
		Type:      "user/message",
		Data:      payload(newMessage(id, "user", source, content)),
		SurfaceOp: surfaceAppend(),
	}
}

// Reply is what a model answered in a step.
type Reply struct {
	// ID is the id of the message, unique within the session.
	ID string
	// Provider and Model name who answered.
	Provider, Model string
	// Content holds the blocks; see [TextBlock] and [ToolCallBlock].
	Content []Block
	// InputTokens and OutputTokens are the usage that the provider reported; both 0
	// means it reported none.
	InputTokens, OutputTokens int64
	// Sources are the seqs of the chunks the message was put together from, if any.
	Sources []uint64
}

type usage struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
}

// AssistantMessage is a model's reply, at the end of what the model sees. The blocks of
// r.Content are JSON, or AssistantMessage panics.
func AssistantMessage(turn, step int64, r Reply) Event {
	source := payload(struct {
		Kind     string `json:"kind"`
		Provider string `json:"provider"`
		Model    string `json:"model"`
	}{"model", r.Provider, r.Model})
	data := struct {
		Turn    int64   `json:"turn"`
		Step    int64   `json:"step"`
		Message message `json:"message"`
		Usage   *usage  `json:"usage,omitempty"`
	}{Turn: turn, Step: step, Message: newMessage(r.ID, "assistant", source, r.Content)}
	if r.InputTokens != 0 || r.OutputTokens != 0 {
		data.Usage = &usage{InputTokens: r.InputTokens, OutputTokens: r.OutputTokens}
	}
	return Event{
		Type:            "assistant/message",
		Data:            payload(data),
		SourceEventSeqs: r.Sources,
		SurfaceOp:       surfaceAppend(),
	}
}
