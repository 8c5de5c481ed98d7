package planmode_test

import (
	"context"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
	"github.com/google/go-cmp/cmp"
)

// openFile opens the session of that id in dir as another process does, with a store of
// its own.
func openFile(t *testing.T, dir, id string) *testAgent {
	t.Helper()
	store, err := filelog.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := store.Open(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return agentOn(log)
}

// TestFiles runs a review over a session file that several processes have open: one
// waits, another answers, and a third resumes.
func TestFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	store, err := filelog.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(ctx, session.Header{ID: "s", Cwd: "/home/u/proj"}); err != nil {
		t.Fatal(err)
	}
	first, second, third := openFile(t, dir, "s"), openFile(t, dir, "s"), openFile(t, dir, "s")
	b := newBlockingReviewer()
	p, q := newPlanMode(t, &planmode.Options{Reviewer: b}), newPlanMode(t, nil)
	set(t, p, first, true)
	if got := state(t, q, second); got != on {
		t.Errorf("the other process sees %s", got)
	}
	add(t, first, start(), header())
	review, results := calling(ctx, t, p, first, b)
	if diff := cmp.Diff(&review, openReview(t, q, second)); diff != "" {
		t.Error(diff)
	}
	if err := q.Settle(ctx, second, review.ID, planmode.Verdict{Decision: planmode.Approve, SHA256: review.SHA256}); err != nil {
		t.Fatal(err)
	}
	r := <-results
	if r.IsError {
		t.Fatal(r.Content)
	}
	// The process dies here, before it has logged the result.
	if _, err := session.RepairLog(ctx, third.log); err != nil {
		t.Fatal(err)
	}
	resumed := newPlanMode(t, nil)
	resumed.BeforeStep(ctx, third)
	if diff := cmp.Diff([]string{"select on", "mode on", "review open", "review approved", "mode off", "notice"}, kinds(t, third.log)); diff != "" {
		t.Error(diff)
	}
	if got, err := resumed.ApprovedPlan(ctx, third); err != nil || got == nil || got.Plan != plan {
		t.Errorf("approved plan is %+v, %v", got, err)
	}
	for _, e := range events(t, first.log) {
		if err := session.Validate(e); err != nil {
			t.Error(err)
		}
	}
}
