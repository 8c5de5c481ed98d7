package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"
)

// MemoryStore is a [Store] of [MemoryLog] values. Its zero value is empty and ready.
type MemoryStore struct {
	mu       sync.Mutex
	sessions map[string]memorySession
}

type memorySession struct {
	header Header
	log    *MemoryLog
}

var _ Store = (*MemoryStore)(nil)

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore { return &MemoryStore{} }

// Open returns the log of the session, always the same one.
func (s *MemoryStore) Open(ctx context.Context, id string) (Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open session %q: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.sessions[id]
	if !ok {
		return nil, fmt.Errorf("open session %q: %w", id, ErrNotExist)
	}
	return found.log, nil
}

// Create makes an empty session.
func (s *MemoryStore) Create(ctx context.Context, h Header) (Log, error) {
	log, err := s.add(ctx, h, nil)
	if err != nil {
		return nil, fmt.Errorf("create session %q: %w", h.ID, err)
	}
	return log, nil
}

// add stores a new session that starts with seed, whose events it keeps.
func (s *MemoryStore) add(ctx context.Context, h Header, seed []Event) (*MemoryLog, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if h.ID == "" {
		return nil, errors.New("header has no id")
	}
	if h.CreatedAt.IsZero() {
		h.CreatedAt = time.Now()
	}
	h.CreatedAt = time.UnixMilli(h.CreatedAt.UnixMilli()).UTC()
	h.Extra = maps.Clone(h.Extra)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.sessions[h.ID]; ok {
		return nil, ErrExist
	}
	if s.sessions == nil {
		s.sessions = make(map[string]memorySession)
	}
	log := NewMemoryLog(h.ID)
	log.events = seed
	s.sessions[h.ID] = memorySession{header: h, log: log}
	return log, nil
}

// List yields the headers, ordered by id.
func (s *MemoryStore) List(ctx context.Context) iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		s.mu.Lock()
		headers := make([]Header, 0, len(s.sessions))
		for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
			h := s.sessions[id].header
			h.Extra = maps.Clone(h.Extra)
			headers = append(headers, h)
		}
		s.mu.Unlock()
		for _, h := range headers {
			if err := ctx.Err(); err != nil {
				yield(Header{}, fmt.Errorf("list sessions: %w", err))
				return
			}
			if !yield(h, nil) {
				return
			}
		}
	}
}

// Fork makes a session of the first at events of another.
func (s *MemoryStore) Fork(ctx context.Context, id string, at int64, newID string) (Log, error) {
	s.mu.Lock()
	parent, ok := s.sessions[id]
	s.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("fork session %q: %w", id, ErrNotExist)
	}
	events, _ := parent.log.snapshot(false)
	if at == Any {
		at = int64(len(events))
	}
	if at < 0 || at > int64(len(events)) {
		return nil, fmt.Errorf("fork session %q at %d of %d: %w", id, at, len(events), ErrPosition)
	}
	if TurnOpen(events[:at]) {
		return nil, fmt.Errorf("fork session %q at %d: %w", id, at, ErrOpenTurn)
	}
	seed := slices.Clone(events[:at])
	end := EndSeed()
	end.Seq = uint64(at)
	end.Time = time.UnixMilli(time.Now().UnixMilli()).UTC()
	log, err := s.add(ctx, ForkHeader(parent.header, at, newID), append(seed, end))
	if err != nil {
		return nil, fmt.Errorf("fork session %q to %q: %w", id, newID, err)
	}
	return log, nil
}
