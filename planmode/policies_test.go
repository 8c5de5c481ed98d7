package planmode_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

func TestPolicyErrors(t *testing.T) {
	for want, opts := range map[string]planmode.Options{
		`option Headless is "ask": one of ["fail" "park"] was expected`:                       {Headless: "ask"},
		`option QueuedInput is "send": one of ["hold" "feedback"] was expected`:               {QueuedInput: "send"},
		`option Children is "Inherit": one of ["off" "inherit" "refuse-review"] was expected`: {Children: "Inherit"},
		"an option is negative": {MaxInvalidExits: -1},
		`option Headless is "x": one of ["fail" "park"] was expected` + "\noption Children is ": {Headless: "x", Children: "x"},
	} {
		_, err := planmode.New(planmode.Config{Section: guidance}, &opts)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}

func TestHeadless(t *testing.T) {
	ctx := context.Background()
	t.Run("C049 C117 fail", func(t *testing.T) {
		for _, policy := range []planmode.HeadlessPolicy{"", planmode.HeadlessFail} {
			p, a := newPlanMode(t, &planmode.Options{Headless: policy}), planning()
			r := exit(t, p, a, "c", plan)
			wantRefusal(t, r, "no review channel", "It was not turned down")
			rejected := exit(t, newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")}), planning(), "c", plan)
			if r.Content == rejected.Content {
				t.Error("no channel reads as a rejected plan")
			}
			if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("park keeps the plan for later", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Headless: planmode.HeadlessPark}), planning()
		wantRefusal(t, exit(t, p, a, "c", "no heading"), "heading")
		wantRefusal(t, exit(t, p, a, "d", plan), "plan was kept", "revision 1", "stop here")
		add(t, a, end())
		if diff := cmp.Diff([]string{"mode on", "review open", "review parked"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
		later := newPlanMode(t, nil)
		r := openReview(t, later, a)
		if r == nil || r.Plan != plan || r.State != planmode.ReviewParked {
			t.Fatalf("review is %+v", r)
		}
		if err := later.Settle(ctx, a, r.ID, planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(off, state(t, later, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("park when only a part is written", func(t *testing.T) {
		log := &faultyLog{Log: planning().log}
		p, a := newPlanMode(t, &planmode.Options{Headless: planmode.HeadlessPark}), agentOn(log)
		log.fail(fault{}, fault{1, errDisk})
		wantRefusal(t, exit(t, p, a, "c", plan), "plan was kept")
		if r := openReview(t, p, a); r == nil || r.State != planmode.ReviewParked {
			t.Errorf("review is %+v", r)
		}
	})
	t.Run("with a reviewer it is asked", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Headless: planmode.HeadlessPark, Reviewer: answering(planmode.Approve, "")}), planning()
		if r := exit(t, p, a, "c", plan); r.IsError {
			t.Error(r.Content)
		}
	})
}

func TestAutoApprove(t *testing.T) {
	t.Run("C053 by a policy", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{AutoApprove: true, Reviewer: refusingReviewer(t)}), planning()
		r := exit(t, p, a, "c", plan)
		if r.IsError || !strings.Contains(r.Content, "not reviewed by the user") {
			t.Errorf("result is %+v", r)
		}
		all := events(t, a.log)
		if got := string(all[len(all)-2].Data); !strings.Contains(got, `"state":"approved"`) || !strings.Contains(got, `"by":"policy"`) {
			t.Errorf("settlement is %s", got)
		}
	})
	t.Run("a veto is stronger", func(t *testing.T) {
		var by []planmode.Actor
		p := newPlanMode(t, &planmode.Options{AutoApprove: true, Veto: func(_ context.Context, _ planmode.Agent, tr planmode.Transition) error {
			if tr.Kind != planmode.TransitionApprove {
				return nil
			}
			by = append(by, tr.Actor)
			return errors.New("a person has to look at it")
		}})
		a := planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "a person has to look at it")
		if diff := cmp.Diff([]planmode.Actor{planmode.ByPolicy}, by); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" || openReview(t, p, a) == nil {
			t.Errorf("the review has ended %s", diff)
		}
	})
	t.Run("an invalid plan is none", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{AutoApprove: true}), planning()
		wantRefusal(t, exit(t, p, a, "c", "no heading"))
	})
}

func TestInput(t *testing.T) {
	ctx := context.Background()
	input := func(t *testing.T, p *planmode.PlanMode, a planmode.Agent, text string) planmode.Delivery {
		t.Helper()
		d, err := p.Input(ctx, a, text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	approving := []string{"approve", "yes, go ahead", `{"decision":"approve"}`}
	t.Run("C069 hold", func(t *testing.T) {
		for _, policy := range []planmode.InputPolicy{"", planmode.InputHold} {
			synctest.Test(t, func(t *testing.T) {
				b := newBlockingReviewer()
				p, a := newPlanMode(t, &planmode.Options{Reviewer: b, QueuedInput: policy}), planning()
				_, results := calling(ctx, t, p, a, b)
				for _, text := range append(approving, "") {
					if got := input(t, p, a, text); got != planmode.DeliverLater {
						t.Errorf("%q is to be delivered %s", text, got)
					}
				}
				if r := openReview(t, p, a); r == nil || r.State != planmode.ReviewWaiting {
					t.Errorf("review is %+v", r)
				}
				b.answer <- planmode.Verdict{Decision: planmode.Dismiss, SHA256: sha(plan)}
				wantRefusal(t, <-results)
				if got := input(t, p, a, "approve"); got != planmode.DeliverNow {
					t.Errorf("after the review it is to be delivered %s", got)
				}
				if diff := cmp.Diff([]string{"mode on", "review open", "review dismissed"}, kinds(t, a.log)); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
	t.Run("C069 feedback", func(t *testing.T) {
		for _, text := range approving {
			synctest.Test(t, func(t *testing.T) {
				b := newBlockingReviewer()
				p, a := newPlanMode(t, &planmode.Options{Reviewer: b, QueuedInput: planmode.InputFeedback}), planning()
				_, results := calling(ctx, t, p, a, b)
				if got := input(t, p, a, " \n"); got != planmode.DeliverLater {
					t.Errorf("a blank message is to be delivered %s", got)
				}
				if got := input(t, p, a, text); got != planmode.Delivered {
					t.Errorf("%q is to be delivered %s", text, got)
				}
				wantRefusal(t, <-results, text, "wants changes")
				if diff := cmp.Diff([]string{"mode on", "review open", "review revise"}, kinds(t, a.log)); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
	t.Run("without a review and beside a parked one", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{QueuedInput: planmode.InputFeedback})
		a, _ := parked(t, p)
		for _, agent := range []planmode.Agent{newAgent(), planning(), a} {
			if got := input(t, p, agent, "approve"); got != planmode.DeliverNow {
				t.Errorf("it is to be delivered %s", got)
			}
		}
		if r := openReview(t, p, a); r == nil {
			t.Error("the parked review has ended")
		}
	})
	t.Run("another answer was first", func(t *testing.T) {
		waiting := script(t, "mode on", "turn", "call c", "open r c 1")
		log := &faultyLog{Log: newLog(waiting...)}
		p, a := newPlanMode(t, &planmode.Options{QueuedInput: planmode.InputFeedback}), agentOn(log)
		log.fail(fault{0, session.ErrConflict})
		racing := &racingLog{Log: log, other: script(t, "settle r dismissed user awaited")}
		a.log = racing
		if got := input(t, p, a, "more"); got != planmode.DeliverNow {
			t.Errorf("it is to be delivered %s", got)
		}
	})
	t.Run("errors leave the message with the host", func(t *testing.T) {
		p := newPlanMode(t, &planmode.Options{QueuedInput: planmode.InputFeedback})
		if d, err := p.Input(ctx, agentOn(unreadable{newLog()}), "x"); err == nil || d != "" {
			t.Errorf("input gives %q, %v", d, err)
		}
		log := &faultyLog{Log: newLog(script(t, "mode on", "turn", "call c", "open r c 1")...)}
		log.fail(fault{0, errDisk})
		if d, err := p.Input(ctx, agentOn(log), "x"); err == nil || d != "" {
			t.Errorf("input gives %q, %v", d, err)
		}
	})
}

// racingLog is a log to which others append right before its first append.
type racingLog struct {
	session.Log
	other []session.Event
}

func (l *racingLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	if other := l.other; other != nil {
		l.other = nil
		if faulty, ok := l.Log.(*faultyLog); ok {
			if _, err := faulty.Log.Append(ctx, session.Any, other...); err != nil {
				return 0, err
			}
		}
	}
	return l.Log.Append(ctx, expect, events...)
}

func TestInvalidExits(t *testing.T) {
	t.Run("the model is told to stop", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, ""), MaxInvalidExits: 2}), planning()
		for i := range 2 {
			wantRefusal(t, exit(t, p, a, "a"+string(rune('0'+i)), "no heading"), "call exit_plan_mode again")
		}
		for range 2 {
			wantRefusal(t, exit(t, p, a, "b", "no heading"), "text that is no heading", "calls before this one failed, too", "stop here")
		}
		if got := status(t, p, a).InvalidExits; got != 4 {
			t.Errorf("%d invalid exits", got)
		}
		wantRefusal(t, exit(t, p, a, "c", plan), "wants to keep planning")
		if got := status(t, p, a).InvalidExits; got != 0 {
			t.Errorf("%d invalid exits after a review", got)
		}
		wantRefusal(t, exit(t, p, a, "d", "no heading"), "call exit_plan_mode again")
	})
	t.Run("default", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: refusingReviewer(t)}), planning()
		for range planmode.DefaultMaxInvalidExits {
			wantRefusal(t, exit(t, p, a, "c", ""), "call exit_plan_mode again")
		}
		wantRefusal(t, exit(t, p, a, "c", ""), "stop here")
	})
	for name, test := range map[string]struct {
		lines []string
		want  int
	}{
		"failed in default mode":         {[]string{"turn", "call c", "result c failed", "call d", "result d failed"}, 2},
		"a repair is no attempt":         {[]string{"mode on", "turn", "call c", "result c unknown", "call d", "result d notstarted"}, 0},
		"a success is none":              {[]string{"mode on", "turn", "call c", "result c ok"}, 0},
		"one that was reviewed is none":  {[]string{"mode on", "turn", "call c", "open r c 1", "settle r revise user awaited", "result c failed"}, 0},
		"a switch begins anew":           {[]string{"mode on", "call c", "result c failed", "mode off"}, 0},
		"the same mode again does not":   {[]string{"mode on", "call c", "result c failed", "mode on"}, 1},
		"results of other tools do not":  {[]string{"mode on", `tool/call {"callId":"x","name":"write"}`, "result x failed"}, 0},
		"a review begins anew":           {[]string{"mode on", "turn", "call c", "result c failed", "call d", "open r d 1"}, 0},
		"refusals and exits are counted": {[]string{"mode on", `plan/refusal {"tool":"w"}`, "call c", "result c failed"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fold(t, script(t, test.lines...)).InvalidExits; got != test.want {
				t.Errorf("%d invalid exits, want %d", got, test.want)
			}
		})
	}
}
