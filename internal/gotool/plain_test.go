package gotool

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agentplan/sdk/internal/disk"
)

// released skips a test where the go command is not that of a release, and returns its
// program and version.
func released(t *testing.T) (program, version string) {
	t.Helper()
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(program)), "VERSION"))
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the go command is not that of a release, or its program has another name")
	}
	return program, string(data)
}

// plainTree makes a Go tree with a copy of a program that is first in the path.
func plainTree(t *testing.T, program, version string) string {
	t.Helper()
	root := tree(t, version)
	for _, key := range []string{
		"CC", "CXX", "FC", "GODEBUG", "GOEXPERIMENT", "GOFIPS140", "GOCACHEPROG", "GOROOT",
		"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	} {
		t.Setenv(key, "")
	}
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("GOPATH", t.TempDir()) // by default it would be the tree
	at := filepath.Join(root, "bin", "go")
	remove(t, at)
	if err := os.Link(program, at); err != nil {
		data, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		write(t, at, string(data))
	}
	write(t, filepath.Join(root, "pkg", "tool", "x"), "")
	write(t, filepath.Join(root, "src", "unsafe", "unsafe.go"), "package unsafe\n")
	return root
}

func TestPlain(t *testing.T) {
	program, version := released(t)
	script := filepath.Join(t.TempDir(), "script")
	write(t, script, "#!/bin/sh\nexec '"+program+"' \"$@\"\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	set := func(key, value string) func(string) { return func(string) { t.Setenv(key, value) } }
	nothing := func(string) {}
	for _, tt := range []struct {
		name, program, version string
		set                    func(root string)
		plain                  bool
	}{
		{"a release", program, version, nothing, true},
		{"a later file VERSION", program, build.Default.ReleaseTags[len(build.Default.ReleaseTags)-1] + ".99\n", nothing, false},
		{"another release", program, "go1.20.1\n", nothing, false},
		{"no release", program, "devel go1.99\n", nothing, false},
		{"no file VERSION", program, "", nothing, false},
		{"a script", script, version, nothing, false},
		{"another program", self, version, nothing, false},
		{"no sources", program, version, func(root string) { remove(t, filepath.Join(root, "src")) }, false},
		{"no tools", program, version, func(root string) { remove(t, filepath.Join(root, "pkg")) }, false},
		{"GOROOT is the tree", program, version, func(root string) { t.Setenv("GOROOT", root+"/") }, true},
		{"GOROOT is another tree", program, version, set("GOROOT", "/usr/lib/go"), false},
		{"GOROOT in go env", program, version, func(root string) {
			write(t, filepath.Join(filepath.Dir(root), "config", "go", "env"), "GOROOT=/usr/lib/go\n")
		}, false},
		{"GOTOOLCHAIN local", program, version, set("GOTOOLCHAIN", "local"), true},
		{"GOTOOLCHAIN auto", program, version, set("GOTOOLCHAIN", "auto"), true},
		{"GOTOOLCHAIN by name", program, version, set("GOTOOLCHAIN", "go1.99.0+auto"), false},
		{"GOTOOLCHAIN in go.env of the tree", program, version, func(root string) {
			write(t, filepath.Join(root, "go.env"), "GOTOOLCHAIN=path\n")
		}, false},
		{"an experiment", program, version, set("GOEXPERIMENT", "none"), false},
		{"an experiment in go env", program, version, func(root string) {
			write(t, filepath.Join(filepath.Dir(root), "config", "go", "env"), "GOEXPERIMENT=none\n")
		}, false},
		{"GODEBUG", program, version, set("GODEBUG", "goindex=0"), false},
		{"GOFIPS140 off", program, version, set("GOFIPS140", "off"), true},
		{"GOFIPS140 on", program, version, set("GOFIPS140", "latest"), false},
		{"GOAMD64", program, version, set("GOAMD64", "v3"), false},
		{"GOPATH", program, version, set("GOPATH", "/a"+string(filepath.ListSeparator)+"/b"), true},
		{"GOPATH is relative", program, version, set("GOPATH", "a"), false},
		{"GOPATH is the tree", program, version, func(root string) { t.Setenv("GOPATH", root) }, false},
		{"GOMODCACHE is relative", program, version, set("GOMODCACHE", "a"), false},
		{"GOCACHE off", program, version, set("GOCACHE", "off"), false},
		{"GOCACHE is relative", program, version, set("GOCACHE", "."), false},
		{"GOCACHE has to be made", program, version, func(root string) { t.Setenv("GOCACHE", filepath.Join(root, "none")) }, false},
		{"CC", program, version, set("CC", "gcc -O2"), true},
		{"CC is relative", program, version, set("CC", "bin/gcc"), false},
		{"CC in quotes", program, version, set("CXX", "'/a b/gcc'"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := plainTree(t, tt.program, tt.version)
			tt.set(root)
			r, err := Find(disk.New()).Plain()
			if (err == nil) != tt.plain {
				t.Fatalf("error: %v; want one: %v", err, !tt.plain)
			}
			if err == nil && r.Root != root {
				t.Errorf("the tree is %s, want %s", r.Root, root)
			}
		})
	}
}

// The tree of a program that only calls another one has no sources.
func TestRoot(t *testing.T) {
	root := tree(t, "go1.26.8\n")
	t.Setenv("GOROOT", "")
	if got := Find(disk.New()).Root(); got != "" {
		t.Errorf("without sources: %s", got)
	}
	write(t, filepath.Join(root, "src", "unsafe", "unsafe.go"), "package unsafe\n")
	if got := Find(disk.New()).Root(); got != root {
		t.Errorf("got %s, want %s", got, root)
	}
	t.Setenv("GOROOT", filepath.Join(root, "bin"))
	if got := Find(disk.New()).Root(); got != "" {
		t.Errorf("with a GOROOT without sources: %s", got)
	}
}

// Where there is no go command, or one that cannot be run, there is nothing plain.
func TestPlainWithoutGo(t *testing.T) {
	tree(t, "go1.26.8\n")
	t.Setenv("PATH", t.TempDir())
	if r, err := Find(disk.New()).Plain(); err == nil {
		t.Errorf("there is no go command, and it is %+v", r)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
}
