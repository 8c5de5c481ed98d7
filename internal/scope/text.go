package scope

import (
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/tree"
)

// text is a page of a group, by what stands on it outside of the bodies of regions.
type text struct {
	group *tree.Group
	side  *tree.Side
	plain string // as it is
	links string // with escapes undone, as destinations have them
}

// readPages takes the hand-written text of all pages.
func (s *Scope) readPages() {
	for _, g := range s.tree.Groups {
		for _, side := range g.Sides {
			if side.Page == nil {
				continue
			}
			t := &text{group: g, side: side, plain: handWritten(side)}
			t.links = unescaped(t.plain)
			s.pages = append(s.pages, t)
		}
	}
}

// handWritten is a page without the lines between the markers of its regions. Behind a
// faulty marker nobody knows, so then it is all of the page.
func handWritten(side *tree.Side) string {
	if len(side.Page.Regions) == 0 || len(side.Page.Problems) > 0 {
		return string(side.Src)
	}
	var b strings.Builder
	regions := side.Page.Regions
	n := 0
	for line := range strings.Lines(string(side.Src)) {
		n++
		for len(regions) > 0 && regions[0].End <= n {
			regions = regions[1:]
		}
		if len(regions) == 0 || n <= regions[0].Line {
			b.WriteString(line)
		}
	}
	return b.String()
}

// unescaped undoes what may stand between the name of a file and how a link spells it.
func unescaped(text string) string {
	if !strings.ContainsAny(text, `\&%`) {
		return text
	}
	text = html.UnescapeString(strings.ReplaceAll(text, `\`, ""))
	var b strings.Builder
	for len(text) > 0 {
		i := strings.IndexByte(text, '%')
		if i < 0 || i+3 > len(text) {
			break
		}
		b.WriteString(text[:i])
		if c, err := url.PathUnescape(text[i : i+3]); err == nil {
			b.WriteString(c)
			text = text[i+3:]
		} else {
			b.WriteByte('%')
			text = text[i+1:]
		}
	}
	return b.String() + text
}

// names are words that are no single identifier, such as the names of files.
type names []string

// in reports whether a text has one of the names, not as the end of a longer one.
func (n names) in(text string) bool {
	for _, name := range n {
		for rest, at := text, 0; ; {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			before, _ := utf8.DecodeLastRuneInString(text[:at+i])
			if !isWord(before) && before != '-' {
				return true
			}
			at += i + 1
			rest = text[at:]
		}
	}
	return false
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) && r < 0x2E80 || unicode.IsDigit(r))
}

// hasWord reports whether a text has one of some identifiers as a word.
func hasWord(text string, words map[string]bool) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if words[word] {
			return true
		}
	}
	return false
}

// code is the part of a page in which names of the source are judged: code, comments and
// tags, and the headings that tell which command a flag is of.
func (t *text) code() string {
	page := &markdown.Page{Side: t.side, Group: t.group}
	doc := markdown.Alone(page, t.side.Src).Pages[0].Doc
	var b strings.Builder
	_ = ast.Walk(doc.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					b.Write(t.Segment.Value(doc.Source))
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Heading:
			b.Write(n.Lines().Value(doc.Source))
		case *ast.HTMLBlock, *ast.RawHTML:
			b.WriteString(doc.HTML(n).Text)
		}
		b.WriteByte('\n')
		return ast.WalkContinue, nil
	})
	return b.String()
}
