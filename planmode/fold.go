package planmode

import (
	"errors"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// Bounds on what the fold remembers of commands and calls that never end. They are far
// beyond what runs at once.
const (
	maxRunning = 64
	maxCalls   = 256
)

// FoldPlanMode returns whether plan mode is in force after events, the beginning of a
// log: the value of the last plan/mode, or false. A malformed one is passed over.
func FoldPlanMode(events []session.Event) bool {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type != EventMode {
			continue
		}
		if active, err := parseMode(events[i]); err == nil {
			return active
		}
	}
	return false
}

// Fold returns what plan mode knows after one more event. It is a pure function, and
// every state of plan mode is made by it alone, so that each reader of a log sees the
// same. Events that do not concern plan mode change nothing.
//
// If the payload of an event that does concern it is malformed, Fold returns s unchanged
// and a [*MalformedError]; go on with the next event.
func Fold(s Folded, e session.Event) (Folded, error) {
	err := s.apply(e)
	return s, err
}

// apply folds e into s. On an error s is as it was. It writes to no memory that an
// earlier value of s can reach.
func (s *Folded) apply(e session.Event) error {
	var err error
	switch e.Type {
	case eventTurnStart, eventTurnEnd:
		s.endTurn()
		s.TurnOpen = e.Type == eventTurnStart
		s.EndedInPlanMode = e.Type == eventTurnEnd && s.Active
	case eventHeader:
		s.tell(s.Active)
	case EventMode:
		err = s.applyMode(e)
	case EventSelect:
		err = s.applySelect(e)
	case EventReview:
		err = s.applyReview(e)
	case EventHandoff:
		err = s.applyHandoff(e)
	case EventRefusal:
		err = s.applyRefusal(e)
	case eventUserMessage:
		err = s.applyMessage(e)
	case eventToolCall:
		err = s.applyCall(e)
	case eventToolResult:
		err = s.applyResult(e)
	case eventCommandRun:
		err = s.applyCommandRun(e)
	case eventCommandDone:
		err = s.applyCommandDone(e)
	}
	if err != nil {
		return malformed(e, err)
	}
	return nil
}

func ref(b bool) *bool { return &b }

// tell notes that the model knows the state.
func (s *Folded) tell(active bool) {
	if s.Told == nil || *s.Told != active {
		s.Told = ref(active)
	}
}

func parseMode(e session.Event) (bool, error) {
	o, err := parseObject(e.Data)
	if err != nil {
		return false, err
	}
	return o.boolean("active")
}

func (s *Folded) applyMode(e session.Event) error {
	active, err := parseMode(e)
	if err != nil {
		return err
	}
	s.switchedBy = ""
	if s.Pending != nil && *s.Pending == active {
		s.switchedBy = s.selectedBy
	}
	if active != s.Active {
		s.Refusals, s.InvalidExits = 0, 0
	}
	s.Active, s.Pending, s.selectedBy = active, nil, ""
	s.running, s.Announced = nil, nil
	if active {
		s.disapprove()
	} else {
		s.supersede()
	}
	return nil
}

func (s *Folded) applySelect(e session.Event) error {
	o, err := parseObject(e.Data)
	if err != nil {
		return err
	}
	active, err := o.boolean("active")
	if err != nil {
		return err
	}
	by, err := o.text("by")
	if err != nil {
		return err
	}
	if Actor(by) != ByUser && Actor(by) != ByPolicy {
		return fmt.Errorf("by is %.40q: user or policy was expected", by)
	}
	s.running, s.Announced = nil, nil
	s.choose(active, Actor(by))
	return nil
}

// choose makes active the selection, with all that follows from it.
func (s *Folded) choose(active bool, by Actor) {
	switch {
	case active != s.Active:
		s.Pending, s.selectedBy = ref(active), by
	case s.Pending != nil: // taken back: that the state stays is now their selection
		s.Pending, s.selectedBy, s.switchedBy = nil, "", by
	}
	if !active && by == ByUser {
		s.supersede()
	}
	if active && s.Active {
		s.disapprove()
	}
}

// disapprove notes that the approval which stands no longer does, and that no session is
// to be made for it.
func (s *Folded) disapprove() {
	s.setHandoff(HandoffCancelled)
	if s.Approved != nil && !s.Approved.Superseded {
		approved := *s.Approved
		approved.Superseded = true
		s.Approved = &approved
	}
}

func (s *Folded) applyRefusal(e session.Event) error {
	o, err := parseObject(e.Data)
	if err != nil {
		return err
	}
	if _, err := o.text("tool"); err != nil {
		return err
	}
	if s.Active {
		s.Refusals++
	}
	return nil
}

func (s *Folded) applyMessage(e session.Event) error {
	if !mayHold(e.Data, pluginName) {
		return nil
	}
	form, message, source := ownMessage(e)
	switch form {
	case formHandoff:
		return s.applyHanded(message, source)
	case formNotice:
		return s.applyNotice(source)
	}
	return nil
}

func (s *Folded) applyNotice(source object) error {
	if source.has("reviews") {
		ids, err := source.texts("reviews")
		if err != nil {
			return err
		}
		for _, id := range ids {
			s.release(false, func(a awaitedAnswer) bool { return a.reviewID == id })
			s.past = s.past.marked(id, false)
		}
	}
	s.tell(s.Active)
	return nil
}

// ownMessage returns the form of a user/message that plan mode wrote, the message and
// its source. The form of any other message is "".
func ownMessage(e session.Event) (form string, message, source object) {
	message, err := parseObject(e.Data)
	if err != nil {
		return "", nil, nil
	}
	source, err = message.child("source")
	if err != nil {
		return "", nil, nil
	}
	for key, want := range map[string]string{"kind": "plugin", "plugin": pluginName} {
		if got, err := source.text(key); err != nil || got != want {
			return "", nil, nil
		}
	}
	if form, err = source.text("form"); err != nil {
		return "", nil, nil
	}
	return form, message, source
}

func (s *Folded) applyCommandRun(e session.Event) error {
	if !mayHold(e.Data, CommandName) {
		return nil
	}
	o, err := parseObject(e.Data)
	if err != nil {
		return nil
	}
	if name, err := o.text("name"); err != nil || name != CommandName {
		return nil
	}
	id, err := o.text("commandId")
	if err != nil {
		return err
	}
	if !o.has("args") {
		return nil
	}
	args, err := o.text("args")
	if err != nil {
		return err
	}
	running := make([]announcement, 0, len(s.running)+1)
	for _, a := range s.running[max(0, len(s.running)-maxRunning+1):] {
		if a.commandID != id {
			running = append(running, a)
		}
	}
	s.announce(append(running, announcement{commandID: id, active: selects(commandInput(args))}))
	return nil
}

func (s *Folded) announce(running []announcement) {
	s.running, s.Announced = nil, nil
	if len(running) > 0 {
		s.running, s.Announced = running, ref(running[len(running)-1].active)
	}
}

func (s *Folded) applyCommandDone(e session.Event) error {
	if len(s.running) == 0 {
		return nil
	}
	o, err := parseObject(e.Data)
	if err != nil {
		return nil
	}
	id, err := o.text("commandId")
	if err != nil {
		return nil
	}
	for i, a := range s.running {
		if a.commandID != id {
			continue
		}
		kind, err := o.text("kind")
		switch {
		case err != nil:
			return err
		case kind == "error":
			s.announce(append(s.running[:i:i], s.running[i+1:]...))
		case kind == "success":
			// What was announced before this command is older than its selection.
			s.announce(s.running[i+1:])
			s.choose(a.active, ByUser)
		default:
			return errors.New("kind is neither success nor error")
		}
		return nil
	}
	return nil
}
