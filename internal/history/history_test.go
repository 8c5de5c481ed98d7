package history_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/history"
	"github.com/agentplan/sdk/internal/testfile"
)

// repository is a git repository in a temporary directory, apart from all configuration.
type repository struct {
	*testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"} {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	r := repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repository) git(args ...string) {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r repository) write(name, text string) {
	r.Helper()
	name = filepath.Join(r.dir, filepath.FromSlash(name))
	testfile.Write(r, name, text)
}

func (r repository) commit() {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "change")
}

// versions reads all versions of the paths, seen from a directory.
func versions(t *testing.T, dir string, paths ...string) map[string][]string {
	t.Helper()
	repo, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}()
	out := map[string][]string{}
	err = repo.Walk(t.Context(), paths, func(path, id string) bool {
		data, err := repo.Read(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = append(out[path], string(data))
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWalk(t *testing.T) {
	r := newRepository(t)
	r.write("m/docs/甲 a.md", "one")
	r.write("m/b.go", "b\n")
	r.commit()
	r.write("m/docs/甲 a.md", "two\n")
	r.commit()
	r.git("checkout", "-q", "-b", "side")
	r.write("m/docs/甲 a.md", "side\n")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("m/docs/甲 a.md", "three\n")
	r.commit()
	r.git("merge", "-q", "-s", "ours", "--no-commit", "side")
	r.write("m/docs/甲 a.md", "merged\n")
	r.commit()
	r.write("m/docs/甲 a.md", "not committed\n")
	got := versions(t, filepath.Join(r.dir, "m"), "docs/甲 a.md", "b.go", "none.md")
	all := got["docs/甲 a.md"]
	delete(got, "docs/甲 a.md")
	if d := cmp.Diff(map[string][]string{"b.go": {"b\n"}}, got); d != "" {
		t.Error(d)
	}
	if len(all) != 5 || all[0] != "merged\n" || all[4] != "one" {
		t.Errorf("versions %q", all)
	}
	for _, want := range []string{"two\n", "side\n", "three\n"} {
		if !strings.Contains(strings.Join(all, "|"), want) {
			t.Errorf("no version %q in %q", want, all)
		}
	}
}

// A walk ends when nothing more is wanted, however long the history is.
func TestWalkStops(t *testing.T) {
	r := newRepository(t)
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		r.write("a.md", text)
		r.write("b.md", text)
		r.commit()
	}
	repo, err := history.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	err = repo.Walk(t.Context(), []string{"b.md", "a.md", "a.md"}, func(path, _ string) bool {
		calls[path]++
		return path == "a.md" || calls[path] == 2
	})
	if d := cmp.Diff(map[string]int{"a.md": 1, "b.md": 2}, calls); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
}

func TestShallow(t *testing.T) {
	r := newRepository(t)
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		r.write("a.md", text)
		r.commit()
	}
	clone := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(r.dir), clone)
	want := map[string][]string{"a.md": {"three\n"}}
	if d := cmp.Diff(want, versions(t, clone, "a.md")); d != "" {
		t.Error(d)
	}
	repo, err := history.Open(t.Context(), clone)
	if err != nil || !repo.Shallow() {
		t.Errorf("a shallow clone is not known as one: %v", err)
	}
}

func TestEmptyRepository(t *testing.T) {
	r := newRepository(t)
	repo, err := history.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.Walk(t.Context(), []string{"a.md"}, nil); err == nil || !strings.Contains(err.Error(), "git log") {
		t.Error("versions of a repository without a commit")
	}
	if _, err := repo.Read(t.Context(), strings.Repeat("1", 40)); err == nil {
		t.Error("bytes of an object that is not there")
	}
	if err := repo.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	newRepository(t) // for the environment
	outside := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(outside))
	if _, err := history.Open(t.Context(), outside); err == nil || !strings.Contains(err.Error(), "no git repository") {
		t.Errorf("outside of a repository: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := history.Open(t.Context(), outside); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("without git: %v", err)
	}
}
