package session

import "encoding/json"

// CommandRun records that the user ran the command name. Args is what followed the
// name, leading space included; it is logged even if empty.
func CommandRun(commandID, name, args string) Event {
	return Event{Type: "command/run", Data: payload(struct {
		CommandID string          `json:"commandId"`
		Name      string          `json:"name"`
		Args      string          `json:"args"`
		Source    json.RawMessage `json:"source"`
	}{commandID, name, args, UserSource()})}
}

// CommandDone records that a command ended well, with its reply to the user.
func CommandDone(commandID, reply string) Event { return commandDone(commandID, "success", reply) }

// CommandFailed records that a command failed, with what the user was told.
func CommandFailed(commandID, reply string) Event { return commandDone(commandID, "error", reply) }

func commandDone(commandID, kind, text string) Event {
	return Event{Type: "command/done", Data: payload(struct {
		CommandID string `json:"commandId"`
		Kind      string `json:"kind"`
		Text      string `json:"text,omitempty"`
	}{commandID, kind, text})}
}
