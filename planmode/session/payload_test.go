package session

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The events that the constructors make are those of a session that the original wrote.
func TestConstructorsAgainstOriginal(t *testing.T) {
	tool := json.RawMessage(`{"name":"exit_plan_mode","description":"d","parameters":{"type":"object","properties":{"plan":{"type":"string"}},"required":["plan"]}}`)
	made := map[int]Event{
		0: CommandRun("cmd-1", "plan", " do it"),
		2: CommandDone("cmd-1", "Plan mode on. Use /plan off to leave."),
		3: TurnStart(1),
		4: UserMessage("m1", UserSource(), TextBlock("do it")),
		5: StepStart(1, 1),
		6: RequestHeader(Request{Provider: "p", Model: "m", System: "S", Tools: []json.RawMessage{tool}}, HeaderInitial),
		9: AssistantMessage(1, 1, Reply{
			ID: "m2", Provider: "p", Model: "m", InputTokens: 1, OutputTokens: 2, Sources: []uint64{7, 8, 9, 10, 11},
			Content: []Block{TextBlock("abcd"), ToolCallBlock("call-1", "exit_plan_mode", `{"plan":"# P"}`)},
		}),
		10: ToolCall(1, 1, "call-1", "exit_plan_mode", `{"plan":"# P"}`),
		11: ToolResult(1, 1, ToolOutcome{
			MessageID: "m3", CallID: "call-1", Content: []Block{TextBlock("Plan approved")}, Sources: []uint64{13},
		}),
		12: StepEnd(1, 1),
		14: StepStart(1, 2),
		15: RequestHeader(Request{Provider: "p", Model: "m"}, HeaderChange),
		17: TurnEnd(1, TurnCompleted),
	}
	content, err := os.ReadFile("testdata/sess-1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i, line := range bytes.Split(bytes.TrimSpace(content), []byte("\n"))[1:] {
		e, ok := made[i]
		if !ok {
			continue
		}
		checked++
		want, err := DecodeEvent(line)
		if err != nil {
			t.Fatal(err)
		}
		e.Seq, e.Time = want.Seq, want.Time
		got, err := AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(value(t, line), value(t, got)); diff != "" {
			t.Errorf("line %d (-original +made):\n%s", i+2, diff)
		}
		if err := Validate(e); err != nil {
			t.Error(err)
		}
	}
	if checked != len(made) {
		t.Errorf("%d lines were checked, want %d", checked, len(made))
	}
}

func value(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

func TestConstructors(t *testing.T) {
	for _, c := range []struct {
		event Event
		want  string
	}{
		{CommandRun("c", "plan", ""), `{"commandId":"c","name":"plan","args":"","source":{"kind":"user"}}`},
		{CommandFailed("c", "<no>"), `{"commandId":"c","kind":"error","text":"<no>"}`},
		{CommandDone("c", ""), `{"commandId":"c","kind":"success"}`},
		{EndSeed(), `{}`},
		{TurnEnd(2, TurnMaxTokens), `{"turn":2,"reason":{"kind":"max-tokens"}}`},
		{
			UserMessage("m", PluginSource("plan-mode", "notice", "left"), TextBlock("a\u2028b")),
			`{"id":"m","role":"user","content":[{"type":"text","text":"a\u2028b"}],"source":{"kind":"plugin","plugin":"plan-mode","form":"notice","summary":"left"}}`,
		},
		{UserMessage("m", UserSource()), `{"id":"m","role":"user","content":[],"source":{"kind":"user"}}`},
		{
			AssistantMessage(1, 2, Reply{ID: "m", Provider: "p", Model: "x"}),
			`{"turn":1,"step":2,"message":{"id":"m","role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"x"}}}`,
		},
		{
			ToolResult(1, 2, ToolOutcome{MessageID: "m", CallID: "c", IsError: true, ErrorName: "E", ErrorCode: "X"}),
			`{"turn":1,"step":2,"message":{"id":"m","role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[],"isError":true}],"source":{"kind":"tool","callId":"c"}},"error":{"name":"E","code":"X"}}`,
		},
		{
			RequestHeader(Request{Provider: "p", Model: "m", Settings: map[string]json.RawMessage{"temperature": json.RawMessage(`0`)}}, HeaderResume),
			`{"header":{"config":{"model":"m","provider":"p","temperature":0}},"reason":"resume"}`,
		},
	} {
		if diff := cmp.Diff(c.want, string(c.event.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.event.Type, diff)
		}
		if err := Validate(c.event); err != nil {
			t.Error(err)
		}
	}
}

func TestConstructorPanicsOnBadSource(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a source that is not JSON is taken")
		}
	}()
	UserMessage("m", json.RawMessage(`{`))
}
