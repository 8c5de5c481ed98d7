package planmode

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// InputPolicy tells what becomes of a message that the user writes while a call waits for
// the answer to its review. Whatever the message says, it is never an approval.
//
//catalog:type
type InputPolicy string

// The policies for input while a review waits.
const (
	// InputHold means that the message waits until the review has its answer, and is
	// then submitted as it is. It is the default.
	InputHold InputPolicy = "hold"
	// InputFeedback means that the message is the answer: the review is settled as
	// [Revise] with the message as feedback.
	InputFeedback InputPolicy = "feedback"
)

// Delivery tells a host what to do with a message of the user.
//
//catalog:type
type Delivery string

// What a host does with a message.
const (
	// DeliverNow means that no call waits for an answer: submit the message as usual.
	DeliverNow Delivery = "now"
	// DeliverLater means that a call waits for the answer to its review: keep the
	// message, and ask again when the review has ended.
	DeliverLater Delivery = "later"
	// Delivered means that the message was taken as feedback and reaches the model as
	// that: do not submit it.
	Delivered Delivery = "delivered"
)

// Input tells what to do with a message that the user wrote while a turn runs, by
// [Options.QueuedInput]. A host that queues messages asks before it submits one. Only a
// review that is [ReviewWaiting] holds a message back; while one is parked the user
// speaks to the model as usual. A blank message is never feedback.
//
// The host still has the message after an error.
func (p *PlanMode) Input(ctx context.Context, agent Agent, text string) (Delivery, error) {
	for {
		_, v, err := p.read(ctx, agent)
		if err != nil {
			return "", fmt.Errorf("take input: %w", err)
		}
		review := v.openReview()
		switch {
		case review == nil || review.State != ReviewWaiting:
			return DeliverNow, nil
		case p.opts.QueuedInput != InputFeedback || strings.TrimFunc(text, isSpace) == "":
			return DeliverLater, nil
		}
		err = p.Settle(ctx, agent, review.ID, Verdict{Decision: Revise, Feedback: text, SHA256: review.SHA256})
		var settled *SettledError
		switch {
		case err == nil:
			return Delivered, nil
		case !errors.As(err, &settled):
			return "", fmt.Errorf("take input as feedback: %w", err)
		}
		// Another answer was first: look again.
	}
}
