package planmode_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/agentplan/sdk/planmode"
)

// settleOpen answers the review that is open, if there is one, and only that of the call
// if one is given.
func (m *member) settleOpen(random *rand.Rand, call string) error {
	ctx := context.Background()
	review, err := m.plan.OpenReview(ctx, m)
	if err != nil || review == nil || call != "" && review.CallID != call {
		return err
	}
	kinds := answerKinds()
	verdict := m.intend(*review, kinds[random.IntN(len(kinds))])
	err = m.plan.Settle(ctx, m, review.ID, verdict)
	var settled *planmode.SettledError
	switch {
	case errors.As(err, &settled):
		return nil // somebody else was first
	case verdict.SHA256 != review.SHA256:
		if err == nil {
			m.notes.fault("settle took a verdict on another plan than that of review %s", review.ID)
		}
		return nil
	case err != nil:
		return err
	}
	m.notes.add(note{Kind: "settled", Review: review.ID, State: stateAfter(verdict), Feedback: verdict.Feedback})
	return nil
}

// stateAfter is the state in which a verdict on the right plan leaves a review.
func stateAfter(v planmode.Verdict) planmode.ReviewState {
	return planmode.ReviewState(after(v, v.SHA256, true))
}

// answerKinds are the kinds of verdicts that members give.
func answerKinds() []string {
	return []string{
		"approve", "approve", "edit", "edit, but", "notes", "fresh", "fresh", "fresh edit", "revise", "revise an edit", "comment", "remark", "remark on a line",
		"dismiss", "leave", "other plan",
	}
}

// intend makes the verdict and has it on disk before anybody is told.
func (m *member) intend(r planmode.Review, kind string) planmode.Verdict {
	v := verdictOf(kind, m.Name+" <"+r.ID+">", r.SHA256)
	m.notes.add(note{Kind: "intent", Review: r.ID, Decision: v.Decision, Feedback: v.Feedback, SHA256: v.SHA256, Plan: v.Plan, Comments: v.Comments})
	return v
}

// way is how the reviewer behaves when it is asked about the plan of a call.
type way struct {
	kind  string
	delay time.Duration
}

// Review implements planmode.Reviewer.
func (m *member) Review(ctx context.Context, _ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	m.mu.Lock()
	w := m.ways[r.CallID]
	m.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(w.delay):
	}
	switch w.kind {
	case "closed":
		return planmode.Verdict{}, planmode.ErrDismissed
	case "pending":
		return planmode.Verdict{}, planmode.ErrReviewPending
	case "error":
		return planmode.Verdict{}, errDisk
	case "block", "left":
		<-ctx.Done()
		return planmode.Verdict{}, ctx.Err()
	}
	return m.intend(r, w.kind), nil
}

// planText is a plan of a few lines or of many.
func (m *member) planText(name string) string {
	text := "# Plan of " + name + " \u2028 <&>\n\n- a line\n"
	if m.random.IntN(8) == 0 {
		text += strings.Repeat("- a line of \"many\"\n", m.random.IntN(4000))
	}
	return text
}

// exit runs a call of exit_plan_mode while the reviewer and the user behave in some way.
func (m *member) exit(ctx context.Context, id string, args json.RawMessage) planmode.Result {
	var plan struct{ Plan string }
	if err := json.Unmarshal(args, &plan); err != nil {
		panic(err)
	}
	m.notes.add(note{Kind: "present", Call: id, SHA256: sha(plan.Plan)})
	kinds := append(answerKinds(), "closed", "pending", "pending", "error", "block", "block", "left")
	w := way{kinds[m.random.IntN(len(kinds))], time.Duration(m.random.IntN(8)) * time.Millisecond}
	m.mu.Lock()
	m.ways[id] = w
	m.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	random := rand.New(rand.NewPCG(m.random.Uint64(), 0))
	switch {
	case w.kind == "block", w.kind == "left", m.random.IntN(8) == 0:
		go func() {
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
			if err := m.intervene(ctx, random, w, id, cancel); err != nil {
				m.notes.fault("intervene in call %s: %v", id, err)
			}
		}()
	}
	r := m.plan.ExitTool().Call(ctx, m, id, args)
	m.notes.add(note{Kind: "result", Call: id, IsError: r.IsError, Text: r.Content})
	return r
}

// intervene is what the user does while a call waits: answer elsewhere, leave plan mode,
// cancel the call, or nothing at all.
func (m *member) intervene(ctx context.Context, random *rand.Rand, w way, call string, cancel func()) error {
	if w.kind == "left" {
		_, err := m.plan.Set(context.WithoutCancel(ctx), m, false)
		return err
	}
	switch random.IntN(8) {
	case 0:
	case 1:
		cancel()
	default:
		return m.settleOpen(random, call)
	}
	return nil
}
