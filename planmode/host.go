package planmode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// SectionName is the name of the system prompt section of plan mode. While plan mode is
// in force it holds [Config.Section] word for word; otherwise it is absent.
//
//catalog:section plan:policy order=50
const SectionName = "plan:policy"

// SectionOrder is the place of the section among the others; lower ones come first.
const SectionOrder = 50

// StepListener is a function that a host runs before it derives each request, also
// before it repeats one after an error. The listeners of a host run one after another,
// each to its end, and the step waits for them. They return nothing and cannot stop it.
//
//catalog:hook agent/step mode=serial
type StepListener = func(ctx context.Context, agent Agent)

// Host is what plan mode needs of an agent loop. Each registration returns the function
// that undoes it and nothing else; plan mode calls that once. planmodetest.TestHost
// checks an implementation.
//
//catalog:service host
type Host interface {
	// PrependStep registers a listener that runs before every listener registered so
	// far, see [StepListener]. What it appends to the log is part of the request of the
	// same step.
	PrependStep(fn func(ctx context.Context, agent Agent)) (remove func())

	// AddSection registers a section of the system prompt. The host calls text for each
	// request, after the step listeners. While it returns "" the section is absent. On
	// an error the request is not sent.
	AddSection(name string, order int, text func(ctx context.Context, agent Agent) (string, error)) (remove func())

	// AddTool registers a tool that is offered with every request. It fails, and
	// registers nothing, if the name is taken.
	AddTool(t Tool) (remove func(), err error)
}

// CommandHost is a [Host] whose users can run commands. [PlanMode.Mount] finds it by type
// assertion.
//
//catalog:service commandHost
type CommandHost interface {
	// AddCommand registers a command. It fails, and registers nothing, if the name is
	// taken. The host logs a command/run before it runs the command and a command/done
	// after.
	AddCommand(c Command) (remove func(), err error)
}

// Mount registers plan mode with a host: [PlanMode.BeforeStep] before its step listeners,
// the section, the exit tool and, if h is a [CommandHost], the command. With
// [Options.Gate] it registers [PlanMode.Admit] as well, and fails if h is no [GateHost]. If
// a registration fails, those before it are undone. The function that Mount returns undoes
// all of them, the last one first, and may be called again without effect. It does not
// close p.
func (p *PlanMode) Mount(h Host) (unmount func(), err error) {
	if h == nil {
		return nil, errors.New("mount plan mode: no host given")
	}
	gates, hasGates := h.(GateHost)
	if p.opts.Gate != nil && !hasGates {
		return nil, errors.New("mount plan mode: a gate is configured and the host is no GateHost, so its tool calls could not be refused")
	}
	var undo []func()
	unmount = sync.OnceFunc(func() {
		for _, remove := range slices.Backward(undo) {
			if remove != nil {
				remove()
			}
		}
	})
	undo = append(undo, h.PrependStep(p.BeforeStep))
	if p.opts.Gate != nil {
		undo = append(undo, gates.AddGate(p.Admit))
	}
	undo = append(undo, h.AddSection(SectionName, SectionOrder, p.Section))
	remove, err := h.AddTool(p.ExitTool())
	if err != nil {
		unmount()
		return nil, fmt.Errorf("mount plan mode: add tool %s: %w", ToolName, err)
	}
	undo = append(undo, remove)
	if commands, ok := h.(CommandHost); ok {
		remove, err := commands.AddCommand(p.Command())
		if err != nil {
			unmount()
			return nil, fmt.Errorf("mount plan mode: add command %s: %w", CommandName, err)
		}
		undo = append(undo, remove)
	}
	return unmount, nil
}
