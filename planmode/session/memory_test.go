package session_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/sessiontest"
)

func TestMemoryLog(t *testing.T) {
	sessiontest.TestLog(t, func(*testing.T) session.Log { return session.NewMemoryLog("m") })
}

func TestMemoryStore(t *testing.T) {
	sessiontest.TestStore(t, func(*testing.T) session.Store { return session.NewMemoryStore() })
}

// A cursor at the tip looks for news again and again: that allocates nothing.
func TestMemoryLogAllocations(t *testing.T) {
	var log session.Log = session.NewMemoryLog("m")
	if _, err := log.Append(t.Context(), 0, session.TurnStart(1)); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for name, look := range map[string]func(){
		"Tip": func() {
			if tip, err := log.Tip(ctx); tip != 1 || err != nil {
				t.Error(tip, err)
			}
		},
		"Read": func() {
			// A range statement over an interface's iterator allocates for its body.
			log.Read(ctx, 1)(unexpected)
		},
	} {
		if n := testing.AllocsPerRun(100, look); n != 0 {
			t.Errorf("%s at the tip allocates %v times", name, n)
		}
	}
}

func unexpected(session.Event, error) bool { panic("an event at the tip") }

// million returns a log of 1 million events.
func million(b *testing.B) *session.MemoryLog {
	b.Helper()
	log := session.NewMemoryLog("m")
	batch := make([]session.Event, 1000)
	for i := range batch {
		batch[i] = session.Event{Type: "assistant/chunk", Data: json.RawMessage(`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}`)}
	}
	for range 1000 {
		if _, err := log.Append(b.Context(), session.Any, batch...); err != nil {
			b.Fatal(err)
		}
	}
	return log
}

func BenchmarkMemoryLog(b *testing.B) {
	log := million(b)
	b.Run("follow-1M", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			next := uint64(0)
			for e, err := range log.Read(b.Context(), 0) {
				if err != nil || e.Seq != next {
					b.Fatal(e.Seq, err)
				}
				next++
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/event")
	})
	b.Run("read-at-tip", func(b *testing.B) {
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			log.Read(ctx, 1e6)(unexpected)
		}
	})
	b.Run("tip", func(b *testing.B) {
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := log.Tip(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append-1M", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			million(b)
		}
	})
}
