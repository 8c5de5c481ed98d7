package planmode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/agentplan/sdk/planmode/session"
)

// MalformedError reports an event whose payload is not what its type promises. The event
// was passed over.
//
//catalog:type
type MalformedError struct {
	// Seq is the place of the event in its log.
	Seq uint64
	// Type is the type of the event.
	Type string
	// Err says what is wrong with the payload.
	Err error
}

// Error names the seq, the type and the fault.
func (e *MalformedError) Error() string {
	return fmt.Sprintf("fold event with seq %d: malformed %s: %v", e.Seq, e.Type, e.Err)
}

// Unwrap returns the fault.
func (e *MalformedError) Unwrap() error { return e.Err }

func malformed(e session.Event, err error) error {
	return &MalformedError{Seq: e.Seq, Type: e.Type, Err: err}
}

// object is a JSON object with its values still encoded. Unlike a struct it tells a
// missing key from a zero value, and compares keys exactly.
type object map[string]json.RawMessage

func parseObject(data json.RawMessage) (object, error) {
	var o object
	if err := json.Unmarshal(data, &o); err != nil || o == nil {
		return nil, errors.New("an object was expected")
	}
	return o, nil
}

func (o object) has(key string) bool {
	_, found := o[key]
	return found
}

func (o object) boolean(key string) (bool, error) {
	switch string(o[key]) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, o.unexpected(key, "a boolean")
}

func (o object) text(key string) (string, error) {
	var s *string
	if err := json.Unmarshal(o[key], &s); err != nil || s == nil {
		return "", o.unexpected(key, "a string")
	}
	return *s, nil
}

// optionalText returns "" where the key is missing.
func (o object) optionalText(key string) (string, error) {
	if !o.has(key) {
		return "", nil
	}
	return o.text(key)
}

func (o object) texts(key string) ([]string, error) {
	var list []*string
	if err := json.Unmarshal(o[key], &list); err != nil || list == nil {
		return nil, o.unexpected(key, "a list of strings")
	}
	out := make([]string, len(list))
	for i, s := range list {
		if s == nil {
			return nil, o.unexpected(key, "a list of strings")
		}
		out[i] = *s
	}
	return out, nil
}

// maxCount is the largest number that a payload may count to.
const maxCount = math.MaxInt32

// count returns a whole number from 1 to maxCount.
func (o object) count(key string) (int, error) {
	var n float64
	err := json.Unmarshal(o[key], &n)
	if err != nil || n < 1 || n > maxCount || n != math.Trunc(n) {
		return 0, o.unexpected(key, "a whole number from 1 on")
	}
	return int(n), nil
}

func (o object) child(key string) (object, error) {
	child, err := parseObject(o[key])
	if err != nil {
		return nil, o.unexpected(key, "an object")
	}
	return child, nil
}

func (o object) unexpected(key, want string) error {
	value, found := o[key]
	if !found {
		return fmt.Errorf("%s is missing: %s was expected", key, want)
	}
	return fmt.Errorf("%s is %.40s: %s was expected", key, value, want)
}

// mayHold reports whether a string within the JSON data may hold the word, an escaped
// one included. It spares decoding most events.
func mayHold(data json.RawMessage, word string) bool {
	return bytes.Contains(data, []byte(word)) || bytes.Contains(data, []byte(`\u`))
}

// objects returns the objects of a list, or nil where the value is no list of objects.
func (o object) objects(key string) []object {
	var list []object
	if json.Unmarshal(o[key], &list) != nil {
		return nil
	}
	return list
}
