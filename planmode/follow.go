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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The last event comes again and shows that the watch has begun: whoever looks then sees
	// what was taken back before, and what is taken back later ends the watch. It does not
	// come if it is itself gone.
	missing := time.AfterFunc(longestPoll, func() {
		if now, err := log.Tip(ctx); err != nil || now < tip {
			cancel()
		}
	})
	defer missing.Stop()
	if tip == 0 {
		missing.Stop()
	}
	for e, err := range watcher.Watch(ctx, max(0, tip-1)) {
		switch {
		case err != nil:
			return told
		case int64(e.Seq) < tip:
			missing.Stop()
			signal()
		case concerns(e.Type):
			told = true
			signal()
		}
	}
	return told
}
