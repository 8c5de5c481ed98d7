package cli_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentplan/sdk/internal/cache"
)

var replayAll = flag.Bool("replay-all", false, "run all scripts twice with one cache, not only some")

// fewScripts is every how many scripts one is run twice.
const fewScripts = 9

// All scripts share a cache, and each runs twice in the same directory: the second time
// every command says what it said the first time, and what was kept is used.
func TestReplayScripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if !*replayAll {
		var few []string
		for i := 0; i < len(files); i += fewScripts {
			few = append(few, files[i])
		}
		files = few
	}
	root, kept := t.TempDir(), t.TempDir()
	var said [2]map[string][]string
	var entries [2]map[string]time.Time
	for i, round := range []string{"first", "second"} {
		said[i] = map[string][]string{}
		t.Run(round, func(t *testing.T) {
			work := filepath.Join(root, "work")
			if err := os.Mkdir(work, 0o755); err != nil {
				t.Fatal(err)
			}
			defer removeTree(t, work)
			t.Run("scripts", func(t *testing.T) {
				p := scriptParams(t)
				p.Dir, p.Files, p.WorkdirRoot = "", files, work
				transcribe(&p, kept, said[i])
				testscript.Run(t, p)
			})
		})
		entries[i] = keptEntries(t, kept)
	}
	if diff := cmp.Diff(said[0], said[1]); diff != "" {
		t.Errorf("what the commands said (-first +second):\n%s", diff)
	}
	used := 0
	for name, when := range entries[0] {
		if entries[1][name].Equal(when) {
			used++ // a run that was done again would have been kept again
		}
	}
	if used == 0 {
		t.Errorf("of %d entries, the second round used none", len(entries[0]))
	}
	t.Logf("%d scripts, %d entries, %d of them used", len(files), len(entries[0]), used)
}

// transcribe lets the scripts use a cache, and records what their programs said.
func transcribe(p *testscript.Params, kept string, said map[string][]string) {
	setup, exits := p.Setup, p.Cmds["exits"]
	p.Setup = func(e *testscript.Env) error {
		if err := setup(e); err != nil {
			return err
		}
		e.Setenv(cache.EnvDir, kept)
		return nil
	}
	var mu sync.Mutex
	p.Cmds["exits"] = func(ts *testscript.TestScript, neg bool, args []string) {
		exits(ts, neg, args)
		text := strings.Join([]string{strings.Join(args, " "), ts.ReadFile("stdout"), ts.ReadFile("stderr")}, "\n")
		mu.Lock()
		defer mu.Unlock()
		said[ts.Name()] = append(said[ts.Name()], text)
	}
}

// removeTree removes the trees of scripts, also what they made unwritable.
func removeTree(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(name, 0o755)
		}
		return nil // what cannot be read is removed all the same
	})
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func keptEntries(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	entries := entriesOf(t, dir)
	out := map[string]time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = info.ModTime()
	}
	return out
}
