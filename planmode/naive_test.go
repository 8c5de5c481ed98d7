package planmode_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// naive is a log read by a second implementation of the rules, to hold the fold against.
// It keeps nothing: each question is answered by looking at all events before a position.
// Ids of calls, commands and reviews must not be used twice in its logs.
type naive []record

// record is an event with all payload fields that any rule looks at.
type record struct {
	Type     string `json:"-"`
	Active   *bool  `json:"active"`
	By       string `json:"by"`
	ID       string `json:"id"`
	CallID   string `json:"callId"`
	State    string `json:"state"`
	Plan     string `json:"plan"`
	SHA256   string `json:"sha256"`
	Feedback string `json:"feedback"`
	Decision string `json:"decision"`
	PlanHash string `json:"planSha256"`
	Session  string `json:"session"`
	Comments []struct {
		Text string `json:"text"`
	} `json:"comments"`
	Awaited   bool     `json:"awaited"`
	Revision  int      `json:"revision"`
	Name      string   `json:"name"`
	Args      *string  `json:"args"`
	CommandID string   `json:"commandId"`
	Kind      string   `json:"kind"`
	Source    recordOf `json:"source"`
	Message   struct {
		Source  recordOf `json:"source"`
		Content []struct {
			IsError bool `json:"isError"`
		} `json:"content"`
	} `json:"message"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
}

type recordOf struct {
	Plugin  string   `json:"plugin"`
	Form    string   `json:"form"`
	CallID  string   `json:"callId"`
	Reviews []string `json:"reviews"`

	Revision int    `json:"revision"`
	SHA256   string `json:"sha256"`
	Edited   bool   `json:"edited"`
	From     string `json:"from"`
}

func readNaive(events []session.Event) naive {
	var out naive
	for _, e := range events {
		r := record{Type: e.Type}
		if err := json.Unmarshal(e.Data, &r); err != nil {
			r = record{Type: "malformed"}
		}
		out = append(out, r)
	}
	return out
}

func (l naive) activeAt(n int) bool {
	for i := n - 1; i >= 0; i-- {
		if l[i].Type == "plan/mode" {
			return *l[i].Active
		}
	}
	return false
}

func (l naive) turnAt(n int) bool {
	for i := n - 1; i >= 0; i-- {
		if l[i].Type == "turn/start" || l[i].Type == "turn/end" {
			return l[i].Type == "turn/start"
		}
	}
	return false
}

// exitResult reports whether i is the result of an exit call, whether it is a success
// and whether it is a repair.
func (l naive) exitResult(i int) (is, success, repair bool) {
	if l[i].Type != "tool/result" {
		return false, false, false
	}
	id := l[i].Message.Source.CallID
	for _, r := range l[:i] {
		is = is || r.Type == "tool/call" && r.CallID == id && r.Name == "exit_plan_mode"
		if r.Type == "tool/result" && r.Message.Source.CallID == id {
			return false, false, false
		}
	}
	code := l[i].Error.Code
	return is, is && !l[i].Message.Content[0].IsError && code == "", code == "TOOL_OUTCOME_UNKNOWN" || code == "TOOL_NOT_STARTED"
}

// selects returns what i selects, if anything, and who did.
func (l naive) selects(i int) (value *bool, by string) {
	r := l[i]
	switch r.Type {
	case "plan/select":
		return r.Active, r.By
	case "plan/review":
		if (r.State == "approved" || r.Decision == "leave") && l.settles(i) {
			return new(false), r.By
		}
	case "command/done":
		if run := l.runOf(i); run >= 0 && r.Kind == "success" && l.stands(run, i) {
			return new(l.announces(run)), "user"
		}
	case "tool/result":
		if _, success, _ := l.exitResult(i); success {
			for _, other := range l[:i] {
				if other.Type == "plan/review" && other.CallID == r.Message.Source.CallID {
					return nil, ""
				}
			}
			return new(false), "user"
		}
	}
	return nil, ""
}

// runOf returns the /plan run that a command/done ends, or -1.
func (l naive) runOf(done int) int {
	return slices.IndexFunc(l[:done], func(r record) bool {
		return r.Type == "command/run" && r.Name == "plan" && r.Args != nil && r.CommandID == l[done].CommandID
	})
}

func (l naive) announces(run int) bool {
	return strings.Trim(*l[run].Args, " \t\n\ufeff") != "off"
}

// stands reports whether what run announced stands at n.
func (l naive) stands(run, n int) bool {
	for i := run + 1; i < n; i++ {
		switch l[i].Type {
		case "plan/select", "plan/mode":
			return false
		case "command/done":
			if other := l.runOf(i); other == run || other > run && l[i].Kind == "success" && l.stands(other, i) {
				return false
			}
		}
	}
	return true
}

func (l naive) announcedAt(n int) *bool {
	for i := n - 1; i >= 0; i-- {
		if l[i].Type == "command/run" && l[i].Name == "plan" && l[i].Args != nil && l.stands(i, n) {
			return new(l.announces(i))
		}
	}
	return nil
}

func (l naive) pendingAt(n int) *bool {
	for i := n - 1; i >= 0 && l[i].Type != "plan/mode"; i-- {
		if value, _ := l.selects(i); value != nil {
			if *value == l.activeAt(n) {
				return nil
			}
			return value
		}
	}
	return nil
}

func (l naive) stateAt(n int) planmode.State {
	s := planmode.State{Active: l.activeAt(n), Pending: l.pendingAt(n)}
	if announced := l.announcedAt(n); announced != nil {
		s.Pending = announced
		if *announced == s.Active {
			s.Pending = nil
		}
	}
	return s
}

func (l naive) notice(i int) bool {
	return l[i].Type == "user/message" && l[i].Source.Plugin == "plan-mode" && l[i].Source.Form == "notice"
}

func (l naive) toldAt(n int) *bool {
	for i := n - 1; i >= 0; i-- {
		if _, success, _ := l.exitResult(i); success || l.tellsOfLeaving(i) {
			return new(false)
		}
		if l[i].Type == "request/header" || l.notice(i) {
			return new(l.activeAt(i))
		}
	}
	return nil
}

// tellsOfLeaving reports whether i is the result that brings the decision to leave.
func (l naive) tellsOfLeaving(i int) bool {
	if is, _, repair := l.exitResult(i); !is || repair {
		return false
	}
	for j := range i {
		if l[j].Type == "plan/review" && l[j].Decision == "leave" && l.settles(j) &&
			l[l.openingOf(l[j].ID, j)].CallID == l[i].Message.Source.CallID && l.awaited(j, i) {
			return true
		}
	}
	return false
}

// awaited reports whether at n a call still waits to bring the settlement to the model.
func (l naive) awaited(settled, n int) bool {
	r := l[settled]
	opening := l.openingOf(r.ID, settled)
	for _, e := range l[settled+1 : n] {
		if e.Type == "user/message" && slices.Contains(e.Source.Reviews, r.ID) ||
			e.Type == "tool/result" && e.Message.Source.CallID == l[opening].CallID ||
			l.turnAt(opening) && (e.Type == "turn/start" || e.Type == "turn/end") {
			return false
		}
	}
	return r.Awaited && l.reviewAt(settled, r.ID) == "waiting"
}

// set returns what a Set at n comes to.
func (l naive) set(n int, active bool) (planmode.Outcome, []string) {
	word := "off"
	if active {
		word = "on"
	}
	target := l.activeAt(n)
	if pending := l.pendingAt(n); pending != nil {
		target = *pending
	}
	switch {
	case active == target:
		return planmode.Noop, nil
	case active == l.activeAt(n):
		return planmode.Cancelled, []string{"select " + word}
	case l.turnAt(n):
		return planmode.Queued, []string{"select " + word}
	}
	return planmode.Committed, []string{"select " + word, "mode " + word}
}

// handOver returns what completes the hand-off that is open at n, once its session is
// there.
func (l naive) handOver(n int) []string {
	var out []string
	if h := l.handoffAt(n, ""); h == nil || h.State != planmode.HandoffOpen {
		return nil
	}
	if pending := l.pendingAt(n); pending != nil && !*pending {
		out = append(out, "mode off")
	}
	return append(out, "handoff")
}

// boundary returns what a step boundary at n writes, if it can hand over what it has to.
func (l naive) boundary(n int) []string {
	var out []string
	active := l.activeAt(n)
	if pending := l.pendingAt(n); pending != nil {
		active = *pending
		out = append(out, "mode off")
		if active {
			out[0] = "mode on"
		}
	}
	if handed := l.handOver(n); handed != nil && active {
		out = append(handed, out...)
	} else if handed != nil {
		out = handed
	}
	if told := l.toldAt(n); told != nil && *told != active || len(l.owedAt(n)) > 0 {
		out = append(out, "notice")
	}
	return out
}
