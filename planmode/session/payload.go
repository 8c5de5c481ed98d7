package session

import (
	"bytes"
	"encoding/json"
)

// payload returns the JSON of a payload of this package, without the escapes that only
// HTML needs.
func payload(value any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic("session: encode a payload: " + err.Error())
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// surfaceAppend is the surfaceOp of a message that goes to the end of the surface.
func surfaceAppend() json.RawMessage { return json.RawMessage(`"append"`) }
