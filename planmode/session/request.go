package session

import "encoding/json"

// Reasons why a request header is logged.
const (
	HeaderInitial = "initial" // the first of the session
	HeaderResume  = "resume"  // the first after the session was opened again
	HeaderChange  = "change"  // it differs from the last one
)

// Request is the part of a model request that stays the same from step to step. A host
// logs it before the first request and whenever it changed.
type Request struct {
	// Provider and Model name who is asked.
	Provider, Model string
	// Settings holds further fields of the configuration by name. It may be nil.
	Settings map[string]json.RawMessage
	// System is the system prompt; empty means none.
	System string
	// Tools is the tool catalog, one JSON object each; nil means none.
	Tools []json.RawMessage
}

// RequestHeader records the header of the requests to come, for a reason such as
// [HeaderChange]. The settings and tools are JSON, or RequestHeader panics.
func RequestHeader(r Request, reason string) Event {
	config := make(map[string]json.RawMessage, len(r.Settings)+2)
	for key, value := range r.Settings {
		config[key] = value
	}
	config["provider"] = payload(r.Provider)
	config["model"] = payload(r.Model)
	type header struct {
		Config map[string]json.RawMessage `json:"config"`
		System string                     `json:"system,omitempty"`
		Tools  []json.RawMessage          `json:"tools,omitempty"`
	}
	return Event{Type: "request/header", Data: payload(struct {
		Header header `json:"header"`
		Reason string `json:"reason"`
	}{header{Config: config, System: r.System, Tools: r.Tools}, reason})}
}
