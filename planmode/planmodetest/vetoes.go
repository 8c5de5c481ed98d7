package planmodetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/planmode"
)

const vetoReason = "NOT-IN-THIS-PLACE"

// checkVeto refuses what a command selects: the user gets the reason and nothing is
// selected, also by what the host logs of the command.
func checkVeto(r *rig) error {
	if r.Command == nil {
		return errNotSupported
	}
	p, _, err := r.mountWith(&planmode.Options{Veto: func(context.Context, planmode.Agent, planmode.Transition) error {
		return errors.New(vetoReason)
	}})
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	reply, err := r.Command(r.ctx, planmode.CommandName, " look around")
	if err == nil {
		return fmt.Errorf("/plan is refused, and the host takes it for a success: %q", reply)
	}
	if !strings.Contains(reply, vetoReason) && !strings.Contains(err.Error(), vetoReason) {
		return fmt.Errorf("the user does not get the reason of a refusal: %q, %w", reply, err)
	}
	if err := r.settled(); err != nil {
		return err
	}
	if len(r.requests) > 0 {
		return errors.New("the message of a refused /plan was submitted")
	}
	s, err := r.folded()
	if err != nil {
		return err
	}
	if s.Active || s.Pending != nil || s.Announced != nil {
		return errors.New("a refused /plan is selected all the same: log a command that returned an error as failed")
	}
	got, err := r.prompt("go")
	if err != nil {
		return err
	}
	if state, err := p.Get(r.ctx, r.Agent); err != nil || state.Active || strings.Contains(got[0].System, guidance) {
		return fmt.Errorf("plan mode is on after it was refused: %+v, %w", state, err)
	}
	return wantValid(r)
}

// checkWatch follows a turn in which a plan is presented and approved.
func checkWatch(r *rig) error {
	p, _, err := r.mount(&answers{{Decision: planmode.Approve}})
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if _, err := p.Set(r.ctx, r.Agent, true); err != nil {
		return err
	}
	r.calls(exitCall("c1"))
	if _, err := r.prompt("plan it"); err != nil {
		return err
	}
	var logged []string
	for c, err := range p.Changes(r.ctx, r.Agent, 0) {
		if err != nil {
			return err
		}
		logged = append(logged, fmt.Sprintf("%s by %s", c.Kind, c.Actor))
	}
	if err := wantList("changes", logged,
		"pending by user", "mode by user",
		"review-opened by model", "review-settled by user", "pending by review", "mode by review"); err != nil {
		return err
	}
	var watched []string
	for c, err := range p.Watch(r.ctx, r.Agent, 0) {
		if err != nil {
			return fmt.Errorf("watch, after %q: %w", watched, err)
		}
		if watched = append(watched, fmt.Sprintf("%s by %s", c.Kind, c.Actor)); len(watched) == len(logged) {
			break
		}
	}
	return wantList("watched changes", watched, logged...)
}
