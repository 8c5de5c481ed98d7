//go:build unix

package atomicwrite

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// G35: files are written through links, which stay.
func TestCommitLinks(t *testing.T) {
	dir := tree(t, map[string]string{
		"shared/a.md": "old", "shared/b.md": "old", "shared/c.md": "old", "real/d.md": "old", "gen/target.go": "x",
	})
	symlink(t, "../shared/a.md", filepath.Join(dir, "zh/a.md"))
	symlink(t, "a.md", filepath.Join(dir, "zh/chain.md"))
	symlink(t, filepath.Join(dir, "shared/b.md"), filepath.Join(dir, "zh/b.md"))
	symlink(t, "../shared/c.md", filepath.Join(dir, "zh/c.md"))
	symlink(t, "../shared/c.md", filepath.Join(dir, "en/c.md"))
	symlink(t, "real", filepath.Join(dir, "linked"))
	symlink(t, "target.go", filepath.Join(dir, "gen/link.go"))
	symlink(t, "nowhere", filepath.Join(dir, "gen/dangling.go"))

	var b Batch
	b.Write(filepath.Join(dir, "zh/chain.md"), []byte("new a"))
	b.Write(filepath.Join(dir, "zh/b.md"), []byte("new b"))
	b.Write(filepath.Join(dir, "zh/c.md"), []byte("new c"))
	b.Write(filepath.Join(dir, "en/c.md"), []byte("new c"))
	b.Write(filepath.Join(dir, "linked/d.md"), []byte("new d"))
	b.Write(filepath.Join(dir, "linked/new/e.md"), []byte("new e"))
	b.Write(filepath.Join(dir, "real/new/e.md"), []byte("new e"))
	b.Remove(filepath.Join(dir, "gen/link.go"))
	b.Remove(filepath.Join(dir, "gen/dangling.go"))
	commit(t, &b, 7)
	want := map[string]string{
		"*shared/a.md": "new a", "*shared/b.md": "new b", "*shared/c.md": "new c",
		"*real/d.md": "new d", "*real/new/e.md": "new e", "gen/target.go": "x",
		"zh/a.md": "-> ../shared/a.md", "zh/chain.md": "-> a.md", "zh/b.md": "-> " + filepath.Join(dir, "shared/b.md"),
		"zh/c.md": "-> ../shared/c.md", "en/c.md": "-> ../shared/c.md", "linked": "-> real",
	}
	wantTree(t, dir, want)
	commit(t, &b, 0)
	wantTree(t, dir, want)
}

func TestCheckUnix(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "old", "closed/a.md": "old", "closed/same.md": "same"})
	t.Chdir(dir)
	symlink(t, "nowhere.md", "dangling.md")
	symlink(t, "dangling.md", "chain.md")
	symlink(t, "nowhere", "lost")
	symlink(t, "loop.md", "loop.md")
	symlink(t, "a.md", "b.md")
	symlink(t, "closed", "link")
	if err := syscall.Mkfifo("fifo.md", 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("closed", 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })

	var b Batch
	for _, path := range []string{
		"dangling.md", "chain.md", "lost/x.md", "loop.md", "fifo.md", "closed/a.md", "link/new/x.md",
	} {
		b.Write(path, []byte("new"))
	}
	b.Write("closed/same.md", []byte("same"))
	b.Remove("closed/a.md/x")
	b.Write("a.md", []byte("one"))
	b.Write("b.md", []byte("two"))
	want := []string{
		"write b.md: it is the same file as another target, with other content: make it a file of its own, or drop a.md",
		"write chain.md: it is a link that leads nowhere: make the link $DIR/chain.md lead to a file, or remove it",
		"write closed/a.md: its directory is read-only: make $DIR/closed writable",
		"write dangling.md: it is a link that leads nowhere: make the link $DIR/dangling.md lead to a file, or remove it",
		"write fifo.md: it is not a regular file: move it away",
		"write link/new/x.md: its directory is read-only: make $DIR/closed writable",
		"write loop.md: EvalSymlinks: too many links: mend the link $DIR/loop.md",
		"write lost/x.md: it is a link that leads nowhere: make the link $DIR/lost lead to a file, or remove it",
	}
	if diff := cmp.Diff(want, messages(t, dir, b.Check())); diff != "" {
		t.Errorf("Check differs (-want +got):\n%s", diff)
	}
}

func TestModes(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	dir := tree(t, map[string]string{"private.md": "old", "open.md": "old"})
	for name, mode := range map[string]fs.FileMode{"private.md": 0o600, "open.md": 0o666} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	var b Batch
	names := []string{"private.md", "open.md", "sub/new.md"}
	for _, name := range names {
		b.Write(filepath.Join(dir, name), []byte("new"))
	}
	commit(t, &b, 3)
	got := make(map[string]string)
	for _, name := range append(names, "sub") {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = info.Mode().String()
	}
	want := map[string]string{
		"private.md": "-rw-------", "open.md": "-rw-rw-rw-", "sub/new.md": "-rw-r--r--", "sub": "drwxr-x---",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes differ (-want +got):\n%s", diff)
	}
}

func TestOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := tree(t, map[string]string{"a.md": "old"})
	path := filepath.Join(dir, "a.md")
	if err := os.Chown(path, 1234, 2345); err != nil {
		t.Skip(err)
	}
	var b Batch
	b.Write(path, []byte("new"))
	commit(t, &b, 1)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatalf("Stat gives a %T", info.Sys())
	}
	if diff := cmp.Diff([]uint32{1234, 2345}, []uint32{sys.Uid, sys.Gid}); diff != "" {
		t.Errorf("owner differs (-want +got):\n%s", diff)
	}
}

// A process that may write small files only stands for a disk that is full.
func TestCommitFullDisk(t *testing.T) {
	const env = "ATOMICWRITE_TEST_FULL_DISK"
	if dir := os.Getenv(env); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 1000, Max: 1000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		var b Batch
		b.Write(filepath.Join(dir, "a.md"), []byte("new"))
		b.Write(filepath.Join(dir, "b.md"), []byte(strings.Repeat("new", 1000)))
		n, err := b.Commit(t.Context())
		if n != 0 || !errors.Is(err, syscall.EFBIG) {
			t.Errorf("Commit = %d, %v, want 0, %v", n, err, syscall.EFBIG)
		}
		return
	}
	dir := tree(t, map[string]string{"a.md": "old", "b.md": "old"})
	before := list(t, dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestCommitFullDisk$")
	cmd.Env = append(os.Environ(), env+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantTree(t, dir, before)
}
