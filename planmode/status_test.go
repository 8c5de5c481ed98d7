package planmode_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agentplan/sdk/planmode"
	"github.com/google/go-cmp/cmp"
)

func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		lines []string
		want  planmode.Status
	}{
		"empty log":                     {nil, planmode.Status{Phase: planmode.PhaseDefault}},
		"entering":                      {[]string{"turn", "select on user"}, planmode.Status{Phase: planmode.PhaseEntering}},
		"entering by a running command": {[]string{"turn", "run x"}, planmode.Status{Phase: planmode.PhaseEntering}},
		"planning":                      {[]string{"mode on", "turn"}, planmode.Status{Phase: planmode.PhasePlanning}},
		"leaving":                       {[]string{"mode on", "turn", "select off user"}, planmode.Status{Phase: planmode.PhaseLeaving}},
		"C113 awaiting review": {[]string{"mode on", "turn", "call c", "open r c 1"},
			planmode.Status{Phase: planmode.PhaseAwaitingReview, AwaitingReview: true}},
		"C113 parked": {[]string{"mode on", "turn", "call c", "open r c 1", "park r", "end"},
			planmode.Status{Phase: planmode.PhaseAwaitingReview, AwaitingReview: true, EndedInPlanMode: true}},
		"a policy leaves while a review is open": {[]string{"mode on", "turn", "call c", "open r c 1", "select off policy"},
			planmode.Status{Phase: planmode.PhaseAwaitingReview, AwaitingReview: true}},
		"approved": {[]string{"mode on", "turn", "call c", "open r c 1", "settle r approved user awaited"},
			planmode.Status{Phase: planmode.PhaseLeaving}},
		"C119 the turn ended in plan mode": {[]string{"mode on", "turn", "call c", "result c failed", "end"},
			planmode.Status{Phase: planmode.PhasePlanning, EndedInPlanMode: true, InvalidExits: 1}},
		"C119 the turn ended outside":             {[]string{"mode on", "turn", "mode off", "end"}, planmode.Status{Phase: planmode.PhaseDefault}},
		"entered after the turn":                  {[]string{"turn", "end", "mode on"}, planmode.Status{Phase: planmode.PhasePlanning}},
		"left after a turn in plan mode":          {[]string{"mode on", "turn", "end", "mode off"}, planmode.Status{Phase: planmode.PhaseDefault, EndedInPlanMode: true}},
		"the next turn runs":                      {[]string{"mode on", "turn", "end", "turn"}, planmode.Status{Phase: planmode.PhasePlanning}},
		"refusals":                                {[]string{"mode on", `plan/refusal {"tool":"w"}`, `plan/refusal {"tool":"w","callId":"c","agent":"a"}`}, planmode.Status{Phase: planmode.PhasePlanning, Refusals: 2}},
		"refusals outside plan mode do not count": {[]string{`plan/refusal {"tool":"w"}`}, planmode.Status{Phase: planmode.PhaseDefault}},
	} {
		t.Run(name, func(t *testing.T) {
			events := script(t, test.lines...)
			if diff := cmp.Diff(test.want, fold(t, events).Status()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.want, status(t, newPlanMode(t, nil), newAgent(events...))); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("JSON", func(t *testing.T) {
		out, err := json.Marshal(planmode.Folded{}.Status())
		if err != nil {
			t.Fatal(err)
		}
		want := `{"phase":"default","awaitingReview":false,"endedInPlanMode":false,"refusals":0,"invalidExits":0}`
		if diff := cmp.Diff(want, string(out)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("unreadable log", func(t *testing.T) {
		if _, err := newPlanMode(t, nil).Status(t.Context(), agentOn(unreadable{newLog()})); err == nil {
			t.Error("no error")
		}
	})
	t.Run("malformed refusals", func(t *testing.T) {
		for _, line := range []string{`plan/refusal {}`, `plan/refusal {"tool":1}`, `plan/refusal []`} {
			_, err := planmode.Fold(planmode.Folded{Active: true}, scriptEvent(t, line))
			var malformed *planmode.MalformedError
			if !errors.As(err, &malformed) {
				t.Errorf("%s gives %v", line, err)
			}
		}
	})
	t.Run("C113 a call waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), planning()
			_, results := calling(context.Background(), t, p, a, b)
			if got := status(t, newPlanMode(t, nil), a); got.Phase != planmode.PhaseAwaitingReview {
				t.Errorf("status is %+v", got)
			}
			b.answer <- planmode.Verdict{Decision: planmode.Revise, SHA256: sha(plan)}
			<-results
			if got := status(t, p, a); got.Phase != planmode.PhasePlanning {
				t.Errorf("status is %+v", got)
			}
		})
	})
}

func TestHealth(t *testing.T) {
	ctx := context.Background()
	render := func(t *testing.T, p *planmode.PlanMode, a planmode.Agent) {
		t.Helper()
		if _, err := p.Section(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
	health := func(t *testing.T, p *planmode.PlanMode, a planmode.Agent) planmode.Health {
		t.Helper()
		h, err := p.Health(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	t.Run("a host that renders the section", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(mode(true), start())
		for range 3 {
			p.BeforeStep(ctx, a)
			render(t, p, a)
		}
		add(t, a, end())
		h := health(t, p, a)
		if diff := cmp.Diff(planmode.Health{Steps: 3}, h); diff != "" || h.Err() != nil {
			t.Error(diff, h.Err())
		}
	})
	t.Run("a host that does not", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(mode(true), start())
		p.BeforeStep(ctx, a)
		if h := health(t, p, a); h.Err() != nil {
			t.Errorf("a step that is under way counts: %v", h.Err())
		}
		p.BeforeStep(ctx, a)
		if diff := cmp.Diff(planmode.Health{Steps: 2, Unrendered: 1}, health(t, p, a)); diff != "" {
			t.Error(diff)
		}
		add(t, a, end())
		for range 2 { // looking changes nothing
			if diff := cmp.Diff(planmode.Health{Steps: 2, Unrendered: 2}, health(t, p, a)); diff != "" {
				t.Error(diff)
			}
		}
		if err := health(t, p, a).Err(); err == nil || !strings.Contains(err.Error(), "2 of 2 steps") || !strings.Contains(err.Error(), "plan:policy") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("steps outside plan mode", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(start())
		for range 2 {
			p.BeforeStep(ctx, a)
		}
		set(t, p, a, true)
		p.BeforeStep(ctx, a) // enters
		render(t, p, a)
		set(t, p, a, false)
		p.BeforeStep(ctx, a) // leaves
		add(t, a, end())
		if diff := cmp.Diff(planmode.Health{Steps: 1}, health(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("it is no state", func(t *testing.T) {
		p, a := newPlanMode(t, nil), newAgent(mode(true), start())
		p.BeforeStep(ctx, a)
		add(t, a, end())
		if diff := cmp.Diff(planmode.Health{}, health(t, newPlanMode(t, nil), a)); diff != "" {
			t.Error(diff)
		}
	})
}
