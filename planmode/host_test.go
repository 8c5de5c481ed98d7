package planmode_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/google/go-cmp/cmp"
)

// registry is a host that only keeps what was registered.
type registry struct {
	entries []string
	refuse  string
}

func (r *registry) add(name string) func() {
	r.entries = append(r.entries, name)
	return func() {
		i := slices.Index(r.entries, name)
		if i < 0 {
			panic("removed twice: " + name)
		}
		r.entries = slices.Delete(r.entries, i, i+1)
	}
}

func (r *registry) PrependStep(func(context.Context, planmode.Agent)) func() { return r.add("step") }

func (r *registry) AddSection(name string, order int, _ func(context.Context, planmode.Agent) (string, error)) func() {
	if order != 50 {
		panic("wrong order")
	}
	return r.add("section " + name)
}

func (r *registry) AddTool(t planmode.Tool) (func(), error) {
	if r.refuse == "tool" {
		return nil, errDisk
	}
	return r.add("tool " + t.Name), nil
}

// commandRegistry is a registry that takes commands, too.
type commandRegistry struct{ registry }

func (r *commandRegistry) AddCommand(c planmode.Command) (func(), error) {
	if r.refuse == "command" {
		return nil, errDisk
	}
	return r.add("command " + c.Name), nil
}

func TestMount(t *testing.T) {
	p := newPlanMode(t, nil)
	t.Run("D43 without commands", func(t *testing.T) {
		h := &registry{entries: []string{"before"}}
		unmount, err := p.Mount(h)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"before", "step", "section plan:policy", "tool exit_plan_mode"}, h.entries); diff != "" {
			t.Error(diff)
		}
		unmount()
		unmount()
		if diff := cmp.Diff([]string{"before"}, h.entries); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("D44 D57 D89 with commands", func(t *testing.T) {
		h := &commandRegistry{}
		unmount, err := p.Mount(h)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"step", "section plan:policy", "tool exit_plan_mode", "command plan"}, h.entries); diff != "" {
			t.Error(diff)
		}
		unmount()
		if len(h.entries) > 0 {
			t.Errorf("left %v", h.entries)
		}
	})
	for _, refuse := range []string{"tool", "command"} {
		t.Run("refused "+refuse, func(t *testing.T) {
			h := &commandRegistry{registry{refuse: refuse}}
			if _, err := p.Mount(h); !errors.Is(err, errDisk) {
				t.Errorf("error is %v", err)
			}
			if len(h.entries) > 0 {
				t.Errorf("left %v", h.entries)
			}
		})
	}
	t.Run("no host", func(t *testing.T) {
		if _, err := p.Mount(nil); err == nil {
			t.Error("no error")
		}
	})
}
