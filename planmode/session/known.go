package session

// KnownType reports whether readers of format version 0 know the event type. They
// refuse a log that holds any other type without the ignorable mark.
func KnownType(name string) bool {
	_, ok := lookupType([]byte(name))
	return ok
}

// lookupType returns the constant for a known type, so that reading a log does not
// allocate the same names over and over.
func lookupType(name []byte) (string, bool) {
	switch string(name) {
	case "agent-preset/selected":
		return "agent-preset/selected", true
	case "agent/inbox/spliced":
		return "agent/inbox/spliced", true
	case "approval/asked":
		return "approval/asked", true
	case "approval/decided":
		return "approval/decided", true
	case "approval/policy":
		return "approval/policy", true
	case "assistant/chunk":
		return "assistant/chunk", true
	case "assistant/message":
		return "assistant/message", true
	case "command/done":
		return "command/done", true
	case "command/run":
		return "command/run", true
	case "compaction/end":
		return "compaction/end", true
	case "compaction/prune":
		return "compaction/prune", true
	case "compaction/start":
		return "compaction/start", true
	case "compaction/summary":
		return "compaction/summary", true
	case "feedback/record":
		return "feedback/record", true
	case "goal/change":
		return "goal/change", true
	case "hook/invoked":
		return "hook/invoked", true
	case "hook/result":
		return "hook/result", true
	case "llm/retry":
		return "llm/retry", true
	case "llm/retry-started":
		return "llm/retry-started", true
	case "permission/preset":
		return "permission/preset", true
	case "plan/mode":
		return "plan/mode", true
	case "request/context":
		return "request/context", true
	case "request/header":
		return "request/header", true
	case "sandbox/mode":
		return "sandbox/mode", true
	case "schedule/change":
		return "schedule/change", true
	case "session/end-seed":
		return "session/end-seed", true
	case "session/title":
		return "session/title", true
	case "session/title-llm-request":
		return "session/title-llm-request", true
	case "step/end":
		return "step/end", true
	case "step/start":
		return "step/start", true
	case "subagent/descriptor":
		return "subagent/descriptor", true
	case "todo/write":
		return "todo/write", true
	case "tool-workflow/agent-end":
		return "tool-workflow/agent-end", true
	case "tool-workflow/agent-start":
		return "tool-workflow/agent-start", true
	case "tool-workflow/run-end":
		return "tool-workflow/run-end", true
	case "tool-workflow/run-start":
		return "tool-workflow/run-start", true
	case "tool/call":
		return "tool/call", true
	case "tool/code-dispatch":
		return "tool/code-dispatch", true
	case "tool/code-dispatch-start":
		return "tool/code-dispatch-start", true
	case "tool/result":
		return "tool/result", true
	case "turn/end":
		return "turn/end", true
	case "turn/start":
		return "turn/start", true
	case "user/message":
		return "user/message", true
	case "web/deepseek-search-llm-request":
		return "web/deepseek-search-llm-request", true
	}
	return "", false
}

// onSurface reports whether events of the type change what the model sees.
func onSurface(name string) bool {
	return name == "user/message" || name == "assistant/message" || name == "tool/result"
}
