package filelog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// Append adds events as [session.Log] says and returns once they are on disk. It takes
// the session's lock for the time of the append only and waits for it until the context
// ends, so several programs of this kind can write one session; where another harness
// holds the lock for as long as it runs, the error wraps [session.ErrBusy].
//
// It refuses an event that the original's reader refuses; see [session.Validate]. What a
// crash left at the end of the file is cut off first; the complete events of a torn
// zstd frame are kept.
func (l *Log) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	tip, err := l.append(ctx, expect, events)
	if err != nil {
		return tip, fmt.Errorf("append to session %s: %w", l.id, err)
	}
	return tip, nil
}

func (l *Log) append(ctx context.Context, expect int64, events []session.Event) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for i, e := range events {
		if err := l.store.validate(e); err != nil {
			return 0, fmt.Errorf("event %d of the batch: %w", i, err)
		}
	}
	select {
	case l.writer <- struct{}{}:
		defer func() { <-l.writer }()
	case <-ctx.Done():
		return 0, fmt.Errorf("%w: %w", session.ErrBusy, ctx.Err())
	}
	unlock, err := lockDir(ctx, l.dir)
	if err != nil {
		return 0, err
	}
	defer unlock()
	// A newer format may have taken over since the last look.
	live, err := liveFile(l.dir)
	if err != nil {
		return 0, err
	}
	if live != l.path {
		return 0, fmt.Errorf("%w: the file is now %s", fs.ErrNotExist, live)
	}
	file, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	tip, err := l.appendLocked(ctx, file, expect, events)
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	return tip, err
}

// validate reports whether every reader takes the event, or this store's program and
// the original with the same plug-ins.
func (s *Store) validate(e session.Event) error {
	if e.Data == nil {
		e.Data = []byte("{}")
	}
	if !e.Ignorable && !session.KnownType(e.Type) && slices.Contains(s.set.knownTypes, e.Type) {
		e.Ignorable = true
	}
	return session.Validate(e)
}

// maxTries is how often an append looks at the end of the file anew because a program
// that takes no lock wrote there.
const maxTries = 4

// appendLocked writes the events while the lock is held.
func (l *Log) appendLocked(ctx context.Context, file *os.File, expect int64, events []session.Event) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range maxTries {
		// What the system says about changes is not enough here: read the tail again.
		if err := l.scan(ctx, file); err != nil {
			return 0, err
		}
		tip := l.state.scan.tip.position
		if expect != session.Any && expect != tip {
			return tip, &session.ConflictError{Expect: expect, Tip: tip}
		}
		if len(events) == 0 {
			return tip, nil
		}
		text, err := encodeBatch(events, tip)
		if err != nil {
			return tip, err
		}
		if l.state.scan.torn != nil {
			if err := l.recover(ctx, file); err != nil {
				return tip, fmt.Errorf("recover the tail: %w", err)
			}
		}
		info, err := file.Stat()
		if err != nil {
			return tip, err
		}
		if info.Size() != l.state.scan.solid.offset {
			continue
		}
		if err := l.write(file, text); err != nil {
			return tip, err
		}
		sc := &l.state.scan
		sc.solid.position += int64(len(events))
		sc.solid.lines += len(events)
		sc.tip = sc.solid
		return sc.tip.position, nil
	}
	return 0, fmt.Errorf("%w: a program that takes no lock keeps writing", session.ErrBusy)
}

// encodeBatch returns the lines of events that follow position tip.
func encodeBatch(events []session.Event, tip int64) ([]byte, error) {
	var text []byte
	now := time.Now()
	for i, e := range events {
		e.Seq = uint64(tip) + uint64(i)
		if e.Time.IsZero() {
			e.Time = now
		}
		if e.Data == nil {
			e.Data = []byte("{}")
		}
		var err error
		if text, err = session.AppendEvent(text, e); err != nil {
			return nil, fmt.Errorf("event %d of the batch: %w", i, err)
		}
		text = append(text, '\n')
	}
	return text, nil
}

// write puts text, as one frame if the file has frames, behind what is good in the file
// and on disk. On an error the file is as it was before.
func (l *Log) write(file *os.File, text []byte) error {
	st := &l.state
	b := text
	if compressed(l.path) {
		b = l.store.codec.frame(text)
	}
	end := st.scan.solid
	size := end.offset
	st.fresh = false
	err := l.store.disk.write(file, b, size)
	if err == nil {
		err = l.store.disk.sync(file)
	}
	if err != nil {
		if undo := l.undo(file, size); undo != nil {
			err = errors.Join(err, fmt.Errorf("take the write back: %w", undo))
		}
		return err
	}
	st.scan.solid.offset += int64(len(b))
	st.scan.mark(end)
	st.witness, err = attest(file, st.scan.solid.offset)
	if err != nil {
		return nil // the batch is on disk; the next look starts over
	}
	if info, err := file.Stat(); err == nil { // else the next look reads the tail again
		st.info, st.fresh = info, true
	}
	return nil
}

// undo cuts the file back to size.
func (l *Log) undo(file *os.File, size int64) error {
	if err := l.store.disk.truncate(file, size); err != nil {
		return err
	}
	return l.store.disk.sync(file)
}

// recover cuts off the tail that a crash left and writes the good lines of a torn frame
// again. The caller holds mu and the session's lock.
func (l *Log) recover(ctx context.Context, file *os.File) error {
	st := &l.state
	st.fresh = false
	info, err := file.Stat()
	if err != nil {
		return err
	}
	sc := &st.scan
	l.store.set.logger.WarnContext(ctx, "session log tail recovered",
		"session", l.ID(), "seq", sc.solid.position, "path", sc.torn.File, "line", sc.torn.Line, "error", sc.torn.Err,
		"bytes", info.Size()-sc.solid.offset, "kept", len(sc.kept))
	if err := l.undo(file, sc.solid.offset); err != nil {
		return err
	}
	if len(sc.kept) > 0 {
		if err := l.write(file, sc.kept); err != nil {
			return err
		}
		sc.solid.position, sc.solid.lines = sc.tip.position, sc.tip.lines
	}
	sc.tip = sc.solid
	sc.kept, sc.torn = nil, nil
	return nil
}
