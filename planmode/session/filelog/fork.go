package filelog

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// Fork makes a session of the beginning of another, in the same project. The lines of
// the parent are copied as they stand; a packed row is split where the fork cuts it.
func (s *Store) Fork(ctx context.Context, id string, at int64, newID string) (session.Log, error) {
	log, err := s.fork(ctx, id, at, newID)
	if err != nil {
		return nil, fmt.Errorf("fork session %q to %q: %w", id, newID, err)
	}
	return log, nil
}

func (s *Store) fork(ctx context.Context, id string, at int64, newID string) (*Log, error) {
	parent, err := s.open(ctx, id)
	if err != nil {
		return nil, err
	}
	now, err := parent.look(ctx)
	if err != nil {
		return nil, err
	}
	if at == session.Any {
		at = now.tip
	}
	if at < 0 || at > now.tip {
		return nil, fmt.Errorf("position %d of %d: %w", at, now.tip, session.ErrPosition)
	}
	inTurn := false
	header, err := parent.rows(ctx, at, func(_ []byte, r *row) error {
		switch {
		case r.chunks != nil:
		case r.event.Type == "turn/start":
			inTurn = true
		case r.event.Type == "turn/end":
			inTurn = false
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if inTurn {
		return nil, fmt.Errorf("position %d: %w", at, session.ErrOpenTurn)
	}
	return s.create(ctx, session.ForkHeader(header, at, newID), func(w *textWriter) error {
		_, err := parent.rows(ctx, at, func(line []byte, r *row) error {
			if rest := at - r.seq(); rest < r.count() {
				line = r.chunks.head(nil, int(rest))
			}
			return w.line(line)
		})
		if err != nil {
			return err
		}
		if err := w.flush(); err != nil {
			return err
		}
		end := session.EndSeed()
		end.Seq, end.Time = uint64(at), time.Now()
		line, err := end.MarshalJSON()
		if err != nil {
			return err
		}
		return w.line(line)
	})
}

// rows calls visit with each row that begins before position end, and returns the header.
func (l *Log) rows(ctx context.Context, end int64, visit func(line []byte, r *row) error) (session.Header, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return session.Header{}, err
	}
	defer file.Close()
	var failed error
	reached := int64(0)
	pass := scan{path: l.path, known: l.store.set.knownTypes}
	pass.visit = func(line []byte, r *row) bool {
		if r.seq() >= end {
			return false
		}
		failed = visit(line, r)
		reached = r.seq() + r.count()
		return failed == nil
	}
	err = pass.run(ctx, l.store.pieces(file, 0))
	switch {
	case failed != nil:
		return session.Header{}, failed
	case reached >= end:
		return pass.header, nil
	case err == nil:
		err = fmt.Errorf("position %d of %d: %w", end, reached, session.ErrPosition)
	}
	return session.Header{}, err
}
