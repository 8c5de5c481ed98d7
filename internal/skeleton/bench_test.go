package skeleton

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/testfile"
	"github.com/agentplan/sdk/internal/tree"
)

// BenchmarkCheck compares 1,000 pages, 500 in each of two languages. Beside it stands what
// parsing them costs.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	testfile.Write(b, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"))
	section := "## Part `p%d`\n\nA paragraph with [a link](page001.md) and `code`, and some words more.\n\n- one\n- two [x](page002.md#part-p3)\n\n" +
		"```go\n// A comment.\nx := 1\n```\n\n| a | b |\n|---|---|\n| c | `d` |\n\n"
	for i := range 500 {
		for _, lang := range []string{"en", "zh"} {
			var text strings.Builder
			fmt.Fprintf(&text, "# Page %d\n\nEnglish | [other](../zh/page%03d.md)\n\n", i, i)
			for j := range 8 {
				if lang == "zh" && i%10 == 0 && j == 4 {
					continue // a fault on one page in ten
				}
				fmt.Fprintf(&text, section, j)
			}
			testfile.Write(b, filepath.Join(dir, "docs", lang, fmt.Sprintf("page%03d.md", i)), []byte(text.String()))
		}
	}
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	var out finding.List
	tr := tree.Load(s, &out)
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			markdown.Load(tr, nil)
		}
	})
	pages := markdown.Load(tr, nil)
	b.Run("compare", func(b *testing.B) {
		for b.Loop() {
			out = finding.List{}
			Check(Input{Settings: s, Tree: tr, Pages: pages}, &out)
		}
		b.ReportMetric(float64(len(out.Findings)), "findings")
	})
}
