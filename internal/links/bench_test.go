package links

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

// BenchmarkCheck judges 1,000 pages of 40 links each. Beside it stands what parsing the
// pages costs.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	testfile.Write(b, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"))
	for i := range 500 {
		for _, lang := range []string{"en", "zh"} {
			var text strings.Builder
			fmt.Fprintf(&text, "# Page %d\n\n", i)
			for j := range 10 {
				fmt.Fprintf(&text, "## Part %d of `x`\n\nWords [a](page%03d.md#part-%d-of-x) and [b](#part-%d-of-x), ![c](../../go.mod), [d](../zh/page%03d.md).\n\n", j, (i+j)%500, j, j, i)
			}
			if i%10 == 0 {
				text.WriteString("[gone](gone.md) [lost](#lost)\n")
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
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			pages := markdown.Load(tr, nil) // it keeps what was asked for once
			b.StartTimer()
			out = finding.List{}
			Check(Input{Settings: s, Tree: tr, Pages: pages}, &out)
		}
		b.ReportMetric(float64(len(out.Findings)), "findings")
	})
}
