package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/scope"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/testfile"
)

// BenchmarkChanged judges a module of 1,000 pages after an edit, all of it and, in turn
// with that, only what can have changed, the questions to git included. It reports the
// median of each in milliseconds and of the ratio pair by pair.
func BenchmarkChanged(b *testing.B) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Skip("git is not installed")
	}
	quietGit(b)
	dir := b.TempDir()
	writeGate(b, dir)
	gen(b, "--dir", dir)
	gen(b, "confirm", "--dir", dir, "--baseline")
	git := func(args ...string) {
		b.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "start")
	for _, edit := range []struct{ name, file, before, after string }{
		{name: "nothing"},
		{"a page", "docs/en/ch-7.md", "## The road 7", "## The long road 7"},
		{"a declaration", "p0/f5.go", "at once", "later"},
	} {
		b.Run(edit.name, func(b *testing.B) {
			if edit.file != "" {
				path := filepath.Join(dir, filepath.FromSlash(edit.file))
				text := readFile(b, path)
				if !strings.Contains(text, edit.before) {
					b.Fatalf("%s does not have %q", edit.file, edit.before)
				}
				testfile.Write(b, path, strings.Replace(text, edit.before, edit.after, 1))
				defer testfile.Write(b, path, text)
			}
			var whole, part, ratio []float64
			pages := 0
			for b.Loop() {
				start := time.Now()
				full := judge(b, dir, "")
				x := float64(time.Since(start).Microseconds()) / 1000
				start = time.Now()
				narrow := judge(b, dir, "HEAD")
				y := float64(time.Since(start).Microseconds()) / 1000
				if len(full.Findings) != len(narrow.Findings) {
					b.Fatalf("%v, and of what has changed %v", full.Findings, narrow.Findings)
				}
				pages = narrow.Prose.Pages
				whole, part, ratio = append(whole, x), append(part, y), append(ratio, y/x)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(pages), "pages")
			b.ReportMetric(median(whole), "full-ms")
			b.ReportMetric(median(part), "changed-ms")
			b.ReportMetric(median(ratio), "ratio")
		})
	}
}

// judge builds the result for a module, of what has changed since a revision where one is
// named.
func judge(b *testing.B, dir, since string) *catalog.Result {
	b.Helper()
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	o := catalog.Options{Judge: true}
	if since != "" {
		if o.Change, err = scope.Read(b.Context(), s, since); err != nil {
			b.Fatal(err)
		}
	}
	r := catalog.Build(b.Context(), s, o)
	if len(r.Failures) > 0 {
		b.Fatal(r.Failures)
	}
	return r
}
