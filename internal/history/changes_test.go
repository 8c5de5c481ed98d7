package history_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/history"
)

// changes lists what differs from a revision, seen from a directory of the repository:
// each path with the bytes that it had, or a minus, and signs of what is special.
func (r repository) changes(dir, rev string) []string {
	r.Helper()
	repo, err := history.Open(r.Context(), filepath.Join(r.dir, dir))
	if err != nil {
		r.Fatal(err)
	}
	c, err := repo.Changes(r.Context(), rev)
	if err != nil {
		r.Fatal(err)
	}
	var out []string
	for _, ch := range c.Paths {
		line := ch.Path + " -"
		if ch.Old != "" {
			old, err := repo.Read(r.Context(), ch.Old)
			if err != nil {
				r.Fatal(err)
			}
			line = ch.Path + " " + strings.TrimSpace(string(old))
		}
		if ch.Gone {
			line += " gone"
		}
		if ch.Opaque {
			line += " opaque"
		}
		out = append(out, line)
	}
	if err := repo.Close(); err != nil {
		r.Fatal(err)
	}
	return out
}

func (r repository) remove(name string) {
	r.Helper()
	if err := os.Remove(filepath.Join(r.dir, name)); err != nil {
		r.Fatal(err)
	}
}

func TestChanges(t *testing.T) {
	r := newRepository(t)
	for _, name := range []string{"same", "edited", "staged", "gone", "moved", "m/in", "m/deep/in", "other/out", "untracked-now", "touched", "blind"} {
		r.write(name, "old "+name+"\n")
	}
	r.write(".gitignore", "ignored\nnode_modules\n")
	r.commit()

	r.write("edited", "new\n")
	r.write("staged", "new\n")
	r.git("add", "staged")
	r.remove("gone")
	r.git("mv", "moved", "m/moved")
	r.write("m/in", "new\n")
	r.write("m/deep/in", "new\n")
	r.write("m/new", "new\n")
	r.write("other/out", "new\n")
	r.write("ignored", "new\n")
	r.write("node_modules/dep", "new\n")
	r.write("中 文\n.md", "new\n")
	r.git("rm", "-q", "--cached", "untracked-now")
	r.write("touched", "old touched\n")
	r.git("update-index", "--assume-unchanged", "blind")
	r.write("blind", "new\n")

	want := []string{
		"blind - opaque", "edited old edited", "gone old gone gone", "ignored -",
		"m/deep/in old m/deep/in", "m/in old m/in", "m/moved -", "m/new -", "moved old moved gone",
		"other/out old other/out", "staged old staged", "untracked-now old untracked-now", "中 文\n.md -",
	}
	if diff := cmp.Diff(want, r.changes(".", "HEAD")); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	var below []string
	for _, line := range r.changes("m/deep", "HEAD") {
		name, _, _ := strings.Cut(line, " ")
		below = append(below, name)
	}
	if diff := cmp.Diff([]string{
		"../../blind", "../../edited", "../../gone", "../../ignored", "../../moved", "../../other/out", "../../staged",
		"../../untracked-now", "../../中", "../in", "../moved", "../new", "in",
	}, below); diff != "" {
		t.Errorf("changes seen from a directory (-want +got):\n%s", diff)
	}

	// What is committed since counts like what is not.
	r.git("update-index", "--no-assume-unchanged", "blind")
	r.commit()
	for _, line := range r.changes(".", "HEAD") {
		if line != "ignored -" {
			t.Errorf("changed since the commit: %s", line)
		}
	}
	if got := r.changes(".", "HEAD~1"); len(got) != len(want)-1 { // one is tracked again, as it was
		t.Errorf("changes since the commit before: %q", got)
	}
}

func TestChangesOfLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights on Windows")
	}
	r := newRepository(t)
	link := func(name, target string) {
		r.Helper()
		if err := os.Symlink(target, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r.write("a/file", "old\n")
	r.write("a/other", "old\n")
	r.write("b/file", "old\n")
	link("to-file", "a/file")
	link("to-dir", "a")
	link("to-other", "b/file")
	link("to-nothing", "c/file")
	r.commit()
	r.write("a/file", "new\n")
	r.write("c/file", "new\n")
	r.remove("to-other")
	link("to-other", "a/other")
	want := []string{"a/file old", "c/file -", "to-dir/file old", "to-file old", "to-nothing -", "to-other - opaque"}
	if diff := cmp.Diff(want, r.changes(".", "HEAD")); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestChangesInConflict(t *testing.T) {
	r := newRepository(t)
	r.write("file", "old\n")
	r.commit()
	r.git("checkout", "-q", "-b", "side")
	r.write("file", "side\n")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("file", "main\n")
	r.commit()
	r.fails("merge", "-q", "side")
	if diff := cmp.Diff([]string{"file main"}, r.changes(".", "HEAD")); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// fails runs git where it has to exit with a code other than 0.
func (r repository) fails(args ...string) {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com"}, args...)...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err == nil {
		r.Fatalf("git %v: no error\n%s", args, out)
	}
}

func TestChangesSinceNothing(t *testing.T) {
	r := newRepository(t)
	repo, err := history.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Changes(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), `unknown revision "HEAD"`) {
		t.Errorf("changes since the commit of an empty repository: %v", err)
	}
}
