package planmode_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"pgregory.net/rapid"
)

// TestGateMachine drives a family of agents through random switches, reviews, crashes and
// failing logs, and holds that no tool runs in plan mode that the operator did not list,
// and that every other call runs. A long run is
//
//	go test ./planmode -run TestGateMachine -rapid.checks=2000 -rapid.steps=80
func TestGateMachine(t *testing.T) {
	if !flagSet("rapid.checks") {
		if err := flag.Set("rapid.checks", "60"); err != nil {
			t.Fatal(err)
		}
	}
	var refused, ran int
	rapid.Check(t, func(t *rapid.T) {
		f := newFamily(t)
		defer f.stop()
		t.Repeat(map[string]func(*rapid.T){
			"use":      f.use,
			"use more": f.use,
			"switch":   f.flip,
			"turn":     f.turn,
			"boundary": func(*rapid.T) { f.p.BeforeStep(context.Background(), f.member()) },
			"exit":     f.exit,
			"crash":    f.crash,
		})
		refused, ran = refused+f.refused, ran+f.ran
	})
	if refused == 0 || ran == 0 {
		t.Errorf("%d calls were refused and %d ran", refused, ran)
	}
}

// family is a root agent with those that work for it, and the plan mode of one process.
type family struct {
	t       *rapid.T
	opts    planmode.Options
	p       *planmode.PlanMode
	members []*relative
	ids     int
	ran     int
	refused int
}

// relative is an agent of a family.
type relative struct {
	*testAgent
	parent *relative
	log    *faultyLog
}

func (r *relative) Log() session.Log { return r.log }
func (r *relative) Parent() planmode.Agent {
	if r.parent == nil {
		return nil
	}
	return r.parent
}

// active is the mode of the agent by its log alone.
func (r *relative) active() bool {
	var all []session.Event
	for e, err := range r.log.Log.Read(context.Background(), 0) {
		if err != nil {
			panic(err)
		}
		all = append(all, e)
	}
	return readNaive(all).activeAt(len(all))
}

func newFamily(t *rapid.T) *family {
	f := &family{t: t}
	f.opts = planmode.Options{
		Logger:   slog.New(slog.DiscardHandler),
		Children: rapid.SampledFrom([]planmode.ChildPolicy{planmode.ChildrenOff, planmode.ChildrenInherit, planmode.ChildrenRefuseReview}).Draw(t, "children"),
		Gate: &planmode.Gate{
			Allow:         rapid.SliceOfNDistinct(rapid.SampledFrom(tools()), 0, 3, rapid.ID[string]).Draw(t, "allow"),
			TrustReadOnly: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"read", "write", "docs__*", "mcp*", "*"}), 0, 2, rapid.ID[string]).Draw(t, "trust"),
			MaxRefusals:   rapid.IntRange(1, 4).Draw(t, "refusals"),
		},
	}
	f.opts.Reviewer = reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) {
		d := rapid.SampledFrom([]planmode.Decision{planmode.Approve, planmode.Approve, planmode.Revise, planmode.Dismiss, "unknown"}).Draw(f.t, "decision")
		return planmode.Verdict{Decision: d, SHA256: r.SHA256}, nil
	})
	for i := range 4 {
		r := &relative{testAgent: newAgent(), log: &faultyLog{Log: session.NewMemoryLog(fmt.Sprint("s", i))}}
		if i > 0 {
			r.parent = f.members[rapid.IntRange(0, i-1).Draw(t, "parent")]
		}
		f.members = append(f.members, r)
	}
	f.start()
	return f
}

// tools are names that a model may call, also ones that nobody offers.
func tools() []string {
	return []string{"read", "write", "shell", "docs__find", "docs__write", "mcp", "mcp__x", "Read", "read ", "exit_plan_mode2"}
}

func (f *family) start() {
	p, err := planmode.New(planmode.Config{Section: guidance}, &f.opts)
	if err != nil {
		f.t.Fatal(err)
	}
	f.p = p
}

func (f *family) stop() { f.p.Close() }

func (f *family) member() *relative {
	return f.members[rapid.IntRange(0, len(f.members)-1).Draw(f.t, "agent")]
}

// listed reports whether the operator lets the tool run in plan mode.
func (f *family) listed(name string, hint bool) bool {
	if name == planmode.ToolName || slices.Contains(f.opts.Gate.Allow, name) {
		return true
	}
	for _, trusted := range f.opts.Gate.TrustReadOnly {
		begins := strings.HasSuffix(trusted, "*") && strings.HasPrefix(name, strings.TrimSuffix(trusted, "*"))
		if hint && (trusted == name || begins) {
			return true
		}
	}
	return false
}

// planning reports whether plan mode is in force for the agent.
func (f *family) planning(r *relative) bool {
	for ; r != nil; r = r.parent {
		if r.active() {
			return true
		}
		if f.opts.Children == planmode.ChildrenOff {
			return false
		}
	}
	return false
}

// use calls a tool as a host does: it runs if the gate lets it.
func (f *family) use(t *rapid.T) {
	r := f.member()
	name := rapid.SampledFrom(append(tools(), planmode.ToolName, "")).Draw(t, "tool")
	hint := rapid.Bool().Draw(t, "hint")
	other := f.member()
	f.disturb(t, r)
	if rapid.IntRange(0, 5).Draw(t, "race") == 0 {
		// Another process writes, or switches a mode, between the look and the refusal.
		event := header()
		if rapid.Bool().Draw(t, "switches") {
			event = mode(!other.active())
		}
		for _, m := range f.members {
			m.log.Log = &racing{Log: m.log.Log, first: func() {
				if _, err := unwrap(other.log.Log).Append(context.Background(), session.Any, event); err != nil {
					t.Fatal(err)
				}
			}}
		}
	}
	_, ran := f.p.Admit(context.Background(), r, planmode.ToolUse{Name: name, CallID: f.id("use"), ReadOnly: hint})
	f.calm()
	planning := f.planning(r)
	switch {
	case ran && planning && !f.listed(name, hint):
		t.Fatalf("%q with the hint %v ran in plan mode; allow %q, trust %q", name, hint, f.opts.Gate.Allow, f.opts.Gate.TrustReadOnly)
	case !ran && (f.listed(name, hint) || !planning):
		t.Fatalf("%q with the hint %v was refused, in plan mode %v", name, hint, planning)
	case ran:
		f.ran++
	default:
		f.refused++
	}
}

// racing is a log to which another process appends right before its first append.
type racing struct {
	session.Log
	first func()
}

func (l *racing) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	if first := l.first; first != nil {
		l.first = nil
		first()
	}
	return l.Log.Append(ctx, expect, events...)
}

func unwrap(log session.Log) session.Log {
	if r, ok := log.(*racing); ok {
		return r.Log
	}
	return log
}

func (f *family) id(prefix string) string {
	f.ids++
	return fmt.Sprint(prefix, f.ids)
}

// disturb makes the next append to any log of the family above r go wrong now and then.
func (f *family) disturb(t *rapid.T, r *relative) {
	for ; r != nil; r = r.parent {
		switch rapid.IntRange(0, 8).Draw(t, "fault") {
		case 0:
			r.log.fail(fault{0, errDisk})
		case 1:
			r.log.fail(fault{-1, errDisk})
		}
	}
}

// calm ends what disturbs the logs.
func (f *family) calm() {
	for _, m := range f.members {
		m.log.Log = unwrap(m.log.Log)
		m.log.faults = nil
	}
}

func (f *family) flip(t *rapid.T) {
	r := f.member()
	f.disturb(t, r)
	_, err := f.p.Set(context.Background(), r, rapid.Bool().Draw(t, "active"))
	f.calm()
	if err != nil && !strings.Contains(err.Error(), errDisk.Error()) {
		t.Fatal(err)
	}
}

func (f *family) turn(t *rapid.T) {
	r := f.member()
	if rapid.Bool().Draw(t, "starts") {
		f.add(r, start(), header())
	} else {
		f.add(r, end())
	}
}

// add logs what a host does.
func (f *family) add(r *relative, events ...session.Event) {
	if _, err := r.log.Append(context.Background(), session.Any, events...); err != nil {
		f.t.Fatal(err)
	}
}

func (f *family) exit(*rapid.T) {
	r, id := f.member(), f.id("call")
	f.add(r, exitCall(id))
	result := f.p.ExitTool().Call(context.Background(), r, id, planArgs("# Plan\n"))
	f.add(r, exitResult(id, result))
}

// crash ends the process and starts another one, which finds the logs cut where a crash
// may have left them.
func (f *family) crash(t *rapid.T) {
	f.stop()
	for _, r := range f.members {
		var kept []session.Event
		for e, err := range r.log.Log.Read(context.Background(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, e)
		}
		kept = kept[:max(0, len(kept)-rapid.IntRange(0, 2).Draw(t, "cut"))]
		log := session.NewMemoryLog(r.log.ID())
		if _, err := log.Append(context.Background(), 0, kept...); err != nil {
			t.Fatal(err)
		}
		r.log = &faultyLog{Log: log}
	}
	f.start()
}
