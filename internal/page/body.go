package page

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/util"
)

// body is what stands between two markers and can be left out when a page is parsed,
// provided that the first of them is a marker: then so is the second, and the parser is
// behind it in the state in which it was before the body.
type body struct {
	begin      int // index of the line of the BEGIN marker
	lines      int // number of lines of the body
	start, end int // offsets in the source
	defines    bool
}

// findBodies returns the bodies that can be left out. Most of the text of many pages stands
// in them, and reading lines is much cheaper than parsing Markdown. Whether a BEGIN is a
// marker is for the parser to say.
func findBodies(s *source) []body {
	var bodies []body
	number, counted := s.front, s.behind
	for pos := s.behind; ; {
		i := bytes.Index(s.src[pos:], []byte("<!-- "+beginWords))
		if i < 0 {
			return bodies
		}
		pos += i
		if !s.startsLine(pos) {
			pos++
			continue
		}
		begin := s.line(pos)
		pos = begin.next
		if m, ok := readMarker(string(s.text(begin))); !ok || m.end || m.fault != "" {
			continue
		}
		scan := bodyScan{source: s}
		end, ok := scan.run(begin.next)
		if pos = end; !ok {
			continue
		}
		number += countLines(s.src[counted:begin.start])
		b := body{begin: number, start: begin.next, end: end, defines: scan.defines}
		b.lines = countLines(s.src[b.start:b.end])
		number += 1 + b.lines
		counted = b.end
		bodies = append(bodies, b)
	}
}

// bodyScan reads the lines of a body. It knows only where code fences and HTML begin that
// are children of the document: what stands in a list, a quote or a paragraph ends at the
// END marker whatever it is. Whatever it is not certain of ends the scan.
type bodyScan struct {
	*source
	visit   func(text []byte) // gets each line that is in no fence; may be nil
	inHTML  bool              // the line before may begin an HTML block
	defines bool              // a line may define a reference
}

// run scans from the line behind a BEGIN marker to an END marker and returns the offset at
// which that line starts. The result is false where the body cannot be left out; the offset
// then is one from which to look for another marker.
func (b *bodyScan) run(pos int) (int, bool) {
	for pos < len(b.src) {
		l := b.line(pos)
		text := b.text(l)
		switch {
		case util.IsBlank(text): // it ends a block of HTML
		case b.inHTML:
			return pos, false
		case bytes.HasPrefix(text, []byte("<!--")):
			m, ok := readMarker(string(text))
			return pos, ok && m.end && m.fault == ""
		case bytes.HasPrefix(text, []byte("```")):
			next, ok := b.fence(l)
			if !ok {
				return next, false
			}
			pos = next
			continue
		case !isHarmless(text):
			return pos, false
		}
		b.inHTML = bytes.HasPrefix(text, []byte("<"))
		b.defines = b.defines || bytes.Contains(text, []byte("]:"))
		if b.visit != nil {
			b.visit(text)
		}
		pos = l.next
	}
	return pos, false
}

// fence returns the offset behind the code fence that a line opens.
func (b *bodyScan) fence(open line) (int, bool) {
	text := b.text(open)
	info := bytes.TrimLeft(text, "`")
	if bytes.IndexByte(info, '`') >= 0 {
		return open.start, false
	}
	run := text[:len(text)-len(info)]
	for pos := open.next; ; {
		i := bytes.Index(b.src[pos:], run)
		if i < 0 {
			return len(b.src), false
		}
		pos += i
		start := pos
		for start > open.next && b.src[start-1] == ' ' {
			start--
		}
		for pos < len(b.src) && b.src[pos] == '`' {
			pos++
		}
		if !b.startsLine(start) || bytes.IndexByte(b.src[start:min(start+4, pos)], '`') < 0 {
			continue
		}
		if l := b.line(start); util.IsBlank(b.src[pos:l.end]) {
			return l.next, true
		}
	}
}

// isHarmless reports whether a line that is neither blank nor a fence begins nothing that
// reaches beyond the next line, but for lists, quotes and paragraphs, and whether it
// cannot be a marker.
func isHarmless(text []byte) bool {
	width, pos := util.IndentWidth(text, 0)
	first := text[pos]
	if first < ' ' || isRule(text[pos:]) {
		return false
	}
	switch first {
	case '<':
		// With another tag behind it that is a paragraph, alone it is a block.
		if width > 0 || !bytes.HasPrefix(text, []byte("<a id=\"")) {
			return false
		}
		if bytes.HasSuffix(text, []byte("</a>")) && !bytes.Contains(text, []byte("-->")) {
			return true // readMarker wants a delimiter of a comment
		}
	case '`', '~':
		if width < 4 && bytes.HasPrefix(text[pos:], bytes.Repeat([]byte{first}, 3)) {
			return false
		}
	}
	if bytes.IndexByte(text, '<') < 0 && bytes.IndexByte(text, '>') < 0 {
		return true // readMarker wants a delimiter of a comment
	}
	if inContainer(text) {
		return !mentions(text)
	}
	_, ok := readMarker(string(text))
	return !ok
}

// inContainer reports whether a line may be part of a list, a quote or a block of code, so
// that some part of it is a line there.
func inContainer(text []byte) bool {
	return strings.IndexByte(" \t-+*>0123456789", text[0]) >= 0
}

// isRule reports whether a line may be a thematic break, the bar of a heading or an empty
// item of a list.
func isRule(text []byte) bool {
	return len(bytes.Trim(text, "-=*_+> \t")) == 0
}

// mentions reports whether a line may have the words of a marker. One slip of the keyboard
// leaves one of three parts of them as it is.
func mentions(text []byte) bool {
	s := strings.ToLower(withoutSpace(string(text)))
	return strings.Contains(s, "gener") || strings.Contains(s, "atedc") || strings.Contains(s, "atalog")
}
