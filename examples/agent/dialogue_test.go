package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

var update = flag.Bool("update", false, "rewrite testdata")

// wantTranscript compares what the program printed with a file of testdata.
func wantTranscript(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("transcript, -update rewrites it (-want +got):\n%s", diff)
	}
}

func TestPlanReviseApprove(t *testing.T) {
	dir := t.TempDir()
	got := dialogue(t, []string{"-dir", dir, "-id", "demo"}, "hello", "/plan add a greeting", "say it in French", "approve")
	wantTranscript(t, "transcript.txt", got)

	events, s := readSession(t, dir, "demo")
	turn := func(steps ...[]string) []string {
		out := []string{"turn/start", "user/message"}
		for _, step := range steps {
			out = append(out, step...)
		}
		return append(out, "turn/end")
	}
	step := func(header bool, between ...string) []string {
		out := []string{"step/start"}
		if header {
			out = append(out, "request/header")
		}
		return append(append(append(out, "assistant/message"), between...), "step/end")
	}
	review := []string{"tool/call", "plan/review", "plan/review", "tool/result"}
	wantTypes := turn(step(true))
	wantTypes = append(wantTypes, "command/run", "plan/select", "plan/mode", "command/done")
	// The notice comes before the first step: the model was told the default mode.
	planning := turn(append([]string{"user/message"}, step(true, "tool/call", "tool/result")...),
		step(false, "tool/call", "tool/result"), step(false, review...), step(false, review...),
		[]string{"plan/mode"}, step(true, "tool/call", "tool/result"), step(false))
	if diff := cmp.Diff(append(wantTypes, planning...), types(events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if s.Active || s.Pending != nil || s.TurnOpen || s.Approved == nil || s.Approved.Revision != 2 {
		t.Errorf("state after an approved exit: %+v", s)
	}
	if !strings.Contains(s.Approved.Plan, "As you asked: say it in French") {
		t.Errorf("approved plan: %s", s.Approved.Plan)
	}
	note, err := os.ReadFile(filepath.Join(dir, "workspace", "add-a-greeting.md"))
	if err != nil || !strings.Contains(string(note), "say it in French") {
		t.Errorf("note %q, %v", note, err)
	}
}

func TestAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		lines  []string
		active bool
		state  planmode.ReviewState
		output string
	}{
		"yes is no consent": {[]string{"yes", "ok", "Y", ""}, true, planmode.ReviewParked, "Type approve, dismiss"},
		"dismissed":         {[]string{"dismiss"}, true, planmode.ReviewDismissed, "I stay in plan mode and wait for you."},
		"raw":               {[]string{"raw", "dismiss"}, true, planmode.ReviewDismissed, "  | # Add a greeting"},
		"left":              {[]string{"/plan off"}, false, planmode.ReviewSuperseded, "-- plan mode, default mode from the next step"},
		"quit":              {[]string{"/quit"}, true, planmode.ReviewParked, "go on with -resume s"},
		"end of input":      {nil, true, planmode.ReviewParked, "go on with -resume s"},
		"approve in words":  {[]string{"approve it all"}, true, planmode.ReviewParked, "As you asked: approve it all"},
		"unknown command":   {[]string{"/nope", "dismiss"}, true, planmode.ReviewDismissed, "There is no command /nope"},
		"help":              {[]string{"/help", "dismiss"}, true, planmode.ReviewDismissed, "/plan [off|message]"},
		"approved":          {[]string{" APPROVE "}, false, planmode.ReviewApproved, "Done: add-a-greeting.md"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			output := dialogue(t, []string{"-dir", dir, "-id", "s"}, append([]string{"/plan add a greeting"}, test.lines...)...)
			if !strings.Contains(output, test.output) {
				t.Errorf("no %q in:\n%s", test.output, output)
			}
			_, s := readSession(t, dir, "s")
			if s.Active != test.active || s.Review == nil || s.Review.State != test.state || s.TurnOpen {
				t.Errorf("state %+v, review %+v", s, s.Review)
			}
		})
	}
}

// A write before the plan was approved is refused by the gate, and done after it.
func TestHastyWrite(t *testing.T) {
	dir := t.TempDir()
	output := dialogue(t, []string{"-dir", dir, "-id", "s"}, "/plan add a greeting now", "approve")
	wantTranscript(t, "gate.txt", output)
	var at int
	for _, text := range []string{
		"I write it at once.\n> write_note ",
		"-- plan mode, 1 call refused\n  failed: Plan mode is on, and \"write_note\" is not one of the tools",
		"Then I plan first.\n> list_files",
		"-- plan mode, review of revision 1 is waiting, 1 call refused",
		"-- default mode\nI carry out the plan.\n> write_note ",
		"Done: add-a-greeting-now.md",
	} {
		i := strings.Index(output[at:], text)
		if i < 0 {
			t.Fatalf("no %q in:\n%s", text, output[at:])
		}
		at += i
	}
	events, s := readSession(t, dir, "s")
	if got := types(events); count(got, planmode.EventRefusal) != 1 || s.Active {
		t.Errorf("state %+v, events %q", s, got)
	}
	note, err := os.ReadFile(filepath.Join(dir, "workspace", "add-a-greeting-now.md"))
	if err != nil || !strings.Contains(string(note), "Hello!") {
		t.Errorf("note %q, %v", note, err)
	}
}

// A review that was parked because the input ended is answered by a later run.
func TestResumeAndAnswer(t *testing.T) {
	for _, compress := range []string{"-compress=false", "-compress"} {
		t.Run(compress, func(t *testing.T) {
			dir := t.TempDir()
			dialogue(t, []string{"-dir", dir, "-id", "s", compress}, "/plan add a greeting")
			output := dialogue(t, []string{"-dir", dir, "-resume", "s"}, "more words", "approve", "/compact", "hello")
			for _, text := range []string{
				"-- plan mode, review of revision 1 is parked",
				"\nmore words\n", // told by a notice
				"review 2> approve",
				"Done: add-a-greeting.md is written as planned.",
				"You wrote: hello",
			} {
				if !strings.Contains(output, text) {
					t.Errorf("no %q in:\n%s", text, output)
				}
			}
			events, s := readSession(t, dir, "s")
			if s.Active || s.Approved == nil || s.Approved.Revision != 2 {
				t.Errorf("state %+v", s)
			}
			var reasons []string
			for _, e := range events {
				if e.Type == "request/header" {
					_, reason, _ := strings.Cut(string(e.Data), `"reason":`)
					reasons = append(reasons, reason)
				}
			}
			if diff := cmp.Diff([]string{`"initial"}`, `"resume"}`, `"change"}`}, reasons); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	dialogue(t, []string{"-dir", dir, "-id", "a"}, "hello")
	dialogue(t, []string{"-dir", dir, "-id", "b"})
	output := dialogue(t, []string{"-dir", dir, "-list"})
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "a  ") || !strings.HasPrefix(lines[1], "b  ") {
		t.Errorf("listing:\n%s", output)
	}
	if !strings.HasSuffix(lines[0], filepath.Join(dir, "workspace")) {
		t.Errorf("no workspace in %s", lines[0])
	}
}

func TestWrongUsage(t *testing.T) {
	dir := t.TempDir()
	dialogue(t, []string{"-dir", dir, "-id", "taken"})
	for name, test := range map[string]struct {
		args []string
		code int
		text string
	}{
		"argument":      {[]string{"x"}, 2, `unexpected argument "x"`},
		"two sessions":  {[]string{"-id", "a", "-resume", "b"}, 2, "only one of"},
		"no model":      {[]string{"-endpoint", "http://localhost"}, 2, "belong together"},
		"flag":          {[]string{"-nope"}, 2, "-nope"},
		"help":          {[]string{"-help"}, 0, "-resume"},
		"no session":    {[]string{"-dir", dir, "-resume", "nope"}, 1, "-list shows the sessions"},
		"taken":         {[]string{"-dir", dir, "-id", "taken"}, 1, "taken"},
		"no workspace":  {[]string{"-dir", dir, "-workspace", filepath.Join(dir, "nope")}, 1, "nope"},
		"no attachment": {[]string{"-dir", dir, "-attach", "nope"}, 1, "-list shows the sessions"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(test.args, strings.NewReader(""), &stdout, &stderr, nil); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if !strings.Contains(stderr.String(), test.text) {
				t.Errorf("no %q in %s", test.text, stderr.String())
			}
		})
	}
}

// An interrupt cancels the turn and aborts its review; the session goes on.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	in, lines := newPipe(t)
	signals := make(chan os.Signal, 1)
	output := newTranscript()
	code := make(chan int, 1)
	go func() { code <- run([]string{"-dir", dir, "-id", "s"}, in, output, output, signals) }()
	lines("/plan add a greeting\n")
	output.await(t, "review 1> ")
	signals <- os.Interrupt
	output.await(t, "(turn ended: aborted)")
	_, s := readSession(t, dir, "s")
	if s.Review.State != planmode.ReviewAborted || !s.Active {
		t.Errorf("state %+v, review %+v", s, s.Review)
	}
	lines("hello\n")
	output.await(t, "review 2> ")
	signals <- os.Interrupt
	output.await(t, "review of revision 2") // the second signal may come while the turn still ends
	signals <- os.Interrupt
	if got := <-code; got != 0 {
		t.Errorf("exit code %d\n%s", got, output)
	}
	events, s := readSession(t, dir, "s")
	if s.TurnOpen || events[len(events)-1].Type != "turn/end" || s.Review.State.Open() {
		t.Errorf("after quitting: %v, review %+v", types(events), s.Review)
	}
	if len(session.Repair(events)) > 0 {
		t.Error("the log needs a repair after an orderly end")
	}
}

func count(list []string, what string) int {
	n := 0
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}
