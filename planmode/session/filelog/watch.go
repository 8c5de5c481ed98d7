package filelog

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// Watch yields what [Log.Read] yields and then each further event, whichever process
// appended it. The system reports the changes; only where it cannot, as on network file
// systems, the file is looked at every [Options.PollInterval].
//
// It ends with the context's error, and with others as they come up: [session.ErrPosition]
// if events that may have been yielded were taken back, a [*session.CorruptError] if the
// file is damaged, a [*VersionError] if a newer format takes the session over.
func (l *Log) Watch(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		if goOn, err := l.watch(ctx, from, yield); goOn {
			yield(session.Event{}, fmt.Errorf("watch session %s: %w", l.id, err))
		}
	}
}

// watch yields events until yield returns false, or an error comes up with goOn.
func (l *Log) watch(ctx context.Context, from int64, yield func(session.Event, error) bool) (goOn bool, err error) {
	changed, tick, stop := l.store.changes(l.dir)
	defer stop()
	var first view
	for next, round := from, 0; ; round++ {
		now, err := l.look(ctx)
		if err != nil {
			return true, err
		}
		if round == 0 {
			first = now
		}
		if next < 0 || next > now.tip || now.rewinds != first.rewinds {
			return true, fmt.Errorf("position %d of %d: %w", next, now.tip, session.ErrPosition)
		}
		if next < now.tip {
			if goOn, err := l.read(ctx, now, next, yield); !goOn || err != nil {
				return goOn, err
			}
			next = now.tip
		}
		if _, err := liveFile(l.dir); err != nil {
			return true, err
		}
		select {
		case <-ctx.Done():
			return true, ctx.Err()
		case <-changed:
		case <-tick:
		}
	}
}

// changes returns a channel that gets a value when a session file in dir may have
// changed, or one that ticks where the system does not tell.
func (s *Store) changes(dir string) (changed <-chan struct{}, tick <-chan time.Time, stop func()) {
	if !remote(dir) {
		changed, cancel, err := s.hub.subscribe(dir)
		if err == nil {
			return changed, nil, cancel
		}
		s.set.logger.Warn("session is watched by polling", "path", dir, "error", err)
	}
	ticker := time.NewTicker(s.set.poll)
	return nil, ticker.C, ticker.Stop
}
