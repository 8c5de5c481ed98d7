package session

import (
	"encoding/json"
	"time"
)

// MaxInt is the largest integer a session file can carry, 2^53-1: its readers hold
// numbers as doubles.
const MaxInt = 1<<53 - 1

// Event is one entry of a session log. A log assigns Seq, and Time where it is zero;
// the other fields are the writer's. Events that were read share memory with the log
// and are not to be changed.
//
// The JSON form of an event is one line of a session file: the keys type, seq, time
// (milliseconds of the Unix epoch) and data, then sourceEventSeqs, surfaceOp and
// ignorable where they are set, in this order and no other key.
type Event struct {
	// Seq is the place of the event in its log, counted from 0 without gaps.
	Seq uint64
	// Time is when the event was logged, to the millisecond. It may go back.
	Time time.Time
	// Type names the event, such as "turn/start".
	Type string
	// Data is the payload, one JSON value.
	Data json.RawMessage
	// SurfaceOp says what the event does to the messages that the model sees, the JSON
	// string "append" or an object that replaces a range. It is required on
	// user/message, assistant/message and tool/result and forbidden elsewhere.
	SurfaceOp json.RawMessage
	// SourceEventSeqs names the events that this one was made from.
	SourceEventSeqs []uint64
	// Ignorable lets a reader that does not know Type pass over the event. Without it
	// such a reader refuses the whole log.
	Ignorable bool
}

// MarshalJSON returns the event as one line of a session file, without the line end.
func (e Event) MarshalJSON() ([]byte, error) { return AppendEvent(nil, e) }

// UnmarshalJSON reads one line of a session file. It accepts exactly the keys that
// [Event] names and refuses what a reader of session files refuses: a missing, unknown
// or repeated key, a number that is no integer within [MaxInt], an ignorable that is
// not true.
func (e *Event) UnmarshalJSON(line []byte) error {
	read, err := DecodeEvent(line)
	if err != nil {
		return err
	}
	read.Data = append(json.RawMessage(nil), read.Data...)
	if read.SurfaceOp != nil {
		read.SurfaceOp = append(json.RawMessage(nil), read.SurfaceOp...)
	}
	*e = read
	return nil
}
