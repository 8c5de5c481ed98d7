package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// DecodeEvent reads one line of a session file as [Event.UnmarshalJSON] does. The Data
// and SurfaceOp of the result share memory with line.
//
// The error wraps a [*SyntaxError] if the line is not JSON, as after a torn write; any
// other error is about JSON that is no event.
func DecodeEvent(line []byte) (Event, error) {
	i := skipSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		end, err := skipValue(line, i)
		if err == nil {
			err = onlySpace(line, end)
		}
		if err != nil {
			return Event{}, fmt.Errorf("decode event: %w", err)
		}
		return Event{}, errors.New("decode event: not an object")
	}
	var d eventDecoder
	end, err := d.object(line, i)
	if err == nil {
		err = onlySpace(line, end)
	}
	if err == nil {
		err = d.complete()
	}
	if err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return d.event, nil
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

// eventDecoder reads the members of one envelope. A fault of the envelope is kept until
// the whole line has been found to be JSON, so that a torn line is always told as one.
type eventDecoder struct {
	event Event
	seen  int
	fault error
}

func (d *eventDecoder) object(b []byte, i int) (int, error) {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		keyStart := i
		valueStart, err := skipKey(b, i)
		if err != nil {
			return 0, err
		}
		valueEnd, err := skipMember(b, valueStart)
		if err != nil {
			return 0, err
		}
		if d.fault == nil {
			d.fault = d.member(b[keyStart:], b[valueStart:valueEnd])
		}
		i = skipSpace(b, valueEnd)
		if i == len(b) {
			return 0, &SyntaxError{Offset: i, Want: "',' or '}'"}
		}
		switch b[i] {
		case '}':
			return i + 1, nil
		case ',':
			i = skipSpace(b, i+1)
		default:
			return 0, &SyntaxError{Offset: i, Want: "',' or '}'"}
		}
	}
}

func (d *eventDecoder) member(key, value []byte) error {
	name, err := text(key)
	if err != nil {
		return err
	}
	bit := envelopeKey(name)
	switch {
	case bit == 0:
		return fmt.Errorf("unknown key %q", name)
	case d.seen&bit != 0:
		return fmt.Errorf("repeated key %q", name)
	}
	d.seen |= bit
	switch bit {
	case keyType:
		if value[0] != '"' {
			return errors.New("type is not a string")
		}
		name, err := text(value)
		if err != nil {
			return err
		}
		var known bool
		if d.event.Type, known = lookupType(name); !known {
			d.event.Type = string(name)
		}
	case keySeq:
		n, ok := integer(value)
		if !ok || n < 0 {
			return fmt.Errorf("seq %.40s is not an integer from 0 to 2^53-1", value)
		}
		d.event.Seq = uint64(n)
	case keyTime:
		n, ok := integer(value)
		if !ok {
			return fmt.Errorf("time %.40s is not an integer within 2^53-1", value)
		}
		d.event.Time = time.UnixMilli(n).UTC()
	case keyData:
		d.event.Data = json.RawMessage(value)
	case keySources:
		d.event.SourceEventSeqs, err = sources(value)
		return err
	case keySurface:
		d.event.SurfaceOp = json.RawMessage(value)
	case keyIgnorable:
		if string(value) != "true" {
			return errors.New("ignorable is not true")
		}
		d.event.Ignorable = true
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
	case d.event.Type == "":
		return errors.New("type is empty")
	case d.seen&keySeq == 0:
		return errors.New("seq is missing")
	case d.seen&keyTime == 0:
		return errors.New("time is missing")
	case d.seen&keyData == 0:
		return errors.New("data is missing")
	}
	return nil
}

// integer reads the JSON number value if it is a plain integer within MaxInt.
func integer(value []byte) (int64, bool) {
	digits := value
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if n > MaxInt {
		return 0, false
	}
	if value[0] == '-' {
		n = -n
	}
	return n, true
}

// sources reads a JSON array of seqs. Value is known to be JSON.
func sources(value []byte) ([]uint64, error) {
	if value[0] != '[' {
		return nil, errors.New("sourceEventSeqs is not an array")
	}
	seqs := []uint64{}
	i := skipSpace(value, 1)
	for value[i] != ']' {
		end, err := skipValue(value, i)
		if err != nil {
			return nil, err
		}
		n, ok := integer(value[i:end])
		if !ok || n < 0 {
			return nil, fmt.Errorf("sourceEventSeqs holds %.40s, not an integer from 0 to 2^53-1", value[i:end])
		}
		seqs = append(seqs, uint64(n))
		if i = skipSpace(value, end); value[i] == ',' {
			i = skipSpace(value, i+1)
		}
	}
	return seqs, nil
}
