package session

import "encoding/json"

// Error codes of the results that a repair writes for calls without one.
const (
	// ToolOutcomeUnknown is the code for a call that was started: what it did is not
	// known.
	ToolOutcomeUnknown = "TOOL_OUTCOME_UNKNOWN"
	// ToolNotStarted is the code for a call that the model asked for and that was
	// never started.
	ToolNotStarted = "TOOL_NOT_STARTED"
)

// ToolCall records that a tool call starts. Arguments is the JSON text that the model
// wrote; it is logged as a string.
func ToolCall(turn, step int64, callID, name, arguments string) Event {
	return Event{Type: "tool/call", Data: payload(struct {
		Turn      int64  `json:"turn"`
		Step      int64  `json:"step"`
		CallID    string `json:"callId"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}{turn, step, callID, name, arguments})}
}

// ToolOutcome is how a tool call ended.
type ToolOutcome struct {
	// MessageID is the id of the message that carries the result, unique within the
	// session.
	MessageID string
	// CallID is the id of the call.
	CallID string
	// Content holds the blocks that the model reads; see [TextBlock].
	Content []Block
	// IsError marks a failed call.
	IsError bool
	// ErrorName and ErrorCode describe the failure to programs; both empty leaves the
	// description out.
	ErrorName, ErrorCode string
	// Sources are the seqs of the events the result came from, usually the tool/call.
	Sources []uint64
}

type toolError struct {
	Name string `json:"name"`
	Code string `json:"code"`
}

// ToolResult is the result of a tool call, at the end of what the model sees. The
// blocks of o.Content are JSON, or ToolResult panics.
func ToolResult(turn, step int64, o ToolOutcome) Event {
	content := o.Content
	if content == nil {
		content = []Block{}
	}
	block := payload(struct {
		Type       string  `json:"type"`
		ToolCallID string  `json:"toolCallId"`
		Content    []Block `json:"content"`
		IsError    bool    `json:"isError"`
	}{"tool-result", o.CallID, content, o.IsError})
	source := payload(struct {
		Kind   string `json:"kind"`
		CallID string `json:"callId"`
	}{"tool", o.CallID})
	data := struct {
		Turn    int64      `json:"turn"`
		Step    int64      `json:"step"`
		Message message    `json:"message"`
		Error   *toolError `json:"error,omitempty"`
	}{Turn: turn, Step: step, Message: newMessage(o.MessageID, "user", source, []json.RawMessage{block})}
	if o.ErrorName != "" || o.ErrorCode != "" {
		data.Error = &toolError{Name: o.ErrorName, Code: o.ErrorCode}
	}
	return Event{
		Type:            "tool/result",
		Data:            payload(data),
		SourceEventSeqs: o.Sources,
		SurfaceOp:       surfaceAppend(),
	}
}
