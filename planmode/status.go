package planmode

import "context"

// Phase is where an agent stands with plan mode, in one word.
//
//catalog:type
type Phase string

// The phases.
const (
	// PhaseDefault means that plan mode is off.
	PhaseDefault Phase = "default"
	// PhaseEntering means that plan mode is selected and not yet in force.
	PhaseEntering Phase = "entering"
	// PhasePlanning means that plan mode is in force.
	PhasePlanning Phase = "planning"
	// PhaseAwaitingReview means that plan mode is in force and a review is open: it is
	// the user's turn, whether a call waits for the answer or not.
	PhaseAwaitingReview Phase = "awaiting-review"
	// PhaseLeaving means that plan mode is in force and its end is selected.
	PhaseLeaving Phase = "leaving"
)

// Status is what a host shows of plan mode beside its [State].
//
//catalog:type
type Status struct {
	// Phase tells it in one word.
	Phase Phase `json:"phase"`
	// AwaitingReview tells that a review is open.
	AwaitingReview bool `json:"awaitingReview"`
	// EndedInPlanMode tells that the last turn is over and ended while plan mode was in
	// force: nothing was carried out. A program that runs one turn and exits reports it.
	EndedInPlanMode bool `json:"endedInPlanMode"`
	// Refusals counts the calls that the gate refused since plan mode was entered, up to
	// [Gate.MaxRefusals].
	Refusals int `json:"refusals"`
	// InvalidExits counts the calls of exit_plan_mode in a row that led to no review,
	// since plan mode was last entered or left.
	InvalidExits int `json:"invalidExits"`
}

// Status returns what a host shows. It is derived from s alone.
func (s Folded) Status() Status {
	return Status{
		Phase:           s.phase(),
		AwaitingReview:  s.openReview() != nil,
		EndedInPlanMode: s.EndedInPlanMode,
		Refusals:        s.Refusals,
		InvalidExits:    s.InvalidExits,
	}
}

func (s *Folded) phase() Phase {
	pending := s.shown()
	switch {
	case !s.Active && pending == nil:
		return PhaseDefault
	case !s.Active:
		return PhaseEntering
	case s.openReview() != nil:
		return PhaseAwaitingReview
	case pending != nil:
		return PhaseLeaving
	}
	return PhasePlanning
}

// Status returns what a host shows of plan mode at the end of the agent's log.
func (p *PlanMode) Status(ctx context.Context, agent Agent) (Status, error) {
	_, v, err := p.read(ctx, agent)
	if err != nil {
		return Status{}, err
	}
	return v.Status(), nil
}
