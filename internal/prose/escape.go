package prose

import (
	"bytes"
	"html"
	"unicode/utf8"
)

// signs is what mark must know of a whole line to judge one character.
type signs struct {
	any         bool // there may be something to escape
	address     bool // there may be something that GitHub links by itself
	bracket     int  // last "]" of the text, or -1
	inline      int  // last "](" of the text, or -1
	greater     int  // last ">", or -1
	first, last [3]int
}

// mark marks each literal character that Markdown would not show as it is.
func (l *line) mark() {
	s := l.survey()
	if s.any {
		l.markSigns(&s)
	}
	if s.address {
		l.breakAddresses()
	}
}

// markSigns marks the characters that have a meaning of their own.
func (l *line) markSigns(s *signs) {
	for i := 0; i < len(l.buf); i++ {
		if l.mask[i]&verbatim != 0 {
			continue
		}
		esc := false
		switch c := l.buf[i]; c {
		case '`':
			esc = true
		case '\\':
			esc = i+1 == len(l.buf) || isPunct(l.buf[i+1])
		case '*', '_', '~':
			i = l.markDelimiters(i, s) - 1
			continue
		case '[':
			esc = l.mask[i]&inLink != 0 || l.opensBracket(i, s)
		case ']':
			esc = l.mask[i]&inLink != 0
		case '!':
			esc = i+1 < len(l.buf) && l.buf[i+1] == '[' && l.mask[i+1]&verbatim != 0
		case '<':
			esc = l.opensTag(i, s)
			if esc && bytes.HasPrefix(l.buf[i:], []byte("<!--")) {
				i = l.escape(i)
			}
		case '&':
			esc = isEntity(l.buf[i:])
		}
		if esc {
			l.escape(i)
		}
	}
}

// escape marks the byte at i and returns the next.
func (l *line) escape(i int) int {
	l.mask[i] |= escaped
	return i + 1
}

// survey reads the line once.
func (l *line) survey() signs {
	s := signs{bracket: -1, inline: -1, greater: -1, first: [3]int{-1, -1, -1}, last: [3]int{-1, -1, -1}}
	for i := 0; i < len(l.buf); i++ {
		c := l.buf[i]
		if c == '>' {
			s.greater = i
		}
		if l.mask[i]&verbatim != 0 {
			continue
		}
		switch c {
		case '\\', '`', '[', '!', '<', '&':
			s.any = true
		case ']':
			s.any = true
			s.bracket = i
			if i+1 < len(l.buf) && l.buf[i+1] == '(' {
				s.inline = i
			}
		case '*', '_', '~':
			s.any = true
			end := l.runEnd(i)
			opens, closes := l.flanks(i, end)
			d := delimiter(c)
			if opens && s.first[d] < 0 {
				s.first[d] = i
			}
			if closes {
				s.last[d] = i
			}
			i = end - 1
		case ':', '.':
			s.address = s.address || l.isAddress(i)
		}
	}
	return s
}

// opensBracket reports whether the bracket at i may open a link: inline, or by
// reference to a definition that the page holds. Behind a letter, a digit or an
// underscore it is an index or a type argument, and a page that defines that as
// a label is not expected; but Chinese and Japanese words are not set apart.
func (l *line) opensBracket(i int, s *signs) bool {
	if s.bracket < i {
		return false
	}
	if i < s.inline {
		return true
	}
	if i+2 < len(l.buf) && l.buf[i+1] == ']' && l.buf[i+2] != '[' {
		return false
	}
	if i+2 == len(l.buf) { // "[]" at the end
		return false
	}
	r, _ := utf8.DecodeLastRune(l.buf[:i])
	return i == 0 || l.buf[i+1] == '^' || r != '_' && (!isWord(r) || scriptOf(r) == unspaced)
}

// opensTag reports whether the angle bracket at i may start HTML, a mail address
// as a link, or a region's marker to those who search for it in the text.
func (l *line) opensTag(i int, s *signs) bool {
	if bytes.HasPrefix(l.buf[i:], []byte("<!--")) {
		return true
	}
	if i+1 == len(l.buf) || l.mask[i+1]&verbatim != 0 || i > 0 && s.greater < i {
		return false
	}
	if c := l.buf[i+1]; isLetter(c) || c == '/' || c == '!' || c == '?' {
		return true
	}
	stop := bytes.IndexAny(l.buf[i+1:], " <>@")
	return stop > 0 && l.buf[i+1+stop] == '@'
}

// isEntity reports whether s starts with a character reference.
func isEntity(s []byte) bool {
	const longest = 40 // no name is longer
	end := bytes.IndexByte(s[:min(len(s), longest)], ';')
	if end < 2 {
		return false
	}
	ref := string(s[:end+1])
	if ref[1] == '#' {
		digits := ref[2:end]
		if digits != "" && digits[0]|0x20 == 'x' {
			digits = digits[1:]
		}
		for i := range len(digits) {
			if !isDigit(digits[i]) && (digits[i]|0x20 < 'a' || 'f' < digits[i]|0x20) {
				return false
			}
		}
		return digits != ""
	}
	for i := 1; i < end; i++ {
		if !isAlnum(ref[i]) {
			return false
		}
	}
	return html.UnescapeString(ref) != ref
}

func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// appendTo appends the line with its escapes.
func (l *line) appendTo(dst []byte) []byte {
	wrote := 0
	for i, m := range l.mask {
		if m&escaped != 0 {
			dst = append(dst, l.buf[wrote:i]...)
			dst = append(dst, '\\')
			wrote = i
		}
	}
	return append(dst, l.buf[wrote:]...)
}
