package planmode_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMachine drives random operations of users, processes and hosts over one session
// against a model that reads the log from scratch. Some appends fail, land although they
// fail, land in part or meet a conflict, processes die, and the recovery of a log takes
// back its last events. The full run of more than 100,000 operations is
//
//	go test ./planmode -run TestMachine -rapid.checks=2500 -rapid.steps=60
//
// and -rapid.seed repeats a run.
func TestMachine(t *testing.T) {
	if !flagSet("rapid.checks") {
		if err := flag.Set("rapid.checks", "30"); err != nil {
			t.Fatal(err)
		}
	}
	operations := 0
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t, func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) })
		defer m.stop()
		t.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { m.check() },
			"operation": func(*rapid.T) {
				operations++
				m.operate()
			},
		})
	})
	t.Logf("%d operations", operations)
}

func flagSet(name string) bool {
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// TestMachineRepeats holds that the same choices lead to the same log.
func TestMachineRepeats(t *testing.T) {
	run := func(seed uint64) []string {
		random := rand.New(rand.NewPCG(seed, 1))
		m := newMachine(t, func(_ string, n int) int { return random.IntN(n) })
		defer m.stop()
		for range 150 {
			m.operate()
			m.check()
		}
		return m.trace
	}
	for seed := range uint64(5) {
		if diff := cmp.Diff(run(seed), run(seed)); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
	}
}

// fataler is the part of a test that a machine needs.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// machine is one session with its processes.
type machine struct {
	t       fataler
	choose  func(label string, n int) int
	log     *session.MemoryLog // replaced by recover
	store   *session.MemoryStore
	seen    map[string]bool // sessions of the store that were checked
	procs   []*process
	ids     int
	calls   []string // exit calls without a result
	runs    []string // commands without an end
	trace   []string
	rewinds uint64
	watched *audience
}

func newMachine(t fataler, choose func(string, int) int) *machine {
	m := &machine{t: t, choose: choose, log: session.NewMemoryLog("s"), store: session.NewMemoryStore(), seen: map[string]bool{}}
	m.watched = newAudience(t, choose("audience's log counts", 2) == 1)
	for range 3 {
		m.procs = append(m.procs, m.start())
	}
	if m.choose("begins in plan mode", 4) > 0 {
		m.add(mode(true), header(), session.TurnStart(1))
	}
	return m
}

func (m *machine) start() *process {
	proc := &process{m: m, notes: m.choose("notes allowed", 2) == 1}
	p, err := planmode.New(planmode.Config{Section: guidance}, &planmode.Options{
		Reviewer: reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) { return proc.review(r) }),
		Logger:   slog.New(slog.DiscardHandler),
		Gate:     &planmode.Gate{Allow: []string{"read"}, MaxRefusals: machineRefusals},

		ApprovalNotes:   proc.notes,
		Sessions:        machineStore{m.store, proc},
		BoundaryTimeout: time.Hour,
	})
	if err != nil {
		m.t.Fatalf("start: %v", err)
	}
	proc.p = p
	proc.log = proc
	if m.choose("log counts", 2) == 1 {
		proc.log = counting{proc}
	}
	return proc
}

func (m *machine) stop() {
	m.watched.stop()
	for _, proc := range m.procs {
		if err := proc.p.Close(); err != nil {
			m.t.Fatalf("close: %v", err)
		}
	}
}

func (m *machine) events() []session.Event {
	return m.eventsOf(m.log)
}

func (m *machine) len() int { return len(m.events()) }

func (m *machine) add(events ...session.Event) {
	if _, err := m.log.Append(context.Background(), session.Any, events...); err != nil {
		m.t.Fatalf("append: %v", err)
	}
}

func (m *machine) id(prefix string) string {
	m.ids++
	return fmt.Sprint(prefix, m.ids)
}

func pick[T any](m *machine, label string, from []T) T { return from[m.choose(label, len(from))] }

// note adds what happened to the trace, without the ids that differ from run to run.
func (m *machine) note(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

// operate does one random operation and checks what it wrote and returned.
func (m *machine) operate() {
	proc := pick(m, "process", m.procs)
	switch op := pick(m, "operation", []string{
		"set", "set", "set", "boundary", "boundary", "boundary", "exit", "exit", "exit", "settle", "settle",
		"turn", "turn", "header", "result", "result", "original", "run", "run", "done", "done", "policy", "policy",
		"malformed", "crash", "repair", "recover", "use", "use", "hand-off", "hand-off",
	}); op {
	case "set":
		m.disturb(proc)
		m.set(proc, m.choose("active", 2) == 1)
	case "boundary":
		m.disturb(proc)
		m.disturbStore(proc)
		m.boundary(proc)
	case "hand-off":
		m.disturb(proc)
		m.disturbStore(proc)
		m.resume(proc)
	case "exit":
		m.disturb(proc)
		m.disturbStore(proc)
		m.exit(proc, m.choose("appends before", 2))
	case "settle":
		m.disturb(proc)
		m.disturbStore(proc)
		m.settle(proc, m.choose("appends before", 2))
	case "turn":
		if readNaive(m.events()).turnAt(m.len()) {
			m.add(session.TurnEnd(1, session.TurnCompleted))
		} else {
			m.add(session.TurnStart(1))
		}
	case "header":
		m.add(header())
	case "result":
		m.result(pick(m, "result", []string{"ok", "failed", "unknown"}))
	case "original":
		id := m.id("call")
		m.add(exitCall(id))
		m.calls = append(m.calls, id)
	case "run":
		id := m.id("command")
		m.add(session.CommandRun(id, "plan", pick(m, "args", []string{"", " off", " \ufeffoff\t", " do it"})))
		m.runs = append(m.runs, id)
	case "done":
		if len(m.runs) > 0 {
			i := m.choose("command", len(m.runs))
			done := session.CommandDone(m.runs[i], "")
			if m.choose("fails", 2) == 1 {
				done = session.CommandFailed(m.runs[i], "")
			}
			m.runs = slices.Delete(m.runs, i, i+1)
			m.add(done)
		}
	case "policy":
		m.add(event("plan/select", fmt.Sprintf(`{"active":%v,"by":"policy"}`, m.choose("active", 2) == 1)))
	case "use":
		m.disturb(proc)
		m.use(proc)
	case "malformed":
		m.add(event("plan/mode", `{"active":42}`))
	case "crash":
		proc.dead.Store(true)
	case "repair":
		m.add(session.Repair(m.events())...)
	case "recover":
		m.recover(m.choose("taken", 4), m.choose("written instead", 4))
	}
	for i, proc := range m.procs {
		proc.disturb("", nil)
		proc.skip, proc.injected = 0, nil
		proc.store, proc.storeSkip, proc.storeHit = "", 0, false
		if proc.dead.Load() {
			if err := proc.p.Close(); err != nil && !errors.Is(err, errDead) {
				m.t.Fatalf("close: %v", err)
			}
			m.procs[i] = m.start()
		}
	}
}

// disturb makes the next append of a process go wrong now and then.
func (m *machine) disturb(proc *process) {
	switch kind := pick(m, "disturbance", []string{"", "", "", "", "lost", "landed", "prefix", "conflict"}); kind {
	default:
		proc.disturb(kind, nil)
	case "conflict":
		other := pick(m, "other", m.procs)
		active := m.choose("other's selection", 2) == 1
		what := m.choose("other's operation", 3)
		proc.disturb("", func() {
			switch {
			case what == 0:
				m.add(header())
			case other == proc:
				m.add(event("plan/select", fmt.Sprintf(`{"active":%v,"by":"user"}`, active)))
			case what == 1:
				if _, err := other.p.Set(context.Background(), other, active); err != nil {
					m.t.Fatalf("set in between: %v", err)
				}
			default:
				other.p.BeforeStep(context.Background(), other)
			}
		})
	}
}

// recover takes the last events back, as a log does after a crashed write, and lets
// others write in their place. What refers to them is forgotten.
func (m *machine) recover(taken, instead int) {
	kept := m.events()
	kept = kept[:max(0, len(kept)-taken)]
	m.log = session.NewMemoryLog("s")
	m.add(kept...)
	m.rewinds++
	for range instead {
		m.add(pick(m, "instead", []session.Event{header(), mode(true), mode(false), session.StepStart(1, 1)}))
	}
	all := readNaive(kept)
	m.calls = slices.DeleteFunc(m.calls, func(id string) bool {
		return !slices.ContainsFunc(all, func(r record) bool { return r.CallID == id })
	})
	m.runs = slices.DeleteFunc(m.runs, func(id string) bool {
		return !slices.ContainsFunc(all, func(r record) bool { return r.CommandID == id })
	})
}

// own returns what a process itself wrote since before, in short words, and the position
// at which it decided to.
func (m *machine) own(proc *process, before int) (wrote []string, decided int) {
	decided = before + len(proc.injected)
	return kindsOf(m.events()[decided:]), decided
}

func kindsOf(events []session.Event) []string {
	var out []string
	for _, r := range readNaive(events) {
		switch {
		case r.Type == "plan/mode" && *r.Active:
			out = append(out, "mode on")
		case r.Type == "plan/mode":
			out = append(out, "mode off")
		case r.Type == "plan/select" && *r.Active:
			out = append(out, "select on")
		case r.Type == "plan/select":
			out = append(out, "select off")
		case r.Type == "plan/review":
			out = append(out, r.State)
		case r.Type == "plan/refusal":
			out = append(out, "refusal")
		case r.Type == "plan/handoff":
			out = append(out, "handoff")
		case r.Source.Plugin == "plan-mode":
			out = append(out, "notice")
		}
	}
	return out
}

// want fails unless the list is the wanted one, or a prefix of it where that may be.
func (m *machine) want(what string, got, want []string, prefix bool) {
	m.t.Helper()
	if prefix && len(got) <= len(want) {
		want = want[:len(got)]
	}
	if !slices.Equal(got, want) {
		m.t.Fatalf("%s wrote %q, want %q\n%s", what, got, want, m.dump())
	}
}

func (m *machine) dump() string {
	var b strings.Builder
	for _, e := range m.events() {
		fmt.Fprintf(&b, "%d %s %s\n", e.Seq, e.Type, e.Data)
	}
	return b.String()
}
