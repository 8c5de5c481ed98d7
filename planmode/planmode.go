package planmode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// Defaults of [Options].
const (
	// DefaultMaxPlanBytes is the default of [Options.MaxPlanBytes], 1 MiB.
	DefaultMaxPlanBytes = 1 << 20
	// DefaultBoundaryTimeout is the default of [Options.BoundaryTimeout].
	DefaultBoundaryTimeout = 5 * time.Second
	// DefaultMaxInvalidExits is the default of [Options.MaxInvalidExits].
	DefaultMaxInvalidExits = 5
)

// Options holds what can be changed about plan mode. A nil *Options and zero fields mean
// the defaults.
//
//catalog:type
type Options struct {
	// Reviewer asks about plans. Without one exit_plan_mode does what Headless says.
	Reviewer Reviewer
	// Logger receives what could not be done and no caller can be told, as warnings: at
	// the step boundary, by the gate, in the export of a plan, and where a hand-off stays
	// open. The package comment lists their attributes. The default is [slog.Default].
	Logger *slog.Logger
	// MaxPlanBytes is the largest plan that is reviewed, in bytes. The default is
	// [DefaultMaxPlanBytes].
	MaxPlanBytes int
	// BoundaryTimeout is how long [PlanMode.BeforeStep] may take. The default is
	// [DefaultBoundaryTimeout].
	BoundaryTimeout time.Duration
	// ReviewTimeout is how long exit_plan_mode waits for an answer before the review
	// expires. The default is without end. An expired review is never an approval.
	ReviewTimeout time.Duration
	// ApprovalNotes lets a user say something beside an approval without taking it back,
	// by the decision ApproveWithNotes. The default is that whatever is said beside an
	// approval asks for another revision.
	ApprovalNotes bool
	// Sessions holds the sessions of the agents, and is where the decision ApproveFresh
	// makes the new session. Without it that decision is refused with [ErrNoSessions].
	Sessions session.Store
	// Gate refuses tool calls while plan mode is in force. The default, nil, is none.
	Gate *Gate
	// MaxInvalidExits is how many calls of exit_plan_mode in a row may lead to no review
	// before the model is told to stop and wait instead of to call again. The default is
	// [DefaultMaxInvalidExits].
	MaxInvalidExits int
	// Headless tells what exit_plan_mode does without a Reviewer. The default is
	// [HeadlessFail].
	Headless HeadlessPolicy
	// AutoApprove has every plan that can be reviewed approved by a policy, and Reviewer
	// is not asked. The log names the policy, and the model is told that the user did
	// not review the plan. The default is false.
	AutoApprove bool
	// QueuedInput tells what [PlanMode.Input] does with a message that comes while a
	// review waits. The default is [InputHold].
	QueuedInput InputPolicy
	// Children tells what plan mode means for agents that work for one which is in plan
	// mode. The default is [ChildrenOff].
	Children ChildPolicy
	// Veto is asked before plan mode is entered or left by a selection, before a review
	// is opened and before an approval is recorded. An error refuses that: it reaches
	// the user as a [*VetoError], and the model as a failed exit_plan_mode with the
	// reason. The reason is the message of the error, or the Reason of a [*VetoError]
	// in it. Veto is asked once for each attempt, again where the log has changed so
	// that something else would be written, and never at the step boundary: what was
	// selected comes into force. A panic refuses too, and so does a context that ends
	// before the answer. It must be safe for concurrent use and not call back
	// what changes the same session. The default, nil, refuses nothing.
	Veto func(ctx context.Context, agent Agent, t Transition) error
	// PlanDir is a directory to which each revision of a plan is exported as a Markdown
	// file when its review is opened; it is made if need be. The name has the number,
	// the title and a part made of the ids of session and review, so that no two
	// revisions share a file. A file is written as a whole, never changed and never
	// replaced. What goes wrong is logged and does not keep the plan from being
	// reviewed; see also [PlanMode.Export]. The default is no export.
	PlanDir string
}

// PlanMode is plan mode for any number of agents. All state is in their logs, so that
// several values, in one process or in many, serve the same sessions. It remembers what
// it folded of the 256 logs used last, and holds on to these. Its methods are safe for
// concurrent use. Make one with [New].
//
//catalog:type
type PlanMode struct {
	machinery
}

// machinery is what a [PlanMode] works with; it keeps no state of plan mode.
type machinery struct {
	cfg     Config
	opts    Options
	cursors cursors
	feeds   feeds

	mu      sync.Mutex
	closed  bool
	closing chan struct{} // closed by Close
	calls   sync.WaitGroup
	errs    []error // what calls could not do while closing
}

var _ Service = (*PlanMode)(nil)

// New returns plan mode with that configuration. It fails if the configuration or an
// option is not valid, and names it.
func New(cfg Config, opts *Options) (*PlanMode, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("set up plan mode: %w", err)
	}
	p := &PlanMode{machinery{cfg: cfg, closing: make(chan struct{})}}
	if opts != nil {
		p.opts = *opts
	}
	if err := p.opts.complete(); err != nil {
		return nil, fmt.Errorf("set up plan mode: %w", err)
	}
	return p, nil
}

func (p *PlanMode) logger() *slog.Logger {
	if p.opts.Logger != nil {
		return p.opts.Logger
	}
	return slog.Default()
}

// Get implements [Service].
func (p *PlanMode) Get(ctx context.Context, agent Agent) (State, error) {
	log, err := logOf(agent)
	if err != nil {
		return State{}, fmt.Errorf("get plan mode: %w", err)
	}
	v, err := p.cursors.of(log).read(ctx)
	if err != nil {
		return State{}, err
	}
	return v.shown, v.faults
}

// read returns the log of the agent and what is known at its end.
func (p *PlanMode) read(ctx context.Context, agent Agent) (session.Log, view, error) {
	log, err := logOf(agent)
	if err != nil {
		return nil, view{}, err
	}
	v, err := p.cursors.of(log).read(ctx)
	return log, v, err
}

// Section returns the text of the system prompt section plan:policy: the configured
// guidance while plan mode is in force, and "" while it is not. A selection that waits
// has no part in it. It fails if the log cannot be read; to send a request without the
// guidance then would hide that plan mode may be on. Without an agent (nil) the section
// is "". For a child agent that inherits plan mode, see [ChildPolicy], it is a text that
// does not name exit_plan_mode.
func (p *PlanMode) Section(ctx context.Context, agent Agent) (string, error) {
	if agent == nil {
		return "", nil
	}
	by, err := p.planner(ctx, agent)
	switch {
	case err != nil || by == nil:
		return "", err
	case !by.child:
		p.cursors.of(by.log).steps.rendered()
	}
	if !by.guide {
		return say(sectionChild), nil
	}
	return p.cfg.Section, nil
}

// OpenReview returns the review that waits for an answer, nil if there is none.
func (p *PlanMode) OpenReview(ctx context.Context, agent Agent) (*Review, error) {
	log, v, err := p.read(ctx, agent)
	if err != nil || v.openReview() == nil {
		return nil, err
	}
	review := p.handed(log.ID(), &v.Folded)
	return &review, nil
}

// ApprovedPlan returns the plan that was approved last, nil if none was. It comes from
// the log byte for byte, whatever has been compacted away since. After [ApproveFresh] it
// is carried out in another session, see [PlanMode.Handoff]: do not give it back to the
// model of this one. Sessions of harnesses that record no plan/review have none.
func (p *PlanMode) ApprovedPlan(ctx context.Context, agent Agent) (*ApprovedPlan, error) {
	_, v, err := p.read(ctx, agent)
	if err != nil || v.Approved == nil {
		return nil, err
	}
	plan := *v.Approved
	return &plan, nil
}

// Close ends what this value has under way: a review that a call waits for is settled
// as aborted and its call fails, unless its answer is there. It returns when that is
// done, with an error if it could not be recorded. From then on [PlanMode.BeforeStep]
// does nothing and exit_plan_mode fails. The other methods work on the log as before.
// Closing again does nothing.
func (p *PlanMode) Close() error {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.closing)
	}
	p.mu.Unlock()
	p.calls.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	err := errors.Join(p.errs...)
	p.errs = nil
	return err
}

// isClosed reports whether Close was called.
func (p *PlanMode) isClosed() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}

// enter notes that a call has begun, so that Close waits for it. It returns false after
// Close; else the call ends with p.calls.Done.
func (p *PlanMode) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.calls.Add(1)
	return true
}

// noteClosing keeps an error for Close, if that was called.
func (p *PlanMode) noteClosing(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.errs = append(p.errs, err)
	}
}
