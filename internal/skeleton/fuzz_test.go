package skeleton

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/tree"
)

// A page is like itself in another language, and findings about two pages stand on lines
// that the second has.
func FuzzPages(f *testing.F) {
	seeds := []string{
		"# A\n\n- a\n  1. b\n\n| c |\n|---|\n| [d](y.md#e) |\n",
		"```go\n// a\nx := \"/*\" /* b\n*/\n```\n~~~sh\necho 'a\nb' # c\n",
		"> [!NOTE]\n> a\n\n---\n\n<details>\n<summary>x</summary>\n\n    code\n",
		"English | [中文](../zh/x.md)\n\n[a][b] https://x.y/z)。\n\n[b]: <c d>\n",
		"---\na: b\n---\n\n<!-- BEGIN GENERATED catalog p -->\n<!-- END GENERATED catalog -->\n",
	}
	for i, s := range seeds {
		f.Add(s, seeds[(i+1)%len(seeds)])
	}
	dir := f.TempDir()
	write(f, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"))
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		f.Fatal(err)
	}
	run := func(t *testing.T, en, zh string) []finding.Finding {
		write(t, filepath.Join(dir, "docs", "en", "x.md"), []byte(en))
		write(t, filepath.Join(dir, "docs", "zh", "x.md"), []byte(zh))
		var out finding.List
		tr := tree.Load(s, &out)
		if len(out.Failures) > 0 {
			t.Skip("not UTF-8")
		}
		Check(Input{Settings: s, Tree: tr, Pages: markdown.Load(tr, nil)}, &out)
		return out.Findings
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !strings.Contains(a, "en") && !strings.Contains(a, "zh") {
			// Without a link into a language's directory.
			if got := run(t, a, a); len(got) > 0 {
				t.Errorf("a page beside itself: %v", got)
			}
		}
		lines := markdown.Parse([]byte(b)).Lines()
		for _, f := range run(t, a, b) {
			if f.Line < 1 || f.Line > max(lines, 1) {
				t.Errorf("%v: the page has %d lines", f, lines)
			}
		}
	})
}
