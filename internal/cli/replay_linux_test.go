package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/testfile"
)

// A disk that is full, and one that cannot be written, change no answer and keep nothing
// that is cut short.
func TestReplayFullDisk(t *testing.T) {
	m := keptModule(t)
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("mount a small disk, which takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	t.Setenv(cache.EnvDir, filepath.Join(disk, "cache"))
	t.Setenv("CATALOG_CACHE_DEBUG", "1")
	page := filepath.Join(m, "docs", "en", "b.md")
	check := func(what, text, note string) {
		t.Helper()
		testfile.Write(t, page, text)
		want := verify("--no-cache", "--dir", m)
		for range 2 {
			got := verify("--dir", m)
			said := got.Stderr
			got.Stderr = withoutNotes(said)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
			if !strings.Contains(said, note) {
				t.Errorf("%s: no note of %q in:\n%s", what, note, said)
			}
		}
	}
	check("an empty disk", "# B\n", "cache: ")
	fill(t, filepath.Join(disk, "filler"))
	check("a full disk", "# B\n\nOne.\n", "no space left")
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	check("with space again", "# B\n\nTwo.\n", "cache: ")
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("make it read-only: %v", err)
	}
	check("a read-only disk with entries", "# B\n\nTwo.\n", "replayed")
	check("a read-only disk", "# B\n\nThree.\n", "read-only file system")
	t.Setenv(cache.EnvDir, filepath.Join(disk, "another"))
	check("a read-only disk without a directory", "# B\n\nFour.\n", "read-only file system")
}

// withoutNotes takes the notes of the cache away.
func withoutNotes(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "verify-catalog: cache: ") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := bytes.Repeat([]byte("x"), 4096)
	for range 1000 {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
	t.Fatal("the disk takes more than it should")
}
