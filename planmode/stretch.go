package planmode

import (
	"context"
	"fmt"
	"hash/maphash"
)

const (
	// stretchLength is how many events a stretch has at most; it ends at a multiple.
	stretchLength = 4096
	// stretchChanges is how many changes end a stretch.
	stretchChanges = 128
)

// stretch is a part of a log and the changes that its events made. It never changes.
type stretch struct {
	first      *stretch // of the log as it was when the stretch was derived
	begin, end int64
	count      int    // of the changes before it
	sum        uint64 // over the changes before it
	changes    []summed
	known      history  // at its end
	tail       []uint64 // fingerprints of the last events before its end, as in a cursor
}

// summed is a change with a sum over it and all before it.
type summed struct {
	Change
	sum uint64
}

// newFirst returns the empty stretch before the first event of the session's log.
func newFirst(sessionID string) *stretch {
	s := &stretch{known: history{session: sessionID}}
	s.first = s
	return s
}

// mark returns the number of the changes of the log up to the first ones of the stretch,
// and the sum over them.
func (s *stretch) mark(passed int) (count int, sum uint64) {
	if passed == 0 {
		return s.count, s.sum
	}
	return s.count + passed, s.changes[passed-1].sum
}

// derive returns the stretch after at, which is empty if the log has nothing more. It
// returns an error that is errChanged or session.ErrPosition if the log no longer holds
// what at was derived from. The caller holds busy.
func (f *feed) derive(ctx context.Context, at *stretch) (*stretch, error) {
	from := at.end - int64(len(at.tail))
	if f.rewinds != nil {
		tip, err := f.log.Tip(ctx)
		switch {
		case err != nil:
			return nil, err
		case f.rewound() || tip < at.end:
			return nil, errChanged
		case tip == at.end:
			return &stretch{end: at.end}, nil
		}
	}
	s, err := f.read(ctx, at, from)
	if err == nil && (s.end < at.end || f.rewinds != nil && f.rewound()) {
		err = errChanged
	}
	return s, err
}

// rewound reports whether the log has taken events back since it was last asked.
func (f *feed) rewound() bool {
	before := f.seen
	f.seen = f.rewinds()
	return f.seen != before
}

// read reads from a position at or before the end of at, compares what is known of the
// log and derives the rest.
func (f *feed) read(ctx context.Context, at *stretch, from int64) (*stretch, error) {
	s := &stretch{first: at.first, begin: at.end, known: at.known}
	s.count, s.sum = at.mark(len(at.changes))
	limit := (at.end/stretchLength + 1) * stretchLength
	var recent ring
	sum := s.sum
	s.end = from
	for e, err := range f.log.Read(ctx, from) {
		if err != nil {
			return nil, err
		}
		if e.Seq != uint64(s.end) {
			return nil, fmt.Errorf("event %d has the seq %d", s.end, e.Seq)
		}
		s.end++
		if f.rewinds == nil {
			recent.add(e)
		}
		if s.end <= at.end {
			if fingerprint(f.seed, e) != at.tail[s.end-1-from] {
				return nil, errChanged
			}
			continue
		}
		if changes := s.known.add(e); len(changes) > 0 {
			sum = maphash.Comparable(f.seed, [2]uint64{sum, fingerprint(f.seed, e)})
			for _, c := range changes {
				sum++
				s.changes = append(s.changes, summed{c, sum})
			}
		}
		if s.end == limit || len(s.changes) >= stretchChanges {
			break
		}
	}
	for e := range recent.all {
		s.tail = append(s.tail, fingerprint(f.seed, e))
	}
	return s, nil
}
