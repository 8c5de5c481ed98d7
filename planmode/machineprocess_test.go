package planmode_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// process is a PlanMode with its own way to the log.
type process struct {
	m        *machine
	p        *planmode.PlanMode
	dead     atomic.Bool
	log      session.Log // the process itself, or one that counts
	review   func(planmode.Review) (planmode.Verdict, error)
	injected []session.Event
	notes    bool // it allows notes beside an approval

	mu     sync.Mutex // guards the rest, which the reviewer's goroutine sees, too
	fault  string
	inject func() // what another process does before the next append
	skip   int    // how many appends go well before that

	store     string // what becomes of a write to the store
	storeSkip int    // how many writes to the store go well before that
	storeHit  bool   // it became of one
}

// disturbances takes what is to disturb the next append.
func (p *process) disturbances() (fault string, inject func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.skip > 0 {
		p.skip--
		return "", nil
	}
	fault, inject = p.fault, p.inject
	p.fault, p.inject = "", nil
	return fault, inject
}

// disturb sets what is to disturb the next append.
func (p *process) disturb(fault string, inject func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.inject = fault, inject
}

var errDead = errors.New("process is dead")

// counting is the log of a process that counts what was taken back.
type counting struct{ *process }

func (c counting) Rewinds() uint64 { return c.m.rewinds }

// process is the agent and the log of its PlanMode.
func (p *process) ID() string                             { return "s" }
func (p *process) Log() session.Log                       { return p.log }
func (p *process) Steer(context.Context, string) error    { return nil }
func (p *process) Tip(ctx context.Context) (int64, error) { return p.m.log.Tip(ctx) }
func (p *process) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	if p.dead.Load() {
		return func(yield func(session.Event, error) bool) { yield(session.Event{}, errDead) }
	}
	return p.m.log.Read(ctx, from)
}

func (p *process) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	if p.dead.Load() {
		return 0, errDead
	}
	if len(events) == 0 {
		return p.m.log.Append(ctx, expect)
	}
	fault, inject := p.disturbances()
	if inject != nil {
		before := p.m.len()
		inject()
		p.injected = append(p.injected, p.m.events()[before:]...)
	}
	switch fault {
	case "lost":
		return 0, errDisk
	case "landed":
		if _, err := p.m.log.Append(ctx, expect, events...); err != nil {
			return 0, err
		}
		return 0, errDisk
	case "prefix":
		if _, err := p.m.log.Append(ctx, expect, events[:1]...); err != nil {
			return 0, err
		}
		p.dead.Store(true)
		return 0, errDead
	}
	return p.m.log.Append(ctx, expect, events...)
}
