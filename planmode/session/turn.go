package session

import "encoding/json"

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
	return Event{Type: "turn/start", Data: payload(turnData{Turn: turn})}
}

// TurnEnd closes a turn for the reason of that kind, such as [TurnCompleted].
func TurnEnd(turn int64, kind string) Event {
	return Event{Type: "turn/end", Data: payload(turnEndData{Turn: turn, Reason: turnEndReason{Kind: kind}})}
}

// StepStart opens step number step of a turn, counted from 1 within it.
func StepStart(turn, step int64) Event {
	return Event{Type: "step/start", Data: payload(stepData{Turn: turn, Step: step})}
}

// StepEnd closes a step.
func StepEnd(turn, step int64) Event {
	return Event{Type: "step/end", Data: payload(stepData{Turn: turn, Step: step})}
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
