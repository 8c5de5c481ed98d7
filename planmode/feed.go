package planmode

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/agentplan/sdk/planmode/session"
)

// keptStretches is how many stretches of a log are kept for who comes next.
const keptStretches = 64

// feeds holds the feed of each log that is watched.
type feeds struct {
	mu    sync.Mutex
	byLog map[session.Log]*feed
}

// join returns the feed of the log, and what leaves it again.
func (f *feeds) join(log session.Log) (joined *feed, leave func()) {
	if !isKey(log) {
		joined = newFeed(log)
		return joined, joined.stop
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if joined = f.byLog[log]; joined == nil {
		joined = newFeed(log)
		if f.byLog == nil {
			f.byLog = make(map[session.Log]*feed)
		}
		f.byLog[log] = joined
	}
	joined.watchers++
	return joined, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if joined.watchers--; joined.watchers == 0 {
			joined.stop()
			delete(f.byLog, log)
		}
	}
}

// feed derives the changes of a log for all who watch it. They go over the log stretch by
// stretch; who comes to a stretch first folds it, and those who come soon after find it
// here. Only the stretches derived last are kept, and a goroutine of the feed waits for
// the log to grow, so that neither memory nor the writers of the log depend on who
// watches.
type feed struct {
	log     session.Log
	rewinds func() uint64 // as in a cursor
	seed    maphash.Seed
	bell    bell // rings when there are changes
	stop    func()

	watchers int // guarded by feeds.mu

	busy  chan struct{} // holds an element while the rest is in use
	seen  uint64        // what rewinds last returned
	first *stretch
	kept  []*stretch // the ones derived last, oldest first
}

func newFeed(log session.Log) *feed {
	ctx, stop := context.WithCancel(context.Background())
	f := &feed{
		log: log, rewinds: rewindsOf(log), seed: maphash.MakeSeed(), stop: stop,
		busy: make(chan struct{}, 1), first: newFirst(log.ID()),
	}
	if f.rewinds != nil {
		f.seen = f.rewinds()
	}
	go f.attend(ctx, f.first)
	return f
}

// attend rings the bell when there are changes after at, until ctx ends.
func (f *feed) attend(ctx context.Context, at *stretch) {
	grown := follow(ctx, f.log)
	for {
		select {
		case <-ctx.Done():
			return
		case <-grown:
		}
		at = f.goOn(ctx, at)
	}
}

// goOn goes from at to the end of the log and rings the bell for each stretch with changes,
// and for an error: whoever watches finds out what that means to them. It returns where it
// came to.
func (f *feed) goOn(ctx context.Context, at *stretch) *stretch {
	for {
		next, err := f.next(ctx, at)
		if err != nil {
			f.bell.ring()
			if !errors.Is(err, errChanged) {
				return at
			}
			if next, err = f.before(ctx, 0); err != nil {
				return at
			}
		}
		if next == nil {
			return at
		}
		at = next
		if len(at.changes) > 0 {
			f.bell.ring()
		}
	}
}

// lock waits until nobody else uses what busy guards.
func (f *feed) lock(ctx context.Context) error {
	select {
	case f.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *feed) unlock() { <-f.busy }

// before returns a stretch that ends at position or before it, of the log as it is now.
func (f *feed) before(ctx context.Context, position int64) (*stretch, error) {
	if err := f.lock(ctx); err != nil {
		return nil, err
	}
	defer f.unlock()
	last := f.first
	for _, s := range f.kept {
		if s.end > last.end {
			last = s
		}
	}
	// Whether what is kept still holds is known from looking at what comes after it.
	if _, err := f.extend(ctx, last); err != nil && !errors.Is(err, errChanged) {
		return nil, err
	}
	best := f.first
	for _, s := range f.kept {
		if s.end <= position && s.end > best.end {
			best = s
		}
	}
	return best, nil
}

// next returns the stretch after at, nil if the log has nothing more. It returns
// errChanged if the log no longer holds what at was derived from.
func (f *feed) next(ctx context.Context, at *stretch) (*stretch, error) {
	if err := f.lock(ctx); err != nil {
		return nil, err
	}
	defer f.unlock()
	if at.first != f.first {
		return nil, errChanged
	}
	for _, s := range f.kept {
		if s.begin == at.end {
			return s, nil
		}
	}
	return f.extend(ctx, at)
}

// extend derives the stretch after at and keeps it. It returns what next does.
func (f *feed) extend(ctx context.Context, at *stretch) (*stretch, error) {
	s, err := f.derive(ctx, at)
	switch {
	case takenBack(err):
		f.first, f.kept = newFirst(f.log.ID()), nil
		return nil, errChanged
	case err != nil || s.end == at.end:
		return nil, err
	}
	if len(f.kept) == keptStretches {
		f.kept = slices.Delete(f.kept, 0, 1)
	}
	f.kept = append(f.kept, s)
	return s, nil
}
