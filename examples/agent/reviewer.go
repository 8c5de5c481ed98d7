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
	answer func(ctx context.Context, v planmode.Verdict, err error) error
}

// Review asks the user. It returns as soon as the answer is no longer wanted.
func (r reviewer) Review(ctx context.Context, _ planmode.Agent, review planmode.Review) (planmode.Verdict, error) {
	type answer struct {
		verdict planmode.Verdict
		err     error
	}
	answers := make(chan answer, 1)
	q := &question{review: review, answer: func(_ context.Context, v planmode.Verdict, err error) error {
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
	return &question{review: review, answer: func(ctx context.Context, v planmode.Verdict, err error) error {
		if err != nil {
			return nil // no answer: the review stays parked
		}
		return p.Settle(ctx, agent, review.ID, v)
	}}
}

// reviewHelp says how a review is answered.
const reviewHelp = "Type approve, dismiss (to speak first), raw (to see the plan as written), or what to change."

// readVerdict reads an answer. Only the word approve approves; ok is false where the line
// is no answer, and then help says what to type.
func readVerdict(line string, review planmode.Review) (v planmode.Verdict, help string, ok bool) {
	v.SHA256 = review.SHA256
	words := strings.TrimSpace(line)
	switch strings.ToLower(words) {
	case "approve":
		v.Decision = planmode.Approve
	case "dismiss":
		v.Decision = planmode.Dismiss
	case "revise":
		v.Decision = planmode.Revise
	case "", "y", "yes", "ok", "n", "no", "help", "?":
		return planmode.Verdict{}, reviewHelp, false
	default:
		v.Decision, v.Feedback = planmode.Revise, words
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
	c.print(reviewHelp)
}
