package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode/session"
)

// TestLog checks that a log keeps the contract of [session.Log], and that of
// [session.Watcher] if it is one. Open returns an empty log each time.
func TestLog(t *testing.T, open func(t *testing.T) session.Log) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, session.Log)
	}{
		{"Empty", testEmpty},
		{"RoundTrip", testRoundTrip},
		{"KeepsNoReference", testKeepsNoReference},
		{"Positions", testPositions},
		{"Conflict", testConflict},
		{"NoEvents", testNoEvents},
		{"AllOrNone", testAllOrNone},
		{"BadPosition", testBadPosition},
		{"Cancelled", testCancelled},
		{"StopReading", testStopReading},
		{"ReadTwice", testReadTwice},
		{"AppendWhileReading", testAppendWhileReading},
		{"Race", testRace},
		{"Watch", testWatch},
		{"WatchEnds", testWatchEnds},
		{"WatchBadPosition", testWatchBadPosition},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// mode returns a valid event whose payload tells n.
func mode(n int) session.Event {
	return session.Event{Type: "plan/mode", Data: json.RawMessage(fmt.Sprintf(`{"active":%t,"n":%d}`, n%2 == 0, n))}
}

// modes returns the events mode(from) to mode(to-1).
func modes(from, to int) []session.Event {
	var events []session.Event
	for n := from; n < to; n++ {
		events = append(events, mode(n))
	}
	return events
}

// payloads returns the payloads of events.
func payloads(events []session.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, string(e.Data))
	}
	return out
}

// read returns the events of a log from a position on, and checks their seqs.
func read(t *testing.T, log session.Log, from int64) []session.Event {
	t.Helper()
	var events []session.Event
	for e, err := range log.Read(t.Context(), from) {
		if err != nil {
			t.Fatalf("Read from %d: %v", from, err)
		}
		if want := uint64(from) + uint64(len(events)); e.Seq != want {
			t.Fatalf("Read from %d: seq %d, want %d", from, e.Seq, want)
		}
		events = append(events, e)
	}
	return events
}

// readError returns the error with which reading ends.
func readError(ctx context.Context, log session.Log, from int64) error {
	for e, err := range log.Read(ctx, from) {
		if err != nil {
			return err
		}
		if e.Type == "" {
			return errors.New("an event without a type was yielded")
		}
	}
	return nil
}

func appendTo(t *testing.T, log session.Log, expect int64, events ...session.Event) int64 {
	t.Helper()
	tip, err := log.Append(t.Context(), expect, events...)
	if err != nil {
		t.Fatalf("Append at %d: %v", expect, err)
	}
	return tip
}

func wantTip(t *testing.T, log session.Log, want int64) {
	t.Helper()
	tip, err := log.Tip(t.Context())
	if err != nil || tip != want {
		t.Fatalf("Tip = %d, %v; want %d", tip, err, want)
	}
}

func testEmpty(t *testing.T, log session.Log) {
	if log.ID() == "" {
		t.Error("ID is empty")
	}
	wantTip(t, log, 0)
	if events := read(t, log, 0); len(events) > 0 {
		t.Errorf("an empty log yields %d events", len(events))
	}
}

func testRoundTrip(t *testing.T, log session.Log) {
	at := time.UnixMilli(1796100248349).UTC()
	events := []session.Event{
		{Type: "turn/start", Data: json.RawMessage(`{"turn":1}`), Time: at},
		{
			Type: "user/message", Time: at.Add(-time.Hour),
			Data:      json.RawMessage(`{"id":"m1","role":"user","content":[{"type":"text","text":"\u2028 <a> \"q\" 计划 🙂"}],"source":{"kind":"user"}}`),
			SurfaceOp: json.RawMessage(`"append"`), SourceEventSeqs: []uint64{0},
		},
		{
			Type: "user/message", Time: at,
			Data:      json.RawMessage(`{"id":"m2","role":"user","content":[],"source":{"kind":"user"}}`),
			SurfaceOp: json.RawMessage(`{"op":"replace","start":1,"end":2}`),
		},
		{Type: "x/unknown", Time: at, Data: json.RawMessage(`{"deep":[[[{"a":null}]],1.5e-3]}`), Ignorable: true},
		{Type: "turn/end", Time: at, Data: json.RawMessage(`{"turn":1,"reason":{"kind":"completed"}}`)},
	}
	if tip := appendTo(t, log, 0, events...); tip != 5 {
		t.Errorf("Append returns position %d, want 5", tip)
	}
	for i := range events {
		events[i].Seq = uint64(i)
	}
	if diff := cmp.Diff(events, read(t, log, 0)); diff != "" {
		t.Errorf("events read back differ (-appended +read):\n%s", diff)
	}

	before := time.Now().Truncate(time.Millisecond)
	appendTo(t, log, session.Any, mode(0))
	got := read(t, log, 5)
	if after := time.Now(); got[0].Time.Before(before) || got[0].Time.After(after) {
		t.Errorf("a zero Time became %v, want one between %v and %v", got[0].Time, before, after)
	}
	if again := read(t, log, 5); !again[0].Time.Equal(got[0].Time) {
		t.Errorf("the assigned time reads as %v and then as %v", got[0].Time, again[0].Time)
	}
}

func testKeepsNoReference(t *testing.T, log session.Log) {
	e := mode(7)
	want := string(e.Data)
	events := []session.Event{e}
	appendTo(t, log, 0, events...)
	for i := range e.Data {
		e.Data[i] = 'x'
	}
	events[0] = session.Event{}
	if diff := cmp.Diff([]string{want}, payloads(read(t, log, 0))); diff != "" {
		t.Errorf("the log changed with the caller's memory (-want +got):\n%s", diff)
	}
}

func testPositions(t *testing.T, log session.Log) {
	for n := range 5 {
		wantTip(t, log, int64(3*n))
		if tip := appendTo(t, log, int64(3*n), modes(3*n, 3*n+3)...); tip != int64(3*n+3) {
			t.Fatalf("Append returns position %d, want %d", tip, 3*n+3)
		}
	}
	for from := range 16 {
		if diff := cmp.Diff(payloads(modes(from, 15)), payloads(read(t, log, int64(from)))); diff != "" {
			t.Errorf("from position %d (-want +got):\n%s", from, diff)
		}
	}
}

func testConflict(t *testing.T, log session.Log) {
	appendTo(t, log, 0, modes(0, 2)...)
	for _, expect := range []int64{0, 1, 3, 1 << 40} {
		tip, err := log.Append(t.Context(), expect, mode(9))
		var conflict *session.ConflictError
		switch {
		case !errors.Is(err, session.ErrConflict):
			t.Errorf("Append at %d of 2: error %v, want ErrConflict", expect, err)
		case errors.As(err, &conflict) && (conflict.Expect != expect || conflict.Tip != 2):
			t.Errorf("Append at %d of 2: conflict of %d with %d", expect, conflict.Expect, conflict.Tip)
		case tip != 2 && tip != 0:
			t.Errorf("Append at %d of 2 returns position %d with its conflict", expect, tip)
		}
	}
	wantTip(t, log, 2)
	appendTo(t, log, session.Any, mode(2))
	if diff := cmp.Diff(payloads(modes(0, 3)), payloads(read(t, log, 0))); diff != "" {
		t.Errorf("after conflicts (-want +got):\n%s", diff)
	}
}

func testNoEvents(t *testing.T, log session.Log) {
	appendTo(t, log, 0, mode(0))
	if tip := appendTo(t, log, 1); tip != 1 {
		t.Errorf("an append of nothing returns position %d, want 1", tip)
	}
	if tip := appendTo(t, log, session.Any); tip != 1 {
		t.Errorf("an append of nothing anywhere returns position %d, want 1", tip)
	}
	if _, err := log.Append(t.Context(), 0); !errors.Is(err, session.ErrConflict) {
		t.Errorf("an append of nothing at 0 of 1: error %v, want ErrConflict", err)
	}
	wantTip(t, log, 1)
}

func testAllOrNone(t *testing.T, log session.Log) {
	appendTo(t, log, 0, mode(0))
	for _, bad := range []session.Event{
		{Type: "", Data: json.RawMessage(`{}`)},
		{Type: "turn/start", Data: json.RawMessage(`{"turn":`)},
		{Type: "turn/start", Data: json.RawMessage(`{} {}`)},
	} {
		if _, err := log.Append(t.Context(), 1, mode(1), bad, mode(2)); err == nil || errors.Is(err, session.ErrConflict) {
			t.Errorf("Append of type %q, data %s: error %v, want one about the event", bad.Type, bad.Data, err)
		}
	}
	wantTip(t, log, 1)
	big := mode(1)
	big.Data = json.RawMessage(`{"active":true,"pad":"` + strings.Repeat("x", 1<<20) + `"}`)
	appendTo(t, log, 1, big, mode(2))
	if diff := cmp.Diff([]string{string(mode(0).Data), string(big.Data), string(mode(2).Data)}, payloads(read(t, log, 0))); diff != "" {
		t.Errorf("after refused batches (-want +got):\n%.2000s", diff)
	}
}

func testBadPosition(t *testing.T, log session.Log) {
	appendTo(t, log, 0, mode(0))
	for _, from := range []int64{-1, -5, 2, 1 << 40} {
		if err := readError(t.Context(), log, from); !errors.Is(err, session.ErrPosition) {
			t.Errorf("Read from %d of 1: error %v, want ErrPosition", from, err)
		}
	}
}

func testCancelled(t *testing.T, log session.Log) {
	appendTo(t, log, 0, modes(0, 2)...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := log.Append(ctx, 2, mode(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("Append under a cancelled context: error %v", err)
	}
	if _, err := log.Tip(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Tip under a cancelled context: error %v", err)
	}
	for _, from := range []int64{0, 2} {
		if err := readError(ctx, log, from); !errors.Is(err, context.Canceled) {
			t.Errorf("Read from %d under a cancelled context: error %v", from, err)
		}
	}
	wantTip(t, log, 2)
}

func testStopReading(t *testing.T, log session.Log) {
	appendTo(t, log, 0, modes(0, 10)...)
	n := 0
	for range log.Read(t.Context(), 0) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d events were yielded before the break, want 3", n)
	}
	appendTo(t, log, 10, mode(10)) // nothing is held after the break
}

func testReadTwice(t *testing.T, log session.Log) {
	appendTo(t, log, 0, modes(0, 4)...)
	seq := log.Read(t.Context(), 1)
	for range 2 {
		n := 0
		for _, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 3 {
			t.Errorf("%d events were yielded, want 3 each time", n)
		}
	}
}

func testAppendWhileReading(t *testing.T, log session.Log) {
	appendTo(t, log, 0, modes(0, 3)...)
	n := 0
	for e, err := range log.Read(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq < 3 {
			appendTo(t, log, session.Any, mode(3+n))
		}
		n++
	}
	if n < 3 {
		t.Errorf("%d events were yielded, want at least the 3 that stood there", n)
	}
	if diff := cmp.Diff(payloads(modes(0, 6)), payloads(read(t, log, 0))); diff != "" {
		t.Errorf("after appends while reading (-want +got):\n%s", diff)
	}
}

// testRace lets several goroutines append, half of them at an expected position, while
// others read. Every event is there once and in the order of its writer.
func testRace(t *testing.T, log session.Log) {
	const writers, each = 6, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { raceWriter(t, log, w, each) })
	}
	for range 2 {
		wg.Go(func() {
			for tip := int64(0); tip < writers*each; {
				next := uint64(tip)
				for e, err := range log.Read(t.Context(), tip) {
					if err != nil || e.Seq != next {
						t.Errorf("Read: seq %d, error %v, want seq %d", e.Seq, err, next)
						return
					}
					next++
				}
				if t.Failed() {
					return
				}
				tip = int64(next)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	wantTip(t, log, writers*each)
	next := make([]int, writers)
	for _, e := range read(t, log, 0) {
		var data struct{ Writer, N int }
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if data.N != next[data.Writer] {
			t.Fatalf("event %d of writer %d stands where its event %d should", data.N, data.Writer, next[data.Writer])
		}
		next[data.Writer]++
	}
}

func raceWriter(t *testing.T, log session.Log, writer, each int) {
	for n := 0; n < each; {
		expect := session.Any
		if writer%2 == 0 {
			tip, err := log.Tip(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			expect = tip
		}
		e := session.Event{
			Type: "plan/mode",
			Data: json.RawMessage(fmt.Sprintf(`{"active":true,"writer":%d,"n":%d}`, writer, n)),
		}
		tip, err := log.Append(t.Context(), expect, e)
		switch {
		case errors.Is(err, session.ErrConflict) && expect != session.Any:
			continue
		case err != nil:
			t.Errorf("Append: %v", err)
			return
		case expect != session.Any && tip != expect+1:
			t.Errorf("Append at %d returns position %d", expect, tip)
		}
		n++
	}
}
