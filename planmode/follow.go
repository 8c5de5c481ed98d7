package planmode

import (
	"context"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// Pauses between looks at a log that cannot be watched.
const (
	shortestPoll = 20 * time.Millisecond
	longestPoll  = time.Second
)

// follow signals when the log may hold something new about a review, until ctx ends. It
// watches a log that can be watched and looks now and then at any other. Several changes
// may come as one signal.
func follow(ctx context.Context, log session.Log) <-chan struct{} {
	changes := make(chan struct{}, 1)
	signal := func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	}
	go func() {
		if watcher, ok := log.(session.Watcher); ok {
			watch(ctx, log, watcher, signal)
		}
		for wait := shortestPoll; ctx.Err() == nil; wait = min(wait*3/2, longestPoll) {
			signal()
			timer := time.NewTimer(wait)
			select {
			case <-ctx.Done():
			case <-timer.C:
			}
			timer.Stop()
		}
	}()
	return changes
}

// watch signals each event that can end a review, until watching fails.
func watch(ctx context.Context, log session.Log, watcher session.Watcher, signal func()) {
	tip, err := log.Tip(ctx)
	if err != nil {
		return
	}
	// What came before the tip was taken is signalled at once.
	signal()
	for e, err := range watcher.Watch(ctx, tip) {
		if err != nil {
			return
		}
		switch e.Type {
		case EventMode, EventSelect, EventReview, eventCommandDone, eventToolResult:
			signal()
		}
	}
}
