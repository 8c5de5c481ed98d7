package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// MemoryLog is a [Log] and [Watcher] in memory, for tests and for sessions that need
// not survive. Reading neither copies the log nor holds it up.
type MemoryLog struct {
	id string

	mu     sync.Mutex
	events []Event       // only ever appended to, so a reader may keep a slice of it
	grown  chan struct{} // closed and replaced by an append; nil while nobody watches
}

var (
	_ Log     = (*MemoryLog)(nil)
	_ Watcher = (*MemoryLog)(nil)
)

// NewMemoryLog returns an empty log of the session id.
func NewMemoryLog(id string) *MemoryLog { return &MemoryLog{id: id} }

// ID returns the id of the session.
func (l *MemoryLog) ID() string { return l.id }

// Append adds events as [Log] says, and refuses an event without a type or with a
// payload that is not JSON. Other rules of session files are left to [Validate].
func (l *MemoryLog) Append(ctx context.Context, expect int64, events ...Event) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("append to log %s: %w", l.id, err)
	}
	batch, err := ownedBatch(events)
	if err != nil {
		return 0, fmt.Errorf("append to log %s: %w", l.id, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	tip := int64(len(l.events))
	if expect != Any && expect != tip {
		return tip, &ConflictError{Expect: expect, Tip: tip}
	}
	if len(batch) == 0 {
		return tip, nil
	}
	for i := range batch {
		batch[i].Seq = uint64(tip) + uint64(i)
	}
	l.events = append(l.events, batch...)
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
	return int64(len(l.events)), nil
}

// ownedBatch returns deep copies of events with their times set and cut to the
// millisecond, as a session file would give them back.
func ownedBatch(events []Event) ([]Event, error) {
	now := time.Now()
	batch := make([]Event, len(events))
	for i, e := range events {
		if e.Type == "" {
			return nil, fmt.Errorf("event %d of the batch: %w", i, errors.New("type is empty"))
		}
		if e.Data == nil {
			e.Data = json.RawMessage("{}")
		}
		if !json.Valid(e.Data) {
			return nil, fmt.Errorf("event %d of the batch (%s): data is not JSON", i, e.Type)
		}
		if e.SurfaceOp != nil && !json.Valid(e.SurfaceOp) {
			return nil, fmt.Errorf("event %d of the batch (%s): surfaceOp is not JSON", i, e.Type)
		}
		if e.Time.IsZero() {
			e.Time = now
		}
		e.Time = time.UnixMilli(e.Time.UnixMilli()).UTC()
		e.Data = bytes.Clone(e.Data)
		e.SurfaceOp = bytes.Clone(e.SurfaceOp)
		e.SourceEventSeqs = slices.Clone(e.SourceEventSeqs)
		batch[i] = e
	}
	return batch, nil
}

// Read yields the events that stood in the log when Read was called. At the tip it
// allocates nothing.
func (l *MemoryLog) Read(ctx context.Context, from int64) iter.Seq2[Event, error] {
	if err := ctx.Err(); err != nil {
		return failed(fmt.Errorf("read log %s: %w", l.id, err))
	}
	events, _ := l.snapshot(false)
	if from < 0 || from > int64(len(events)) {
		return failed(fmt.Errorf("read log %s from %d of %d: %w", l.id, from, len(events), ErrPosition))
	}
	if from == int64(len(events)) {
		return nothing
	}
	return l.yieldAll(ctx, events[from:])
}

// yieldAll yields events and looks at the context now and then.
func (l *MemoryLog) yieldAll(ctx context.Context, events []Event) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for i := range events {
			if i%256 == 0 && ctx.Err() != nil {
				yield(Event{}, fmt.Errorf("read log %s: %w", l.id, ctx.Err()))
				return
			}
			if !yield(events[i], nil) {
				return
			}
		}
	}
}

// Tip returns the count of events.
func (l *MemoryLog) Tip(ctx context.Context) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("read log %s: %w", l.id, err)
	}
	events, _ := l.snapshot(false)
	return int64(len(events)), nil
}

// Watch yields the events from position from on, and each later one as it is appended.
func (l *MemoryLog) Watch(ctx context.Context, from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for next := from; ; {
			events, grown := l.snapshot(true)
			if next < 0 || next > int64(len(events)) {
				yield(Event{}, fmt.Errorf("watch log %s from %d of %d: %w", l.id, next, len(events), ErrPosition))
				return
			}
			for e, err := range l.yieldAll(ctx, events[next:]) {
				if !yield(e, err) || err != nil {
					return
				}
			}
			next = int64(len(events))
			select {
			case <-ctx.Done():
				yield(Event{}, fmt.Errorf("watch log %s: %w", l.id, ctx.Err()))
				return
			case <-grown:
			}
		}
	}
}

// snapshot returns the events so far and, if asked, a channel that the next append
// closes.
func (l *MemoryLog) snapshot(watch bool) ([]Event, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if watch && l.grown == nil {
		l.grown = make(chan struct{})
	}
	return l.events, l.grown
}

// nothing is an iterator without elements.
func nothing(func(Event, error) bool) {}

// failed returns an iterator that yields err alone.
func failed(err error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { yield(Event{}, err) }
}
