package planmode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// miniLoop is an agent loop with everything plan mode needs and nothing else.
type miniLoop struct {
	log      *session.MemoryLog
	model    func(system string, messages int) (text string, call json.RawMessage)
	steps    []func(context.Context, planmode.Agent)
	sections []func(context.Context, planmode.Agent) (string, error)
	tools    map[string]planmode.Tool
	commands map[string]planmode.Command
	steered  []string
	system   string
	turn     int64
	calls    int
}

func (l *miniLoop) ID() string       { return "main" }
func (l *miniLoop) Log() session.Log { return l.log }
func (l *miniLoop) Steer(_ context.Context, text string) error {
	l.steered = append(l.steered, text)
	return nil
}

func (l *miniLoop) PrependStep(fn func(context.Context, planmode.Agent)) func() {
	before := l.steps
	l.steps = slices.Insert(slices.Clone(l.steps), 0, fn)
	return func() { l.steps = before }
}

func (l *miniLoop) AddSection(_ string, _ int, text func(context.Context, planmode.Agent) (string, error)) func() {
	before := l.sections
	l.sections = append(slices.Clone(l.sections), text)
	return func() { l.sections = before }
}

func (l *miniLoop) AddTool(t planmode.Tool) (func(), error) {
	l.tools[t.Name] = t
	return func() { delete(l.tools, t.Name) }, nil
}

func (l *miniLoop) AddCommand(c planmode.Command) (func(), error) {
	l.commands[c.Name] = c
	return func() { delete(l.commands, c.Name) }, nil
}

func (l *miniLoop) append(ctx context.Context, events ...session.Event) {
	if _, err := l.log.Append(ctx, session.Any, events...); err != nil {
		panic(err)
	}
}

// run is what the user typed: a command, whose message starts a turn, or a prompt.
func (l *miniLoop) run(ctx context.Context, input string) {
	if line, isCommand := strings.CutPrefix(input, "/"); isCommand {
		name, args, _ := strings.Cut(line, " ")
		l.append(ctx, session.CommandRun("command", name, args))
		reply, err := l.commands[name].Run(ctx, l, args)
		if err != nil {
			l.append(ctx, session.CommandFailed("command", err.Error()))
			return
		}
		l.append(ctx, session.CommandDone("command", reply))
		fmt.Println("reply:", reply)
	} else {
		l.steered = append(l.steered, input)
	}
	if len(l.steered) == 0 {
		return
	}
	l.turn++
	l.append(ctx, session.TurnStart(l.turn))
	for step := int64(1); l.step(ctx, step); step++ {
	}
	l.append(ctx, session.TurnEnd(l.turn, session.TurnCompleted))
}

// step asks the model once and reports whether it goes on.
func (l *miniLoop) step(ctx context.Context, step int64) bool {
	for _, text := range l.steered {
		l.append(ctx, session.UserMessage("m", session.UserSource(), session.TextBlock(text)))
	}
	l.steered = nil
	for _, fn := range l.steps {
		fn(ctx, l)
	}
	var system []string
	for _, text := range l.sections {
		s, err := text(ctx, l)
		if err != nil {
			panic(err)
		}
		system = append(system, s)
	}
	if header := strings.Join(system, "\n"); step == 1 && l.turn == 1 || header != l.system {
		l.system = header
		l.append(ctx, session.RequestHeader(session.Request{Provider: "p", Model: "m", System: header}, session.HeaderChange))
	}
	text, args := l.model(l.system, l.calls)
	fmt.Printf("model under %q: %s\n", l.system, text)
	if args == nil {
		return false
	}
	l.calls++
	id := fmt.Sprint("call", l.calls)
	l.append(ctx, session.ToolCall(l.turn, step, id, planmode.ToolName, string(args)))
	result := l.tools[planmode.ToolName].Call(ctx, l, id, args)
	l.append(ctx, session.ToolResult(l.turn, step, session.ToolOutcome{
		MessageID: "r" + id, CallID: id, IsError: result.IsError,
		Content: []session.Block{session.TextBlock(result.Content)},
	}))
	return true
}

// user is a reviewer that asks for a change and then approves.
type user struct{}

func (user) Review(_ context.Context, _ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	v := planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}
	if r.Revision == 1 {
		v.Decision, v.Feedback = planmode.Revise, "keep the old flag"
	}
	fmt.Printf("user on %q, revision %d: %s %q\n", r.Title, r.Revision, v.Decision, v.Feedback)
	return v, nil
}

// The whole of an agent loop that embeds plan mode: the user enters plan mode with a
// message, asks for a change to the plan, approves the second one, and the model goes on
// without the guidance.
func Example() {
	ctx := context.Background()
	loop := &miniLoop{
		log:      session.NewMemoryLog("example"),
		tools:    map[string]planmode.Tool{},
		commands: map[string]planmode.Command{},
		model: func(system string, calls int) (string, json.RawMessage) {
			if system == "" {
				return "done", nil
			}
			return "here is my plan", json.RawMessage(fmt.Sprintf(`{"plan":"# Rename the flag\n\nDraft %d."}`, calls+1))
		},
	}
	plan, err := planmode.New(planmode.Config{Section: "Plan first."}, &planmode.Options{Reviewer: user{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer plan.Close()
	unmount, err := plan.Mount(loop)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer unmount()

	loop.run(ctx, "/plan rename the flag")

	state, err := plan.Get(ctx, loop)
	fmt.Println("active:", state.Active, err)
	approved, err := plan.ApprovedPlan(ctx, loop)
	fmt.Printf("approved: %q %v\n", approved.Plan, err)
	// Output:
	// reply: Plan mode on now. Use /plan off to leave it.
	// model under "Plan first.": here is my plan
	// user on "Rename the flag", revision 1: revise "keep the old flag"
	// model under "Plan first.": here is my plan
	// user on "Rename the flag", revision 2: approve ""
	// model under "": done
	// active: false <nil>
	// approved: "# Rename the flag\n\nDraft 2." <nil>
}
