package planmode_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// check holds what the killed processes left against their notes and the naive model.
func (k *killed) check(t *testing.T) {
	t.Helper()
	log, err := k.store.Open(t.Context(), k.config.Session)
	if errors.Is(err, session.ErrNotExist) && len(k.notes) == 0 {
		return
	}
	if err != nil {
		t.Fatalf("open after a kill: %v", err)
	}
	all := events(t, log)
	k.checkAppends(t, all)
	model := readNaive(all)
	k.checkReviews(t, model)
	k.checkAnswers(t, model)
	k.checkTold(t, all, model)
	k.checkViews(t, log, all, model)
	k.checkHandoffs(t, model)
	k.checked = k.solid
	if t.Failed() {
		var dump strings.Builder
		for _, e := range all {
			fmt.Fprintf(&dump, "%d %s %.200s\n", e.Seq, e.Type, e.Data)
		}
		t.Logf("session %s, acknowledged up to position %d:\n%s", k.config.Session, k.solid, dump.String())
	}
}

// checkAppends holds that each append which was acknowledged is where it was promised.
func (k *killed) checkAppends(t *testing.T, all []session.Event) {
	t.Helper()
	for _, n := range k.notes {
		if n.Kind != "append" {
			continue
		}
		k.solid = max(k.solid, n.Tip)
		if n.Tip > int64(len(all)) {
			t.Fatalf("%d events are left, position %d was acknowledged", len(all), n.Tip)
		}
		var got []string
		for _, e := range all[n.Tip-int64(len(n.Events)) : n.Tip] {
			got = append(got, fingerprint(e))
		}
		if diff := cmp.Diff(n.Events, got); diff != "" {
			t.Errorf("acknowledged events before position %d: %s", n.Tip, diff)
		}
	}
	for i, e := range all {
		if e.Seq != uint64(i) {
			t.Errorf("event %d has seq %d", i, e.Seq)
		}
	}
}

// checkReviews holds that each review is of the plan that its call presented, and that
// each answer in the log is one that somebody meant to give.
func (k *killed) checkReviews(t *testing.T, model naive) {
	t.Helper()
	type answer struct {
		review, plan, feedback, edit string
		comments                     int
		state                        planmode.ReviewState
	}
	intended := map[answer]bool{}
	presented := map[string]string{}
	for _, n := range k.notes {
		switch n.Kind {
		case "intent":
			state := stateAfter(planmode.Verdict{Decision: n.Decision, Feedback: n.Feedback, Comments: n.Comments})
			intended[answer{n.Review, n.SHA256, n.Feedback, n.Plan, len(n.Comments), state}] = true
		case "present":
			presented[n.Call] = n.SHA256
		}
	}
	for i, r := range model {
		if r.Type != planmode.EventReview {
			continue
		}
		switch state := planmode.ReviewState(r.State); state {
		case "open":
			if r.SHA256 != presented[r.CallID] || sha(r.Plan) != r.SHA256 {
				t.Errorf("event %d: review %s is not of the plan that was presented", i, r.ID)
			}
		case planmode.ReviewApproved, planmode.ReviewRevise, planmode.ReviewDismissed:
			closed := state == planmode.ReviewDismissed && r.Feedback == "" // by the reviewer's error
			if !closed && !intended[answer{r.ID, r.SHA256, r.Feedback, r.Plan, len(r.Comments), state}] {
				t.Errorf("event %d: review %s is %s without an answer", i, r.ID, state)
			}
		}
	}
}

// checkAnswers holds that each answer which was acknowledged stands: Settle took it, or
// the tool returned it.
func (k *killed) checkAnswers(t *testing.T, model naive) {
	t.Helper()
	outcomes, byCall := map[string]record{}, map[string]record{}
	for i, r := range model {
		if r.Type == planmode.EventReview && model.settles(i) {
			outcomes[r.ID] = r
			byCall[model[model.openingOf(r.ID, i)].CallID] = r
		}
	}
	for _, n := range k.notes {
		switch n.Kind {
		case "settled":
			if got := outcomes[n.Review]; got.State != string(n.State) || got.Feedback != n.Feedback {
				t.Errorf("review %s was settled as %s with %q, and the log has %q with %q", n.Review, n.State, n.Feedback, got.State, got.Feedback)
			}
		case "result":
			got := byCall[n.Call]
			if !n.IsError && got.State != "approved" {
				t.Errorf("call %s returned an approval, and in the log its review is %q", n.Call, got.State)
			}
			for _, other := range k.notes {
				if other.Kind == "intent" && other.Feedback != "" && strings.Contains(n.Text, other.Feedback) && got.Feedback != other.Feedback {
					t.Errorf("call %s returned %q, and the log has %q", n.Call, other.Feedback, got.Feedback)
				}
			}
		}
	}
}

// checkTold holds that each request told the model the state in force, and that each
// notice since the last check was due: it told another state than the one told before,
// or the answers that were owed and no others.
func (k *killed) checkTold(t *testing.T, all []session.Event, model naive) {
	t.Helper()
	header := -1
	for i := range all {
		switch {
		case all[i].Type == "request/header":
			header = i
		case int64(i) < k.checked:
		case all[i].Type == "assistant/message":
			active, told := model.activeAt(i), model.toldAt(i)
			if guided := strings.Contains(string(all[header].Data), guidance); told == nil || *told != active || guided != active {
				t.Errorf("event %d: the request has guidance %v, told is %v, active is %v", i, guided, told, active)
			}
		case model.notice(i):
			var owed []string
			for _, r := range model.owedAt(i) {
				owed = append(owed, r.ID)
				for _, said := range r.words() {
					if !strings.Contains(noticeText(all[i]), said) {
						t.Errorf("event %d: the notice lacks %q", i, said)
					}
				}
			}
			if !slices.Equal(owed, model[i].Source.Reviews) {
				t.Errorf("event %d: the notice carries %q, want %q", i, model[i].Source.Reviews, owed)
			}
			told := model.toldAt(i)
			if len(owed) == 0 && (told == nil || *told == model.activeAt(i)) {
				t.Errorf("event %d: the model is told twice", i)
			}
		}
	}
}

// checkHandoffs holds that plan mode is left for no hand-off whose session does not begin
// with the plan.
func (k *killed) checkHandoffs(t *testing.T, model naive) {
	t.Helper()
	n := len(model)
	if h := model.handoffAt(n, k.config.Session); h != nil && h.State == planmode.HandoffOpen && !model.activeAt(n) {
		k.wantHanded(t, h.Session, h.SHA256)
	}
	for _, r := range model {
		if r.Type == planmode.EventHandoff {
			k.wantHanded(t, r.Session, r.SHA256)
		}
	}
}

func (k *killed) wantHanded(t *testing.T, id, hash string) {
	t.Helper()
	log, err := k.store.Open(t.Context(), id)
	if err != nil {
		t.Errorf("open the session that a plan was handed over to: %v", err)
		return
	}
	all := events(t, log)
	if len(all) != 1 {
		t.Errorf("session %s has %d events", id, len(all))
		return
	}
	if got := readNaive(all).approvedAt(1); got == nil || got.SHA256 != hash || got.From != k.config.Session {
		t.Errorf("session %s begins with %s", id, all[0].Data)
	}
}

// checkViews holds that plan mode which reads the log from the start, plan mode which has
// followed it, and the fold all see what the model sees.
func (k *killed) checkViews(t *testing.T, log session.Log, all []session.Event, model naive) {
	t.Helper()
	n := len(all)
	type sight struct {
		State    planmode.State
		Review   string
		Approved *planmode.ApprovedPlan
	}
	want := sight{State: model.stateAt(n), Approved: model.approvedAt(n)}
	if id := model.openAt(n); id != "" {
		want.Review = id + " " + model.reviewAt(n, id)
	}
	if k.followed == nil {
		k.followed = agentOn(log)
	}
	for name, view := range map[string]struct {
		p     *planmode.PlanMode
		agent planmode.Agent
	}{
		"fresh":    {newPlanMode(t, nil), agentOn(log)},
		"follower": {k.follower, k.followed},
	} {
		var got sight
		var err error
		if got.State, err = view.p.Get(t.Context(), view.agent); err != nil {
			t.Error(err)
		}
		if got.Approved, err = view.p.ApprovedPlan(t.Context(), view.agent); err != nil {
			t.Error(err)
		}
		review, err := view.p.OpenReview(t.Context(), view.agent)
		if err != nil {
			t.Error(err)
		}
		if review != nil {
			got.Review = review.ID + " " + string(review.State)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
	checkFold(t, all, model)
}

// checkFold holds the fold from the start against the naive model.
func checkFold(t *testing.T, all []session.Event, model naive) {
	t.Helper()
	n := len(all)
	s := fold(t, all)
	if diff := cmp.Diff(model.stateAt(n), s.State()); diff != "" {
		t.Errorf("fold (-want +got): %s", diff)
	}
	if diff := cmp.Diff(model.toldAt(n), s.Told); diff != "" {
		t.Errorf("told (-want +got): %s", diff)
	}
	if got := planmode.FoldPlanMode(all); got != model.activeAt(n) {
		t.Errorf("FoldPlanMode says %v", got)
	}
	if got, want := len(s.Owed()), len(model.owedAt(n)); got != want {
		t.Errorf("%d answers are owed, want %d", got, want)
	}
}

// end repairs the session as a host does, turn and commands, and goes on with it: an open
// review is answered, and a plan is presented and approved.
func (k *killed) end(t *testing.T) {
	t.Helper()
	log, err := k.store.Open(t.Context(), k.config.Session)
	if errors.Is(err, session.ErrNotExist) && len(k.notes) == 0 {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	k.count(t, log)
	if _, err := session.RepairLog(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	agent := agentOn(log)
	all := readNaive(events(t, log))
	for _, run := range all {
		ended := func(r record) bool { return r.Type == "command/done" && r.CommandID == run.CommandID }
		if run.Type == "command/run" && !slices.ContainsFunc(all, ended) {
			add(t, agent, session.CommandFailed(run.CommandID, "cut off"))
		}
	}
	p := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Approve, ""), Sessions: k.store})
	if h, err := p.ResumeHandoff(t.Context(), agent); err != nil || h != nil && h.State == planmode.HandoffOpen {
		t.Errorf("after a repair the hand-off is %+v, %v", h, err)
	}
	k.checkHandoffs(t, readNaive(events(t, log)))
	if r := openReview(t, p, agent); r != nil {
		v := planmode.Verdict{Decision: planmode.Revise, Feedback: "last words", SHA256: r.SHA256}
		if r.State != planmode.ReviewParked {
			t.Errorf("after a repair the review is %s", r.State)
		}
		if err := p.Settle(t.Context(), agent, r.ID, v); err != nil {
			t.Error(err)
		}
	}
	set(t, p, agent, true)
	add(t, agent, start())
	p.BeforeStep(t.Context(), agent)
	if r := exit(t, p, agent, "last", plan); r.IsError {
		t.Errorf("exit after a repair: %s", r.Content)
	}
	p.BeforeStep(t.Context(), agent)
	add(t, agent, end())
	if got := state(t, p, agent); got != off {
		t.Errorf("after an approved exit the state is %s", got)
	}
	if got, err := p.ApprovedPlan(t.Context(), agent); err != nil || got == nil || got.Plan != plan || got.Superseded {
		t.Errorf("approved plan is %+v, %v", got, err)
	}
	all = readNaive(events(t, log))
	if owed := all.owedAt(len(all)); len(owed) > 0 {
		t.Errorf("the model was never told %+v", owed)
	}
	if _, err := k.store.Open(t.Context(), k.config.Session); err != nil {
		t.Errorf("open at the end: %v", err)
	}
}

// count adds the session to the tally.
func (k *killed) count(t *testing.T, log session.Log) {
	for _, n := range k.notes {
		switch n.Kind {
		case "append":
			k.total.events += len(n.Events)
		case "settled":
			k.total.settled++
		case "result":
			k.total.calls++
		}
	}
	for _, what := range kinds(t, log) {
		switch what {
		case "review open":
			k.total.reviews++
		case "review approved":
			k.total.approved++
		case "notice":
			k.total.notices++
		case "handoff":
			k.total.handoffs++
		}
	}
}
