package loop_test

import (
	"context"
	"testing"

	"github.com/agentplan/sdk/examples/loop"
	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/planmodetest"
	"github.com/agentplan/sdk/planmode/session"
)

// testModel is the model of the conformance suite as one of the loop.
type testModel struct{ reply planmodetest.Model }

func (testModel) Name() (provider, model string) { return "test", "suite" }

func (m testModel) Reply(ctx context.Context, r loop.Request) (loop.Reply, error) {
	request := planmodetest.Request{System: r.System}
	for _, message := range r.Messages {
		request.Messages = append(request.Messages, message.Text)
	}
	for _, t := range r.Tools {
		request.Tools = append(request.Tools, t.Name+"\n"+t.Description+"\n"+string(t.Schema))
	}
	answer, err := m.reply(ctx, request)
	if err != nil {
		return loop.Reply{}, err
	}
	reply := loop.Reply{Text: answer.Text}
	for _, c := range answer.Calls {
		reply.Calls = append(reply.Calls, loop.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return reply, nil
}

func TestHost(t *testing.T) {
	planmodetest.TestHost(t, func(t testing.TB, model planmodetest.Model) *planmodetest.Subject {
		host := new(loop.Host)
		agent, err := loop.New(t.Context(), host, session.NewMemoryLog("test"), testModel{model}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &planmodetest.Subject{
			Host:    host,
			Agent:   agent,
			Prompt:  func(ctx context.Context, text string) error { return agent.Prompt(ctx, text) },
			Command: agent.RunCommand,
			Compact: agent.Compact,
			Nested: func(ctx context.Context, c planmodetest.Call) (planmode.Result, error) {
				return agent.CallTool(ctx, loop.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments}), nil
			},
			Child: func(ctx context.Context, text string) error {
				child, err := loop.New(ctx, host, session.NewMemoryLog("child"), testModel{model}, &loop.Options{Parent: agent})
				if err != nil {
					return err
				}
				return child.Prompt(ctx, text)
			},
			Settled: func(ctx context.Context) error {
				for agent.Waiting() {
					if err := agent.RunTurn(ctx); err != nil {
						return err
					}
				}
				return nil
			},
			Switch: func(ctx context.Context, log session.Log) (planmode.Agent, error) {
				var err error
				agent, err = loop.New(ctx, host, log, testModel{model}, nil)
				return agent, err
			},
		}
	})
}
