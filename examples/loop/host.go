package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/planmode"
)

// Host holds the step listeners, sections, tools, gates and commands of a program. Its zero
// value is empty and ready, and it is safe for concurrent use.
type Host struct {
	mu       sync.Mutex
	steps    []*stepListener // in the order in which they run
	sections []*section      // by order, then by registration
	tools    []*planmode.Tool
	gates    []*gate // in the order in which they are asked
	commands []*planmode.Command
}

var (
	_ planmode.Host        = (*Host)(nil)
	_ planmode.CommandHost = (*Host)(nil)
	_ planmode.GateHost    = (*Host)(nil)
)

type stepListener struct {
	run func(ctx context.Context, agent planmode.Agent)
}

type section struct {
	name  string
	order int
	text  func(ctx context.Context, agent planmode.Agent) (string, error)
}

type gate struct {
	ask func(ctx context.Context, agent planmode.Agent, use planmode.ToolUse) (planmode.Result, bool)
}

// PrependStep registers a listener before all others.
func (h *Host) PrependStep(fn func(ctx context.Context, agent planmode.Agent)) (remove func()) {
	added := &stepListener{run: fn}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = slices.Insert(slices.Clone(h.steps), 0, added)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.steps = without(h.steps, added)
	}
}

// AddSection registers a section behind those of the same or a lower order.
func (h *Host) AddSection(name string, order int, text func(ctx context.Context, agent planmode.Agent) (string, error)) (remove func()) {
	added := &section{name: name, order: order, text: text}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sections = append(slices.Clone(h.sections), added)
	slices.SortStableFunc(h.sections, func(a, b *section) int { return cmp.Compare(a.order, b.order) })
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sections = without(h.sections, added)
	}
}

// AddTool registers a tool.
func (h *Host) AddTool(t planmode.Tool) (remove func(), err error) {
	added := &t
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.ContainsFunc(h.tools, func(other *planmode.Tool) bool { return other.Name == t.Name }) {
		return nil, fmt.Errorf("add tool %s: the name is taken", t.Name)
	}
	h.tools = append(slices.Clone(h.tools), added)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.tools = without(h.tools, added)
	}, nil
}

// AddGate registers a listener that is asked about each tool call, after those before it.
func (h *Host) AddGate(fn func(ctx context.Context, agent planmode.Agent, use planmode.ToolUse) (planmode.Result, bool)) (remove func()) {
	added := &gate{ask: fn}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gates = append(slices.Clone(h.gates), added)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.gates = without(h.gates, added)
	}
}

// AddCommand registers a command.
func (h *Host) AddCommand(c planmode.Command) (remove func(), err error) {
	added := &c
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.ContainsFunc(h.commands, func(other *planmode.Command) bool { return other.Name == c.Name }) {
		return nil, fmt.Errorf("add command %s: the name is taken", c.Name)
	}
	h.commands = append(slices.Clone(h.commands), added)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.commands = without(h.commands, added)
	}, nil
}

// Commands returns the commands in the order of their registration.
func (h *Host) Commands() []planmode.Command {
	h.mu.Lock()
	defer h.mu.Unlock()
	commands := make([]planmode.Command, 0, len(h.commands))
	for _, c := range h.commands {
		commands = append(commands, *c)
	}
	return commands
}

// beforeStep runs the step listeners one after another.
func (h *Host) beforeStep(ctx context.Context, agent planmode.Agent) {
	h.mu.Lock()
	steps := h.steps
	h.mu.Unlock()
	for _, listener := range steps {
		listener.run(ctx, agent)
	}
}

// systemPrompt puts the sections together that have a text now.
func (h *Host) systemPrompt(ctx context.Context, agent planmode.Agent) (string, error) {
	h.mu.Lock()
	sections := h.sections
	h.mu.Unlock()
	var texts []string
	for _, s := range sections {
		text, err := s.text(ctx, agent)
		if err != nil {
			return "", fmt.Errorf("render section %s: %w", s.name, err)
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// admit asks the gates about a call that is about to run. The first that refuses decides.
func (h *Host) admit(ctx context.Context, agent planmode.Agent, use planmode.ToolUse) (refusal planmode.Result, ok bool) {
	h.mu.Lock()
	gates := h.gates
	h.mu.Unlock()
	for _, g := range gates {
		if refusal, ok := g.ask(ctx, agent, use); !ok {
			return refusal, false
		}
	}
	return planmode.Result{}, true
}

// catalog returns the tools in the order of their registration.
func (h *Host) catalog() []planmode.Tool {
	h.mu.Lock()
	defer h.mu.Unlock()
	tools := make([]planmode.Tool, 0, len(h.tools))
	for _, t := range h.tools {
		tools = append(tools, *t)
	}
	return tools
}

// without returns a new list that lacks the entry.
func without[T any](list []*T, entry *T) []*T {
	return slices.DeleteFunc(slices.Clone(list), func(e *T) bool { return e == entry })
}
