package fence

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

// generated is a module of 50 packages with 1,000 pages and 1,000 Go fences in all forms.
func generated() []txtar.File {
	files := []txtar.File{
		{Name: "go.mod", Data: []byte("module example.com/big\n\ngo 1.26\n")},
		{Name: ".catalog.yaml", Data: []byte("langs: [en]\n")},
	}
	for i := range 50 {
		var b strings.Builder
		fmt.Fprintf(&b, "// Package p%d is generated.\npackage p%d\n\nimport (\n\t\"context\"\n\t\"net/http\"\n)\n", i, i)
		for j := range 20 {
			fmt.Fprintf(&b, "\n// Service%d serves.\ntype Service%d struct {\n\t// Client asks.\n\tClient *http.Client\n}\n", j, j)
			for k := range 10 {
				fmt.Fprintf(&b, "\n// Do%d does.\nfunc (s *Service%d) Do%d(ctx context.Context, n int) (string, error) { return \"\", nil }\n", k, j, k)
			}
		}
		files = append(files, txtar.File{Name: fmt.Sprintf("p%d/p.go", i), Data: []byte(b.String())})
	}
	for i := range 1000 {
		pkg, svc := i%50, i%20
		var fence string
		switch i % 4 {
		case 0:
			fence = fmt.Sprintf("package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"example.com/big/p%d\"\n)\n\nfunc main() {\n\ts := &p%d.Service%d{}\n\tfmt.Println(s.Do1(context.Background(), %d))\n}\n", pkg, pkg, svc, i)
		case 1:
			fence = fmt.Sprintf("s := p%d.Service%d{Client: http.DefaultClient}\nout, err := s.Do2(context.Background(), %d)\nif err != nil {\n\treturn err\n}\nfmt.Println(strings.ToUpper(out))\n", pkg, svc, i)
		case 2:
			fence = fmt.Sprintf("type Doer interface {\n\tDo3(ctx context.Context, n int) (string, error)\n}\n\nvar _ Doer = (*p%d.Service%d)(nil)\n\nfunc f%d() {}\n", pkg, svc, i)
		default:
			fence = fmt.Sprintf("// from p%d.Service%d.Do4\n// Do4 does.\nfunc (s *Service%d) Do4(ctx context.Context, n int) (string, error)\n", pkg, svc, svc)
		}
		text := fmt.Sprintf("# Page %d\n\n%s\n```go\n%s```\n\n%s", i, strings.Repeat("Some words about `Service` that take a line.\n", 10), fence,
			strings.Repeat("## A section\n\n- an item\n- another\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nMore words, and [a link](page.md).\n\n", 5))
		files = append(files, txtar.File{Name: fmt.Sprintf("docs/en/p%d.md", i), Data: []byte(text)})
	}
	return files
}

// BenchmarkCheck compares a whole run over 1,000 pages and 1,000 Go fences with what it
// cannot do without: to load the module, what the fences import, and the pages.
func BenchmarkCheck(b *testing.B) {
	dir := read(b, generated()).mod.Settings.Root
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	var base, whole time.Duration
	for b.Loop() {
		var out finding.List
		start := time.Now()
		t := tree.Load(s, &out)
		mod := source.Start(ctx, s).Module(&out)
		pages := markdown.Load(t, nil)
		loaded := time.Since(start)

		set := Read(pages)
		quoted := set.CheckDeclarations(mod, &out)
		r := set.CheckCode(ctx, mod, nil, &out)
		whole += time.Since(start)
		if quoted != 250 || r.Go != 750 || len(out.Findings) > 0 {
			b.Fatalf("%d declarations, %d Go fences, findings: %v", quoted, r.Go, out.Findings)
		}
		base += loaded + loadImports(ctx, source.Start(ctx, s).Module(&out), set)
	}
	b.ReportMetric(float64(base.Milliseconds())/float64(b.N), "base-ms/op")
	b.ReportMetric(float64(whole.Milliseconds())/float64(b.N), "whole-ms/op")
	b.ReportMetric(float64(whole)/float64(base), "ratio")
}

// loadImports is the time that it takes to load what the fences import, and nothing else.
func loadImports(ctx context.Context, mod *source.Module, set *Set) time.Duration {
	cache := &Cache{}
	cache.open(mod)
	c := &codeCheck{mod: mod, out: &finding.List{}, report: &Report{}, loader: newLoader(mod, cache)}
	var pages [][]*snippet
	for _, p := range set.pages {
		pages = append(pages, c.collect(p))
	}
	c.parse(pages)
	start := time.Now()
	c.load(ctx, pages)
	return time.Since(start)
}
