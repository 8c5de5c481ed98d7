package planmode_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// patience is how long a subscriber may take to tell what stands in the log.
const patience = 5 * time.Minute

// audience is the subscribers of a machine: in each check one starts at 0 and one
// somewhere, and one goes on through all that happens.
type audience struct {
	p      *planmode.PlanMode
	mirror *mirror
	agent  *testAgent

	known []session.Event // what want is about
	want  [][]string      // the changes of each event
	next  func() (planmode.Change, error, bool)
	got   []planmode.Change // of next

	ctx   context.Context
	limit *time.Timer // ends ctx where a check hangs
	leave []func()
}

func newAudience(t fataler, counts bool) *audience {
	p, err := planmode.New(planmode.Config{Section: guidance}, nil)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	a := &audience{p: p, mirror: &mirror{log: session.NewMemoryLog("s"), replaced: make(chan struct{})}}
	a.agent = agentOn(a.mirror)
	if counts {
		a.agent = agentOn(countingMirror{a.mirror})
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.limit = time.AfterFunc(patience, cancel)
	a.ctx, a.leave = ctx, []func(){cancel, func() { a.limit.Stop() }}
	a.begin()
	return a
}

// begin starts the subscriber that goes on.
func (a *audience) begin() {
	next, stop := iter.Pull2(a.p.Watch(a.ctx, a.agent, 0))
	a.next, a.got, a.leave = next, nil, append(a.leave, stop)
}

func (a *audience) stop() {
	for _, leave := range slices.Backward(a.leave) {
		leave()
	}
}

// check holds the subscribers against the model of the log.
func (a *audience) check(m *machine, events []session.Event, model naive) {
	m.t.Helper()
	a.limit.Reset(patience)
	same := 0
	for same < min(len(events), len(a.known)) && sameRecord(events[same], a.known[same]) {
		same++
	}
	a.known, a.want = events, a.want[:same]
	for i := same; i < len(events); i++ {
		a.want = append(a.want, model.changesAt(i))
	}
	a.mirror.show(m.log)
	all := a.watch(m, 0)
	from := int64(m.choose("watch from", len(events)+1))
	tail := a.watch(m, from)
	if !slices.EqualFunc(all[len(all)-len(tail):], tail, sameChange) {
		m.t.Fatalf("a subscriber from %d got other changes than one from 0\n%s", from, m.dump())
	}
	if len(all) > 0 {
		if last := all[len(all)-1].To; stateWords(last) != stateWords(model.stateAt(len(events))) {
			m.t.Fatalf("the last change is to %s\n%s", stateWords(last), m.dump())
		}
	}
	a.goOn(m, all)
}

// sameRecord reports whether no subscriber can tell the events apart.
func sameRecord(a, b session.Event) bool {
	return a.Type == b.Type && a.Time.Equal(b.Time) && string(a.Data) == string(b.Data)
}

func sameChange(a, b planmode.Change) bool {
	return a.Position == b.Position && a.Index == b.Index && a.Kind == b.Kind && a.Time.Equal(b.Time) &&
		a.Actor == b.Actor && a.Cause == b.Cause && a.Decision == b.Decision && a.Reason == b.Reason &&
		a.Revision == b.Revision && a.ReviewTo == b.ReviewTo && a.ReviewID == b.ReviewID && a.Session == b.Session
}

// watch returns the changes after from, which must be those of the model.
func (a *audience) watch(m *machine, from int64) []planmode.Change {
	m.t.Helper()
	var want []string
	for i := from; i < int64(len(a.want)); i++ {
		for n, line := range a.want[i] {
			want = append(want, fmt.Sprintf("%d.%d %s", i+1, n, line))
		}
	}
	if len(want) == 0 {
		return nil
	}
	var out []planmode.Change
	for c, err := range a.p.Watch(a.ctx, a.agent, from) {
		n := len(out)
		if err != nil {
			m.t.Fatalf("watch from %d: %v, want %s\n%s", from, err, want[n], m.dump())
		}
		if got := fmt.Sprintf("%d.%d %s", c.Position, c.Index, changeWords(c)); got != want[n] {
			m.t.Fatalf("watch from %d gives %s, want %s\n%s", from, got, want[n], m.dump())
		}
		if out = append(out, c); len(out) == len(want) {
			break
		}
	}
	return out
}

// goOn holds the subscriber that goes on against all changes that there are. Where one that
// it got was taken back it has to hear of that, and starts anew.
func (a *audience) goOn(m *machine, all []planmode.Change) {
	m.t.Helper()
	if n := len(a.got); n > len(all) || !slices.EqualFunc(a.got, all[:n], sameChange) {
		if c, err, _ := a.next(); !errors.Is(err, session.ErrPosition) {
			m.t.Fatalf("a subscriber whose changes were taken back got %+v, %v\n%s", c, err, m.dump())
		}
		a.begin()
	}
	for _, want := range all[len(a.got):] {
		c, err, _ := a.next()
		if err != nil {
			m.t.Fatalf("a subscriber that goes on: %v\n%s", err, m.dump())
		}
		if !sameChange(want, c) {
			m.t.Fatalf("a subscriber that goes on got %s, want %s\n%s", told(c), told(want), m.dump())
		}
		a.got = append(a.got, c)
	}
}

// mirror is the log of a machine as other goroutines may read it: they see what it held
// at the last check.
type mirror struct {
	mu       sync.Mutex
	log      *session.MemoryLog
	replaced chan struct{} // closed when another log takes its place
	rewinds  uint64
	source   *session.MemoryLog
}

// show brings the mirror up to date.
func (l *mirror) show(log *session.MemoryLog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx := context.Background()
	if l.source != log {
		if l.source != nil {
			l.rewinds++
		}
		l.source, l.log = log, session.NewMemoryLog("s")
		close(l.replaced)
		l.replaced = make(chan struct{})
	}
	tip, _ := l.log.Tip(ctx)
	for e := range log.Read(ctx, tip) {
		if _, err := l.log.Append(ctx, session.Any, e); err != nil {
			panic(err)
		}
	}
}

func (l *mirror) now() (*session.MemoryLog, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log, l.replaced
}

func (l *mirror) ID() string { return "s" }
func (l *mirror) Append(context.Context, int64, ...session.Event) (int64, error) {
	return 0, errors.New("the mirror is only read")
}

func (l *mirror) Tip(ctx context.Context) (int64, error) {
	log, _ := l.now()
	return log.Tip(ctx)
}

func (l *mirror) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	log, _ := l.now()
	return log.Read(ctx, from)
}

func (l *mirror) Watch(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		log, replaced := l.now()
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-replaced:
				cancel()
			case <-inner.Done():
			}
		}()
		for e, err := range log.Watch(inner, from) {
			if err != nil && ctx.Err() == nil {
				err = session.ErrPosition
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// countingMirror is a mirror that counts what was taken back.
type countingMirror struct{ *mirror }

func (l countingMirror) Rewinds() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rewinds
}
