package confirmed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/confirmed"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/tree"
)

// BenchmarkCheck judges 500 pages in two languages with 10 sections each, all fresh. Beside
// it stands what reading and parsing the pages for their regions costs.
func BenchmarkCheck(b *testing.B) {
	p := newProject(b, "-- p/p.go --\n// Package p is small.\npackage p\n\n// F is a function.\nfunc F() {}\n")
	for i := range 500 {
		for _, lang := range []string{"en", "zh"} {
			var text strings.Builder
			for k := range 10 {
				fmt.Fprintf(&text, "## Heading %d\n\n<!-- about p.F -->\nA paragraph of page %d with `code`, a [link](x.md) and some words more.\n\n- one\n- two\n\n```go\nx := %d\n```\n\n", k, i, k)
			}
			p.write(fmt.Sprintf("docs/%s/page-%03d.md", lang, i), text.String())
		}
	}
	p.baseline("")
	in := p.input("")
	b.Run("tree", func(b *testing.B) {
		for b.Loop() {
			var out finding.List
			tree.Load(in.Settings, &out)
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			var out finding.List
			if sum := confirmed.Check(b.Context(), in, &out); len(out.Findings) > 0 || sum.Sections != 5000 {
				b.Fatal(sum, out)
			}
		}
	})
}
