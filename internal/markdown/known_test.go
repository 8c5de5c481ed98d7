package markdown

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/tree"
)

const (
	begin = "<!-- BEGIN GENERATED catalog p -->\n"
	end   = "<!-- END GENERATED catalog -->\n"
)

// checkKnown holds what is known of a page without a parse of the whole of it against that.
func checkKnown(t *testing.T, src string) {
	t.Helper()
	parsed, err := page.Parse([]byte(src))
	if err != nil {
		return
	}
	group := &tree.Group{Sides: []*tree.Side{{Path: "x.md", Src: []byte(src), Page: parsed}}}
	p := Load(&tree.Tree{Groups: []*tree.Group{group}}, nil).Pages[0]
	want := p.After().IDs()
	for _, ids := range []map[string]int{want, p.Doc.IDs(), {"x": 0}} {
		for id := range ids {
			if _, ok := want[id]; ok != p.HasID(id) {
				t.Errorf("HasID(%q) = %v on %q", id, p.HasID(id), src)
			}
		}
	}
	for id := range parsed.Generated().IDs {
		if _, ok := want[id]; !ok {
			t.Errorf("Generated has %q on %q, which has %v", id, src, slices.Sorted(maps.Keys(want)))
		}
	}
	var headings []string
	for _, h := range p.After().Headings() {
		headings = append(headings, h.Text)
	}
	for _, title := range p.Titles() {
		if !slices.Contains(headings, title) {
			t.Errorf("Titles has %q on %q, which has %q", title, src, headings)
		}
	}
	for line := 1; line <= p.Doc.Lines(); line++ {
		want := p.After().Text(line)
		if slices.ContainsFunc(parsed.Regions, func(r page.Region) bool { return r.Line < line && line < r.End }) {
			want = ""
		}
		if got := p.Doc.Text(line); got != want {
			t.Errorf("line %d of %q is %q, want %q", line, src, got, want)
		}
	}
	if p.Doc.Lines() != p.After().Lines() {
		t.Errorf("%q has %d lines, and %d without bodies", src, p.After().Lines(), p.Doc.Lines())
	}
}

// parts are what FuzzKnown makes pages of, chosen by bytes.
var parts = []string{
	begin, end, begin, "\n" + end, "\n", "\n", "\r\n", "\r", "---\n", "a: b\n", "text", "text\n", " ", "   ", "\t", "- ", "> ", "1. ", "```\n", "~~~\n", "`", "`\n",
	"# One\n", "## Two [r]\n", "### `x` <T>\n", "<h2>Three\n", "</h2>\n", "Four\n===\n", "# [a][`\n", "[r]: /u\n", "[`\n", "`]: /u\n", "[a `b][r`]\n", "[<a id=\"m\">]: /u\n", "[t][<a id=\"m\">]\n",
	"<a id=\"x\"></a>\n", "<a id=\"x\"></a><a id=\"y\"></a>\n", "\n<a id=\"z\"></a>\n\n", "<a id=\"w\">\n", "<a\n", "id=\"v\"></a>\n", "<b NAME = u>\n", "<a name='t'>", "=\n", "< id = s\n",
	"<!--\n", "-->\n", "<script>\n", "</script>\n", "<div>\n", "| a | b |\n", "|-|-|\n", "[^1]: note\n", "\\", "&lt;",
}

func FuzzKnown(f *testing.F) {
	f.Add([]byte{22, 0, 4, 36, 4, 18, 35, 18, 4, 3, 23, 29})
	f.Add([]byte{0, 15, 35, 4, 3, 22})
	f.Add([]byte{0, 29, 3, 23, 4, 33, 34})
	for i := range parts {
		f.Add([]byte{0, byte(i), 4, 36, byte(i), 4, 3, byte(i), 4, byte(i)})
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		var b strings.Builder
		for _, c := range choice[:min(len(choice), 100)] {
			b.WriteString(parts[int(c)%len(parts)])
		}
		checkKnown(t, b.String())
	})
}
