package planmode_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFoldPlanMode(t *testing.T) {
	flips := script(t, "mode on", "mode off", "mode on")
	for _, test := range []struct {
		name   string
		events []session.Event
		want   bool
	}{
		{"D06 empty", nil, false},
		{"D07 last wins", flips, true},
		{"D08 first of two", script(t, "mode on", "mode off")[:1], true},
		{"D09 prefix of length zero", flips[:0], false},
		{"D96 malformed is skipped", script(t, "mode on", `plan/mode {"active":42}`, `plan/mode {"active":"plan"}`, `plan/mode {}`, `plan/mode {"Active":false}`), true},
		{"D98 others are ignored", script(t, "turn", "header", "step/start {}", "goal/change []"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := planmode.FoldPlanMode(test.events); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestFold(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"D06 empty", nil, "off"},
		{"D07 modes", []string{"mode on", "mode off", "mode on"}, "on"},
		{"D97 mode between turns", []string{"turn", "end", "mode on"}, "on"},
		{"D98 unrelated", []string{"step/start {}", "goal/change {}", "assistant/message 4", "todo/write null"}, "off"},
		{"D100 loaded late", []string{"mode on", "turn", "mode off", "header", "end"}, "off told=off"},

		{"turn open", []string{"turn"}, "off turn"},
		{"turn closed", []string{"turn", "end"}, "off"},
		{"told by header", []string{"mode on", "header", "mode off"}, "off told=on"},
		{"told by notice", []string{"header", "mode on", "notice"}, "on told=on"},
		{"untold", []string{"mode on", "mode off"}, "off"},
		{"other plugin's notice", []string{"mode on", `user/message {"source":{"kind":"plugin","plugin":"plan-mode2","form":"notice"}}`}, "on"},
		{"other form", []string{"mode on", `user/message {"source":{"kind":"plugin","plugin":"plan-mode","form":"report"}}`}, "on"},
		{"user's own words", []string{"mode on", `user/message {"content":"plan-mode","source":{"kind":"user"}}`}, "on"},
		{"escaped source", []string{"mode on", `user/message {"source":{"kind":"plugin","plugin":"plan\u002dmode","form":"notice"}}`}, "on told=on"},

		{"selection", []string{"select on user"}, "off pending=on"},
		{"selection of what is", []string{"mode on", "select on user"}, "on"},
		{"selection cleared", []string{"select on user", "mode on"}, "on"},
		{"selection cleared by the other", []string{"select on user", "mode off"}, "off"},
		{"selection taken back", []string{"select on user", "select off user"}, "off"},
		{"selection before the mode", []string{"select off policy", "mode on"}, "on"},

		{"D102 announced", []string{"run c"}, "off announced=on"},
		{"D102 announced with a message", []string{"run c  do it"}, "off announced=on"},
		{"D102 done", []string{"run c", "done c success"}, "off pending=on"},
		{"D102 landed", []string{"run c", "done c success", "mode on"}, "on"},
		{"D103 failed", []string{"mode on", "run c off", "done c error"}, "on"},
		{"D104 other command", []string{`command/run {"commandId":"c","name":"plans","args":""}`, "done c success"}, "off"},
		{"D104 other command's end", []string{"run c", "done d success"}, "off announced=on"},
		{"D106 blank before off", []string{"mode on", "run c  off"}, "on announced=off"},
		{"off with marks around", []string{"mode on", "run c \ufeff\u00a0off\u2003"}, "on announced=off"},
		{"Off is a message", []string{"mode on", "run c Off"}, "on announced=on"},
		{"D107 off while off", []string{"run c off"}, "off announced=off"},
		{"announced without args", []string{`command/run {"commandId":"c","name":"plan"}`}, "off"},
		{"announced, erased by a selection", []string{"run c", "select off user", "done c success"}, "off"},
		{"announced, erased by a mode", []string{"run c off", "mode on", "done c success"}, "on"},
		{"announced beside a selection", []string{"mode on", "select off user", "run c"}, "on pending=off announced=on"},
		{"announced takes the selection back", []string{"mode on", "select off user", "run c", "done c success"}, "on"},
		{"announced twice", []string{"run a", "run b off", "done a success"}, "off pending=on announced=off"},
		{"announced twice, second fails", []string{"run a", "run b off", "done b error"}, "off announced=on"},
		{"a dead command does not hide a later one", []string{"run a", "run b off", "done b success"}, "off"},
		{"leaving by command ends a review", []string{"mode on", "open r c 1", "run c off", "done c success"}, "on pending=off r=superseded"},
		{"announcing alone does not", []string{"mode on", "open r c 1", "run c off"}, "on announced=off r=waiting"},

		{"original's approval", []string{"mode on", "header", "call c", "result c ok"}, "on pending=off told=off"},
		{"original's approval, left", []string{"mode on", "header", "call c", "result c ok", "mode off"}, "off told=off"},
		{"original's refusal", []string{"mode on", "header", "call c", "result c failed"}, "on told=on"},
		{"result of another tool", []string{"mode on", `tool/call {"callId":"d","name":"read"}`, "result d ok"}, "on"},
		{"result without a call", []string{"mode on", "result c ok"}, "on"},
		{"result counts once", []string{"mode on", "call c", "result c ok", "select on user", "result c ok"}, "on told=off"},
		{"call id used again", []string{"mode on", "turn", "call c", "end", "turn", `tool/call {"callId":"c","name":"read"}`, "result c ok"}, "on turn"},
		{"absent isError is success", []string{"mode on", "call c", `tool/result {"message":{"source":{"kind":"tool","callId":"c"},"content":[{}]}}`}, "on pending=off told=off"},
		{"error is no success", []string{"mode on", "call c", `tool/result {"message":{"source":{"callId":"c"},"content":[{"isError":false}]},"error":{"code":"X"}}`}, "on"},
		{"null error is none", []string{"mode on", "call c", `tool/result {"message":{"content":[{"toolCallId":"c","isError":false}]},"error":null}`}, "on pending=off told=off"},

		{"C015 C113 waiting", []string{"mode on", "turn", "call c", "open r c 1"}, "on turn r=waiting"},
		{"parked by its call", []string{"mode on", "turn", "call c", "open r c 1", "park r"}, "on turn r=parked"},
		{"parked by its result", []string{"mode on", "turn", "call c", "open r c 1", "result c failed"}, "on turn r=parked"},
		{"C065 parked by the end of its turn", []string{"mode on", "turn", "call c", "open r c 1", "end"}, "on r=parked"},
		{"parked by the next turn", []string{"mode on", "turn", "call c", "open r c 1", "turn"}, "on turn r=parked"},
		{"parked by a repair", []string{"mode on", "turn", "call c", "open r c 1", "result c unknown", "end"}, "on r=parked"},
		{"no turn at its opening", []string{"mode on", "call c", "open r c 1", "turn", "end"}, "on r=waiting"},
		{"no turn at its opening, result", []string{"mode on", "call c", "open r c 1", "result c failed"}, "on r=parked"},
		{"parking another", []string{"mode on", "turn", "open r c 1", "park q"}, "on turn r=waiting"},
		{"C033 no exit call", []string{"mode on", "turn", "end"}, "on"},

		{"approved", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r approved user awaited"}, "on pending=off told=on turn r=approved approved=1"},
		{"C031 approved and told", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r approved user awaited", "result c ok"}, "on pending=off told=off turn r=approved approved=1"},
		{"approved by policy", []string{"mode on", "turn", "open r c 1", "settle r approved policy awaited"}, "on pending=off turn r=approved approved=1"},
		{"C021 cut before the approval", []string{"mode on", "turn", "call c", "open r c 1", "end"}, "on r=parked"},
		{"C041 revise", []string{"mode on", "turn", "call c", "open r c 1", "settle r revise user awaited", "result c failed"}, "on turn r=revise"},
		{"result does not select again", []string{"mode on", "turn", "call c", "open r c 1", "settle r approved user awaited", "select on user", "result c ok"}, "on told=off turn r=approved approved=1:superseded"},
		{"a result without an answer selects nothing", []string{"mode on", "turn", "call c", "open r c 1", "result c ok"}, "on told=off turn r=parked"},

		{"first answer wins", []string{"mode on", "turn", "open r c 1", "settle r revise user awaited", "settle r approved user late"}, "on turn r=revise"},
		{"C003 answer to an old review", []string{"mode on", "turn", "open r c 1", "open q d 2", "settle r approved user late"}, "on turn q=waiting"},
		{"answer to no review", []string{"mode on", "settle r approved user late"}, "on"},
		{"superseded by the user", []string{"mode on", "turn", "open r c 1", "select off user", "settle r approved user late"}, "on pending=off turn r=superseded"},
		{"not by a policy", []string{"mode on", "turn", "open r c 1", "select off policy"}, "on pending=off turn r=waiting"},
		{"superseded by the mode", []string{"mode on", "turn", "open r c 1", "select off policy", "mode off"}, "off turn r=superseded"},
		{"superseded parked one", []string{"mode on", "open r c 1", "park r", "select off user", "mode off"}, "off r=superseded"},

		{"owed after parking", []string{"mode on", "turn", "call c", "open r c 1", "park r", "settle r revise user late"}, "on turn r=revise owed=r:revise:say r"},
		{"owed whatever it claims", []string{"mode on", "turn", "call c", "open r c 1", "park r", "settle r revise user awaited"}, "on turn r=revise owed=r:revise:say r"},
		{"owed though late while waiting", []string{"mode on", "turn", "call c", "open r c 1", "settle r revise user late"}, "on turn r=revise owed=r:revise:say r"},
		{"not owed while its call runs", []string{"mode on", "turn", "call c", "open r c 1", "settle r dismissed user awaited"}, "on turn r=dismissed"},
		{"owed after a repair", []string{"mode on", "turn", "call c", "open r c 1", "settle r revise user awaited", "result c unknown", "end"}, "on r=revise owed=r:revise:say r"},
		{"owed, not started", []string{"mode on", "turn", "call c", "open r c 1", "settle r revise user awaited", "result c notstarted"}, "on turn r=revise owed=r:revise:say r"},
		{"owed after a turn without a result", []string{"mode on", "turn", "call c", "open r c 1", "settle r expired policy awaited", "end"}, "on r=expired owed=r:expired:say r"},
		{"owed after the next turn", []string{"mode on", "turn", "call c", "open r c 1", "settle r aborted host awaited", "turn"}, "on turn r=aborted owed=r:aborted:say r"},
		{"a failure tells nothing of an approval", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r approved user awaited", "result c failed"}, "on pending=off told=on turn r=approved owed=r:approved:say r approved=1"},
		{"a failure tells of what is none", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r dismissed user awaited", "result c failed"}, "on told=on turn r=dismissed"},
		{"a success tells of an approval", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r approved user awaited", "result c ok"}, "on pending=off told=off turn r=approved approved=1"},
		{"a repair tells nothing of an approval", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r approved user awaited", "result c unknown", "end"}, "on pending=off told=on r=approved owed=r:approved:say r approved=1"},
		{"carried by the notice", []string{"mode on", "open r c 1", "park r", "settle r revise user late", "notice r"}, "on told=on r=revise"},
		{"not carried by another", []string{"mode on", "open r c 1", "park r", "settle r revise user late", "notice"}, "on told=on r=revise owed=r:revise:say r"},
		{"two owed", []string{"mode on", "open r c 1", "park r", "settle r revise user late", "open q d 2", "park q", "settle q dismissed user late"},
			"on q=dismissed owed=r:revise:say r owed=q:dismissed:say q"},
		{"superseded owes nothing", []string{"mode on", "open r c 1", "park r", "mode off"}, "off r=superseded"},

		{"C011 approved, entered again", []string{"mode on", "open r c 1", "settle r approved user awaited", "mode off", "mode on"}, "on r=approved approved=1:superseded"},
		{"approved, entry selected", []string{"mode on", "open r c 1", "settle r approved user awaited", "mode off", "select on user"}, "off pending=on r=approved approved=1"},
		{"approved, exit cancelled", []string{"mode on", "open r c 1", "settle r approved user awaited", "select on user"}, "on r=approved approved=1:superseded"},
		{"approved an edit", []string{"mode on", "turn", "open r c 1", "settle r approved user awaited approve-edit"}, "on pending=off turn r=approved approved=1:# Edit r:" + sha("# Edit r")},
		{"approved with notes", []string{"mode on", "turn", "open r c 1", "settle r approved user awaited approve-with-notes"}, "on pending=off turn r=approved approved=1:say r"},
		{"the plain decision may be named", []string{"mode on", "turn", "open r c 1", "settle r approved user awaited approve"}, "on pending=off turn r=approved approved=1"},
		{"C051 left", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r dismissed user awaited leave"}, "on pending=off told=on turn r=dismissed"},
		{"C051 left and told", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r dismissed user awaited leave", "result c failed"}, "on pending=off told=off turn r=dismissed"},
		{"left, not told by a repair", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r dismissed user awaited leave", "result c unknown"},
			"on pending=off told=on turn r=dismissed owed=r:dismissed:say r"},
		{"left, entered again", []string{"mode on", "header", "turn", "call c", "open r c 1", "settle r dismissed user awaited leave", "result c failed", "select on user"}, "on told=off turn r=dismissed"},
		{"left does not disapprove", []string{"mode on", "open r c 1", "settle r approved user awaited", "mode off", "mode on", "open q d 2", "settle q dismissed policy late leave"},
			"on pending=off q=dismissed owed=q:dismissed:say q approved=1:superseded"},

		{"C129 hand-off", []string{"mode on", "turn", "open r c 1", "settle r approved user awaited approve-fresh"}, "on pending=off turn r=approved approved=1 handoff=r:new-r:open"},
		{"C129 handed over", []string{"mode on", "open r c 1", "settle r approved user late approve-fresh", "handoff r", "mode off", "notice r"}, "off told=off r=approved approved=1 handoff=r:other-r:complete"},
		{"a prefix of the exit", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "handoff r"}, "on pending=off r=approved approved=1 handoff=r:other-r:complete"},
		{"left by somebody who knows no hand-off", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "mode off"}, "off r=approved approved=1 handoff=r:new-r:open"},
		{"the same, noted later", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "mode off", "handoff r"}, "off r=approved approved=1 handoff=r:other-r:complete"},
		{"hand-off cancelled", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "select on user"}, "on r=approved approved=1:superseded handoff=r:new-r:cancelled"},
		{"hand-off cancelled by a policy", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "select on policy"}, "on r=approved approved=1:superseded handoff=r:new-r:cancelled"},
		{"hand-off cancelled by the mode", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "mode on"}, "on r=approved approved=1:superseded handoff=r:new-r:cancelled"},
		{"noted after it was cancelled", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "select on user", "handoff r"}, "on r=approved approved=1:superseded handoff=r:new-r:cancelled"},
		{"complete and entered again", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "handoff r", "mode off", "mode on"}, "on r=approved approved=1:superseded handoff=r:other-r:complete"},
		{"hand-off of no review", []string{"mode on", "handoff r"}, "on"},
		{"hand-off of another review", []string{"mode on", "open r c 1", "settle r approved user awaited approve-fresh", "handoff q"}, "on pending=off r=approved approved=1 handoff=r:new-r:open"},
		{"hand-off of a plain approval", []string{"mode on", "open r c 1", "settle r approved user awaited", "handoff r"}, "on pending=off r=approved approved=1"},
		{"C129 a session that begins with a plan", []string{"handed r 3"}, "off approved=3:from old"},
		{"the same, entered", []string{"handed r 3", "mode on"}, "on approved=3:superseded:from old"},
		{"approved again", []string{"mode on", "open r c 1", "settle r approved user awaited", "mode off", "mode on", "open q d 2", "settle q approved user awaited", "mode off"}, "off q=approved approved=2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, summary(fold(t, script(t, test.lines...)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFoldState(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  planmode.State
	}{
		{"D102", []string{"run c"}, planmode.State{Pending: new(true)}},
		{"D107", []string{"run c off"}, planmode.State{}},
		{"announced hides the selection", []string{"mode on", "select off user", "run c"}, planmode.State{Active: true}},
		{"C037 approved", []string{"mode on", "open r c 1", "settle r approved user awaited"}, planmode.State{Active: true, Pending: new(false)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, fold(t, script(t, test.lines...)).State()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFoldReview(t *testing.T) {
	s := fold(t, script(t, "mode on", "turn", "open r c 3"))
	want := &planmode.Review{
		ID: "r", CallID: "c", Revision: 3, Plan: "# Plan r", Title: "Plan r", SHA256: "hash-r", State: planmode.ReviewWaiting,
	}
	if diff := cmp.Diff(want, s.Review); diff != "" {
		t.Error(diff)
	}
	if s.Revisions != 3 {
		t.Errorf("revisions are %d", s.Revisions)
	}
}

func TestFoldMalformed(t *testing.T) {
	before := fold(t, script(t, "mode on", "open h g 1", "settle h approved user late approve-fresh", "turn", "call c", "open r c 2", "run x off"))
	for _, line := range []string{
		`plan/mode {"active":42}`, `plan/mode {"active":"plan"}`, `plan/mode {"active":null}`, `plan/mode {}`, `plan/mode []`, `plan/mode 4`, `plan/mode null`,
		`plan/mode {"Active":false}`,
		`plan/refusal {}`, `plan/refusal {"tool":4}`, `plan/refusal {"tool":null}`, `plan/refusal ["write"]`,
		`plan/select {"active":1,"by":"user"}`, `plan/select {"active":true}`, `plan/select {"active":true,"by":"model"}`, `plan/select {"active":true,"by":4}`, `plan/select {"by":"user"}`, `plan/select "on"`,
		`plan/review {}`, `plan/review 4`, `plan/review {"id":4,"state":"parked"}`, `plan/review {"id":"","state":"parked"}`, `plan/review {"id":"r"}`, `plan/review {"id":"r","state":"waiting"}`, `plan/review {"id":"r","state":"superseded"}`,
		`plan/review {"id":"q","callId":"d","revision":2,"state":"open","sha256":"h"}`,
		`plan/review {"id":"q","callId":"d","revision":2,"state":"open","plan":"# P"}`,
		`plan/review {"id":"q","callId":"d","revision":0,"state":"open","plan":"# P","sha256":"h"}`,
		`plan/review {"id":"q","callId":"d","revision":1.5,"state":"open","plan":"# P","sha256":"h"}`,
		`plan/review {"id":"q","callId":"d","revision":"2","state":"open","plan":"# P","sha256":"h"}`,
		`plan/review {"id":"q","callId":4,"revision":2,"state":"open","plan":"# P","sha256":"h"}`,
		`plan/review {"id":"r","callId":"d","revision":2,"state":"open","plan":"# P","sha256":"h"}`,
		`plan/review {"id":"r","state":"approved","by":"user","awaited":true}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-q","by":"user","awaited":true}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","awaited":true}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"model","awaited":true}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":"yes"}`,
		`plan/review {"id":"r","state":"revise","sha256":"hash-r","by":"user","awaited":true,"feedback":4}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"approve-later"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"revise"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":""}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":null}`,
		`plan/review {"id":"r","state":"aborted","sha256":"hash-r","by":"user","awaited":true,"decision":"leave"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"approve-edit"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"approve-edit","plan":"# E"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"approve-edit","plan":4,"planSha256":"h"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"approve-edit","plan":"# E","planSha256":"h"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"plan":"# E","planSha256":"394dce23f59f685edd6b9e6283e258a1cf8771343fde940614b70ed10f3bcf9b"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"approve-fresh"}`,
		`plan/review {"id":"r","state":"approved","sha256":"hash-r","by":"user","awaited":true,"decision":"approve-fresh","session":4}`,
		`plan/review {"id":"r","state":"revise","sha256":"hash-r","by":"user","awaited":true,"comments":{}}`,
		`plan/review {"id":"r","state":"revise","sha256":"hash-r","by":"user","awaited":true,"comments":null}`,
		`plan/review {"id":"r","state":"revise","sha256":"hash-r","by":"user","awaited":true,"comments":["x"]}`,
		`plan/review {"id":"r","state":"revise","sha256":"hash-r","by":"user","awaited":true,"comments":[{"line":0,"text":"x"}]}`,
		`plan/review {"id":"r","state":"revise","sha256":"hash-r","by":"user","awaited":true,"comments":[{"line":1}]}`,
		`plan/review {"id":"r","state":"revise","sha256":"hash-r","by":"user","awaited":true,"comments":[{"line":1,"endLine":"2","text":"x"}]}`,
		`plan/handoff 4`, `plan/handoff {}`, `plan/handoff {"id":"h","session":"n"}`, `plan/handoff {"id":"","session":"n","sha256":"hash-h"}`, `plan/handoff {"id":"h","session":"","sha256":"hash-h"}`,
		`plan/handoff {"id":"h","session":"n","sha256":"hash-q"}`,
		`user/message {"content":[{"text":"# P"}],"source":{"kind":"plugin","plugin":"plan-mode","form":"handoff","reviewId":"r","revision":1,"sha256":"h","from":"old"}}`,
		`user/message {"source":{"kind":"plugin","plugin":"plan-mode","form":"handoff","reviewId":"r","revision":1,"sha256":"h","from":"old"}}`,
		`user/message {"content":[],"source":{"kind":"plugin","plugin":"plan-mode","form":"handoff","reviewId":"r","sha256":"h","from":"old"}}`,
		`user/message {"content":[],"source":{"kind":"plugin","plugin":"plan-mode","form":"handoff","reviewId":"r","revision":1,"from":"old"}}`,
		`user/message {"content":[],"source":{"kind":"plugin","plugin":"plan-mode","form":"handoff","reviewId":"r","revision":1,"sha256":"h"}}`,
		`user/message {"source":{"kind":"plugin","plugin":"plan-mode","form":"notice","reviews":"r"}}`,
		`user/message {"source":{"kind":"plugin","plugin":"plan-mode","form":"notice","reviews":[4]}}`,
		`user/message {"source":{"kind":"plugin","plugin":"plan-mode","form":"notice","reviews":[null]}}`,
		`tool/call {"name":"exit_plan_mode"}`,
		`tool/result {"message":{"source":{"callId":"c"}}}`,
		`tool/result {"message":{"source":{"callId":"c"},"content":[{"isError":"no"}]}}`,
		`command/run {"name":"plan","args":"off"}`, `command/run {"commandId":"y","name":"plan","args":4}`, `command/run {"commandId":"y","name":"plan","args":null}`,
		`command/done {"commandId":"x"}`, `command/done {"commandId":"x","kind":"maybe"}`,
	} {
		t.Run(line, func(t *testing.T) {
			e := scriptEvent(t, line)
			e.Seq = 77
			after, err := planmode.Fold(before, e)
			var malformed *planmode.MalformedError
			if !errors.As(err, &malformed) || malformed.Seq != 77 || malformed.Type != e.Type || !strings.Contains(err.Error(), "77") {
				t.Errorf("error is %v", err)
			}
			if diff := cmp.Diff(before, after, cmpopts.IgnoreUnexported(planmode.Folded{})); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(summary(before), summary(after)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFoldPure holds that folding on changes no earlier value: each prefix, kept while
// the rest is folded in several ways, still says what a fold of its own says.
func TestFoldPure(t *testing.T) {
	events := script(t, "mode on", "header", "turn", "call c", "open r c 1", "park r", "settle r revise user late", "run x", "run y off",
		"call d", "open q d 2", "settle q approved user awaited", "result d unknown", "end", "notice r", "done x success", "done y error",
		"turn", "select on user", "mode off", "notice q", "mode on", "end",
		"open e x 3", "settle e approved user late approve-edit", "mode on", "open l y 4", "settle l dismissed user late leave", "select on user",
		"open f z 5", "settle f approved user late approve-fresh", "select on user", "open g w 6", "settle g approved policy late approve-fresh", "handoff g", "mode off", "handed n 1")
	var kept []planmode.Folded
	var s planmode.Folded
	for i, e := range events {
		kept = append(kept, s)
		for _, other := range events[i:] {
			if _, err := planmode.Fold(s, other); err != nil {
				continue
			}
		}
		next, err := planmode.Fold(s, e)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	for i := range kept {
		want := fold(t, events[:i])
		if diff := cmp.Diff(want, kept[i], cmpopts.IgnoreUnexported(planmode.Folded{})); diff != "" {
			t.Errorf("prefix %d: %s", i, diff)
		}
		if diff := cmp.Diff(summary(fold(t, events)), summary(foldOn(t, kept[i], events[i:]))); diff != "" {
			t.Errorf("prefix %d folded on: %s", i, diff)
		}
	}
}

func foldOn(t *testing.T, s planmode.Folded, events []session.Event) planmode.Folded {
	t.Helper()
	for _, e := range events {
		next, err := planmode.Fold(s, e)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	return s
}

func FuzzFold(f *testing.F) {
	f.Add("plan/mode", `{"active":true}`, "plan/review", `{"id":"r","callId":"c","revision":1,"state":"open","plan":"# T","sha256":"h"}`)
	f.Add("tool/call", `{"callId":"c","name":"exit_plan_mode"}`, "tool/result", `{"message":{"source":{"callId":"c"},"content":[{"isError":false}]}}`)
	f.Add("command/run", `{"commandId":"c","name":"plan","args":"\u00a0"}`, "command/done", `{"commandId":"c","kind":"success"}`)
	f.Add("user/message", `{"source":{"kind":"plugin","plugin":"plan-mode","form":"notice","reviews":["r"]}}`, "plan/select", `{"active":false,"by":"user"}`)
	f.Add("plan/review", `{"id":"q","state":"approved","sha256":"hash-q","by":"user","awaited":true,"decision":"approve-fresh","session":"n"}`, "plan/handoff", `{"id":"q","session":"n","sha256":"hash-q"}`)
	f.Add("plan/review", `{"id":"q","state":"approved","sha256":"hash-q","by":"user","awaited":true,"decision":"approve-edit","plan":"# E","planSha256":"394dce23f59f685edd6b9e6283e258a1cf8771343fde940614b70ed10f3bcf9b","comments":[{"line":1,"text":"x"}]}`, "plan/mode", `{"active":false}`)
	f.Add("plan/refusal", `{"tool":"write","callId":"u","agent":"child"}`, "tool/result", `{"message":{"source":{"callId":"d"},"content":[{"isError":true}]}}`)
	f.Fuzz(func(t *testing.T, firstType, firstData, secondType, secondData string) {
		setup := script(t, "mode on", "turn", "call c", "open r c 1", "settle r revise user awaited", "run c", "call d", "open q d 2")
		first := session.Event{Type: firstType, Data: []byte(firstData)}
		second := session.Event{Type: secondType, Data: []byte(secondData)}
		for n := range setup {
			s := fold(t, setup[:n])
			for _, e := range []session.Event{first, second, first} {
				next, err := planmode.Fold(s, e)
				if err != nil && summary(next) != summary(s) {
					t.Fatalf("a refused event changed %q to %q", summary(s), summary(next))
				}
				if next.Pending != nil && *next.Pending == next.Active {
					t.Fatal("pending is what is in force")
				}
				s = next
			}
		}
	})
}
