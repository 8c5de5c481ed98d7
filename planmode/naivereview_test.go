package planmode_test

import (
	"slices"

	"github.com/agentplan/sdk/planmode"
)

// settles reports whether i is the settlement of a review that is open.
func (l naive) settles(i int) bool {
	switch l[i].State {
	case "approved", "revise", "dismissed", "aborted", "expired":
		state := l.reviewAt(i, l[i].ID)
		return l[i].Type == "plan/review" && (state == "waiting" || state == "parked")
	}
	return false
}

func (l naive) openingOf(id string, n int) int {
	return slices.IndexFunc(l[:n], func(r record) bool { return r.Type == "plan/review" && r.State == "open" && r.ID == id })
}

// reviewAt returns the state of a review at n, "" if there is none.
func (l naive) reviewAt(n int, id string) string {
	opening := l.openingOf(id, n)
	if opening < 0 {
		return ""
	}
	state := "waiting"
	for i := opening + 1; i < n; i++ {
		r := l[i]
		switch {
		case r.Type == "plan/review" && r.State == "open", r.Type == "plan/mode" && !*r.Active:
			return "superseded"
		case r.Type == "plan/review" && r.ID == id && r.State != "parked":
			return r.State
		case r.Type == "plan/review" && r.ID == id,
			l.turnAt(opening) && (r.Type == "turn/start" || r.Type == "turn/end"),
			r.Type == "tool/result" && r.Message.Source.CallID == l[opening].CallID:
			state = "parked"
		}
		if r.Type == "plan/review" {
			continue
		}
		if value, by := l.selects(i); value != nil && !*value && by == "user" {
			return "superseded"
		}
	}
	return state
}

// newestReview returns the position of the newest opening before n, or -1.
func (l naive) newestReview(n int) int {
	for i := n - 1; i >= 0; i-- {
		if l[i].Type == "plan/review" && l[i].State == "open" {
			return i
		}
	}
	return -1
}

// openAt returns the id of the review that is open at n, or "".
func (l naive) openAt(n int) string {
	if i := l.newestReview(n); i >= 0 {
		if state := l.reviewAt(n, l[i].ID); state == "waiting" || state == "parked" {
			return l[i].ID
		}
	}
	return ""
}

// owedAt returns the settlements that no one has told the model.
func (l naive) owedAt(n int) []record {
	var owed []record
	for i := range n {
		if l[i].Type == "plan/review" && l.settles(i) && l.owed(i, n) {
			owed = append(owed, l[i])
		}
	}
	return owed
}

func (l naive) owed(settled, n int) bool {
	r := l[settled]
	opening := l.openingOf(r.ID, settled)
	waits := r.Awaited && l.reviewAt(settled, r.ID) == "waiting"
	for i := settled + 1; i < n; i++ {
		if l.notice(i) && slices.Contains(l[i].Source.Reviews, r.ID) {
			return false
		}
		if !waits {
			continue
		}
		if l[i].Type == "tool/result" && l[i].Message.Source.CallID == l[opening].CallID {
			// A failure tells of no approval, whatever it says.
			if _, success, repair := l.exitResult(i); !repair && (success || r.State != "approved") {
				return false
			}
			waits = false
		}
		if l.turnAt(opening) && (l[i].Type == "turn/start" || l[i].Type == "turn/end") {
			waits = false
		}
	}
	return !waits
}

func (l naive) approvedAt(n int) *planmode.ApprovedPlan {
	for i := n - 1; i >= 0; i-- {
		plan := l.approves(i)
		if plan != nil {
			plan.Superseded = l.disapprovedBy(i, n) < n
			return plan
		}
	}
	return nil
}

// approves returns what i approves, nil if nothing.
func (l naive) approves(i int) *planmode.ApprovedPlan {
	r := l[i]
	switch {
	case r.Type == "user/message" && r.Source.Plugin == "plan-mode" && r.Source.Form == "handoff":
		for _, block := range r.Content {
			if sha(block.Text) == r.Source.SHA256 {
				return &planmode.ApprovedPlan{Plan: block.Text, SHA256: r.Source.SHA256, Revision: r.Source.Revision, Edited: r.Source.Edited, From: r.Source.From}
			}
		}
	case r.Type == "plan/review" && r.State == "approved" && l.settles(i):
		opening := l[l.openingOf(r.ID, i)]
		plan := &planmode.ApprovedPlan{Plan: opening.Plan, SHA256: opening.SHA256, Revision: opening.Revision}
		if r.Plan != "" {
			plan.Plan, plan.SHA256, plan.Edited = r.Plan, r.PlanHash, true
		}
		if r.Decision == "approve-with-notes" {
			plan.Notes = r.Feedback
		}
		return plan
	}
	return nil
}

// disapprovedBy returns the first event between i and n after which what i approves no
// longer stands, or n.
func (l naive) disapprovedBy(i, n int) int {
	for j := i + 1; j < n; j++ {
		value, _ := l.selects(j)
		if value != nil && *value && l.activeAt(j) || l[j].Type == "plan/mode" && *l[j].Active {
			return j
		}
	}
	return n
}

// handoffAt returns the newest hand-off of the session of that id, nil if there is none.
func (l naive) handoffAt(n int, id string) *planmode.Handoff {
	for i := n - 1; i >= 0; i-- {
		r := l[i]
		if r.Type != "plan/review" || r.Decision != "approve-fresh" || !l.settles(i) {
			continue
		}
		plan := l.approves(i)
		h := &planmode.Handoff{
			ReviewID: r.ID, Revision: plan.Revision, Session: "plan-" + sha(id + "\x00" + r.ID)[:32], SHA256: plan.SHA256,
			By: planmode.Actor(r.By), State: planmode.HandoffOpen,
		}
		end := l.disapprovedBy(i, n)
		if end < n {
			h.State = planmode.HandoffCancelled
		}
		for _, e := range l[i:end] {
			if e.Type == "plan/handoff" && e.ID == r.ID {
				h.Session, h.State = e.Session, planmode.HandoffComplete
			}
		}
		return h
	}
	return nil
}
