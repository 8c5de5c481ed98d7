package planmode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// script makes events from short words:
//
//	turn, end, header                  turn/start, turn/end, request/header
//	mode on|off                        plan/mode
//	select on|off user|policy          plan/select
//	open ID CALL REVISION              plan/review opened
//	park ID                            plan/review parked
//	settle ID STATE BY awaited|late [DECISION]
//	                                   plan/review settled, feedback "say ID"
//	handoff ID                         plan/handoff
//	handed ID REVISION                 the message that hands "# Plan ID" over from session "old"
//	notice ID...                       a notice that carries these reviews
//	call CALL, result CALL ok|failed|unknown|notstarted
//	run ID ARGS..., done ID success|error
//	TYPE JSON                          any event with a slash in its type
func script(t testing.TB, lines ...string) []session.Event {
	t.Helper()
	var out []session.Event
	for i, line := range lines {
		e := scriptEvent(t, line)
		e.Seq = uint64(i)
		out = append(out, e)
	}
	return out
}

func scriptEvent(t testing.TB, line string) session.Event {
	t.Helper()
	word := strings.Fields(line)
	if kind, data, _ := strings.Cut(line, " "); strings.Contains(kind, "/") {
		return event(kind, data)
	}
	switch word[0] {
	case "turn":
		return start()
	case "end":
		return end()
	case "header":
		return header()
	case "mode":
		return mode(word[1] == "on")
	case "select":
		return event("plan/select", fmt.Sprintf(`{"active":%v,"by":%q}`, word[1] == "on", word[2]))
	case "open":
		return event("plan/review", fmt.Sprintf(`{"id":%q,"callId":%q,"revision":%s,"state":"open","plan":"# Plan %s","sha256":"hash-%s"}`,
			word[1], word[2], word[3], word[1], word[1]))
	case "park":
		return event("plan/review", fmt.Sprintf(`{"id":%q,"state":"parked"}`, word[1]))
	case "settle":
		more := ""
		if len(word) > 5 {
			more = fmt.Sprintf(`,"decision":%q`, word[5])
		}
		switch planmode.Decision(strings.Join(word[5:], "")) {
		case planmode.ApproveEdit:
			text := "# Edit " + word[1]
			more += fmt.Sprintf(`,"plan":%q,"planSha256":%q`, text, sha(text))
		case planmode.ApproveFresh:
			more += fmt.Sprintf(`,"session":"new-%s"`, word[1])
		}
		return event("plan/review", fmt.Sprintf(`{"id":%q,"state":%q,"sha256":"hash-%s","feedback":"say %s","by":%q,"awaited":%v%s}`,
			word[1], word[2], word[1], word[1], word[3], word[4] == "awaited", more))
	case "handoff":
		return event("plan/handoff", fmt.Sprintf(`{"id":%q,"session":"other-%s","sha256":"hash-%s"}`, word[1], word[1], word[1]))
	case "handed":
		text := "# Plan " + word[1]
		return event("user/message", fmt.Sprintf(`{"id":"m","role":"user","content":[{"type":"text","text":"intro"},{"type":"text","text":%q}],`+
			`"source":{"kind":"plugin","plugin":"plan-mode","form":"handoff","summary":"s","reviewId":%q,"revision":%s,"sha256":%q,"from":"old"}}`,
			text, word[1], word[2], sha(text)))
	case "notice":
		source := `{"kind":"plugin","plugin":"plan-mode","form":"notice","summary":"s"`
		if len(word) > 1 {
			ids, err := json.Marshal(word[1:])
			if err != nil {
				t.Fatal(err)
			}
			source += `,"reviews":` + string(ids)
		}
		return event("user/message", `{"id":"m","role":"user","content":[{"type":"text","text":"told"}],"source":`+source+`}}`)
	case "call":
		return exitCall(word[1])
	case "result":
		o := session.ToolOutcome{MessageID: "m", CallID: word[1], IsError: word[2] != "ok"}
		switch word[2] {
		case "unknown":
			o.ErrorName, o.ErrorCode = "E", session.ToolOutcomeUnknown
		case "notstarted":
			o.ErrorName, o.ErrorCode = "E", session.ToolNotStarted
		}
		return session.ToolResult(1, 1, o)
	case "run":
		return session.CommandRun(word[1], "plan", strings.TrimPrefix(line, "run "+word[1]))
	case "done":
		if word[2] == "error" {
			return session.CommandFailed(word[1], "no")
		}
		return session.CommandDone(word[1], "yes")
	}
	t.Fatalf("unknown line %q", line)
	return session.Event{}
}

// fold folds events from nothing.
func fold(t testing.TB, events []session.Event) planmode.Folded {
	t.Helper()
	var s planmode.Folded
	for _, e := range events {
		next, err := planmode.Fold(s, e)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	return s
}

// summary tells what was folded in one line: the state in force, and each further fact
// that is there.
func summary(s planmode.Folded) string {
	word := func(b *bool) string {
		if *b {
			return "on"
		}
		return "off"
	}
	out := []string{word(&s.Active)}
	if s.Pending != nil {
		out = append(out, "pending="+word(s.Pending))
	}
	if s.Announced != nil {
		out = append(out, "announced="+word(s.Announced))
	}
	if s.Told != nil {
		out = append(out, "told="+word(s.Told))
	}
	if s.TurnOpen {
		out = append(out, "turn")
	}
	if s.Review != nil {
		out = append(out, fmt.Sprintf("%s=%s", s.Review.ID, s.Review.State))
	}
	for _, how := range s.Owed() {
		out = append(out, fmt.Sprintf("owed=%s:%s:%s", how.ReviewID, how.State, how.Feedback))
	}
	if s.Approved != nil {
		approved := fmt.Sprintf("approved=%d", s.Approved.Revision)
		if s.Approved.Superseded {
			approved += ":superseded"
		}
		if s.Approved.Edited {
			approved += ":" + s.Approved.Plan + ":" + s.Approved.SHA256
		}
		if s.Approved.Notes != "" {
			approved += ":" + s.Approved.Notes
		}
		if s.Approved.From != "" {
			approved += ":from " + s.Approved.From
		}
		out = append(out, approved)
	}
	if s.Handoff != nil {
		out = append(out, fmt.Sprintf("handoff=%s:%s:%s", s.Handoff.ReviewID, s.Handoff.Session, s.Handoff.State))
	}
	return strings.Join(out, " ")
}
