package prose

import (
	"go/doc/comment"
	"slices"
	"strings"
)

// A line is the inline content of one block on its way to one line of Markdown.
//
// It passes three forms: src holds the text as its author wrote it, cut into
// segs; buf holds what is to be written, without escapes, with a mask byte for
// each of its bytes; and appendTo writes buf with the escapes that mask asks for.
type line struct {
	src  []byte
	segs []segment

	buf    []byte
	mask   []byte
	italic bool // buf holds emphasis of our own

	link func(*comment.DocLink) string
}

// A segment is a part of a line's source. Segments cover the source in order,
// and no two plain ones are neighbours.
type segment struct {
	kind       segmentKind
	start, end int
	url        string           // of an explicit link
	doc        *comment.DocLink // of a doc link
}

type segmentKind uint8

const (
	plain    segmentKind = iota
	italic               // a word in italics
	autolink             // a bare URL
	link                 // a link in brackets, which belong to the segment
	docLink              // the same for a doc link
)

// Bits of a line's mask. A byte without any is literal text.
const (
	verbatim byte = 1 << iota // Markdown of ours: never escaped
	inLink                    // text of a link, where brackets need an escape
	escaped                   // needs a backslash
)

func (l *line) reset() {
	l.src, l.segs, l.buf, l.mask = l.src[:0], l.segs[:0], l.buf[:0], l.mask[:0]
	l.italic = false
}

// fill sets the line to lead, plain text, and nodes.
func (l *line) fill(lead string, nodes []comment.Text) {
	l.reset()
	if lead != "" {
		l.appendText(lead)
	}
	for _, n := range nodes {
		l.appendNode(n)
	}
	l.join()
	l.write(l.segs, 0)
}

// appendNode adds n to the source.
func (l *line) appendNode(n comment.Text) {
	start := len(l.src)
	switch n := n.(type) {
	case comment.Plain:
		l.appendText(string(n))
		return
	case comment.Italic:
		l.src = append(l.src, cleanText(string(n))...)
		l.segs = append(l.segs, segment{kind: italic, start: start, end: len(l.src)})
	case *comment.Link:
		if n.Auto && isAutolink(n.URL) && visible(n.Text) == n.URL {
			l.src = append(l.src, n.URL...)
			l.segs = append(l.segs, segment{kind: autolink, start: start, end: len(l.src)})
			return
		}
		l.appendBracketed(visible(n.Text))
		l.segs = append(l.segs, segment{kind: link, start: start, end: len(l.src), url: n.URL})
	case *comment.DocLink:
		l.appendBracketed(visible(n.Text))
		l.segs = append(l.segs, segment{kind: docLink, start: start, end: len(l.src), doc: n})
	}
}

// appendText adds plain text to the source.
func (l *line) appendText(s string) {
	start := len(l.src)
	l.src = append(l.src, cleanText(s)...)
	if n := len(l.segs); n > 0 && l.segs[n-1].kind == plain {
		l.segs[n-1].end = len(l.src)
		return
	}
	l.segs = append(l.segs, segment{start: start, end: len(l.src)})
}

func (l *line) appendBracketed(s string) {
	l.src = append(l.src, '[')
	l.src = append(l.src, cleanText(s)...)
	l.src = append(l.src, ']')
}

// endsIn reports whether the line ends in Markdown of ours that ends in c.
func (l *line) endsIn(c byte) bool {
	n := len(l.buf)
	return n > 0 && l.buf[n-1] == c && l.mask[n-1] == verbatim
}

func (l *line) literal(text []byte, m byte) {
	l.buf = append(l.buf, text...)
	l.extendMask(m)
}

// extendMask masks with m what has been appended to buf.
func (l *line) extendMask(m byte) {
	n := len(l.mask)
	l.mask = slices.Grow(l.mask, len(l.buf)-n)[:len(l.buf)]
	for i := range l.mask[n:] {
		l.mask[n+i] = m
	}
}

func (l *line) raw(text []byte) { l.literal(text, verbatim) }

// visible returns the text of nodes without their markup.
func visible(nodes []comment.Text) string {
	if len(nodes) == 1 {
		if p, ok := nodes[0].(comment.Plain); ok {
			return string(p)
		}
	}
	var b strings.Builder
	for _, n := range nodes {
		switch n := n.(type) {
		case comment.Plain:
			b.WriteString(string(n))
		case comment.Italic:
			b.WriteString(string(n))
		case *comment.Link:
			b.WriteString(visible(n.Text))
		case *comment.DocLink:
			b.WriteString(visible(n.Text))
		}
	}
	return b.String()
}

// cleanText returns s as CommonMark reads it: line breaks as "\n", U+FFFD for
// NUL and for what is not UTF-8.
func cleanText(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
