package section

import (
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// fill gives a section its text, blocks and comments.
func (d *document) fill(s *Section) {
	dropped := map[int]bool{}
	d.fillBlocks(s, dropped)
	for _, in := range d.inner {
		if s.start <= in.line && in.line < s.end {
			s.Abouts = append(s.Abouts, About{
				Line: in.line + 1, Words: in.words, Block: -1,
				Fault: "it stands inside another block; put it alone on its line, at the start of that line, before a paragraph, list or table",
			})
		}
	}
	d.fillText(s, dropped)
	if s.Line == 0 {
		s.Line = 1
		if len(s.Lines) > 0 {
			s.Line = s.Lines[0]
		}
	}
}

// fillText keeps the lines that count. With a dropped comment go the blank lines behind
// it, where one before it stays.
func (d *document) fillText(s *Section, dropped map[int]bool) {
	var kept []string
	behind := false
	for i := s.start; i < s.end; i++ {
		if end, ok := d.body(i); ok {
			i = end - 1
			continue
		}
		if d.quoted[i] {
			continue
		}
		if dropped[i] {
			behind = true
			continue
		}
		line := strings.TrimRight(d.line(i), " \t")
		if line == "" && (len(kept) == 0 || behind && kept[len(kept)-1] == "") {
			continue
		}
		behind = false
		kept = append(kept, line)
		s.Lines = append(s.Lines, i+1)
	}
	for len(kept) > 0 && kept[len(kept)-1] == "" {
		kept = kept[:len(kept)-1]
	}
	s.Lines = s.Lines[:len(kept)]
	if len(kept) > 0 {
		s.Text = strings.Join(kept, "\n") + "\n"
	}
}

// fillBlocks collects blocks and comments, and the lines of the latter.
func (d *document) fillBlocks(s *Section, dropped map[int]bool) {
	var waiting []int // comments that wait for their block
	fail := func(why string) {
		for _, i := range waiting {
			s.Abouts[i].Fault = why
		}
		waiting = nil
	}
	for i, n := range d.nodes {
		if n.line < s.start || n.line >= s.end {
			continue
		}
		last := d.lastLine(i, s.end)
		switch {
		case n.isAbout:
			a := About{Line: n.line + 1, Words: n.words, Block: -1}
			if d.textBehind(n.line, last) {
				a.Fault = "text behind the comment makes it void; leave the comment alone on its line"
			} else {
				waiting = append(waiting, len(s.Abouts))
				for l := n.line; l <= last; l++ {
					dropped[l] = true
				}
			}
			s.Abouts = append(s.Abouts, a)
		case d.isMarker(n.line):
			fail("it stands before a generated region; put it before a paragraph, list or table")
		case isComment(n.Node) || n.Kind() == ast.KindLinkReferenceDefinition || n.Kind() == ast.KindHeading:
		default:
			s.Blocks = append(s.Blocks, Block{n.line + 1, last + 1})
			switch n.Kind() {
			case ast.KindParagraph, ast.KindList, extast.KindTable:
				for _, w := range waiting {
					s.Abouts[w].Block = len(s.Blocks) - 1
				}
				waiting = nil
			default:
				fail("it stands before a block of another kind; put it before a paragraph, list or table")
			}
		}
	}
	fail("nothing follows it in its section; put it before a paragraph, list or table")
}

// lastLine is the index of the last line of a node: blank lines behind it do not count.
func (d *document) lastLine(i, end int) int {
	if i+1 < len(d.nodes) {
		end = min(end, max(d.nodes[i+1].line, d.nodes[i].line+1))
	}
	for l := d.nodes[i].line + 1; l < end; l++ {
		if _, ok := d.body(l); ok || d.isMarker(l) {
			end = l
		}
	}
	for end-1 > d.nodes[i].line && strings.TrimSpace(d.line(end-1)) == "" {
		end--
	}
	return end - 1
}

func (d *document) textBehind(from, to int) bool {
	var text strings.Builder
	for i := from; i <= to; i++ {
		text.WriteString(d.line(i) + "\n")
	}
	_, behind, _ := strings.Cut(text.String(), "-->")
	return strings.TrimSpace(behind) != ""
}

// aboutWords reads the comment that an HTML block or tag is.
func aboutWords(text string) ([]string, bool) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "<!--")
	if !ok {
		return nil, false
	}
	inner, _, ok = strings.Cut(inner, "-->")
	words := strings.Fields(inner)
	if !ok || len(words) == 0 || words[0] != "about" {
		return nil, false
	}
	return words[1:], true
}

// htmlText is the source of an HTML block, and empty for any other node.
func htmlText(n ast.Node, src []byte) string {
	block, ok := n.(*ast.HTMLBlock)
	if !ok {
		return ""
	}
	text := string(block.Lines().Value(src))
	if block.HasClosure() {
		text += string(block.ClosureLine.Value(src))
	}
	return text
}

func isComment(n ast.Node) bool {
	block, ok := n.(*ast.HTMLBlock)
	return ok && block.HTMLBlockType == ast.HTMLBlockType2
}

// anchorOnly matches text that has anchor tags and nothing that a reader sees.
var anchorOnly = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*<a\s(\s|[^<>]*>|</a>|<a\s)*$`) })

// isAnchor reports whether a block is one or more anchors and nothing else.
func isAnchor(n node, src []byte) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindHTMLBlock:
		return anchorOnly().Match(n.Lines().Value(src))
	}
	return false
}

// plainText is the text of a heading without its markup. Few headings have any.
func plainText(raw string) string {
	raw = strings.TrimSpace(raw)
	if !strings.ContainsAny(raw, "\\`*_&<>![]\n") {
		return raw
	}
	src := []byte(raw)
	root := parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 0)),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	).Parse(gmtext.NewReader(src))
	var b strings.Builder
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(n.Segment.Value(src)))))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}
