package planmode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// revisions returns the revisions of the plan in one line each.
func revisions(t testing.TB, p *planmode.PlanMode, a planmode.Agent) []string {
	t.Helper()
	var out []string
	for r, err := range p.Revisions(context.Background(), a) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%d %s at %d: %s", r.Number, r.ReviewID, r.Position, r.State)
		if r.Superseded {
			line += " superseded"
		}
		if r.Settlement != nil {
			line += fmt.Sprintf(" by %s", r.Settlement.By)
		}
		out = append(out, line)
	}
	return out
}

func TestRevisions(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"none", []string{"mode on", "turn"}, nil},
		{"waiting", []string{"mode on", "turn", "open r c 1"}, []string{"1 r at 3: waiting"}},
		{"revised, then approved", []string{"mode on", "open r c 1", "settle r revise user late", "open s d 2", "settle s approved user late"}, []string{
			"1 r at 2: revise superseded by user", "2 s at 4: approved by user",
		}},
		{"dismissed and the newest", []string{"mode on", "open r c 1", "settle r dismissed user late"}, []string{"1 r at 2: dismissed by user"}},
		{"never answered", []string{"mode on", "turn", "open r c 1", "park r", "open s d 2", "settle r approved user late"}, []string{
			"1 r at 3: superseded superseded by ", "2 s at 5: waiting",
		}},
		{"left", []string{"mode on", "open r c 1", "select off user"}, []string{"1 r at 2: superseded superseded by "}},
		{"approved, and entered again", []string{"mode on", "open r c 1", "settle r approved policy late", "mode off", "select on user", "mode on"}, []string{
			"1 r at 2: approved superseded by policy",
		}},
		{"malformed and repeated", []string{"mode on", "open r c 1", `plan/review {"id":"x","state":"open"}`, "open r d 2", "settle r expired policy late"}, []string{
			"1 r at 2: expired by policy",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, a := newPlanMode(t, nil), newAgent(script(t, test.lines...)...)
			for range 2 {
				if diff := cmp.Diff(test.want, revisions(t, p, a)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestRevisionsErrors(t *testing.T) {
	ctx := context.Background()
	p := newPlanMode(t, nil)
	for _, a := range []planmode.Agent{nil, agentOn(unreadable{newLog()})} {
		n := 0
		for r, err := range p.Revisions(ctx, a) {
			if n++; err == nil || r.Number != 0 {
				t.Errorf("got %+v, %v", r, err)
			}
		}
		if _, err := p.Diff(ctx, a, 1, 2); n != 1 || err == nil {
			t.Errorf("%d elements, Diff gives %v", n, err)
		}
	}
	a := newAgent(script(t, "mode on", "open r c 1")...)
	for _, pair := range [][2]int{{0, 1}, {1, 2}, {7, 8}} {
		if _, err := p.Diff(ctx, a, pair[0], pair[1]); !errors.Is(err, planmode.ErrNoReview) {
			t.Errorf("Diff of %v gives %v", pair, err)
		}
	}
}

const (
	firstPlan  = "# Plan\n\n1. Look.\n2. Change.\n3. Test.\n"
	secondPlan = "# Plan\n\n1. Look.\n2. Change less.\n3. Test.\n"
)

// TestDiffWithReviews holds that each review comes with its own text and with what changed
// since the last one, in its call, in OpenReview and in another process.
func TestDiffWithReviews(t *testing.T) {
	ctx := context.Background()
	var asked []planmode.Review
	p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) {
		asked = append(asked, r)
		if r.Revision == 3 {
			return planmode.Verdict{}, planmode.ErrReviewPending
		}
		return planmode.Verdict{Decision: planmode.Revise, SHA256: r.SHA256}, nil
	})})
	a := newAgent(mode(true), start())
	exit(t, p, a, "c1", firstPlan)
	exit(t, p, a, "c2", secondPlan)
	exit(t, p, a, "c3", secondPlan)
	const changed = "--- revision 1\n+++ revision 2\n@@ -1,5 +1,5 @@\n # Plan\n \n 1. Look.\n-2. Change.\n+2. Change less.\n 3. Test.\n"
	var plans, diffs []string
	for _, r := range asked {
		plans, diffs = append(plans, r.Plan), append(diffs, r.Diff)
	}
	// C067: no review lacks its text.
	if diff := cmp.Diff([]string{firstPlan, secondPlan, secondPlan}, plans); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"", changed, ""}, diffs); diff != "" {
		t.Error(diff)
	}
	shown := asked[2]
	shown.State = planmode.ReviewParked
	if diff := cmp.Diff(&shown, openReview(t, newPlanMode(t, nil), a)); diff != "" {
		t.Error(diff)
	}
	for pair, want := range map[[2]int]string{
		{1, 2}: changed,
		{2, 1}: "--- revision 2\n+++ revision 1\n@@ -1,5 +1,5 @@\n # Plan\n \n 1. Look.\n-2. Change less.\n+2. Change.\n 3. Test.\n",
		{2, 3}: "", {1, 1}: "",
	} {
		got, err := p.Diff(ctx, a, pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: %s", pair, diff)
		}
	}
}

// TestC079 has two agents with reviews at the same time: each is shown its own plan.
func TestC079RevisionsOfTwoAgents(t *testing.T) {
	p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
		return planmode.Verdict{}, planmode.ErrReviewPending
	})})
	a, b := newAgent(mode(true), start()), newAgent(mode(true), start())
	exit(t, p, a, "c1", firstPlan)
	exit(t, p, b, "c1", secondPlan)
	for agent, want := range map[*testAgent]string{a: firstPlan, b: secondPlan} {
		review := openReview(t, p, agent)
		if review.Plan != want || review.Diff != "" || review.Revision != 1 {
			t.Errorf("review %+v", review)
		}
		for r, err := range p.Revisions(context.Background(), agent) {
			if err != nil || r.Plan != want {
				t.Errorf("revision %+v, %v", r, err)
			}
		}
	}
}

// patch applies a unified diff, and fails where a line of it is not in the text.
func patch(t fataler, text, diff string) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	next := 0
	var out strings.Builder
	hunks := strings.SplitAfter(diff, "\n")
	for i := 0; i < len(hunks); i++ {
		line := hunks[i]
		if i+1 < len(hunks) && strings.HasPrefix(hunks[i+1], `\ No newline`) {
			line = strings.TrimSuffix(line, "\n")
		}
		switch {
		case i < 2 || line == "" || line[0] == '\\':
		case line[0] == '@':
			var from, count int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d", &from, &count); err != nil {
				if _, err := fmt.Sscanf(line, "@@ -%d", &from); err != nil {
					t.Fatalf("hunk %q", line)
				}
				count = 1
			}
			if count > 0 {
				from--
			}
			for ; next < from; next++ {
				out.WriteString(lines[next])
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		default:
			if lines[next] != line[1:] {
				t.Fatalf("the diff has %q where the text has %q", line[1:], lines[next])
			}
			if next++; line[0] == ' ' {
				out.WriteString(line[1:])
			}
		}
	}
	return out.String() + strings.Join(lines[next:], "")
}

// TestDiffIsComplete holds that a difference turns the one revision into the other.
func TestDiffIsComplete(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "", "- x", "+ y", "@@ -1 +1 @@", "計画", "é", "tail \\"})
	rapid.Check(t, func(rt *rapid.T) {
		text := func(label string) string {
			out := "# Plan\n" + strings.Join(rapid.SliceOfN(line, 0, 30).Draw(rt, label), "\n")
			if rapid.Bool().Draw(rt, "ends with a line end") {
				out += "\n"
			}
			return out
		}
		one, two := text("one"), text("two")
		p := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")})
		a := newAgent(mode(true), start())
		exit(t, p, a, "c1", one)
		exit(t, p, a, "c2", two)
		diff, err := p.Diff(context.Background(), a, 1, 2)
		if err != nil {
			rt.Fatalf("diff: %v", err)
		}
		if one == two {
			if diff != "" {
				rt.Fatalf("equal revisions differ: %s", diff)
			}
			return
		}
		if got := patch(rt, one, diff); got != two {
			rt.Fatalf("%q with\n%s\ngives %q, want %q", one, diff, got, two)
		}
	})
}

// TestDiffOfLineEnds holds that a difference shows lines also where a plan ends them
// otherwise, and is never empty for texts that differ.
func TestDiffOfLineEnds(t *testing.T) {
	for _, test := range []struct{ one, two, want string }{
		{"# P\ra\rb\r", "# P\ra\rc\r", "--- revision 1\n+++ revision 2\n@@ -1,3 +1,3 @@\n # P\r\n a\r\n-b\r\n+c\r\n"},
		{"# P\r\na\r\n", "# P\r\nb\r\n", "--- revision 1\n+++ revision 2\n@@ -1,2 +1,2 @@\n # P\n-a\n+b\n"},
		{"# P\na\n", "# P\r\na\n", "--- revision 1\n+++ revision 2\n@@ -1,2 +1,2 @@\n-# P\n+# P\r\n a\n"},
	} {
		p := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")})
		a := newAgent(mode(true), start())
		exit(t, p, a, "c1", test.one)
		exit(t, p, a, "c2", test.two)
		got, err := p.Diff(context.Background(), a, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q to %q: %s", test.one, test.two, diff)
		}
	}
}
