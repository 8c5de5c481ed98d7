package session_test

import (
	"context"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// A host logs what happens in a turn. When it opens the session again after a crash, it
// first closes what the crash left open.
func Example() {
	ctx := context.Background()
	log := session.NewMemoryLog("s-1")
	_, err := log.Append(ctx, 0,
		session.TurnStart(1),
		session.UserMessage("m-1", session.UserSource(), session.TextBlock("List the files.")),
		session.StepStart(1, 1),
		session.ToolCall(1, 1, "call-1", "ls", `{"path":"."}`),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := session.RepairLog(ctx, log); err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range log.Read(ctx, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Seq, e.Type)
	}
	// Output:
	// 0 turn/start
	// 1 user/message
	// 2 step/start
	// 3 tool/call
	// 4 tool/result
	// 5 step/end
	// 6 turn/end
}
