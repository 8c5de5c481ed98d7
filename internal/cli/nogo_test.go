package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/testfile"
)

// An ordinary module needs no answer of the go command; that there is one it does need.
func TestWithoutGo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the broken command is a shell script")
	}
	useCache(t)
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.24\n")
	testfile.Write(t, filepath.Join(dir, "m.go"), "// Package m is.\npackage m\n\n// A is.\nconst A = 1\n")
	for _, lang := range []string{"en", "zh"} {
		testfile.Write(t, filepath.Join(dir, "docs", lang, "m.md"), "# M\n\n<!-- BEGIN GENERATED catalog . -->\n<!-- END GENERATED catalog -->\n")
	}
	bin := t.TempDir()
	program := filepath.Join(bin, "go")
	for _, tt := range []struct {
		name string
		set  func()
		want string
	}{
		{"none", func() {}, "executable file not found"},
		{"one that fails", func() {
			testfile.Write(t, program, "#!/bin/sh\necho no day for it >&2\nexit 1\n")
			if err := os.Chmod(program, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "no day for it"},
		{"one that fails and has a release", func() { testfile.Write(t, filepath.Join(filepath.Dir(bin), "VERSION"), runtime.Version()+"\n") }, "no day for it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", bin)
			tt.set()
			for range 2 {
				if r := verify("--dir", dir); r.Code != 2 || !strings.Contains(r.Stdout+r.Stderr, tt.want) {
					t.Errorf("exit code %d, want 2 and %q:\n%s%s", r.Code, tt.want, r.Stdout, r.Stderr)
				}
			}
		})
	}
}
