package cli_test

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/testfile"
)

var kills = flag.Int("cache-kills", 10, "how many pairs of runs race, one of them killed")

// Wherever the cache is, also in the midst of what is read, the answers are those without
// one, and the pages stay as they are.
func TestReplayPlaces(t *testing.T) {
	m := keptModule(t)
	want := verify("--no-cache", "--dir", m)
	wantGen := generate("--no-cache", "--json", "--dir", m)
	elsewhere := t.TempDir()
	link := func(name, to string) string {
		name = filepath.Join(elsewhere, name)
		if err := os.Symlink(to, name); err != nil {
			t.Skip("no symbolic links: ", err)
		}
		return name
	}
	locked := filepath.Join(elsewhere, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{
		m, filepath.Join(m, "docs"), filepath.Join(m, "docs", "en"), filepath.Join(m, "docs", "fr"), filepath.Join(m, "store"),
		filepath.Join(m, ".cache"), filepath.Join(m, "new", "deep"), filepath.Join(m, "gen"),
		filepath.Join(elsewhere, "with a blank", "and 中文"), link("linked", t.TempDir()), link("to a file", filepath.Join(m, "go.mod")),
		link("dangling", filepath.Join(elsewhere, "nowhere")), locked, filepath.Join(locked, "below"),
	} {
		before := snapshotTree(t, filepath.Dir(m))
		t.Setenv(cache.EnvDir, dir)
		for range 3 {
			if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
				t.Errorf("%s: verify-catalog: %s", dir, diff)
			}
			if diff := cmp.Diff(wantGen, generate("--json", "--dir", m)); diff != "" {
				t.Errorf("%s: gen-catalog: %s", dir, diff)
			}
		}
		after := snapshotTree(t, filepath.Dir(m))
		for name := range after {
			if strings.HasSuffix(name, ".entry") {
				delete(after, name)
			}
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s: the tree: %s", dir, diff)
		}
		restoreTree(t, filepath.Dir(m), before)
	}
}

// program is a command of a process of its own.
func program(t *testing.T, args ...string) (*exec.Cmd, *ran) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = args // the test binary goes by its name
	cmd.WaitDelay = time.Minute
	out := &ran{}
	cmd.Stdout = writerFunc(func(p []byte) { out.Stdout += string(p) })
	cmd.Stderr = writerFunc(func(p []byte) { out.Stderr += string(p) })
	return cmd, out
}

type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// Of two runs that race, one is killed wherever it is; the other says what is right, and so
// do those that come after.
func TestReplayKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program is not started under another name there")
	}
	dir := useCache(t)
	m := keptModule(t)
	page := filepath.Join(m, "docs", "en", "b.md")
	texts, want := twoTexts(t, m, page)
	r := rand.New(rand.NewPCG(9, 9))
	for i := range *kills {
		testfile.Write(t, page, texts[i%2])
		victim, _ := program(t, "verify-catalog", "--dir", m)
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		survivor, said := program(t, "verify-catalog", "--dir", m)
		if err := survivor.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(400)) * time.Millisecond) // where it is killed is left to chance
		if err := victim.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = victim.Wait() // it was killed, most often
		var exit *exec.ExitError
		if err := survivor.Wait(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		said.Code = survivor.ProcessState.ExitCode()
		if diff := cmp.Diff(want[i%2], *said); diff != "" {
			t.Errorf("race %d: %s", i, diff)
		}
		if diff := cmp.Diff(want[i%2], verify("--dir", m)); diff != "" {
			t.Errorf("after race %d: %s", i, diff)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Errorf("nothing is kept: %v", err)
	}
}

// A tree that changes while it is read makes no panic, and nothing is kept of it that is
// wrong of the tree as it is in the end.
func TestReplayMovingTree(t *testing.T) {
	useCache(t)
	m := keptModule(t)
	source := filepath.Join(m, "store", "more.go")
	page := filepath.Join(m, "docs", "en", "b.md")
	goText, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		r := rand.New(rand.NewPCG(5, 6))
		extra := filepath.Join(m, "store", "extra.go")
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, err := range []error{
				os.WriteFile(source, bytes.Replace(goText, []byte("Limit ="), []byte("Limit, Other = 1,"), r.IntN(2)), 0o644),
				os.WriteFile(page, []byte(strings.Repeat("# B\n\n`store.None`\n\n", r.IntN(4))), 0o644),
				os.WriteFile(extra, []byte("package store\n\n// Extra is.\ntype Extra struct{ Store }\n"), 0o644),
				os.Remove(extra),
				os.Rename(source, source+".away"),
				os.Rename(source+".away", source),
			} {
				if err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 6 {
		for _, got := range []ran{verify("--dir", m), generate("--dir", m)} {
			if strings.Contains(got.Stderr, "internal error") {
				t.Error(got.Stderr)
			}
		}
	}
	close(stop)
	writer.Wait()
	for _, text := range []string{string(goText), strings.Replace(string(goText), "10", "11", 1)} {
		testfile.Write(t, source, text)
		want := verify("--no-cache", "--dir", m)
		for range 2 {
			if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
				t.Error(diff)
			}
		}
	}
}
