package planmode

import (
	"bytes"
	"encoding/json"

	"github.com/agentplan/sdk/planmode/session"
)

// Types of the events that plan mode writes.
const (
	// EventMode is the type of [ModeEvent].
	EventMode = "plan/mode"
	// EventSelect is the type of [SelectEvent].
	EventSelect = "plan/select"
	// EventReview is the type of [ReviewEvent].
	EventReview = "plan/review"
	// EventHandoff is the type of [HandoffEvent].
	EventHandoff = "plan/handoff"
	// EventRefusal is the type of [RefusalEvent].
	EventRefusal = "plan/refusal"
)

// Types of the events that plan mode reads and that the host writes, notices apart.
const (
	eventTurnStart   = "turn/start"
	eventTurnEnd     = "turn/end"
	eventHeader      = "request/header"
	eventToolCall    = "tool/call"
	eventToolResult  = "tool/result"
	eventUserMessage = "user/message"
	eventCommandRun  = "command/run"
	eventCommandDone = "command/done"
)

// ModeEvent is the payload of plan/mode: the state of plan mode from here on, as a whole
// value. The last one in a log is in force; without any, plan mode is inactive. It
// clears the selection that was waiting, and a value of false ends an open review.
//
//catalog:event plan/mode log-only
type ModeEvent struct {
	// Active tells whether plan mode is in force from here on.
	Active bool `json:"active"`
}

// SelectEvent is the payload of plan/select: a state was selected. It is in force from
// the next plan/mode on. The last one after the last plan/mode stands. A selection of
// inactive by the user ends an open review. Readers that do not know plan/select may
// pass over it.
//
//catalog:event plan/select log-only
type SelectEvent struct {
	// Active is the state that was selected.
	Active bool `json:"active"`
	// By tells who selected it: user or policy.
	By Actor `json:"by"`
}

// ReviewEvent is the payload of plan/review, in one of three shapes. Opened: id, callId,
// revision, state open, plan, sha256. Parked, because the call that opened it does not
// wait: id, state parked. Settled: id, a final state, sha256, by, awaited, and what there
// is of feedback, decision, plan, planSha256, comments and session. A settlement of a
// review that is not open is ignored. Readers that do not know plan/review may pass over
// it.
//
//catalog:event plan/review log-only
type ReviewEvent struct {
	// ID names the review.
	ID string `json:"id"`
	// CallID is the id of the exit_plan_mode call that opened the review.
	CallID string `json:"callId,omitempty"`
	// Revision counts the reviews of the session from 1.
	Revision int `json:"revision,omitempty"`
	// State is open, parked or one of the five states in which an answer leaves a
	// review: approved, revise, dismissed, aborted, expired.
	State string `json:"state"`
	// Plan is the text under review, byte for byte. In a settlement it is the text that
	// the user made of it, and what an approval approves.
	Plan string `json:"plan,omitempty"`
	// SHA256 is the hash of the text in lower-case hex. In a settlement it is the hash
	// of the text that the answer is about.
	SHA256 string `json:"sha256,omitempty"`
	// Feedback is what the user wrote with the answer, word for word.
	Feedback string `json:"feedback,omitempty"`
	// By tells who settled the review: user, policy or host.
	By Actor `json:"by,omitempty"`
	// Awaited tells whether a call was waiting for the answer, so that its result tells
	// the model. Only settlements have it.
	Awaited *bool `json:"awaited,omitempty"`
	// Decision is the decision that counts. It is absent where it follows from the state:
	// approve, revise and dismiss, or none.
	Decision Decision `json:"decision,omitempty"`
	// PlanSHA256 is the hash of Plan in a settlement, in lower-case hex.
	PlanSHA256 string `json:"planSha256,omitempty"`
	// Comments are what the user wrote about lines of the plan.
	Comments []Comment `json:"comments,omitempty"`
	// Session is the id of the session that an approval with a fresh context makes.
	Session string `json:"session,omitempty"`
}

// HandoffEvent is the payload of plan/handoff: the session that an approval with a fresh
// context asked for exists and begins with the plan. It is written together with the
// plan/mode that leaves plan mode for the approval, and neither before the new session is
// complete. One without an open hand-off of its id is ignored. Readers that do not know
// plan/handoff may pass over it.
//
//catalog:event plan/handoff log-only
type HandoffEvent struct {
	// ID names the review.
	ID string `json:"id"`
	// Session is the id of the new session.
	Session string `json:"session"`
	// SHA256 is the hash of the plan that was handed over, in lower-case hex.
	SHA256 string `json:"sha256"`
}

// RefusalEvent is the payload of plan/refusal: while plan mode was in force, the gate
// refused a tool call. It is in the log of the agent whose plan mode it is. Readers that
// do not know plan/refusal may pass over it.
//
//catalog:event plan/refusal log-only
type RefusalEvent struct {
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// CallID is the id of the call, if it has one.
	CallID string `json:"callId,omitempty"`
	// Agent is the id of the child agent that made the call; absent if the agent of this
	// log made it.
	Agent string `json:"agent,omitempty"`
}

// Actor tells on whose behalf an event was written.
//
//catalog:type
type Actor string

// The actors of plan mode.
const (
	// ByUser is the person at the session.
	ByUser Actor = "user"
	// ByPolicy is a rule that the operator set, such as a time limit.
	ByPolicy Actor = "policy"
	// ByHost is the program, where nobody decided: a review that it had to end.
	ByHost Actor = "host"
	// ByReview stands in a [Change] that follows from a review, and in no event.
	ByReview Actor = "review"
	// ByModel stands in a [Change] that the model brought about by presenting a plan,
	// and in no event.
	ByModel Actor = "model"
)

// NoticeEvent is the payload of a user/message by which plan mode tells the model that
// its context changed, or by which it hands a plan over to a new session, as the first
// event there. It is an ordinary message to the host, and part of every request until it
// is compacted away. Plan mode knows it by its source and reads no text of it, except
// that the plan which was handed over is the block that has the hash of the source.
//
//catalog:event user/message surface
type NoticeEvent struct {
	// ID is the id of the message, unique within the session.
	ID string `json:"id"`
	// Role is user.
	Role string `json:"role"`
	// Content holds one block of text, and where a plan is handed over another one with
	// the plan alone.
	Content []session.Block `json:"content"`
	// Source tells that plan mode wrote the message.
	Source NoticeSource `json:"source"`
}

// NoticeSource marks a message as one that plan mode wrote.
//
//catalog:type
type NoticeSource struct {
	// Kind is plugin.
	Kind string `json:"kind"`
	// Plugin is plan-mode.
	Plugin string `json:"plugin"`
	// Form is notice or handoff.
	Form string `json:"form"`
	// Summary tells a reader of the log what the message is about.
	Summary string `json:"summary"`
	// Reviews names the reviews whose answers a notice carries, if there are any.
	Reviews []string `json:"reviews,omitempty"`
	// ReviewID, and all below it, tells where a plan that is handed over comes from: the
	// id of its review.
	ReviewID string `json:"reviewId,omitempty"`
	// Revision is the number of the review.
	Revision int `json:"revision,omitempty"`
	// SHA256 is the hash of the plan in lower-case hex.
	SHA256 string `json:"sha256,omitempty"`
	// Edited tells that the user edited the plan before approving it.
	Edited bool `json:"edited,omitempty"`
	// From is the id of the session in which the plan was approved.
	From string `json:"from,omitempty"`
}

// ToolCallEvent is the part of a tool/call that plan mode reads, to know the results of
// exit_plan_mode.
//
//catalog:event tool/call log-only
type ToolCallEvent struct {
	// CallID is the id of the call.
	CallID string `json:"callId"`
	// Name is the name of the tool.
	Name string `json:"name"`
}

// ToolResultEvent is the part of a tool/result that plan mode reads. A successful result
// of exit_plan_mode has told the model that it is leaving plan mode. Where no
// plan/review was opened by the call it is also a selection of inactive by the user, as
// in logs of harnesses that have no such event.
//
//catalog:event tool/result surface
type ToolResultEvent struct {
	// Message carries the result to the model.
	Message ToolResultMessage `json:"message"`
	// Error describes a failed call; nil for none. A result with one is no success, and
	// with the code TOOL_OUTCOME_UNKNOWN or TOOL_NOT_STARTED it is a repair, which
	// carries no answer to the model.
	Error *ToolResultError `json:"error,omitempty"`
}

// ToolResultMessage is the message of a [ToolResultEvent].
//
//catalog:type
type ToolResultMessage struct {
	// Source names the call.
	Source ToolResultSource `json:"source"`
	// Content holds the blocks of the message. If one of them is an error the call
	// failed.
	Content []ToolResultBlock `json:"content"`
}

// ToolResultSource is the source of a [ToolResultMessage].
//
//catalog:type
type ToolResultSource struct {
	// CallID is the id of the call.
	CallID string `json:"callId"`
}

// ToolResultBlock is a block of a [ToolResultMessage].
//
//catalog:type
type ToolResultBlock struct {
	// IsError tells whether the call failed; absent means it did not.
	IsError bool `json:"isError"`
}

// ToolResultError is the error of a [ToolResultEvent].
//
//catalog:type
type ToolResultError struct {
	// Code names the failure to programs.
	Code string `json:"code"`
}

// CommandRunEvent is the part of a command/run that plan mode reads. One named plan
// announces a selection, which [Service.Get] shows as pending until the command is done
// or a plan/select or plan/mode comes.
//
//catalog:event command/run log-only
type CommandRunEvent struct {
	// CommandID pairs the event with its command/done.
	CommandID string `json:"commandId"`
	// Name is the name of the command without the slash.
	Name string `json:"name"`
	// Args is what followed the name. Without it nothing is announced.
	Args string `json:"args,omitempty"`
}

// CommandDoneEvent is the part of a command/done that plan mode reads. For a running
// /plan, success makes what it announced the selection, and error drops it.
//
//catalog:event command/done log-only
type CommandDoneEvent struct {
	// CommandID pairs the event with its command/run.
	CommandID string `json:"commandId"`
	// Kind is success or error.
	Kind string `json:"kind"`
}

func modeEvent(active bool) session.Event {
	return session.Event{Type: EventMode, Data: encode(ModeEvent{Active: active})}
}

func selectEvent(active bool) session.Event {
	return session.Event{Type: EventSelect, Data: encode(SelectEvent{Active: active, By: ByUser}), Ignorable: true}
}

func reviewEvent(data ReviewEvent) session.Event {
	return session.Event{Type: EventReview, Data: encode(data), Ignorable: true}
}

func handoffEvent(data HandoffEvent) session.Event {
	return session.Event{Type: EventHandoff, Data: encode(data), Ignorable: true}
}

func refusalEvent(data RefusalEvent) session.Event {
	return session.Event{Type: EventRefusal, Data: encode(data), Ignorable: true}
}

func noticeEvent(data NoticeEvent) session.Event {
	return session.Event{
		Type:      eventUserMessage,
		Data:      encode(data),
		SurfaceOp: json.RawMessage(`"append"`),
	}
}

// encode returns the JSON of a payload of this package.
func encode(value any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic("planmode: encode a payload: " + err.Error())
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
