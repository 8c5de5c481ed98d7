package session

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	object := json.RawMessage(`{}`)
	surface := json.RawMessage(`"append"`)
	for _, c := range []struct {
		name  string
		event Event
		want  string // part of the error; empty means valid
	}{
		{"known", Event{Type: "turn/start", Data: object}, ""},
		{"unknown", Event{Type: "x/y", Data: object}, "unknown and not ignorable"},
		{"unknown, ignorable", Event{Type: "x/y", Data: json.RawMessage(`[1]`), Ignorable: true}, ""},
		{"packed row", Event{Type: "text-chunks", Data: object}, "unknown and not ignorable"},
		{"surface", Event{Type: "user/message", Data: object, SurfaceOp: surface}, ""},
		{"surface missing", Event{Type: "assistant/message", Data: object}, "surfaceOp is missing"},
		{"surface forbidden", Event{Type: "tool/call", Data: object, SurfaceOp: surface}, "surfaceOp is not allowed"},
		{"surface forbidden, ignorable", Event{Type: "x/y", Data: object, Ignorable: true, SurfaceOp: surface}, "surfaceOp is not allowed"},
		{"surface replaces", Event{Type: "user/message", Data: object, SurfaceOp: json.RawMessage(` { "end":3, "start":1,"op":"replace"}`)}, ""},
		{"surface without end", Event{Type: "user/message", Data: object, SurfaceOp: json.RawMessage(`{"op":"replace","start":1}`)}, "surfaceOp is neither"},
		{"surface with extra", Event{Type: "user/message", Data: object, SurfaceOp: json.RawMessage(`{"op":"replace","start":1,"end":2,"x":1}`)}, "surfaceOp is neither"},
		{"surface with fraction", Event{Type: "user/message", Data: object, SurfaceOp: json.RawMessage(`{"op":"replace","start":1.5,"end":2}`)}, "surfaceOp is neither"},
		{"surface null", Event{Type: "user/message", Data: object, SurfaceOp: json.RawMessage(`null`)}, "surfaceOp is neither"},
		{"surface not JSON", Event{Type: "user/message", Data: object, SurfaceOp: json.RawMessage(`{"op"`)}, "surfaceOp is neither"},
		{"no data", Event{Type: "turn/start"}, "data is not JSON"},
		{"data twice", Event{Type: "turn/start", Data: json.RawMessage(`{}{}`)}, "data is not JSON"},
		{"data no object", Event{Type: "turn/start", Data: json.RawMessage(` null`)}, "data is not an object"},
		{"data no UTF-8", Event{Type: "x/y", Ignorable: true, Data: json.RawMessage("\"\xc3\"")}, "data is not UTF-8"},
		{"largest integers", Event{Type: "turn/start", Data: json.RawMessage(`{"a":-9007199254740991,"b":[9007199254740991,1.5,1e300,"9007199254740992"]}`)}, ""},
		{"integer too large", Event{Type: "turn/start", Data: json.RawMessage(`{"a":{"b":[9007199254740992]}}`)}, "data holds 9007199254740992"},
		{"integer too small", Event{Type: "turn/start", Data: json.RawMessage(`{"a":-9007199254740992}`)}, "data holds -9007199254740992"},
		{"source too large", Event{Type: "turn/start", Data: object, SourceEventSeqs: []uint64{0, math.MaxUint64}}, "source seq"},
		{"time too large", Event{Type: "turn/start", Data: object, Time: time.UnixMilli(MaxInt + 1)}, "time is out of range"},
		{"type empty", Event{Data: object}, "type is not"},
		{"type no UTF-8", Event{Type: "\xff", Data: object, Ignorable: true}, "type is not"},
		{"D95 true", Event{Type: "plan/mode", Data: json.RawMessage(`{"active":true}`)}, ""},
		{"D95 false", Event{Type: "plan/mode", Data: json.RawMessage(`{"active":false,"by":"u"}`)}, ""},
		{"D96 number", Event{Type: "plan/mode", Data: json.RawMessage(`{"active":42}`)}, "a boolean was expected"},
		{"D96 text", Event{Type: "plan/mode", Data: json.RawMessage(`{"active":"plan"}`)}, "a boolean was expected"},
		{"D96 missing", Event{Type: "plan/mode", Data: json.RawMessage(`{"Active":true}`)}, "a boolean was expected"},
	} {
		err := Validate(c.event)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if errors.Is(err, ErrUnknownType) != strings.HasPrefix(c.want, "unknown") {
			t.Errorf("%s: %v and ErrUnknownType", c.name, err)
		}
	}
}
