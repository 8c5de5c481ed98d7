package planmode_test

import (
	"context"

	"github.com/agentplan/sdk/planmode"
)

// machineRefusals is how many refusals the gate of a machine logs.
const machineRefusals = 3

// use asks the gate about a call.
func (m *machine) use(proc *process) {
	name := pick(m, "tool", []string{"read", "write", planmode.ToolName})
	before := m.len()
	fault, inject := proc.disturbances()
	proc.disturb(fault, inject)
	_, ok := proc.p.Admit(context.Background(), proc, planmode.ToolUse{Name: name, CallID: m.id("use")})
	wrote, decided := m.own(proc, before)
	model := readNaive(m.events())
	runs := name != "write" || !model.activeAt(decided)
	var want []string
	if !runs && model.statusAt(decided).Refusals < machineRefusals {
		want = []string{"refusal"}
	}
	m.want("gate", wrote, want, fault == "lost" || fault == "prefix")
	if ok != runs {
		m.t.Fatalf("the gate lets %s run: %v, want %v\n%s", name, ok, runs, m.dump())
	}
	m.note("use %s: %v", name, ok)
}

// presentable reports whether a plan may be presented at n, as far as modes go.
func (l naive) presentable(n int) bool {
	announced := l.announcedAt(n)
	return l.activeAt(n) && l.pendingAt(n) == nil && (announced == nil || *announced)
}

func (l naive) statusAt(n int) planmode.Status {
	var s planmode.Status
	for i := range n {
		flips := l.activeAt(i) != l.activeAt(i+1)
		_, success, repair := l.exitResult(i)
		switch {
		case flips:
			s.Refusals, s.InvalidExits = 0, 0
		case l[i].Type == "plan/refusal" && l.activeAt(i):
			s.Refusals++
		case l[i].Type == "plan/review" && l[i].State == "open":
			s.InvalidExits = 0
		case l[i].Type == "turn/start", l[i].Type == "turn/end":
			s.EndedInPlanMode = l[i].Type == "turn/end" && l.activeAt(i)
		case l.failedExit(i) && !success && !repair:
			s.InvalidExits++
		}
	}
	state := l.stateAt(n)
	s.AwaitingReview = l.openAt(n) != ""
	switch {
	case s.AwaitingReview && state.Active:
		s.Phase = planmode.PhaseAwaitingReview
	case state.Active && state.Pending != nil:
		s.Phase = planmode.PhaseLeaving
	case state.Active:
		s.Phase = planmode.PhasePlanning
	case state.Pending != nil:
		s.Phase = planmode.PhaseEntering
	default:
		s.Phase = planmode.PhaseDefault
	}
	return s
}

// failedExit reports whether i is the result of an exit call that opened no review.
func (l naive) failedExit(i int) bool {
	is, _, _ := l.exitResult(i)
	if !is {
		return false
	}
	for _, r := range l[:i] {
		if r.Type == "plan/review" && r.CallID == l[i].Message.Source.CallID {
			return false
		}
	}
	return true
}
