package prose

import (
	"bytes"
	"slices"
)

// markBlockStart marks the character at the start of the line that would make
// the line anything but a paragraph. What mark sees to is left to it.
func (l *line) markBlockStart() {
	if len(l.buf) == 0 || l.mask[0]&verbatim != 0 {
		return
	}
	switch c := l.buf[0]; c {
	case '#':
		if n := l.runEnd(0); n <= 6 && l.blankAt(n) {
			l.escape(0)
		}
	case '>':
		l.escape(0)
	case '-', '+', '*', '_':
		if c != '_' && l.blankAt(1) || c != '+' && l.isRule() {
			l.escape(0)
		}
	case '~':
		if n := l.runEnd(0); n >= 3 {
			for i := range n {
				l.escape(i)
			}
		}
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n := 1
		for n < len(l.buf) && isDigit(l.buf[n]) {
			n++
		}
		if n <= 9 && n < len(l.buf) && (l.buf[n] == '.' || l.buf[n] == ')') && l.blankAt(n+1) {
			l.escape(n)
		}
	}
}

// markClosingHashes marks the number signs at the end of a heading's text that
// would be dropped as its closing sequence.
func (l *line) markClosingHashes() {
	text := bytes.TrimRight(l.buf, "#")
	n := len(text)
	if n < len(l.buf) && l.mask[n]&verbatim == 0 && (n == 0 || isBlank(text[n-1])) {
		l.escape(n)
	}
}

// blankAt reports whether there is a blank or nothing at i.
func (l *line) blankAt(i int) bool { return i == len(l.buf) || isBlank(l.buf[i]) }

// isRule reports whether the line is a thematic break, if need be with the
// bullet of a list item in front of it.
func (l *line) isRule() bool {
	n := 0
	for _, c := range l.buf {
		switch {
		case c == l.buf[0]:
			n++
		case !isBlank(c):
			return false
		}
	}
	return n >= 3 || n == 2 && l.buf[0] == '-'
}

// isAddress reports whether the literal text around i, a colon or a full stop,
// is the start of an address that GitHub makes a link of by itself.
func (l *line) isAddress(i int) bool {
	if l.buf[i] == ':' {
		return bytes.HasPrefix(l.buf[i:], []byte("://"))
	}
	return i >= 3 && bytes.EqualFold(l.buf[i-3:i], []byte("www"))
}

// breakAddresses marks the colon or the full stop of each address that holds an
// escape or Markdown of ours: GitHub would show those as part of the address.
func (l *line) breakAddresses() {
	dirty := false // between here and the next blank
	for i, c := range slices.Backward(l.buf) {
		switch {
		case isBlank(c):
			dirty = false
		case l.mask[i]&(verbatim|escaped) != 0:
			dirty = true
		case dirty && (c == ':' || c == '.') && l.isAddress(i):
			l.escape(i)
		}
	}
}
