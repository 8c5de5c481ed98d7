package planmode

// Folded is all that plan mode knows of a prefix of a session log. The zero value is
// that of the empty prefix; [Fold] makes every other. Values share memory with each
// other and nothing ever writes through them: copy what you want to change.
//
//catalog:type
type Folded struct {
	// Active is the state in force.
	Active bool
	// Pending is the selection that waits for a step boundary, nil if there is none. It
	// differs from Active.
	Pending *bool
	// Announced is the selection that a running /plan command announced, nil if there
	// is none. It may be equal to Active.
	Announced *bool
	// Told is the state that the model was last told, nil before it was told any.
	Told *bool
	// TurnOpen tells whether a turn is open.
	TurnOpen bool
	// Review is the newest review in its present state, nil if there was none.
	Review *Review
	// Revisions is the number of the newest review.
	Revisions int
	// Approved is the plan that was approved last, nil if there was none.
	Approved *ApprovedPlan
	// Handoff is the newest hand-off of a plan to a new session, nil if there was none.
	Handoff *Handoff
	// Refusals counts the tool calls that the gate refused since Active last changed.
	Refusals int
	// InvalidExits counts the calls of exit_plan_mode in a row that failed and opened no
	// review, since Active last changed.
	InvalidExits int
	// EndedInPlanMode tells that the last turn is over and ended while Active.
	EndedInPlanMode bool

	details
}

// details are what later events of a log refer to.
type details struct {
	running      []announcement
	calls        []exitCall
	selectedBy   Actor   // who made the selection that waits
	switchedBy   Actor   // who made the selection that is in force, as far as known
	reviewInTurn bool    // a turn was open when Review was opened
	lastReview   *Review // the one before Review, nil if there was none
	awaited      []awaitedAnswer
	past         outcomes
}

// announcement is a running /plan command, oldest first.
type announcement struct {
	commandID string
	active    bool
}

// exitCall is a call of exit_plan_mode without a result so far.
type exitCall struct {
	id       string
	reviewed bool // it opened a review
}

// awaitedAnswer is the answer to a review that a call waited for, while that call has no
// result.
type awaitedAnswer struct {
	reviewID string
	callID   string
	inTurn   bool // a turn was open when the review was opened
}

// State returns what [Service.Get] shows. A command that is running hides the selection
// that waits, for it is what the user asked for last.
func (s Folded) State() State {
	return State{Active: s.Active, Pending: s.shown()}
}

func (s *Folded) shown() *bool {
	if s.Announced == nil {
		return s.Pending
	}
	if *s.Announced == s.Active {
		return nil
	}
	return s.Announced
}

// Owed returns the answers that the next notice has to carry, oldest first: their review
// is settled and no result and no notice has told the model.
func (s Folded) Owed() []Settlement {
	var owed []Settlement
	for _, o := range s.past.due() {
		owed = append(owed, o.Settlement)
	}
	return owed
}

func (s *Folded) owes() bool { return s.past.owed > 0 }

// target returns the state that was selected last.
func (s *Folded) target() bool {
	if s.Pending != nil {
		return *s.Pending
	}
	return s.Active
}

// openReview returns the newest review if it can still be answered, else nil.
func (s *Folded) openReview() *Review {
	if s.Review != nil && s.Review.State.Open() {
		return s.Review
	}
	return nil
}

// outcomeOf returns how the review of that id ended, or false if it is open or unknown.
func (s *Folded) outcomeOf(id string) (Settlement, bool) {
	if o := s.past.find(id); o != nil {
		return o.Settlement, true
	}
	return Settlement{}, false
}

// toldWrong reports whether a notice is due because the model was told another state.
func (s *Folded) toldWrong() bool { return s.Told != nil && *s.Told != s.Active }
