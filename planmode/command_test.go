package planmode_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

func TestCommand(t *testing.T) {
	type run struct {
		input string
		reply string // a part of it
		state string
	}
	for _, test := range []struct {
		name    string
		log     []session.Event
		runs    []run
		steered []string
	}{
		{"D46 bare in a turn", []session.Event{start()},
			[]run{{"", "applies from the next step. Use /plan off", offPending}, {"", "already selected", offPending}}, nil},
		{"D47 message in a turn", []session.Event{start()},
			[]run{{" \t\u00a0\ufeffdo  it\u2003\n", "applies from the next step", offPending}}, []string{"do  it"}},
		{"D48 off while off", []session.Event{start()},
			[]run{{"off", "already off", off}}, nil},
		{"D49 entry cancelled", []session.Event{start()},
			[]run{{"", "applies", offPending}, {" off ", "entry cancelled", off}}, nil},
		{"D50 D51 leaving", []session.Event{mode(true), start()},
			[]run{{"off", "applies from the next step", onPending}, {"off", "Still leaving", onPending}}, nil},
		{"D52 D53 idle", nil,
			[]run{{"", "Plan mode on now", on}, {"off", "Plan mode off now", off}}, nil},
		{"already on", []session.Event{mode(true)},
			[]run{{"", "already on", on}, {"x", "already on", on}}, []string{"x"}},
		{"exit cancelled", []session.Event{mode(true), start()},
			[]run{{"off", "Leaving", onPending}, {"", "Still in plan mode", on}}, nil},
		{"only off is off", nil,
			[]run{{"Off", "on now", on}, {"off now", "already on", on}}, []string{"Off", "off now"}},
		{"byte order marks", []session.Event{mode(true)},
			[]run{{"\ufeffoff\ufeff", "off now", off}, {"\ufeff", "on now", on}}, nil},
		{"C039 leaving without a plan", []session.Event{mode(true), start(), end()},
			[]run{{"off", "off now", off}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, a := newPlanMode(t, nil), newAgent(test.log...)
			for _, run := range test.runs {
				reply, err := p.Command().Run(context.Background(), a, run.input)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(reply, run.reply) {
					t.Errorf("reply to %q is %q, want %q in it", run.input, reply, run.reply)
				}
				if diff := cmp.Diff(run.state, state(t, p, a)); diff != "" {
					t.Error(diff)
				}
			}
			if diff := cmp.Diff(test.steered, a.steered); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCommandFaults(t *testing.T) {
	ctx := context.Background()
	t.Run("message not sent", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent()
		a.fails = errors.New("queue is full")
		reply, err := p.Command().Run(ctx, a, "do it")
		if err != nil || !strings.Contains(reply, "mode is set") || !strings.Contains(reply, "message was not sent: queue is full") {
			t.Errorf("reply is %q, %v", reply, err)
		}
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("mode not set", func(t *testing.T) {
		log := &faultyLog{Log: newLog()}
		p, a := newPlanMode(t, nil), agentOn(log)
		log.fail(fault{0, errDisk})
		if reply, err := p.Command().Run(ctx, a, "do it"); !errors.Is(err, errDisk) || reply != "" {
			t.Errorf("reply is %q, %v", reply, err)
		}
		if len(a.steered) > 0 {
			t.Errorf("steered %q", a.steered)
		}
	})
	t.Run("no agent", func(t *testing.T) {
		if _, err := newPlanMode(t, nil).Command().Run(ctx, nil, "x"); err == nil {
			t.Error("no error")
		}
	})
	t.Run("D44 definition", func(t *testing.T) {
		c := newPlanMode(t, nil).Command()
		if c.Name != "plan" || c.Hint != "[off|message]" || c.Description == "" {
			t.Errorf("command is %+v", c)
		}
	})
}

// TestCommandLogged runs the command as a host does, between a command/run and a
// command/done.
func TestCommandLogged(t *testing.T) {
	ctx := context.Background()
	p, a := newPlanMode(t, nil), newAgent(start())
	add(t, a, session.CommandRun("c1", "plan", " do it"))
	if diff := cmp.Diff(offPending, state(t, p, a)); diff != "" {
		t.Error(diff)
	}
	if _, err := p.Command().Run(ctx, a, " do it"); err != nil {
		t.Fatal(err)
	}
	add(t, a, session.CommandDone("c1", "ok"), session.CommandRun("c2", "plan", " off"))
	if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
		t.Error(diff)
	}
	if _, err := p.Command().Run(ctx, a, " off"); err != nil {
		t.Fatal(err)
	}
	add(t, a, session.CommandDone("c2", "ok"))
	if diff := cmp.Diff([]string{"select on", "select off"}, kinds(t, a.log)); diff != "" {
		t.Error(diff)
	}
}
