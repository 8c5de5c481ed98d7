package planmode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// check holds every process against the model.
func (m *machine) check() {
	m.t.Helper()
	ctx := context.Background()
	events := m.events()
	model := readNaive(events)
	n := len(events)
	malformed := slices.ContainsFunc(model, func(r record) bool { return r.Type == "malformed" })
	wantState, wantApproved := model.stateAt(n), model.approvedAt(n)
	wantReview := ""
	if id := model.openAt(n); id != "" {
		wantReview = id + " " + model.reviewAt(n, id)
	}
	for i, proc := range m.procs {
		got, err := proc.p.Get(ctx, proc)
		if (err != nil) != malformed {
			m.t.Fatalf("process %d: get gives the error %v\n%s", i, err, m.dump())
		}
		if diff := cmp.Diff(wantState, got); diff != "" {
			m.t.Fatalf("process %d: state: %s\n%s", i, diff, m.dump())
		}
		review, err := proc.p.OpenReview(ctx, proc)
		if err != nil {
			m.t.Fatalf("process %d: open review: %v", i, err)
		}
		shown := ""
		if review != nil {
			shown = review.ID + " " + string(review.State)
		}
		if shown != wantReview {
			m.t.Fatalf("process %d: open review is %q, want %q\n%s", i, shown, wantReview, m.dump())
		}
		approved, err := proc.p.ApprovedPlan(ctx, proc)
		if err != nil {
			m.t.Fatalf("process %d: approved plan: %v", i, err)
		}
		if diff := cmp.Diff(wantApproved, approved); diff != "" {
			m.t.Fatalf("process %d: approved plan: %s\n%s", i, diff, m.dump())
		}
		handoff, err := proc.p.Handoff(ctx, proc)
		if err != nil {
			m.t.Fatalf("process %d: hand-off: %v", i, err)
		}
		if diff := cmp.Diff(model.handoffAt(n, "s"), handoff); diff != "" {
			m.t.Fatalf("process %d: hand-off: %s\n%s", i, diff, m.dump())
		}
	}
	m.checkFold(events, model)
	m.watched.check(m, events, model)
	m.checkSessions(model)
	m.note("%d %v %v", n, kindsOf(events), planmode.FoldPlanMode(events))
}

// checkFold folds from scratch and compares what no method shows.
func (m *machine) checkFold(events []session.Event, model naive) {
	m.t.Helper()
	var s planmode.Folded
	for _, e := range events {
		next, err := planmode.Fold(s, e)
		var malformed *planmode.MalformedError
		if err != nil && !errors.As(err, &malformed) {
			m.t.Fatalf("fold: %v", err)
		}
		s = next
	}
	n := len(events)
	var owed []string
	for _, r := range model.owedAt(n) {
		owed = append(owed, r.ID)
	}
	var got []string
	for _, how := range s.Owed() {
		got = append(got, how.ReviewID)
	}
	type facts struct {
		Active, TurnOpen         bool
		Pending, Announced, Told *bool
		Owed                     []string
		Status                   planmode.Status
	}
	want := facts{model.activeAt(n), model.turnAt(n), model.pendingAt(n), model.announcedAt(n), model.toldAt(n), owed, model.statusAt(n)}
	if diff := cmp.Diff(want, facts{s.Active, s.TurnOpen, s.Pending, s.Announced, s.Told, got, s.Status()}); diff != "" {
		m.t.Fatalf("fold: %s\n%s", diff, m.dump())
	}
}

func (m *machine) set(proc *process, active bool) {
	before := m.len()
	fault, inject := proc.disturbances()
	proc.disturb(fault, inject)
	outcome, err := proc.p.Set(context.Background(), proc, active)
	wrote, decided := m.own(proc, before)
	model := readNaive(m.events())
	want, events := model.set(decided, active)
	m.want("set", wrote, events, err != nil)
	switch {
	case err == nil && outcome != want:
		m.t.Fatalf("set %v gives %s, want %s\n%s", active, outcome, want, m.dump())
	case err != nil && fault == "":
		m.t.Fatalf("set: %v", err)
	case err != nil && len(events) > 0 && len(wrote) == len(events) && fault != "prefix":
		m.t.Fatalf("set fails with %v although it landed", err)
	}
	m.note("set %v: %s %v", active, outcome, err)
}

func (m *machine) boundary(proc *process) {
	before := m.len()
	fault, inject := proc.disturbances()
	proc.disturb(fault, inject)
	proc.p.BeforeStep(context.Background(), proc)
	wrote, decided := m.own(proc, before)
	all := m.events()
	model := readNaive(all)
	stuck := m.stuck(proc, model, decided)
	m.want("boundary", wrote, model.boundary(decided), fault == "lost" || fault == "prefix" || stuck)
	m.wantDelivered("boundary", wrote, model, decided)
	if slices.Contains(wrote, "notice") {
		last := all[len(all)-1]
		var reviews []string
		for _, r := range model.owedAt(decided) {
			reviews = append(reviews, r.ID)
			for _, said := range r.words() {
				if !strings.Contains(noticeText(last), said) {
					m.t.Fatalf("notice %s lacks %q", last.Data, said)
				}
			}
		}
		if got := model[len(model)-1].Source.Reviews; !slices.Equal(got, reviews) {
			m.t.Fatalf("notice carries %v, want %v", got, reviews)
		}
	}
	if fault != "" || stuck {
		return
	}
	after := m.len()
	proc.p.BeforeStep(context.Background(), proc)
	if m.len() != after {
		m.t.Fatalf("a second boundary writes again\n%s", m.dump())
	}
}

// words returns what the user said with a settlement.
func (r *record) words() []string {
	said := []string{r.Feedback}
	if r.Decision != "approve-fresh" {
		said = append(said, r.Plan)
	}
	for _, c := range r.Comments {
		said = append(said, c.Text)
	}
	return said
}

func noticeText(e session.Event) string {
	var message struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(e.Data, &message); err != nil {
		return ""
	}
	return message.Content[0].Text
}

// exit runs the exit tool with a reviewer that behaves in some way.
func (m *machine) exit(proc *process, skip int) {
	way := pick(m, "reviewer", []string{
		"approve", "revise", "revise an edit", "comment", "remark", "remark on a line", "dismiss", "leave", "edit", "edit, but", "bad edit", "notes",
		"fresh", "fresh", "fresh edit", "fresh, but", "closed", "pending", "pending", "error", "other plan", "unknown", "dies", "loses", "left",
	})
	other := pick(m, "answerer", m.procs)
	id := m.id("call")
	text := fmt.Sprintf("# Plan %s\n\n<%s> & \"more\"\n", id, way)
	m.add(exitCall(id))
	m.calls = append(m.calls, id)
	before := m.len()
	fault, inject := proc.disturbances()
	proc.disturb(fault, inject)
	proc.skip = skip
	var asking sync.WaitGroup
	var asked atomic.Bool
	proc.review = func(r planmode.Review) (planmode.Verdict, error) {
		asking.Add(1)
		defer asking.Done()
		asked.Store(true)
		v := verdictOf(way, id, r.SHA256)
		switch way {
		case "closed":
			return v, planmode.ErrDismissed
		case "pending":
			return v, planmode.ErrReviewPending
		case "error":
			return v, errDisk
		case "dies":
			proc.dead.Store(true)
		case "loses":
			if err := m.answer(other, r.ID, planmode.Verdict{Decision: planmode.Revise, Feedback: "first words on " + id, SHA256: r.SHA256}); err != nil && !other.dead.Load() {
				m.t.Fatalf("settle a waiting review: %v\n%s", err, m.dump())
			}
		case "left":
			m.add(event("plan/select", `{"active":false,"by":"user"}`))
		}
		return v, nil
	}
	result := proc.p.ExitTool().Call(context.Background(), proc, id, planArgs(text))
	asking.Wait()
	model := readNaive(m.events())
	opening := slices.IndexFunc(model, func(r record) bool { return r.Type == "plan/review" && r.State == "open" && r.CallID == id })
	if opening < 0 {
		decided := before + len(proc.injected)
		refused := !model.presentable(decided) || model.reviewAt(decided, model.openAt(decided)) == "waiting"
		if asked.Load() || !result.IsError || !refused && fault == "" {
			m.t.Fatalf("exit was refused, asked %v: %+v\n%s", asked.Load(), result, m.dump())
		}
		m.note("exit %s refused", way)
		return
	}
	if !model.presentable(opening) || model[opening].Plan != text || model[opening].SHA256 != sha(text) {
		m.t.Fatalf("review was opened with %+v\n%s", model[opening], m.dump())
	}
	state := model.reviewAt(len(model), model[opening].ID)
	m.note("exit %s: %s", way, state)
	if proc.dead.Load() {
		return
	}
	if (state == "approved") == result.IsError {
		m.t.Fatalf("exit by a reviewer that is %s gives %+v, and the review is %s\n%s", way, result, state, m.dump())
	}
	if fault == "" {
		want := map[string]string{"closed": "dismissed", "pending": "parked", "error": "aborted", "loses": "revise", "left": "superseded"}[way]
		if want == "" {
			want = after(verdictOf(way, id, sha(text)), sha(text), proc.notes)
		}
		if want == "" {
			want = "aborted"
		}
		// What others do between the opening and the answer may void the review.
		if state != want && (state != "superseded" || len(proc.injected) == 0) {
			m.t.Fatalf("exit by a reviewer that is %s leaves the review %s\n%s", way, state, m.dump())
		}
	}
	if m.choose("log the result", 4) > 0 {
		m.calls = m.calls[:len(m.calls)-1]
		m.add(exitResult(id, result))
	}
}

// answer settles a review by a process that nothing disturbs.
func (m *machine) answer(proc *process, id string, v planmode.Verdict) error {
	fault, inject := proc.disturbances()
	skip := proc.skip
	proc.skip = 0
	defer func() {
		proc.disturb(fault, inject)
		proc.skip = skip
	}()
	return proc.p.Settle(context.Background(), proc, id, v)
}

// settle answers some review that was ever opened.
func (m *machine) settle(proc *process, skip int) {
	var ids []string
	all := readNaive(m.events())
	for _, r := range all {
		if r.Type == "plan/review" && r.State == "open" {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	id := ids[len(ids)-1]
	if m.choose("which", 4) == 0 {
		id = pick(m, "review", ids)
	}
	opening := all[all.openingOf(id, len(all))]
	v := verdictOf(pick(m, "verdict", []string{
		"approve", "revise", "revise an edit", "comment", "remark", "remark on a line", "dismiss", "leave", "edit", "edit, but", "bad edit", "notes",
		"fresh", "fresh", "fresh edit", "fresh, but", "other plan", "unknown",
	}), opening.CallID, opening.SHA256)
	before := m.len()
	fault, inject := proc.disturbances()
	if inject == nil {
		proc.skip = skip
	}
	proc.disturb(fault, inject)
	err := proc.p.Settle(context.Background(), proc, id, v)
	proc.skip = 0
	if left, _ := proc.disturbances(); left != "" {
		fault = "" // there was no such append
	}
	wrote, decided := m.own(proc, before)
	model := readNaive(m.events())
	state := model.reviewAt(decided, id)
	open := state == "waiting" || state == "parked"
	var want []string
	if settles := after(v, opening.SHA256, proc.notes); open && settles != "" {
		want = []string{settles}
		if (settles == "approved" || v.Decision == planmode.Leave) && !model.turnAt(decided) {
			want = append(want, "mode off")
			if v.Decision == planmode.ApproveFresh {
				want = append(want, "handoff")
			}
		}
	}
	// What follows the settlement is decided after it.
	stuck := len(wrote) > 0 && m.stuck(proc, model, decided+1)
	m.want("settle", wrote, want, fault == "lost" || fault == "prefix" || stuck)
	if len(wrote) > 1 {
		m.wantDelivered("settle", wrote[1:], model, decided+1)
	}
	var incomplete *planmode.HandoffError
	if errors.As(err, &incomplete) && (wrote == nil || !stuck && fault == "") {
		m.t.Fatalf("settle: %v\n%s", err, m.dump())
	}
	var settled *planmode.SettledError
	switch {
	case errors.As(err, &settled):
		if string(settled.State) != state || open {
			m.t.Fatalf("settle says %v, the review was %s\n%s", err, state, m.dump())
		}
	case err == nil && (len(wrote) == 0 || !open):
		m.t.Fatalf("settle answered nothing\n%s", m.dump())
	case err != nil && len(want) > 0 && fault != "lost" && fault != "prefix" && !stuck:
		m.t.Fatalf("settle: %v\n%s", err, m.dump())
	}
	m.note("settle %s: %v", v.Decision, err != nil)
}

// result logs a result of a call that has none, as a host or a repair does.
func (m *machine) result(how string) {
	if len(m.calls) == 0 {
		return
	}
	i := m.choose("call", len(m.calls))
	o := session.ToolOutcome{MessageID: m.id("m"), CallID: m.calls[i], IsError: how != "ok"}
	if how == "unknown" {
		o.ErrorName, o.ErrorCode = "E", session.ToolOutcomeUnknown
	}
	m.calls = slices.Delete(m.calls, i, i+1)
	m.add(session.ToolResult(1, 1, o))
}
