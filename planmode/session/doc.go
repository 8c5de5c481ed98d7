// Package session holds the event log of an agent session: what is logged, in what form,
// and what a log and a store of logs must do.
//
//	store, err := filelog.New(dir, nil)
//	if err != nil {
//		return err
//	}
//	log, err := store.Create(ctx, session.Header{ID: "s-1", Cwd: cwd})
//	if err != nil {
//		return err
//	}
//	tip, err := log.Append(ctx, 0,
//		session.TurnStart(1),
//		session.UserMessage("m-1", session.UserSource(), session.TextBlock("hello")))
//	if err != nil {
//		return err
//	}
//	for e, err := range log.Read(ctx, 0) {
//		...
//	}
//
// # Logs
//
// The log is the only state of a session. Everything else is a fold of its events, so
// that whoever reads the same log sees the same session: after a crash, in another
// process, in a fork. A [Log] grows at its end and nowhere else. An append names the
// position it expects the log to end at, and is refused with [ErrConflict] if somebody
// was faster. [MemoryLog] and [MemoryStore] keep logs in memory; package
// [github.com/agentplan/sdk/planmode/session/filelog] keeps them in files. Logs that can
// be followed are a [Watcher]; logs that may take back what was seen are a [Rewinder].
// Package [github.com/agentplan/sdk/planmode/session/sessiontest] tests a log of your own.
//
// # Events
//
// An [Event] has the JSON form of a line of a session file of the original, whose
// sessions are read here and which reads those written here. [Validate] tells what its
// reader refuses: among it any event of a type that it does not know, unless the event
// is marked ignorable.
//
// There is a constructor for each event that a host writes: [TurnStart], [TurnEnd],
// [StepStart], [StepEnd], [RequestHeader], [UserMessage], [AssistantMessage], [ToolCall],
// [ToolResult], [CommandRun], [CommandDone] and [CommandFailed]. A turn that its process
// did not live to end is closed by [RepairLog] when the session is opened again.
package session
