package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// fact is one event with the state of plan mode after it.
type fact struct {
	Position  int64       `json:"position"`
	Time      time.Time   `json:"time"`
	Event     string      `json:"event"`
	Active    bool        `json:"active"`
	Pending   *bool       `json:"pending,omitempty"`
	Announced *bool       `json:"announced,omitempty"`
	Told      *bool       `json:"told,omitempty"`
	TurnOpen  bool        `json:"turnOpen"`
	Review    *reviewFact `json:"review,omitempty"`
	Owed      []string    `json:"owed,omitempty"`  // ids of reviews whose answer no model heard
	Fault     string      `json:"fault,omitempty"` // what is wrong with the event

	concerns bool // the event tells about plan mode
}

// reviewFact is what is told of the newest review.
type reviewFact struct {
	ID       string               `json:"id"`
	Revision int                  `json:"revision"`
	State    planmode.ReviewState `json:"state"`
	Title    string               `json:"title"`
	SHA256   string               `json:"sha256"`
}

// timeline yields a fact for each event of the log. An error is yielded last.
func timeline(ctx context.Context, log session.Log) iter.Seq2[fact, error] {
	return func(yield func(fact, error) bool) {
		var s planmode.Folded
		var last fact
		for e, err := range log.Read(ctx, 0) {
			if err != nil {
				yield(fact{}, err)
				return
			}
			var malformed error
			s, malformed = planmode.Fold(s, e)
			f := factOf(s)
			f.concerns = malformed != nil || tells(e) || !same(f, last)
			last = f
			f.Position, f.Time, f.Event = int64(e.Seq)+1, e.Time.UTC(), e.Type
			var fault *planmode.MalformedError
			if errors.As(malformed, &fault) {
				f.Fault = fault.Error()
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

func factOf(s planmode.Folded) fact {
	f := fact{
		Active: s.Active, Pending: s.State().Pending, Announced: s.Announced,
		Told: s.Told, TurnOpen: s.TurnOpen,
	}
	if r := s.Review; r != nil {
		f.Review = &reviewFact{ID: r.ID, Revision: r.Revision, State: r.State, Title: r.Title, SHA256: r.SHA256}
	}
	for _, settled := range s.Owed() {
		f.Owed = append(f.Owed, settled.ReviewID)
	}
	return f
}

// same reports whether an event changed nothing but the turn.
func same(a, b fact) bool {
	a.TurnOpen, b.TurnOpen = false, false
	a.concerns, b.concerns = false, false
	return reflect.DeepEqual(a, b)
}

// tells reports whether an event is about plan mode also where it changes nothing.
func tells(e session.Event) bool {
	plan := []string{planmode.EventMode, planmode.EventSelect, planmode.EventReview, planmode.EventRefusal, "request/header", "session/end-seed"}
	return slices.Contains(plan, e.Type) ||
		strings.HasPrefix(e.Type, "command/") && strings.Contains(string(e.Data), `"plan"`) ||
		e.Type == "user/message" && strings.Contains(string(e.Data), `"plan-mode"`) ||
		e.Type == "tool/call" && strings.Contains(string(e.Data), planmode.ToolName)
}

// mode names a state.
func mode(active *bool) string {
	switch {
	case active == nil:
		return "-"
	case *active:
		return "on"
	}
	return "off"
}

// describe returns the review in a few words.
func (r *reviewFact) describe() string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%d %s %q", r.Revision, r.State, r.Title)
}
