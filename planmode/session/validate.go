package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/agentplan/sdk/planmode/session/internal/jsonscan"
)

// Validate reports whether every reader of session files of format version 0 accepts
// the event:
//
//   - the type is known ([KnownType]) or the event is ignorable; else the error wraps
//     [ErrUnknownType];
//   - surfaceOp stands on user/message, assistant/message and tool/result and nowhere
//     else, and is "append" or {"op":"replace","start","end"};
//   - data is JSON in valid UTF-8, and an object on every known type;
//   - integers of the envelope are within [MaxInt], and so are those of data;
//   - the active of a plan/mode is a boolean.
//
// Seq is not looked at, since the log assigns it.
func Validate(e Event) error {
	if err := validate(e); err != nil {
		return fmt.Errorf("event %s: %w", e.Type, err)
	}
	return nil
}

func validate(e Event) error {
	if e.Type == "" || !utf8.ValidString(e.Type) {
		return errors.New("type is not a non-empty string in UTF-8")
	}
	if ms := e.Time.UnixMilli(); !e.Time.IsZero() && (ms > MaxInt || ms < -MaxInt) {
		return errors.New("time is out of range")
	}
	for _, seq := range e.SourceEventSeqs {
		if seq > MaxInt {
			return fmt.Errorf("source seq %d is beyond 2^53-1", seq)
		}
	}
	if err := CheckEnvelope(e); err != nil {
		return err
	}
	return validateData(e)
}

// CheckEnvelope reports whether the type and the surfaceOp of an event that was read
// are acceptable as [Validate] says, without a look at its data.
func CheckEnvelope(e Event) error {
	if _, known := lookupType([]byte(e.Type)); !known && !e.Ignorable {
		return ErrUnknownType
	}
	switch onSurface(e.Type) {
	case true:
		if e.SurfaceOp == nil {
			return errors.New("surfaceOp is missing")
		}
		return checkSurfaceOp(e.SurfaceOp)
	default:
		if e.SurfaceOp != nil {
			return errors.New("surfaceOp is not allowed on this type")
		}
		return nil
	}
}

func checkSurfaceOp(op []byte) error {
	op = bytes.TrimSpace(op)
	if string(op) == `"append"` {
		return nil
	}
	fault := errors.New(`surfaceOp is neither "append" nor {"op":"replace","start","end"}`)
	if len(op) == 0 || !json.Valid(op) || op[0] != '{' {
		return fault
	}
	var replaces, start, end bool
	members := jsonscan.Walk(op, 0)
	for members.Next() {
		n, isInt := jsonscan.Integer(members.Value())
		switch string(members.Key()) {
		case "op":
			text, _ := jsonscan.Text(members.Value())
			replaces = string(text) == "replace"
		case "start":
			start = isInt && n >= 0
		case "end":
			end = isInt && n >= 0
		default:
			return fault
		}
	}
	if !replaces || !start || !end {
		return fault
	}
	return nil
}

func validateData(e Event) error {
	switch {
	case !json.Valid(e.Data):
		return errors.New("data is not JSON")
	case !utf8.Valid(e.Data):
		return errors.New("data is not UTF-8")
	}
	at := jsonscan.Space(e.Data, 0)
	if KnownType(e.Type) && e.Data[at] != '{' {
		return errors.New("data is not an object")
	}
	if number := unsafeInteger(e.Data); number != nil {
		return fmt.Errorf("data holds %.40s, an integer beyond 2^53-1", number)
	}
	if e.Type != "plan/mode" {
		return nil
	}
	var active []byte
	members := jsonscan.Walk(e.Data, at)
	for members.Next() {
		if string(members.Key()) == "active" {
			active = members.Value()
		}
	}
	if word := string(active); word != "true" && word != "false" {
		return errors.New("active: a boolean was expected")
	}
	return nil
}

// unsafeInteger returns the first plain integer in valid JSON that a double does not
// hold exactly, or nil.
func unsafeInteger(data []byte) []byte {
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			end, _ := jsonscan.Value(data, i)
			i = end - 1
		case c == '-' || '0' <= c && c <= '9':
			end, _ := jsonscan.Value(data, i)
			if number := data[i:end]; !safe(number) {
				return number
			}
			i = end - 1
		}
	}
	return nil
}

// safe reports whether the JSON number is a fraction, has an exponent or is an integer
// within MaxInt.
func safe(number []byte) bool {
	for _, c := range number {
		if c == '.' || c == 'e' || c == 'E' {
			return true
		}
	}
	_, ok := jsonscan.Integer(number)
	return ok
}
