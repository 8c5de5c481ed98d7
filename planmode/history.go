package planmode

import (
	"github.com/agentplan/sdk/planmode/session"
)

// history is what plan mode knows of a prefix of a log, together with where the selection
// that waits comes from. Like [Folded] it is made from the log alone and values share
// memory that nothing writes to.
type history struct {
	Folded
	session  string
	selected origin
}

// origin tells where a change comes from.
type origin struct {
	actor    Actor
	cause    Cause
	reviewID string
	revision int
}

// concerns reports whether events of the type can change what [Change] tells.
func concerns(kind string) bool {
	switch kind {
	case EventMode, EventSelect, EventReview, EventHandoff, eventTurnStart, eventTurnEnd,
		eventToolCall, eventToolResult, eventCommandRun, eventCommandDone:
		return true
	}
	return false
}

// add folds e and returns the changes that it makes. An event that is malformed makes
// none.
func (h *history) add(e session.Event) []Change {
	before := h.Folded
	if h.apply(e) != nil || !concerns(e.Type) {
		return nil
	}
	h.lighten(&before)
	cause := h.originOf(e, &before)
	if before.Pending != h.Pending && h.Pending != nil {
		h.selected = cause
	}
	was, is := ownState(before), ownState(h.Folded)
	var out []Change
	if e.Type == EventReview {
		// What happens to a review leads to the state that follows.
		out = h.reviewChanges(out, &before, was, cause)
		out = h.handoffChange(out, &before, was, cause)
		out = stateChange(out, was, is, cause)
	} else {
		out = stateChange(out, was, is, cause)
		out = h.reviewChanges(out, &before, is, cause)
		out = h.handoffChange(out, &before, is, cause)
	}
	for i := range out {
		c := &out[i]
		c.Position, c.Index, c.Time, c.Session = int64(e.Seq)+1, i, e.Time, h.session
	}
	return out
}

// lighten lets go of the texts of plans that came after before, which no change has.
func (h *history) lighten(before *Folded) {
	if h.Review != nil && h.Review.Plan != "" {
		review := *h.Review
		review.Plan = ""
		h.Review = &review
	}
	if h.Approved != nil && h.Approved.Plan != "" {
		approved := *h.Approved
		approved.Plan = ""
		h.Approved = &approved
	}
	if ended := before.openReview(); ended != nil && h.past.count != before.past.count {
		h.past = h.past.lightened(ended.ID)
	}
}

// originOf returns where the changes come from that e made of before.
func (h *history) originOf(e session.Event, before *Folded) origin {
	switch e.Type {
	case EventMode:
		if before.Pending != nil && *before.Pending == h.Active {
			return h.selected
		}
		return origin{actor: ByUser, cause: CauseSwitch}
	case EventSelect:
		return origin{actor: selectedBy(e), cause: CauseSelection}
	case eventCommandRun, eventCommandDone:
		return origin{actor: ByUser, cause: CauseCommand}
	case EventReview:
		how, ended := h.outcomeOf(h.reviewID())
		switch {
		case ended && how.State == ReviewApproved:
			return origin{ByReview, CauseApproval, how.ReviewID, how.Revision}
		case ended:
			return origin{ByReview, CauseAnswer, how.ReviewID, how.Revision}
		}
		return origin{actor: ByModel, cause: CausePresented}
	case EventHandoff:
		return origin{ByReview, CauseApproval, h.Handoff.ReviewID, h.Handoff.Revision}
	}
	return origin{actor: ByReview, cause: CauseExit}
}

// selectedBy returns the actor of a plan/select that the fold took.
func selectedBy(e session.Event) Actor {
	o, err := parseObject(e.Data)
	if err != nil {
		return ""
	}
	by, _ := o.optionalText("by")
	return Actor(by)
}

// stateChange adds the change from one state to another, if there is one.
func stateChange(out []Change, was, is State, from origin) []Change {
	kind := ChangeMode
	if was.Active == is.Active {
		kind = ChangePending
		if was.Pending == nil && is.Pending == nil || was.Pending != nil && is.Pending != nil && *was.Pending == *is.Pending {
			return out
		}
	}
	return append(out, from.change(kind, was, is))
}

// change returns a change that comes from o.
func (o origin) change(kind ChangeKind, was, is State) Change {
	return Change{
		Kind: kind, From: was, To: is,
		Actor: o.actor, Cause: o.cause, ReviewID: o.reviewID, Revision: o.revision,
	}
}

// ownState returns what [Service.Get] shows, in memory that the fold does not use.
func ownState(s Folded) State {
	state := s.State()
	if state.Pending != nil {
		state.Pending = ref(*state.Pending)
	}
	return state
}

// reviewChanges adds the changes of reviews, while the state is now. From is where the
// other changes of the event come from.
func (h *history) reviewChanges(out []Change, before *Folded, now State, from origin) []Change {
	if before.Review == h.Review {
		return out
	}
	if open := before.openReview(); open != nil {
		if c, changed := h.reviewChange(open, now, from); changed {
			out = append(out, c)
		}
	}
	if id := h.reviewID(); before.Review == nil || before.Review.ID != id {
		c := origin{ByModel, CausePresented, id, h.Review.Revision}.change(ChangeOpened, now, now)
		c.ReviewTo = h.Review.State
		out = append(out, c)
	}
	return out
}

// reviewChange returns what became of a review that was open.
func (h *history) reviewChange(r *Review, now State, from origin) (c Change, changed bool) {
	how, ended := h.outcomeOf(r.ID)
	switch {
	case ended && how.State == ReviewSuperseded:
		c = from.change(ChangeSuperseded, now, now)
		c.ReviewTo = how.State
	case ended:
		c = origin{actor: how.By, cause: CauseAnswer}.change(ChangeSettled, now, now)
		c.ReviewTo, c.Decision, c.Reason = how.State, how.Decision, how.Feedback
	case h.Review.State != r.State:
		c = origin{actor: ByHost, cause: CauseDetached}.change(ChangeParked, now, now)
		c.ReviewTo = h.Review.State
	default:
		return c, false
	}
	c.ReviewID, c.Revision, c.ReviewFrom = r.ID, r.Revision, r.State
	return c, true
}

// handoffChange adds the change of the hand-off, if there is one.
func (h *history) handoffChange(out []Change, before *Folded, now State, from origin) []Change {
	if before.Handoff == h.Handoff {
		return out
	}
	c := from.change(ChangeHandoff, now, now)
	c.Handoff = h.handoffOf(h.session)
	c.ReviewID, c.Revision = c.Handoff.ReviewID, c.Handoff.Revision
	return append(out, c)
}
