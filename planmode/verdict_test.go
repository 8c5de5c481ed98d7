package planmode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

const edited = "# Plan, edited\r\n\r\n1. Look <b>\u2028twice</b>.\n"

// verdictCases are answers to a review of plan under options that allow all of them.
func verdictCases() map[string]struct {
	verdict  planmode.Verdict
	settled  string // the keys of the settlement beside id, sha256, by and awaited
	result   []string
	approved *planmode.ApprovedPlan
} {
	type row = struct {
		verdict  planmode.Verdict
		settled  string
		result   []string
		approved *planmode.ApprovedPlan
	}
	comments := []planmode.Comment{{Line: 3, Text: "why <first>?"}, {Line: 1, EndLine: 4, Text: "100% %s"}}
	const commentsJSON = `"comments":[{"line":3,"text":"why <first>?"},{"line":1,"endLine":4,"text":"100% %s"}]`
	return map[string]row{
		"D65 approve": {
			planmode.Verdict{Decision: planmode.Approve}, `"state":"approved"`,
			[]string{"The user approved the plan."},
			&planmode.ApprovedPlan{Plan: plan, SHA256: sha(plan), Revision: 1},
		},
		"C099 approve an edit": {
			planmode.Verdict{Decision: planmode.ApproveEdit, Plan: edited},
			fmt.Sprintf(`"state":"approved","decision":"approve-edit","plan":%s,"planSha256":%q`, quoted(edited), sha(edited)),
			[]string{"The user edited the plan and approved it as edited", edited},
			&planmode.ApprovedPlan{Plan: edited, SHA256: sha(edited), Revision: 1, Edited: true},
		},
		"approve an edit that changes nothing": {
			planmode.Verdict{Decision: planmode.ApproveEdit, Plan: plan}, `"state":"approved"`,
			[]string{"The user approved the plan."},
			&planmode.ApprovedPlan{Plan: plan, SHA256: sha(plan), Revision: 1},
		},
		"D77 approve an edit, but": {
			planmode.Verdict{Decision: planmode.ApproveEdit, Plan: edited, Feedback: "but look first"},
			fmt.Sprintf(`"state":"revise","feedback":"but look first","plan":%s,"planSha256":%q`, quoted(edited), sha(edited)),
			[]string{"The user wants changes", "The user wrote:\n\nbut look first", "edited the plan to this text:\n\n" + edited}, nil,
		},
		"approve with notes": {
			planmode.Verdict{Decision: planmode.ApproveWithNotes, Feedback: "mind the <tests>"},
			`"state":"approved","decision":"approve-with-notes","feedback":"mind the <tests>"`,
			[]string{"The user approved the plan together with the notes below", "The user wrote:\n\nmind the <tests>"},
			&planmode.ApprovedPlan{Plan: plan, SHA256: sha(plan), Revision: 1, Notes: "mind the <tests>"},
		},
		"approve with notes that say nothing": {
			planmode.Verdict{Decision: planmode.ApproveWithNotes}, `"state":"approved"`,
			[]string{"The user approved the plan."},
			&planmode.ApprovedPlan{Plan: plan, SHA256: sha(plan), Revision: 1},
		},
		"D77 approve with notes and comments": {
			planmode.Verdict{Decision: planmode.ApproveWithNotes, Feedback: "words", Comments: comments},
			`"state":"revise","feedback":"words",` + commentsJSON,
			[]string{"words", "Line 3:\n\n> 1. Look.\n\nwhy <first>?", "Lines 1 to 4:\n\n> # Plan\n>\n> 1. Look.\n> 2. Change.\n\n100% %s"}, nil,
		},
		"D77 approve with comments": {
			planmode.Verdict{Decision: planmode.Approve, Comments: comments}, `"state":"revise",` + commentsJSON,
			[]string{"The user wants changes", "why <first>?"}, nil,
		},
		"D77 approve with a fresh context, but": {
			planmode.Verdict{Decision: planmode.ApproveFresh, Feedback: "but"}, `"state":"revise","feedback":"but"`,
			[]string{"The user wants changes", "but"}, nil,
		},
		"D73 C041 revise with comments": {
			planmode.Verdict{Decision: planmode.Revise, Comments: comments[:1]}, `"state":"revise","comments":[{"line":3,"text":"why <first>?"}]`,
			[]string{"The user wants changes to the plan", "The user commented on lines of the plan:\n\nLine 3:\n\n> 1. Look.\n\nwhy <first>?"}, nil,
		},
		"D73 revise with a text": {
			planmode.Verdict{Decision: planmode.Revise, Plan: edited}, fmt.Sprintf(`"state":"revise","plan":%s,"planSha256":%q`, quoted(edited), sha(edited)),
			[]string{"The user wants changes to the plan", "The user edited the plan to this text:\n\n" + edited}, nil,
		},
		"D74 revise with the text that was shown": {
			planmode.Verdict{Decision: planmode.Revise, Plan: plan}, `"state":"revise"`, []string{"The user wants to keep planning"}, nil,
		},
		"D74 revise": {
			planmode.Verdict{Decision: planmode.Revise}, `"state":"revise"`, []string{"The user wants to keep planning"}, nil,
		},
		"D81 dismiss": {
			planmode.Verdict{Decision: planmode.Dismiss, Feedback: "a word"}, `"state":"dismissed","feedback":"a word"`,
			[]string{"dismissed the review to speak first", "Stay in plan mode", "The user wrote:\n\na word"}, nil,
		},
		"C051 leave": {
			planmode.Verdict{Decision: planmode.Leave}, `"state":"dismissed","decision":"leave"`,
			[]string{"leave plan mode without taking up the plan", "wait for the user"}, nil,
		},
		"C051 leave with words": {
			planmode.Verdict{Decision: planmode.Leave, Feedback: "thanks"}, `"state":"dismissed","decision":"leave","feedback":"thanks"`,
			[]string{"wait for the user", "The user wrote:\n\nthanks"}, nil,
		},
	}
}

func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// wantSettlement checks the last plan/review of the log by its JSON.
func wantSettlement(t *testing.T, log session.Log, keys, by string, awaited bool) {
	t.Helper()
	var got, want map[string]any
	for _, e := range events(t, log) {
		if err := session.Validate(e); err != nil {
			t.Error(err)
		}
		if e.Type != planmode.EventReview {
			continue
		}
		got = nil
		if err := json.Unmarshal(e.Data, &got); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf(`{%s,"id":%q,"sha256":%q,"by":%q,"awaited":%v}`, keys, got["id"], sha(plan), by, awaited)
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settlement: %s", diff)
	}
}

func TestVerdicts(t *testing.T) {
	ctx := context.Background()
	options := func(r planmode.Reviewer) *planmode.Options {
		return &planmode.Options{Reviewer: r, ApprovalNotes: true, Sessions: session.NewMemoryStore()}
	}
	for name, test := range verdictCases() {
		wantApproved := func(t *testing.T, p *planmode.PlanMode, a planmode.Agent) {
			t.Helper()
			got, err := p.ApprovedPlan(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.approved, got); diff != "" {
				t.Errorf("approved plan: %s", diff)
			}
		}
		v := test.verdict
		v.SHA256 = sha(plan)
		leaves := test.approved != nil || v.Decision == planmode.Leave
		t.Run(name+" by the reviewer", func(t *testing.T) {
			p, a := newPlanMode(t, options(reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) { return v, nil }))), planning()
			r := exit(t, p, a, "c", plan)
			if approved := test.approved != nil; r.IsError == approved || (string(r.Value) == `{"approved":true}`) != approved {
				t.Errorf("result is %+v", r)
			}
			for _, part := range test.result {
				if !strings.Contains(r.Content, part) {
					t.Errorf("result %q lacks %q", r.Content, part)
				}
			}
			wantSettlement(t, a.log, test.settled, "user", true)
			wantApproved(t, p, a)
			want := map[bool]string{true: onPending, false: on}[leaves]
			if diff := cmp.Diff(want, state(t, p, a)); diff != "" {
				t.Error(diff)
			}
			p.BeforeStep(ctx, a)
			want = map[bool]string{true: off, false: on}[leaves]
			if diff := cmp.Diff(want, state(t, p, a)); diff != "" {
				t.Error(diff)
			}
			if got := notices(t, p, a); len(got) > 0 {
				t.Errorf("told again by %q", got)
			}
		})
		t.Run(name+" by Settle", func(t *testing.T) {
			p, a := newPlanMode(t, options(nil)), planning()
			add(t, a, event("plan/review", fmt.Sprintf(`{"id":"r","callId":"c","revision":1,"state":"open","plan":%s,"sha256":%q}`, quoted(plan), sha(plan))), end())
			if err := p.CheckVerdict(*openReview(t, p, a), v); err != nil {
				t.Errorf("check gives %v", err)
			}
			if err := p.Settle(ctx, a, "r", v); err != nil {
				t.Fatal(err)
			}
			wantSettlement(t, a.log, test.settled, "user", false)
			wantApproved(t, p, a)
			want := map[bool]string{true: off, false: on}[leaves]
			if diff := cmp.Diff(want, state(t, p, a)); diff != "" {
				t.Error(diff)
			}
			add(t, a, start())
			p.BeforeStep(ctx, a)
			told := notices(t, p, a)
			if len(told) != 1 {
				t.Fatalf("notices are %q", told)
			}
			for _, said := range []string{v.Feedback, test.verdict.Plan} {
				if said != plan && !strings.Contains(told[0], said) {
					t.Errorf("notice %q lacks %q", told[0], said)
				}
			}
			for _, c := range v.Comments {
				if !strings.Contains(told[0], c.Text) {
					t.Errorf("notice %q lacks %q", told[0], c.Text)
				}
			}
			if approved := test.approved != nil; approved != strings.Contains(told[0], "arry ") || approved == strings.Contains(told[0], "No plan was approved") {
				t.Errorf("notice is %q", told[0])
			}
		})
		t.Run(name+" by a policy", func(t *testing.T) {
			reviewer := policyReviewer{reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) { return v, nil })}
			p, a := newPlanMode(t, options(reviewer)), planning()
			r := exit(t, p, a, "c", plan)
			wantSettlement(t, a.log, test.settled, "policy", true)
			if strings.HasPrefix(r.Content, "The user") || (test.approved != nil) != strings.Contains(r.Content, "not reviewed by the user") {
				t.Errorf("result is %q", r.Content)
			}
		})
	}
}

// TestVerdictsByDefault holds what an operator has not allowed.
func TestVerdictsByDefault(t *testing.T) {
	t.Run("notes are feedback", func(t *testing.T) {
		for _, notes := range []string{"mind the tests", ""} {
			p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.ApproveWithNotes, notes)}), planning()
			wantRefusal(t, exit(t, p, a, "c", plan), notes, "Stay in plan mode")
			if diff := cmp.Diff([]string{"mode on", "review open", "review revise"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("no store, no fresh context", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.ApproveFresh, "")}), planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "no store to make a new session in")
		if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("what can be decided", func(t *testing.T) {
		want := []planmode.Decision{planmode.Approve, planmode.ApproveEdit, planmode.Revise, planmode.Dismiss, planmode.Leave}
		if diff := cmp.Diff(want, newPlanMode(t, nil).Decisions()); diff != "" {
			t.Error(diff)
		}
		want = []planmode.Decision{planmode.Approve, planmode.ApproveEdit, planmode.ApproveWithNotes, planmode.ApproveFresh, planmode.Revise, planmode.Dismiss, planmode.Leave}
		all := newPlanMode(t, &planmode.Options{ApprovalNotes: true, Sessions: session.NewMemoryStore()})
		if diff := cmp.Diff(want, all.Decisions()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRefusedVerdicts holds that a verdict which is none leaves the review open, and from
// a reviewer ends it without consent.
func TestRefusedVerdicts(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		verdict planmode.Verdict
		want    string
	}{
		"edit without a text":            {planmode.Verdict{Decision: planmode.ApproveEdit}, "holds no plan"},
		"edit that is no plan":           {planmode.Verdict{Decision: planmode.ApproveEdit, Plan: "no heading"}, "text that is no heading on line 1"},
		"edit that is cut off":           {planmode.Verdict{Decision: planmode.ApproveEdit, Plan: "# T\n```\n"}, "line 2"},
		"edit that is blank":             {planmode.Verdict{Decision: planmode.ApproveEdit, Plan: " \n"}, "empty"},
		"edit that is too long":          {planmode.Verdict{Decision: planmode.ApproveEdit, Plan: "# T\n" + strings.Repeat("x", 100)}, "limit is 100"},
		"edit that is no UTF-8":          {planmode.Verdict{Decision: planmode.ApproveEdit, Plan: "# T\n\xff"}, "UTF-8"},
		"edit with a fault and a remark": {planmode.Verdict{Decision: planmode.ApproveEdit, Plan: "x", Feedback: "y"}, "text that is no heading"},
		"fresh with a bad edit":          {planmode.Verdict{Decision: planmode.ApproveFresh, Plan: "x"}, "text that is no heading"},
		"plain approval of a text":       {planmode.Verdict{Decision: planmode.Approve, Plan: edited}, "holds a plan"},
		"plain approval of the text":     {planmode.Verdict{Decision: planmode.Approve, Plan: plan}, "holds a plan"},
		"revise with a bad text":         {planmode.Verdict{Decision: planmode.Revise, Plan: "x"}, "text that is no heading"},
		"dismiss with a text":            {planmode.Verdict{Decision: planmode.Dismiss, Plan: edited}, "holds a plan"},
		"comment above":                  {planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Text: "x"}}}, "comment 1: line 0"},
		"comment below":                  {planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Line: 1, Text: "x"}, {Line: 5, Text: "x"}}}, "comment 2: line 5 is none of the plan, which has 4"},
		"comment that ends below":        {planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Line: 4, EndLine: 5, Text: "x"}}}, "lines 4 to 5"},
		"comment that runs back":         {planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Line: 3, EndLine: 2, Text: "x"}}}, "lines 3 to 2"},
		"comment of a negative length":   {planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Line: 3, EndLine: -1, Text: "x"}}}, "lines 3 to -1"},
		"comment without a text":         {planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Line: 3}}}, "text is empty"},
		"comment that is no UTF-8":       {planmode.Verdict{Decision: planmode.Revise, Comments: []planmode.Comment{{Line: 3, Text: "\xff"}}}, "UTF-8"},
		"feedback that is no UTF-8":      {planmode.Verdict{Decision: planmode.Revise, Feedback: "a\xffb"}, "UTF-8"},
		"a label for a decision":         {planmode.Verdict{Decision: "Keep planning"}, "unknown decision"},
	} {
		t.Run(name, func(t *testing.T) {
			v := test.verdict
			v.SHA256 = sha(plan)
			opts := &planmode.Options{MaxPlanBytes: 100, ApprovalNotes: true, Sessions: session.NewMemoryStore()}
			p, a := newPlanMode(t, opts), planning()
			add(t, a, event("plan/review", fmt.Sprintf(`{"id":"r","callId":"c","revision":1,"state":"open","plan":%s,"sha256":%q}`, quoted(plan), sha(plan))))
			if err := p.CheckVerdict(*openReview(t, p, a), v); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("check gives %v", err)
			}
			if err := p.Settle(ctx, a, "r", v); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("settle gives %v", err)
			}
			if openReview(t, p, a) == nil {
				t.Error("the review has ended")
			}
			opts.Reviewer = reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) { return v, nil })
			p, a = newPlanMode(t, opts), planning()
			wantRefusal(t, exit(t, p, a, "c", plan), test.want)
			if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCommentsAreQuoted holds what the model reads of long lines, many lines and other
// line ends.
func TestCommentsAreQuoted(t *testing.T) {
	long := strings.Repeat("é", 300)
	text := "# T\r\rtwo\r\n" + long + "\n" + strings.Repeat("- x\n", 20)
	v := planmode.Verdict{Decision: planmode.Revise, SHA256: sha(text), Comments: []planmode.Comment{
		{Line: 3, Text: "a"}, {Line: 4, Text: "b"}, {Line: 5, EndLine: 24, Text: "c"}, {Line: 24, Text: "d\n\n> e"},
	}}
	p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) { return v, nil })})
	wantRefusal(t, exit(t, p, planning(), "c", text),
		"Line 3:\n\n> two\n\na\n\nLine 4:\n\n> "+long[:400]+"…\n\nb\n\nLines 5 to 24:\n\n"+strings.Repeat("> - x\n", 8)+"> …\n\nc\n\nLine 24:\n\n> - x\n\nd\n\n> e")
}

// TestVerdictKeepsItsComments holds that what a caller does with a verdict afterwards
// changes nothing.
func TestVerdictKeepsItsComments(t *testing.T) {
	ctx := context.Background()
	p, a := newPlanMode(t, nil), planning()
	add(t, a, event("plan/review", fmt.Sprintf(`{"id":"r","callId":"c","revision":1,"state":"open","plan":%s,"sha256":%q}`, quoted(plan), sha(plan))), end())
	v := planmode.Verdict{Decision: planmode.Revise, SHA256: sha(plan), Comments: []planmode.Comment{{Line: 1, Text: "mine"}}}
	if err := p.Settle(ctx, a, "r", v); err != nil {
		t.Fatal(err)
	}
	v.Comments[0].Text = "changed"
	p.BeforeStep(ctx, a)
	if got := notices(t, p, a); len(got) != 1 || !strings.Contains(got[0], "mine") {
		t.Errorf("notices are %q", got)
	}
}
