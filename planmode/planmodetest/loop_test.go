package planmodetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/planmodetest"
	"github.com/agentplan/sdk/planmode/session"
)

// loop is a small agent loop: one agent, one session in memory, commands. Its faults are
// ways to be wrong, for TestFaultyHosts.
type loop struct {
	model  planmodetest.Model
	log    *session.MemoryLog
	faults map[string]bool

	steps     []*func(context.Context, planmode.Agent)
	sections  []*registered
	tools     []planmode.Tool
	commands  []planmode.Command
	gates     []*planmode.GateListener
	parent    *loop
	turn, ids int64
	base      int64 // where the messages begin, after the last compaction
	header    string
	queued    []string
}

type registered struct {
	name  string
	order int
	text  func(context.Context, planmode.Agent) (string, error)
}

var (
	_ planmode.Host        = (*loop)(nil)
	_ planmode.CommandHost = (*loop)(nil)
	_ planmode.GateHost    = (*loop)(nil)
	_ planmode.ChildAgent  = (*loop)(nil)
)

func newLoop(model planmodetest.Model, faults ...string) *loop {
	l := &loop{model: model, log: session.NewMemoryLog("loop"), faults: map[string]bool{}}
	for _, fault := range faults {
		l.faults[fault] = true
	}
	return l
}

func (l *loop) ID() string       { return "loop" }
func (l *loop) Log() session.Log { return l.log }
func (l *loop) Steer(_ context.Context, text string) error {
	l.queued = append(l.queued, text)
	return nil
}

func (l *loop) PrependStep(fn func(context.Context, planmode.Agent)) func() {
	if l.faults["appends steps"] {
		l.steps = append(l.steps, &fn)
	} else {
		l.steps = slices.Insert(l.steps, 0, &fn)
	}
	return func() {
		if !l.faults["keeps steps"] {
			l.steps = slices.DeleteFunc(l.steps, func(f *func(context.Context, planmode.Agent)) bool { return f == &fn })
		}
	}
}

func (l *loop) AddSection(name string, order int, text func(context.Context, planmode.Agent) (string, error)) func() {
	s := &registered{name, order, text}
	l.sections = append(l.sections, s)
	if !l.faults["unsorted sections"] {
		slices.SortStableFunc(l.sections, func(a, b *registered) int { return a.order - b.order })
	}
	return func() {
		if !l.faults["keeps sections"] {
			l.sections = slices.DeleteFunc(l.sections, func(other *registered) bool { return other == s })
		}
	}
}

func (l *loop) AddTool(t planmode.Tool) (func(), error) {
	taken := slices.ContainsFunc(l.tools, func(other planmode.Tool) bool { return other.Name == t.Name })
	if taken && !l.faults["doubles tools"] {
		return nil, fmt.Errorf("tool %s is taken", t.Name)
	}
	l.tools = append(l.tools, t)
	return func() {
		if !l.faults["keeps tools"] {
			l.tools = slices.DeleteFunc(l.tools, func(other planmode.Tool) bool { return other.Name == t.Name })
		}
	}, nil
}

func (l *loop) AddCommand(c planmode.Command) (func(), error) {
	if slices.ContainsFunc(l.commands, func(other planmode.Command) bool { return other.Name == c.Name }) && !l.faults["doubles commands"] {
		return nil, fmt.Errorf("command %s is taken", c.Name)
	}
	l.commands = append(l.commands, c)
	return func() {
		l.commands = slices.DeleteFunc(l.commands, func(other planmode.Command) bool { return other.Name == c.Name })
	}, nil
}

func (l *loop) AddGate(fn planmode.GateListener) func() {
	l.gates = append(l.gates, &fn)
	return func() {
		if !l.faults["keeps gates"] {
			l.gates = slices.DeleteFunc(l.gates, func(f *planmode.GateListener) bool { return f == &fn })
		}
	}
}

// Parent returns the agent that this one works for.
func (l *loop) Parent() planmode.Agent {
	if l.parent == nil {
		return nil
	}
	return l.parent
}

// child runs a turn of an agent that works for this one.
func (l *loop) child(ctx context.Context, text string) error {
	c := newLoop(l.model)
	c.log = session.NewMemoryLog("child")
	c.faults, c.parent, c.steps, c.sections, c.tools, c.gates = l.faults, l, l.steps, l.sections, l.tools, l.gates
	if l.faults["forgets children"] {
		c.gates = nil
	}
	return c.Prompt(ctx, text)
}

func (l *loop) append(ctx context.Context, events ...session.Event) error {
	_, err := l.log.Append(ctx, session.Any, events...)
	return err
}

func (l *loop) id(prefix string) string {
	l.ids++
	return fmt.Sprintf("%s%d", prefix, l.ids)
}

// Command runs a command and then the turn that its message asks for.
func (l *loop) Command(ctx context.Context, name, input string) (string, error) {
	i := slices.IndexFunc(l.commands, func(c planmode.Command) bool { return c.Name == name })
	if i < 0 {
		return "", fmt.Errorf("no command %s", name)
	}
	id := l.id("command")
	if !l.faults["logs no commands"] {
		if err := l.append(ctx, session.CommandRun(id, name, input)); err != nil {
			return "", err
		}
	}
	reply, err := l.commands[i].Run(ctx, l, input)
	done := session.CommandDone(id, reply)
	if err != nil && !l.faults["logs failed commands as done"] {
		done = session.CommandFailed(id, err.Error())
	}
	if !l.faults["logs no commands"] {
		if err := l.append(ctx, done); err != nil {
			return "", err
		}
	}
	if err != nil && l.faults["submits what was refused"] {
		return reply, errors.Join(err, l.Prompt(ctx, input))
	}
	if err != nil && l.faults["hides why commands fail"] {
		return "", fmt.Errorf("command %s failed", name)
	}
	if err == nil && len(l.queued) > 0 {
		text := l.queued[0]
		l.queued = l.queued[1:]
		err = l.Prompt(ctx, text)
	}
	return reply, err
}

// Prompt runs one turn.
func (l *loop) Prompt(ctx context.Context, text string) error {
	l.turn++
	opening := []session.Event{session.TurnStart(l.turn), session.UserMessage(l.id("m"), session.UserSource(), session.TextBlock(text))}
	if l.faults["logs no turns"] {
		opening = opening[1:]
	}
	if err := l.append(ctx, opening...); err != nil {
		return err
	}
	kind := session.TurnCompleted
	err := l.run(ctx)
	if err != nil {
		kind = session.TurnError
	}
	if l.faults["logs no turns"] || l.faults["leaves turns open"] {
		return err
	}
	return errors.Join(err, l.append(ctx, session.TurnEnd(l.turn, kind)))
}

func (l *loop) run(ctx context.Context) error {
	for step := int64(1); ; step++ {
		if step == 1 || !l.faults["one boundary a turn"] {
			for _, fn := range slices.Clone(l.steps) {
				(*fn)(ctx, l)
			}
		}
		request, err := l.request(ctx)
		if err != nil {
			return err
		}
		reply, err := l.model(ctx, request)
		if err != nil {
			return err
		}
		blocks := []session.Block{session.TextBlock(reply.Text)}
		for _, call := range reply.Calls {
			blocks = append(blocks, session.ToolCallBlock(call.ID, call.Name, call.Arguments))
		}
		if err := l.append(ctx, session.AssistantMessage(l.turn, step, session.Reply{ID: l.id("m"), Content: blocks})); err != nil {
			return err
		}
		for _, call := range reply.Calls {
			if err := l.call(ctx, step, call); err != nil {
				return err
			}
		}
		if len(reply.Calls) == 0 {
			return nil
		}
	}
}

// request assembles what the model is asked and logs its header where that changed.
func (l *loop) request(ctx context.Context) (planmodetest.Request, error) {
	var r planmodetest.Request
	var sections []string
	for _, s := range l.sections {
		text, err := s.text(ctx, l)
		if err != nil && !l.faults["ignores section errors"] {
			return r, fmt.Errorf("section %s: %w", s.name, err)
		}
		if text != "" {
			sections = append(sections, text)
		}
	}
	r.System = strings.Join(sections, "\n\n")
	for _, t := range l.tools {
		r.Tools = append(r.Tools, t.Name+"\n"+t.Description+"\n"+string(t.Schema))
	}
	if l.faults["catalog by mode"] && r.System != "" {
		r.Tools = append(r.Tools, "planning")
	}
	if header := r.System + strings.Join(r.Tools, "\n"); header != l.header && !l.faults["logs no headers"] {
		l.header = header
		if err := l.append(ctx, session.RequestHeader(session.Request{Provider: "p", Model: "m", System: r.System}, session.HeaderChange)); err != nil {
			return r, err
		}
	}
	from := l.base
	if l.faults["forgets messages"] {
		from = max(from, l.lastTurn(ctx))
	}
	for e, err := range l.log.Read(ctx, from) {
		if err != nil {
			return r, err
		}
		if e.SurfaceOp != nil {
			r.Messages = append(r.Messages, texts(e)...)
		}
	}
	return r, nil
}

func (l *loop) lastTurn(ctx context.Context) int64 {
	var last int64
	for e := range l.log.Read(ctx, 0) {
		if e.Type == "turn/start" {
			last = int64(e.Seq)
		}
	}
	return last
}

// Compact forgets all messages.
func (l *loop) Compact(ctx context.Context) error {
	if l.faults["compacts nothing"] {
		return nil
	}
	tip, err := l.log.Tip(ctx)
	l.base = tip
	return err
}

// Switch goes on with another session.
func (l *loop) Switch(ctx context.Context, log session.Log) (planmode.Agent, error) {
	memory, ok := log.(*session.MemoryLog)
	if !ok {
		return nil, fmt.Errorf("session %s is not in memory", log.ID())
	}
	l.log, l.base, l.header, l.turn = memory, 0, "", 0
	if l.faults["begins where it is"] {
		tip, err := log.Tip(ctx)
		l.base = tip
		return l, err
	}
	return l, nil
}

// texts returns the texts of a message, that of a tool result included.
func texts(e session.Event) []string {
	type block struct {
		Text    string
		Content []struct{ Text string }
	}
	var data struct {
		Content []block
		Message struct{ Content []block }
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		panic(err)
	}
	var out []string
	for _, b := range append(data.Content, data.Message.Content...) {
		text := b.Text
		for _, inner := range b.Content {
			text += inner.Text
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

func (l *loop) subject() *planmodetest.Subject {
	return &planmodetest.Subject{
		Host: l, Agent: l, Prompt: l.Prompt, Command: l.Command, Compact: l.Compact, Switch: l.Switch,
		Nested: l.nested, Child: l.child,
	}
}
