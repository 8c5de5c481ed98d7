package planmode

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Transition is what a host is asked about by [Options.Veto], before it is written.
//
//catalog:type
type Transition struct {
	// Kind tells what is about to happen.
	Kind TransitionKind `json:"kind"`
	// State is plan mode as it stands.
	State State `json:"state"`
	// Actor tells on whose behalf it happens: user, policy, or model for a plan that is
	// presented.
	Actor Actor `json:"actor"`
	// Review is the plan that is presented or answered, nil for a selection. Do not write
	// through it.
	Review *Review `json:"review,omitempty"`
	// Decision is the answer to the review, empty where there is none.
	Decision Decision `json:"decision,omitempty"`
}

// TransitionKind is the kind of a [Transition].
//
//catalog:type
type TransitionKind string

// The kinds of transitions.
const (
	// TransitionEnter is a selection of plan mode, by [Service.Set] or the command. It may
	// also take back an exit that waits; [Transition.State] tells.
	TransitionEnter TransitionKind = "enter"
	// TransitionLeave is a selection of the default mode, by [Service.Set], the command
	// or the decision [Leave]. It may also take back an entry that waits.
	TransitionLeave TransitionKind = "leave"
	// TransitionPresent is a plan that the model presents and for which a review is about
	// to be opened.
	TransitionPresent TransitionKind = "present"
	// TransitionApprove is an approval that is about to be recorded.
	TransitionApprove TransitionKind = "approve"
)

// words says what the transition is, for a message.
func (k TransitionKind) words() string {
	switch k {
	case TransitionEnter:
		return "entering plan mode"
	case TransitionLeave:
		return "leaving plan mode"
	case TransitionPresent:
		return "presenting the plan"
	}
	return "approving the plan"
}

// VetoError reports a transition that [Options.Veto] refused. Nothing was written.
//
//catalog:type
type VetoError struct {
	// Kind tells what was refused.
	Kind TransitionKind
	// Reason is for the user and the model.
	Reason string
	// Err is what [Options.Veto] returned.
	Err error
}

// Error names what was refused and the reason.
func (e *VetoError) Error() string {
	return fmt.Sprintf("%s was refused: %s", e.Kind.words(), e.Reason)
}

// Unwrap returns what [Options.Veto] returned.
func (e *VetoError) Unwrap() error { return e.Err }

// vetoed asks whether t may happen. The error is a [*VetoError].
func (p *PlanMode) vetoed(ctx context.Context, agent Agent, t Transition) error {
	if p.opts.Veto == nil {
		return nil
	}
	err := p.askVeto(ctx, agent, t)
	if err == nil {
		return nil
	}
	veto := &VetoError{Kind: t.Kind, Reason: err.Error(), Err: err}
	var own *VetoError
	if errors.As(err, &own) && own.Reason != "" {
		veto.Reason = own.Reason
	}
	return veto
}

// askVeto runs [Options.Veto]. A panic counts as an error: the call of a tool must not end
// its host. Where no answer comes although the context has ended, none is waited for.
func (p *PlanMode) askVeto(ctx context.Context, agent Agent, t Transition) error {
	answer := make(chan error, 1)
	go func() {
		err := errors.New("the veto ended without an answer")
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("the veto panicked: %v", fault)
			}
			answer <- err
		}()
		err = p.opts.Veto(ctx, agent, t)
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(lastWord)
	defer timer.Stop()
	select {
	case err := <-answer:
		return err
	case <-timer.C:
		return fmt.Errorf("the veto gave no answer: %w", context.Cause(ctx))
	}
}

// selectionVetoed asks whether the user may select a state.
func (p *PlanMode) selectionVetoed(ctx context.Context, agent Agent, s *Folded, active bool) error {
	t := Transition{Kind: TransitionLeave, State: ownState(*s), Actor: ByUser}
	if active {
		t.Kind = TransitionEnter
	}
	return p.vetoed(ctx, agent, t)
}

// presentVetoed asks whether the review that opened has may be opened after s. It returns
// what the model is told, nil if it may. Its context ends when plan mode is closed.
func (p *PlanMode) presentVetoed(ctx context.Context, agent Agent, s, opened *Folded) *Result {
	if p.opts.Veto == nil {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-p.closing:
			stop()
		case <-ctx.Done():
		}
	}()
	var veto *VetoError
	review := p.handed(agent.Log().ID(), opened)
	t := Transition{Kind: TransitionPresent, State: ownState(*s), Actor: ByModel, Review: &review}
	if !errors.As(p.vetoed(ctx, agent, t), &veto) {
		return nil
	}
	result := refuse(refusedVeto, veto.Reason)
	if s.InvalidExits >= p.opts.MaxInvalidExits {
		result = refuse(refusedVetoStop, veto.Reason, s.InvalidExits)
	}
	return &result
}

// answerVetoed asks whether an answer to the open review of s may be recorded. Only one
// that leaves plan mode is asked about.
func (p *PlanMode) answerVetoed(ctx context.Context, agent Agent, s *Folded, how *Settlement) error {
	if p.opts.Veto == nil || !how.leaves() {
		return nil
	}
	review := p.handed(agent.Log().ID(), s)
	t := Transition{Kind: TransitionApprove, State: ownState(*s), Actor: how.By, Review: &review, Decision: how.Decision}
	if how.Decision == Leave {
		t.Kind = TransitionLeave
	}
	return p.vetoed(ctx, agent, t)
}
