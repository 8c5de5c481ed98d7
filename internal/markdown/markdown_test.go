package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/page"
)

// A marker in front matter is text for package page, so what this package takes for front
// matter must be the same.
func TestFrontMatter(t *testing.T) {
	const region = "<!-- BEGIN GENERATED catalog p -->\n<!-- END GENERATED catalog -->\n"
	for _, head := range []string{
		"", "\n", "---\n", "---\n\n", "---\na: b\n", "---\n\na: b\n", "---\n\n# no key\n", "+++\n", "+++\n\nx\n", "--- \n", " ---\n", "----\n",
		"---\n...\n", "\ufeff---\n", "\ufeff---\n\n\"a\": b\n",
	} {
		for _, foot := range []string{"", "---\n", "--- \t\n", "...\n", "+++\n", "----\n"} {
			for _, eol := range []string{"\n", "\r\n", "\r"} {
				src := []byte(strings.ReplaceAll(head+"\n"+region+"\n"+foot+"text\n", "\n", eol))
				p, err := page.Parse(src)
				if err != nil {
					t.Fatal(err)
				}
				d := Parse(src)
				inFront := !strings.Contains(string(d.Source), "BEGIN")
				if got := len(p.Regions) == 0; got != inFront {
					t.Errorf("%q: package page takes the region for front matter: %v, this package: %v", src, got, inFront)
				}
				if !inFront && d.Text(p.Regions[0].Line) != strings.SplitAfter(region, "\n")[0][:len("<!-- BEGIN GENERATED catalog p -->")] {
					t.Errorf("%q: line %d reads %q", src, p.Regions[0].Line, d.Text(p.Regions[0].Line))
				}
			}
		}
	}
}

func TestTags(t *testing.T) {
	type tag struct {
		Name  string
		Close bool
		Attrs map[string]string
	}
	for _, tt := range []struct {
		html string
		want []tag
	}{
		{`<a id=x NAME='y' href="a&amp;b">`, []tag{{"a", false, map[string]string{"id": "x", "name": "y", "href": "a&b"}}}},
		{`<img src="a>b" alt/>`, []tag{{"img", false, map[string]string{"src": "a>b", "alt": ""}}}},
		{`<p id=a id=b></P >`, []tag{{"p", false, map[string]string{"id": "a"}}, {"p", true, map[string]string{}}}},
		{"<p\n  id = x\n>", []tag{{"p", false, map[string]string{"id": "x"}}}},
		{`<!-- <a id=x> --><b>`, []tag{{"b", false, map[string]string{}}}},
		{`<!--> <a id=x>`, []tag{{"a", false, map[string]string{"id": "x"}}}},
		{`<script>"<a id=x>"</script>`, []tag{{"script", false, map[string]string{}}, {"script", true, map[string]string{}}}},
		{`1 < 2 <a id="x`, nil},
		{`<a/><?x <b>?>`, []tag{{"a", false, map[string]string{}}}},
	} {
		var got []tag
		for _, x := range Tags(tt.html) {
			got = append(got, tag{x.Name, x.Closing, x.Attrs})
		}
		if strings.Contains(tt.html, "<?x") {
			got = got[:min(len(got), 1)] // what ends a processing instruction is open to dispute
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.html, diff)
		}
	}
}

func TestResolve(t *testing.T) {
	for dest, want := range map[string]Target{
		"y.md":                {Local: true, Path: "docs/en/y.md"},
		"y.md#a%20b":          {Local: true, Path: "docs/en/y.md", Fragment: "a b"},
		"y.md?plain=1#L3":     {Local: true, Path: "docs/en/y.md", Fragment: "L3"},
		"#a":                  {Local: true, Path: "docs/en/x.md", Self: true, Fragment: "a"},
		"":                    {Local: true, Path: "docs/en/x.md", Self: true},
		"./a%2Fb/":            {Local: true, Path: "docs/en/a/b", Dir: true},
		"../zh/y.md":          {Local: true, Path: "docs/zh/y.md"},
		"../../../y.md":       {Local: true, Path: "../y.md"},
		"100%.md":             {Local: true, Path: "docs/en/100%.md"},
		"%E9%A1%B5.md#页":      {Local: true, Path: "docs/en/页.md", Fragment: "页"},
		"/y.md":               {},
		"//a.b/y.md":          {},
		"https://a.b":         {},
		"mailto:a@b.c":        {},
		"VSCODE-x+1.0://open": {},
	} {
		if diff := cmp.Diff(want, Resolve("docs/en/x.md", dest)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", dest, diff)
		}
	}
}

func TestLinks(t *testing.T) {
	src := "[a](b.md) ![c](<d e.png> 't') [f][g] [g][] [g]\n<https://h.i> <j@k.l> https://m.n/o_p_q). `[x](y)`\n" +
		"**https://r.s/t**, [https://u.v](w.md)\n\n> <a href=\" z.md \">\n> 1</a>\n\n[g]: 2.md\n[G]: 3.md\n[^n]: 4.md\n\n<div>\n<img\n src=5.png>\n</div>\n\na[^n]\n"
	want := []Link{
		{Inline, false, "b.md", "", 1}, {Inline, true, "d e.png", "", 1},
		{Reference, false, "2.md", "", 1}, {Reference, false, "2.md", "", 1}, {Reference, false, "2.md", "", 1},
		{Inline, false, "https://h.i", "", 2}, {Inline, false, "mailto:j@k.l", "", 2}, {Inline, false, "https://m.n/o_p_q", "", 2},
		{Inline, false, "https://r.s/t", "", 3}, {Inline, false, "w.md", "", 3},
		{Inline, false, "z.md", "", 5},
		{Definition, false, "2.md", "g", 8}, {Definition, false, "3.md", "G", 9},
		{Inline, true, "5.png", "", 13},
	}
	d := Parse([]byte(src))
	if diff := cmp.Diff(want, d.Links(d.Root)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestLoose(t *testing.T) {
	src := "[a][b] x[i][j] [c][] [d] `[e][f]` [g](h) ![k][l] \\[m][n] f(x)[0][1] [^o]\n\n- *[p q][r]*\n\n    [s][t]\n"
	d := Parse([]byte(src))
	want := []Loose{
		{"b", false, 1}, {"c", false, 1}, {"d", true, 1}, {"l", false, 1}, {"r", false, 3}, {"t", false, 5},
	}
	if diff := cmp.Diff(want, d.Loose(d.Root)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
