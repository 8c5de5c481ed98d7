package planmodetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// answers is a reviewer that gives prepared answers in turn.
type answers []planmode.Verdict

func (a *answers) Review(_ context.Context, _ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	if len(*a) == 0 {
		return planmode.Verdict{}, errors.New("asked once too often")
	}
	v := (*a)[0]
	*a = (*a)[1:]
	v.SHA256 = r.SHA256
	return v, nil
}

const plan = "# The plan\n\nDo it.\n"

func exitCall(id string) Call {
	args, err := json.Marshal(planmode.ExitArguments{Plan: plan})
	if err != nil {
		panic("planmodetest: encode a plan: " + err.Error())
	}
	return Call{ID: id, Name: planmode.ToolName, Arguments: string(args)}
}

func checkCatalog(r *rig) error {
	p, _, err := r.mount(nil)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	inactive, err := r.prompt("go")
	if err != nil {
		return err
	}
	if countHolding(inactive[0].Tools, planmode.ToolName) != 1 {
		return fmt.Errorf("the exit tool is not offered once: %q", inactive[0].Tools)
	}
	if _, err := p.Set(r.ctx, r.Agent, true); err != nil {
		return err
	}
	active, err := r.prompt("go")
	if err != nil {
		return err
	}
	if !strings.Contains(active[0].System, guidance) || strings.Contains(inactive[0].System, guidance) {
		return fmt.Errorf("system prompt is %q in plan mode and %q before", active[0].System, inactive[0].System)
	}
	return wantList("tool catalog in plan mode", active[0].Tools, inactive[0].Tools...)
}

func checkLog(r *rig) error {
	var open, inStep bool
	r.Host.PrependStep(func(ctx context.Context, a planmode.Agent) {
		s, err := r.folded()
		open = err == nil && s.TurnOpen
	})
	p, _, err := r.mount(nil)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	for i, active := range []bool{false, true, false} {
		if _, err := p.Set(r.ctx, r.Agent, active); err != nil {
			return err
		}
		r.script = append(r.script, func(Request) (Reply, error) {
			s, err := r.folded()
			inStep = err == nil && s.Told != nil && *s.Told == active
			return Reply{Text: "done"}, nil
		})
		if _, err := r.prompt(fmt.Sprintf("prompt %d", i)); err != nil {
			return err
		}
		switch {
		case !open:
			return errors.New("the log shows no open turn at a step boundary")
		case !inStep:
			return errors.New("the log does not show, when the request is sent, that the model was told the mode: log a request/header whenever the header changed")
		}
	}
	s, err := r.folded()
	if err != nil {
		return err
	}
	if s.TurnOpen {
		return errors.New("the log shows an open turn after the turn")
	}
	return wantValid(r)
}

// wantValid checks each event by the rules of session files.
func wantValid(r *rig) error {
	events, err := r.events()
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := session.Validate(e); err != nil {
			return fmt.Errorf("event with seq %d: %w", e.Seq, err)
		}
	}
	return nil
}

// notices returns the texts of all notices.
func notices(r *rig, p *planmode.PlanMode) ([]string, error) {
	var out []string
	for n, err := range p.Notices(r.ctx, r.Agent) {
		if err != nil {
			return nil, err
		}
		out = append(out, n.Text)
	}
	return out, nil
}

func checkNotice(r *rig) error {
	p, _, err := r.mount(nil)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if _, err := r.prompt("go"); err != nil {
		return err
	}
	if _, err := p.Set(r.ctx, r.Agent, true); err != nil {
		return err
	}
	var text string
	for i := range 3 {
		got, err := r.prompt("go on")
		if err != nil {
			return err
		}
		told, err := notices(r, p)
		if err != nil {
			return err
		}
		if len(told) != 1 {
			return fmt.Errorf("%d notices were written, want 1", len(told))
		}
		text = told[0]
		if n := countHolding(got[0].Messages, text); n != 1 {
			return fmt.Errorf("request %d after the switch holds the notice %d times, want once: %q", i+1, n, got[0].Messages)
		}
	}
	if r.Compact == nil {
		return nil
	}
	if err := r.Compact(r.ctx); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	got, err := r.prompt("go on")
	if err != nil {
		return err
	}
	if countHolding(got[0].Messages, text) > 0 {
		return errors.New("the notice is still in a request after it was compacted away")
	}
	if !strings.Contains(got[0].System, guidance) {
		return errors.New("plan mode does not survive compaction")
	}
	return nil
}

func checkApproved(r *rig) error {
	p, _, err := r.mount(&answers{{Decision: planmode.Approve}})
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if _, err := p.Set(r.ctx, r.Agent, true); err != nil {
		return err
	}
	r.calls(exitCall("c1"))
	got, err := r.prompt("plan it")
	if err != nil {
		return err
	}
	if len(got) != 2 || strings.Contains(got[1].System, guidance) {
		return fmt.Errorf("after an approved exit %d requests were sent, want 2, the second without the guidance", len(got))
	}
	told, err := notices(r, p)
	if err != nil {
		return err
	}
	if len(told) > 0 {
		return fmt.Errorf("an approved exit was told again by a notice: is its tool/result in the log as a success? %q", told)
	}
	if approved, err := p.ApprovedPlan(r.ctx, r.Agent); err != nil || approved == nil || approved.Plan != plan {
		return fmt.Errorf("approved plan is %+v, %v", approved, err)
	}
	if err := wantCallsLogged(r, map[string]bool{"c1": false}); err != nil {
		return err
	}
	return wantValid(r)
}

func checkRevised(r *rig) error {
	const words = "Use fewer steps, please."
	p, _, err := r.mount(&answers{{Decision: planmode.Revise, Feedback: words}, {Decision: planmode.Approve}})
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if _, err := p.Set(r.ctx, r.Agent, true); err != nil {
		return err
	}
	r.calls(exitCall("c1"))
	r.calls(exitCall("c2"))
	got, err := r.prompt("plan it")
	if err != nil {
		return err
	}
	if len(got) != 3 {
		return fmt.Errorf("%d requests were sent, want 3: a failed tool result does not end the turn", len(got))
	}
	if countHolding(got[1].Messages, words) != 1 || !strings.Contains(got[1].System, guidance) {
		return fmt.Errorf("the request after a revised plan lacks the user's words or the guidance: %+v", got[1])
	}
	if strings.Contains(got[2].System, guidance) {
		return errors.New("the guidance is still there after the approval")
	}
	return wantCallsLogged(r, map[string]bool{"c1": true, "c2": false})
}

func checkQueued(r *rig) error {
	p, _, err := r.mount(nil)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if _, err := r.Host.AddTool(echoTool()); err != nil {
		return fmt.Errorf("add a tool: %w", err)
	}
	var outcome planmode.Outcome
	r.script = append(r.script, func(Request) (Reply, error) {
		var err error
		if outcome, err = p.Set(r.ctx, r.Agent, true); err != nil {
			return Reply{}, err
		}
		return Reply{Calls: []Call{{ID: "c1", Name: "echo", Arguments: `{}`}}}, nil
	})
	got, err := r.prompt("go")
	if err != nil {
		return err
	}
	if outcome != planmode.Queued {
		return fmt.Errorf("a selection within a turn is %s, want queued: is turn/start in the log?", outcome)
	}
	told, err := notices(r, p)
	if err != nil {
		return err
	}
	if len(got) != 2 || len(told) != 1 {
		return fmt.Errorf("%d requests and %d notices, want 2 and 1", len(got), len(told))
	}
	if !strings.Contains(got[1].System, guidance) || countHolding(got[1].Messages, told[0]) != 1 {
		return errors.New("the step after the selection lacks the guidance or the notice")
	}
	return nil
}

func checkCommands(r *rig) error {
	if r.Command == nil {
		return errNotSupported
	}
	p, _, err := r.mount(nil)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if _, err := r.Command(r.ctx, "mode", ""); err == nil {
		return errors.New("an unknown command runs")
	}
	if _, err := r.Host.(planmode.CommandHost).AddCommand(p.Command()); err == nil {
		return errors.New("a second command of the same name was added")
	}
	reply, err := r.Command(r.ctx, planmode.CommandName, " look around ")
	if err != nil || reply == "" {
		return fmt.Errorf("/plan with a message gives %q, %v", reply, err)
	}
	if err := r.settled(); err != nil {
		return err
	}
	got := r.requests
	if len(got) == 0 {
		// The message was accepted and waits for the next turn.
		if got, err = r.prompt("go"); err != nil {
			return err
		}
	}
	if countHolding(got[0].Messages, "look around") != 1 || !strings.Contains(got[0].System, guidance) {
		return fmt.Errorf("the first request lacks the message or the guidance: %+v", got[0])
	}
	if _, err := r.Command(r.ctx, planmode.CommandName, "off"); err != nil {
		return fmt.Errorf("/plan off: %w", err)
	}
	return wantCommandsLogged(r)
}

// wantCommandsLogged checks that each command/run has its command/done after it.
func wantCommandsLogged(r *rig) error {
	events, err := r.events()
	if err != nil {
		return err
	}
	running := ""
	runs := 0
	for _, e := range events {
		var data struct {
			CommandID, Name string
			Args            *string
		}
		if e.Type != "command/run" && e.Type != "command/done" {
			if e.Type == planmode.EventSelect && running == "" {
				return errors.New("a /plan command was run outside its command/run and command/done")
			}
			continue
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return fmt.Errorf("event with seq %d: %w", e.Seq, err)
		}
		switch {
		case e.Type == "command/done":
			running = ""
		case data.Name == planmode.CommandName && data.Args == nil:
			return errors.New("a command/run lacks its args")
		case data.Name == planmode.CommandName:
			running, runs = data.CommandID, runs+1
		}
	}
	if runs != 2 || running != "" {
		return fmt.Errorf("the log has %d runs of /plan, want 2, each with its end", runs)
	}
	return wantValid(r)
}

// wantCallsLogged checks that the log has each call and after it its result, failed or
// not.
func wantCallsLogged(r *rig, failed map[string]bool) error {
	events, err := r.events()
	if err != nil {
		return err
	}
	called := map[string]bool{}
	results := map[string]bool{}
	for _, e := range events {
		var data struct {
			CallID  string
			Message struct {
				Source  struct{ CallID string }
				Content []struct{ IsError bool }
			}
		}
		if e.Type != "tool/call" && e.Type != "tool/result" {
			continue
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return fmt.Errorf("event with seq %d: %w", e.Seq, err)
		}
		id := data.Message.Source.CallID
		switch {
		case e.Type == "tool/call":
			called[data.CallID] = true
		case !called[id] || len(data.Message.Content) == 0:
			return fmt.Errorf("the result of call %q has no tool/call before it or no content", id)
		default:
			results[id] = data.Message.Content[0].IsError
		}
	}
	for id, want := range failed {
		if got, found := results[id]; !found || got != want {
			return fmt.Errorf("the log has the result of call %q: %v, as a failure: %v, want %v", id, found, got, want)
		}
	}
	return nil
}
