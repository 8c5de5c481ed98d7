package planmode

import (
	"context"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// ChildAgent is an [Agent] that works for another one, such as an agent that a tool
// starts. Plan mode finds it by type assertion.
//
//catalog:service childAgent
type ChildAgent interface {
	Agent
	// Parent returns the agent that this one works for, nil if there is none. It returns
	// the same agent each time.
	Parent() Agent
}

// ChildPolicy tells what plan mode of an agent means for agents that work for it, see
// [ChildAgent].
//
//catalog:type
type ChildPolicy string

// The policies for child agents.
const (
	// ChildrenOff means that a child agent is an agent like any other: its own log alone
	// counts. It is the default.
	ChildrenOff ChildPolicy = "off"
	// ChildrenInherit means that plan mode of an agent is also in force for those that
	// work for it, at any depth: the gate refuses their calls, and their prompt says that
	// nothing is to be changed. That text does not name exit_plan_mode, for only the agent
	// whose plan mode it is can present a plan.
	ChildrenInherit ChildPolicy = "inherit"
	// ChildrenRefuseReview is ChildrenInherit, and exit_plan_mode fails in every child
	// agent, also in one whose own log is in plan mode.
	ChildrenRefuseReview ChildPolicy = "refuse-review"
)

// maxAncestors bounds how far up agents are followed, so that a circle is found.
const maxAncestors = 64

// planner is the agent whose plan mode is in force for a caller.
type planner struct {
	view
	log   session.Log
	child bool // the caller works for the agent and is not it
	guide bool // the caller may present a plan
}

// wording picks the text for the agent in plan mode or the one for a child agent. A
// child is not told of a tool that it cannot use.
func (by *planner) wording(own, child textID) textID {
	if by.guide {
		return own
	}
	return child
}

// planner returns whose plan mode is in force for the agent, itself first; nil if nobody's
// is.
func (p *PlanMode) planner(ctx context.Context, agent Agent) (*planner, error) {
	presents := p.mayPresent(agent)
	for depth := range maxAncestors {
		log, v, err := p.read(ctx, agent)
		if err != nil {
			return nil, err
		}
		if v.Active {
			return &planner{view: v, log: log, child: depth > 0, guide: depth == 0 && presents}, nil
		}
		if agent = p.parent(agent); agent == nil {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("agent %s has more than %d agents above it", agent.ID(), maxAncestors)
}

// parent returns the agent whose plan mode is inherited, nil if there is none.
func (p *PlanMode) parent(agent Agent) Agent {
	if p.opts.Children == ChildrenOff {
		return nil
	}
	if child, ok := agent.(ChildAgent); ok {
		return child.Parent()
	}
	return nil
}

// mayPresent reports whether the agent may ask for a review.
func (p *PlanMode) mayPresent(agent Agent) bool {
	return p.opts.Children != ChildrenRefuseReview || p.parent(agent) == nil
}
