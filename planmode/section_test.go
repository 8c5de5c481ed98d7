package planmode_test

import (
	"context"
	"testing"

	"github.com/agentplan/sdk/planmode"
)

func TestSection(t *testing.T) {
	ctx := context.Background()
	section := func(t *testing.T, p *planmode.PlanMode, a planmode.Agent) string {
		t.Helper()
		text, err := p.Section(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	p, a := newPlanMode(t, nil), newAgent(start())
	t.Run("D32 inactive", func(t *testing.T) {
		if got := section(t, p, a); got != "" {
			t.Errorf("section is %q", got)
		}
	})
	t.Run("pending is not in force", func(t *testing.T) {
		set(t, p, a, true)
		if got := section(t, p, a); got != "" {
			t.Errorf("section is %q", got)
		}
	})
	t.Run("D33 active", func(t *testing.T) {
		p.BeforeStep(ctx, a)
		if got := section(t, p, a); got != guidance {
			t.Errorf("section is %q", got)
		}
	})
	t.Run("leaving", func(t *testing.T) {
		set(t, p, a, false)
		if got := section(t, p, a); got != guidance {
			t.Errorf("section is %q", got)
		}
	})
	t.Run("D34 no agent", func(t *testing.T) {
		if got := section(t, p, nil); got != "" {
			t.Errorf("section is %q", got)
		}
	})
	t.Run("unreadable log", func(t *testing.T) {
		if _, err := p.Section(ctx, agentOn(unreadable{newLog()})); err == nil {
			t.Error("no error")
		}
	})
	t.Run("malformed value is not in the way", func(t *testing.T) {
		if got := section(t, p, newAgent(mode(true), event("plan/mode", `{"active":42}`))); got != guidance {
			t.Errorf("section is %q", got)
		}
	})
}
