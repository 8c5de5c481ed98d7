package prose

import (
	"bytes"
	"go/doc/comment"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

func paragraph(nodes ...comment.Text) *comment.Paragraph { return &comment.Paragraph{Text: nodes} }

func list(items ...*comment.ListItem) *comment.List { return &comment.List{Items: items} }

func item(number string, blocks ...comment.Block) *comment.ListItem {
	return &comment.ListItem{Number: number, Content: blocks}
}

// TestMarkdownOfTrees renders what a tree may hold, but the parser does not make.
func TestMarkdownOfTrees(t *testing.T) {
	a, b := comment.Plain("a"), comment.Plain("b")
	doc := &comment.DocLink{Text: []comment.Text{comment.Plain("T")}, Name: "T"}
	tests := []struct {
		name   string
		blocks []comment.Block
		want   string
	}{
		{"nothing", nil, ""},
		{"empty blocks", []comment.Block{paragraph(), &comment.Heading{}, paragraph(comment.Plain(" \n ")), list()}, ""},
		{"empty block between", []comment.Block{paragraph(a), paragraph(), paragraph(b)}, "a\n\nb"},
		{"bullets twice", []comment.Block{list(item("", paragraph(a))), list(item("", paragraph(b))), list(item("", paragraph(a)))}, "- a\n\n+ b\n\n- a"},
		{"numbers twice", []comment.Block{list(item("1", paragraph(a))), list(item("2", paragraph(b)))}, "1. a\n\n2) b"},
		{"numbers after bullets", []comment.Block{list(item("", paragraph(a)), item("7", paragraph(b)), item("", paragraph(a)))}, "- a\n\n7. b\n\n- a"},
		{"lists apart", []comment.Block{list(item("", paragraph(a))), paragraph(b), list(item("", paragraph(a)))}, "- a\n\nb\n\n- a"},
		{"code after list", []comment.Block{list(item("", paragraph(a))), &comment.Code{Text: "b\n"}}, "- a\n\n```\nb\n```"},
		{"empty items", []comment.Block{list(item(""), item("", paragraph(a)), item("", paragraph()))}, "-\n\n- a\n\n-"},
		{"not a number", []comment.Block{list(item("x", paragraph(a)), item("+1"), item("1234567890", paragraph(a), paragraph(b)))}, "- x. a\n\n- +1.\n\n- 1234567890. a\n\n  b"},
		{"item of blocks", []comment.Block{list(item("10", paragraph(a), &comment.Code{Text: "b\n\nc"}, list(item("", paragraph(a)))))}, "10. a\n\n    ```\n    b\n\n    c\n    ```\n\n    - a"},
		{"item of code", []comment.Block{list(item("", &comment.Code{Text: "b"}))}, "- ```\n  b\n  ```"},
		{"characters in code", []comment.Block{&comment.Code{Text: "a\x00b\r\nc\xff"}}, "```\na\uFFFDb\nc\uFFFD\n```"},
		{"italic", []comment.Block{paragraph(comment.Italic("a"), comment.Plain(" b*c*"), comment.Italic("d"))}, "*a* b\\*c\\**d*"},
		{"italic side by side", []comment.Block{paragraph(comment.Italic("a"), comment.Italic("b"), comment.Plain("*"))}, "*a*b\\*"},
		{"italic of signs", []comment.Block{paragraph(comment.Italic("*a*"), comment.Italic(" b "))}, "\\*a\\* b "},
		{"spans side by side", []comment.Block{paragraph(doc, doc, comment.Plain("`b`"), doc)}, "`T`T`b`T"},
		{"backtick beside a span", []comment.Block{paragraph(comment.Plain("a`"), doc, comment.Plain("```"))}, "a\\``T`\\`\\`\\`"},
		{"link without text", []comment.Block{paragraph(a, &comment.Link{URL: "x:y"}, &comment.DocLink{}, b)}, "ab"},
		{"word with link", []comment.Block{paragraph(&comment.Link{Auto: true, Text: []comment.Text{comment.Italic("io")}, URL: "https://pkg.go.dev/io"})}, "[io](https://pkg.go.dev/io)"},
		{"odd address", []comment.Block{paragraph(&comment.Link{Auto: true, Text: []comment.Text{comment.Plain("a b")}, URL: "a b"})}, "[a b](a%20b)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Markdown(&comment.Doc{Content: tt.blocks}, Options{Level: 2})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Markdown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkdownLevel(t *testing.T) {
	for level, want := range map[int]string{-1: "# A", 0: "# A", 1: "# A", 4: "#### A", 6: "###### A", 7: "###### A"} {
		if got := Markdown(parse("# A"), Options{Level: level}); got != want {
			t.Errorf("level %d: got %q, want %q", level, got, want)
		}
	}
}

// TestMarkdownWords covers the words of a parser, which are set in italics.
func TestMarkdownWords(t *testing.T) {
	p := comment.Parser{Words: map[string]string{"n": "", "io": "https://pkg.go.dev/io"}}
	got := Markdown(p.Parse("Reads n*m bytes, *n* of io."), Options{})
	if diff := cmp.Diff("Reads *n*\\*m bytes, \\**n*\\* of [io](https://pkg.go.dev/io).", got); diff != "" {
		t.Errorf("Markdown (-want +got):\n%s", diff)
	}
}

func TestMarkdownLinkTargets(t *testing.T) {
	for href, want := range map[string]string{
		"":               "`io.EOF`",
		"a.md#b":         "[`io.EOF`](a.md#b)",
		"文档/a%20b.md":    "[`io.EOF`](文档/a%20b.md)",
		"a b<c>`d`\\.md": "[`io.EOF`](a%20b%3Cc%3E%60d%60%5C.md)",
		"a(b).md":        "[`io.EOF`](a(b).md)",
		"a)b(.md":        "[`io.EOF`](a\\)b\\(.md)",
		"a?b=1&lt;=2":    "[`io.EOF`](a?b=1&amp;lt;=2)",
	} {
		got := Markdown(parse("[io.EOF]"), Options{Link: func(l *comment.DocLink) string {
			if l.ImportPath != "io" || l.Name != "EOF" {
				t.Errorf("asked for the target of %v", l)
			}
			return href
		}})
		if got != want {
			t.Errorf("target %q: got %q, want %q", href, got, want)
		}
	}
}

// TestMarkdownOnPageWithLabels covers brackets that a definition elsewhere on the
// page would turn into links.
func TestMarkdownOnPageWithLabels(t *testing.T) {
	const labels = "\n\n[x]: /u\n[y]: /v\n[Nothing]: /w\n[^1]: /z\n"
	for _, s := range []string{"[x]", "a [x]: b", "[x][y]", "[x][]", "[Nothing] and ([y])", "见[x]。", "m[^1]", "![x]", "*[x]*", "\\[x]", "`[x]` [x]"} {
		_, outline := seen(t, goldmark.New(), Markdown(parse(s), Options{})+labels)
		if want := "p " + strings.Repeat("LinkReferenceDefinition ", 4); outline != want {
			t.Errorf("%q is rendered as %q, want %q", s, outline, want)
		}
	}
}

func TestFence(t *testing.T) {
	tests := []struct {
		info  string
		texts []string
		want  string
	}{
		{"", nil, "```\n```"},
		{"", []string{""}, "```\n```"},
		{"go catalog", []string{"a\n"}, "```go catalog\na\n```"},
		{"", []string{"a"}, "```\na\n```"},
		{"", []string{"a\n\n"}, "```\na\n\n```"},
		{"", []string{"`` a"}, "```\n`` a\n```"},
		{"", []string{"x ``` y\n"}, "````\nx ``` y\n````"},
		{"go", []string{"````\n```\n"}, "`````go\n````\n```\n`````"},
		{"", []string{"a", "b\n", "c"}, "```\na\n\nb\n\n\nc\n```"},
		{"", []string{"a", ""}, "```\na\n\n```"},
		{"x", []string{"``", "````", "```"}, "`````x\n``\n\n````\n\n```\n`````"},
	}
	for _, tt := range tests {
		got := string(AppendFence([]byte("```` before\n"), tt.info, tt.texts...))
		if diff := cmp.Diff("```` before\n"+tt.want, got); diff != "" {
			t.Errorf("AppendFence(%q, %q) (-want +got):\n%s", tt.info, tt.texts, diff)
		}
	}
}

func TestCodeSpan(t *testing.T) {
	for s, want := range map[string]string{
		"":        "",
		"a|b":     "`a|b`",
		"Map<T>":  "`Map<T>`",
		"a`b":     "``a`b``",
		"a``b":    "`a``b`",
		"`":       "`` ` ``",
		"`a``":    "``` `a`` ```",
		" a":      "` a`",
		" a ":     "`  a  `",
		" ":       "` `",
		"a\r\nb":  "`a b`",
		"a\x00\n": "`a\uFFFD `",
	} {
		if got := CodeSpan(s); got != want {
			t.Errorf("CodeSpan(%q) = %q, want %q", s, got, want)
		}
	}
}

// escapedText is text as a Renderer escapes it.
func escapedText(text string) string { return string(new(Renderer).AppendText(nil, text)) }

// TestRendererAgain renders with one Renderer what was rendered with a new one each time.
func TestRendererAgain(t *testing.T) {
	texts := []string{"", "a *b* [c]", "# A", "  - x\n  - `y`\n\n    z", "<!-- BEGIN GENERATED a -->", "计划\n模式", "see https://example.com/a_b"}
	o := Options{Level: 3, Link: func(*comment.DocLink) string { return "x.md#y" }}
	var r Renderer
	var got []byte
	want := ""
	for _, s := range slices.Concat(texts, texts) {
		got = append(r.AppendMarkdown(got, parse(s), o), '|')
		got = append(r.AppendText(got, s), '|')
		want += Markdown(parse(s), o) + "|" + escapedText(s) + "|"
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("one Renderer after the other (-want +got):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"":                         "",
		"planmode/state.changed":   "planmode/state.changed",
		"/plan [on|off]":           "/plan \\[on|off]",
		"snake_case *T":            "snake_case *T",
		"Map<T>":                   "Map\\<T>",
		"a `b` c":                  "a \\`b\\` c",
		"计划\n模式\nmode":             "计划模式 mode",
		"# a #":                    "\\# a \\#",
		"1. a":                     "1\\. a",
		"--":                       "\\--",
		"<!-- END GENERATED a -->": "\\<\\!-- END GENERATED a -->",
		"a\\":                      "a\\\\",
	} {
		if got := escapedText(s); got != want {
			t.Errorf("AppendText(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestLinkDest(t *testing.T) {
	for path, want := range map[string]string{
		"":                     "",
		"../planmode/doc.go":   "../planmode/doc.go",
		"type-A.B_c":           "type-A.B_c",
		"事件":                   "事件",
		"文档/计划 模式.md":          "文档/计划%20模式.md",
		"a(b)<c>.md":           "a%28b%29%3Cc%3E.md",
		"c#/x.md":              "c%23/x.md",
		"x #1.md":              "x%20%231.md",
		"100%.md?":             "100%25.md%3F",
		"a&amp;b:c":            "a%26amp%3Bb%3Ac",
		"a\xffb\u00a0\u200d\t": "a%FFb%C2%A0%E2%80%8D%09",
		"`a`[b]\\\"|^{}":       "%60a%60%5Bb%5D%5C%22%7C%5E%7B%7D",
	} {
		if got := LinkDest(path); got != strings.ReplaceAll(want, "%3B", ";") {
			t.Errorf("LinkDest(%q) = %q, want %q", path, got, want)
		}
	}
}

func FuzzLinkDest(f *testing.F) {
	for _, s := range []string{"a.md", "a b.md#c", "(", "\\", "<>", "a#b/c", "%41", "中文", "\xff", "&amp;", "a:b", "//a"} {
		f.Add(s)
	}
	m := goldmark.New()
	f.Fuzz(func(t *testing.T, path string) {
		md := "[x](" + LinkDest(path) + ")"
		if !utf8.ValidString(md) {
			t.Fatalf("LinkDest(%q) = %q is not UTF-8", path, md)
		}
		var got *ast.Link
		source := []byte(md)
		_ = ast.Walk(m.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if l, ok := n.(*ast.Link); ok && entering {
				got = l
			}
			return ast.WalkContinue, nil
		})
		if got == nil {
			t.Fatalf("LinkDest(%q): %q is no link", path, md)
		}
		back, err := url.PathUnescape(string(got.Destination))
		if err != nil || back != path {
			t.Errorf("LinkDest(%q) = %q: parsed back to %q, %v", path, md, back, err)
		}
		if again := appendURL(nil, LinkDest(path)); !bytes.Equal(again, []byte(LinkDest(path))) {
			t.Errorf("LinkDest(%q) = %q changes to %q as a target", path, LinkDest(path), again)
		}
	})
}
