package session

import (
	"context"
	"encoding/json"
	"fmt"
)

// Repair returns the events that close the turn which events, the beginning of a log,
// leave open, or nothing if no turn is open. Append them at the end of those events
// before the session goes on.
//
// A turn stays open when its process dies. Repair gives each tool call without a
// result a failed one, with the error code [ToolOutcomeUnknown] if the call was started
// and [ToolNotStarted] if the model only asked for it; then it ends the step and, as
// [TurnInterrupted], the turn. It needs the events of a log only from the last
// turn/start on; their Seq must be set.
func Repair(events []Event) []Event {
	var open openTurn
	for _, e := range events {
		open.fold(e)
	}
	return open.closers()
}

// RepairLog appends to the log what [Repair] says, and reports whether a turn was open.
// It is for the one who runs the turns of the session, before the first after it was
// opened again: a turn that another process still runs is closed as well. The error
// wraps [ErrConflict] if the log grows meanwhile.
func RepairLog(ctx context.Context, log Log) (repaired bool, err error) {
	var open openTurn
	for e, err := range log.Read(ctx, 0) {
		if err != nil {
			return false, fmt.Errorf("repair session %s: %w", log.ID(), err)
		}
		open.fold(e)
	}
	closers := open.closers()
	if len(closers) == 0 {
		return false, nil
	}
	if _, err := log.Append(ctx, int64(open.next), closers...); err != nil {
		return false, fmt.Errorf("repair session %s: %w", log.ID(), err)
	}
	return true, nil
}

// closers returns the events that close the turn.
func (t *openTurn) closers() []Event {
	if !t.open {
		return nil
	}
	var closers []Event
	for _, call := range t.calls {
		if !call.done {
			closers = append(closers, call.result(t.turn, t.next+uint64(len(closers))))
		}
	}
	if t.inStep {
		closers = append(closers, StepEnd(t.turn, t.step))
	}
	return append(closers, TurnEnd(t.turn, TurnInterrupted))
}

// openTurn is what Repair must know of a turn that has not ended.
type openTurn struct {
	open, inStep bool
	turn, step   int64
	calls        []pendingCall
	next         uint64 // the seq after the last event
}

// pendingCall is a tool call of the turn, in the order of first mention.
type pendingCall struct {
	id            string
	step          int64
	source        uint64
	started, done bool
}

func (t *openTurn) fold(e Event) {
	var data struct {
		Turn    int64  `json:"turn"`
		Step    int64  `json:"step"`
		CallID  string `json:"callId"`
		Message struct {
			Content []struct {
				Type       string `json:"type"`
				ID         string `json:"id"`
				ToolCallID string `json:"toolCallId"`
			} `json:"content"`
		} `json:"message"`
	}
	defer func() { t.next = e.Seq + 1 }()
	switch e.Type {
	case "turn/start", "step/start", "step/end", "assistant/message", "tool/call", "tool/result":
		// A payload that is not of this shape leaves zero values, and the turn is
		// closed all the same.
		_ = json.Unmarshal(e.Data, &data)
	}
	switch e.Type {
	case "turn/start":
		*t = openTurn{open: true, turn: data.Turn}
	case "turn/end":
		*t = openTurn{}
	case "step/start":
		t.inStep, t.step = true, data.Step
	case "step/end":
		t.inStep = false
	case "assistant/message":
		for _, block := range data.Message.Content {
			if block.Type == "tool-call" {
				t.call(block.ID, pendingCall{step: data.Step, source: e.Seq})
			}
		}
	case "tool/call":
		t.call(data.CallID, pendingCall{step: data.Step, source: e.Seq, started: true})
	case "tool/result":
		for _, block := range data.Message.Content {
			t.call(block.ToolCallID, pendingCall{done: true})
		}
	}
}

// call notes what became known of the call id: its newest mention that is not done, or
// a further call if there is none.
func (t *openTurn) call(id string, news pendingCall) {
	for i := len(t.calls) - 1; i >= 0; i-- {
		call := &t.calls[i]
		if call.id != id || call.done {
			continue
		}
		switch {
		case news.done:
			call.done = true
		case news.started && !call.started:
			call.started, call.source = true, news.source
		}
		return
	}
	if t.open && !news.done {
		news.id = id
		t.calls = append(t.calls, news)
	}
}

// result is the failed result of the call, the event that will have the seq.
func (c pendingCall) result(turn int64, seq uint64) Event {
	o := ToolOutcome{
		MessageID: fmt.Sprintf("repair-%d", seq),
		CallID:    c.id,
		IsError:   true,
		ErrorName: "ToolInterruptedError",
		ErrorCode: ToolOutcomeUnknown,
		Sources:   []uint64{c.source},
	}
	text := "The program ended while this call ran, so its outcome is unknown. " +
		"It may have had effects: look before you repeat it, and ask the user if you cannot tell."
	if !c.started {
		o.ErrorCode = ToolNotStarted
		text = "The program ended before this call was started. It had no effect."
	}
	o.Content = []Block{TextBlock(text)}
	return ToolResult(turn, c.step, o)
}
