package planmode_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/agentplan/sdk/planmode/session"
)

var errDisk = errors.New("disk is full")

// faultyLog is a log whose next appends go wrong.
type faultyLog struct {
	session.Log

	mu     sync.Mutex
	faults []fault
}

// fault is what becomes of one append: keep of its events land, then it fails with err.
// A negative keep lands all.
type fault struct {
	keep int
	err  error
}

func (l *faultyLog) fail(faults ...fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, faults...)
}

func (l *faultyLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	l.mu.Lock()
	var f fault
	if len(l.faults) > 0 {
		f, l.faults = l.faults[0], l.faults[1:]
	}
	l.mu.Unlock()
	if f.err == nil {
		return l.Log.Append(ctx, expect, events...)
	}
	keep := events
	if f.keep >= 0 {
		keep = events[:min(f.keep, len(events))]
	}
	if len(keep) > 0 {
		if tip, err := l.Log.Append(ctx, expect, keep...); err != nil {
			return tip, err
		}
	}
	return 0, f.err
}

// lostLog is a log whose next append lands and fails once it is armed, after which nothing
// can be read until it is mended.
type lostLog struct {
	session.Log
	armed, lost atomic.Bool
}

func (l *lostLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	tip, err := l.Log.Append(ctx, expect, events...)
	if err == nil && l.armed.CompareAndSwap(true, false) {
		l.lost.Store(true)
		return 0, errDisk
	}
	return tip, err
}

func (l *lostLog) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	if l.lost.Load() {
		return func(yield func(session.Event, error) bool) { yield(session.Event{}, errDisk) }
	}
	return l.Log.Read(ctx, from)
}

// hangingLog is a log whose appends hang until their context ends.
type hangingLog struct {
	session.Log
	hung   bool
	readOn bool // it was read under a context that was not over, after an append hung
}

func (l *hangingLog) Append(ctx context.Context, _ int64, _ ...session.Event) (int64, error) {
	l.hung = true
	<-ctx.Done()
	return 0, ctx.Err()
}

func (l *hangingLog) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	l.readOn = l.readOn || l.hung && ctx.Err() == nil
	return l.Log.Read(ctx, from)
}
