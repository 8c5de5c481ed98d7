package planmode

import (
	"errors"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// openHandoff returns the hand-off that is under way, nil if there is none.
func (s *Folded) openHandoff() *Handoff {
	if s.Handoff != nil && s.Handoff.State == HandoffOpen {
		return s.Handoff
	}
	return nil
}

// setHandoff gives the hand-off that is under way its final state.
func (s *Folded) setHandoff(state HandoffState) {
	if open := s.openHandoff(); open != nil {
		h := *open
		h.State = state
		s.Handoff = &h
	}
}

// applyHandoff folds the end of a hand-off. One that is not under way is passed over.
func (s *Folded) applyHandoff(e session.Event) error {
	o, err := parseObject(e.Data)
	if err != nil {
		return err
	}
	var texts [3]string
	for i, key := range []string{"id", "session", "sha256"} {
		if texts[i], err = o.text(key); err != nil {
			return err
		}
		if texts[i] == "" {
			return errors.New(key + " is empty")
		}
	}
	open := s.openHandoff()
	if open == nil || open.ReviewID != texts[0] {
		return nil
	}
	if texts[2] != open.SHA256 {
		return fmt.Errorf("sha256 %.80q is not that of the plan that was approved", texts[2])
	}
	h := *open
	h.Session, h.State = texts[1], HandoffComplete
	s.Handoff = &h
	return nil
}

// applyHanded folds the message that hands a plan over to this session: its plan is that
// block of the message which has the hash.
func (s *Folded) applyHanded(message, source object) error {
	revision, err := source.count("revision")
	if err != nil {
		return err
	}
	hash, err := source.text("sha256")
	if err != nil {
		return err
	}
	from, err := source.text("from")
	if err != nil {
		return err
	}
	edited := false
	if source.has("edited") {
		if edited, err = source.boolean("edited"); err != nil {
			return err
		}
	}
	for _, block := range message.objects("content") {
		if text, err := block.text("text"); err == nil && hashOf(text) == hash {
			s.Approved = &ApprovedPlan{Plan: text, SHA256: hash, Revision: revision, Edited: edited, From: from}
			return nil
		}
	}
	return fmt.Errorf("no block of content has the sha256 %.80q", hash)
}
