package planmodetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/planmode"
)

func checkStepOrder(r *rig) error {
	var ran []string
	listener := func(name string) func(context.Context, planmode.Agent) {
		return func(_ context.Context, a planmode.Agent) {
			if a == nil || a.Log().ID() != r.Agent.Log().ID() {
				name += " for another agent"
			}
			ran = append(ran, name)
		}
	}
	r.Host.PrependStep(listener("first"))
	r.Host.PrependStep(listener("second"))
	r.script = append(r.script, func(Request) (Reply, error) {
		ran = append(ran, "request")
		return Reply{Text: "done"}, nil
	})
	if _, err := r.prompt("go"); err != nil {
		return err
	}
	return wantList("listeners ran", ran, "second", "first", "request")
}

func checkStepEach(r *rig) error {
	steps := 0
	var seen []int
	r.Host.PrependStep(func(context.Context, planmode.Agent) { steps++ })
	if _, err := r.Host.AddTool(echoTool()); err != nil {
		return fmt.Errorf("add a tool: %w", err)
	}
	note := func(reply Reply) func(Request) (Reply, error) {
		return func(Request) (Reply, error) {
			seen = append(seen, steps)
			return reply, nil
		}
	}
	r.script = append(r.script,
		note(Reply{Calls: []Call{{ID: "c1", Name: "echo", Arguments: `{}`}}}),
		note(Reply{Text: "done"}),
		note(Reply{Text: "done"}))
	for range 2 {
		if _, err := r.prompt("go"); err != nil {
			return err
		}
	}
	if !slices.Equal(seen, []int{1, 2, 3}) {
		return fmt.Errorf("three requests came after %v runs of a step listener, want 1, 2 and 3", seen)
	}
	return nil
}

// section returns a section that always has the text.
func section(text string) func(context.Context, planmode.Agent) (string, error) {
	return func(context.Context, planmode.Agent) (string, error) { return text, nil }
}

func checkSectionOrder(r *rig) error {
	plain, err := r.prompt("go")
	if err != nil {
		return err
	}
	r.Host.AddSection("test:late", 60, section("TEXT-C"))
	r.Host.AddSection("test:none", 45, section(""))
	r.Host.AddSection("test:early", 40, section("TEXT-A"))
	r.Host.AddSection("test:mid", 50, section("TEXT-B"))
	got, err := r.prompt("go")
	if err != nil {
		return err
	}
	system := got[0].System
	a, b, c := strings.Index(system, "TEXT-A"), strings.Index(system, "TEXT-B"), strings.Index(system, "TEXT-C")
	if a < 0 || b < a || c < b {
		return fmt.Errorf("sections of order 40, 50 and 60 stand at %d, %d and %d of %q", a, b, c, system)
	}
	if strings.Contains(system, "test:none") || strings.Contains(plain[0].System, "TEXT") {
		return fmt.Errorf("a section without text is in the system prompt %q", system)
	}
	return nil
}

func checkSectionError(r *rig) error {
	fault := errors.New("no such state")
	remove := r.Host.AddSection("test:fault", 50, func(context.Context, planmode.Agent) (string, error) { return "", fault })
	if err := r.Prompt(r.ctx, "go"); err == nil {
		return errors.New("a turn whose section failed was completed")
	}
	if len(r.requests) > 0 {
		return errors.New("a request was sent although a section failed")
	}
	remove()
	_, err := r.prompt("go")
	return err
}

// echoTool returns a tool that gives its arguments back.
func echoTool() planmode.Tool {
	return planmode.Tool{
		Name: "echo", Description: "Gives its arguments back.", Schema: json.RawMessage(`{"type":"object"}`),
		Call: func(_ context.Context, _ planmode.Agent, callID string, args json.RawMessage) planmode.Result {
			return planmode.Result{Content: "echo of " + callID + " " + string(args)}
		},
	}
}

// failingTool returns a tool that fails with a text.
func failingTool() planmode.Tool {
	t := echoTool()
	t.Name = "fail"
	t.Call = func(context.Context, planmode.Agent, string, json.RawMessage) planmode.Result {
		return planmode.Result{Content: "this went wrong", IsError: true}
	}
	return t
}

func checkToolNames(r *rig) error {
	remove, err := r.Host.AddTool(echoTool())
	if err != nil {
		return fmt.Errorf("add a tool: %w", err)
	}
	before, err := r.prompt("go")
	if err != nil {
		return err
	}
	if _, err := r.Host.AddTool(echoTool()); err == nil {
		return errors.New("a second tool of the same name was added")
	}
	after, err := r.prompt("go")
	if err != nil {
		return err
	}
	if err := wantList("after a refused tool the catalog", after[0].Tools, before[0].Tools...); err != nil {
		return err
	}
	remove()
	if _, err := r.Host.AddTool(echoTool()); err != nil {
		return fmt.Errorf("add a tool whose name is free again: %w", err)
	}
	return nil
}

func checkToolResults(r *rig) error {
	for _, t := range []planmode.Tool{echoTool(), failingTool()} {
		if _, err := r.Host.AddTool(t); err != nil {
			return fmt.Errorf("add a tool: %w", err)
		}
	}
	r.calls(Call{ID: "c1", Name: "echo", Arguments: `{"x":1}`}, Call{ID: "c2", Name: "fail", Arguments: `{}`})
	got, err := r.prompt("go")
	if err != nil {
		return err
	}
	if len(got) != 2 {
		return fmt.Errorf("a turn with one round of tool calls made %d requests, want 2", len(got))
	}
	for _, text := range []string{`echo of c1 {"x":1}`, "this went wrong"} {
		if countHolding(got[1].Messages, text) != 1 {
			return fmt.Errorf("the result %q is not one message of the next request: %q", text, got[1].Messages)
		}
	}
	return wantCallsLogged(r, map[string]bool{"c1": false, "c2": true})
}

func checkUndo(r *rig) error {
	plain, err := r.prompt("go")
	if err != nil {
		return err
	}
	ran := 0
	undo := []func(){
		r.Host.PrependStep(func(context.Context, planmode.Agent) { ran++ }),
		r.Host.AddSection("test:gone", 50, section("TEXT")),
	}
	remove, err := r.Host.AddTool(echoTool())
	if err != nil {
		return fmt.Errorf("add a tool: %w", err)
	}
	undo = append(undo, remove)
	if h, ok := r.Host.(planmode.CommandHost); ok {
		remove, err := h.AddCommand(planmode.Command{Name: "gone", Run: func(context.Context, planmode.Agent, string) (string, error) { return "", nil }})
		if err != nil {
			return fmt.Errorf("add a command: %w", err)
		}
		undo = append(undo, remove)
	}
	for i, remove := range undo {
		if remove == nil {
			return fmt.Errorf("registration %d gave no undo", i)
		}
		remove()
	}
	got, err := r.prompt("go")
	if err != nil {
		return err
	}
	if ran > 0 {
		return errors.New("a removed step listener ran")
	}
	return wantSame(r, plain[0], got[0], "gone")
}

func checkUnmount(r *rig) error {
	plain, err := r.prompt("go")
	if err != nil {
		return err
	}
	p, unmount, err := r.mount(nil)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if _, err := p.Set(r.ctx, r.Agent, true); err != nil {
		return err
	}
	unmount()
	events, err := r.events()
	if err != nil {
		return err
	}
	got, err := r.prompt("go")
	if err != nil {
		return err
	}
	if err := wantSame(r, plain[0], got[0], planmode.CommandName); err != nil {
		return err
	}
	after, err := r.events()
	if err != nil {
		return err
	}
	for _, e := range after[len(events):] {
		if strings.HasPrefix(e.Type, "plan/") {
			return fmt.Errorf("a %s was written after unmounting", e.Type)
		}
	}
	again, err := p.Mount(r.Host)
	if err != nil {
		return fmt.Errorf("mount again: %w", err)
	}
	again()
	return nil
}

// wantSame compares what a host offers, and that it has no such command.
func wantSame(r *rig, before, after Request, command string) error {
	if before.System != after.System {
		return fmt.Errorf("system prompt is %q, was %q", after.System, before.System)
	}
	if err := wantList("tool catalog", after.Tools, before.Tools...); err != nil {
		return err
	}
	if r.Command != nil {
		if _, err := r.Command(r.ctx, command, ""); err == nil {
			return fmt.Errorf("the removed command %s runs", command)
		}
	}
	return nil
}

func wantList(what string, got []string, want ...string) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: %q, want %q", what, got, want)
	}
	return nil
}

// countHolding counts the texts that hold part.
func countHolding(texts []string, part string) int {
	n := 0
	for _, text := range texts {
		if strings.Contains(text, part) {
			n++
		}
	}
	return n
}
