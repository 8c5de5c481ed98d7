package prose

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

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

// afterBackslash reports whether s ends in a backslash that is not itself
// preceded by one that escapes it.
func afterBackslash(s []byte) bool {
	return (len(s)-len(bytes.TrimRight(s, `\`)))%2 == 1
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
