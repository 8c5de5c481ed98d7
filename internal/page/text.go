package page

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

const bom = "\ufeff"

// line gives the offsets of one source line: its text is src[start:end], its
// line ending src[end:next].
type line struct{ start, end, next int }

// text is a source split at LF, CRLF and lone CR, with a copy that knows only LF.
// A byte order mark belongs to no line.
type text struct {
	src   []byte
	lines []line
	norm  []byte // the lines, each ended by LF as far as it was ended at all
	at    []int  // offset of each line in norm
}

func newText(src []byte) text {
	pos := 0
	if bytes.HasPrefix(src, []byte(bom)) {
		pos = len(bom)
	}
	n := bytes.Count(src, []byte("\n")) + 1
	t := text{src: src, lines: make([]line, 0, n), at: make([]int, 0, n)}
	if bytes.IndexByte(src, '\r') < 0 {
		t.norm = src[pos:]
		for first := pos; pos < len(src); {
			l := line{start: pos, end: len(src), next: len(src)}
			if n := bytes.IndexByte(src[pos:], '\n'); n >= 0 {
				l.end, l.next = pos+n, pos+n+1
			}
			t.lines = append(t.lines, l)
			t.at = append(t.at, pos-first)
			pos = l.next
		}
		return t
	}
	t.norm = make([]byte, 0, len(src))
	for pos < len(src) {
		l := line{start: pos, end: len(src), next: len(src)}
		if n := bytes.IndexAny(src[pos:], "\r\n"); n >= 0 {
			l.end = pos + n
			l.next = l.end + 1
			if bytes.HasPrefix(src[l.end:], []byte("\r\n")) {
				l.next++
			}
		}
		t.lines = append(t.lines, l)
		t.at = append(t.at, len(t.norm))
		t.norm = append(t.norm, src[l.start:l.end]...)
		if l.next > l.end {
			t.norm = append(t.norm, '\n')
		}
		pos = l.next
	}
	return t
}

// line returns the text of line i without its line ending.
func (t text) line(i int) string {
	return string(t.src[t.lines[i].start:t.lines[i].end])
}

// lineAt returns the index of the line that an offset in norm lies on.
func (t text) lineAt(offset int) int {
	return sort.SearchInts(t.at, offset+1) - 1
}

// key recognizes the first line of YAML front matter that starts with an empty
// line; without it that is a thematic break.
var key = regexp.MustCompile(`^["']?[\pL_][^:]*:(\s|$)`)

// frontMatter returns the number of lines that front matter takes at the start of the text.
func (t text) frontMatter() int {
	_, n := CutFrontMatter(t.norm)
	return n
}

// CutFrontMatter returns what follows the YAML or TOML front matter of a page, and the
// number of lines that it takes. An opening line without a closing one is none. The text
// has no byte order mark and its lines end with LF.
func CutFrontMatter(src []byte) ([]byte, int) {
	fence, rest := cutLine(src)
	if fence != "---" && fence != "+++" {
		return src, 0
	}
	seen := false
	for n := 2; len(rest) > 0; n++ {
		var line string
		line, rest = cutLine(rest)
		if line == fence || fence == "---" && line == "..." {
			return rest, n
		}
		if !seen && line != "" {
			seen = true
			if n > 2 && fence == "---" && !key.MatchString(line) {
				return src, 0
			}
		}
	}
	return src, 0
}

// cutLine returns the first line without trailing blanks, and the rest.
func cutLine(src []byte) (string, []byte) {
	line, rest, _ := bytes.Cut(src, []byte("\n"))
	return strings.TrimRight(string(line), " \t"), rest
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
	n := len(newText(src[:pos+1]).lines)
	return fmt.Errorf("decode page: line %d: byte 0x%02x is not UTF-8: save the page as UTF-8", n, src[pos])
}
