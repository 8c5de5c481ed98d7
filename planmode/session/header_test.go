package session

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHeaderJSON(t *testing.T) {
	at := time.UnixMilli(1796100248345).UTC()
	for _, c := range []struct {
		line   string
		header Header
	}{
		{
			`{"type":"session","version":0,"id":"sess-1","createdAt":1796100248345,"cwd":"/home/u/proj","delegationDepth":0}`,
			Header{ID: "sess-1", Cwd: "/home/u/proj", CreatedAt: at},
		},
		{
			`{"type":"session","version":0,"id":"a","createdAt":1796100248345,"parentSession":"p","seedLength":0,"delegationDepth":0}`,
			Header{ID: "a", CreatedAt: at, ParentSession: "p"},
		},
		{
			`{"type":"session","version":0,"id":"a","createdAt":1796100248345,"agentPreset":{"x":[1]},"delegationDepth":2,"origin":"subagent"}`,
			Header{ID: "a", CreatedAt: at, Extra: map[string]json.RawMessage{
				"agentPreset": json.RawMessage(`{"x":[1]}`), "delegationDepth": json.RawMessage(`2`), "origin": json.RawMessage(`"subagent"`),
			}},
		},
	} {
		line, err := json.Marshal(c.header)
		if err != nil || string(line) != c.line {
			t.Errorf("Marshal: %s, %v; want %s", line, err, c.line)
		}
		var h Header
		if err := json.Unmarshal([]byte(c.line), &h); err != nil {
			t.Errorf("%s: %v", c.line, err)
		}
		if diff := cmp.Diff(c.header, h); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
}

func TestHeaderRefused(t *testing.T) {
	for _, h := range []Header{
		{},
		{ID: "a", SeedLength: -1},
		{ID: "a", CreatedAt: time.UnixMilli(MaxInt + 1)},
		{ID: "a", Extra: map[string]json.RawMessage{"id": json.RawMessage(`"b"`)}},
		{ID: "a", Extra: map[string]json.RawMessage{"x": json.RawMessage(`{`)}},
	} {
		if line, err := h.MarshalJSON(); err == nil {
			t.Errorf("%+v is written as %s", h, line)
		}
	}
	for line, want := range map[string]string{
		`[]`: "header",
		`{"type":"session","version":2,"id":"a","createdAt":1}`:                   "version: 2",
		`{"type":"session","version":0,"id":"","createdAt":1}`:                    "id is empty",
		`{"type":"session","version":0,"id":1,"createdAt":1}`:                     "id: ",
		`{"type":"session","version":0,"id":"a","createdAt":9007199254740992}`:    "createdAt is out of range",
		`{"type":"session","version":0,"id":"a","createdAt":1,"seedLength":"1"}`:  "seedLength: ",
		`{"type":"session","version":0,"id":"a","createdAt":1,"cwd":["/home/u"]}`: "cwd: ",
	} {
		var h Header
		err := h.UnmarshalJSON([]byte(line))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
		if errors.Is(err, ErrVersion) != strings.Contains(want, "version") {
			t.Errorf("%s: %v and ErrVersion", line, err)
		}
	}
}

func TestForkHeader(t *testing.T) {
	parent := Header{ID: "p", Cwd: "/x", ParentSession: "o", SeedLength: 9, Extra: map[string]json.RawMessage{
		"agentPreset": json.RawMessage(`"a"`), "origin": json.RawMessage(`"subagent"`),
	}}
	got := ForkHeader(parent, 4, "c")
	if got.CreatedAt.IsZero() {
		t.Error("CreatedAt is zero")
	}
	got.CreatedAt = time.Time{}
	want := Header{ID: "c", Cwd: "/x", ParentSession: "p", SeedLength: 4, Extra: map[string]json.RawMessage{"agentPreset": json.RawMessage(`"a"`)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
