package planmode

import (
	"context"
	"errors"
)

// CommandName is the name of the command that switches plan mode, without the slash.
//
// Its input is trimmed of white space. Empty input selects plan mode; exactly off
// selects the default mode, which also takes back an entry that still waits; anything
// else selects plan mode and then submits the text by [Agent.Steer], as a message of the
// user that the model reads under the guidance of plan mode. The reply tells what came of
// it.
//
//catalog:command plan /plan [off|message]
const CommandName = "plan"

// Command is a command that users can run.
//
//catalog:type
type Command struct {
	// Name is what the user types after the slash.
	Name string
	// Hint shows the input that the command takes.
	Hint string
	// Description tells the user what the command does.
	Description string
	// Run runs the command on what the user typed after its name, and returns the reply
	// for the user. After an error nothing was selected and nothing submitted; one that
	// is a [*VetoError] comes with a reply as well. It is safe for concurrent use.
	Run func(ctx context.Context, agent Agent, input string) (reply string, err error)
}

// Command returns the command /plan, described at [CommandName].
func (p *PlanMode) Command() Command {
	return Command{
		Name:        CommandName,
		Hint:        "[off|message]",
		Description: say(labelCommand),
		Run:         p.runCommand,
	}
}

func (p *PlanMode) runCommand(ctx context.Context, agent Agent, input string) (string, error) {
	input = commandInput(input)
	active := selects(input)
	outcome, before, err := p.choose(ctx, agent, active)
	var veto *VetoError
	switch {
	case errors.As(err, &veto):
		return say(replyVetoed, veto.Reason), err
	case err != nil:
		return "", err
	}
	reply := say(replyText(outcome, &before, active))
	if !active || input == "" {
		return reply, nil
	}
	if err := agent.Steer(ctx, input); err != nil {
		return say(replyNotSent, reply, err), nil
	}
	return reply, nil
}

// replyText returns the reply to a selection that was decided on before.
func replyText(outcome Outcome, before *Folded, active bool) textID {
	if active {
		switch {
		case outcome == Committed:
			return replyOn
		case outcome == Queued:
			return replyOnQueued
		case outcome == Cancelled:
			return replyOnCancelled
		case before.Active:
			return replyOnAlready
		}
		return replyOnSelected
	}
	switch {
	case outcome == Committed:
		return replyOff
	case outcome == Queued:
		return replyOffQueued
	case outcome == Cancelled:
		return replyOffCancelled
	case before.Active:
		return replyOffSelected
	}
	return replyOffAlready
}
