package links

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/testfile"
	"github.com/agentplan/sdk/internal/tree"
)

// TestScripts runs the archives of testdata: the files are a module, those below after/
// the text of pages after generation, unknown lists pages whose text is not known, and
// want holds the findings.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d scripts: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			after, unknown, want := map[string][]byte{}, map[string]bool{}, ""
			for _, f := range ar.Files {
				if path, ok := strings.CutPrefix(f.Name, "after/"); ok {
					after[path] = f.Data
					continue
				}
				switch f.Name {
				case "want":
					want = string(f.Data)
				case "unknown":
					for _, path := range strings.Fields(string(f.Data)) {
						unknown[path] = true
					}
				default:
					testfile.Write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
				}
			}
			if got := check(t, dir, after, unknown); got != want {
				t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
			}
		})
	}
}

// check returns the findings of a module, one a line.
func check(t testing.TB, dir string, after map[string][]byte, unknown map[string]bool) string {
	t.Helper()
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var out finding.List
	in := Input{Settings: s, Tree: tree.Load(s, &out), Unknown: unknown}
	in.Pages = markdown.Load(in.Tree, after)
	if sources, _ := filepath.Glob(filepath.Join(dir, "*", "*.go")); len(sources) > 0 {
		in.Module = source.Start(t.Context(), s).Module(&out)
	}
	if len(out.Failures) > 0 {
		t.Fatalf("failures: %v", out.Failures)
	}
	Check(in, &out)
	out.Sort()
	var b strings.Builder
	for _, f := range out.Findings {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

// The page's own line endings, byte order mark and front matter do not move a finding.
func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       int
	}{
		{"CRLF", "# T\r\n\r\n[x](gone.md)\r\n", 3},
		{"CR", "# T\r\r[x](gone.md)\r", 3},
		{"byte order mark", "\ufeff# T\n\n[x](gone.md)\n", 3},
		{"front matter", "---\ntitle: x\nsee: gone.md\n---\n\n# T\n\n[x](gone.md)\n", 8},
		{"front matter of TOML", "+++\na = 1\n+++\n[x](gone.md)\n", 4},
		{"thematic break", "---\n\n[x](gone.md)\n\n---\n", 3},
		{"in a paragraph of lines", "one\ntwo [y](#top)\nthree [x\ny](gone.md)\n", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			testfile.Write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"))
			testfile.Write(t, filepath.Join(dir, ".catalog.yaml"), []byte("langs: [en]\n"))
			testfile.Write(t, filepath.Join(dir, "docs/en/a.md"), []byte(tt.page))
			want := fmt.Sprintf("docs/en/a.md:%d: link: link to gone.md: there is no docs/en/gone.md; did you mean a.md?\n", tt.want)
			want = strings.Replace(want, "did you mean a.md?", "correct the path, or remove the link", 1)
			if got := check(t, dir, nil, nil); got != want {
				t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
			}
		})
	}
}

func FuzzPage(f *testing.F) {
	for _, s := range []string{
		"[a](b.md#c)", "[a][b]\n\n[b]: c.md\n[B]: <d e.md> 'x'", "![x](<y z.png> \"t\")", "<a href=x.md#y>z</a>",
		"| a |\n|---|\n| [b](c.md) |", "# a\n\n[x](#a)", "a[i][j] https://x.y/z)。", "<h1>\n<img src=x", "---\na: b\n---\n[x]()",
		"[%zz](%zz#%zz) [x](../..)", "<!-- [a](b) -->\n`[a](b)`", "[^1]\n\n[^1]: x",
	} {
		f.Add(s)
	}
	s := &settings.Settings{Root: f.TempDir(), Docs: "docs", Langs: []string{"en", "zh"}}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := page.Parse([]byte(text))
		if err != nil {
			return // not UTF-8
		}
		side := &tree.Side{Path: "docs/en/a.md", Lang: "en", Src: []byte(text), Page: p}
		tr := &tree.Tree{Groups: []*tree.Group{{InTree: true, Sides: []*tree.Side{side}}}}
		var out finding.List
		Check(Input{Settings: s, Tree: tr, Pages: markdown.Load(tr, nil)}, &out)
		doc := markdown.Parse([]byte(text))
		for _, f := range out.Findings {
			if f.Line < 1 || f.Line > doc.Lines() {
				t.Errorf("%v: the page has %d lines", f, doc.Lines())
			}
		}
		for _, h := range doc.Headings() {
			if h.Line < 1 || h.Line > doc.Lines() {
				t.Errorf("heading %q on line %d of %d", h.Text, h.Line, doc.Lines())
			}
		}
	})
}
