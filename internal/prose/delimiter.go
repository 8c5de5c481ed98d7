package prose

import (
	"unicode"
	"unicode/utf8"
)

// delimiter returns the index of c in signs.first and signs.last: where the
// first run of c that may open emphasis starts, and the last that may close it.
func delimiter(c byte) int {
	switch c {
	case '*':
		return 0
	case '_':
		return 1
	}
	return 2
}

// markDelimiters marks the run at i if a run elsewhere could pair with it, and
// returns its end.
func (l *line) markDelimiters(i int, s *signs) int {
	end := l.runEnd(i)
	d := delimiter(l.buf[i])
	mixed := l.italic && l.buf[i] == '*'
	if !mixed && (s.first[d] < 0 || s.last[d] <= s.first[d]) {
		return end
	}
	opens, closes := l.flanks(i, end)
	if mixed && (opens || closes) || opens && i < s.last[d] || closes && s.first[d] < i {
		for j := i; j < end; j++ {
			l.escape(j)
		}
	}
	return end
}

// runEnd returns the end of the run of one literal character at i.
func (l *line) runEnd(i int) int {
	end := i + 1
	for end < len(l.buf) && l.buf[end] == l.buf[i] && l.mask[end]&verbatim == 0 {
		end++
	}
	return end
}

// flanks reports whether the run of delimiters in buf[start:end] may open and
// whether it may close emphasis or strikethrough. Where versions of CommonMark
// differ about a neighbour, both answers count.
func (l *line) flanks(start, end int) (opens, closes bool) {
	c := l.buf[start]
	if c == '~' && end-start > 2 {
		return false, false
	}
	before, after := kindBefore(l.buf[:start]), kindAfter(l.buf[end:])
	left := after&surelySpace == 0 && (after&surelyPunct == 0 || before&(maybeSpace|maybePunct) != 0)
	right := before&surelySpace == 0 && (before&surelyPunct == 0 || after&(maybeSpace|maybePunct) != 0)
	if c != '_' {
		return left, right
	}
	// Inside a word an underscore is just that.
	opens = left && before&(maybeSpace|maybePunct) != 0
	closes = right && after&(maybeSpace|maybePunct) != 0
	return opens, closes
}

// A neighbour says what kind of character stands beside a run of delimiters.
type neighbour uint8

const (
	surelySpace neighbour = 1 << iota
	maybeSpace
	surelyPunct
	maybePunct
)

func kindBefore(s []byte) neighbour {
	if len(s) == 0 {
		return surelySpace | maybeSpace
	}
	r, _ := utf8.DecodeLastRune(s)
	return kindOf(r)
}

func kindAfter(s []byte) neighbour {
	if len(s) == 0 {
		return surelySpace | maybeSpace
	}
	r, _ := utf8.DecodeRune(s)
	return kindOf(r)
}

func kindOf(r rune) neighbour {
	switch {
	case r == ' ', r == '\t', r == '\n':
		return surelySpace | maybeSpace
	case r < utf8.RuneSelf:
		if isPunct(byte(r)) {
			return surelyPunct | maybePunct
		}
		if isBlank(byte(r)) {
			return maybeSpace
		}
		return 0
	case unicode.IsSpace(r):
		return maybeSpace
	case unicode.IsPunct(r):
		return surelyPunct | maybePunct
	case unicode.IsSymbol(r):
		return maybePunct
	}
	return 0
}
