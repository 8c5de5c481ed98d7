package planmode_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// machineStore is the way of a process to the sessions that plans are handed over to. A
// write goes wrong if the process is to be disturbed there.
type machineStore struct {
	session.Store
	p *process
}

func (s machineStore) Open(ctx context.Context, id string) (session.Log, error) {
	if s.p.dead.Load() {
		return nil, errDead
	}
	log, err := s.Store.Open(ctx, id)
	return machineLog{log, s.p}, err
}

func (s machineStore) Create(ctx context.Context, h session.Header) (session.Log, error) {
	lands, err := s.p.storeFault()
	if !lands {
		return nil, err
	}
	log, createErr := s.Store.Create(ctx, h)
	if err == nil {
		err = createErr
	}
	return machineLog{log, s.p}, err
}

type machineLog struct {
	session.Log
	p *process
}

func (l machineLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	lands, err := l.p.storeFault()
	if !lands {
		return 0, err
	}
	tip, appendErr := l.Log.Append(ctx, expect, events...)
	if err == nil {
		err = appendErr
	}
	return tip, err
}

// storeFault reports whether the next write to the store lands, and with which error.
func (p *process) storeFault() (lands bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead.Load() {
		return false, errDead
	}
	if p.storeSkip > 0 {
		p.storeSkip--
		return true, nil
	}
	fault := p.store
	p.store = ""
	switch fault {
	case "lost":
		p.storeHit = true
		return false, errDisk
	case "landed":
		p.storeHit = true
		return true, errDisk
	case "dies":
		p.storeHit = true
		p.dead.Store(true)
		return false, errDead
	case "dies after":
		p.storeHit = true
		p.dead.Store(true)
		return true, errDead
	}
	return true, nil
}

// disturbStore makes a write of the process to the store go wrong now and then.
func (m *machine) disturbStore(proc *process) {
	proc.store = pick(m, "store", []string{"", "", "", "", "lost", "landed", "dies", "dies after"})
	proc.storeSkip = m.choose("store writes before", 2)
}

// delivered reports whether the session of the hand-off begins with its plan, and whether
// it cannot because it begins with another: one of an approval that the log took back.
func (m *machine) delivered(h *planmode.Handoff) (complete, blocked bool) {
	m.t.Helper()
	log, err := m.store.Open(context.Background(), h.Session)
	if err != nil {
		return false, false
	}
	all := m.eventsOf(log)
	if len(all) == 0 {
		return false, false
	}
	approved := readNaive(all).approvedAt(len(all))
	if approved == nil {
		m.t.Fatalf("session %s begins with %s", h.Session, all[0].Data)
	}
	return approved.SHA256 == h.SHA256, approved.SHA256 != h.SHA256
}

// stuck reports whether what a process did may have ended before its hand-off: the store
// failed it, or holds another plan.
func (m *machine) stuck(proc *process, model naive, decided int) bool {
	h := model.handoffAt(decided, "s")
	if h == nil || h.State != planmode.HandoffOpen {
		return false
	}
	_, blocked := m.delivered(h)
	return proc.storeHit || blocked
}

// checkSessions holds that plan mode is left for no hand-off whose session does not begin
// with the plan, and that each such session has what it should and no more.
func (m *machine) checkSessions(model naive) {
	m.t.Helper()
	for i, r := range model {
		if r.Type != "plan/handoff" {
			continue
		}
		if complete, _ := m.delivered(&planmode.Handoff{Session: r.Session, SHA256: r.SHA256}); !complete {
			m.t.Fatalf("event %d: session %s does not begin with the plan\n%s", i, r.Session, m.dump())
		}
	}
	ctx := context.Background()
	for header, err := range m.store.List(ctx) {
		if err != nil {
			m.t.Fatalf("list: %v", err)
		}
		if m.seen[header.ID] {
			continue
		}
		log, err := m.store.Open(ctx, header.ID)
		if err != nil {
			m.t.Fatalf("open: %v", err)
		}
		all := m.eventsOf(log)
		if len(all) == 0 {
			continue
		}
		m.seen[header.ID] = true
		want := readNaive(all).approvedAt(1)
		got, err := m.procs[0].p.ApprovedPlan(ctx, agentOn(log))
		if err != nil {
			m.t.Fatalf("approved plan of a new session: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(all) != 1 || header.ParentSession != "s" || want.From != "s" {
			m.t.Fatalf("session %+v begins with %s and has %d events: %s", header, all[0].Data, len(all), diff)
		}
		if strings.Count(string(all[0].Data), quoted(want.Plan)) != 1 || planmode.FoldPlanMode(all) {
			m.t.Fatalf("session %s begins with %s", header.ID, all[0].Data)
		}
	}
}

// resume goes on with a hand-off.
func (m *machine) resume(proc *process) {
	before := m.len()
	fault, inject := proc.disturbances()
	proc.disturb(fault, inject)
	h, err := proc.p.ResumeHandoff(context.Background(), proc)
	wrote, decided := m.own(proc, before)
	model := readNaive(m.events())
	open := model.handoffAt(decided, "s")
	var want []string
	if open != nil && open.State == planmode.HandoffOpen && !model.turnAt(decided) {
		want = model.handOver(decided)
	}
	wrong := fault == "lost" || fault == "prefix" || m.stuck(proc, model, decided)
	m.want("resume", wrote, want, wrong)
	m.wantDelivered("resume", wrote, model, decided)
	switch {
	case err != nil && !wrong && !proc.dead.Load():
		m.t.Fatalf("resume: %v\n%s", err, m.dump())
	case err == nil && (h == nil) != (open == nil):
		m.t.Fatalf("resume gives %+v, want %+v\n%s", h, open, m.dump())
	case err == nil && h != nil:
		if len(want) > 0 {
			open.State = planmode.HandoffComplete
		}
		if diff := cmp.Diff(open, h); diff != "" {
			m.t.Fatalf("resume: %s\n%s", diff, m.dump())
		}
	}
	m.note("resume: %v %v", h != nil, err != nil)
}

// wantDelivered fails if plan mode was left for a hand-off before its session was there.
func (m *machine) wantDelivered(what string, wrote []string, model naive, decided int) {
	m.t.Helper()
	h := model.handoffAt(decided, "s")
	if h == nil || h.State != planmode.HandoffOpen {
		return
	}
	for _, kind := range wrote {
		if complete, _ := m.delivered(h); !complete && (kind == "mode off" || kind == "handoff") {
			m.t.Fatalf("%s wrote %q before the new session was there\n%s", what, wrote, m.dump())
		}
	}
}

func (m *machine) eventsOf(log session.Log) []session.Event {
	var out []session.Event
	for e, err := range log.Read(context.Background(), 0) {
		if err != nil {
			m.t.Fatalf("read: %v", err)
		}
		out = append(out, e)
	}
	return out
}

// verdictOf makes the verdict of a user who behaves in some way.
func verdictOf(way, id, hash string) planmode.Verdict {
	v := planmode.Verdict{Decision: planmode.Approve, SHA256: hash}
	switch way {
	case "revise":
		v.Decision, v.Feedback = planmode.Revise, "words on "+id
	case "revise an edit":
		v.Decision, v.Plan = planmode.Revise, editOf(id)
	case "comment":
		v.Decision, v.Comments = planmode.Revise, []planmode.Comment{{Line: 1, EndLine: 3, Text: "comment on " + id}}
	case "remark":
		v.Feedback = "remark on " + id
	case "remark on a line":
		v.Comments = []planmode.Comment{{Line: 3, Text: "comment on " + id}}
	case "dismiss":
		v.Decision = planmode.Dismiss
	case "leave":
		v.Decision, v.Feedback = planmode.Leave, "bye from "+id
	case "edit":
		v.Decision, v.Plan = planmode.ApproveEdit, editOf(id)
	case "edit, but":
		v.Decision, v.Plan, v.Feedback = planmode.ApproveEdit, editOf(id), "but "+id
	case "bad edit":
		v.Decision, v.Plan = planmode.ApproveEdit, "no plan of "+id
	case "notes":
		v.Decision, v.Feedback = planmode.ApproveWithNotes, "notes on "+id
	case "fresh":
		v.Decision = planmode.ApproveFresh
	case "fresh edit":
		v.Decision, v.Plan = planmode.ApproveFresh, editOf(id)
	case "fresh, but":
		v.Decision, v.Feedback = planmode.ApproveFresh, "but "+id
	case "other plan":
		v.SHA256 = sha("other")
	case "unknown":
		v.Decision = "perhaps"
	}
	return v
}

func editOf(id string) string { return fmt.Sprintf("# Edit of %s\n\n<by> the \"user\"\n", id) }

// after returns the state in which a verdict that is valid leaves a review, "" for one
// that is none.
func after(v planmode.Verdict, hash string, notes bool) string {
	if v.SHA256 != hash || v.Plan != "" && !strings.HasPrefix(v.Plan, "# ") {
		return ""
	}
	remark := v.Feedback != "" || len(v.Comments) > 0
	switch v.Decision {
	case planmode.Approve, planmode.ApproveEdit, planmode.ApproveFresh:
		if remark {
			return "revise"
		}
		return "approved"
	case planmode.ApproveWithNotes:
		if notes && len(v.Comments) == 0 {
			return "approved"
		}
		return "revise"
	case planmode.Revise:
		return "revise"
	case planmode.Dismiss, planmode.Leave:
		return "dismissed"
	}
	return ""
}
