package planmode

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// write appends events at pos. It returns nil if they are in the log, also where the log
// reported an error but has them; landed tells how many of them stand after an error. It
// looks also where the context has ended, which may be why the append failed. An error
// that is session.ErrConflict asks the caller to read on and decide anew.
func (p *PlanMode) write(ctx context.Context, log session.Log, pos int64, events ...session.Event) (landed int, err error) {
	_, err = log.Append(ctx, pos, events...)
	if err == nil {
		return len(events), nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.opts.BoundaryTimeout)
	defer cancel()
	return afterError(ctx, log, pos, events, err)
}

// afterError finds out what an append of events at pos that failed has left. It returns
// what write does.
func afterError(ctx context.Context, log session.Log, pos int64, events []session.Event, err error) (int, error) {
	if errors.Is(err, session.ErrConflict) {
		return 0, err
	}
	landed, readErr := landed(ctx, log, pos, events)
	if landed == len(events) {
		return landed, nil
	}
	if readErr != nil {
		err = errors.Join(err, readErr)
	}
	return landed, err // the log names itself
}

// landed counts how many of events stand in the log from pos on.
func landed(ctx context.Context, log session.Log, pos int64, events []session.Event) (int, error) {
	n := 0
	for e, err := range log.Read(ctx, pos) {
		if err != nil && !errors.Is(err, session.ErrPosition) {
			return n, err
		}
		if err != nil || n == len(events) || !sameEvent(e, events[n]) {
			break
		}
		n++
	}
	return n, nil
}

// sameEvent reports whether got is want as a log may have written it.
func sameEvent(got, want session.Event) bool {
	if got.Type != want.Type {
		return false
	}
	var a, b any
	if json.Unmarshal(got.Data, &a) != nil || json.Unmarshal(want.Data, &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}

// Pauses between attempts that met a conflict: none for the first few, since a conflict
// means that somebody else got on.
const (
	quickAttempts = 8
	longestPause  = 50 * time.Millisecond
)

// pause waits before another attempt. It fails when the context has ended.
func pause(ctx context.Context, attempt int) error {
	if attempt < quickAttempts {
		return ctx.Err()
	}
	timer := time.NewTimer(min(time.Duration(attempt)*time.Millisecond, longestPause))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// lingering returns a context that ends some time after ctx does or Close is called, for
// what must be recorded although its cause is over.
func (p *PlanMode) lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		select {
		case <-ctx.Done():
		case <-p.closing:
		case <-out.Done():
			return
		}
		timer := time.NewTimer(p.opts.BoundaryTimeout + lastWord)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-out.Done():
		}
	}()
	return out, cancel
}
