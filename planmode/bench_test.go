package planmode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// longLog returns a log of n events as a long conversation writes them.
func longLog(b *testing.B, n int) *session.MemoryLog {
	b.Helper()
	chunk := json.RawMessage(`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"some text of a model"}}`)
	log := session.NewMemoryLog("long")
	batch := make([]session.Event, 0, 1000)
	for i := range n {
		var e session.Event
		switch i % 20 {
		case 0:
			e = session.TurnStart(int64(i/20 + 1))
		case 1:
			e = session.UserMessage(fmt.Sprint("m", i), session.UserSource(), session.TextBlock("please do this and that"))
		case 2:
			e = header()
		case 17:
			e = session.ToolCall(1, 1, fmt.Sprint("c", i), "read", `{"path":"a"}`)
		case 18:
			e = session.ToolResult(1, 1, session.ToolOutcome{MessageID: fmt.Sprint("m", i), CallID: fmt.Sprint("c", i-1)})
		case 19:
			e = session.TurnEnd(int64(i/20+1), session.TurnCompleted)
		default:
			e = session.Event{Type: "assistant/chunk", Data: chunk}
		}
		if batch = append(batch, e); len(batch) == cap(batch) || i == n-1 {
			if _, err := log.Append(context.Background(), session.Any, batch...); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	return log
}

const million = 1_000_000

func BenchmarkGet(b *testing.B) {
	ctx := context.Background()
	p, a := newPlanMode(b, nil), agentOn(longLog(b, million))
	if _, err := p.Get(ctx, a); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Get(ctx, a); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBoundaryNothingToDo(b *testing.B) {
	ctx := context.Background()
	p, a := newPlanMode(b, nil), agentOn(longLog(b, million))
	p.BeforeStep(ctx, a)
	b.ReportAllocs()
	for b.Loop() {
		p.BeforeStep(ctx, a)
	}
}

// BenchmarkFollow reads a million events that are new to it.
func BenchmarkFollow(b *testing.B) {
	ctx := context.Background()
	a := agentOn(longLog(b, million))
	b.ReportAllocs()
	for b.Loop() {
		p, err := planmode.New(planmode.Config{Section: guidance}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Get(ctx, a); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/million, "ns/event")
}
