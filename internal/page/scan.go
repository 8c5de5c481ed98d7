package page

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
)

// heading is a heading that is a child of the document.
type heading struct{ order, level int }

// rawHTML is one HTML block, or one tag or comment in prose.
type rawHTML struct {
	text  string
	parts []part
}

// part says on which line of the page the text of a rawHTML goes on at offset.
type part struct{ offset, line int }

func (r rawHTML) lineAt(offset int) int {
	i := sort.Search(len(r.parts), func(i int) bool { return r.parts[i].offset > offset })
	return r.parts[i-1].line
}

// scan collects what matters of a document, in document order.
type scan struct {
	text     *Text
	order    int
	markers  []marker
	headings []heading
	raw      []rawHTML // only with inlines
	inlines  bool      // the inlines of blocks are parsed too
	doubtful bool      // a line of prose reads as a marker; only its inlines tell
}

// scanText parses a text. The blocks are enough for nearly every page, and inlines are what
// takes the time.
func scanText(t *Text) *scan {
	s := scanWith(t, false)
	if s.doubtful {
		s = scanWith(t, true)
	}
	return s
}

func scanWith(t *Text, inlines bool) *scan {
	s := &scan{text: t, inlines: inlines}
	if len(t.norm) == 0 {
		return s
	}
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	if inlines {
		p.AddOptions(parser.WithInlineParsers(parser.DefaultInlineParsers()...))
	}
	doc := p.Parse(gmtext.NewReader(t.norm))
	// The walker never fails, so neither does the walk.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			s.node(n)
		}
		return ast.WalkContinue, nil
	})
	return s
}

func (s *scan) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		if isTop(n) {
			s.order++
			s.headings = append(s.headings, heading{s.order, n.Level})
		}
	case *ast.HTMLBlock:
		s.htmlBlock(n)
	case *ast.Paragraph, *ast.TextBlock:
		s.prose(n)
	case *ast.RawHTML:
		s.addRaw(n.Segments.Sliced(0, n.Segments.Len()))
	}
}

// htmlBlock looks for markers in an HTML block. A comment is a marker by its first
// line only; what its other lines say is a comment. Lines of other blocks are
// markers that the block swallows.
func (s *scan) htmlBlock(n *ast.HTMLBlock) {
	segments := n.Lines().Sliced(0, n.Lines().Len())
	if n.HasClosure() {
		segments = append(segments, n.ClosureLine)
	}
	s.addRaw(segments)
	m, ok := s.read(n, segments[0])
	if ok {
		s.addMarker(m)
	}
	if ok || n.HTMLBlockType == ast.HTMLBlockType2 {
		return
	}
	for _, seg := range segments[1:] {
		m, ok := s.read(n, seg)
		if !ok {
			continue
		}
		if m.block == nil {
			m.block = n
			m.fault = "marker inside an HTML block: end that block with a blank line or its closing tag before " + quote(m)
		}
		s.addMarker(m)
	}
}

// prose looks for lines of a paragraph that were meant to be markers: those with
// broken delimiters, and those whose indentation keeps them from being a block.
func (s *scan) prose(n ast.Node) {
	var inside map[int]bool
	lines := n.Lines()
	for i := range lines.Len() {
		m, ok := s.read(n, lines.At(i))
		if !ok {
			continue
		}
		if !s.inlines {
			s.doubtful = true
			return
		}
		if inside == nil {
			inside = s.continued(n)
		}
		if inside[m.line] {
			continue
		}
		if m.fault == "" {
			m.fault = "marker in a paragraph: write " + quote(m) + " alone on its line, after a blank line"
		}
		s.addMarker(m)
	}
}

// continued returns the lines that start within a code span or a tag or comment
// that an earlier line of the block began.
func (s *scan) continued(block ast.Node) map[int]bool {
	lines := make(map[int]bool)
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok && s.startsLine(t.Segment.Start) {
					lines[s.lineAt(t.Segment.Start)] = true
				}
			}
		case *ast.RawHTML:
			for i := 1; i < n.Segments.Len(); i++ {
				lines[s.lineAt(n.Segments.At(i).Start)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	return lines
}

// startsLine reports whether only white space stands on the line before offset.
// A code span cannot begin there, its backticks would come first.
func (s *scan) startsLine(offset int) bool {
	start := s.text.at[s.text.lineAt(offset)]
	return len(bytes.TrimSpace(s.text.norm[start:offset])) == 0
}

// read reads a line of a block as a marker and judges the place of the block.
func (s *scan) read(n ast.Node, seg gmtext.Segment) (marker, bool) {
	content := s.text.norm[seg.Start:seg.Stop]
	if !bytes.ContainsAny(content, "<>") {
		return marker{}, false // readMarker wants a delimiter of a comment
	}
	i := s.text.lineAt(seg.Start)
	if isTop(n) {
		content = s.text.line(i)
	} else {
		content = bytes.TrimSpace(content)
	}
	m, ok := readMarker(string(content))
	m.line = s.text.number(i)
	if ok && !isTop(n) {
		m.block = top(n)
		m.fault = "marker in a list or a block quote: move the region out of it, and start the line with " + quote(m)
	}
	return m, ok
}

func (s *scan) addMarker(m marker) {
	s.order++
	m.order = s.order
	s.markers = append(s.markers, m)
}

func (s *scan) addRaw(segments []gmtext.Segment) {
	if !s.inlines {
		return
	}
	var r rawHTML
	var b strings.Builder
	for _, seg := range segments {
		r.parts = append(r.parts, part{b.Len(), s.lineAt(seg.Start)})
		b.Write(s.text.norm[seg.Start:seg.Stop])
	}
	r.text = b.String()
	s.raw = append(s.raw, r)
}

// lineAt returns the index in the source of the line of an offset that goldmark gave.
func (s *scan) lineAt(offset int) int { return s.text.number(s.text.lineAt(offset)) }

func isTop(n ast.Node) bool {
	_, ok := n.Parent().(*ast.Document)
	return ok
}

// top returns the child of the document that holds n.
func top(n ast.Node) ast.Node {
	for !isTop(n) {
		n = n.Parent()
	}
	return n
}
