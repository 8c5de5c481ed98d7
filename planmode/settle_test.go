package planmode_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// parked returns an agent with a parked review, its turn ended.
func parked(t testing.TB, p *planmode.PlanMode) (*testAgent, *planmode.Review) {
	t.Helper()
	a := planning()
	add(t, a, script(t, `plan/review {"id":"r","callId":"c","revision":1,"state":"open","plan":"# P\n","sha256":"`+sha("# P\n")+`"}`, "park r", "end")...)
	return a, openReview(t, p, a)
}

func TestSettle(t *testing.T) {
	ctx := context.Background()
	p := newPlanMode(t, nil)
	approve := planmode.Verdict{Decision: planmode.Approve, SHA256: sha("# P\n")}
	t.Run("approve between turns", func(t *testing.T) {
		a, r := parked(t, p)
		if err := p.Settle(ctx, a, r.ID, approve); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"mode on", "review open", "review parked", "review approved", "mode off"}, kinds(t, a.log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("approve within a turn", func(t *testing.T) {
		a, r := parked(t, p)
		add(t, a, start())
		if err := p.Settle(ctx, a, r.ID, approve); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(onPending, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("approve with words is revise", func(t *testing.T) {
		a, r := parked(t, p)
		v := approve
		v.Feedback = "but"
		if err := p.Settle(ctx, a, r.ID, v); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("refused verdicts leave the review open", func(t *testing.T) {
		a, r := parked(t, p)
		for _, v := range []planmode.Verdict{
			{Decision: planmode.Approve},
			{Decision: planmode.Approve, SHA256: sha("# Q")},
			{Decision: planmode.Approve, SHA256: strings.ToUpper(approve.SHA256)},
			{Decision: "ok", SHA256: approve.SHA256},
			{SHA256: approve.SHA256},
		} {
			var settled *planmode.SettledError
			if err := p.Settle(ctx, a, r.ID, v); err == nil || errors.As(err, &settled) {
				t.Errorf("verdict %+v gives %v", v, err)
			}
		}
		if got := openReview(t, p, a); got == nil {
			t.Error("the review has ended")
		}
	})
	t.Run("C003 settled before", func(t *testing.T) {
		a, r := parked(t, p)
		if err := p.Settle(ctx, a, r.ID, planmode.Verdict{Decision: planmode.Dismiss, SHA256: r.SHA256}); err != nil {
			t.Fatal(err)
		}
		err := newPlanMode(t, nil).Settle(ctx, a, r.ID, planmode.Verdict{})
		if diff := cmp.Diff(error(&planmode.SettledError{ID: "r", State: planmode.ReviewDismissed}), err); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("unknown review", func(t *testing.T) {
		a, _ := parked(t, p)
		if err := p.Settle(ctx, a, "x", approve); !errors.Is(err, planmode.ErrNoReview) {
			t.Errorf("error is %v", err)
		}
		if err := p.Settle(ctx, newAgent(), "x", approve); !errors.Is(err, planmode.ErrNoReview) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("failing appends", func(t *testing.T) {
		for name, test := range map[string]struct {
			fault fault
			fails bool
			want  string
		}{
			"nothing landed": {fault{0, errDisk}, true, on},
			"all landed":     {fault{-1, errDisk}, false, off},
			"a prefix":       {fault{1, errDisk}, false, onPending},
			"conflict":       {fault{0, session.ErrConflict}, false, off},
		} {
			t.Run(name, func(t *testing.T) {
				a, r := parked(t, p)
				log := &faultyLog{Log: a.log}
				a.log = log
				log.fail(test.fault)
				if err := p.Settle(ctx, a, r.ID, approve); (err != nil) != test.fails {
					t.Errorf("error is %v", err)
				}
				if diff := cmp.Diff(test.want, state(t, p, a)); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
	t.Run("one winner", func(t *testing.T) {
		a, r := parked(t, p)
		var wg sync.WaitGroup
		won := make(chan planmode.Decision, 20)
		for i := range 20 {
			q := newPlanMode(t, nil)
			v := planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}
			if i%2 == 0 {
				v.Decision = planmode.Dismiss
			}
			wg.Go(func() {
				if q.Settle(ctx, a, r.ID, v) == nil {
					won <- v.Decision
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Errorf("%d answers won", len(won))
		}
	})
	t.Run("events obey the wire", func(t *testing.T) {
		a, r := parked(t, p)
		if err := p.Settle(ctx, a, r.ID, approve); err != nil {
			t.Fatal(err)
		}
		all := events(t, a.log)
		want := `{"id":"r","state":"approved","sha256":"` + r.SHA256 + `","by":"user","awaited":false}`
		if diff := cmp.Diff(want, string(all[len(all)-2].Data)); diff != "" {
			t.Error(diff)
		}
		for _, e := range all {
			if err := session.Validate(e); err != nil {
				t.Error(err)
			}
		}
	})
}
