package planmode_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
	"github.com/google/go-cmp/cmp"
)

func TestWatchErrors(t *testing.T) {
	ctx := context.Background()
	p := newPlanMode(t, nil)
	good := newAgent(mode(true))
	over, cancel := context.WithCancel(ctx)
	cancel()
	for _, test := range []struct {
		name  string
		ctx   context.Context
		agent planmode.Agent
		from  int64
		want  error
		text  string
	}{
		{"no agent", ctx, nil, 0, nil, ": no agent given"},
		{"no log", ctx, agentOn(nil), 0, nil, ": agent has no log"},
		{"negative", ctx, good, -2, session.ErrPosition, " of session s: position -2 of 1"},
		{"past the tip", ctx, good, 2, session.ErrPosition, " of session s: position 2 of 1"},
		{"context", over, good, 0, context.Canceled, " of session s"},
		{"unreadable", ctx, agentOn(unreadable{newLog()}), 0, errDisk, " of session s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, changes := range map[string]iter.Seq2[planmode.Change, error]{
				"watch plan mode":        p.Watch(test.ctx, test.agent, test.from),
				"read plan mode changes": p.Changes(test.ctx, test.agent, test.from),
			} {
				n := 0
				for c, err := range changes {
					n++
					if err == nil || c.Kind != "" || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), name+test.text) {
						t.Errorf("%s: got %+v, %v", name, c, err)
					}
				}
				if n != 1 {
					t.Errorf("%s: %d elements, want the error alone", name, n)
				}
			}
		})
	}
}

// TestWatchFromTip starts at the end of the log, goes on when plan mode is closed, and
// ends with its context.
func TestWatchFromTip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, a := newPlanMode(t, nil), newAgent(mode(true), mode(false))
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		var got []string
		go func() {
			for c, err := range p.Watch(ctx, a, session.Any) {
				if err == nil {
					got = append(got, told(c))
				} else if got = append(got, "an error"); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		}()
		synctest.Wait()
		add(t, a, mode(true), header(), mode(false))
		synctest.Wait()
		cancel()
		synctest.Wait()
		want := []string{"3.0 mode off to on by user: switch", "5.0 mode on to off by user: switch", "an error"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestWatchRecovery takes events back under a subscriber that has seen some changes, and
// goes on to the next or waits for it.
func TestWatchRecovery(t *testing.T) {
	quiet := func(n int) []session.Event {
		out := make([]session.Event, n)
		for i := range out {
			out[i] = event("step/start", `{"turn":1,"step":1}`)
		}
		return out
	}
	for _, test := range []struct {
		name   string
		before []session.Event
		from   int64
		seen   int
		keep   int
		after  []session.Event
		want   string // the next change, or "gone"
	}{
		{"nothing that was seen", []session.Event{mode(true), header(), header()}, 0, 1, 1, []session.Event{mode(false)}, "2.0 mode on to off by user: switch"},
		{"far behind", append([]session.Event{mode(true)}, quiet(40)...), 0, 1, 3, []session.Event{mode(false)}, "4.0 mode on to off by user: switch"},
		{"what was seen", []session.Event{mode(true), mode(false)}, 0, 2, 1, nil, "gone"},
		{"another stands there", []session.Event{mode(true), mode(false)}, 0, 2, 1, []session.Event{event("plan/select", `{"active":false,"by":"user"}`), mode(true)}, "gone"},
		{"the same stands elsewhere", []session.Event{header(), mode(true)}, 0, 1, 0, []session.Event{mode(true), mode(false)}, "gone"},
		{"the log is shorter than the start", []session.Event{mode(true), header(), mode(false)}, 2, 1, 1, nil, "gone"},
		{"before anything was seen", []session.Event{mode(true), header(), header()}, 3, 0, 2, []session.Event{header(), mode(false)}, "4.0 mode on to off by user: switch"},
	} {
		for _, counts := range []bool{false, true} {
			for _, waits := range []bool{false, true} {
				name := test.name
				if counts {
					name += ", counted"
				}
				if waits {
					name += ", waiting"
				}
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						log := newShrinkingLog(test.before...)
						a := agentOn(log)
						if counts {
							a = agentOn(countingLog{log})
						}
						next := pull(t, newPlanMode(t, nil), a, test.from)
						take(t, next, test.seen)
						got := make(chan string, 1)
						go func() {
							c, err := next()
							switch {
							case errors.Is(err, session.ErrPosition):
								got <- "gone"
							case err != nil:
								got <- err.Error()
							default:
								got <- told(c)
							}
						}()
						if waits {
							synctest.Wait()
						}
						log.replace(t, test.keep, test.after...)
						if diff := cmp.Diff(test.want, <-got); diff != "" {
							t.Error(diff)
						}
					})
				})
			}
		}
	}
}

// watchWriterEnv holds the directory in which TestWatchWriter is to write.
const watchWriterEnv = "PLANMODE_TEST_WATCH_WRITER"

// TestWatchWriter is the other process of TestWatchProcesses.
func TestWatchWriter(t *testing.T) {
	dir := os.Getenv(watchWriterEnv)
	if dir == "" {
		t.Skip("runs as a process of TestWatchProcesses")
	}
	p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), openFile(t, dir, "s")
	for n := range 20 {
		set(t, p, a, true)
		add(t, a, start(), header())
		if r := exit(t, p, a, "call", plan); r.IsError {
			t.Fatalf("exit %d: %s", n, r.Content)
		}
		p.BeforeStep(context.Background(), a)
		add(t, a, end())
	}
}

// TestWatchProcesses has subscribers of two processes on a file that a third one writes.
func TestWatchProcesses(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	store, err := filelog.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(ctx, session.Header{ID: "s", Cwd: "/home/u/proj"}); err != nil {
		t.Fatal(err)
	}
	p, q := newPlanMode(t, nil), newPlanMode(t, nil)
	a := openFile(t, dir, "s")
	watches := []func() (planmode.Change, error){
		pull(t, p, a, 0), pull(t, p, a, 0), pull(t, q, openFile(t, dir, "s"), 0),
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	writer := exec.Command(self, "-test.run=^TestWatchWriter$")
	writer.Env = append(os.Environ(), watchWriterEnv+"="+dir)
	writer.Stderr = os.Stderr
	done := make(chan error, 1)
	go func() {
		out, err := writer.Output()
		if err != nil {
			t.Errorf("writer: %s", out)
		}
		done <- err
	}()
	const each = 6 // pending, mode; opened, settled, pending; mode
	var got [3][]string
	for i, next := range watches {
		got[i] = take(t, next, 20*each)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	// A fold of what stands in the file then gives the same.
	want := take(t, pull(t, newPlanMode(t, nil), openFile(t, dir, "s"), 0), 20*each)
	for i := range got {
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("subscriber %d: %s", i, diff)
		}
	}
	if s := state(t, p, a); s != off {
		t.Errorf("state is %s", s)
	}
}
