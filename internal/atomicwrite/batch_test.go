package atomicwrite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/testfile"
)

// longAgo is a modification time that no write of a test can give.
var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// tree makes files below a new directory, all modified long ago.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		testfile.Write(t, path, content)
		if err := os.Chtimes(path, longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// list reads a tree back: the content of files, "-> target" for links and "dir" for
// directories without files. Files that were written are marked with a "*".
func list(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			got[rel] = "-> " + filepath.ToSlash(to)
		case d.IsDir():
			entries, err := os.ReadDir(path)
			if err == nil && len(entries) == 0 {
				got[rel] = "dir"
			}
		default:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if !info.ModTime().Equal(longAgo) {
				rel = "*" + rel
			}
			got[rel] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantTree(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, list(t, dir)); diff != "" {
		t.Errorf("files differ (-want +got):\n%s", diff)
	}
}

func commit(t *testing.T, b *Batch, want int) {
	t.Helper()
	if errs := b.Check(); len(errs) > 0 {
		t.Fatalf("Check: %v", errs)
	}
	got, err := b.Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("Commit changed %d files, want %d", got, want)
	}
}

func TestCommit(t *testing.T) {
	dir := tree(t, map[string]string{
		"changed.md": "old", "same.md": "same", "empty.md": "", "gone.go": "x", "other.md": "other",
	})
	var b Batch
	b.Write(filepath.Join(dir, "changed.md"), []byte("new"))
	b.Write(filepath.Join(dir, "same.md"), []byte("same"))
	b.Write(filepath.Join(dir, "empty.md"), nil)
	b.Write(filepath.Join(dir, "a", "b", "new.md"), []byte("new"))
	b.Write(filepath.Join(dir, "a", "empty.md"), nil)
	b.Write(filepath.Join(dir, "twice.md"), []byte("first"))
	b.Write(filepath.Join(dir, "x", "..", "twice.md"), []byte("last"))
	b.Write(filepath.Join(dir, "gone.go"), []byte("not any more"))
	b.Remove(filepath.Join(dir, "gone.go"))
	b.Remove(filepath.Join(dir, "never.go"))
	b.Remove(filepath.Join(dir, "none", "never.go"))
	commit(t, &b, 5)
	want := map[string]string{
		"*changed.md": "new", "same.md": "same", "empty.md": "", "*a/b/new.md": "new",
		"*a/empty.md": "", "*twice.md": "last", "other.md": "other",
	}
	wantTree(t, dir, want)

	commit(t, &b, 0)
	wantTree(t, dir, want)
}

func TestCommitNothing(t *testing.T) {
	commit(t, &Batch{}, 0)
}

func TestCommitRelative(t *testing.T) {
	dir := tree(t, map[string]string{"docs/a.md": "old"})
	t.Chdir(dir)
	var b Batch
	b.Write(filepath.Join("docs", "a.md"), []byte("new"))
	b.Write("b.md", []byte("new"))
	commit(t, &b, 2)
	wantTree(t, dir, map[string]string{"*docs/a.md": "new", "*b.md": "new"})
}

func TestCheck(t *testing.T) {
	dir := tree(t, map[string]string{
		"readonly.md": "old", "readonly.go": "old", "readonly-same.md": "same",
		"dir.md/x": "", "file": "", "ok.md": "old",
	})
	t.Chdir(dir)
	for _, name := range []string{"readonly.md", "readonly.go", "readonly-same.md"} {
		if err := os.Chmod(name, 0o444); err != nil {
			t.Fatal(err)
		}
		// So that the directory can be removed everywhere.
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, name), 0o644) })
	}
	before := list(t, dir)

	var b Batch
	b.Write("readonly.md", []byte("new"))
	b.Write("readonly-same.md", []byte("same"))
	b.Remove("readonly.go")
	b.Write("dir.md", []byte("new"))
	b.Remove(filepath.Join("dir.md", "..", "dir.md"))
	b.Write("dir.md", []byte("new"))
	b.Write(filepath.Join("file", "a", "b.md"), []byte("new"))
	b.Write("ok.md", []byte("new"))
	b.Write("new", []byte("new"))
	b.Write(filepath.Join("new", "a", "b.md"), []byte("new"))

	want := []string{
		"write dir.md: it is a directory: move the directory away",
		"write file/a/b.md: a file is in the place of its directory: remove the file $DIR/file",
		"write new/a/b.md: a file is in the place of its directory: drop new or write elsewhere",
		"remove readonly.go: it is read-only: make it writable (its mode is 0444)",
		"write readonly.md: it is read-only: make it writable (its mode is 0444)",
	}
	if diff := cmp.Diff(want, messages(t, dir, b.Check())); diff != "" {
		t.Errorf("Check differs (-want +got):\n%s", diff)
	}
	n, err := b.Commit(t.Context())
	if n != 0 || err == nil {
		t.Errorf("Commit = %d, %v, want 0 and an error", n, err)
	}
	if got := strings.Count(fmt.Sprint(err), "\n"); got != len(want)-1 {
		t.Errorf("Commit reports %d errors, want %d: %v", got+1, len(want), err)
	}
	wantTree(t, dir, before)
}

// messages returns the texts of errors, the same on all systems.
func messages(t *testing.T, dir string, errs []error) []string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, err := range errs {
		if e, ok := errors.AsType[*Error](err); !ok || e.Path == "" || e.Remedy == "" {
			t.Errorf("error without path or remedy: %#v", err)
		}
		text := strings.NewReplacer(real, "$DIR", dir, "$DIR", "\\", "/").Replace(err.Error())
		texts = append(texts, text)
	}
	return texts
}

// When a temporary file cannot be written, nothing is changed and nothing is left.
func TestCommitStagingFails(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "old", "b.md": "old"})
	before := list(t, dir)
	full := errors.New("no space left on device")
	b := Batch{beforeWrite: func(path string) error {
		if filepath.Base(path) == "z.md" {
			return full
		}
		return nil
	}}
	b.Write(filepath.Join(dir, "a.md"), []byte("new"))
	b.Remove(filepath.Join(dir, "b.md"))
	b.Write(filepath.Join(dir, "new", "deep", "y.md"), []byte("new"))
	b.Write(filepath.Join(dir, "new", "z.md"), []byte("new"))
	n, err := b.Commit(t.Context())
	if n != 0 || !errors.Is(err, full) {
		t.Errorf("Commit = %d, %v, want 0, %v", n, err, full)
	}
	wantTree(t, dir, before)
}

// A context that is done at any time before the first rename changes nothing.
func TestCommitCancelled(t *testing.T) {
	for after := range 3 {
		t.Run(fmt.Sprint(after, " files"), func(t *testing.T) {
			dir := tree(t, map[string]string{"a.md": "old", "b.md": "old"})
			before := list(t, dir)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if after == 0 {
				cancel()
			}
			staged := 0
			b := Batch{beforeWrite: func(string) error {
				if staged++; staged == after {
					cancel()
				}
				return nil
			}}
			b.Write(filepath.Join(dir, "a.md"), []byte("new"))
			b.Write(filepath.Join(dir, "b.md"), []byte("new"))
			n, err := b.Commit(ctx)
			if n != 0 || !errors.Is(err, context.Canceled) {
				t.Errorf("Commit = %d, %v, want 0, %v", n, err, context.Canceled)
			}
			wantTree(t, dir, before)
		})
	}
}

// A target that turns into a directory after the check stops the renames there.
func TestCommitRenameFails(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "old", "c.md": "old"})
	b := Batch{beforeWrite: func(path string) error {
		if filepath.Base(path) == "c.md" {
			return os.MkdirAll(filepath.Join(dir, "b.md", "x"), 0o755)
		}
		return nil
	}}
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		b.Write(filepath.Join(dir, name), []byte("new"))
	}
	n, err := b.Commit(t.Context())
	e, ok := errors.AsType[*Error](err)
	if n != 1 || !ok || e.Path != filepath.Join(dir, "b.md") {
		t.Errorf("Commit = %d, %v, want 1 and an error for b.md", n, err)
	}
	wantTree(t, dir, map[string]string{"*a.md": "new", "b.md/x": "dir", "c.md": "old"})
}

// The names of temporary files keep other programs away from them.
func TestTemporaryNames(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "old"})
	var temps []string
	b := Batch{beforeWrite: func(path string) error {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if e.Name() != "a.md" {
				temps = append(temps, e.Name())
			}
		}
		return err
	}}
	b.Write(filepath.Join(dir, "a.md"), []byte("new"))
	b.Write(filepath.Join(dir, strings.Repeat("b", 240)+".go"), []byte("new"))
	commit(t, &b, 2)
	if len(temps) != 1 || !strings.HasPrefix(temps[0], ".") || filepath.Ext(temps[0]) != ".tmp" {
		t.Errorf("temporary files are %q, want one that starts with a dot and ends in .tmp", temps)
	}
}

// Readers see whole files while two batches write the same ones again and again.
func TestCommitConcurrently(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be replaced here")
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.md"), filepath.Join(dir, "sub", "b.md")}
	contents := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 150_000)}
	var wg sync.WaitGroup
	for _, content := range contents {
		wg.Go(func() {
			for range 20 {
				var b Batch
				for _, path := range paths {
					b.Write(path, []byte(content))
				}
				if _, err := b.Commit(t.Context()); err != nil {
					t.Error(err)
				}
				for _, path := range paths {
					got, err := os.ReadFile(path)
					if err != nil {
						t.Error(err)
					} else if s := string(got); s != contents[0] && s != contents[1] {
						t.Errorf("%s is not whole: %d bytes", path, len(s))
					}
				}
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("directory holds %v (%v), want a.md and sub", entries, err)
	}
}
