package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agentplan/sdk/planmode/session/internal/jsonscan"
)

// SyntaxError reports a line that is not JSON.
type SyntaxError = jsonscan.SyntaxError

// DecodeEvent reads one line of a session file as [Event.UnmarshalJSON] does. The Data
// and SurfaceOp of the result share memory with line.
//
// The error wraps a [*SyntaxError] if the line is not JSON, as after a torn write. Any
// other error is about JSON that is no event.
func DecodeEvent(line []byte) (Event, error) {
	var d eventDecoder
	if err := d.decode(line); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return d.event, nil
}

// eventDecoder reads one envelope. A fault of a member is kept until the whole line has
// been found to be JSON, so that a torn line is always told as one.
type eventDecoder struct {
	event Event
	seen  int
	fault error
}

func (d *eventDecoder) decode(line []byte) error {
	i := jsonscan.Space(line, 0)
	if i == len(line) || line[i] != '{' {
		end, err := jsonscan.Value(line, i)
		if err == nil {
			err = jsonscan.End(line, end)
		}
		if err == nil {
			err = errors.New("not an object")
		}
		return err
	}
	members := jsonscan.Walk(line, i)
	for members.Next() {
		if d.fault == nil {
			d.fault = d.member(members.Key(), members.Value())
		}
	}
	end, err := members.End()
	if err == nil {
		err = jsonscan.End(line, end)
	}
	if err == nil {
		err = d.complete()
	}
	return err
}

// Keys of the envelope, as bits of eventDecoder.seen.
const (
	keyType = 1 << iota
	keySeq
	keyTime
	keyData
	keySources
	keySurface
	keyIgnorable
)

func envelopeKey(name []byte) int {
	switch string(name) {
	case "type":
		return keyType
	case "seq":
		return keySeq
	case "time":
		return keyTime
	case "data":
		return keyData
	case "sourceEventSeqs":
		return keySources
	case "surfaceOp":
		return keySurface
	case "ignorable":
		return keyIgnorable
	}
	return 0
}

func (d *eventDecoder) member(name, value []byte) error {
	bit := envelopeKey(name)
	switch {
	case bit == 0:
		return fmt.Errorf("unknown key %.80q", name)
	case d.seen&bit != 0:
		return fmt.Errorf("repeated key %q", name)
	}
	d.seen |= bit
	switch bit {
	case keyType:
		text, ok := jsonscan.Text(value)
		if !ok || len(text) == 0 {
			return errors.New("type is not a non-empty string")
		}
		var known bool
		if d.event.Type, known = lookupType(text); !known {
			d.event.Type = string(text)
		}
	case keySeq:
		n, ok := jsonscan.Integer(value)
		if !ok || n < 0 {
			return fmt.Errorf("seq %.40s is not an integer from 0 to 2^53-1", value)
		}
		d.event.Seq = uint64(n)
	case keyTime:
		n, ok := jsonscan.Integer(value)
		if !ok {
			return fmt.Errorf("time %.40s is not an integer within 2^53-1", value)
		}
		d.event.Time = time.UnixMilli(n).UTC()
	case keyData:
		d.event.Data = json.RawMessage(value)
	case keySources:
		return d.sources(value)
	case keySurface:
		d.event.SurfaceOp = json.RawMessage(value)
	case keyIgnorable:
		if string(value) != "true" {
			return fmt.Errorf("ignorable is %.40s, not true", value)
		}
		d.event.Ignorable = true
	}
	return nil
}

func (d *eventDecoder) sources(value []byte) error {
	if value[0] != '[' {
		return errors.New("sourceEventSeqs is not an array")
	}
	d.event.SourceEventSeqs = []uint64{}
	elements := jsonscan.Walk(value, 0)
	for elements.Next() {
		n, ok := jsonscan.Integer(elements.Value())
		if !ok || n < 0 {
			return fmt.Errorf("sourceEventSeqs holds %.40s, not an integer from 0 to 2^53-1", elements.Value())
		}
		d.event.SourceEventSeqs = append(d.event.SourceEventSeqs, uint64(n))
	}
	return nil
}

// complete reports a fault of the envelope as a whole.
func (d *eventDecoder) complete() error {
	switch {
	case d.fault != nil:
		return d.fault
	case d.seen&keyType == 0:
		return errors.New("type is missing")
	case d.seen&keySeq == 0:
		return errors.New("seq is missing")
	case d.seen&keyTime == 0:
		return errors.New("time is missing")
	case d.seen&keyData == 0:
		return errors.New("data is missing")
	}
	return nil
}
