package session

import (
	"bytes"
	"encoding/json"
)

// The kinds of a turn's end.
const (
	TurnCompleted   = "completed"
	TurnAborted     = "aborted"
	TurnBlocked     = "blocked"
	TurnError       = "error"
	TurnMaxTokens   = "max-tokens"
	TurnInterrupted = "interrupted" // closed by a repair after its process died
)

// TurnStart opens turn number turn, counted from 1 over the session.
func TurnStart(turn int64) Event {
	return Event{Type: "turn/start", Data: encode(turnData{Turn: turn})}
}

// TurnEnd closes a turn for the reason of that kind, such as [TurnCompleted].
func TurnEnd(turn int64, kind string) Event {
	return Event{Type: "turn/end", Data: encode(turnEndData{Turn: turn, Reason: turnEndReason{Kind: kind}})}
}

// StepStart opens step number step of a turn, counted from 1 within it.
func StepStart(turn, step int64) Event {
	return Event{Type: "step/start", Data: encode(stepData{Turn: turn, Step: step})}
}

// StepEnd closes a step.
func StepEnd(turn, step int64) Event {
	return Event{Type: "step/end", Data: encode(stepData{Turn: turn, Step: step})}
}

// EndSeed is the first event of a session after those that were copied into it.
func EndSeed() Event { return Event{Type: "session/end-seed", Data: json.RawMessage("{}")} }

// TurnOpen reports whether a turn is open after events, the beginning of a log.
func TurnOpen(events []Event) bool {
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Type {
		case "turn/start":
			return true
		case "turn/end":
			return false
		}
	}
	return false
}

type turnData struct {
	Turn int64 `json:"turn"`
}

type turnEndData struct {
	Turn   int64         `json:"turn"`
	Reason turnEndReason `json:"reason"`
}

type turnEndReason struct {
	Kind string `json:"kind"`
}

type stepData struct {
	Turn int64 `json:"turn"`
	Step int64 `json:"step"`
}

// encode returns the JSON of a payload of this package, without the escapes that only
// HTML needs.
func encode(payload any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(payload); err != nil {
		panic("session: encode a payload: " + err.Error())
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
