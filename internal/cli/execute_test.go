package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/testfile"
)

const panicHint = "; nothing is written, please report it with the source that shows it\nhint: CATALOG_DEBUG=1 gen-catalog says where it is\n"

// A fault of ours is exit 2, one line and a hint, like any other run that could not be
// done, whichever goroutine it is in (G11).
func TestPanicIsOneLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func()
		want string
	}{
		{"command", func() { panic("out of luck") }, "out of luck"},
		{"error of several lines", func() { panic(errors.New("out of\n\tluck\r\n")) }, "out of luck"},
		{"runtime error", func() { count(nil, "a") }, "assignment to entry in nil map"},
		{"task", func() { parallel.Each(3, func(int) { panic("out of luck") }) }, "out of luck"},
		{"task of a task", func() {
			var g parallel.Group
			g.Go(func() { parallel.Each(1, func(int) { panic("out of luck") }) })
			g.Wait()
		}, "out of luck"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := &cobra.Command{Use: "gen-catalog", RunE: func(*cobra.Command, []string) error {
				tt.run()
				return nil
			}}
			var stdout, stderr bytes.Buffer
			if code := execute(cmd, nil, &stdout, &stderr); code != exitFailed {
				t.Errorf("exit %d, want %d", code, exitFailed)
			}
			if diff := cmp.Diff("gen-catalog: internal error: "+tt.want+panicHint, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
			if stdout.Len() > 0 {
				t.Errorf("stdout: %q", &stdout)
			}
		})
	}
}

func TestPanicStack(t *testing.T) {
	t.Setenv(envStacks, "1")
	cmd := &cobra.Command{Use: "gen-catalog", RunE: func(*cobra.Command, []string) error {
		parallel.Each(1, func(int) { panicInTask() })
		return nil
	}}
	var stdout, stderr bytes.Buffer
	if code := execute(cmd, nil, &stdout, &stderr); code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	if !strings.Contains(stderr.String(), "panicInTask") {
		t.Errorf("the stack is not that of the task:\n%s", &stderr)
	}
}

func count(in map[string]int, what string) { in[what]++ }

func panicInTask() { panic("out of luck") }

// trap is a context that panics where a task of internal/parallel asks it anything.
type trap struct{ context.Context }

func (c trap) Done() <-chan struct{} {
	c.spring()
	return c.Context.Done()
}

func (c trap) Value(key any) any {
	c.spring()
	return c.Context.Value(key)
}

func (trap) spring() {
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.File, "internal/parallel/parallel.go") {
			panic("sprung by a task")
		}
		if !more {
			return
		}
	}
}

// A panic in the midst of the work, on another goroutine than that of the command, writes
// nothing (G11). The packages that fences import are asked for on goroutines of their own.
func TestPanicInPipeline(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "m")
	page := "# A\n\n<!-- BEGIN GENERATED catalog a.A -->\n<!-- END GENERATED catalog -->\n\n```go\nimport \"example.com/dep\"\n\nvar x dep.Dep\n```\n"
	for name, text := range map[string]string{
		"m/go.mod":        "module example.com/m\n\ngo 1.26\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ../dep\n",
		"m/.catalog.yaml": "langs: [en]\ngen: gen\n",
		"m/a/a.go":        "// Package a is.\npackage a\n\n// A is.\ntype A int\n",
		"m/docs/en/a.md":  page,
		"dep/go.mod":      "module example.com/dep\n\ngo 1.26\n",
		"dep/dep.go":      "package dep\n\ntype Dep int\n",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		testfile.Write(t, name, text)
	}
	t.Setenv(cache.EnvDir, t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	for _, args := range [][]string{{"gen-catalog", "--watch", "--dir", dir}, {"verify-catalog", "--dir", dir}} {
		name, args := args[0], args[1:]
		cmd := newVerify(args)
		if name == "gen-catalog" {
			cmd = newGen(args)
		}
		work := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			cmd.SetContext(trap{cmd.Context()})
			return work(cmd, args)
		}
		var stdout, stderr bytes.Buffer
		if code := execute(cmd, args, &stdout, &stderr); code != exitFailed {
			t.Errorf("%s: exit %d, want %d", name, code, exitFailed)
		}
		want := strings.ReplaceAll("gen-catalog: internal error: sprung by a task"+panicHint, "gen-catalog", name)
		if diff := cmp.Diff(want, stderr.String()); diff != "" {
			t.Errorf("%s: stderr (-want +got):\n%s", name, diff)
		}
		if stdout.Len() > 0 {
			t.Errorf("%s: stdout: %q", name, &stdout)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "docs", "en", "a.md"))
	if err != nil || string(got) != page {
		t.Errorf("the page is now %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "gen")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("generated Go is written: %v", err)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"--dir", dir}
	if code := execute(newVerify(args), args, &stdout, &stderr); code != exitFindings {
		t.Errorf("without the trap: exit %d\n%s%s", code, &stdout, &stderr)
	}
}
