package history_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/history"
	"github.com/agentplan/sdk/internal/testfile"
)

// What is remembered holds until the history that git tells of is another.
func TestRemember(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	repo := filepath.Join(dir, "repo")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e", "-C", repo}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		testfile.Write(t, name, text)
	}
	remember := func(at string) disk.Trace {
		t.Helper()
		d := disk.New()
		history.Remember(d, at)
		trace, err := d.Trace()
		if err != nil {
			t.Fatal(err)
		}
		return trace
	}
	sub := filepath.Join(repo, "sub")
	write(filepath.Join(sub, "a"), "one\n")
	none := remember(sub)
	git("init", "-q", "-b", "main")
	if none.Holds() {
		t.Error("a repository came, and it holds")
	}
	git("add", ".")
	git("commit", "-qm", "one")
	for _, step := range []struct {
		what  string
		do    func()
		holds bool
	}{
		{"an edit", func() { write(filepath.Join(sub, "a"), "two\n") }, true},
		{"the index", func() { git("add", ".") }, true},
		{"another branch", func() { git("branch", "other") }, true},
		{"a commit", func() { git("commit", "-qm", "two") }, false},
		{"packed refs", func() { git("pack-refs", "--all") }, false},
		{"a commit after packing", func() { write(filepath.Join(sub, "a"), "three\n"); git("commit", "-qam", "three") }, false},
		{"a switch", func() { git("checkout", "-q", "other") }, false},
		{"a detached head", func() { git("checkout", "-q", "--detach") }, false},
		{"configuration", func() { git("config", "log.follow", "true") }, false},
		{"the user's configuration", func() { write(filepath.Join(dir, ".gitconfig"), "[log]\n\tfollow = true\n") }, false},
	} {
		before := remember(sub)
		if !before.Holds() {
			t.Errorf("%s: it does not hold before", step.what)
		}
		step.do()
		if before.Holds() != step.holds {
			t.Errorf("%s: it holds: %v, want %v", step.what, !step.holds, step.holds)
		}
	}
	git("worktree", "add", "-q", filepath.Join(dir, "tree"), "main")
	tree := remember(filepath.Join(dir, "tree"))
	write(filepath.Join(dir, "tree", "b"), "new\n")
	git("-C", filepath.Join(dir, "tree"), "add", ".")
	git("-C", filepath.Join(dir, "tree"), "commit", "-qm", "in the worktree")
	if tree.Holds() {
		t.Error("a commit in another worktree, and it holds")
	}
	d := disk.New()
	git("config", "include.path", "elsewhere")
	history.Remember(d, sub)
	if _, err := d.Trace(); err == nil {
		t.Error("a configuration that includes another: no error")
	}
}
