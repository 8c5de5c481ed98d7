package fence

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/tree"
)

const quotedModule = `-- go.mod --
module example.com/kit

go 1.26
-- docs/en/a.md --
# A
-- docs/zh/a.md --
# A
-- kit/kit.go --
package kit

// Options configure.
//
// All are optional.
type Options struct {
	Dir string

	N int
}

/*
Tick has a run of backticks:
` + "```" + `
*/
const Tick = 1
`

const fresh = "// Options configure.\n//\n// All are optional.\ntype Options struct {\n\tDir string\n\n\tN int\n}\n"

func TestRefresh(t *testing.T) {
	mod := read(t, txtar.Parse([]byte(quotedModule)).Files).mod
	indent := func(prefix, blank string) string {
		var b strings.Builder
		for line := range strings.Lines(fresh) {
			if line == "\n" {
				b.WriteString(blank + line)
			} else {
				b.WriteString(prefix + line)
			}
		}
		return b.String()
	}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, tt := range []struct{ name, src, want string }{
		{"plain", "# A\n\n```go\n// from kit.Options\ntype Old int\n```\n\ntext\n", "# A\n\n```go\n// from kit.Options\n" + fresh + "```\n\ntext\n"},
		{"two of them", "```go\n// from kit.Options\n```\n\n~~~go\n// from kit.Options\nx\n\n\n~~~\n", "```go\n// from kit.Options\n" + fresh + "```\n\n~~~go\n// from kit.Options\n" + fresh + "~~~\n"},
		{"fresh", "```go\n// from kit.Options\n" + fresh + "```\n", ""},
		{"line endings and a byte order mark", crlf("\ufeff# A\n\n```go\n// from kit.Options\nx\n```\nend"), crlf("\ufeff# A\n\n```go\n// from kit.Options\n" + fresh + "```\nend")},
		{"front matter", "---\nt: a\n---\n```go\n// from kit.Options\n```\n", "---\nt: a\n---\n```go\n// from kit.Options\n" + fresh + "```\n"},
		{"in a list", "- item\n\n  ```go\n  // from kit.Options\n  x\n  ```\n- next\n", "- item\n\n  ```go\n  // from kit.Options\n" + indent("  ", "") + "  ```\n- next\n"},
		{"in a quote", "> ```go\n> // from kit.Options\n> ```\n", "> ```go\n> // from kit.Options\n" + indent("> ", ">") + "> ```\n"},
		{"indented fence", "  ```go\n  // from kit.Options\n x\n  ```\n", "  ```go\n  // from kit.Options\n" + indent("  ", "") + "  ```\n"},
		{"unclosed at the end", "```go\n// from kit.Options", "```go\n// from kit.Options\n" + strings.TrimSuffix(fresh, "\n")},
		{"no such name", "```go\n// from kit.Nothing\nx\n```\n", ""},
		{"text that would close the fence", "```go\n// from kit.Tick\nx\n```\n", ""},
		{"the same in a longer fence", "````go\n// from kit.Tick\nx\n````\n", "````go\n// from kit.Tick\n/*\nTick has a run of backticks:\n```\n*/\nconst Tick = 1\n````\n"},
		{"opted out", "```go ignore: old\n// from kit.Options\nx\n```\n", ""},
		{"generated", "<!-- BEGIN GENERATED catalog kit -->\n```go\n// from kit.Options\nx\n```\n<!-- END GENERATED catalog -->\n", ""},
		{"a marker at fault", "<!-- BEGIN GENERATED catalog kit -->\n```go\n// from kit.Options\nx\n```\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.src
			}
			got := Refresh(mod, []byte(tt.src))
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
			if again := Refresh(mod, got); !bytes.Equal(again, got) {
				t.Errorf("a second time gives\n%s", again)
			}
			if tt.want == "" {
				return
			}
			p, err := page.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			pages := markdown.Load(&tree.Tree{Groups: []*tree.Group{{Sides: []*tree.Side{{Path: "a.md", Src: got, Page: p}}}}}, nil)
			var list finding.List
			if n := Read(pages).CheckDeclarations(mod, &list); n == 0 || len(list.Findings) > 0 {
				t.Errorf("%d declarations after the refresh, findings: %v", n, list.Findings)
			}
		})
	}
}
