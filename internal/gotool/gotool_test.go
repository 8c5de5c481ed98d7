package gotool

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/agentplan/sdk/internal/disk"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// tree makes a Go tree that is first in the path, with no files of go env.
func tree(t *testing.T, version string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "go")
	write(t, filepath.Join(root, "bin", "go"), "#!/bin/sh\n")
	if version != "" {
		write(t, filepath.Join(root, "VERSION"), version)
	}
	t.Setenv("PATH", filepath.Join(root, "bin"))
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	for _, key := range []string{"GOENV", "GOFLAGS", "GOTOOLCHAIN", "GOMODCACHE", "GOPATH"} {
		t.Setenv(key, "")
	}
	return root
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, version string
		set           func(root string)
		vague         bool
	}{
		{"a release", "go1.26.8\ntime 2026-08-28T16:20:06Z\n", func(string) {}, false},
		{"no release", "devel go1.27-abc\n", func(string) {}, true},
		{"a script elsewhere", "", func(string) {}, true},
		{"another go.mod", "go1.26\n", func(string) { t.Setenv("GOFLAGS", "-modfile=other.mod") }, true},
		{"an overlay in go env", "go1.26\n", func(root string) {
			write(t, filepath.Join(filepath.Dir(root), "config", "go", "env"), "GOFLAGS=-overlay=x.json\n")
		}, true},
		{"flags that are no files", "go1.26\n", func(string) { t.Setenv("GOFLAGS", "-mod=vendor") }, false},
		{"toolchains of the path", "go1.26\n", func(string) { t.Setenv("GOTOOLCHAIN", "path") }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.version)
			tt.set(root)
			d := disk.New()
			Find(d)
			trace, err := d.Trace()
			if (err != nil) != tt.vague {
				t.Fatalf("Trace: %v", err)
			}
			if err == nil {
				write(t, filepath.Join(root, "VERSION"), "go1.99\n")
				if trace.Holds() {
					t.Error("the release changed, and the trace holds")
				}
			}
			t.Setenv("GOFLAGS", "")
		})
	}
}

func TestModCache(t *testing.T) {
	root := tree(t, "go1.26\n")
	home := filepath.Dir(root)
	want := func(dir string) {
		t.Helper()
		if got := Find(disk.New()).ModCache(); got != dir {
			t.Errorf("ModCache = %s, want %s", got, dir)
		}
	}
	want(filepath.Join(home, "go", "pkg", "mod"))
	write(t, filepath.Join(home, "config", "go", "env"), "# comment\nGOPATH=/from/env\n")
	want(filepath.FromSlash("/from/env/pkg/mod"))
	t.Setenv("GOPATH", "/first"+string(filepath.ListSeparator)+"/second")
	want(filepath.FromSlash("/first/pkg/mod"))
	t.Setenv("GOMODCACHE", "/cache")
	want("/cache")
}

func TestDependency(t *testing.T) {
	root := tree(t, "go1.26\n")
	cache := filepath.Join(filepath.Dir(root), "go", "pkg", "mod")
	kept := filepath.Join(cache, "example.com", "a@v1.0.0")
	local := filepath.Join(filepath.Dir(root), "local")
	for _, dir := range []string{filepath.Join(kept, "sub"), filepath.Join(local, "sub")} {
		write(t, filepath.Join(dir, "x.go"), "package sub\n")
	}
	write(t, filepath.Join(local, "go.mod"), "module example.com/local\n")
	trace := func() disk.Trace {
		d := disk.New()
		tool := Find(d)
		tool.Dependency(filepath.Join(kept, "sub"))
		tool.Dependency(filepath.Join(local, "sub"))
		_, _ = d.ReadFile(filepath.Join(kept, "sub", "x.go"))
		out, err := d.Trace()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tt := range []struct {
		what  string
		edit  func()
		holds bool
	}{
		{"a file of the module cache", func() { write(t, filepath.Join(kept, "sub", "x.go"), "package other\n") }, true},
		{"a module that is no longer in the cache", func() {
			if err := os.RemoveAll(kept); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a file elsewhere", func() { write(t, filepath.Join(local, "sub", "x.go"), "package sub // edited\n") }, false},
		{"a new file elsewhere", func() { write(t, filepath.Join(local, "sub", "y.go"), "package sub\n") }, false},
		{"the go.mod above it", func() { write(t, filepath.Join(local, "go.mod"), "module example.com/other\n") }, false},
		{"a go.mod between", func() { write(t, filepath.Join(local, "sub", "go.mod"), "module example.com/sub\n") }, false},
	} {
		before := trace()
		tt.edit()
		if before.Holds() != tt.holds {
			t.Errorf("%s: the trace holds: %v, want %v", tt.what, !tt.holds, tt.holds)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for key, value := range map[string]string{"GOFLAGS": "-x", "GOAMD64": "v3", "CGO_CFLAGS": "-O0", "PATH": "/bin", "EDITOR": "ed"} {
		t.Setenv(key, value)
	}
	got := Environment()
	for kv, want := range map[string]bool{"GOFLAGS=-x": true, "GOAMD64=v3": true, "CGO_CFLAGS=-O0": true, "PATH=/bin": true, "EDITOR=ed": false} {
		if slices.Contains(got, kv) != want {
			t.Errorf("%s: %v, want %v", kv, !want, want)
		}
	}
	if !slices.IsSorted(got) {
		t.Errorf("not sorted: %q", got)
	}
}
