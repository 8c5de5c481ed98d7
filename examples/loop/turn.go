package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// errTruncated ends a turn whose reply was cut off by the provider.
var errTruncated = errors.New("the reply reached the model's limit of length")

// Prompt submits a message and runs the turn that takes it up.
func (a *Agent) Prompt(ctx context.Context, text string) error {
	if err := a.Steer(ctx, text); err != nil {
		return err
	}
	return a.RunTurn(ctx)
}

// RunTurn runs one turn: first the messages that wait, if any, then steps until a reply
// asks for no tool and nothing more was steered. It returns why the turn was not
// completed. The turn is closed in the log in any case, also when ctx ends.
func (a *Agent) RunTurn(ctx context.Context) error {
	if a.opts.ReadOnly {
		return ErrReadOnly
	}
	a.running.Lock()
	defer a.running.Unlock()
	if err := a.append(ctx, session.TurnStart(a.turns+1)); err != nil {
		return fmt.Errorf("start turn: %w", err)
	}
	a.turns++
	err := a.runSteps(ctx)
	kind := session.TurnCompleted
	switch {
	case err == nil:
	case ctx.Err() != nil:
		kind = session.TurnAborted
	case errors.Is(err, errTruncated):
		kind = session.TurnMaxTokens
	default:
		kind = session.TurnError
	}
	return errors.Join(err, a.appendLast(ctx, session.TurnEnd(a.turns, kind)))
}

func (a *Agent) runSteps(ctx context.Context) error {
	for step := int64(1); step <= a.opts.MaxSteps; step++ {
		for _, text := range a.takeSteered() {
			message := session.UserMessage(newID("message"), session.UserSource(), session.TextBlock(text))
			if err := a.append(ctx, message); err != nil {
				return fmt.Errorf("log message: %w", err)
			}
		}
		reply, err := a.runStep(ctx, step)
		if err != nil {
			return err
		}
		if len(reply.Calls) == 0 && !a.Waiting() {
			return nil
		}
	}
	return fmt.Errorf("the turn took more than %d steps", a.opts.MaxSteps)
}

// runStep makes one request and runs the tools that the reply asks for.
func (a *Agent) runStep(ctx context.Context, step int64) (Reply, error) {
	a.host.beforeStep(ctx, a)
	if err := a.append(ctx, session.StepStart(a.turns, step)); err != nil {
		return Reply{}, fmt.Errorf("start step: %w", err)
	}
	reply, err := a.ask(ctx)
	if err == nil {
		err = a.takeReply(ctx, step, &reply)
	}
	return reply, errors.Join(err, a.appendLast(ctx, session.StepEnd(a.turns, step)))
}

// ask sends a request, and sends it again after a temporary error. The step listeners
// run before each: what the user selected meanwhile is part of the repetition.
func (a *Agent) ask(ctx context.Context) (Reply, error) {
	delay := a.opts.RetryDelay
	for attempt := 0; ; attempt++ {
		request, err := a.request(ctx)
		if err != nil {
			return Reply{}, fmt.Errorf("derive request: %w", err)
		}
		reply, err := a.model.Reply(ctx, request)
		if err == nil {
			return reply, nil
		}
		if attempt == a.opts.Retries || !errors.Is(err, ErrTemporary) {
			return Reply{}, fmt.Errorf("ask model: %w", err)
		}
		select {
		case <-ctx.Done():
			return Reply{}, fmt.Errorf("ask model: %w", ctx.Err())
		case <-time.After(delay):
		}
		delay *= 2
		a.host.beforeStep(ctx, a)
	}
}

// request derives a request from the log and the registrations, and logs its header
// where that is not the last one.
func (a *Agent) request(ctx context.Context) (Request, error) {
	system, err := a.host.systemPrompt(ctx, a)
	if err != nil {
		return Request{}, err
	}
	tools := a.host.catalog()
	provider, model := a.model.Name()
	header := session.Request{Provider: provider, Model: model, System: system}
	for _, t := range tools {
		spec, err := json.Marshal(struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		}{t.Name, t.Description, t.Schema})
		if err != nil {
			return Request{}, fmt.Errorf("describe tool %s: %w", t.Name, err)
		}
		header.Tools = append(header.Tools, spec)
	}
	if err := a.logHeader(ctx, header); err != nil {
		return Request{}, err
	}
	if err := a.surface.follow(ctx, a.log); err != nil {
		return Request{}, err
	}
	return Request{System: system, Messages: a.surface.messages, Tools: tools}, nil
}

// logHeader logs the header of a request if it is the first of this process or another
// than the last.
func (a *Agent) logHeader(ctx context.Context, header session.Request) error {
	reason := session.HeaderChange
	if a.header == nil {
		reason = session.HeaderInitial
		if a.reopened {
			reason = session.HeaderResume
		}
	}
	same := session.RequestHeader(header, "").Data
	if string(same) == string(a.header) {
		return nil
	}
	if err := a.append(ctx, session.RequestHeader(header, reason)); err != nil {
		return fmt.Errorf("log header: %w", err)
	}
	a.header = same
	return nil
}

// takeReply logs a reply and runs its calls in order.
func (a *Agent) takeReply(ctx context.Context, step int64, reply *Reply) error {
	if reply.Truncated {
		// The calls of a reply that was cut off may be cut off, too.
		reply.Calls = nil
	}
	provider, model := a.model.Name()
	var content []session.Block
	if reply.Text != "" {
		content = append(content, session.TextBlock(reply.Text))
	}
	for _, c := range reply.Calls {
		content = append(content, session.ToolCallBlock(c.ID, c.Name, c.Arguments))
	}
	err := a.append(ctx, session.AssistantMessage(a.turns, step, session.Reply{
		ID: newID("message"), Provider: provider, Model: model, Content: content,
		InputTokens: reply.InputTokens, OutputTokens: reply.OutputTokens,
	}))
	if err != nil {
		return fmt.Errorf("log reply: %w", err)
	}
	for _, c := range reply.Calls {
		if err := a.runCall(ctx, step, c); err != nil {
			return fmt.Errorf("call tool %s: %w", c.Name, err)
		}
	}
	if reply.Truncated {
		return errTruncated
	}
	return ctx.Err()
}
