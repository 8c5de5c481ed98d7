package planmode_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// freshly settles the review of plan in an agent's session with a fresh context.
func freshly(t testing.TB, p *planmode.PlanMode, a planmode.Agent) error {
	t.Helper()
	r := openReview(t, p, a)
	if r == nil {
		t.Fatal("no review is open")
	}
	return p.Settle(context.Background(), a, r.ID, planmode.Verdict{Decision: planmode.ApproveFresh, SHA256: r.SHA256})
}

// reviewed returns a world whose session s has a parked review of plan and no open turn.
func reviewed(t testing.TB) *world {
	w := newWorld(t, session.NewMemoryStore(), "/proj")
	add(t, w.agent(t), script(t, "mode on", "turn", "header",
		`plan/review {"id":"r","callId":"c","revision":1,"state":"open","plan":`+quoted(plan)+`,"sha256":"`+sha(plan)+`"}`, "end")...)
	return w
}

func newSession(t testing.TB, w *world, id string) *testAgent {
	t.Helper()
	log, err := w.Store.Open(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return agentOn(log)
}

// openingStore tells when a session of it is opened.
type openingStore struct {
	session.Store
	opened func()
}

func (s *openingStore) Open(ctx context.Context, id string) (session.Log, error) {
	s.opened()
	return s.Store.Open(ctx, id)
}

// damagedStore is a store with a session that cannot be read, of an id that nobody knows
// or of the given one.
type damagedStore struct {
	session.Store
	damaged string
}

func (s *damagedStore) Open(ctx context.Context, id string) (session.Log, error) {
	if s.damaged == id {
		return nil, errDisk
	}
	return s.Store.Open(ctx, id)
}

func (s *damagedStore) List(ctx context.Context) iter.Seq2[session.Header, error] {
	return func(yield func(session.Header, error) bool) {
		if !yield(session.Header{}, errDisk) {
			return
		}
		s.Store.List(ctx)(yield)
	}
}

func TestHandoff(t *testing.T) {
	ctx := context.Background()
	t.Run("C129 what the models are told", func(t *testing.T) {
		w := newWorld(t, session.NewMemoryStore(), "/proj")
		p, a := w.planMode(t, answering(planmode.ApproveFresh, "")), w.agent(t)
		add(t, a, mode(true), start(), header())
		r := exit(t, p, a, "c", plan)
		if r.IsError || !strings.Contains(r.Content, "Do not carry it out in this session") {
			t.Errorf("result is %+v", r)
		}
		h, err := p.Handoff(ctx, a)
		if err != nil || h == nil || h.State != planmode.HandoffOpen {
			t.Fatalf("hand-off is %+v, %v", h, err)
		}
		if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		if text, err := p.Section(ctx, a); text != guidance || err != nil {
			t.Errorf("section is %q for the rest of the step, %v", text, err)
		}
		if resumed, err := p.ResumeHandoff(ctx, a); err != nil || resumed.State != planmode.HandoffOpen {
			t.Errorf("within a turn it is %+v, %v", resumed, err)
		}
		p.BeforeStep(ctx, a)
		p.BeforeStep(ctx, a)
		if got := notices(t, p, a); len(got) > 0 {
			t.Errorf("told again by %q", got)
		}
		w.wantComplete(t, a, plan)

		next := newSession(t, w, h.Session)
		if got := notices(t, p, next); len(got) != 1 || !strings.Contains(got[0], "Carry it out as approved") || strings.Count(got[0], plan) != 1 {
			t.Errorf("the new session begins with %q", got)
		}
		add(t, next, start())
		p.BeforeStep(ctx, next)
		if text, err := p.Section(ctx, next); text != "" || err != nil {
			t.Errorf("section of the new session is %q, %v", text, err)
		}
		if diff := cmp.Diff(off, state(t, p, next)); diff != "" {
			t.Error(diff)
		}
		set(t, p, next, true)
		p.BeforeStep(ctx, next)
		if got, err := p.ApprovedPlan(ctx, next); err != nil || !got.Superseded {
			t.Errorf("after plan mode is entered again the plan is %+v, %v", got, err)
		}
	})
	t.Run("C053 approved by a policy", func(t *testing.T) {
		w := newWorld(t, session.NewMemoryStore(), "/proj")
		p, a := w.planMode(t, policyReviewer{answering(planmode.ApproveFresh, "")}), w.agent(t)
		add(t, a, mode(true), start(), header())
		exit(t, p, a, "c", plan)
		h, err := p.ResumeHandoff(ctx, a)
		if err != nil || h.By != planmode.ByPolicy {
			t.Fatalf("hand-off is %+v, %v", h, err)
		}
		if got := notices(t, p, newSession(t, w, h.Session)); len(got) != 1 || !strings.Contains(got[0], "not reviewed by the user") {
			t.Errorf("the new session begins with %q", got)
		}
	})
	t.Run("an answer that no call waited for", func(t *testing.T) {
		w := reviewed(t)
		p, a := w.planMode(t, nil), w.agent(t)
		if err := freshly(t, p, a); err != nil {
			t.Fatal(err)
		}
		w.wantComplete(t, a, plan)
		if err := freshlyAgain(p, a); err == nil {
			t.Error("the review can be settled twice")
		}
		add(t, a, start())
		p.BeforeStep(ctx, a)
		if got := notices(t, p, a); len(got) != 1 || !strings.Contains(got[0], "Do not carry it out in this session") {
			t.Errorf("notices are %q", got)
		}
	})
	t.Run("nothing to hand over", func(t *testing.T) {
		w := reviewed(t)
		p, a := w.planMode(t, nil), w.agent(t)
		before := len(events(t, a.log))
		for name, get := range map[string]func(context.Context, planmode.Agent) (*planmode.Handoff, error){"handoff": p.Handoff, "resume": p.ResumeHandoff} {
			if h, err := get(ctx, a); h != nil || err != nil {
				t.Errorf("%s gives %+v, %v", name, h, err)
			}
			if h, err := get(ctx, agentOn(unreadable{newLog()})); h != nil || err == nil {
				t.Errorf("%s of a log that cannot be read gives %+v, %v", name, h, err)
			}
		}
		if got := len(events(t, a.log)); got != before {
			t.Errorf("%d events were written", got-before)
		}
	})
	t.Run("plan mode is selected again", func(t *testing.T) {
		w := reviewed(t)
		w.writes = 1
		a := w.agent(t)
		var incomplete *planmode.HandoffError
		if err := freshly(t, w.planMode(t, nil), a); !errors.As(err, &incomplete) || incomplete.ReviewID != "r" {
			t.Fatalf("settle gives %v", err)
		}
		w = w.reborn()
		p, a := w.planMode(t, nil), w.agent(t)
		if got := set(t, p, a, true); got != planmode.Cancelled {
			t.Errorf("set gives %s", got)
		}
		h, err := p.ResumeHandoff(ctx, a)
		if err != nil || h.State != planmode.HandoffCancelled || h.Session != incomplete.Session {
			t.Errorf("hand-off is %+v, %v", h, err)
		}
		if id, _ := w.handedOver(t, plan); id != "" {
			t.Errorf("there is the session %s", id)
		}
		add(t, a, start())
		p.BeforeStep(ctx, a)
		if got := notices(t, p, a); len(got) != 1 || !strings.Contains(got[0], "No plan is approved now") {
			t.Errorf("notices are %q", got)
		}
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a process without the store", func(t *testing.T) {
		w := reviewed(t)
		w.writes = 1
		_ = freshly(t, w.planMode(t, nil), w.agent(t)) // it dies
		w = w.reborn()
		var logged strings.Builder
		p := newPlanMode(t, &planmode.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		a := w.agent(t)
		if _, err := p.ResumeHandoff(ctx, a); !errors.Is(err, planmode.ErrNoSessions) {
			t.Errorf("resume gives %v", err)
		}
		add(t, a, start())
		before := len(events(t, a.log))
		p.BeforeStep(ctx, a)
		if got := len(events(t, a.log)); got != before || !strings.Contains(logged.String(), "no store to make a new session in") {
			t.Errorf("%d events were written and logged is %q", got-before, logged.String())
		}
		if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		w.planMode(t, nil).BeforeStep(ctx, a)
		w.wantComplete(t, a, plan)
	})
	t.Run("somebody else's session", func(t *testing.T) {
		for name, first := range map[string][]session.Event{"empty": nil, "another plan": script(t, "handed q 1"), "a turn": {start()}} {
			t.Run(name, func(t *testing.T) {
				w := reviewed(t)
				w.writes = 1
				a := w.agent(t)
				var incomplete *planmode.HandoffError
				if err := freshly(t, w.planMode(t, nil), a); !errors.As(err, &incomplete) {
					t.Fatalf("settle gives %v", err)
				}
				w = w.reborn()
				log, err := w.Store.Create(ctx, session.Header{ID: incomplete.Session})
				if err != nil {
					t.Fatal(err)
				}
				add(t, agentOn(log), first...)
				p, a := w.planMode(t, nil), w.agent(t)
				if _, err := p.ResumeHandoff(ctx, a); err == nil {
					t.Error("the plan was handed over")
				}
				if got := len(events(t, log)); got != len(first) {
					t.Errorf("%d events were written there", got-len(first))
				}
				if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
					t.Error(diff)
				}
				// The way out for the user.
				for _, step := range []struct {
					active bool
					want   planmode.Outcome
				}{{false, planmode.Noop}, {true, planmode.Cancelled}, {false, planmode.Committed}} {
					if got := set(t, p, a, step.active); got != step.want {
						t.Errorf("set %v gives %s, want %s", step.active, got, step.want)
					}
				}
				if h, err := p.Handoff(ctx, a); err != nil || h.State != planmode.HandoffCancelled {
					t.Errorf("hand-off is %+v, %v", h, err)
				}
			})
		}
	})
	t.Run("another session cannot be read", func(t *testing.T) {
		for name, elsewhere := range map[string]bool{"and the parent is kept there": false, "and the parent is kept elsewhere": true} {
			t.Run(name, func(t *testing.T) {
				w := reviewed(t)
				a := w.agent(t)
				store := &damagedStore{Store: w.Store}
				if elsewhere {
					store.Store = session.NewMemoryStore()
				}
				p := newPlanMode(t, &planmode.Options{Sessions: store})
				if err := freshly(t, p, a); err != nil {
					t.Fatal(err)
				}
				h, err := p.Handoff(ctx, a)
				if err != nil || h.State != planmode.HandoffComplete {
					t.Fatalf("hand-off is %+v, %v", h, err)
				}
				log, err := store.Open(ctx, h.Session)
				if err != nil {
					t.Fatal(err)
				}
				wantHanded(t, log, plan)
			})
		}
		t.Run("which is the parent", func(t *testing.T) {
			w := reviewed(t)
			a := w.agent(t)
			p := newPlanMode(t, &planmode.Options{Sessions: &damagedStore{Store: session.NewMemoryStore(), damaged: "s"}})
			if err := freshly(t, p, a); !errors.Is(err, errDisk) {
				t.Errorf("settle gives %v", err)
			}
		})
	})
	t.Run("a turn begins while it is under way", func(t *testing.T) {
		w := reviewed(t)
		a := w.agent(t)
		store := &openingStore{Store: w, opened: sync.OnceFunc(func() { add(t, a, start()) })}
		p := newPlanMode(t, &planmode.Options{Sessions: store})
		if err := freshly(t, p, a); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
			t.Errorf("within the turn: %s", diff)
		}
		p.BeforeStep(ctx, a)
		if diff := cmp.Diff(off, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
		w.wantComplete(t, a, plan)
	})
	t.Run("left by somebody who knows no hand-off", func(t *testing.T) {
		w := reviewed(t)
		w.writes = 1
		_ = freshly(t, w.planMode(t, nil), w.agent(t)) // it dies
		w = w.reborn()
		p, a := w.planMode(t, nil), w.agent(t)
		add(t, a, mode(false))
		if h, err := p.ResumeHandoff(ctx, a); err != nil || h.State != planmode.HandoffComplete {
			t.Errorf("hand-off is %+v, %v", h, err)
		}
		w.wantComplete(t, a, plan)
	})
	t.Run("plan mode is selected after a part of the exit", func(t *testing.T) {
		w := reviewed(t)
		w.writes = 4                                   // the approval, the session, its message, the mode
		_ = freshly(t, w.planMode(t, nil), w.agent(t)) // it dies
		w = w.reborn()
		p, a := w.planMode(t, nil), w.agent(t)
		add(t, a, start())
		if got := set(t, p, a, true); got != planmode.Queued {
			t.Errorf("set gives %s", got)
		}
		if h, err := p.Handoff(ctx, a); err != nil || h.State != planmode.HandoffOpen {
			t.Errorf("hand-off is %+v, %v", h, err)
		}
		p.BeforeStep(ctx, a)
		if h, err := p.Handoff(ctx, a); err != nil || h.State != planmode.HandoffComplete {
			t.Errorf("hand-off is %+v, %v", h, err)
		}
		want := []string{"mode on", "review open", "review approved", "mode off", "select on", "handoff", "mode on", "notice"}
		if diff := cmp.Diff(want, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("C021 a fork hands over to a session of its own", func(t *testing.T) {
		w := reviewed(t)
		p, a := w.planMode(t, nil), w.agent(t)
		if err := freshly(t, p, a); err != nil {
			t.Fatal(err)
		}
		w.wantComplete(t, a, plan)
		ours, err := p.Handoff(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		approval := int64(-1)
		for _, e := range events(t, a.log) {
			if strings.Contains(string(e.Data), "approve-fresh") {
				approval = int64(e.Seq) + 1
			}
		}
		fork, err := w.Store.Fork(ctx, "s", approval, "fork")
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := p.ResumeHandoff(ctx, agentOn(fork))
		if err != nil || theirs.State != planmode.HandoffComplete || theirs.Session == ours.Session {
			t.Fatalf("the fork's hand-off is %+v, %v", theirs, err)
		}
		if got, err := p.ApprovedPlan(ctx, newSession(t, w, theirs.Session)); err != nil || got.From != "fork" {
			t.Errorf("approved plan is %+v, %v", got, err)
		}
		later, err := w.Store.Fork(ctx, "s", session.Any, "later")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Handoff(ctx, agentOn(later)); err != nil || got.Session != ours.Session {
			t.Errorf("a fork of what is complete has the hand-off %+v, %v", got, err)
		}
	})
	t.Run("an approval that is taken back", func(t *testing.T) {
		w := reviewed(t)
		a := w.agent(t)
		// The log shows an approval at its end that is no longer there when it is
		// written to.
		seen := &vanishing{Log: a.log, last: event("plan/review",
			`{"id":"r","state":"approved","sha256":"`+sha(plan)+`","by":"user","awaited":false,"decision":"approve-fresh","session":"x"}`)}
		seen.last.Seq = uint64(len(events(t, a.log)))
		w.planMode(t, nil).BeforeStep(ctx, agentOn(seen))
		if id, _ := w.handedOver(t, plan); id != "" {
			t.Errorf("the session %s was made for it", id)
		}
	})
	t.Run("many at once", func(t *testing.T) {
		w := reviewed(t)
		w.writes = 1
		_ = freshly(t, w.planMode(t, nil), w.agent(t)) // it dies
		w = w.reborn()
		var wg sync.WaitGroup
		for range 20 {
			p, a := w.planMode(t, nil), w.agent(t)
			wg.Go(func() {
				if h, err := p.ResumeHandoff(ctx, a); err != nil || h.State != planmode.HandoffComplete {
					t.Errorf("hand-off is %+v, %v", h, err)
				}
			})
		}
		wg.Wait()
		w.wantComplete(t, w.agent(t), plan)
	})
}

func freshlyAgain(p *planmode.PlanMode, a planmode.Agent) error {
	return p.Settle(context.Background(), a, "r", planmode.Verdict{Decision: planmode.ApproveFresh, SHA256: sha(plan)})
}

// vanishing is a log that shows an event at its end which a write takes back.
type vanishing struct {
	session.Log
	last session.Event
}

func (v *vanishing) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		for e, err := range v.Log.Read(ctx, from) {
			if !yield(e, err) {
				return
			}
		}
		if v.last.Type != "" && from <= int64(v.last.Seq) {
			yield(v.last, nil)
		}
	}
}

func (v *vanishing) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	v.last = session.Event{}
	return v.Log.Append(ctx, expect, events...)
}
