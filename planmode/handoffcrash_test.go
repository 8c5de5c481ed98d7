package planmode_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// TestHandoffCrashes lets the process die at each write of a hand-off, and another one go
// on in each way there is.
func TestHandoffCrashes(t *testing.T) {
	ctx := context.Background()
	settle := func(t testing.TB, w *world, text string) {
		p, a := w.planMode(t, nil), w.agent(t)
		r := openReview(t, p, a)
		if r == nil {
			return
		}
		v := planmode.Verdict{Decision: planmode.ApproveFresh, SHA256: r.SHA256}
		if text != plan {
			v.Plan = text
		}
		if err := p.Settle(ctx, a, r.ID, v); err != nil && !errors.Is(err, errDead) {
			t.Errorf("settle: %v", err)
		}
	}
	parked := script(t, "mode on", "turn", "header", fmt.Sprintf(`plan/review {"id":"r","callId":"c","revision":1,"state":"open","plan":%s,"sha256":%q}`, quoted(plan), sha(plan)))
	begin := map[string]struct {
		events []session.Event
		run    func(t testing.TB, w *world, text string)
	}{
		"the call": {script(t, "mode on", "turn", "header"), func(t testing.TB, w *world, text string) {
			a := w.agent(t)
			p := w.planMode(t, reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) {
				v := planmode.Verdict{Decision: planmode.ApproveFresh, SHA256: r.SHA256}
				if text != plan {
					v.Plan = text
				}
				return v, nil
			}))
			if _, err := a.log.Append(ctx, session.Any, exitCall("c")); err != nil {
				return
			}
			r := p.ExitTool().Call(ctx, a, "c", planArgs(plan))
			if _, err := a.log.Append(ctx, session.Any, exitResult("c", r)); err != nil {
				return
			}
			p.BeforeStep(ctx, a)
		}},
		"Settle between turns": {slices.Concat(parked, []session.Event{end()}), settle},
		"Settle within a turn": {slices.Concat(parked, []session.Event{end(), start()}), func(t testing.TB, w *world, text string) {
			settle(t, w, text)
			if !w.dead() {
				w.planMode(t, nil).BeforeStep(ctx, w.agent(t))
			}
		}},
	}
	resume := map[string]func(t testing.TB, w *world, a planmode.Agent, text string){
		"a boundary": func(t testing.TB, w *world, a planmode.Agent, _ string) {
			add(t, a, session.TurnStart(2))
			w.planMode(t, nil).BeforeStep(ctx, a)
		},
		"ResumeHandoff": func(t testing.TB, w *world, a planmode.Agent, _ string) {
			for range 2 {
				if _, err := w.planMode(t, nil).ResumeHandoff(ctx, a); err != nil {
					t.Errorf("resume: %v", err)
				}
			}
		},
	}
	for kind, open := range stores() {
		for beginning, b := range begin {
			for continuation, goOn := range resume {
				for _, text := range []string{plan, edited} {
					if kind == "files" && text != plan {
						continue // the bytes make no difference to where it dies
					}
					t.Run(fmt.Sprintf("C129 %s %s %s edited %v", kind, beginning, continuation, text != plan), func(t *testing.T) {
						for writes := 1; ; writes++ {
							store, cwd := open(t)
							w := newWorld(t, store, cwd)
							add(t, w.agent(t), b.events...)
							w.writes = writes
							b.run(t, w, text)
							died := w.dead()
							next := w.reborn()
							a := next.agent(t)
							_, complete := next.handedOver(t, text)
							active := planmode.FoldPlanMode(events(t, a.log))
							if active == complete && !active {
								t.Fatalf("dead after %d writes: plan mode is left and the new session is not complete", writes)
							}
							if _, err := session.RepairLog(ctx, a.log); err != nil {
								t.Fatal(err)
							}
							if openReview(t, next.planMode(t, nil), a) == nil && fold(t, events(t, a.log)).Handoff != nil {
								goOn(t, next, a, text)
							} else {
								settle(t, next, text) // as a user does who sees that the review is open
							}
							if fold(t, events(t, a.log)).Handoff == nil {
								continue // it died before the plan was presented
							}
							next.wantComplete(t, a, text)
							if !died {
								return
							}
						}
					})
				}
			}
		}
	}
}
