package cli_test

import (
	"errors"
	"go/build"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/testfile"
)

// countGo makes the go command of the environment one that is counted, and returns how to
// read and reset the count.
func countGo(t *testing.T) func() int {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the counting command is a shell script")
	}
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	version, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "VERSION"))
	if err != nil {
		t.Skip("the Go tree is no release")
	}
	testfile.Write(t, filepath.Join(root, "VERSION"), string(version))
	counted := filepath.Join(root, "count")
	testfile.Write(t, filepath.Join(root, "bin", "go"), "#!/bin/sh\necho >> '"+counted+"'\nexec '"+program+"' \"$@\"\n")
	if err := os.Chmod(filepath.Join(root, "bin", "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(root, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return func() int {
		data, err := os.ReadFile(counted)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.RemoveAll(counted); err != nil {
			t.Fatal(err)
		}
		return len(data)
	}
}

// The go command is started where something changed that it has to judge, and only there.
func TestGoStarts(t *testing.T) {
	useCache(t)
	m := keptModule(t)
	started := countGo(t)
	file := func(name string) string { return filepath.Join(m, filepath.FromSlash(name)) }
	replace := func(name, old, new string) {
		t.Helper()
		data, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(data), old, new, 1)
		if text == string(data) && old != new {
			t.Fatalf("%s has no %q", name, old)
		}
		testfile.Write(t, file(name), text)
	}
	for _, tt := range []struct {
		what   string
		edit   func()
		starts bool
	}{
		{"the first run", func() {}, true},
		{"nothing", func() {}, false},
		{"a file is written with the same bytes", func() { replace("docs/en/b.md", "Nothing", "Nothing") }, false},
		{"a page", func() { replace("docs/en/b.md", "Nothing", "Little") }, false},
		{"the body of a function", func() { replace("store/store.go", "return nil, nil", "panic(name)") }, false},
		{"a comment", func() { replace("store/store.go", "Open opens", "Open makes") }, false},
		{"a new page", func() { testfile.Write(t, file("docs/en/c.md"), "# C\n") }, false},
		{"a test", func() { testfile.Write(t, file("store/store_test.go"), "package store\n") }, true},
		{"an import", func() { replace("store/more.go", "package store\n", "package store\n\nimport _ \"io\"\n") }, true},
		{"a build constraint", func() { replace("store/more.go", "package store\n", "//go:build !windows\n\npackage store\n") }, true},
		{"a new file", func() { testfile.Write(t, file("store/new.go"), "package store\n") }, true},
		{"an assembly file", func() { testfile.Write(t, file("store/asm.s"), "\n") }, true},
		{"go.mod", func() { replace("go.mod", "go 1.26", "go 1.26 // so far") }, true},
		{"the dependency", func() { testfile.Write(t, filepath.Join(filepath.Dir(m), "dep", "new.go"), "package dep\n") }, true},
		{"the environment", func() { t.Setenv("GOAMD64", "v2") }, true},
	} {
		tt.edit()
		started()
		got := verify("--dir", m)
		if n := started(); (n > 0) != tt.starts {
			t.Errorf("%s: the go command was started %d times, want some: %v", tt.what, n, tt.starts)
		}
		if diff := cmp.Diff(verify("--no-cache", "--dir", m), got); diff != "" {
			t.Errorf("%s: %s", tt.what, diff)
		}
	}
}

// brokenPipe takes some bytes and then fails.
type brokenPipe struct{ left int }

func (w *brokenPipe) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, errors.New("broken pipe")
	}
	w.left -= len(p)
	return len(p), nil
}

// A run that was cut short is not kept.
func TestReplayCutShort(t *testing.T) {
	dir := useCache(t)
	m := keptModule(t)
	testfile.Write(t, filepath.Join(m, "docs", "en", "b.md"), "# B\n\n`store.None` is not there.\n")
	want := verify("--no-cache", "--dir", m)
	if code := cli.Verify([]string{"--dir", m}, &brokenPipe{left: 10}, io.Discard); code == 0 {
		t.Error("nobody read it all, and the exit code is 0")
	}
	for range 2 {
		if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
			t.Error(diff)
		}
	}
	entries := entriesOf(t, dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "temp-") {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// The history that findings show is part of what they depend on.
func TestReplayHistory(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	quietGit(t)
	useCache(t)
	m := keptModule(t)
	git := func(args ...string) {
		t.Helper()
		runIn(t, m, "git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
	}
	page := filepath.Join(m, "docs", "en", "b.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string) ran {
		t.Helper()
		want := verify("--no-cache", "--dir", m)
		for range 2 {
			if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		return want
	}
	edited := strings.Replace(string(data), "Nothing more", "Nothing less", 1)
	testfile.Write(t, page, edited)
	without := same("without git")
	git("init", "-q", "-b", "main")
	testfile.Write(t, page, string(data))
	git("add", ".")
	git("commit", "-qm", "one")
	testfile.Write(t, page, edited)
	with := same("with git")
	if with == without {
		t.Error("the history is not in what verify-catalog says")
	}
	git("commit", "-qam", "two")
	same("after a commit")
	git("checkout", "-q", "--orphan", "other")
	git("commit", "-qm", "three")
	if same("on a branch without the history") == with {
		t.Error("the history is still in what verify-catalog says")
	}
}
