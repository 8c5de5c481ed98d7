package prose

import (
	"bytes"
	"fmt"
	"go/doc/comment"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

var (
	htmlTag     = regexp.MustCompile(`<[^>]*>`)
	anyMarker   = regexp.MustCompile(`(?i)<!--[ \t]*(BEGIN|END)[ \t]+GENERATED`)
	fencedBlock = regexp.MustCompile("(?ms)^(`{3,})\n.*?^(`{3,})$")
	// To goldmark, not to GitHub, a code span glued to the name of a mail
	// address is part of that name.
	codeBeforeAt = regexp.MustCompile("`\\S*@")
	ignoredTicks = strings.NewReplacer("`", "", "[", "", "]", "")
)

// seen returns what a reader of md is shown, without white space, and the
// outline of its blocks and links. Addresses that the renderer links by itself are
// not part of it.
func seen(t rapid.TB, m goldmark.Markdown, md string) (shown, outline string) {
	t.Helper()
	var b bytes.Buffer
	if err := m.Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	shown = squeeze(html.UnescapeString(htmlTag.ReplaceAllString(b.String(), "")))
	var o strings.Builder
	root := m.Parser().Parse(text.NewReader([]byte(md)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Text, *ast.TextBlock, *ast.CodeSpan, *ast.AutoLink, *ast.String:
		case *ast.Paragraph:
			if n.Parent().Kind() == ast.KindDocument {
				o.WriteString("p ")
			}
		case *ast.Heading:
			fmt.Fprintf(&o, "h%d ", n.Level)
		case *ast.List:
		case *ast.ListItem:
			l := n.Parent().(*ast.List)
			number := "-"
			if l.IsOrdered() {
				at := l.Start
				for s := n.PreviousSibling(); s != nil; s = s.PreviousSibling() {
					at++
				}
				number = fmt.Sprint(at)
			}
			o.WriteString(number + " ")
		case *ast.FencedCodeBlock:
			o.WriteString("code ")
		case *ast.Link:
			o.WriteString("link ")
		default:
			o.WriteString(n.Kind().String() + " ")
		}
		return ast.WalkContinue, nil
	})
	return shown, o.String()
}

// want returns the same for doc, as far as backticks and brackets do not count.
func want(doc *comment.Doc, o Options) (shown, outline string) {
	var s, out strings.Builder
	var texts func([]comment.Text)
	texts = func(ts []comment.Text) {
		for _, n := range ts {
			switch n := n.(type) {
			case comment.Plain:
				s.WriteString(cleanText(string(n)))
			case comment.Italic:
				s.WriteString(cleanText(string(n)))
			case *comment.Link:
				texts(n.Text)
			case *comment.DocLink:
				texts(n.Text)
			}
		}
	}
	var blocks func([]comment.Block, bool)
	blocks = func(bs []comment.Block, top bool) {
		for _, b := range bs {
			switch b := b.(type) {
			case *comment.Paragraph:
				if top {
					out.WriteString("p ")
				}
				texts(b.Text)
				s.WriteByte('\n')
			case *comment.Heading:
				fmt.Fprintf(&out, "h%d ", o.Level)
				texts(b.Text)
			case *comment.Code:
				out.WriteString("code ")
				s.WriteString(cleanText(b.Text))
			case *comment.List:
				for _, item := range b.Items {
					number := "-"
					if item.Number != "" && len(item.Number) <= 9 {
						number = strings.TrimLeft(item.Number, "0")
						if number == "" {
							number = "0"
						}
					} else if item.Number != "" {
						s.WriteString(item.Number + ".")
					}
					out.WriteString(number + " ")
					blocks(item.Content, false)
				}
			}
		}
	}
	blocks(doc.Content, true)
	return squeeze(s.String()), out.String()
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// check holds the rendering of text against the text.
func check(t rapid.TB, comment string) {
	t.Helper()
	if codeBeforeAt.MatchString(comment) {
		return
	}
	o := options()
	doc := parse(comment)
	links := func(outline string) string { return strings.ReplaceAll(outline, "link ", "") }
	shown, outline := want(doc, o)
	md := Markdown(doc, o)
	exact := !strings.Contains(md, "`") && !strings.Contains(comment, "`")
	if again := Markdown(doc, o); again != md {
		t.Fatalf("two renderings of %q differ:\n%q\n%q", comment, md, again)
	}
	if strings.TrimSpace(md) != md && strings.Trim(md, " \t\n\v\f\r") != md {
		t.Errorf("white space around %q", md)
	}
	for name, m := range map[string]goldmark.Markdown{
		"CommonMark": goldmark.New(),
		"GFM":        goldmark.New(goldmark.WithExtensions(extension.GFM)),
	} {
		gotShown, gotOutline := seen(t, m, md)
		if strings.Count(gotOutline, "link ") > strings.Count(md, "](") {
			t.Errorf("%s: more links than written\ncomment: %q\nmarkdown: %q", name, comment, md)
		}
		if links(gotOutline) != outline {
			t.Errorf("%s: blocks %q, want %q\ncomment: %q\nmarkdown: %q", name, gotOutline, outline, comment, md)
		}
		w := shown
		if !exact {
			w, gotShown = ignoredTicks.Replace(w), ignoredTicks.Replace(gotShown)
		}
		if gotShown != w {
			t.Errorf("%s: a reader sees\n%q, want\n%q\ncomment: %q\nmarkdown: %q", name, gotShown, w, comment, md)
		}
	}
	if m := anyMarker.FindString(fencedBlock.ReplaceAllString(md, "")); m != "" {
		t.Errorf("prose holds the marker %q\ncomment: %q\nmarkdown: %q", m, comment, md)
	}
}

// fragments are put together to comments that are dense with syntax.
var fragments = []string{
	"a", "b ", " ", "\n", "\n\n", "\t", "*", "**", "_", "__", "~", "~~", "~~~", "`", "```", "`x`", "[", "]", "](", ")",
	"[x]", "[x](y)", "[Config]", "[io]", "[planmode.Service.Set]", "![", "!", "\\", "<", ">", "<b>", "</b>", "<!--", "-->", "<?", "&", "&amp;",
	"&#35;", ";", "#", "# ", "##", "-", "- ", "  - ", "+ ", "1. ", " 1. ", "2) ", "=", "===", "---", "|", ":", "www.", "www.a.bc/",
	"http://", "https://a.bc/d", "http://a.bc/d?e=1&amp;", "me@a.bc", "中文", "，", "“", "”", "한", "🎉", "\u00a0", "\u0301", "€", "\x00", "\r", "\v", "\f",
	"<!-- BEGIN GENERATED catalog x -->", "\n    code\n", ".", "(", "'", "\"", "$", "{", "}", "^",
	"[Config]: http://a.bc/e", "[k]", "\n[k]: http://a.bc/(f\n", "\u0085", "\u2028", "\ufeff", "\x80", "\x7f", "0", "1234567890",
}

func TestMarkdownShowsTheText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		check(rt, strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 14).Draw(rt, "fragments"), ""))
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range fragments {
		f.Add(s)
		f.Add("a " + s + " b" + s)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, s) })
}

func FuzzText(f *testing.F) {
	for _, s := range fragments {
		f.Add(s)
		f.Add(s + "x" + s)
	}
	m := goldmark.New(goldmark.WithExtensions(extension.GFM))
	f.Fuzz(func(t *testing.T, s string) {
		out := escapedText(s)
		for outline, md := range map[string]string{"h2 p ": "## " + out + "\n\nend", "- p ": "- " + out + "\n\nend"} {
			got, gotOutline := seen(t, m, md)
			if w := squeeze(cleanText(s)) + "end"; got != w || gotOutline != outline {
				t.Errorf("AppendText(%q) = %q: a reader sees %q in %q, want %q in %q", s, out, got, gotOutline, w, outline)
			}
		}
	})
}

func FuzzCodeSpan(f *testing.F) {
	for _, s := range fragments {
		f.Add(s)
	}
	for _, s := range []string{" ", "  ", " a ", " a", "a ", " ` ", "`` ` ```", "\na\n"} {
		f.Add(s)
	}
	m := goldmark.New(goldmark.WithExtensions(extension.GFM))
	f.Fuzz(func(t *testing.T, s string) {
		if strings.TrimSpace(s) == "" && strings.Trim(s, " ") != "" {
			return // goldmark keeps the padding of a span of tabs, other parsers do not
		}
		var b bytes.Buffer
		if err := m.Convert([]byte("x "+CodeSpan(s)+" y"), &b); err != nil {
			t.Fatal(err)
		}
		want := "<p>x  y</p>\n"
		if s != "" {
			want = "<p>x <code>" + strings.ReplaceAll(cleanText(s), "\n", " ") + "</code> y</p>\n"
		}
		if got := html.UnescapeString(b.String()); got != want {
			t.Errorf("CodeSpan(%q) = %q: rendered %q, want %q", s, CodeSpan(s), got, want)
		}
	})
}
