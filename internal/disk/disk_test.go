package disk

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/testfile"
)

// tree makes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		testfile.Write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
}

func trace(t *testing.T, r *Reader) Trace {
	t.Helper()
	out, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A trace holds as long as no answer changes, whatever else does.
func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		see   func(r *Reader, dir string)
		edit  func(t *testing.T, dir string)
		holds bool
	}{
		{"nothing", func(*Reader, string) {}, func(t *testing.T, dir string) { remove(t, dir) }, true},
		{"content", func(r *Reader, dir string) { _, _ = r.ReadFile(dir + "/a") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/a", "two") }, false},
		{"the same content", func(r *Reader, dir string) { _, _ = r.ReadFile(dir + "/a") }, func(t *testing.T, dir string) { remove(t, dir+"/a"); testfile.Write(t, dir+"/a", "one") }, true},
		{"the same size and time", func(r *Reader, dir string) { _, _ = r.ReadFile(dir + "/a") }, func(t *testing.T, dir string) {
			info, err := os.Stat(dir + "/a")
			if err != nil {
				t.Fatal(err)
			}
			testfile.Write(t, dir+"/a", "two")
			if err := os.Chtimes(dir+"/a", info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"content gone", func(r *Reader, dir string) { _, _ = r.ReadFile(dir + "/a") }, func(t *testing.T, dir string) { remove(t, dir+"/a") }, false},
		{"content comes", func(r *Reader, dir string) { _, _ = r.ReadFile(dir + "/new") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/new", "") }, false},
		{"content in a directory that comes", func(r *Reader, dir string) { _, _ = r.ReadFile(dir + "/new/x") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/new/x", "") }, false},
		{"other content", func(r *Reader, dir string) { _, _ = r.ReadFile(dir + "/a") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/d/b", "two") }, true},
		{"listing", func(r *Reader, dir string) { _, _ = r.ReadDir(dir + "/d") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/d/c", "") }, false},
		{"listing, name gone", func(r *Reader, dir string) { _, _ = r.ReadDir(dir + "/d") }, func(t *testing.T, dir string) { remove(t, dir+"/d/b") }, false},
		{"listing, other type", func(r *Reader, dir string) { _, _ = r.ReadDir(dir + "/d") }, func(t *testing.T, dir string) { remove(t, dir+"/d/b"); testfile.Write(t, dir+"/d/b/x", "") }, false},
		{"listing, other content", func(r *Reader, dir string) { _, _ = r.ReadDir(dir + "/d") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/d/b", "two") }, true},
		{"existence", func(r *Reader, dir string) { _, _ = r.Stat(dir + "/a") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/a", "longer") }, true},
		{"existence, gone", func(r *Reader, dir string) { _, _ = r.Stat(dir + "/a") }, func(t *testing.T, dir string) { remove(t, dir+"/a") }, false},
		{"existence, comes", func(r *Reader, dir string) { _, _ = r.Stat(dir + "/new") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/new", "") }, false},
		{"existence, other type", func(r *Reader, dir string) { _, _ = r.Stat(dir + "/a") }, func(t *testing.T, dir string) { remove(t, dir+"/a"); testfile.Write(t, dir+"/a/x", "") }, false},
		{"walk", func(r *Reader, dir string) {
			_ = r.WalkDir(dir, func(string, fs.DirEntry, error) error { return nil })
		}, func(t *testing.T, dir string) { testfile.Write(t, dir+"/d/e/new", "") }, false},
		{"named", func(r *Reader, dir string) { r.Named(dir + "/d"); _, _ = r.ReadFile(dir + "/d/b") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/d/b", "two") }, true},
		{"beside named", func(r *Reader, dir string) { r.Named(dir + "/d"); _, _ = r.ReadFile(dir + "/da") }, func(t *testing.T, dir string) { testfile.Write(t, dir+"/da", "two") }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, map[string]string{"a": "one", "d/b": "one", "d/e/f": "one", "da": "one"})
			r := New()
			tt.see(r, dir)
			seen := trace(t, r)
			if !seen.Holds() {
				t.Error("it does not hold before the edit")
			}
			tt.edit(t, dir)
			if seen.Holds() != tt.holds {
				t.Errorf("Holds = %v after the edit", !tt.holds)
			}
			parsed, rest, err := ParseTrace(append(seen.Append(nil), "rest"...))
			if err != nil || string(rest) != "rest" {
				t.Fatalf("ParseTrace: rest %q, %v", rest, err)
			}
			if parsed.Holds() != tt.holds {
				t.Error("the parsed trace holds other than its original")
			}
		})
	}
}

func TestHoldsLinks(t *testing.T) {
	dir := tree(t, map[string]string{"a/x": "one", "b/x": "one"})
	link := filepath.Join(dir, "link")
	if err := os.Symlink("a", link); err != nil {
		t.Skip(err)
	}
	r := New()
	if _, err := r.EvalSymlinks(filepath.Join(link, "x")); err != nil {
		t.Fatal(err)
	}
	seen := trace(t, r)
	r = New()
	if _, err := r.ReadFile(filepath.Join(link, "x")); err != nil {
		t.Fatal(err)
	}
	content := trace(t, r)
	if !seen.Holds() || !content.Holds() {
		t.Error("they do not hold before the edit")
	}
	remove(t, link)
	if err := os.Symlink("b", link); err != nil {
		t.Fatal(err)
	}
	if seen.Holds() {
		t.Error("a link leads elsewhere, and the trace holds")
	}
	if !content.Holds() {
		t.Error("the bytes are the same, and the trace does not hold")
	}
}

func TestHoldsProgram(t *testing.T) {
	name := "tool"
	if runtime.GOOS == "windows" {
		name = "tool.exe"
	}
	dir := tree(t, map[string]string{"second/" + name: ""})
	if err := os.Chmod(filepath.Join(dir, "second", name), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "first")+string(filepath.ListSeparator)+filepath.Join(dir, "second"))
	r := New()
	_, _ = r.LookPath("tool")
	_, _ = r.LookPath("other")
	seen := trace(t, r)
	if !seen.Holds() {
		t.Error("it does not hold before the edit")
	}
	testfile.Write(t, filepath.Join(dir, "first", name), "")
	if err := os.Chmod(filepath.Join(dir, "first", name), 0o755); err != nil {
		t.Fatal(err)
	}
	if seen.Holds() {
		t.Error("the path has another program first, and the trace holds")
	}
}

func TestVague(t *testing.T) {
	dir := tree(t, map[string]string{"a": "one"})
	name := filepath.Join(dir, "a")
	r := New()
	_, _ = r.ReadFile(name)
	testfile.Write(t, name, "two")
	_, _ = r.ReadFile(name)
	if _, err := r.Trace(); err == nil {
		t.Error("a file that changed meanwhile: no error")
	}
	r = New()
	_, _ = r.ReadFile(dir)
	if _, err := r.Trace(); err == nil {
		t.Error("a read that failed: no error")
	}
	r = New()
	r.Vague("first")
	r.Vague("second")
	if _, err := r.Trace(); err == nil || err.Error() != "first" {
		t.Errorf("Trace: %v", err)
	}
}

// A nil Reader reads as any other.
func TestNilReader(t *testing.T) {
	dir := tree(t, map[string]string{"a": "one", "d/b": "two"})
	var r *Reader
	r.Named(dir)
	r.Vague("nothing")
	data, err := r.ReadFile(filepath.Join(dir, "a"))
	if err != nil || string(data) != "one" {
		t.Errorf("ReadFile = %q, %v", data, err)
	}
	for _, name := range []string{"a", "none"} {
		_, err := r.Stat(filepath.Join(dir, name))
		_, lerr := r.Lstat(filepath.Join(dir, name))
		_, eerr := r.EvalSymlinks(filepath.Join(dir, name))
		if want := name == "none"; (err != nil) != want || (lerr != nil) != want || (eerr != nil) != want {
			t.Errorf("%s: %v, %v, %v", name, err, lerr, eerr)
		}
	}
	if entries, err := r.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("ReadDir = %v, %v", entries, err)
	}
	if _, err := r.LookPath("no such program"); err == nil {
		t.Error("LookPath: no error")
	}
}

// WalkDir visits what filepath.WalkDir visits, also where it is told to skip.
func TestWalkDir(t *testing.T) {
	dir := tree(t, map[string]string{"a/b/c": "", "a/d": "", "a/e/f": "", "g": "", "h/i": ""})
	for _, skip := range []string{"", ".", "a", "b", "d", "f", "h", "g"} {
		for _, all := range []bool{false, true} {
			visit := func(walk func(string, fs.WalkDirFunc) error) (names []string) {
				err := walk(dir, func(name string, d fs.DirEntry, err error) error {
					names = append(names, name)
					switch {
					case err != nil || filepath.Base(name) != skip && (skip != "." || name != dir):
						return err
					case all:
						return fs.SkipAll
					}
					return fs.SkipDir
				})
				if err != nil {
					t.Error(err)
				}
				return names
			}
			if diff := cmp.Diff(visit(filepath.WalkDir), visit(New().WalkDir)); diff != "" {
				t.Errorf("skip %s, all %v: %s", skip, all, diff)
			}
		}
	}
	var got error
	_ = New().WalkDir(filepath.Join(dir, "none"), func(_ string, _ fs.DirEntry, err error) error { got = err; return err })
	if got == nil {
		t.Error("a root that is not there: no error")
	}
}

func TestNewer(t *testing.T) {
	dir := tree(t, map[string]string{"a": "one", "b": "two"})
	old := time.Date(2020, 1, 1, 12, 0, 0, 500, time.UTC)
	name := filepath.Join(dir, "a")
	r := New()
	_, _ = r.ReadFile(name)
	_, _ = r.ReadFile(filepath.Join(dir, "none"))
	seen := trace(t, r)
	for _, tt := range []struct {
		changed time.Time
		want    string
	}{
		{old, ""},
		{old.Add(time.Hour), name},
		{old.Add(time.Minute), name}, // just then
		{old.Add(time.Minute - time.Second).Truncate(time.Second), ""}, // a whole second before
		{old.Add(time.Minute).Truncate(time.Second), name},             // in that second
	} {
		if err := os.Chtimes(name, tt.changed, tt.changed); err != nil {
			t.Fatal(err)
		}
		if got := seen.Newer(old.Add(time.Minute)); got != tt.want {
			t.Errorf("changed at %v: %q, want %q", tt.changed, got, tt.want)
		}
	}
}

func TestReadFileSizes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	buf := make([]byte, 8)
	for _, size := range []int{0, 1, 7, 8, 9, 16, 17, 100, 3} {
		text := strings.Repeat("x", size)
		testfile.Write(t, name, text)
		for _, into := range [][]byte{nil, make([]byte, 3, 17)} {
			got, err := readFile(name, into)
			if err != nil || string(got) != text {
				t.Errorf("size %d into %d: %d bytes, %v", size, cap(into), len(got), err)
			}
		}
		sum, err := sumFile(name, buf)
		if err != nil || sum != sha256.Sum256([]byte(text)) {
			t.Errorf("size %d: %x, %v", size, sum, err)
		}
	}
	for _, name := range []string{filepath.Dir(name), name + "none"} {
		if _, err := readFile(name, nil); err == nil {
			t.Errorf("readFile of %s: no error", name)
		}
		if _, err := sumFile(name, buf); err == nil {
			t.Errorf("sumFile of %s: no error", name)
		}
	}
}

func FuzzParseTrace(f *testing.F) {
	r := New()
	r.remember(Content, "/a/b", sumAbsent)
	r.remember(Listing, "/a/c", Sum{1})
	seen, err := r.Trace()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seen.Append(nil))
	f.Add([]byte{})
	f.Add([]byte{1, 'c', 0, 200})
	f.Fuzz(func(t *testing.T, data []byte) {
		seen, rest, err := ParseTrace(data)
		if err != nil {
			return
		}
		again, rest2, err := ParseTrace(append(seen.Append(nil), rest...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(seen, again); diff != "" || string(rest) != string(rest2) {
			t.Error(diff)
		}
	})
}

// What is no regular file is not waited for, and not taken for empty; the null device is.
func TestReadOddFiles(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("there are no devices")
	}
	r := New()
	if data, err := r.ReadFile(os.DevNull); err != nil || len(data) > 0 {
		t.Errorf("ReadFile(%s) = %q, %v", os.DevNull, data, err)
	}
	for _, name := range []string{"/dev/zero", t.TempDir()} {
		if _, err := r.ReadFile(name); err == nil {
			t.Errorf("ReadFile(%s): no error", name)
		}
		if sum, err := sumFile(name, make([]byte, 10)); err == nil {
			t.Errorf("sumFile(%s) = %x", name, sum)
		}
	}
	if _, err := r.Trace(); err == nil {
		t.Error("what cannot be read is remembered")
	}
}
