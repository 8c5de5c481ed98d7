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

// follow signals when the log may hold something new of plan mode, until ctx ends. It
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
		watcher, watchable := log.(session.Watcher)
		for wait := shortestPoll; ctx.Err() == nil; wait = min(wait*3/2, longestPoll) {
			if watchable && watch(ctx, log, watcher, signal) {
				wait = shortestPoll
			}
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

// watch signals each event that can change something, until watching fails. It reports
// whether there was any.
func watch(ctx context.Context, log session.Log, watcher session.Watcher, signal func()) (told bool) {
	tip, err := log.Tip(ctx)
	if err != nil {
		return false
	}
	// What came before the tip was taken is signalled at once.
	signal()
	for e, err := range watcher.Watch(ctx, tip) {
		if err != nil {
			return told
		}
		if concerns(e.Type) {
			told = true
			signal()
		}
	}
	return told
}
