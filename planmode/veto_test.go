package planmode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// rule is a veto that refuses some kinds and keeps what it was asked.
type rule struct {
	refuses map[planmode.TransitionKind]error

	mu    sync.Mutex
	asked []string
}

func (r *rule) veto(_ context.Context, _ planmode.Agent, t planmode.Transition) error {
	line := fmt.Sprintf("%s by %s in %s", t.Kind, t.Actor, stateWords(t.State))
	if t.Review != nil {
		line += fmt.Sprintf(" %d %s", t.Review.Revision, t.Review.State)
	}
	if t.Decision != "" {
		line += " " + string(t.Decision)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, line)
	return r.refuses[t.Kind]
}

func refusing(kinds ...planmode.TransitionKind) *rule {
	r := &rule{refuses: map[planmode.TransitionKind]error{}}
	for _, kind := range kinds {
		r.refuses[kind] = errors.New("not on a Friday")
	}
	return r
}

// wantVeto fails unless err is a refusal of that kind.
func wantVeto(t *testing.T, err error, kind planmode.TransitionKind) {
	t.Helper()
	var veto *planmode.VetoError
	if !errors.As(err, &veto) || veto.Kind != kind || veto.Reason != "not on a Friday" || !strings.Contains(err.Error(), veto.Reason) {
		t.Errorf("got %v, want a refusal of %s", err, kind)
	}
}

func TestVetoOfSelections(t *testing.T) {
	ctx := context.Background()
	r := refusing(planmode.TransitionEnter)
	p, a := newPlanMode(t, &planmode.Options{Veto: r.veto}), newAgent()
	_, err := p.Set(ctx, a, true)
	wantVeto(t, err, planmode.TransitionEnter)
	reply, err := p.Command().Run(ctx, a, " do it")
	wantVeto(t, err, planmode.TransitionEnter)
	if want := "The mode stays as it is: not on a Friday"; reply != want {
		t.Errorf("reply is %q, want %q", reply, want)
	}
	if len(events(t, a.log)) > 0 || len(a.steered) > 0 {
		t.Errorf("a refused entry wrote %v and submitted %q", kinds(t, a.log), a.steered)
	}
	if got := set(t, p, a, false); got != planmode.Noop {
		t.Errorf("leaving is %s", got)
	}

	r = refusing(planmode.TransitionLeave)
	p, a = newPlanMode(t, &planmode.Options{Veto: r.veto}), newAgent(mode(true), start())
	_, err = p.Set(ctx, a, false)
	wantVeto(t, err, planmode.TransitionLeave)
	if _, err := p.Command().Run(ctx, a, "off"); err == nil {
		t.Error("/plan off is not refused")
	}
	if got := state(t, p, a); got != on {
		t.Errorf("state is %s", got)
	}
	if diff := cmp.Diff([]string{"leave by user in on", "leave by user in on"}, r.asked); diff != "" {
		t.Error(diff)
	}
}

// TestVetoIsNotAskedForNothing holds that a selection which writes nothing is not asked
// about, and that what was selected needs no further word.
func TestVetoIsNotAskedForNothing(t *testing.T) {
	r := refusing()
	p, a := newPlanMode(t, &planmode.Options{Veto: r.veto}), newAgent(start())
	for _, active := range []bool{false, true, true, false, true} {
		set(t, p, a, active)
	}
	p.BeforeStep(context.Background(), a)
	if diff := cmp.Diff([]string{"enter by user in off", "leave by user in off>on", "enter by user in off"}, r.asked); diff != "" {
		t.Error(diff)
	}
	if got := state(t, p, a); got != on {
		t.Errorf("state is %s", got)
	}
}

// TestVetoAsksOnce has others append while a hook thinks: it is asked again only if
// something else would be written.
func TestVetoAsksOnce(t *testing.T) {
	a := newAgent()
	asked := 0
	p := newPlanMode(t, &planmode.Options{Veto: func(context.Context, planmode.Agent, planmode.Transition) error {
		asked++
		switch asked {
		case 1:
			add(t, a, header())
		case 2:
			t.Error("asked again for the same")
		}
		return nil
	}})
	if got := set(t, p, a, true); got != planmode.Committed || asked != 1 {
		t.Errorf("outcome %s after %d questions", got, asked)
	}
	a = newAgent()
	var kinds []string
	p = newPlanMode(t, &planmode.Options{Veto: func(_ context.Context, _ planmode.Agent, tr planmode.Transition) error {
		if kinds = append(kinds, string(tr.Kind)); len(kinds) == 1 {
			add(t, a, start())
		}
		return nil
	}})
	if got := set(t, p, a, true); got != planmode.Queued || len(kinds) != 2 {
		t.Errorf("outcome %s after %q", got, kinds)
	}
}

func TestVetoOfPlans(t *testing.T) {
	ctx := context.Background()
	r := refusing(planmode.TransitionPresent)
	asked := false
	reviewer := reviewFunc(func(context.Context, planmode.Review) (planmode.Verdict, error) {
		asked = true
		return planmode.Verdict{}, errDisk
	})
	p, a := newPlanMode(t, &planmode.Options{Reviewer: reviewer, Veto: r.veto, MaxInvalidExits: 2}), newAgent(mode(true), start())
	for n := range 4 {
		result := exit(t, p, a, fmt.Sprint("c", n), plan)
		stop := strings.Contains(result.Content, "calls before this one failed")
		if !result.IsError || !strings.Contains(result.Content, "not on a Friday") || stop != (n >= 2) {
			t.Errorf("call %d gives %+v", n, result)
		}
	}
	if asked || openReview(t, p, a) != nil {
		t.Error("a refused plan was shown")
	}
	// A plan that breaks a rule of plans is refused for that, and a hook is not asked.
	if result := exit(t, p, a, "c", "no heading"); strings.Contains(result.Content, "Friday") {
		t.Errorf("a bad plan gives %+v", result)
	}
	if diff := cmp.Diff(4, len(r.asked)); diff != "" || r.asked[0] != "present by model in on 1 waiting" {
		t.Errorf("asked %q", r.asked)
	}
	status, err := p.Status(ctx, a)
	if err != nil || status.InvalidExits != 5 {
		t.Errorf("status %+v, %v", status, err)
	}
}

// TestVetoOfAnswers refuses what a reviewer answered: nothing is settled, the model hears
// of it, and the review can be answered again once the reason is gone.
func TestVetoOfAnswers(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		decision planmode.Decision
		kind     planmode.TransitionKind
	}{
		{planmode.Approve, planmode.TransitionApprove},
		{planmode.Leave, planmode.TransitionLeave},
	} {
		t.Run(string(test.decision), func(t *testing.T) {
			r := refusing(test.kind)
			p := newPlanMode(t, &planmode.Options{Reviewer: answering(test.decision, ""), Veto: r.veto})
			a := newAgent(mode(true), start())
			result := exit(t, p, a, "c", plan)
			if !result.IsError || result.Value != nil || !strings.Contains(result.Content, "not on a Friday") || !strings.Contains(result.Content, "No plan was approved") {
				t.Errorf("result %+v", result)
			}
			review := openReview(t, p, a)
			if review == nil || review.State != planmode.ReviewParked || state(t, p, a) != on {
				t.Fatalf("review %+v, state %s", review, state(t, p, a))
			}
			v := planmode.Verdict{Decision: test.decision, SHA256: review.SHA256}
			wantVeto(t, p.Settle(ctx, a, review.ID, v), test.kind)
			if openReview(t, p, a) == nil {
				t.Error("a refused Settle settles")
			}
			if err := p.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			delete(r.refuses, test.kind)
			if err := p.Settle(ctx, a, review.ID, v); err != nil {
				t.Error(err)
			}
			want := []string{
				"present by model in on 1 waiting",
				fmt.Sprintf("%s by user in on 1 waiting %s", test.kind, test.decision),
				fmt.Sprintf("%s by user in on 1 parked %s", test.kind, test.decision),
				fmt.Sprintf("%s by user in on 1 parked %s", test.kind, test.decision),
			}
			if diff := cmp.Diff(want, r.asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestVetoLetsOthersAnswer holds that what leaves nothing is not asked about, and that
// approvals by a policy are.
func TestVetoLetsOthersAnswer(t *testing.T) {
	for _, decision := range []planmode.Decision{planmode.Revise, planmode.Dismiss} {
		r := refusing(planmode.TransitionApprove, planmode.TransitionLeave)
		p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(decision, ""), Veto: r.veto}), newAgent(mode(true), start())
		exit(t, p, a, "c", plan)
		if len(r.asked) != 1 || openReview(t, p, a) != nil {
			t.Errorf("%s: asked %q", decision, r.asked)
		}
	}
	r := refusing(planmode.TransitionApprove)
	p, a := newPlanMode(t, &planmode.Options{AutoApprove: true, Veto: r.veto}), newAgent(mode(true), start())
	if result := exit(t, p, a, "c", plan); !result.IsError || r.asked[1] != "approve by policy in on 1 waiting approve" {
		t.Errorf("an approval by policy: %+v, asked %q", result, r.asked)
	}
}

// TestVetoReason holds that the reason of a VetoError is taken as it is.
func TestVetoReason(t *testing.T) {
	cause := &planmode.VetoError{Reason: "write tests first"}
	p, a := newPlanMode(t, &planmode.Options{Veto: func(context.Context, planmode.Agent, planmode.Transition) error {
		return fmt.Errorf("rule 7: %w", cause)
	}}), newAgent()
	_, err := p.Set(context.Background(), a, true)
	var veto *planmode.VetoError
	if !errors.As(err, &veto) || veto.Reason != cause.Reason || veto.Kind != planmode.TransitionEnter || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestVetoEndsWithClose holds that a hook which waits keeps nobody from closing.
func TestVetoEndsWithClose(t *testing.T) {
	asking := make(chan struct{})
	p, a := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, ""), Veto: func(ctx context.Context, _ planmode.Agent, _ planmode.Transition) error {
		close(asking)
		<-ctx.Done()
		return ctx.Err()
	}}), newAgent(mode(true), session.TurnStart(1))
	results := make(chan planmode.Result, 1)
	go func() { results <- p.ExitTool().Call(context.Background(), a, "c", planArgs(plan)) }()
	<-asking
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if r := <-results; !r.IsError {
		t.Errorf("result %+v", r)
	}
}

// TestVetoWithoutAnAnswer holds that a veto which panics or never returns refuses, and keeps
// nobody waiting once the context is over.
func TestVetoWithoutAnAnswer(t *testing.T) {
	panics := func(context.Context, planmode.Agent, planmode.Transition) error { panic("boom") }
	t.Run("it panics", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Veto: panics, Reviewer: refusingReviewer(t)}), planning()
		wantRefusal(t, exit(t, p, a, "c", plan), "boom")
		var veto *planmode.VetoError
		if _, err := p.Set(t.Context(), a, false); !errors.As(err, &veto) || !strings.Contains(err.Error(), "boom") {
			t.Errorf("set gives %v", err)
		}
		if diff := cmp.Diff([]string{"mode on"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	hangs := func(done <-chan struct{}) func(context.Context, planmode.Agent, planmode.Transition) error {
		return func(context.Context, planmode.Agent, planmode.Transition) error {
			<-done
			return nil
		}
	}
	t.Run("it hangs and the context ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			done := make(chan struct{})
			defer close(done)
			p, a := newPlanMode(t, &planmode.Options{Veto: hangs(done)}), newAgent()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := p.Set(ctx, a, true); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("set gives %v", err)
			}
			if got := kinds(t, a.log); len(got) > 0 {
				t.Errorf("log has %v", got)
			}
		})
	})
	t.Run("it hangs and plan mode is closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			done := make(chan struct{})
			defer close(done)
			p, a := newPlanMode(t, &planmode.Options{Veto: hangs(done), Reviewer: refusingReviewer(t)}), planning()
			results := make(chan planmode.Result, 1)
			go func() { results <- exit(t, p, a, "c", plan) }()
			synctest.Wait()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			wantRefusal(t, <-results, "no answer")
		})
	})
}
