package planmode

import (
	"encoding/json"
	"testing"

	"github.com/agentplan/sdk/planmode/session"
)

// TestCheckDelivered holds that a session is told by what its first message says, however
// that is encoded.
func TestCheckDelivered(t *testing.T) {
	h := &Handoff{ReviewID: "r<1>", Revision: 2, SHA256: hashOf("# Plan\n"), By: ByUser}
	message := handoffMessage("s & co", h, &ApprovedPlan{Plan: "# Plan\n"})
	var decoded any
	if err := json.Unmarshal(message.Data, &decoded); err != nil {
		t.Fatal(err)
	}
	escaped, err := json.Marshal(decoded)
	if err != nil || string(escaped) == string(message.Data) {
		t.Fatalf("%v: %s", err, escaped)
	}
	other := *h
	other.ReviewID = "r"
	for name, test := range map[string]struct {
		first session.Event
		ok    bool
	}{
		"the message":          {message, true},
		"encoded otherwise":    {session.Event{Type: eventUserMessage, Data: escaped}, true},
		"of another review":    {handoffMessage("s & co", &other, &ApprovedPlan{Plan: "# Plan\n"}), false},
		"from another session": {handoffMessage("s", h, &ApprovedPlan{Plan: "# Plan\n"}), false},
		"a notice":             {notice(&Folded{}), false},
		"a turn":               {session.TurnStart(1), false},
	} {
		if err := checkDelivered(test.first, message); (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRevisionsEnd holds that a log that names the largest number of a review leaves room
// for another one.
func TestRevisionsEnd(t *testing.T) {
	s := Folded{Active: true}
	for _, id := range []string{"a", "b", "c"} {
		opened := reviewEvent(ReviewEvent{ID: id, Revision: max(maxCount-1, s.nextRevision()), State: stateOpen, Plan: "# T\n", SHA256: "x"})
		if err := s.apply(opened); err != nil {
			t.Fatal(err)
		}
	}
	if s.Review.ID != "c" || s.Revisions != maxCount {
		t.Errorf("the newest review is %+v of %d", s.Review, s.Revisions)
	}
	if err := s.apply(reviewEvent(ReviewEvent{ID: "d", Revision: maxCount + 1, State: stateOpen, Plan: "# T\n", SHA256: "x"})); err == nil {
		t.Error("a larger number is taken")
	}
}
