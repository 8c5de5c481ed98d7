package watch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/watch"
)

// patience is when a test gives up on an event. No test depends on how long one takes.
const patience = time.Minute

// tree is a directory and a watcher that follows what look sees in it.
type tree struct {
	*testing.T
	dir  string
	w    *watch.Watcher
	look func(d *disk.Reader)
}

func newTree(t *testing.T) *tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := watch.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return &tree{T: t, dir: dir, w: w}
}

func (tr *tree) path(name string) string { return filepath.Join(tr.dir, filepath.FromSlash(name)) }

func (tr *tree) check(err error) {
	tr.Helper()
	if err != nil {
		tr.Fatal(err)
	}
}

// write replaces a file at once.
func (tr *tree) write(name, text string) {
	tr.Helper()
	tr.check(os.MkdirAll(filepath.Dir(tr.path(name)), 0o755))
	temp := filepath.Join(tr.TempDir(), "temp")
	tr.check(os.WriteFile(temp, []byte(text), 0o644))
	tr.check(os.Rename(temp, tr.path(name)))
}

// follow looks and follows what was seen until nothing changes meanwhile.
func (tr *tree) follow() {
	tr.Helper()
	for {
		d := disk.New()
		tr.look(d)
		changed, err := tr.w.Follow(d.Seen())
		tr.check(err)
		if len(changed) == 0 {
			return
		}
	}
}

// next is what changed, relative to the directory.
func (tr *tree) next() []string {
	tr.Helper()
	ctx, stop := context.WithTimeout(tr.Context(), patience)
	defer stop()
	paths, err := tr.w.Next(ctx)
	tr.check(err)
	var out []string
	for _, p := range paths {
		rel, err := filepath.Rel(tr.dir, p)
		tr.check(err)
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

// readAll reads every file of the directory, and looks for one that is not there.
func (tr *tree) readAll(d *disk.Reader) {
	_, _ = d.Stat(tr.path("missing/deep/file"))
	err := d.WalkDir(tr.dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			_, _ = d.ReadFile(name)
		}
		return nil
	})
	tr.check(err)
}

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(tr *tree)
		want   []string
	}{
		{"a file has other bytes", func(tr *tree) { tr.write("a/file", "new") }, []string{"a/file"}},
		{"a file is written in place", func(tr *tree) { tr.check(os.WriteFile(tr.path("a/file"), nil, 0o644)) }, []string{"a/file"}},
		{"a file is gone", func(tr *tree) { tr.check(os.Remove(tr.path("a/file"))) }, []string{"a/file"}},
		{"a file is new", func(tr *tree) { tr.write("a/new", "") }, []string{"a/new"}},
		{"a directory is gone", func(tr *tree) { tr.check(os.RemoveAll(tr.path("b"))) }, nil},
		{"a file that was looked for comes", func(tr *tree) { tr.write("missing/deep/file", "") }, nil},
		{"what was written before comes to nothing", func(tr *tree) {
			tr.write("a/file", "old")
			tr.write("b/file", "new")
		}, []string{"b/file"}},
		{"a directory is made anew", func(tr *tree) {
			tr.check(os.RemoveAll(tr.path("b")))
			tr.write("b/file", "new")
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTree(t)
			tr.write("a/file", "old")
			tr.write("b/file", "old")
			tr.look = tr.readAll
			tr.follow()
			tt.change(tr)
			got := tr.next()
			if tt.want != nil {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("changed (-want +got):\n%s", diff)
				}
			}
			// Whatever became of the tree, it is followed.
			tr.follow()
			tr.write("b/file", "newer")
			for got := tr.next(); !contains(got, "b/file") && !contains(got, "b"); got = tr.next() {
				tr.follow()
			}
		})
	}
}

func contains(list []string, name string) bool {
	for _, n := range list {
		if n == name {
			return true
		}
	}
	return false
}

// TestFollowInNewDirectory makes changes in a directory before it is followed.
func TestFollowInNewDirectory(t *testing.T) {
	tr := newTree(t)
	tr.write("a/file", "old")
	tr.look = tr.readAll
	tr.follow()
	tr.write("new/file", "old")
	tr.next()
	d := disk.New()
	tr.look(d)
	tr.write("new/file", "new")
	changed, err := tr.w.Follow(d.Seen())
	tr.check(err)
	if diff := cmp.Diff([]string{tr.path("new/file")}, changed); diff != "" {
		t.Errorf("changed between looking and following (-want +got):\n%s", diff)
	}
}

func TestFileBehindLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights on Windows")
	}
	tr := newTree(t)
	tr.write("far/away/file", "old")
	tr.check(os.Mkdir(tr.path("near"), 0o755))
	tr.check(os.Symlink(tr.path("far/away/file"), tr.path("near/link")))
	tr.look = func(d *disk.Reader) { _, _ = d.ReadFile(tr.path("near/link")) }
	tr.follow()
	tr.write("far/away/other", "")
	tr.write("far/away/file", "new")
	if diff := cmp.Diff([]string{"near/link"}, tr.next()); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
}

func TestNextEnds(t *testing.T) {
	tr := newTree(t)
	tr.look = tr.readAll
	tr.follow()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := tr.w.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
