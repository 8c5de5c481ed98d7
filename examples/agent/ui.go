package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/agentplan/sdk/examples/loop"
	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// ui is the conversation with the user. One goroutine runs it; turns run on another, and
// what they do reaches it through the log.
type ui struct {
	console  *console
	view     *view
	plan     *planmode.PlanMode
	host     *loop.Host
	agent    *loop.Agent
	log      session.Watcher
	attached bool // another process runs the turns

	questions <-chan *question // reviews that a call of this process waits for
	signals   <-chan os.Signal
	turns     chan error    // how the running turn ended
	changes   chan struct{} // the log has grown
	watching  chan error    // why the log is not watched any more
	watches   sync.WaitGroup

	question  *question          // the review that the user is asked about
	cancel    context.CancelFunc // of the running turn; nil while none runs
	cancelled bool
	inputOver bool
	quit      bool
	handedOff string // the review of a hand-off that is not to be followed: it was complete before
	successor string // the session to go on with, "" for none
}

// run talks to the user until there is nothing left to do.
func (u *ui) run(ctx context.Context) (err error) {
	u.console.print(fmt.Sprintf("Session %s. /help shows the commands.", u.agent.ID()))
	if err := u.view.catchUp(ctx, true); err != nil {
		return err
	}
	begins := u.view.begins()
	if begins {
		u.console.print("It begins with the plan of session " + u.view.folded.Approved.From + ":")
		u.console.markdown(u.view.folded.Approved.Plan)
	}
	if h := u.view.folded.Handoff; h != nil && h.State == planmode.HandoffComplete {
		u.handedOff = h.ReviewID
		u.console.print("The plan of this session went on in session " + h.Session + ": -resume " + h.Session)
	}
	ctx, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		if u.cancel != nil {
			<-u.turns
		}
		u.watches.Wait()
		if u.successor != "" {
			return
		}
		err = errors.Join(err, u.plan.Close())
		if u.view.folded.Review != nil && u.view.folded.Review.State.Open() && !u.attached {
			u.console.print("The review is still open: go on with -resume " + u.agent.ID())
		}
	}()
	u.watch(ctx)
	for {
		if err := u.view.catchUp(ctx, false); err != nil {
			return err
		}
		if err := u.followHandoff(ctx); err != nil || u.successor != "" {
			return err
		}
		if err := u.updateQuestion(ctx); err != nil {
			return err
		}
		if u.agent.Waiting() || begins {
			begins = false
			u.startTurn(ctx)
		}
		if u.quit || u.inputOver && u.cancel == nil && !u.agent.Waiting() {
			return nil
		}
		if err := u.next(ctx); err != nil {
			return err
		}
	}
}

// followHandoff completes a hand-off, unless a turn runs or another process runs them, and
// notes the session to go on with.
func (u *ui) followHandoff(ctx context.Context) error {
	h := u.view.folded.Handoff
	if h == nil || h.State == planmode.HandoffCancelled || h.ReviewID == u.handedOff || u.cancel != nil || u.attached {
		return nil
	}
	h, err := u.plan.ResumeHandoff(ctx, u.agent)
	if err != nil || h == nil || h.State != planmode.HandoffComplete {
		return err
	}
	u.successor = h.Session
	return u.view.catchUp(ctx, false)
}

// watch has the loop told when the log grows.
func (u *ui) watch(ctx context.Context) {
	from := u.view.position
	u.watches.Go(func() { u.watching <- watch(ctx, u.log, from, u.changes) })
}

// next waits for the next thing that happens, and does what it asks for.
func (u *ui) next(ctx context.Context) error {
	var lines <-chan string
	if !u.inputOver && (u.console.terminal || u.cancel == nil || u.question != nil) {
		// Input from a pipe waits until it is asked for; someone who types may speak
		// while a turn runs.
		lines = u.console.lines
		u.console.ask(u.prompt())
	}
	select {
	case line, ok := <-lines:
		if !ok {
			u.console.leavePrompt()
			u.inputOver = true
			return u.park(ctx)
		}
		u.console.answered(line)
		return u.take(ctx, line)
	case q := <-u.questions:
		if err := u.view.catchUp(ctx, false); err != nil {
			return err
		}
		u.setQuestion(q)
		if u.inputOver {
			return u.park(ctx)
		}
	case err := <-u.turns:
		if err != nil && !u.cancelled {
			u.console.print("! " + err.Error())
		}
		u.cancel, u.cancelled = nil, false
	case <-u.changes:
	case err := <-u.watching:
		if !errors.Is(err, session.ErrPosition) {
			return err
		}
		u.watch(ctx)
	case <-u.agent.Wake():
	case sig := <-u.signals:
		u.interrupt(sig)
	}
	return nil
}

// startTurn runs a turn, unless one runs.
func (u *ui) startTurn(ctx context.Context) {
	if u.cancel != nil || u.attached {
		return
	}
	ctx, u.cancel = context.WithCancel(ctx)
	go func() { u.turns <- u.agent.RunTurn(ctx) }()
}

// interrupt cancels the turn; a second signal, or one while no turn runs, quits.
func (u *ui) interrupt(sig os.Signal) {
	if u.cancel == nil || u.cancelled || sig != os.Interrupt {
		u.console.leavePrompt()
		u.quit = true
		return
	}
	u.cancelled = true
	u.cancel()
	u.console.print("The turn is cancelled. Press Ctrl-C again to quit.")
}

// updateQuestion drops a question that was answered elsewhere, and asks about an open
// review that no call of this process waits for.
func (u *ui) updateQuestion(ctx context.Context) error {
	review := u.view.folded.Review
	if q := u.question; q != nil && (review == nil || review.ID != q.review.ID || !review.State.Open()) {
		u.question = nil
	}
	if u.question != nil || review == nil || !review.State.Open() || u.inputOver {
		return nil
	}
	if !u.attached && (review.State != planmode.ReviewParked || u.cancel != nil) {
		return nil
	}
	// Plan mode hands it out with what changed since the last revision.
	open, err := u.plan.OpenReview(ctx, u.agent)
	if err != nil || open == nil {
		return err
	}
	u.setQuestion(parkedQuestion(u.plan, u.agent, *open))
	return nil
}

func (u *ui) setQuestion(q *question) {
	u.question = q
	u.console.showQuestion(q)
}

// park leaves the review that the user was asked about for later.
func (u *ui) park(ctx context.Context) error {
	q := u.question
	if q == nil {
		return nil
	}
	u.question = nil
	return q.answer(ctx, planmode.Verdict{}, planmode.ErrReviewPending)
}

func (u *ui) prompt() string {
	switch {
	case u.question != nil:
		return fmt.Sprintf("review %d> ", u.question.review.Revision)
	case u.view.folded.Active:
		return "plan> "
	}
	return "> "
}

// take does what a line of the user asks for.
func (u *ui) take(ctx context.Context, line string) error {
	text := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(text, "/"):
		return u.command(ctx, text)
	case u.question != nil:
		return u.answer(ctx, text)
	case text == "":
		return nil
	}
	if err := u.agent.Steer(ctx, text); err != nil {
		u.console.print("! " + err.Error())
	}
	return nil
}

// answer answers the review that the user is asked about.
func (u *ui) answer(ctx context.Context, text string) error {
	q := u.question
	switch text {
	case "raw":
		u.console.print(indent(q.review.Plan))
		return nil
	case "lines":
		u.console.print(q.draft.numbered())
		return nil
	case "forget":
		q.draft = newDraft(q.review.Plan)
		u.console.print("What you said about the plan is dropped.")
		return nil
	}
	if said, ok := q.draft.take(text); ok {
		u.console.print(said)
		return nil
	}
	verdict, help, ok := readVerdict(text, q.review, &q.draft)
	if !ok {
		u.console.print(help)
		return nil
	}
	if err := u.plan.CheckVerdict(q.review, verdict); err != nil {
		u.console.print("That cannot be sent: " + err.Error())
		return nil
	}
	u.question = nil
	err := q.answer(ctx, verdict, nil)
	var settled *planmode.SettledError
	switch {
	case errors.As(err, &settled):
		u.console.print("That review is over: it is " + string(settled.State) + ".")
		return nil
	case err != nil:
		return err
	}
	if u.cancel == nil && goesOn(verdict.Decision) {
		// Nobody waited for this answer. A turn lets the model hear it.
		u.startTurn(ctx)
	}
	return nil
}

// goesOn reports whether the model has something to do in this session after the decision.
func goesOn(d planmode.Decision) bool {
	switch d {
	case planmode.Dismiss, planmode.Leave, planmode.ApproveFresh:
		return false
	}
	return true
}

// command runs a line that begins with a slash.
func (u *ui) command(ctx context.Context, line string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	input := strings.TrimPrefix(line, "/"+name)
	switch name {
	case "quit", "exit":
		u.quit = u.question == nil
		u.inputOver = true
		return u.park(ctx)
	case "help":
		u.help()
		return nil
	case "compact":
		if u.cancel != nil {
			u.console.print("Wait for the turn to end.")
			return nil
		}
	}
	reply, err := u.agent.RunCommand(ctx, name, input)
	if err := u.view.catchUp(ctx, false); err != nil {
		return err
	}
	if errors.Is(err, loop.ErrNoCommand) {
		u.console.print(fmt.Sprintf("There is no command /%s; /help shows what there is.", name))
		return nil
	}
	if err != nil {
		u.console.print("! " + err.Error())
		return nil
	}
	u.console.print(reply)
	return nil
}

func (u *ui) help() {
	for _, c := range u.host.Commands() {
		u.console.print(strings.TrimSpace("/"+c.Name+" "+c.Hint) + "  " + c.Description)
	}
	u.console.print("/quit  End the program. The session is kept.")
	if u.question != nil {
		u.console.print(reviewHelp)
	}
}
