package planmode_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// childAgent is an agent that works for another one.
type childAgent struct {
	*testAgent
	parent planmode.Agent
}

func (c *childAgent) ID() string             { return "child" }
func (c *childAgent) Parent() planmode.Agent { return c.parent }

var _ planmode.ChildAgent = (*childAgent)(nil)

func childOf(parent planmode.Agent, events ...session.Event) *childAgent {
	return &childAgent{newAgent(events...), parent}
}

func TestChildren(t *testing.T) {
	ctx := context.Background()
	section := func(t *testing.T, p *planmode.PlanMode, a planmode.Agent) string {
		t.Helper()
		text, err := p.Section(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	inherits := []planmode.ChildPolicy{planmode.ChildrenInherit, planmode.ChildrenRefuseReview}
	t.Run("off: a child is an agent like any other", func(t *testing.T) {
		for _, policy := range []planmode.ChildPolicy{"", planmode.ChildrenOff} {
			p := gated(t, planmode.Options{Children: policy, Reviewer: answering(planmode.Approve, "")})
			wantRuns(t, p, childOf(planning()), "write")
			if text := section(t, p, childOf(planning())); text != "" {
				t.Errorf("section is %q", text)
			}
			own := childOf(newAgent(), mode(true), start(), header())
			wantRefused(t, p, own, "write", "exit_plan_mode")
			if text := section(t, p, own); text != guidance {
				t.Errorf("section is %q", text)
			}
			if r := exit(t, p, own, "c", plan); r.IsError {
				t.Error(r.Content)
			}
		}
	})
	t.Run("C083 inherited by children at any depth", func(t *testing.T) {
		for _, policy := range inherits {
			p, root := gated(t, planmode.Options{Children: policy}), planning()
			child := childOf(root)
			grandchild := childOf(child)
			wantRuns(t, p, child, "read")
			wantRefused(t, p, child, "write", "the work that another agent gave you")
			wantRefused(t, p, grandchild, "write", "the work that another agent gave you")
			if got := status(t, p, root).Refusals; got != 2 || status(t, p, child).Refusals != 0 {
				t.Errorf("%d refusals in the log of the agent in plan mode", got)
			}
			all := events(t, root.log)
			if diff := cmp.Diff(`{"tool":"write","callId":"call-write","agent":"child"}`, string(all[len(all)-1].Data)); diff != "" {
				t.Error(diff)
			}
			set(t, p, root, false)
			p.BeforeStep(ctx, root)
			wantRuns(t, p, grandchild, "write")
		}
	})
	t.Run("C093 a child is not told of the exit tool", func(t *testing.T) {
		for _, policy := range inherits {
			p := gated(t, planmode.Options{Children: policy, Gate: &planmode.Gate{MaxRefusals: 1}})
			child := childOf(planning())
			texts := []string{section(t, p, child)}
			for range 2 {
				r, _ := use(p, child, "write")
				texts = append(texts, r.Content)
			}
			for _, text := range texts {
				if text == "" || strings.Contains(text, planmode.ToolName) || strings.Contains(text, guidance) {
					t.Errorf("the child is told %q", text)
				}
			}
		}
	})
	t.Run("a child of an agent in plan mode presents no plan", func(t *testing.T) {
		for _, policy := range inherits {
			p := newPlanMode(t, &planmode.Options{Children: policy, Reviewer: refusingReviewer(t)})
			wantRefusal(t, exit(t, p, childOf(planning()), "c", plan), "only that agent presents plans")
		}
	})
	t.Run("a child in plan mode of its own", func(t *testing.T) {
		for policy, reviewed := range map[planmode.ChildPolicy]bool{planmode.ChildrenInherit: true, planmode.ChildrenRefuseReview: false} {
			p := gated(t, planmode.Options{Children: policy, Reviewer: answering(planmode.Approve, "")})
			own := childOf(newAgent(), mode(true), start(), header())
			if text := section(t, p, own); (text == guidance) != reviewed {
				t.Errorf("%s: section is %q", policy, text)
			}
			r, _ := use(p, own, "write")
			if strings.Contains(r.Content, planmode.ToolName) != reviewed {
				t.Errorf("%s: refusal is %q", policy, r.Content)
			}
			for _, text := range []string{section(t, p, own), r.Content} {
				if strings.Contains(text, "is in plan mode") { // its parent is not
					t.Errorf("%s: the child is told %q", policy, text)
				}
			}
			if r := exit(t, p, own, "c", plan); r.IsError == reviewed {
				t.Errorf("%s: exit gives %+v", policy, r)
			}
		}
	})
	t.Run("no parent", func(t *testing.T) {
		p := gated(t, planmode.Options{Children: planmode.ChildrenRefuseReview, Reviewer: answering(planmode.Approve, "")})
		top := childOf(nil, mode(true), start(), header())
		wantRefused(t, p, top, "write", planmode.ToolName)
		if r := exit(t, p, top, "c", plan); r.IsError {
			t.Error(r.Content)
		}
	})
	t.Run("a log above that cannot be read", func(t *testing.T) {
		p := gated(t, planmode.Options{Children: planmode.ChildrenInherit})
		child := childOf(agentOn(unreadable{newLog()}))
		wantRefused(t, p, child, "write", "disk is full")
		if _, err := p.Section(ctx, child); err == nil {
			t.Error("the section is rendered")
		}
	})
	t.Run("agents in a circle", func(t *testing.T) {
		p := gated(t, planmode.Options{Children: planmode.ChildrenInherit})
		child := childOf(nil)
		child.parent = child
		wantRefused(t, p, child, "write", "more than 64 agents above it")
	})
}
