package page

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"
)

const bom = "\ufeff"

// source is the bytes of a page. Its lines end at LF, CRLF or lone CR; a byte order mark
// belongs to no line.
type source struct {
	src    []byte
	start  int  // of the first line
	hasCR  bool // lines may end with CR
	front  int  // lines of front matter
	behind int  // the offset behind the front matter
}

func newSource(src []byte) source {
	s := source{src: src, hasCR: bytes.IndexByte(src, '\r') >= 0}
	if bytes.HasPrefix(src, []byte(bom)) {
		s.start = len(bom)
	}
	s.behind = s.start
	if opensFrontMatter(src[s.start:]) {
		_, s.front = CutFrontMatter(normalize(src[s.start:]))
		for range s.front {
			s.behind = s.line(s.behind).next
		}
	}
	return s
}

// line gives the offsets of one line of a source: its text is src[start:end], its line
// ending src[end:next].
type line struct{ start, end, next int }

// line returns the line that starts at an offset.
func (s *source) line(start int) line {
	l := line{start, len(s.src), len(s.src)}
	rest := s.src[start:]
	n := -1
	if s.hasCR {
		n = bytes.IndexAny(rest, "\r\n")
	} else {
		n = bytes.IndexByte(rest, '\n')
	}
	if n < 0 {
		return l
	}
	l.end, l.next = start+n, start+n+1
	if bytes.HasPrefix(rest[n:], []byte("\r\n")) {
		l.next++
	}
	return l
}

// text returns the text of a line without its line ending.
func (s *source) text(l line) []byte { return s.src[l.start:l.end] }

// ending returns the line ending of a line.
func (s *source) ending(l line) string { return string(s.src[l.end:l.next]) }

// startsLine reports whether a line starts at an offset.
func (s *source) startsLine(offset int) bool {
	return offset == s.start || s.src[offset-1] == '\n' || s.src[offset-1] == '\r'
}

// countLines returns the number of line endings.
func countLines(src []byte) int {
	n := bytes.Count(src, []byte("\n"))
	if bytes.IndexByte(src, '\r') >= 0 {
		n += bytes.Count(src, []byte("\r")) - bytes.Count(src, []byte("\r\n"))
	}
	return n
}

// normalize maps all line endings to LF. The result may be the argument.
func normalize(src []byte) []byte {
	if bytes.IndexByte(src, '\r') < 0 {
		return src
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// Text is what a Markdown parser is to see of a page: its lines, each ended by LF as far as
// it was ended at all, without byte order mark and front matter, and without the bodies of
// regions that were left out. It is read-only and safe for concurrent use.
type Text struct {
	norm    []byte
	at      []int   // offset of each line in norm
	pieces  []piece // where the lines come from, at least one
	defines bool    // something left out may define a reference
}

// piece is a run of lines that follow each other in the source as well.
type piece struct {
	first int // index of its first line in the text
	line  int // index of that line in the source
	start int // offset of that line in the source
}

// NewText returns the text of a page of which nothing is left out.
func NewText(src []byte) *Text {
	s := newSource(src)
	return newText(&s, nil)
}

// newText returns the text without the bodies, which are in the order of the source.
func newText(s *source, bodies []body) *Text {
	t := &Text{}
	var kept [][]byte
	pos, number := s.behind, s.front
	lines := 0
	keep := func(end int) {
		t.pieces = append(t.pieces, piece{lines, number, pos})
		part := normalize(s.src[pos:end])
		kept = append(kept, part)
		n := bytes.Count(part, []byte("\n"))
		lines += n
		number += n
		pos = end
	}
	for _, b := range bodies {
		keep(b.start)
		number += b.lines
		pos = b.end
		t.defines = t.defines || b.defines
	}
	keep(len(s.src))
	t.norm = kept[0]
	if len(kept) > 1 {
		t.norm = bytes.Join(kept, nil)
	}
	t.at = make([]int, 0, lines+1)
	for pos := 0; pos < len(t.norm); {
		t.at = append(t.at, pos)
		n := bytes.IndexByte(t.norm[pos:], '\n')
		if n < 0 {
			break
		}
		pos += n + 1
	}
	return t
}

// Bytes returns the lines. The caller must not change them.
func (t *Text) Bytes() []byte { return t.norm }

// Line returns the line of the page, counted from 1, that an offset lies on.
func (t *Text) Line(offset int) int { return t.number(max(t.lineAt(offset), 0)) + 1 }

// Lines returns the number of the last line.
func (t *Text) Lines() int {
	last := t.pieces[len(t.pieces)-1]
	return last.line + len(t.at) - last.first
}

// At returns a line of the page, counted from 1, without its line ending. It is empty for a
// line that does not exist or is left out.
func (t *Text) At(line int) []byte {
	k := sort.Search(len(t.pieces), func(k int) bool { return t.pieces[k].line > line-1 }) - 1
	if k < 0 {
		return nil
	}
	i, end := t.pieces[k].first+line-1-t.pieces[k].line, len(t.at)
	if k+1 < len(t.pieces) {
		end = t.pieces[k+1].first
	}
	if i >= end {
		return nil
	}
	return t.line(i)
}

// lineAt returns the index in the text of the line that an offset in norm lies on.
func (t *Text) lineAt(offset int) int {
	return sort.SearchInts(t.at, offset+1) - 1
}

// number returns the index in the source of a line of the text.
func (t *Text) number(i int) int {
	k := sort.Search(len(t.pieces), func(k int) bool { return t.pieces[k].first > i })
	p := t.pieces[k-1]
	return p.line + i - p.first
}

// line returns a line of the text without its line ending.
func (t *Text) line(i int) []byte {
	end := len(t.norm)
	if i+1 < len(t.at) {
		end = t.at[i+1]
	}
	return bytes.TrimSuffix(t.norm[t.at[i]:end], []byte("\n"))
}

// spans finds the marker lines of pairs, which are in the order of the source.
func (t *Text) spans(s *source, pairs []pair) []span {
	spans := make([]span, len(pairs))
	next, number, start := 0, 0, 0
	seek := func(want int) line {
		for ; next < len(t.pieces) && t.pieces[next].line <= want; next++ {
			number, start = t.pieces[next].line, t.pieces[next].start
		}
		for ; number < want; number++ {
			start = s.line(start).next
		}
		return s.line(start)
	}
	for i, p := range pairs {
		spans[i] = span{seek(p.begin.line), seek(p.end.line)}
	}
	return spans
}

// checkUTF8 returns an error that says where the text stops being UTF-8.
func checkUTF8(src []byte) error {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return errors.New("decode page: the text is UTF-16: save the page as UTF-8")
	}
	if utf8.Valid(src) {
		return nil
	}
	pos := 0
	for {
		r, size := utf8.DecodeRune(src[pos:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		pos += size
	}
	return fmt.Errorf("decode page: line %d: byte 0x%02x is not UTF-8: save the page as UTF-8", countLines(src[:pos])+1, src[pos])
}
