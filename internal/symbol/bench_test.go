package symbol

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/tree"
)

// BenchmarkCheck compares a whole run over 1,000 pages and 30,000 references with what it
// cannot do without: to load the module and the pages.
func BenchmarkCheck(b *testing.B) {
	files := module(b)
	for i := range 1000 {
		text := fmt.Sprintf("# Page %d\n\n<!-- symbol-ok planmode.Old: named in the history -->\n\n", i) + strings.Repeat(
			"See `planmode.New(cfg)`, `Service.Set`, `planmode/service.go`, `exit_plan_mode`, `some_word`, `--dir`, `planmode.Old`, "+
				"`plan/mode`, `make test` and `gen-catalog --format json`.\n\n- an item\n- another with [a link](page.md)\n\n", 3)
		files = append(files, txtar.File{Name: fmt.Sprintf("docs/en/p%d.md", i), Data: []byte(text)})
	}
	s, err := settings.Load(settings.Flags{Dir: read(b, files).mod.Settings.Root})
	if err != nil {
		b.Fatal(err)
	}
	var base, whole time.Duration
	for b.Loop() {
		var out finding.List
		start := time.Now()
		pages := markdown.Load(tree.Load(s, &out), nil)
		mod := source.Start(context.Background(), s).Module(&out)
		base += time.Since(start)
		r := Check(mod, pages, entries, &out)
		whole += time.Since(start)
		if len(r.References) != 30_000 || len(out.Findings) > 0 {
			b.Fatalf("%d references, findings: %v", len(r.References), out.Findings)
		}
	}
	b.ReportMetric(float64(base.Milliseconds())/float64(b.N), "base-ms/op")
	b.ReportMetric(float64(whole.Milliseconds())/float64(b.N), "whole-ms/op")
	b.ReportMetric(float64(whole)/float64(base), "ratio")
}
