package skeleton

import (
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
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
	s := &settings.Settings{Root: f.TempDir(), Docs: "docs", Langs: []string{"en", "zh"}}
	run := func(t *testing.T, en, zh string) []finding.Finding {
		g := &tree.Group{InTree: true}
		for i, text := range []string{en, zh} {
			p, err := page.Parse([]byte(text))
			if err != nil {
				t.Skip(err)
			}
			lang := s.Langs[i]
			g.Sides = append(g.Sides, &tree.Side{Path: "docs/" + lang + "/x.md", Lang: lang, Src: []byte(text), Page: p})
		}
		var out finding.List
		tr := &tree.Tree{Groups: []*tree.Group{g}}
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
