package planmode_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
	"github.com/google/go-cmp/cmp"
)

// world is a store whose process dies at some write, be it a new session, an event or a
// batch of which a part lands. Logs opened through it are part of the process.
type world struct {
	session.Store

	mu     sync.Mutex
	writes int // how many are left, negative for no end
}

func newWorld(t testing.TB, store session.Store, cwd string) *world {
	t.Helper()
	header := session.Header{ID: "s", Cwd: cwd, Extra: map[string]json.RawMessage{"agentPreset": json.RawMessage(`"coder"`)}}
	if _, err := store.Create(context.Background(), header); err != nil {
		t.Fatal(err)
	}
	return &world{Store: store, writes: -1}
}

// live returns how many of n writes the process does before it dies.
func (w *world) live(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writes < 0 {
		return n
	}
	n = min(n, w.writes)
	w.writes -= n
	return n
}

func (w *world) dead() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writes == 0
}

// reborn is the same store for another process.
func (w *world) reborn() *world { return &world{Store: w.Store, writes: -1} }

func (w *world) Open(ctx context.Context, id string) (session.Log, error) {
	if w.dead() {
		return nil, errDead
	}
	log, err := w.Store.Open(ctx, id)
	return &worldLog{log, w}, err
}

func (w *world) Create(ctx context.Context, h session.Header) (session.Log, error) {
	if w.live(1) == 0 {
		return nil, errDead
	}
	log, err := w.Store.Create(ctx, h)
	return &worldLog{log, w}, err
}

type worldLog struct {
	session.Log
	w *world
}

func (l *worldLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	n := l.w.live(len(events))
	if n == len(events) && !l.w.dead() {
		return l.Log.Append(ctx, expect, events...)
	}
	if n > 0 {
		if _, err := l.Log.Append(ctx, expect, events[:n]...); err != nil {
			return 0, err
		}
	}
	return 0, errDead
}

// agent opens the session that the tests begin with.
func (w *world) agent(t testing.TB) *testAgent {
	t.Helper()
	log, err := w.Open(context.Background(), "s")
	if err != nil {
		t.Fatal(err)
	}
	return agentOn(log)
}

func (w *world) planMode(t testing.TB, r planmode.Reviewer) *planmode.PlanMode {
	return newPlanMode(t, &planmode.Options{Reviewer: r, Sessions: w, Logger: slog.New(slog.DiscardHandler)})
}

// handedOver returns the id of the one session that is there besides s, and whether it
// begins with the plan; "" if there is none.
func (w *world) handedOver(t testing.TB, text string) (id string, complete bool) {
	t.Helper()
	ctx := context.Background()
	for header, err := range w.Store.List(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if header.ID == "s" {
			continue
		}
		if id != "" {
			t.Fatalf("there are the sessions %s and %s", id, header.ID)
		}
		id = header.ID
		if header.ParentSession != "s" || header.SeedLength != 0 || string(header.Extra["agentPreset"]) != `"coder"` {
			t.Errorf("header is %+v", header)
		}
		log, err := w.Store.Open(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		complete = wantHanded(t, log, text)
	}
	return id, complete
}

// wantHanded checks a session that begins with a plan, unless it is empty.
func wantHanded(t testing.TB, log session.Log, text string) bool {
	t.Helper()
	all := events(t, log)
	if len(all) == 0 {
		return false
	}
	var message struct {
		Content []struct{ Type, Text string }
		Source  planmode.NoticeSource
	}
	if err := json.Unmarshal(all[0].Data, &message); err != nil {
		t.Fatal(err)
	}
	if err := session.Validate(all[0]); err != nil {
		t.Error(err)
	}
	alone := 0
	for _, block := range message.Content {
		if block.Text == text {
			alone++
		}
	}
	if alone != 1 || strings.Count(string(all[0].Data), quoted(text)) != 1 || len(all) != 1 {
		t.Errorf("the new session begins with %s and has %d events", all[0].Data, len(all))
	}
	p := newPlanMode(t, nil)
	if got := state(t, p, agentOn(log)); got != off {
		t.Errorf("the new session is %s", got)
	}
	got, err := p.ApprovedPlan(context.Background(), agentOn(log))
	if err != nil {
		t.Fatal(err)
	}
	want := &planmode.ApprovedPlan{Plan: text, SHA256: sha(text), Revision: 1, Edited: text != plan, From: "s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("approved plan of the new session: %s", diff)
	}
	return true
}

// wantComplete checks that the hand-off is complete and s out of plan mode.
func (w *world) wantComplete(t testing.TB, a planmode.Agent, text string) {
	t.Helper()
	p := w.planMode(t, nil)
	id, complete := w.handedOver(t, text)
	if !complete {
		t.Error("the new session is not complete")
	}
	h, err := p.Handoff(context.Background(), a)
	if err != nil || h == nil {
		t.Fatalf("hand-off is %+v, %v", h, err)
	}
	want := planmode.Handoff{ReviewID: h.ReviewID, Revision: 1, Session: id, SHA256: sha(text), By: planmode.ByUser, State: planmode.HandoffComplete}
	if diff := cmp.Diff(want, *h); diff != "" {
		t.Errorf("hand-off: %s", diff)
	}
	if got := state(t, p, a); got != off {
		t.Errorf("the old session is %s", got)
	}
	got := kinds(t, a.Log())
	if i := slices.Index(got, "handoff"); i < 0 || slices.Index(got[i+1:], "handoff") >= 0 || slices.Index(got, "mode off") < 0 {
		t.Errorf("log is %q", got)
	}
	if !regexp.MustCompile(`^plan-[0-9a-f]{32}$`).MatchString(id) {
		t.Errorf("the id of the new session is %q", id)
	}
}

// stores are the kinds of stores that a hand-off is tried on.
func stores() map[string]func(testing.TB) (session.Store, string) {
	return map[string]func(testing.TB) (session.Store, string){
		"memory": func(testing.TB) (session.Store, string) { return session.NewMemoryStore(), "/proj" },
		"files": func(t testing.TB) (session.Store, string) {
			store, err := filelog.New(t.TempDir(), &filelog.Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			return store, "/home/u/proj"
		},
	}
}
