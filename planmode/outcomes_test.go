package planmode

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestOutcomes holds outcomes against a map, all of their older values too.
func TestOutcomes(t *testing.T) {
	type row struct {
		state ReviewState
		plan  string
		order int
		owed  bool
	}
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			got  outcomes
			want map[string]row
		}
		versions := []version{{want: map[string]row{}}}
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			from := versions[rapid.IntRange(0, len(versions)-1).Draw(t, "version")]
			id := fmt.Sprint("r", rapid.IntRange(0, 30).Draw(t, "id"))
			owed := rapid.Bool().Draw(t, "owed")
			want := maps.Clone(from.want)
			now, found := want[id]
			got := from.got
			switch rapid.SampledFrom([]string{"with", "marked", "lightened"}).Draw(t, "change") {
			case "with":
				if !found {
					now.order = len(want)
				}
				want[id] = row{ReviewRevise, "plan of " + id, now.order, owed}
				got = got.with(outcome{Settlement: Settlement{ReviewID: id, State: ReviewRevise}, plan: "plan of " + id, owed: owed})
			case "marked":
				if now.owed = owed; !owed {
					now.plan = ""
				}
				if found {
					want[id] = now
				}
				got = got.marked(id, owed)
			case "lightened":
				if now.plan = ""; found {
					want[id] = now
				}
				got = got.lightened(id)
			}
			versions = append(versions, version{got, want})
		}
		for i, v := range versions {
			owed := map[int]string{}
			for n := range 31 {
				id := fmt.Sprint("r", n)
				want, found := v.want[id]
				o := v.got.find(id)
				if (o != nil) != found {
					t.Fatalf("version %d: find(%q) is %v", i, id, o)
				}
				if !found {
					continue
				}
				if got := (row{o.State, o.plan, o.order, o.owed}); got != want || o.ReviewID != id {
					t.Fatalf("version %d: find(%q) is %+v, want %+v", i, id, o, want)
				}
				if want.owed {
					owed[want.order] = id
				}
			}
			var want, got []string
			for _, order := range slices.Sorted(maps.Keys(owed)) {
				want = append(want, owed[order])
			}
			for _, o := range v.got.due() {
				got = append(got, o.ReviewID)
			}
			if diff := cmp.Diff(want, got); diff != "" || v.got.count != len(v.want) || v.got.owed != len(want) {
				t.Fatalf("version %d: %d reviews, %d owed: %s", i, v.got.count, v.got.owed, diff)
			}
		}
	})
}

// reviewEvents returns the events of the review of that number and of its call. Of every
// four answers one is not brought to the model by its call.
func reviewEvents(n int) []session.Event {
	id, callID, waits := fmt.Sprint("r", n), fmt.Sprint("c", n), n%4 > 0
	const plan = "# Plan\n"
	events := []session.Event{
		session.ToolCall(1, 1, callID, ToolName, `{}`),
		reviewEvent(ReviewEvent{ID: id, CallID: callID, Revision: n + 1, State: stateOpen, Plan: plan, SHA256: hashOf(plan)}),
		reviewEvent(ReviewEvent{ID: id, State: string(ReviewRevise), SHA256: hashOf(plan), By: ByUser, Awaited: &waits}),
	}
	if waits {
		outcome := session.ToolOutcome{MessageID: "m" + callID, CallID: callID, IsError: true, Content: []session.Block{session.TextBlock("no")}}
		events = append(events, session.ToolResult(1, 1, outcome))
	}
	return events
}

func foldReviews(tb testing.TB, s Folded, from, to int) Folded {
	tb.Helper()
	for n := from; n < to; n++ {
		for _, e := range reviewEvents(n) {
			if err := s.apply(e); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return s
}

// TestFoldManyReviews folds more reviews than could be folded if each went over those
// before it, and goes on from an older value afterwards.
func TestFoldManyReviews(t *testing.T) {
	const half, all = 5_000, 10_000
	start := foldReviews(t, Folded{Active: true}, 0, half)
	end := foldReviews(t, start, half, all)
	for name, test := range map[string]struct {
		s       Folded
		reviews int
	}{"at the end": {end, all}, "before": {start, half}, "again": {foldReviews(t, start, half, all), all}} {
		owed := test.s.Owed()
		if len(owed) != test.reviews/4 || test.s.Revisions != test.reviews {
			t.Fatalf("%s: %d of %d reviews are owed", name, len(owed), test.s.Revisions)
		}
		for i, how := range owed {
			if want := fmt.Sprint("r", 4*i); how.ReviewID != want {
				t.Fatalf("%s: answer %d is that of %s, want %s", name, i, how.ReviewID, want)
			}
		}
		if _, ended := test.s.outcomeOf(fmt.Sprint("r", half)); ended != (test.reviews > half) {
			t.Errorf("%s: the review after the first half has ended: %v", name, ended)
		}
	}
}

// TestFoldForgottenCalls holds that answers whose calls never end are owed once there are
// too many to wait for.
func TestFoldForgottenCalls(t *testing.T) {
	s := Folded{Active: true}
	const more = 3
	for n := range maxCalls + more {
		for _, e := range reviewEvents(4*n + 1)[:3] {
			if err := s.apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, how := range s.Owed() {
		got = append(got, how.ReviewID)
	}
	if diff := cmp.Diff([]string{"r1", "r5", "r9"}, got); diff != "" || len(s.awaited) != maxCalls {
		t.Errorf("%d answers are awaited, and owed are: %s", len(s.awaited), diff)
	}
}

// BenchmarkFoldReview folds one review more after many: the cost hardly depends on how
// many.
func BenchmarkFoldReview(b *testing.B) {
	for _, n := range []int{0, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("after %d", n), func(b *testing.B) {
			s := foldReviews(b, Folded{Active: true}, 0, n)
			events := reviewEvents(n)
			b.ReportAllocs()
			for b.Loop() {
				next := s
				for _, e := range events {
					if err := next.apply(e); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
