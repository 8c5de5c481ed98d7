package session

import (
	"errors"
	"fmt"
	"io/fs"
)

var (
	// ErrConflict reports that the log does not end at the position an append
	// expected. Nothing was written; read on, decide anew and append again. The error
	// of a log is a [*ConflictError], which says where the log ends.
	ErrConflict = errors.New("log does not end at the expected position")

	// ErrBusy reports that another program held the log for writing until the context
	// ended. Nothing was written. It comes together with the context's error.
	ErrBusy = errors.New("log is held by another writer")

	// ErrOpenTurn reports that a log cannot be forked at a position inside a turn.
	ErrOpenTurn = errors.New("position is inside an open turn")

	// ErrPosition reports a position that the log does not have: negative, or past its
	// tip. A reader that got this position from the log earlier saw a write that was
	// taken back, and starts again from 0.
	ErrPosition = errors.New("log has no such position")

	// ErrNotExist reports that a store holds no session of that id. It matches
	// [fs.ErrNotExist] as well.
	ErrNotExist = fmt.Errorf("session: %w", fs.ErrNotExist)

	// ErrExist reports that a store already holds a session of that id. It matches
	// [fs.ErrExist] as well.
	ErrExist = fmt.Errorf("session: %w", fs.ErrExist)

	// ErrUnknownType reports an event type that this reader does not know and that is
	// not marked ignorable. Its writer asked that such a reader refuse the log.
	ErrUnknownType = errors.New("event type is unknown and not ignorable")

	// ErrVersion reports a session of a format version that this module cannot read.
	ErrVersion = errors.New("unsupported session format version")
)

// ConflictError is the [ErrConflict] of an append.
type ConflictError struct {
	// Expect is the position the append asked for.
	Expect int64
	// Tip is the position at which the log ended.
	Tip int64
}

// Error names both positions.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("append at position %d: %v, but at %d", e.Expect, ErrConflict, e.Tip)
}

// Unwrap returns [ErrConflict].
func (e *ConflictError) Unwrap() error { return ErrConflict }

// CorruptError reports a stored log that cannot be read as written. Whoever returns it
// has left the file as it was.
type CorruptError struct {
	// File is the path of the damaged file.
	File string
	// Line is the first line at fault, counted from 1 over the text of the file
	// (uncompressed where the file is compressed).
	Line int
	// Err says what is wrong there.
	Err error
}

// Error gives file, line and cause.
func (e *CorruptError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }
