package planmodetest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/planmodetest"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// replyCalls is a reply that asks for one call.
func replyCalls(name, args string) func() planmodetest.Reply {
	return func() planmodetest.Reply {
		return planmodetest.Reply{Calls: []planmodetest.Call{{ID: "c-" + name, Name: name, Arguments: args}}}
	}
}

func TestGateCases(t *testing.T) {
	ctx := context.Background()
	gate := func() planmode.Options { return planmode.Options{Gate: &planmode.Gate{Allow: []string{"read"}}} }
	t.Run("C005 C101 C123 the catalog with the gate on", func(t *testing.T) {
		s := newStageWith(t, gate())
		before := s.prompt(t)[0]
		s.set(t, true)
		s.script = append(s.script, replyCalls("write", `{}`))
		got := s.prompt(t)
		if err := s.Compact(ctx); err != nil {
			t.Fatal(err)
		}
		for _, r := range append(got, s.prompt(t)...) {
			if diff := cmp.Diff(before.Tools, r.Tools); diff != "" {
				t.Error(diff)
			}
		}
		if n := len(before.Tools); n != 3 {
			t.Errorf("%d tools are offered", n)
		}
	})
	t.Run("C055 C089 the model reads the way out", func(t *testing.T) {
		s := newStageWith(t, gate())
		s.set(t, true)
		s.script = append(s.script, replyCalls("write", `{}`))
		got := s.prompt(t)
		last := got[len(got)-1].Messages
		if text := last[len(last)-1]; !strings.Contains(text, "exit_plan_mode") || strings.Contains(text, "worked") {
			t.Errorf("the result is %q", text)
		}
	})
	t.Run("C083 C093 a child of an agent in plan mode", func(t *testing.T) {
		opts := gate()
		opts.Children = planmode.ChildrenInherit
		s := newStageWith(t, opts)
		s.set(t, true)
		s.script = append(s.script, replyCalls("write", `{}`))
		if err := s.child(ctx, "look"); err != nil {
			t.Fatal(err)
		}
		for _, r := range s.requests {
			if strings.Contains(r.System+strings.Join(r.Messages, ""), planmode.ToolName) || r.System == "" {
				t.Errorf("the child reads %q %q", r.System, r.Messages)
			}
			if strings.Contains(strings.Join(r.Messages, ""), "write worked") {
				t.Error("the child writes")
			}
		}
	})
	t.Run("C117 C119 a run without a user ends in plan mode", func(t *testing.T) {
		s := newStageWith(t, planmode.Options{Headless: planmode.HeadlessFail})
		s.set(t, true)
		s.script = append(s.script, replyCalls(planmode.ToolName, `{"plan":"# T"}`))
		got := s.prompt(t)
		last := got[len(got)-1].Messages
		if text := last[len(last)-1]; !strings.Contains(text, "no review channel") {
			t.Errorf("the result is %q", text)
		}
		status, err := s.p.Status(ctx, s.loop)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(planmode.Status{Phase: planmode.PhasePlanning, EndedInPlanMode: true, InvalidExits: 1}, status); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("C121 a permission mode is never touched", func(t *testing.T) {
		leave := map[string]func(t *testing.T, s *stage){
			"by Set": func(t *testing.T, s *stage) { s.set(t, false) },
			"by the command": func(t *testing.T, s *stage) {
				if _, err := s.Command(ctx, planmode.CommandName, "off"); err != nil {
					t.Fatal(err)
				}
			},
			"by an approved plan": func(t *testing.T, s *stage) {
				s.script = append(s.script, replyCalls(planmode.ToolName, `{"plan":"# T"}`))
				s.prompt(t)
			},
		}
		for name, leave := range leave {
			t.Run(name, func(t *testing.T) {
				opts := gate()
				opts.Reviewer = approver{}
				s := newStageWith(t, opts)
				permission := session.Event{Type: "permission/mode", Data: json.RawMessage(`{"mode":"ask"}`), Ignorable: true}
				if err := s.append(ctx, permission); err != nil {
					t.Fatal(err)
				}
				s.set(t, true)
				s.prompt(t)
				leave(t, s)
				s.prompt(t)
				if state, err := s.p.Get(ctx, s.loop); err != nil || state.Active {
					t.Fatalf("state is %+v, %v", state, err)
				}
				n := 0
				for _, kind := range s.types(t, 0) {
					if strings.HasPrefix(kind, "permission/") {
						n++
					}
				}
				if n != 1 {
					t.Errorf("%d events of the permission mode", n)
				}
			})
		}
	})
	t.Run("D69 a script presents the plan", func(t *testing.T) {
		var asked []planmode.Review
		s := newStageWith(t, planmode.Options{Reviewer: reviewerFunc(func(_ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
			asked = append(asked, r)
			return planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}, nil
		})})
		args, err := json.Marshal(planmode.ExitArguments{Plan: "# By a script\n"})
		if err != nil {
			t.Fatal(err)
		}
		var result planmode.Result
		if _, err := s.AddTool(planmode.Tool{Name: "script", Schema: []byte(`{}`), Call: func(ctx context.Context, _ planmode.Agent, _ string, _ json.RawMessage) planmode.Result {
			call := planmodetest.Call{ID: "nested", Name: planmode.ToolName, Arguments: string(args)}
			if err := s.append(ctx, session.ToolCall(s.turn, 1, call.ID, call.Name, call.Arguments)); err != nil {
				t.Error(err)
			}
			if result, err = s.nested(ctx, call); err != nil {
				t.Error(err)
			}
			if err := s.finish(ctx, 1, call, result); err != nil {
				t.Error(err)
			}
			return planmode.Result{Content: "done"}
		}}); err != nil {
			t.Fatal(err)
		}
		s.set(t, true)
		s.script = append(s.script, replyCalls("script", `{}`))
		s.prompt(t)
		if result.IsError || len(asked) != 1 || asked[0].Plan != "# By a script\n" || asked[0].CallID != "nested" {
			t.Errorf("result %+v, asked %+v", result, asked)
		}
		if state, err := s.p.Get(ctx, s.loop); err != nil || state.Active {
			t.Errorf("state is %+v, %v", state, err)
		}
	})
}
