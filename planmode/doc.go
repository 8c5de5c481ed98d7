// Package planmode gives an agent loop a plan mode, in which the model plans and asks the
// user to review its plan before it carries it out.
//
// A host hands plan mode its seams once, and from then on the log is all there is:
//
//	cfg, err := planmode.ParseConfig(settings) // one key: section
//	if err != nil {
//		return err
//	}
//	plan, err := planmode.New(cfg, &planmode.Options{Reviewer: reviewer})
//	if err != nil {
//		return err
//	}
//	defer plan.Close()
//	unmount, err := plan.Mount(host) // step boundary, section, exit tool, /plan
//	if err != nil {
//		return err
//	}
//	defer unmount()
//	outcome, err := plan.Set(ctx, agent, true) // what /plan does
//	state, err := plan.Get(ctx, agent)         // what a UI shows
//
// The example of the package is a whole agent loop of this kind.
//
// # What it is, and what not
//
// Plan mode is guidance. While it is in force the configured text stands in the system
// prompt, and that is all: no tool is taken away and no call refused. An operator who
// wants calls refused sets up a [Gate]. Whoever needs a hard boundary combines it with a
// sandbox or with approval of calls, neither of which plan mode reads or writes.
//
// # The log is the state
//
// Whether plan mode is in force, what the user selected, what the model was last told and
// which review is open are each a pure function of the events of the session log, made by
// [Fold]. So a resumed session, a fork, a second process and a second client see the same,
// and nothing is lost in a crash that was acknowledged before it. [PlanMode] holds nothing
// but positions in logs and the fold of what lies before them. Appends name the position
// they were decided on; when somebody else was faster the decision is made anew.
//
// # Selections and the step boundary
//
// [Service.Set] is in force at once while no turn is open. Within a turn it waits for the
// next step boundary, [PlanMode.BeforeStep], which a host runs before it derives each
// request. The boundary also writes one notice, a message to the model, exactly when the
// model was last told another mode than the one in force or does not know the answer to a
// review.
//
// # Reviews
//
// The model leaves plan mode by the tool exit_plan_mode, whose argument is the plan. A
// [Reviewer] shows it to the user. Only an approval without a remark leaves plan mode to
// carry the plan out, and it is in the log before the model hears of it; guidance stays in
// force to the end of the step. A review outlives its call: when the process dies, or the
// reviewer cannot wait and returns [ErrReviewPending], the review is parked and any process
// that has the log answers it by [PlanMode.Settle]. A verdict names the hash of the plan it
// is about, and the first one wins.
//
// A [Verdict] may approve the text that the user made of the plan, comment on lines, leave
// plan mode with nothing carried out, or have the plan carried out in a new session, with
// a fresh context: see [Decision]. That last one is a [Handoff], which survives a crash at
// any point.
//
// Every submission is a revision of the plan of the session: [PlanMode.Revisions] lists
// them, [PlanMode.Diff] compares them, and [Options.PlanDir] has each exported as a file.
//
// # Watching and vetoes
//
// [PlanMode.Watch] brings the changes of a session, from any position of its log on, to any
// number of subscribers. [Options.Veto] lets a program refuse that plan mode is entered or
// left, that a plan is presented or that one is approved, with a reason.
//
// # Gate and policies
//
// With [Options.Gate] the tool calls of the model, of tools that call tools and of child
// agents are refused while plan mode is in force, unless the operator has listed the
// tool. [PlanMode.Admit] decides at the moment a call is to run, by the log; the tools that
// are offered stay the same. What happens without a reviewer, with input that comes
// while a review waits and with child agents are policies of [Options], each with a
// default. [PlanMode.Status] is what a host shows of it, [PlanMode.Health] whether it shows
// the section to the model.
//
// # Logging
//
// What no caller can be told is a warning to [Options.Logger]. Its attributes are:
//
//   - session: the id of the session.
//   - agent: the id of the agent.
//   - review: the id of a review.
//   - revision: the number of a review.
//   - seq: the seq of an event.
//   - tool: the name of a tool.
//   - path: a file.
//   - error: the cause.
//
// # Duties of a host
//
// A host implements [Host], [CommandHost] if its users can run commands, and [GateHost] if
// its tool calls can be refused. It logs turn/start and turn/end, request/header when the
// header of its requests changed, tool/call and tool/result, command/run and command/done;
// package session has a constructor for each. It sends the user/message events of the log to the model, or asks
// [PlanMode.Notices]. When it resumes a session it first closes the turn that a crash left
// open, with session.RepairLog: until then a review of that turn counts as waited for.
// Package planmodetest checks a host.
package planmode
