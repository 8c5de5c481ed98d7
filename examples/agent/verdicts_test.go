package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
)

// Comments go back to the model, the user edits what it makes of them, and a new session
// carries the edited plan out.
func TestCommentEditHandOver(t *testing.T) {
	dir := t.TempDir()
	got := dialogue(t, []string{"-dir", dir, "-id", "demo"}, "/plan add a greeting",
		"lines", "4: say it in French", "approve", "revise",
		"3= 1. Leave `README.md` alone.", "7: no such line", "lines", "approve fresh")
	_, s := readSession(t, dir, "demo")
	if s.Active || s.Handoff == nil || s.Handoff.State != planmode.HandoffComplete {
		t.Fatalf("state %+v, hand-off %+v\n%s", s, s.Handoff, got)
	}
	wantTranscript(t, "verdicts.txt", strings.ReplaceAll(got, s.Handoff.Session, "plan-SESSION"))
	_, next := readSession(t, dir, s.Handoff.Session)
	if next.Active || next.Approved == nil || !next.Approved.Edited || !strings.Contains(next.Approved.Plan, "1. Leave `README.md` alone.\n") {
		t.Errorf("new session %+v, %+v", next, next.Approved)
	}
	note, err := os.ReadFile(filepath.Join(dir, "workspace", "add-a-greeting.md"))
	if err != nil || string(note) != next.Approved.Plan {
		t.Errorf("note %q, %v", note, err)
	}
}

func TestVerdicts(t *testing.T) {
	for name, test := range map[string]struct {
		lines  []string
		active bool
		state  planmode.ReviewState
		output string
		note   string // "" for none
	}{
		"edited": {[]string{"4= 2. Write `add-a-greeting.md` with care.", "approve"}, false, planmode.ReviewApproved,
			"Done: add-a-greeting.md", "# Add a greeting\n\n1. Keep `README.md` as it is; it was read.\n2. Write `add-a-greeting.md` with care.\n"},
		"lines taken together": {[]string{"3-4= 1. Write `add-a-greeting.md`.", "approve"}, false, planmode.ReviewApproved,
			"Done: add-a-greeting.md", "# Add a greeting\n\n1. Write `add-a-greeting.md`.\n"},
		"sent back edited": {[]string{"4= 2. Write less.", "and more", "approve"}, false, planmode.ReviewApproved,
			"I changed the plan.", "# Add a greeting\n\n1. Keep `README.md` as it is; it was read.\n2. Write less.\n- As you asked: and more\n"},
		"broken by an edit":  {[]string{"1= Add a greeting", "approve", "forget", "approve"}, false, planmode.ReviewApproved, "That cannot be sent: verdict holds an edited plan that is none", "# Add a greeting\n\nHello!\n"},
		"commented":          {[]string{"3-4: why these?", "approve", "revise", "dismiss"}, true, planmode.ReviewDismissed, "You have made comments", ""},
		"comment without":    {[]string{"3:", "dismiss"}, true, planmode.ReviewDismissed, "A comment needs some words.", ""},
		"no such line":       {[]string{"5: hm", "4-3= x", "0: x", "dismiss"}, true, planmode.ReviewDismissed, "The plan has the lines 1 to 4.", ""},
		"left":               {[]string{"leave"}, false, planmode.ReviewDismissed, "I stop here and wait for you.", ""},
		"help":               {[]string{"help", "dismiss"}, true, planmode.ReviewDismissed, "approve fresh  carry it out in a new session", ""},
		"approve fresh, but": {[]string{"approve fresh please", "dismiss"}, true, planmode.ReviewDismissed, "As you asked: approve fresh please", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			output := dialogue(t, []string{"-dir", dir, "-id", "s"}, append([]string{"/plan add a greeting"}, test.lines...)...)
			if !strings.Contains(output, test.output) {
				t.Errorf("no %q in:\n%s", test.output, output)
			}
			_, s := readSession(t, dir, "s")
			if s.Active != test.active || s.Review == nil || s.Review.State != test.state || s.TurnOpen {
				t.Errorf("state %+v, review %+v\n%s", s, s.Review, output)
			}
			note, err := os.ReadFile(filepath.Join(dir, "workspace", "add-a-greeting.md"))
			if string(note) != test.note || err != nil && !os.IsNotExist(err) {
				t.Errorf("note %q, %v\n%s", note, err, output)
			}
		})
	}
}

// A plan that was parked is handed over by a later run, and the new session can be left and
// gone on with like any other.
func TestHandOverLater(t *testing.T) {
	dir := t.TempDir()
	dialogue(t, []string{"-dir", dir, "-id", "s"}, "/plan add a greeting")
	output := dialogue(t, []string{"-dir", dir, "-resume", "s"}, "approve fresh", "hello")
	_, s := readSession(t, dir, "s")
	if s.Active || s.Handoff == nil || s.Handoff.State != planmode.HandoffComplete {
		t.Fatalf("state %+v\n%s", s, output)
	}
	for _, text := range []string{
		"(the plan goes on in session " + s.Handoff.Session + ")",
		"Session " + s.Handoff.Session + ". /help shows the commands.",
		"Done: add-a-greeting.md is written as planned.",
		"You wrote: hello",
	} {
		if !strings.Contains(output, text) {
			t.Errorf("no %q in:\n%s", text, output)
		}
	}
	output = dialogue(t, []string{"-dir", dir, "-resume", "s"}, "hello", "hello again")
	for _, text := range []string{"went on in session " + s.Handoff.Session, "I stop here and wait for you.", "You wrote: hello again"} {
		if !strings.Contains(output, text) {
			t.Errorf("no %q in:\n%s", text, output)
		}
	}
	output = dialogue(t, []string{"-dir", dir, "-resume", s.Handoff.Session})
	if strings.Contains(output, "I carry out the plan.") {
		t.Errorf("the plan is carried out twice:\n%s", output)
	}
}
