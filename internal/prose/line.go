package prose

import (
	"bytes"
	"go/doc/comment"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// write writes segs, with the mask m for their text. A run of backticks in
// plain text opens a code span if a run of the same length follows it in plain
// text; the span takes in the links between the two as they were written.
func (l *line) write(segs []segment, m byte) {
	var unpaired uint64 // lengths of runs without a second one, a bit each
	pos := 0
	for k := 0; k < len(segs); {
		seg := &segs[k]
		if seg.kind != plain {
			l.writeNode(seg, false)
			k++
			continue
		}
		from := max(pos, seg.start)
		tick := bytes.IndexByte(l.src[from:seg.end], '`')
		if tick < 0 {
			l.literal(l.src[from:seg.end], m)
			k++
			continue
		}
		tick += from
		n := runLen(l.src, tick, seg.end)
		bit := uint64(1) << min(n, 63)
		if unpaired&bit == 0 && !afterBackslash(l.src[from:tick]) {
			if end, last, ok := l.closing(segs, k, tick+n, n); ok {
				l.literal(l.src[from:tick], m)
				l.writeSpan(segs[k:last+1], tick, end, n, m)
				k, pos = last, end+n
				continue
			}
			if n < 63 {
				unpaired |= bit
			}
		}
		l.literal(l.src[from:tick+n], m)
		pos = tick + n
	}
}

// closing finds the run of n backticks that closes a span whose content starts
// at from in segs[k], and the segment it lies in.
func (l *line) closing(segs []segment, k, from, n int) (at, last int, ok bool) {
	for i := k; i < len(segs); i++ {
		if segs[i].kind != plain {
			continue
		}
		if at, ok := findRun(l.src, max(from, segs[i].start), segs[i].end, n); ok {
			return at, i, true
		}
	}
	return 0, 0, false
}

// writeSpan writes the code span between two runs of n backticks, which start
// at open and end. The runs lie in the first and the last of segs. A span that
// holds a link and nothing else is written as a link with code for its text.
func (l *line) writeSpan(segs []segment, open, end, n int, m byte) {
	content := l.src[open+n : end]
	if len(segs) == 3 && segs[1].start == open+n && segs[1].end == end && segs[1].kind >= link {
		l.writeNode(&segs[1], true)
		return
	}
	if before, after, found := cutMarker(content); found {
		l.writeBrokenMarker(content, before, after, m)
		return
	}
	if l.endsIn('`') {
		l.literal(content, m)
		return
	}
	l.raw(l.src[open : open+n])
	l.raw(content)
	l.raw(l.src[end : end+n])
}

// writeBrokenMarker writes a code span that holds a marker as two spans with a
// space between, so that the marker is read but not found.
func (l *line) writeBrokenMarker(content, before, after []byte, m byte) {
	if c := content; c[0] == ' ' && c[len(c)-1] == ' ' { // Markdown would drop these two
		before, after = before[1:], after[:len(after)-1]
	}
	l.writeCode(before, m)
	for {
		l.literal([]byte(" "), m)
		rest := after
		var found bool
		if before, after, found = cutMarker(rest); !found {
			l.writeCode(rest, m)
			return
		}
		l.writeCode(before, m)
	}
}

// writeNode writes a segment that is not plain; code asks for a link text that
// is all code.
func (l *line) writeNode(seg *segment, code bool) {
	src := l.src[seg.start:seg.end]
	switch seg.kind {
	case italic:
		l.writeItalic(src)
	case autolink:
		l.raw([]byte{'<'})
		l.raw(src)
		l.raw([]byte{'>'})
	case link:
		text := src[1 : len(src)-1]
		if len(bytes.TrimSpace(text)) == 0 {
			return
		}
		l.raw([]byte{'['})
		if code {
			l.writeCode(text, inLink)
		} else {
			inner := [1]segment{{start: seg.start + 1, end: seg.end - 1}}
			l.write(inner[:], inLink)
		}
		l.writeDest(seg.url)
	case docLink:
		text := src[1 : len(src)-1]
		if len(text) == 0 {
			return
		}
		var href string
		if l.link != nil {
			href = l.link(seg.doc)
		}
		if href == "" {
			l.writeCode(text, 0)
			return
		}
		l.raw([]byte{'['})
		l.writeCode(text, inLink)
		l.writeDest(href)
	}
}

// writeItalic writes text in italics, or as plain text where the delimiters
// would not be seen as such.
func (l *line) writeItalic(text []byte) {
	first, _ := utf8.DecodeRune(text)
	last, _ := utf8.DecodeLastRune(text)
	if l.endsIn('*') || !isWord(first) || !isWord(last) {
		l.literal(text, 0)
		return
	}
	l.italic = true
	l.raw([]byte{'*'})
	l.literal(text, 0)
	l.raw([]byte{'*'})
}

// writeCode writes a code span that shows text, or plain text where the span
// would merge with one just before it.
func (l *line) writeCode(text []byte, m byte) {
	if l.endsIn('`') {
		l.literal(text, m)
		return
	}
	l.buf = appendCodeSpan(l.buf, text)
	l.extendMask(verbatim)
}

func (l *line) writeDest(url string) {
	l.raw([]byte("]("))
	l.buf = appendURL(l.buf, url)
	l.extendMask(verbatim)
	l.raw([]byte{')'})
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

// afterBackslash reports whether s ends in a backslash that is not itself
// preceded by one that escapes it.
func afterBackslash(s []byte) bool {
	return (len(s)-len(bytes.TrimRight(s, `\`)))%2 == 1
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
