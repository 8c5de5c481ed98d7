package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/internal/catalog"
	gofence "github.com/agentplan/sdk/internal/fence"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/testfile"
	doctree "github.com/agentplan/sdk/internal/tree"
)

// BenchmarkGate runs every rule over 1,000 pages in two languages with 1,000 Go fences
// that must compile, and, in turn with it, what no gate can do without: to load the
// module, what the fences import, and to parse the pages. It reports the median of the
// ratio of the two, pair by pair.
func BenchmarkGate(b *testing.B) {
	dir := b.TempDir()
	writeGate(b, dir)
	testfile.Write(b, filepath.Join(dir, "load", "en", "page.md"), loadPage())
	gen(b, "--dir", dir)
	gen(b, "confirm", "--dir", dir, "--baseline")
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	load, err := settings.Load(settings.Flags{Dir: dir, Docs: "load", Langs: "en"})
	if err != nil {
		b.Fatal(err)
	}
	var whole, base, ratio []float64
	for b.Loop() {
		start := time.Now()
		r := catalog.Build(b.Context(), s, catalog.Options{Judge: true})
		x := float64(time.Since(start).Microseconds()) / 1000
		if len(r.Failures)+len(r.Findings) > 0 || r.Prose.Code.Go < 1000 {
			b.Fatalf("%d Go fences, %v, %v", r.Prose.Code.Go, r.Failures, r.Findings)
		}
		start = time.Now()
		loadOnly(b, s, load)
		y := float64(time.Since(start).Microseconds()) / 1000
		whole, base, ratio = append(whole, x), append(base, y), append(ratio, x/y)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(whole), "gate-ms")
	b.ReportMetric(median(base), "base-ms")
	b.ReportMetric(median(ratio), "ratio")
}

// writeGate writes 1,000 pages with 1,000 Go fences.
func writeGate(b *testing.B, dir string) {
	b.Helper()
	writeBook(b, dir, 500-bookPackages)
	pages, err := filepath.Glob(filepath.Join(dir, "docs", "*", "*.md"))
	if err != nil || len(pages) != 1000 {
		b.Fatalf("%d pages: %v", len(pages), err)
	}
	for i, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			b.Fatal(err)
		}
		n := i % 500 // the two languages have the same
		fences := fmt.Sprintf("\n```go\n_, err := p%d.Open(\"%d\")\nfmt.Println(err)\n```\n", n%bookPackages, n)
		if n < 10 { // the pages of reference have no other
			fences += fmt.Sprintf("\n```go\nvar x%d *p%d.Store\n```\n", n, n%bookPackages)
		}
		testfile.Write(b, page, string(text)+fences)
	}
}

// loadPage has one fence with all that the fences of the tree import.
func loadPage() string {
	var imports, uses strings.Builder
	for p := range bookPackages {
		fmt.Fprintf(&imports, "\t\"example.com/book/p%d\"\n", p)
		fmt.Fprintf(&uses, "\ts%d, _ := p%d.Open(\"\")\n\tfmt.Println(s%d.Len())\n", p, p, p)
	}
	return "# Load\n\n```go\npackage main\n\nimport (\n\t\"fmt\"\n\n" + imports.String() + ")\n\nfunc main() {\n" + uses.String() + "}\n```\n"
}

// loadOnly parses the pages, reads the module, and loads what the one fence imports.
func loadOnly(b *testing.B, s, load *settings.Settings) {
	b.Helper()
	var out finding.List
	loading := source.Start(b.Context(), s)
	markdown.Load(doctree.Load(s, &out), nil)
	mod := loading.Module(&out)
	r := gofence.Read(markdown.Load(doctree.Load(load, &out), nil)).CheckCode(b.Context(), mod, nil, &out)
	if len(out.Failures)+len(out.Findings) > 0 || r.Go != 1 {
		b.Fatalf("%d Go fences, %v, %v", r.Go, out.Failures, out.Findings)
	}
}
