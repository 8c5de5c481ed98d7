package planmode

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"reflect"
	"sync"

	"github.com/agentplan/sdk/planmode/session"
)

const (
	// maxCursors bounds how many logs are remembered. The one that was not used for the
	// longest time is forgotten first, and folded anew when it is used again.
	maxCursors = 256
	// tailLength is how many of the last events a cursor compares when it reads on.
	tailLength = 16
	// maxFaults bounds how many malformed events are told one by one.
	maxFaults = 16
	// maxRestarts bounds how often one reading starts again because the log changes
	// under it.
	maxRestarts = 3
)

// cursors holds a cursor for each log by its handle.
type cursors struct {
	mu    sync.Mutex
	byLog map[session.Log]*cursor
	clock uint64
}

// of returns the cursor of the log.
func (c *cursors) of(log session.Log) *cursor {
	if !isKey(log) {
		return newCursor(log)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	cur := c.byLog[log]
	if cur == nil {
		if c.byLog == nil {
			c.byLog = make(map[session.Log]*cursor)
		}
		if len(c.byLog) >= maxCursors {
			c.forget()
		}
		cur = newCursor(log)
		c.byLog[log] = cur
	}
	cur.used = c.clock
	return cur
}

// isKey reports whether the log can be the key of a map.
func isKey(log session.Log) bool {
	return reflect.TypeOf(log).Kind() == reflect.Pointer || reflect.ValueOf(log).Comparable()
}

func (c *cursors) forget() {
	var oldest *cursor
	for _, cur := range c.byLog {
		if oldest == nil || cur.used < oldest.used {
			oldest = cur
		}
	}
	delete(c.byLog, oldest.log)
}

// cursor is a position in a log and the fold of all before it. It is no second truth:
// it is only ever moved by folding what the log holds, and where the log no longer
// holds what was folded it starts again.
type cursor struct {
	log   session.Log
	used  uint64 // guarded by cursors.mu
	steps observation

	busy chan struct{} // holds an element while the rest is in use
	view view
	seed maphash.Seed
	all  faults

	// rewinds counts how often the log has taken events back. Where a log does not
	// count, it is nil and the last events are compared instead.
	rewinds func() uint64
	seen    uint64   // what rewinds last returned
	tail    []uint64 // fingerprints of the last events before view.pos
}

// view is what a cursor knows at a position.
type view struct {
	Folded
	pos    int64
	shown  State // State of Folded, with a Pending of its own
	faults error // the malformed events, nil for none
}

func newCursor(log session.Log) *cursor {
	c := &cursor{log: log, busy: make(chan struct{}, 1), seed: maphash.MakeSeed(), rewinds: rewindsOf(log)}
	if c.rewinds != nil {
		c.seen = c.rewinds()
	}
	return c
}

// rewindsOf returns what counts how often the log has taken events back, nil if nothing
// does.
func rewindsOf(log session.Log) func() uint64 {
	switch log := log.(type) {
	case *session.MemoryLog:
		return func() uint64 { return 0 } // it takes nothing back
	case session.Rewinder:
		return log.Rewinds
	}
	return nil
}

// read folds what is new in the log and returns what is known then.
func (c *cursor) read(ctx context.Context) (view, error) {
	select {
	case c.busy <- struct{}{}:
	case <-ctx.Done():
		return view{}, c.failed(ctx.Err())
	}
	defer func() { <-c.busy }()
	if err := c.catchUp(ctx); err != nil {
		return view{}, c.failed(err)
	}
	return c.view, nil
}

// peek returns what is known if that is certain to be current without waiting and
// without an allocation.
func (c *cursor) peek() (view, bool) {
	log, inMemory := c.log.(*session.MemoryLog)
	if !inMemory {
		return view{}, false
	}
	select {
	case c.busy <- struct{}{}:
	default:
		return view{}, false
	}
	defer func() { <-c.busy }()
	tip, err := log.Tip(context.Background())
	return c.view, err == nil && tip == c.view.pos
}

func (c *cursor) failed(err error) error {
	return fmt.Errorf("read plan mode of session %s: %w", c.log.ID(), err)
}

var errChanged = errors.New("log changed where it was already read")

// takenBack reports whether err means that the log has taken events back.
func takenBack(err error) bool {
	return errors.Is(err, errChanged) || errors.Is(err, session.ErrPosition)
}

func (c *cursor) catchUp(ctx context.Context) error {
	for restarts := 0; ; restarts++ {
		err := c.readOn(ctx)
		if !takenBack(err) || restarts == maxRestarts {
			return err
		}
		c.view, c.tail, c.all = view{}, nil, faults{}
	}
}

// readOn folds the events after the position. It returns an error that is errChanged or
// session.ErrPosition if the log no longer holds what was folded.
func (c *cursor) readOn(ctx context.Context) error {
	if c.rewinds == nil {
		return c.foldFrom(ctx, c.view.pos-int64(len(c.tail)))
	}
	tip, err := c.log.Tip(ctx)
	switch {
	case err != nil:
		return err
	case c.rewound() || tip < c.view.pos:
		return errChanged
	case tip == c.view.pos:
		return nil
	}
	if err := c.foldFrom(ctx, c.view.pos); err != nil {
		return err
	}
	if c.rewound() {
		return errChanged
	}
	return nil
}

// rewound reports whether the log has taken events back since it was last asked.
func (c *cursor) rewound() bool {
	before := c.seen
	c.seen = c.rewinds()
	return c.seen != before
}

// foldFrom reads from a position at or before that of the cursor, compares what it has
// seen before and folds the rest.
func (c *cursor) foldFrom(ctx context.Context, from int64) error {
	var recent ring
	defer func() { c.remember(&recent) }()
	next := from
	for e, err := range c.log.Read(ctx, from) {
		if err != nil {
			return err
		}
		if e.Seq != uint64(next) {
			return fmt.Errorf("event %d has the seq %d", next, e.Seq)
		}
		next++
		if next <= c.view.pos {
			if fingerprint(c.seed, e) != c.tail[next-1-from] {
				return errChanged
			}
			continue
		}
		if err := c.view.apply(e); err != nil {
			c.all.add(err)
		}
		c.view.pos = next
		recent.add(e)
	}
	if next < c.view.pos {
		return errChanged
	}
	return nil
}

// remember brings what is derived from the fold up to date.
func (c *cursor) remember(recent *ring) {
	if recent.n == 0 {
		return
	}
	if c.rewinds == nil {
		for e := range recent.all {
			c.tail = append(c.tail, fingerprint(c.seed, e))
		}
		if extra := len(c.tail) - tailLength; extra > 0 {
			c.tail = append(c.tail[:0], c.tail[extra:]...)
		}
	}
	c.view.faults = c.all.err()
	c.view.shown = c.view.State()
	if pending := c.view.shown.Pending; pending != nil {
		c.view.shown.Pending = ref(*pending)
	}
}

// fingerprint returns a number that differs between events that differ.
func fingerprint(seed maphash.Seed, e session.Event) uint64 {
	type envelope struct {
		seq       uint64
		ms        int64
		name      string
		data, op  uint64
		ignorable bool
	}
	return maphash.Comparable(seed, envelope{
		seq: e.Seq, ms: e.Time.UnixMilli(), name: e.Type,
		data: maphash.Bytes(seed, e.Data), op: maphash.Bytes(seed, e.SurfaceOp),
		ignorable: e.Ignorable,
	})
}

// ring holds the last events that were added.
type ring struct {
	events [tailLength]session.Event
	n      int
}

func (r *ring) add(e session.Event) {
	r.events[r.n%tailLength] = e
	r.n++
}

// all yields the events, oldest first.
func (r *ring) all(yield func(session.Event) bool) {
	for i := max(0, r.n-tailLength); i < r.n; i++ {
		if !yield(r.events[i%tailLength]) {
			return
		}
	}
}

// faults collects malformed events.
type faults struct {
	first []error
	more  int
}

func (f *faults) add(err error) {
	if len(f.first) < maxFaults {
		f.first = append(f.first, err)
		return
	}
	f.more++
}

func (f *faults) err() error {
	err := errors.Join(f.first...)
	if f.more > 0 {
		return fmt.Errorf("%w\nand %d more malformed events", err, f.more)
	}
	return err
}
