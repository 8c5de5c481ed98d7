package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agentplan/sdk/planmode/session"
)

// Repair closes what a process left open in the log when it died, and reports whether
// there was anything: its turn, with the tool calls in it, and its commands. Call it
// before the first turn of a process, and only where no other process runs turns on the
// session.
func Repair(ctx context.Context, log session.Log) (repaired bool, err error) {
	for {
		turn, err := session.RepairLog(ctx, log)
		repaired = repaired || turn
		if err == nil {
			var commands bool
			commands, err = endCommands(ctx, log)
			repaired = repaired || commands
		}
		switch {
		case errors.Is(err, session.ErrConflict):
			// Another process selected a mode or answered a review: look again.
		case err != nil:
			return repaired, fmt.Errorf("repair session %s: %w", log.ID(), err)
		default:
			return repaired, nil
		}
	}
}

// endCommands records that the commands without an end failed.
func endCommands(ctx context.Context, log session.Log) (ended bool, err error) {
	var running []string
	var tip int64
	for e, err := range log.Read(ctx, 0) {
		if err != nil {
			return false, err
		}
		switch e.Type {
		case "command/run":
			running = append(running, commandID(e))
		case "command/done":
			running = slices.DeleteFunc(running, func(id string) bool { return id == commandID(e) })
		}
		tip = int64(e.Seq) + 1
	}
	if len(running) == 0 {
		return false, nil
	}
	var events []session.Event
	for _, id := range running {
		events = append(events, session.CommandFailed(id, "The program ended while this command ran."))
	}
	_, err = log.Append(ctx, tip, events...)
	return err == nil, err
}

// commandID returns the id of a command event, "" if it has none.
func commandID(e session.Event) string {
	var data struct{ CommandID string }
	_ = json.Unmarshal(e.Data, &data)
	return data.CommandID
}
