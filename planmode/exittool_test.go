package planmode_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

const noPlanApproved = "o plan was approved"

// planning returns an agent in plan mode within a turn whose model knows it.
func planning() *testAgent { return newAgent(mode(true), start(), header()) }

// wantRefusal checks that r is a failed result that approves nothing and holds parts.
func wantRefusal(t *testing.T, r planmode.Result, parts ...string) {
	t.Helper()
	if !r.IsError || r.Value != nil {
		t.Errorf("result is %+v, want a failed one", r)
	}
	for _, part := range append(parts, noPlanApproved) {
		if !strings.Contains(r.Content, part) {
			t.Errorf("result %q lacks %q", r.Content, part)
		}
	}
}

func openReview(t testing.TB, p *planmode.PlanMode, a planmode.Agent) *planmode.Review {
	t.Helper()
	r, err := p.OpenReview(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// refusingReviewer fails the test when it is asked.
func refusingReviewer(t *testing.T) planmode.Reviewer {
	return reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
		t.Error("the reviewer was asked")
		return planmode.Verdict{}, errors.New("not to be asked")
	})
}

func TestExitToolDefinition(t *testing.T) {
	t.Run("D58", func(t *testing.T) {
		tool := newPlanMode(t, nil).ExitTool()
		if tool.Name != "exit_plan_mode" || !strings.HasPrefix(tool.Description, "Use only in plan mode.") {
			t.Errorf("tool is %q, %q", tool.Name, tool.Description)
		}
		var schema struct {
			Type       string
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(tool.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		if schema.Type != "object" || len(schema.Properties) != 1 || schema.Properties["plan"].Type != "string" {
			t.Errorf("schema is %s", tool.Schema)
		}
		if diff := cmp.Diff([]string{"plan"}, schema.Required); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("C005 C123 bytes never change", func(t *testing.T) {
		p, q := newPlanMode(t, nil), newPlanMode(t, nil)
		for range 20 {
			if diff := cmp.Diff(p.ExitTool().Schema, q.ExitTool().Schema); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestExitRefusals(t *testing.T) {
	ctx := context.Background()
	t.Run("D59 no agent", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)})
		wantRefusal(t, p.ExitTool().Call(ctx, nil, "c", planArgs(plan)), "without an agent")
	})
	t.Run("D60 C043 inactive", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)}), newAgent(start())
		wantRefusal(t, exit(t, p, a, "c", plan), "only available in plan mode")
		wantRefusal(t, exit(t, p, a, "d", "no heading"), "only available in plan mode")
		if got := kinds(t, a.log); len(got) > 0 {
			t.Errorf("wrote %v", got)
		}
	})
	t.Run("C017 an entry that waits is not in force", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)}), newAgent(start())
		set(t, p, a, true)
		wantRefusal(t, exit(t, p, a, "c", plan), "only available in plan mode")
	})
	t.Run("C017 C037 the exit is pending", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)}), planning()
		set(t, p, a, false)
		wantRefusal(t, exit(t, p, a, "c", plan), "already ends with the next step")
	})
	t.Run("C037 an announced exit is pending, too", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)}), planning()
		add(t, a, session.CommandRun("x", "plan", " off"))
		wantRefusal(t, exit(t, p, a, "c", plan), "leaving plan mode at this moment", "by this call")
		if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D103 an announced exit that failed is none", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")}), planning()
		add(t, a, session.CommandRun("x", "plan", " off"), session.CommandFailed("x", "no"))
		wantRefusal(t, exit(t, p, a, "c", plan), "revise the plan")
	})
	t.Run("D61 C097 plan", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t), MaxInvalidExits: 100}), planning()
		for _, plan := range []string{"", " ", "\u00a0", "\ufeff", "#", "no heading", "## T", "# T\n```\n"} {
			wantRefusal(t, exit(t, p, a, "c", plan), "non-empty Markdown document that begins with a level-1 heading", "exit_plan_mode again")
		}
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D62 C049 C117 no reviewer", func(t *testing.T) {
		p, a := newPlanMode(t, nil), planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "no review channel", "switch the mode")
		wantRefusal(t, exit(t, p, a, "d", "no heading"), "text that is no heading")
		if diff := cmp.Diff([]string{"mode on"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D63 D82 D85 reviewer's error", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
			return planmode.Verdict{}, errors.New("no question provider: %s <connected>")
		})})
		a := planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "no question provider: %s <connected>")
		if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D85 reviewer panics", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
			panic("boom")
		})})
		wantRefusal(t, exit(t, p, planning(), "c", plan), "boom")
	})
	t.Run("after Close", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)}), planning()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, exit(t, p, a, "c", plan), "shut down")
	})
	t.Run("unreadable log", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)})
		wantRefusal(t, p.ExitTool().Call(ctx, agentOn(unreadable{newLog()}), "c", planArgs(plan)), "disk is full")
	})
	t.Run("review cannot be recorded", func(t *testing.T) {
		log := &faultyLog{Log: planning().log}
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)}), agentOn(log)
		log.fail(fault{0, errDisk})
		wantRefusal(t, p.ExitTool().Call(ctx, a, "c", planArgs(plan)), "disk is full")
	})
	t.Run("C095 read-only tools are enough", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), planning()
		if r := exit(t, p, a, "c", plan); r.IsError {
			t.Error(r.Content)
		}
	})
}

func TestExitAnswers(t *testing.T) {
	ctx := context.Background()
	t.Run("D65 D66 D67 D72 C031 C037 approved", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), planning()
		r := exit(t, p, a, "c", plan)
		if diff := cmp.Diff(planmode.Result{Content: r.Content, Value: json.RawMessage(`{"approved":true}`)}, r); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(r.Content, "user approved the plan") {
			t.Errorf("result is %q", r.Content)
		}
		if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		if text, _ := p.Section(ctx, a); text != guidance {
			t.Errorf("section is %q before the boundary", text)
		}
		p.BeforeStep(ctx, a)
		p.BeforeStep(ctx, a)
		if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"mode on", "review open", "review approved", "mode off"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
		for _, e := range events(t, a.log) {
			if err := session.Validate(e); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a second call in the same batch", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), planning()
		exit(t, p, a, "c", plan)
		wantRefusal(t, exit(t, p, a, "d", plan), "already ends with the next step")
	})
	t.Run("an approval that landed although its call could not know", func(t *testing.T) {
		log := &lostLog{Log: planning().log}
		p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) {
			log.armed.Store(true)
			return planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}, nil
		})})
		a := agentOn(log)
		add(t, a, exitCall("c"))
		r := p.ExitTool().Call(ctx, a, "c", planArgs(plan))
		wantRefusal(t, r, "disk is full", "could not be recorded")
		log.lost.Store(false)
		add(t, a, exitResult("c", r))
		p.BeforeStep(ctx, a)
		p.BeforeStep(ctx, a)
		if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		if got := notices(t, p, a); len(got) != 1 || !strings.Contains(got[0], "user approved revision 1") {
			t.Errorf("notices are %q", got)
		}
	})
	t.Run("D66 without a turn", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), newAgent(mode(true), header())
		exit(t, p, a, "c", plan)
		if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		p.BeforeStep(ctx, a)
		if diff := cmp.Diff([]string{"mode on", "review open", "review approved", "mode off"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D68 C063 C067 C079 C103 what is asked", func(t *testing.T) {
		var asked []planmode.Review
		var agents []planmode.Agent
		p := newPlanMode(t, &planmode.Options{Reviewer: agentReviewer(func(a planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
			asked, agents = append(asked, r), append(agents, a)
			return planmode.Verdict{Decision: planmode.Revise, SHA256: r.SHA256}, nil
		})})
		a := planning()
		odd := "\ufeff\r\n# Plan <b>&amp;\r\n\r\n`````\n```\n`````\r~~~ x\r~~~\n\u2028é\n"
		exit(t, p, a, "c", odd)
		exit(t, p, a, "d", plan)
		if len(asked) != 2 || agents[0] != planmode.Agent(a) {
			t.Fatalf("asked %d times", len(asked))
		}
		want := planmode.Review{ID: asked[0].ID, CallID: "c", Revision: 1, Plan: odd, Title: "Plan &", SHA256: sha(odd), State: planmode.ReviewWaiting}
		if diff := cmp.Diff(want, asked[0]); diff != "" {
			t.Error(diff)
		}
		if asked[1].Plan != plan || asked[1].Revision != 2 || asked[1].ID == asked[0].ID {
			t.Errorf("second review is %+v", asked[1])
		}
	})
	t.Run("D73 C041 revise with words", func(t *testing.T) {
		const words = "  100% sure?\n<b>\"no\"</b> – %s \u2028"
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, words)}), planning()
		wantRefusal(t, exit(t, p, a, "c", plan), words)
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		p.BeforeStep(ctx, a)
		if got := notices(t, p, a); len(got) > 0 {
			t.Errorf("notices are %q", got)
		}
	})
	t.Run("D74 revise without words", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")}), planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "revise the plan and present it again")
	})
	t.Run("D75 D77 approval with words", func(t *testing.T) {
		for _, words := range []string{"but use tabs", " "} {
			p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, words)}), planning()
			wantRefusal(t, exit(t, p, a, "c", plan), words)
			if diff := cmp.Diff([]string{"mode on", "review open", "review revise"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("D79 no decision", func(t *testing.T) {
		for _, d := range []planmode.Decision{"", "Approve", "approved", "yes"} {
			p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(d, "")}), planning()
			wantRefusal(t, exit(t, p, a, "c", plan))
			if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("D79 another plan", func(t *testing.T) {
		for _, hash := range []string{"", sha("other"), strings.ToUpper(sha(plan)), sha(plan) + " "} {
			p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
				return planmode.Verdict{Decision: planmode.Approve, SHA256: hash}, nil
			})})
			a := planning()
			wantRefusal(t, exit(t, p, a, "c", plan))
			if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("D81 dismissed", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
			return planmode.Verdict{}, errors.Join(errors.New("window closed"), planmode.ErrDismissed)
		})})
		a := planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "dismissed the review to speak", "Stay in plan mode", "stop here", "wait for the user")
		if diff := cmp.Diff([]string{"mode on", "review open", "review dismissed"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("dismissed by verdict with words", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Dismiss, "one moment")}), planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "dismissed the review", "one moment")
	})
	t.Run("C053 policy", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: policyReviewer{answering(planmode.Approve, "")}}), planning()
		r := exit(t, p, a, "c", plan)
		if r.IsError || !strings.Contains(r.Content, "not reviewed by the user") {
			t.Errorf("result is %+v", r)
		}
		all := events(t, a.log)
		if got := string(all[len(all)-2].Data); !strings.Contains(got, `"by":"policy"`) {
			t.Errorf("settlement is %s", got)
		}
	})
	t.Run("C009 C099 approved plan is kept byte for byte", func(t *testing.T) {
		odd := "# T\r\n\r\n<!-- \\u0041 & \u2028 -->\n```\r```\n\t\"x\" 🚀\n"
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), planning()
		if got, err := p.ApprovedPlan(ctx, a); got != nil || err != nil {
			t.Errorf("approved plan is %+v, %v", got, err)
		}
		exit(t, p, a, "c", odd)
		p.BeforeStep(ctx, a)
		add(t, a, end(), event("compaction/start", "{}"), event("compaction/end", "{}"), start(), header(), end())
		want := &planmode.ApprovedPlan{Plan: odd, SHA256: sha(odd), Revision: 1}
		got, err := newPlanMode(t, nil).ApprovedPlan(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("approval not on disk", func(t *testing.T) {
		log := &faultyLog{Log: planning().log}
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), agentOn(log)
		log.fail(fault{}, fault{}, fault{0, errDisk}) // call, opening, approval
		wantRefusal(t, exit(t, p, a, "c", plan), "disk is full", "stays open")
		if r := openReview(t, p, a); r == nil || r.State != planmode.ReviewParked {
			t.Errorf("review is %+v", r)
		}
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("approval landed after all", func(t *testing.T) {
		log := &faultyLog{Log: planning().log}
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")}), agentOn(log)
		log.fail(fault{}, fault{-1, errDisk}, fault{-1, errDisk})
		if r := exit(t, p, a, "c", plan); r.IsError {
			t.Error(r.Content)
		}
	})
}

type agentReviewer func(planmode.Agent, planmode.Review) (planmode.Verdict, error)

func (f agentReviewer) Review(_ context.Context, a planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	return f(a, r)
}

type policyReviewer struct{ planmode.Reviewer }

func (policyReviewer) ReviewsByPolicy() bool { return true }
