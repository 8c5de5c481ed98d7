package cache

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T) *Cache {
	t.Helper()
	c, err := OpenDir(filepath.Join(t.TempDir(), "a", "cache"), "build 1")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// want checks what the cache has under a key; nil for nothing.
func want(t *testing.T, c *Cache, key Key, data []byte) {
	t.Helper()
	got, ok := c.Get(key)
	if ok != (data != nil) || !bytes.Equal(got, data) {
		t.Errorf("Get = %q, %v; want %q", got, ok, data)
	}
}

func TestPutGet(t *testing.T) {
	c := open(t)
	key := c.Key("a", "b")
	want(t, c, key, nil)
	for _, data := range []string{"one", "", "two\x00\n"} {
		if err := c.Put(key, []byte(data)); err != nil {
			t.Fatal(err)
		}
		want(t, c, key, []byte(data))
	}
	want(t, c, c.Key("ab"), nil)
	want(t, c, c.Key("a", "b", ""), nil)
	again, err := OpenDir(c.dir, "build 1")
	if err != nil {
		t.Fatal(err)
	}
	want(t, again, again.Key("a", "b"), []byte("two\x00\n"))
	other, err := OpenDir(c.dir, "build 2")
	if err != nil {
		t.Fatal(err)
	}
	want(t, other, other.Key("a", "b"), nil)
}

func TestNilCache(t *testing.T) {
	var c *Cache
	if err := c.Put(c.Key("a"), []byte("one")); err != nil {
		t.Error(err)
	}
	want(t, c, c.Key("a"), nil)
}

// No change of an entry's file gives other bytes than those that were put.
func TestCorrupt(t *testing.T) {
	c := open(t)
	key := c.Key("a")
	if err := c.Put(key, []byte("some bytes")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(c.path(key))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, data := range [][]byte{whole[:i], flip(whole, i)} {
			if err := os.WriteFile(c.path(key), data, 0o600); err != nil {
				t.Fatal(err)
			}
			want(t, c, key, nil)
		}
	}
	if err := os.WriteFile(c.path(key), append(bytes.Clone(whole), 'x'), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, c, key, nil)

	// The file of another key.
	other := c.Key("b")
	if err := os.WriteFile(c.path(other), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, c, other, nil)

	// A directory in its place.
	if err := os.Remove(c.path(key)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(c.path(key), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	want(t, c, key, nil)
	if err := c.Put(key, []byte("one")); err == nil {
		t.Error("Put over a directory: no error")
	}
}

func flip(data []byte, i int) []byte {
	out := bytes.Clone(data)
	out[i] ^= 0x10
	return out
}

// What cannot be written leaves nothing behind and nothing broken.
func TestPutFails(t *testing.T) {
	c := open(t)
	key := c.Key("a")
	if err := c.Put(key, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := c.Put(key, make([]byte, maxEntry+1)); err == nil {
		t.Error("an entry without a limit")
	}
	want(t, c, key, []byte("one"))
	if err := os.RemoveAll(c.dir); err != nil {
		t.Fatal(err)
	}
	if err := c.Put(key, []byte("two")); err == nil {
		t.Error("Put without a directory: no error")
	}
	want(t, c, key, nil)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(filepath.Join(file, "cache"), ""); err == nil {
		t.Error("OpenDir below a file: no error")
	}
}

func TestTrim(t *testing.T) {
	c := open(t)
	c.maxTotal = 4000
	old := time.Now().Add(-48 * time.Hour)
	age := func(key Key, hours int) {
		when := old.Add(time.Duration(-hours) * time.Hour)
		if err := os.Chtimes(c.path(key), when, when); err != nil {
			t.Fatal(err)
		}
	}
	keys := []Key{c.Key("0"), c.Key("1"), c.Key("2"), c.Key("3")}
	for i, key := range keys[:3] {
		if err := c.Put(key, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		age(key, i)
	}
	age(keys[0], -1000) // in the future: its time means nothing
	temp := filepath.Join(c.dir, tempPrefix+"left")
	fresh := filepath.Join(c.dir, tempPrefix+"fresh")
	foreign := filepath.Join(c.dir, "README")
	for _, name := range []string{temp, fresh, foreign} {
		if err := os.WriteFile(name, make([]byte, 3000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{temp, foreign} {
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Put(keys[3], make([]byte, 2000)); err != nil {
		t.Fatal(err)
	}
	var left []string
	for i, key := range keys {
		if _, ok := c.Get(key); ok {
			left = append(left, fmt.Sprint(i))
		}
	}
	if diff := cmp.Diff([]string{"1", "3"}, left); diff != "" {
		t.Error(diff)
	}
	for name, stays := range map[string]bool{temp: false, fresh: true, foreign: true} {
		if _, err := os.Stat(name); (err == nil) != stays {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
}

// Readers see whole entries of some writer while others write and drop them.
func TestConcurrent(t *testing.T) {
	c := open(t)
	c.maxTotal = 5000
	var work sync.WaitGroup
	for w := range 4 {
		work.Go(func() {
			for i := range 60 {
				key := c.Key(fmt.Sprint(i % 5))
				data := bytes.Repeat([]byte{byte('a' + w)}, 1000+i%5)
				if err := c.Put(key, data); err != nil && !os.IsNotExist(err) {
					t.Errorf("Put: %v", err)
				}
				got, ok := c.Get(c.Key(fmt.Sprint((i + w) % 5)))
				if ok && (len(got) < 1000 || len(bytes.Trim(got, string(got[:1]))) > 0) {
					t.Errorf("Get = %.20q...", got)
				}
			}
		})
	}
	work.Wait()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			t.Errorf("%s is left", e.Name())
		}
	}
}

func TestOpen(t *testing.T) {
	t.Setenv(EnvDir, "off")
	if c, err := Open(); c != nil || err != nil {
		t.Errorf("off: %v, %v", c, err)
	}
	t.Setenv(EnvDir, "relative")
	if c, err := Open(); c != nil || err == nil {
		t.Errorf("relative: %v, %v", c, err)
	}
	dir := filepath.Join(t.TempDir(), "here")
	t.Setenv(EnvDir, dir)
	c, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if c.dir != dir {
		t.Errorf("the cache is in %s, not in %s", c.dir, dir)
	}
}

func TestIdentify(t *testing.T) {
	id := strings.Repeat("x", 20)
	with := func(id string) string {
		return strings.Repeat("head", 100) + "\xff Go build ID: \"" + id + "\"\n \xff" + strings.Repeat("rest", 20000)
	}
	hash := func(text string) string { return fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(text))) }
	elf := func(id string) string {
		return "\x7fELF" + strings.Repeat(" ", 60) + "\x04\x00\x00\x00" + string(rune(len(id))) + "\x00\x00\x00\x04\x00\x00\x00Go\x00\x00" + id + strings.Repeat("rest", 20000)
	}
	for _, tt := range []struct{ name, program, want string }{
		{"ELF", elf(id + "/b/c/d"), "build ID " + id + "/b/c/d"},
		{"ELF without content", elf("redacted"), hash(elf("redacted"))},
		{"build ID", with(id + "/b/c/d"), "build ID " + id + "/b/c/d"},
		{"no build ID", "program", hash("program")},
		{"empty build ID", with(""), hash(with(""))},
		{"of no content", with("redacted"), hash(with("redacted"))},
		{"far behind", strings.Repeat(" ", headSize) + with("a/b/c/d"), hash(strings.Repeat(" ", headSize) + with("a/b/c/d"))},
		{"empty", "", hash("")},
	} {
		got, err := identify(strings.NewReader(tt.program))
		if err != nil || got != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
	// A build ID is found in this very program.
	if self, err := Self(); err != nil || !strings.HasPrefix(self, "build ID ") {
		t.Errorf("Self = %q, %v", self, err)
	}
}
