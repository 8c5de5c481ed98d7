package planmodetest_test

import (
	"context"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/planmodetest"
)

func TestLoop(t *testing.T) {
	planmodetest.TestHost(t, func(_ testing.TB, model planmodetest.Model) *planmodetest.Subject {
		return newLoop(model).subject()
	})
}

// plain is a host whose users have no commands.
type plain struct{ loop *loop }

func (p plain) PrependStep(fn func(context.Context, planmode.Agent)) func() {
	return p.loop.PrependStep(fn)
}
func (p plain) AddSection(name string, order int, text func(context.Context, planmode.Agent) (string, error)) func() {
	return p.loop.AddSection(name, order, text)
}
func (p plain) AddTool(t planmode.Tool) (func(), error) { return p.loop.AddTool(t) }

func TestLoopWithoutCommands(t *testing.T) {
	planmodetest.TestHost(t, func(_ testing.TB, model planmodetest.Model) *planmodetest.Subject {
		l := newLoop(model)
		return &planmodetest.Subject{Host: plain{l}, Agent: l, Prompt: l.Prompt}
	})
}

// TestFaultyHosts holds that the suite finds each way of being wrong.
func TestFaultyHosts(t *testing.T) {
	for _, fault := range []string{
		"appends steps", "keeps steps", "one boundary a turn",
		"unsorted sections", "keeps sections", "ignores section errors",
		"doubles tools", "keeps tools", "catalog by mode", "confuses failures", "ends turns on failure",
		"logs no turns", "leaves turns open", "logs no headers", "logs no commands", "doubles commands", "logs failed commands as done", "hides why commands fail", "submits what was refused",
		"forgets messages", "compacts nothing", "begins where it is",
		"asks after the call", "ignores refusals", "hides refusals", "takes refusals for success", "logs calls late",
		"forgets nested calls", "forgets children", "asks in the name of the parent", "hides hints", "keeps gates",
	} {
		t.Run(fault, func(t *testing.T) {
			failed := planmodetest.Failures(t, func(_ testing.TB, model planmodetest.Model) *planmodetest.Subject {
				return newLoop(model, fault).subject()
			})
			if len(failed) == 0 {
				t.Error("no check fails")
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		failed := planmodetest.Failures(t, func(_ testing.TB, model planmodetest.Model) *planmodetest.Subject {
			return newLoop(model).subject()
		})
		if len(failed) > 0 {
			t.Errorf("failed %v", failed)
		}
	})
}
