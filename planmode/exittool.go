package planmode

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/agentplan/sdk/planmode/session"
)

// ToolName is the name of the exit tool.
const ToolName = "exit_plan_mode"

// ExitArguments are the arguments of exit_plan_mode, the tool by which the model presents
// its plan for review. It is registered in both modes, so that switching never changes
// the tool catalog of a request, and fails outside plan mode.
//
// The plan must be a complete Markdown document that begins with a level-1 ATX heading,
// after a byte order mark and blank lines if there are any, and in which no code fence
// is left open at the end. It must be valid UTF-8 without NUL and no longer than
// [Options.MaxPlanBytes].
//
// Only the approval of a review gives a successful result, {"approved": true}. It is in
// the log before the result is returned, and plan mode ends with the next step. Every
// other outcome is a failed result that says what to do.
//
//catalog:tool exit_plan_mode
type ExitArguments struct {
	// The complete plan as a Markdown document that begins with a level-1 heading, such
	// as "# Title". The user sees exactly this text.
	Plan string `json:"plan"`
}

// Tool is a tool to be offered to the model.
//
//catalog:type
type Tool struct {
	// Name is the name by which the model calls it.
	Name string
	// Description tells the model what it is for.
	Description string
	// Schema is the JSON Schema of the arguments. Its bytes never change.
	Schema json.RawMessage
	// Call runs the tool. callID is the id of the call in the log, args are the
	// arguments as the model wrote them, and the result is for the model; there is no
	// other error. It may block for as long as a user thinks, and is safe for
	// concurrent use. Log the tool/call before it runs and the tool/result after.
	Call func(ctx context.Context, agent Agent, callID string, args json.RawMessage) Result
	// ReadOnly is the tool's own word that it changes nothing. It is no part of what the
	// model is offered; a host passes it to the gate, see [ToolUse.ReadOnly].
	ReadOnly bool
}

// Result is what a tool tells the model.
//
//catalog:type
type Result struct {
	// Content is the text for the model.
	Content string
	// Value is the result as JSON, nil if there is none.
	Value json.RawMessage
	// IsError marks a failed call.
	IsError bool
}

// ExitTool returns the tool exit_plan_mode, described at [ExitArguments]. Offer it in both
// modes.
func (p *PlanMode) ExitTool() Tool {
	return Tool{
		Name:        ToolName,
		Description: say(labelTool),
		Schema: encode(schema{
			Type:       "object",
			Properties: map[string]property{"plan": {Type: "string", Description: say(labelPlan)}},
			Required:   []string{"plan"},
		}),
		Call: p.exit,
	}
}

type schema struct {
	Type                 string              `json:"type"`
	Properties           map[string]property `json:"properties"`
	Required             []string            `json:"required"`
	AdditionalProperties bool                `json:"additionalProperties"`
}

type property struct {
	Type        string `json:"type"`
	Description string `json:"description"`
}

func refuse(id textID, args ...any) Result {
	return Result{Content: say(id, args...), IsError: true}
}

// exit runs exit_plan_mode.
func (p *PlanMode) exit(ctx context.Context, agent Agent, callID string, args json.RawMessage) Result {
	if agent == nil {
		return refuse(refusedNoAgent)
	}
	if !p.enter() {
		return refuse(refusedClosed)
	}
	defer p.calls.Done()
	review, refusal := p.open(ctx, agent, callID, args)
	if refusal != nil {
		return *refusal
	}
	p.exportOpened(ctx, agent, &review)
	if review.State == ReviewParked {
		return refuse(refusedKept, review.Revision)
	}
	c := &call{p: p, agent: agent, review: review}
	return c.await(ctx)
}

// open records a review of the plan in args, or refuses the call.
func (p *PlanMode) open(ctx context.Context, agent Agent, callID string, args json.RawMessage) (Review, *Result) {
	refusal := func(id textID, args ...any) (Review, *Result) {
		result := refuse(id, args...)
		return Review{}, &result
	}
	var plan, fault string
	checked := false
	asked := 0 // the revision that Veto was asked about
	id := rand.Text()
	for attempt := 0; ; attempt++ {
		log, v, err := p.read(ctx, agent)
		if err != nil {
			return refusal(refusedUnreadable, err)
		}
		if result := p.notNow(ctx, agent, &v.Folded); result != nil {
			return Review{}, result
		}
		if !checked {
			plan, fault = readPlan(args, p.opts.MaxPlanBytes)
			checked = true
		}
		switch {
		case fault != "" && v.InvalidExits >= p.opts.MaxInvalidExits:
			return refusal(refusedPlanStop, fault, v.InvalidExits)
		case fault != "":
			return refusal(refusedPlan, fault)
		case p.reviewer() == nil && p.opts.Headless != HeadlessPark:
			return refusal(refusedNoReviewer)
		}
		opening, opened := p.opening(v.Folded, ReviewEvent{ID: id, CallID: callID, Plan: plan})
		if asked != opened.Revisions {
			if result := p.presentVetoed(ctx, agent, &v.Folded, &opened); result != nil {
				return Review{}, result
			}
			asked = opened.Revisions
		}
		landed, err := p.write(ctx, log, v.pos, opening...)
		if err == nil || landed > 0 {
			// The opening is the first of the events. Without the other the result of
			// this call parks the review.
			return p.handed(log.ID(), &opened), nil
		}
		if errors.Is(err, session.ErrConflict) {
			err = pause(ctx, attempt)
		}
		if err != nil {
			return refusal(refusedNotOpened, err)
		}
	}
}

// opening returns the events that open a review of the plan after s, and what plan mode
// knows after them.
func (p *PlanMode) opening(s Folded, r ReviewEvent) ([]session.Event, Folded) {
	r.State, r.Revision, r.SHA256 = stateOpen, s.nextRevision(), hashOf(r.Plan)
	opening := []session.Event{reviewEvent(r)}
	if p.reviewer() == nil {
		opening = append(opening, reviewEvent(ReviewEvent{ID: r.ID, State: stateParked}))
	}
	for _, e := range opening {
		if err := s.apply(e); err != nil {
			panic("planmode: fold an event of its own: " + err.Error())
		}
	}
	return opening, s
}

// notNow returns why no plan can be presented now, nil if one can.
func (p *PlanMode) notNow(ctx context.Context, agent Agent, s *Folded) *Result {
	var result Result
	switch open := s.openReview(); {
	case !s.Active || !p.mayPresent(agent):
		result = refuse(p.outside(ctx, agent))
	case !s.target():
		result = refuse(refusedLeaving)
	case s.Announced != nil && !*s.Announced:
		// Only Set and the boundary pass over what a running command announces. To the
		// user the exit is pending, and a review opened now would be void a moment later.
		result = refuse(refusedLeavingSoon)
	case open != nil && open.State == ReviewWaiting:
		result = refuse(refusedWaiting, open.Revision)
	default:
		return nil
	}
	return &result
}

// outside picks the text for an agent that is not in plan mode itself or presents no plans.
func (p *PlanMode) outside(ctx context.Context, agent Agent) textID {
	if by, err := p.planner(ctx, agent); err == nil && by != nil && !by.guide {
		return refusedChild
	}
	return refusedInactive
}
