package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode/session"
)

// TestStore checks that a store keeps the contract of [session.Store], and that its logs
// pass [TestLog]. Open returns an empty store each time.
func TestStore(t *testing.T, open func(t *testing.T) session.Store) {
	t.Run("Log", func(t *testing.T) {
		TestLog(t, func(t *testing.T) session.Log {
			return create(t, open(t), session.Header{ID: "log", Cwd: "/home/u/proj"})
		})
	})
	for _, c := range []struct {
		name string
		run  func(*testing.T, session.Store)
	}{
		{"Create", testCreate},
		{"SameLog", testSameLog},
		{"Names", testNames},
		{"List", testList},
		{"NotExist", testNotExist},
		{"Fork", testFork},
		{"ForkRefused", testForkRefused},
		{"StoreCancelled", testStoreCancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func create(t *testing.T, store session.Store, h session.Header) session.Log {
	t.Helper()
	log, err := store.Create(t.Context(), h)
	if err != nil {
		t.Fatalf("Create %q: %v", h.ID, err)
	}
	return log
}

func open(t *testing.T, store session.Store, id string) session.Log {
	t.Helper()
	log, err := store.Open(t.Context(), id)
	if err != nil {
		t.Fatalf("Open %q: %v", id, err)
	}
	return log
}

// list returns the headers of a store by id.
func list(t *testing.T, store session.Store) map[string]session.Header {
	t.Helper()
	headers := map[string]session.Header{}
	for h, err := range store.List(t.Context()) {
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		if _, twice := headers[h.ID]; twice {
			t.Errorf("List yields %q twice", h.ID)
		}
		headers[h.ID] = h
	}
	return headers
}

func testCreate(t *testing.T, store session.Store) {
	log := create(t, store, session.Header{ID: "a", Cwd: "/home/u/proj"})
	if log.ID() != "a" {
		t.Errorf("the log's id is %q, want a", log.ID())
	}
	wantTip(t, log, 0)
	appendTo(t, log, 0, mode(0))
	for _, cwd := range []string{"/home/u/proj", "/elsewhere"} {
		if _, err := store.Create(t.Context(), session.Header{ID: "a", Cwd: cwd}); !errors.Is(err, session.ErrExist) {
			t.Errorf("Create of an id that is taken, in %s: error %v, want ErrExist", cwd, err)
		}
	}
	if _, err := store.Create(t.Context(), session.Header{Cwd: "/home/u/proj"}); err == nil {
		t.Error("Create without an id succeeds")
	}
	if got := read(t, open(t, store, "a"), 0); len(got) != 1 {
		t.Errorf("the session has %d events after a refused Create, want 1", len(got))
	}
}

func testSameLog(t *testing.T, store session.Store) {
	first := create(t, store, session.Header{ID: "a", Cwd: "/p"})
	second := open(t, store, "a")
	for n := range 6 {
		log := []session.Log{first, second}[n%2]
		appendTo(t, log, int64(n), mode(n))
	}
	for _, log := range []session.Log{first, second, open(t, store, "a")} {
		if diff := cmp.Diff(payloads(modes(0, 6)), payloads(read(t, log, 0))); diff != "" {
			t.Errorf("logs of one session differ (-want +got):\n%s", diff)
		}
	}
	if _, err := first.Append(t.Context(), 5, mode(9)); !errors.Is(err, session.ErrConflict) {
		t.Errorf("an append at a position that the other log has passed: error %v, want ErrConflict", err)
	}
}

func testNames(t *testing.T, store session.Store) {
	ids := []string{"a", "a.b", ".", "..", "a/b", `a\b`, "a:b", "a~b", "a~002Fb", "~", " ", "计划", "🙂", "-", "\x00", "a\nb"}
	for n, id := range ids {
		appendTo(t, create(t, store, session.Header{ID: id, Cwd: "/p/" + id}), 0, mode(n))
	}
	for n, id := range ids {
		if diff := cmp.Diff(payloads(modes(n, n+1)), payloads(read(t, open(t, store, id), 0))); diff != "" {
			t.Errorf("session %q (-want +got):\n%s", id, diff)
		}
	}
	if got := list(t, store); len(got) != len(ids) {
		t.Errorf("List yields %d sessions, want %d", len(got), len(ids))
	}
}

func testList(t *testing.T, store session.Store) {
	if got := list(t, store); len(got) != 0 {
		t.Errorf("an empty store lists %d sessions", len(got))
	}
	created := time.UnixMilli(1796100248345).UTC()
	want := map[string]session.Header{
		"a": {ID: "a", Cwd: "/home/u/proj", CreatedAt: created},
		"b": {ID: "b", CreatedAt: created, Extra: map[string]json.RawMessage{"agentPreset": json.RawMessage(`"x"`)}},
	}
	for _, h := range want {
		create(t, store, h)
	}
	if diff := cmp.Diff(want, list(t, store)); diff != "" {
		t.Errorf("headers differ (-created +listed):\n%s", diff)
	}
	before := time.Now().Truncate(time.Millisecond)
	create(t, store, session.Header{ID: "c"})
	if at := list(t, store)["c"].CreatedAt; at.Before(before) || at.After(time.Now()) {
		t.Errorf("a zero CreatedAt became %v", at)
	}
	for range store.List(t.Context()) {
		break
	}
}

func testNotExist(t *testing.T, store session.Store) {
	if _, err := store.Open(t.Context(), "nobody"); !errors.Is(err, session.ErrNotExist) {
		t.Errorf("Open: error %v, want ErrNotExist", err)
	}
	if _, err := store.Fork(t.Context(), "nobody", session.Any, "child"); !errors.Is(err, session.ErrNotExist) {
		t.Errorf("Fork: error %v, want ErrNotExist", err)
	}
	if got := list(t, store); len(got) != 0 {
		t.Errorf("sessions were made: %v", got)
	}
}

// turn returns the events of a turn with one step.
func turn(number int64) []session.Event {
	return []session.Event{
		session.TurnStart(number),
		session.StepStart(number, 1),
		session.StepEnd(number, 1),
		session.TurnEnd(number, session.TurnCompleted),
	}
}

func testFork(t *testing.T, store session.Store) {
	parent := create(t, store, session.Header{ID: "parent", Cwd: "/p"})
	appendTo(t, parent, 0, mode(0))
	appendTo(t, parent, 1, turn(1)...)
	events := read(t, parent, 0)
	for _, c := range []struct {
		id       string
		at, want int64
	}{{"none", 0, 0}, {"idle", 1, 1}, {"turn", 5, 5}, {"all", session.Any, 5}} {
		child, err := store.Fork(t.Context(), "parent", c.at, c.id)
		if err != nil {
			t.Errorf("Fork at %d: %v", c.at, err)
			continue
		}
		got := read(t, child, 0)
		if len(got) != int(c.want)+1 {
			t.Errorf("Fork at %d has %d events, want %d and session/end-seed", c.at, len(got), c.want)
			continue
		}
		if diff := cmp.Diff(payloads(events[:c.want]), payloads(got[:c.want])); diff != "" || !cmp.Equal(events[:c.want], got[:c.want:c.want]) {
			t.Errorf("Fork at %d copies other events (-want +got):\n%s", c.at, diff)
			continue
		}
		if last := got[len(got)-1]; last.Type != "session/end-seed" {
			t.Errorf("Fork at %d ends with %s, want session/end-seed", c.at, last.Type)
		}
		h := list(t, store)[c.id]
		if h.ParentSession != "parent" || h.SeedLength != c.want || h.Cwd != "/p" || h.CreatedAt.IsZero() {
			t.Errorf("Fork at %d has header %+v", c.at, h)
		}
		appendTo(t, child, c.want+1, mode(9))
	}
	wantTip(t, parent, 5)
	appendTo(t, parent, 5, mode(1))
	grandchild, err := store.Fork(t.Context(), "turn", session.Any, "grandchild")
	if err != nil {
		t.Fatalf("Fork of a fork: %v", err)
	}
	wantTip(t, grandchild, 8)
}

func testForkRefused(t *testing.T, store session.Store) {
	parent := create(t, store, session.Header{ID: "parent", Cwd: "/p"})
	appendTo(t, parent, 0, turn(1)...)
	appendTo(t, parent, 4, session.TurnStart(2))
	for _, c := range []struct {
		at    int64
		newID string
		want  error
	}{
		{1, "child", session.ErrOpenTurn},
		{3, "child", session.ErrOpenTurn},
		{5, "child", session.ErrOpenTurn},
		{session.Any, "child", session.ErrOpenTurn},
		{6, "child", session.ErrPosition},
		{-2, "child", session.ErrPosition},
		{4, "parent", session.ErrExist},
	} {
		if _, err := store.Fork(t.Context(), "parent", c.at, c.newID); !errors.Is(err, c.want) {
			t.Errorf("Fork at %d to %s: error %v, want %v", c.at, c.newID, err, c.want)
		}
	}
	if _, err := store.Fork(t.Context(), "parent", 4, ""); err == nil {
		t.Error("Fork to an empty id succeeds")
	}
	if got := list(t, store); len(got) != 1 {
		t.Errorf("refused forks left sessions: %v", got)
	}
	wantTip(t, parent, 5)
}

func testStoreCancelled(t *testing.T, store session.Store) {
	create(t, store, session.Header{ID: "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, openErr := store.Open(ctx, "a")
	_, createErr := store.Create(ctx, session.Header{ID: "b"})
	_, forkErr := store.Fork(ctx, "a", 0, "c")
	var listErr error
	for _, err := range store.List(ctx) {
		listErr = err
	}
	for name, err := range map[string]error{"Open": openErr, "Create": createErr, "Fork": forkErr, "List": listErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s under a cancelled context: error %v", name, err)
		}
	}
	if got := list(t, store); len(got) != 1 {
		t.Errorf("sessions were made under a cancelled context: %v", got)
	}
}
