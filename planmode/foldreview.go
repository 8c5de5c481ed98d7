package planmode

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agentplan/sdk/planmode/session"
)

// stateOpen and stateParked are the states of a [ReviewEvent] that settle nothing.
const (
	stateOpen   = "open"
	stateParked = string(ReviewParked)
)

func (s *Folded) applyReview(e session.Event) error {
	o, err := parseObject(e.Data)
	if err != nil {
		return err
	}
	id, err := o.text("id")
	if err != nil {
		return err
	}
	if id == "" {
		return errors.New("id is empty")
	}
	state, err := o.text("state")
	if err != nil {
		return err
	}
	switch {
	case state == stateOpen:
		return s.applyOpened(id, o)
	case state == stateParked:
		if s.Review != nil && s.Review.ID == id {
			s.park()
		}
		return nil
	case ReviewState(state).settles():
		return s.applySettled(id, ReviewState(state), o)
	}
	return fmt.Errorf("state is %.40q", state)
}

func (s *Folded) applyOpened(id string, o object) error {
	callID, err := o.optionalText("callId")
	if err != nil {
		return err
	}
	revision, err := o.count("revision")
	if err != nil {
		return err
	}
	plan, err := o.text("plan")
	if err != nil {
		return err
	}
	hash, err := o.text("sha256")
	if err != nil {
		return err
	}
	_, ended := s.outcomeOf(id)
	if ended || s.Review != nil && s.Review.ID == id {
		return fmt.Errorf("id %.80q is that of an earlier review", id)
	}
	s.supersede()
	s.lastReview = s.Review
	s.Review = &Review{
		ID: id, CallID: callID, Revision: revision,
		Plan: plan, Title: planTitle(plan), SHA256: hash,
		State: ReviewWaiting,
	}
	s.Revisions = max(s.nextRevision(), revision)
	s.InvalidExits = 0
	s.reviewInTurn = s.TurnOpen
	if callID != "" {
		s.calls = append(s.callsBut(callID), exitCall{id: callID, reviewed: true})
	}
	return nil
}

// nextRevision returns the number of the next review. It stays at the largest that a log
// may name.
func (s *Folded) nextRevision() int { return min(s.Revisions, maxCount-1) + 1 }

// finish gives the newest review its final state.
func (s *Folded) finish(how outcome) {
	s.setReviewState(how.State)
	s.past = s.past.with(how)
}

// supersede ends the open review, if there is one, without a verdict.
func (s *Folded) supersede() {
	if r := s.openReview(); r != nil {
		s.finish(outcome{Settlement: Settlement{ReviewID: r.ID, Revision: r.Revision, State: ReviewSuperseded}})
	}
}

// park notes that no call waits for the newest review.
func (s *Folded) park() {
	if s.Review != nil && s.Review.State == ReviewWaiting {
		s.setReviewState(ReviewParked)
	}
}

func (s *Folded) setReviewState(state ReviewState) {
	review := *s.Review
	review.State = state
	s.Review = &review
}

// endTurn notes that a turn is over: calls of it that have no result get none.
func (s *Folded) endTurn() {
	if s.reviewInTurn {
		s.park()
	}
	s.release(true, func(a awaitedAnswer) bool { return a.inTurn })
}

// await notes that a call waited for the answer, so that its result will carry it.
func (s *Folded) await(a awaitedAnswer) {
	if len(s.awaited) == maxCalls { // the oldest call is forgotten, so that nothing carries its answer
		oldest := s.awaited[0]
		s.release(true, func(a awaitedAnswer) bool { return a == oldest })
	}
	s.awaited = append(slices.Clip(s.awaited), a)
}

// release notes of answers that no call will carry them any more: either they are owed, or
// the model has been told.
func (s *Folded) release(owed bool, which func(awaitedAnswer) bool) {
	if !slices.ContainsFunc(s.awaited, which) {
		return
	}
	var left []awaitedAnswer
	for _, a := range s.awaited {
		if which(a) {
			s.past = s.past.marked(a.reviewID, owed)
		} else {
			left = append(left, a)
		}
	}
	s.awaited = left
}

// callsBut returns a new list of the exit calls without that of the id.
func (s *Folded) callsBut(id string) []exitCall {
	calls := make([]exitCall, 0, len(s.calls)+1)
	for _, c := range s.calls[max(0, len(s.calls)-maxCalls+1):] {
		if c.id != id {
			calls = append(calls, c)
		}
	}
	return calls
}

func (s *Folded) applyCall(e session.Event) error {
	if len(s.calls) == 0 && !mayHold(e.Data, ToolName) {
		return nil
	}
	o, err := parseObject(e.Data)
	if err != nil {
		return nil
	}
	name, err := o.text("name")
	if err != nil {
		return nil
	}
	id, err := o.text("callId")
	if err != nil {
		if name == ToolName {
			return err
		}
		return nil
	}
	// An earlier call of the same id is over: some models count their calls anew in
	// each step.
	s.endCall(id, func(Settlement) bool { return false })
	if name == ToolName && id != "" {
		s.calls = append(s.callsBut(id), exitCall{id: id})
	}
	return nil
}

// endCall notes that the exit call of the id is over. Told tells whether its result told
// the model how its review ended. It returns the call, or false if there is none.
func (s *Folded) endCall(id string, told func(Settlement) bool) (exitCall, bool) {
	i := slices.IndexFunc(s.calls, func(c exitCall) bool { return c.id == id })
	if i < 0 {
		return exitCall{}, false
	}
	call := s.calls[i]
	s.calls = s.callsBut(id)
	waited := func(a awaitedAnswer) bool { return a.callID == id }
	brought := func(a awaitedAnswer) bool {
		how, ended := s.outcomeOf(a.reviewID)
		return waited(a) && ended && told(how)
	}
	if slices.ContainsFunc(s.awaited, func(a awaitedAnswer) bool { return brought(a) && s.left(a.reviewID) }) {
		s.tell(false)
	}
	s.release(false, brought)
	s.release(true, waited)
	if s.Review != nil && s.Review.CallID == id {
		s.park()
	}
	return call, true
}

// left reports whether the review ended with the decision to leave plan mode.
func (s *Folded) left(reviewID string) bool {
	how, ended := s.outcomeOf(reviewID)
	return ended && how.Decision == Leave
}

func (s *Folded) applyResult(e session.Event) error {
	if len(s.calls) == 0 {
		return nil
	}
	id, o, ok := resultCall(e)
	if !ok || !slices.ContainsFunc(s.calls, func(c exitCall) bool { return c.id == id }) {
		return nil
	}
	failed, repaired, err := resultKind(o)
	if err != nil {
		return err
	}
	// Only an approval is a success. A failure that came of an approval does not say so:
	// its call could not know that the log has it.
	call, _ := s.endCall(id, func(how Settlement) bool {
		return !repaired && !(failed && how.State == ReviewApproved)
	})
	if failed {
		if !call.reviewed && !repaired {
			s.InvalidExits++
		}
		return nil
	}
	s.tell(false)
	if !call.reviewed {
		s.choose(false, ByUser)
	}
	return nil
}

// resultCall returns the id of the call that a tool/result belongs to.
func resultCall(e session.Event) (id string, o object, ok bool) {
	o, err := parseObject(e.Data)
	if err != nil {
		return "", nil, false
	}
	message, err := o.child("message")
	if err != nil {
		return "", nil, false
	}
	if source, err := message.child("source"); err == nil {
		if id, err := source.text("callId"); err == nil {
			return id, o, true
		}
	}
	for _, block := range message.objects("content") {
		if id, err := block.text("toolCallId"); err == nil {
			return id, o, true
		}
	}
	return "", nil, false
}

// resultKind returns whether a tool/result is a failure and whether it is the repair of
// a call whose process died.
func resultKind(o object) (failed, repaired bool, err error) {
	if raw := o["error"]; raw != nil && string(raw) != "null" {
		failed = true
		if fault, err := o.child("error"); err == nil {
			code, _ := fault.text("code")
			repaired = code == session.ToolOutcomeUnknown || code == session.ToolNotStarted
		}
	}
	message, err := o.child("message")
	if err != nil {
		return false, false, err
	}
	blocks := message.objects("content")
	if len(blocks) == 0 {
		return false, false, message.unexpected("content", "a list of blocks")
	}
	for _, block := range blocks {
		if !block.has("isError") {
			continue
		}
		isError, err := block.boolean("isError")
		if err != nil {
			return false, false, err
		}
		failed = failed || isError
	}
	return failed, repaired, nil
}
