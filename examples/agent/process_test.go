package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// newPipe returns an input and a function that writes to it.
func newPipe(t *testing.T) (in *os.File, lines func(string)) {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return in, func(text string) {
		if _, err := io.WriteString(out, text); err != nil {
			t.Error(err)
		}
	}
}

// A process that is killed while a review waits leaves a session that can be resumed,
// with the review open, and answered.
func TestKilledInReview(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "-dir", dir, "-id", "s")
	p.say("/plan add a greeting")
	p.output.await(t, "review 1> ")
	p.kill()
	_, s := readSession(t, dir, "s")
	if !s.TurnOpen || s.Review == nil || s.Review.State != planmode.ReviewWaiting || s.Approved != nil {
		t.Fatalf("state after the kill: %+v, review %+v", s, s.Review)
	}

	output := dialogue(t, []string{"-dir", dir, "-resume", "s"}, "approve")
	for _, text := range []string{
		"The last turn was cut off; it is closed now.",
		"-- plan mode, review of revision 1 is parked",
		"approved revision 1",
		"Done: add-a-greeting.md is written as planned.",
	} {
		if !strings.Contains(output, text) {
			t.Errorf("no %q in:\n%s", text, output)
		}
	}
	events, s := readSession(t, dir, "s")
	if s.Active || s.TurnOpen || s.Approved == nil || s.Approved.Revision != 1 || len(s.Owed()) > 0 {
		t.Errorf("state after the answer: %+v", s)
	}
	repaired := func(e session.Event) bool {
		var data struct{ Error struct{ Code string } }
		return e.Type == "tool/result" && json.Unmarshal(e.Data, &data) == nil && data.Error.Code == session.ToolOutcomeUnknown
	}
	if !slices.ContainsFunc(events, repaired) {
		t.Errorf("the call of the killed process has no repaired result: %v", types(events))
	}

	// A further run resumes again, with nothing to repair and nothing to answer.
	output = dialogue(t, []string{"-dir", dir, "-resume", "s"}, "hello")
	if strings.Contains(output, "cut off") || strings.Contains(output, "review") || !strings.Contains(output, "You wrote: hello") {
		t.Errorf("third run:\n%s", output)
	}
}

// A second process sees the state of the first and answers the review that it waits for.
func TestSecondProcess(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "-dir", dir, "-id", "s")
	p.say("/plan add a greeting")
	p.output.await(t, "review 1> ")

	refused := start(t, "-dir", dir, "-resume", "s")
	refused.output.await(t, "another process runs it; use -attach s")

	output := dialogue(t, []string{"-dir", dir, "-attach", "s"}, "use two files")
	if !strings.Contains(output, "review of revision 1 is waiting") {
		t.Errorf("attached:\n%s", output)
	}
	p.output.await(t, "review 2> ")
	dialogue(t, []string{"-dir", dir, "-attach", "s"}, "approve")
	p.output.await(t, "Done: add-a-greeting.md is written as planned.\n> ")

	output = dialogue(t, []string{"-dir", dir, "-attach", "s"}, "/plan look again", "hello")
	if !strings.Contains(output, "not sent") || !strings.Contains(output, "! another process runs the turns") {
		t.Errorf("attached:\n%s", output)
	}
	p.output.await(t, "-- plan mode\nplan> ") // without a word of its own user
	p.wait()
	_, s := readSession(t, dir, "s")
	if !s.Active || s.Approved == nil || s.Approved.Revision != 2 || !s.Approved.Superseded {
		t.Errorf("state %+v", s)
	}
}
