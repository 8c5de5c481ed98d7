package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/planmode"
)

// reviewer hands each review to the goroutine that talks to the user, and waits.
type reviewer struct{ questions chan *question }

var _ planmode.Reviewer = reviewer{}

// question is a review that waits for the user.
type question struct {
	review planmode.Review
	draft  draft
	answer func(ctx context.Context, v planmode.Verdict, err error) error
}

// Review asks the user. It returns as soon as the answer is no longer wanted.
func (r reviewer) Review(ctx context.Context, _ planmode.Agent, review planmode.Review) (planmode.Verdict, error) {
	type answer struct {
		verdict planmode.Verdict
		err     error
	}
	answers := make(chan answer, 1)
	q := &question{review: review, draft: newDraft(review.Plan), answer: func(_ context.Context, v planmode.Verdict, err error) error {
		answers <- answer{v, err}
		return nil
	}}
	select {
	case r.questions <- q:
	case <-ctx.Done():
		return planmode.Verdict{}, ctx.Err()
	}
	select {
	case a := <-answers:
		return a.verdict, a.err
	case <-ctx.Done():
		return planmode.Verdict{}, ctx.Err()
	}
}

// parkedQuestion asks about a review that no call of this process waits for.
func parkedQuestion(p *planmode.PlanMode, agent planmode.Agent, review planmode.Review) *question {
	return &question{review: review, draft: newDraft(review.Plan), answer: func(ctx context.Context, v planmode.Verdict, err error) error {
		if err != nil {
			return nil // no answer: the review stays parked
		}
		return p.Settle(ctx, agent, review.ID, v)
	}}
}

// reviewHint says how a review is answered, and reviewHelp says all of it.
const (
	reviewHint = "Type approve, dismiss (to speak first), raw (to see the plan as written), help (for more), or what to change."
	reviewHelp = reviewHint + `
  approve fresh  carry it out in a new session, which begins with the plan
  leave          leave plan mode and carry nothing out
  lines          show the numbers of the lines
  2: WORDS       comment on line 2, and 2-4: WORDS on lines 2 to 4; revise sends the comments
  2= TEXT        rewrite line 2; approve accepts the plan as you have it then
  forget         drop the comments and the rewritten lines`
)

// readVerdict reads an answer. Only the words approve and approve fresh approve; ok is
// false where the line is no answer, and then help says what to type.
func readVerdict(line string, review planmode.Review, d *draft) (v planmode.Verdict, help string, ok bool) {
	v.SHA256 = review.SHA256
	words := strings.TrimSpace(line)
	command := strings.Join(strings.Fields(strings.ToLower(words)), " ")
	switch command {
	case "approve", "approve fresh":
		if len(d.comments) > 0 {
			return planmode.Verdict{}, "You have made comments: type revise to send them, or forget and then approve.", false
		}
		v.Decision, v.Plan = planmode.Approve, d.plan()
		switch {
		case command == "approve fresh":
			v.Decision = planmode.ApproveFresh
		case d.changed:
			v.Decision = planmode.ApproveEdit
		}
	case "dismiss":
		v.Decision = planmode.Dismiss
	case "leave":
		v.Decision = planmode.Leave
	case "", "y", "yes", "ok", "n", "no", "help", "?":
		return planmode.Verdict{}, reviewHelp, false
	default:
		v.Decision, v.Comments, v.Plan = planmode.Revise, d.comments, d.plan()
		if command != "revise" {
			v.Feedback = words
		}
	}
	return v, "", true
}

// showQuestion shows the plan, and beside it what changed since the last revision.
func (c *console) showQuestion(q *question) {
	c.print(fmt.Sprintf("Revision %d of the plan is ready for review:", q.review.Revision))
	c.markdown(q.review.Plan)
	if q.review.Diff != "" {
		c.print("What changed since the last revision:")
		c.print(indent(q.review.Diff))
	}
	if q.review.File != "" {
		c.print("The plan is also in " + q.review.File)
	}
	c.print(reviewHint)
}
