package filelog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode/session"
)

// Where a newer format has taken a session over, its old file is out of date: it is
// neither opened nor written, and the error tells the version.
func TestNewerGeneration(t *testing.T) {
	for name, version := range map[string]int{
		"session.v2.jsonl": 2, "session.v3.jsonl.zstd": 3, "session.v4.jsonl": 4, "session.v12.jsonl": 12,
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t, t.TempDir(), nil)
			log := mustCreate(t, store, "s")
			if _, err := log.Append(t.Context(), 0, session.TurnStart(1)); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(log.Path())
			watched := make(chan error, 1)
			go func() {
				for _, err := range log.Watch(t.Context(), 1) {
					watched <- err
				}
			}()
			newer := filepath.Join(log.dir, name)
			for _, file := range []string{newer, filepath.Join(log.dir, "session.v1.jsonl")} {
				if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			check := func(what string, err error) {
				t.Helper()
				var v *VersionError
				if !errors.As(err, &v) || v.Version != version || v.File != newer || !errors.Is(err, session.ErrVersion) {
					t.Errorf("%s: %v, want a VersionError of %s", what, err, newer)
				}
			}
			_, err := store.Open(t.Context(), "s")
			check("open", err)
			_, err = log.Append(t.Context(), session.Any, session.TurnEnd(1, session.TurnCompleted))
			check("append", err)
			_, err = store.Fork(t.Context(), "s", 0, "child")
			check("fork", err)
			for _, err := range store.List(t.Context()) {
				check("list", err)
			}
			var v *VersionError
			if err := <-watched; !errors.As(err, &v) {
				t.Errorf("watch: %v, want a VersionError", err)
			}
			if _, err := store.Create(t.Context(), session.Header{ID: "s"}); !errors.Is(err, session.ErrExist) {
				t.Errorf("create: %v, want ErrExist", err)
			}
			if after, _ := os.ReadFile(log.Path()); !bytes.Equal(before, after) {
				t.Error("the old file was changed")
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	for _, c := range []struct{ name, header, want string }{
		{"version 1", `{"type":"session","version":1,"id":"s","createdAt":1}`, "unsupported session format version: 1"},
		{"version text", `{"type":"session","version":"0","id":"s","createdAt":1}`, `unsupported session format version: "0"`},
		{"no version", `{"type":"session","id":"s","createdAt":1}`, "version: none"},
		{"other type", `{"type":"turn/start","seq":0,"time":1,"data":{}}`, `type is not "session"`},
		{"other id", `{"type":"session","version":0,"id":"z","createdAt":1}`, `names session "z"`},
		{"no id", `{"type":"session","version":0,"createdAt":1}`, "id is missing"},
		{"no time", `{"type":"session","version":0,"id":"s"}`, "createdAt is missing"},
		{"null cwd", `{"type":"session","version":0,"id":"s","createdAt":1,"cwd":null}`, "cwd is null"},
		{"negative seed", `{"type":"session","version":0,"id":"s","createdAt":1,"seedLength":-1}`, "seedLength"},
		{"not JSON", `{"type":"session"`, "header"},
		{"empty line", ``, "header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, path := placeFile(t, "s", rawName, text(c.header, line(0, "turn/start", "")))
			_, err := store.Open(t.Context(), "s")
			if err == nil || !strings.Contains(err.Error(), path+":1: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("open: %v, want %s:1: ... %s", err, path, c.want)
			}
			if strings.Contains(c.want, "version") && !errors.Is(err, session.ErrVersion) {
				t.Errorf("open: %v does not wrap ErrVersion", err)
			}
		})
	}
	for name, content := range map[string]string{"empty file": "", "no line end": headerLine} {
		store, path := placeFile(t, "s", rawName, []byte(content))
		if _, err := store.Open(t.Context(), "s"); err == nil || !strings.Contains(err.Error(), path+":1: ") {
			t.Errorf("%s: %v, want an error of line 1", name, err)
		}
		for _, err := range store.List(t.Context()) {
			if err == nil || !strings.Contains(err.Error(), path+":1: ") {
				t.Errorf("%s, listed: %v, want an error of line 1", name, err)
			}
		}
	}
	store, _ := placeFile(t, "s", rawName, text(`{"type":"session","version":0,"id":"s","createdAt":1.0e0,"x":[1]}`))
	if _, err := store.Open(t.Context(), "s"); err == nil {
		t.Error("createdAt 1.0e0 is accepted")
	}
}

func TestAmbiguous(t *testing.T) {
	store, path := placeFile(t, "s", rawName, text(headerLine))
	twin := filepath.Join(filepath.Dir(path), zstdName)
	if err := os.WriteFile(twin, frames(t, text(headerLine)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), "s"); err == nil || !strings.Contains(err.Error(), "cannot tell which") {
		t.Errorf("both forms: %v", err)
	}
	if err := os.Remove(twin); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(store.dir, "--other--", "s")
	if err := os.MkdirAll(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(elsewhere, rawName), text(headerLine), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), "s"); err == nil || !strings.Contains(err.Error(), "cannot tell which") {
		t.Errorf("two projects: %v", err)
	}
}
