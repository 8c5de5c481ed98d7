package session

import (
	"context"
	"iter"
)

// Any, as the position an append expects, means wherever the log ends.
const Any int64 = -1

// Log is one session's events in order. A position is a count of events: 0 is before
// the first, and the event with Seq n ends at position n+1. A log only ever grows;
// going back is a fork.
//
// Implementations are safe for concurrent use, also while an iterator of theirs runs.
// [sessiontest.TestLog] is the suite that each of them passes.
//
// [sessiontest.TestLog]: https://pkg.go.dev/github.com/agentplan/sdk/planmode/session/sessiontest#TestLog
type Log interface {
	// ID returns the id of the session.
	ID() string

	// Append adds events in one batch at position expect, or wherever the log ends if
	// expect is [Any], and returns the position after them. It assigns every Seq, and
	// Time where it is zero, and keeps no reference to what it was given. Without
	// events it only compares expect.
	//
	// It returns once the events are as durable as the log makes them. On an error no
	// event was added, except that a process that dies within Append may leave a
	// prefix of the batch. Implementations wrap [ErrConflict] (use [*ConflictError])
	// where the log ends elsewhere, and [ErrBusy] together with the context's error
	// where others kept the log until the context ended. With any error but a conflict
	// a caller cannot know whether the batch landed and reads again. Errors name the log.
	Append(ctx context.Context, expect int64, events ...Event) (tip int64, err error)

	// Read yields the events from position from to where the log ended when Read was
	// called, or later. An error is yielded last, with a zero event: the context's
	// error, a [*CorruptError], or [ErrPosition] where the log is shorter than from. The
	// iterator may be used several times and holds nothing between uses.
	Read(ctx context.Context, from int64) iter.Seq2[Event, error]

	// Tip returns the position at which the log ends. Asking for it costs less than an
	// iterator that yields nothing, so a cursor asks first.
	Tip(ctx context.Context) (int64, error)
}

// Watcher is a [Log] that can be followed.
type Watcher interface {
	// Watch yields what Read yields, and then each further event once it is in the
	// log, whoever appended it. It ends only with an error: the context's when that
	// ends, [ErrPosition] when events it has yielded were taken back.
	Watch(ctx context.Context, from int64) iter.Seq2[Event, error]
}

// Rewinder is a [Log] that may lose events which it has yielded: a write is seen before
// it is on disk, fails there, and is taken back. Others may then stand at the same
// positions.
type Rewinder interface {
	// Rewinds counts how often the log noticed that events it had read are gone. Whoever
	// keeps a value folded from the log keeps this number with it, compares it after
	// each [Log.Tip] and [Log.Read], and folds anew from 0 when it has changed.
	Rewinds() uint64
}

// Store holds sessions by id. Implementations are safe for concurrent use; the logs of
// one session, however often it is opened, are the same log.
type Store interface {
	// Open returns the log of the session, or an error that wraps [ErrNotExist].
	Open(ctx context.Context, id string) (Log, error)

	// Create makes a session without events. It needs h.ID, and takes the current time
	// where h.CreatedAt is zero. If the id is taken the error wraps [ErrExist] and the
	// session that has it is untouched.
	Create(ctx context.Context, h Header) (Log, error)

	// List yields the header of each session in no particular order. A session that
	// cannot be read is yielded as an error, and the listing goes on.
	List(ctx context.Context) iter.Seq2[Header, error]

	// Fork makes a session newID of the events of session id before position at, or of
	// all if at is [Any], followed by a session/end-seed. Its header names the parent
	// and the count of the copied events. It wraps [ErrOpenTurn] if a turn is open at
	// that position, [ErrPosition], [ErrNotExist] and [ErrExist]; then nothing was made.
	Fork(ctx context.Context, id string, at int64, newID string) (Log, error)
}
