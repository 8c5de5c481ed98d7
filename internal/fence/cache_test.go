package fence

import (
	"context"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/tree"
)

// A second check with the same cache finds what has changed meanwhile, in the pages and
// in the module, and nothing else.
func TestCache(t *testing.T) {
	ar := txtar.Parse([]byte(`
-- go.mod --
module example.com/kit

go 1.26
-- .catalog.yaml --
langs: [en]
-- kit/kit.go --
package kit

import "net/url"

// Parse parses.
func Parse(s string) (*url.URL, error) { return nil, nil }
-- docs/en/a.md --
# A

` + "```go\nu, err := kit.Parse(\"x\")\nprintln(u.Host, strings.TrimSpace(\"\"))\n```\n"))
	x := read(t, ar.Files)
	s := x.mod.Settings
	var cache Cache
	check := func() string {
		var out finding.List
		pages := markdown.Load(tree.Load(s, &out), nil)
		mod := source.Start(context.Background(), s).Module(&out)
		Read(pages).CheckCode(context.Background(), mod, &cache, &out)
		return (&scratch{list: out}).lines()
	}
	write := func(name, old, text string) {
		t.Helper()
		data, err := os.ReadFile(s.Abs(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.Abs(name), []byte(strings.Replace(string(data), old, text, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct{ file, old, new, want string }{
		{"kit/kit.go", "", "", ""},
		{"kit/kit.go", "func Parse(", "func Read(", "undefined: kit.Parse"},
		{"docs/en/a.md", "kit.Parse(", "kit.Read(", ""},
		{"docs/en/a.md", "u.Host", "u.Hots", "u.Hots undefined"},
		{"docs/en/a.md", "u.Hots", "u.Host", ""},
		{"go.mod", "go 1.26", "go 1.25", ""},
	} {
		write(step.file, step.old, step.new)
		if got := check(); step.want == "" && got != "" || !strings.Contains(got, step.want) {
			t.Errorf("after %q for %q in %s: %q, want %q", step.new, step.old, step.file, got, step.want)
		}
	}
}
