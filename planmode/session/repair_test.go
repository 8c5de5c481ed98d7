package session

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline tells what a repair does, one word an event.
func outline(t *testing.T, events []Event) []string {
	t.Helper()
	out := []string{}
	for _, e := range events {
		var data struct {
			Turn, Step int64
			Reason     struct{ Kind string }
			Message    struct {
				ID     string
				Source struct{ CallID string }
			}
			Error struct{ Code string }
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if err := Validate(e); err != nil {
			t.Error(err)
		}
		switch e.Type {
		case "tool/result":
			out = append(out, fmt.Sprintf("%s %s step %d of %d as %s from %v",
				data.Message.Source.CallID, data.Error.Code, data.Step, data.Turn, data.Message.ID, e.SourceEventSeqs))
		case "turn/end":
			out = append(out, fmt.Sprintf("%s %d %s", e.Type, data.Turn, data.Reason.Kind))
		default:
			out = append(out, fmt.Sprintf("%s %d of %d", e.Type, data.Step, data.Turn))
		}
	}
	return out
}

func TestRepair(t *testing.T) {
	asks := func(ids ...string) Event {
		r := Reply{ID: "m"}
		for _, id := range ids {
			r.Content = append(r.Content, ToolCallBlock(id, "read", "{}"))
		}
		return AssistantMessage(3, 2, r)
	}
	call := func(id string) Event { return ToolCall(3, 2, id, "read", "{}") }
	result := func(id string) Event { return ToolResult(3, 2, ToolOutcome{MessageID: "r", CallID: id}) }
	for _, c := range []struct {
		name   string
		events []Event
		want   []string
	}{
		{"empty", nil, []string{}},
		{"idle", []Event{TurnStart(3), TurnEnd(3, TurnCompleted)}, []string{}},
		{"idle after a call without result", []Event{TurnStart(3), StepStart(3, 2), call("a"), TurnEnd(3, TurnError), CommandRun("c", "plan", "")}, []string{}},
		{"turn", []Event{TurnStart(3)}, []string{"turn/end 3 interrupted"}},
		{"between steps", []Event{TurnStart(3), StepStart(3, 1), StepEnd(3, 1)}, []string{"turn/end 3 interrupted"}},
		{"step", []Event{TurnStart(3), StepStart(3, 2)}, []string{"step/end 2 of 3", "turn/end 3 interrupted"}},
		{
			"asked for", []Event{TurnStart(3), StepStart(3, 2), asks("a", "b")},
			[]string{"a TOOL_NOT_STARTED step 2 of 3 as repair-3 from [2]", "b TOOL_NOT_STARTED step 2 of 3 as repair-4 from [2]", "step/end 2 of 3", "turn/end 3 interrupted"},
		},
		{
			"one done, one started, one not", []Event{TurnStart(3), StepStart(3, 2), asks("a", "b", "c"), call("a"), result("a"), call("b")},
			[]string{"b TOOL_OUTCOME_UNKNOWN step 2 of 3 as repair-6 from [5]", "c TOOL_NOT_STARTED step 2 of 3 as repair-7 from [2]", "step/end 2 of 3", "turn/end 3 interrupted"},
		},
		{
			"started without being asked for", []Event{TurnStart(3), StepStart(3, 2), call("a")},
			[]string{"a TOOL_OUTCOME_UNKNOWN step 2 of 3 as repair-3 from [2]", "step/end 2 of 3", "turn/end 3 interrupted"},
		},
		{
			"all done", []Event{TurnStart(3), StepStart(3, 2), asks("a"), call("a"), result("a")},
			[]string{"step/end 2 of 3", "turn/end 3 interrupted"},
		},
		{
			"id used again", []Event{TurnStart(3), StepStart(3, 2), asks("a"), call("a"), result("a"), StepEnd(3, 2), StepStart(3, 3), asks("a")},
			[]string{"a TOOL_NOT_STARTED step 2 of 3 as repair-8 from [7]", "step/end 3 of 3", "turn/end 3 interrupted"},
		},
		{
			"calls of an earlier turn", []Event{TurnStart(2), call("z"), TurnEnd(2, TurnAborted), TurnStart(3)},
			[]string{"turn/end 3 interrupted"},
		},
		{
			"payloads of another shape", []Event{{Type: "turn/start", Data: json.RawMessage(`[]`)}, {Type: "assistant/message", Data: json.RawMessage(`{"message":3}`)}},
			[]string{"turn/end 0 interrupted"},
		},
	} {
		for i := range c.events {
			c.events[i].Seq = uint64(i)
		}
		closers := Repair(c.events)
		if diff := cmp.Diff(c.want, outline(t, closers)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		for i := range closers {
			closers[i].Seq = uint64(len(c.events) + i)
		}
		if again := Repair(append(c.events, closers...)); len(again) > 0 {
			t.Errorf("%s: a repaired log is repaired again: %v", c.name, outline(t, again))
		}
		if TurnOpen(c.events) != (len(closers) > 0) {
			t.Errorf("%s: TurnOpen is %t", c.name, TurnOpen(c.events))
		}
	}
}

// Each prefix of a repaired session is a crash of its own: repairing it closes it.
func TestRepairOfEveryPrefix(t *testing.T) {
	events := []Event{
		TurnStart(1), StepStart(1, 1), AssistantMessage(1, 1, Reply{ID: "m", Content: []Block{ToolCallBlock("a", "x", "{}"), ToolCallBlock("b", "x", "{}")}}),
		ToolCall(1, 1, "a", "x", "{}"), ToolCall(1, 1, "b", "x", "{}"), ToolResult(1, 1, ToolOutcome{MessageID: "r", CallID: "b"}),
	}
	for i := range events {
		events[i].Seq = uint64(i)
	}
	for n := 1; n <= len(events); n++ {
		closers := Repair(events[:n])
		for cut := range len(closers) + 1 {
			log := append([]Event(nil), events[:n]...)
			for _, e := range closers[:cut] {
				e.Seq = uint64(len(log))
				log = append(log, e)
			}
			rest := Repair(log)
			if got, want := len(rest), len(closers)-cut; got != want {
				t.Errorf("%d events and %d closers: %d closers are left, want %d", n, cut, got, want)
			}
		}
	}
}

func TestRepairLog(t *testing.T) {
	log := NewMemoryLog("m")
	if repaired, err := RepairLog(t.Context(), log); repaired || err != nil {
		t.Errorf("an empty log: %t, %v", repaired, err)
	}
	if _, err := log.Append(t.Context(), 0, TurnStart(1), StepStart(1, 1), ToolCall(1, 1, "a", "x", "{}")); err != nil {
		t.Fatal(err)
	}
	if repaired, err := RepairLog(t.Context(), log); !repaired || err != nil {
		t.Errorf("an open turn: %t, %v", repaired, err)
	}
	var types []string
	for e, err := range log.Read(t.Context(), 3) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, e.Type)
	}
	if diff := cmp.Diff([]string{"tool/result", "step/end", "turn/end"}, types); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if repaired, err := RepairLog(t.Context(), log); repaired || err != nil {
		t.Errorf("a repaired log: %t, %v", repaired, err)
	}
}
