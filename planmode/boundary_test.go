package planmode_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// warnings returns options with a logger and what it wrote.
func warnings() (*planmode.Options, *bytes.Buffer) {
	var out bytes.Buffer
	return &planmode.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))}, &out
}

func TestBoundary(t *testing.T) {
	bg := context.Background()
	wantWrote := func(t *testing.T, a *testAgent, from int, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, kinds(t, a.log)[from:]); diff != "" {
			t.Error(diff)
		}
	}
	t.Run("D17 idle commits stay two", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent()
		set(t, p, a, true)
		set(t, p, a, false)
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on", "select off", "mode off")
	})
	t.Run("D19 idle commit after a header", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(header())
		set(t, p, a, true)
		wantWrote(t, a, 0, "select on", "mode on")
		p.BeforeStep(bg, a)
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on", "notice")
		if got := notices(t, p, a)[0]; !strings.Contains(got, "user switched to plan mode") {
			t.Errorf("notice is %q", got)
		}
	})
	t.Run("D20 nothing to do", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(start())
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0)
	})
	t.Run("D21 D25 entry in a turn", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(start())
		set(t, p, a, true)
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on")
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D22 D89 after Close", func(t *testing.T) {
		opts, out := warnings()
		p, a := newPlanMode(t, opts), newAgent(start())
		set(t, p, a, true)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on")
		if out.Len() > 0 {
			t.Errorf("logged %s", out)
		}
	})
	t.Run("D23 between steps", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(start(), session.StepStart(1, 1), session.StepEnd(1, 1))
		set(t, p, a, true)
		p.BeforeStep(bg, a)
		add(t, a, session.StepStart(1, 2))
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D24 on then off", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(header(), start())
		set(t, p, a, true)
		set(t, p, a, false)
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "select off")
	})
	t.Run("D26 C029 one notice", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(header(), start())
		set(t, p, a, true)
		p.BeforeStep(bg, a)
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on", "notice")
	})
	t.Run("D27 back to default", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(mode(true), header(), start())
		set(t, p, a, false)
		p.BeforeStep(bg, a)
		wantWrote(t, a, 1, "select off", "mode off", "notice")
		if got := notices(t, p, a)[0]; !strings.Contains(got, "back to the default mode") {
			t.Errorf("notice is %q", got)
		}
	})
	t.Run("D29 D30 D31 failing append", func(t *testing.T) {
		opts, out := warnings()
		log := &faultyLog{Log: newLog(header(), start())}
		p, a := newPlanMode(t, opts), agentOn(log)
		set(t, p, a, true)
		log.fail(fault{0, errDisk})
		p.BeforeStep(bg, a)
		if got := strings.Count(out.String(), "level=WARN"); got != 1 || !strings.Contains(out.String(), "disk is full") {
			t.Errorf("logged %s", out)
		}
		if diff := cmp.Diff(offPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		p.BeforeStep(bg, a)
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		wantWrote(t, a, 0, "select on", "mode on", "notice")
	})
	t.Run("failed notice is dropped by a header", func(t *testing.T) {
		log := &faultyLog{Log: newLog(header(), start())}
		opts, _ := warnings()
		p, a := newPlanMode(t, opts), agentOn(log)
		set(t, p, a, true)
		log.fail(fault{1, errDisk})
		p.BeforeStep(bg, a)
		add(t, a, header())
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on")
	})
	t.Run("a prefix of the batch", func(t *testing.T) {
		log := &faultyLog{Log: newLog(header(), start())}
		opts, _ := warnings()
		p, a := newPlanMode(t, opts), agentOn(log)
		set(t, p, a, true)
		log.fail(fault{1, errDisk})
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on")
		newPlanMode(t, nil).BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on", "notice")
	})
	t.Run("cancelled context is silent", func(t *testing.T) {
		opts, out := warnings()
		p, a := newPlanMode(t, opts), newAgent(start())
		set(t, p, a, true)
		ctx, cancel := context.WithCancel(bg)
		cancel()
		p.BeforeStep(ctx, a)
		wantWrote(t, a, 0, "select on")
		if out.Len() > 0 {
			t.Errorf("logged %s", out)
		}
	})
	t.Run("cancelled within is silent", func(t *testing.T) {
		opts, out := warnings()
		ctx, cancel := context.WithCancel(bg)
		p, a := newPlanMode(t, opts), newAgent(start())
		set(t, p, a, true)
		a.log = conflicting{a.log}
		time.AfterFunc(10*time.Millisecond, cancel)
		p.BeforeStep(ctx, a)
		if out.Len() > 0 {
			t.Errorf("logged %s", out)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		opts, out := warnings()
		opts.BoundaryTimeout = 20 * time.Millisecond
		p, a := newPlanMode(t, opts), newAgent(start())
		set(t, p, a, true)
		a.log = conflicting{a.log}
		p.BeforeStep(bg, a)
		if got := strings.Count(out.String(), "level=WARN"); got != 1 {
			t.Errorf("logged %s", out)
		}
	})
	t.Run("deadline of a log that hangs", func(t *testing.T) {
		opts, out := warnings()
		opts.BoundaryTimeout = 20 * time.Millisecond
		p, a := newPlanMode(t, opts), newAgent(start())
		set(t, p, a, true)
		log := &hangingLog{Log: a.log}
		a.log = log
		p.BeforeStep(bg, a)
		if log.readOn {
			t.Error("the log was read after the deadline")
		}
		if got := strings.Count(out.String(), "level=WARN"); got != 1 {
			t.Errorf("logged %s", out)
		}
	})
	t.Run("no agent", func(t *testing.T) {
		opts, out := warnings()
		newPlanMode(t, opts).BeforeStep(bg, nil)
		if got := strings.Count(out.String(), "level=WARN"); got != 1 {
			t.Errorf("logged %s", out)
		}
	})
	t.Run("conflict is decided anew", func(t *testing.T) {
		log := &faultyLog{Log: newLog(header(), start())}
		p, a := newPlanMode(t, nil), agentOn(log)
		set(t, p, a, true)
		log.fail(fault{0, session.ErrConflict})
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "select on", "mode on", "notice")
	})
	t.Run("announced is not applied", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(header(), start(), session.CommandRun("c", "plan", ""))
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0)
		add(t, a, session.CommandDone("c", ""))
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "mode on", "notice")
	})
	t.Run("C057 a policy's switch is told as one", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(header(), start(), event("plan/select", `{"active":true,"by":"policy"}`))
		p.BeforeStep(bg, a)
		add(t, a, event("plan/select", `{"active":false,"by":"policy"}`))
		p.BeforeStep(bg, a)
		for _, text := range notices(t, p, a) {
			if strings.Contains(text, "user") || !strings.Contains(text, "policy") {
				t.Errorf("notice is %q", text)
			}
		}
	})
	t.Run("C057 a policy's switch that the user kept is the user's", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(event("plan/select", `{"active":true,"by":"policy"}`), mode(true), header(),
			start(), exitCall("c"), exitResult("c", planmode.Result{}))
		if got := set(t, p, a, true); got != planmode.Cancelled {
			t.Errorf("set gives %s", got)
		}
		p.BeforeStep(bg, a)
		if got := notices(t, p, a); len(got) != 1 || !strings.Contains(got[0], "The user switched to plan mode") {
			t.Errorf("notices are %q", got)
		}
	})
	t.Run("C001 C013 compaction changes nothing", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(header(), mode(true), header(), mode(false), header(),
			event("compaction/start", `{}`), event("compaction/end", `{}`),
			session.Event{Type: "user/message", Data: []byte(`{"id":"m","role":"user","content":[{"type":"text","text":"plan mode is on"}],"source":{"kind":"plugin","plugin":"compaction","form":"summary","summary":""}}`), SurfaceOp: []byte(`{"op":"replace","start":0,"end":3}`)})
		p.BeforeStep(bg, a)
		wantWrote(t, a, 0, "mode on", "mode off")
		if text, err := p.Section(bg, a); text != "" || err != nil {
			t.Errorf("section is %q, %v", text, err)
		}
	})
}

func TestBoundaryOwed(t *testing.T) {
	const words = "Use <b>tabs</b>,\nnot \"spaces\" & so on… 制表符"
	ctx := context.Background()
	t.Run("verdict while nobody waited", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: pendingReviewer()})
		a := newAgent(mode(true), header(), start())
		exit(t, p, a, "c1", plan)
		review, err := p.OpenReview(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Settle(ctx, a, review.ID, planmode.Verdict{Decision: planmode.Revise, Feedback: words, SHA256: review.SHA256})
		if err != nil {
			t.Fatal(err)
		}
		p.BeforeStep(ctx, a)
		p.BeforeStep(ctx, a)
		got := notices(t, p, a)
		if len(got) != 1 || !strings.Contains(got[0], words) || !strings.Contains(got[0], "No plan was approved") {
			t.Errorf("notices are %q", got)
		}
	})
	t.Run("two verdicts in one notice", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: pendingReviewer()})
		a := newAgent(mode(true), header(), start())
		for i, feedback := range []string{"first words", "second words"} {
			exit(t, p, a, "c"+string(rune('1'+i)), plan)
			review, err := p.OpenReview(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			err = p.Settle(ctx, a, review.ID, planmode.Verdict{Decision: planmode.Revise, Feedback: feedback, SHA256: review.SHA256})
			if err != nil {
				t.Fatal(err)
			}
		}
		p.BeforeStep(ctx, a)
		got := notices(t, p, a)
		if len(got) != 1 || strings.Index(got[0], "first words") > strings.Index(got[0], "second words") || !strings.Contains(got[0], "first words") {
			t.Errorf("notices are %q", got)
		}
	})
	t.Run("C031 approved between turns", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: pendingReviewer()})
		a := newAgent(mode(true), header(), start())
		exit(t, p, a, "c1", plan)
		add(t, a, end())
		review, _ := p.OpenReview(ctx, a)
		if err := p.Settle(ctx, a, review.ID, planmode.Verdict{Decision: planmode.Approve, SHA256: review.SHA256}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		p.BeforeStep(ctx, a)
		got := notices(t, p, a)
		if len(got) != 1 || !strings.Contains(got[0], "approved revision 1") || !strings.Contains(got[0], "default mode") {
			t.Errorf("notices are %q", got)
		}
		if diff := cmp.Diff([]string{"mode on", "review open", "review parked", "review approved", "mode off", "notice"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("C011 approved and entered again before the model knew", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: pendingReviewer()})
		a := newAgent(mode(true), header(), start())
		exit(t, p, a, "c1", plan)
		add(t, a, end())
		review, _ := p.OpenReview(ctx, a)
		if err := p.Settle(ctx, a, review.ID, planmode.Verdict{Decision: planmode.Approve, SHA256: review.SHA256}); err != nil {
			t.Fatal(err)
		}
		set(t, p, a, true)
		p.BeforeStep(ctx, a)
		got := notices(t, p, a)
		if len(got) != 1 || strings.Contains(got[0], "Carry it out") || !strings.Contains(got[0], "Plan mode is on") {
			t.Errorf("notices are %q", got)
		}
		approved, err := p.ApprovedPlan(ctx, a)
		if err != nil || approved == nil || !approved.Superseded {
			t.Errorf("approved plan is %+v, %v", approved, err)
		}
	})
	t.Run("entered again right after an approved exit", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, "")})
		a := newAgent(mode(true), header(), start())
		exit(t, p, a, "c1", plan)
		if got := set(t, p, a, true); got != planmode.Cancelled {
			t.Errorf("set gives %s", got)
		}
		p.BeforeStep(ctx, a)
		got := notices(t, p, a)
		if len(got) != 1 || !strings.Contains(got[0], "switched to plan mode") {
			t.Errorf("notices are %q", got)
		}
	})
}

func pendingReviewer() planmode.Reviewer {
	return reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
		return planmode.Verdict{}, planmode.ErrReviewPending
	})
}

// TestLeavingTouchesNoSteps holds that leaving plan mode writes nothing but events of plan
// mode, whatever is under way in the log.
func TestLeavingTouchesNoSteps(t *testing.T) {
	ctx := context.Background()
	for name, leave := range map[string]func(t *testing.T, p *planmode.PlanMode, a *testAgent){
		"C073 by Set": func(t *testing.T, p *planmode.PlanMode, a *testAgent) { set(t, p, a, false) },
		"C073 by the command": func(t *testing.T, p *planmode.PlanMode, a *testAgent) {
			if _, err := p.Command().Run(ctx, a, "off"); err != nil {
				t.Fatal(err)
			}
		},
		"C073 by an answer": func(t *testing.T, p *planmode.PlanMode, a *testAgent) {
			r := openReview(t, p, a)
			if err := p.Settle(ctx, a, r.ID, planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, a := newPlanMode(t, nil), planning()
			progress := event("todo/progress", `{"steps":["done","running","open"]}`)
			add(t, a, session.StepStart(1, 1), progress, session.ToolCall(1, 1, "w", "write", "{}"))
			add(t, a, script(t, "call c", `plan/review {"id":"r","callId":"c","revision":1,"state":"open","plan":"# P\n","sha256":"`+sha("# P\n")+`"}`, "park r")...)
			before := len(events(t, a.log))
			leave(t, p, a)
			p.BeforeStep(ctx, a)
			if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
				t.Error(diff)
			}
			written := events(t, a.log)[before:]
			if own := kinds(t, newLog(written...)); len(own) != len(written) {
				t.Errorf("%d events were written, of plan mode are %q", len(written), own)
			}
		})
	}
}
