package prose

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// join puts the source on one line, in place: each line break, with the blanks
// around it, becomes a space, or nothing where Chinese or Japanese text goes on.
// Blanks at the ends are dropped.
func (l *line) join() {
	w := 0
	for k := range l.segs {
		seg := &l.segs[k]
		start := w
		for i := seg.start; i < seg.end; {
			text := l.src[i:seg.end]
			if eol := bytes.IndexByte(text, '\n'); eol >= 0 {
				text = text[:eol]
			}
			w += copy(l.src[w:], text)
			i += len(text)
			if i == seg.end {
				break
			}
			for w > start && isBlank(l.src[w-1]) {
				w--
			}
			for i < seg.end && isBlank(l.src[i]) {
				i++
			}
			if spaceBetween(l.src[:w], l.src[i:]) {
				l.src[w] = ' '
				w++
			}
		}
		seg.start, seg.end = start, w
	}
	l.src = l.src[:w]
	if n := len(l.segs); n > 0 {
		first, last := &l.segs[0], &l.segs[n-1]
		for first.kind == plain && first.start < first.end && isBlank(l.src[first.start]) {
			first.start++
		}
		for last.kind == plain && last.start < last.end && isBlank(l.src[last.end-1]) {
			last.end--
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// A script says how a character stands beside a line break.
type script uint8

const (
	spaced   script = iota // words are set apart by spaces
	hangul                 // the same, also beside East Asian punctuation
	unspaced               // Han, kana and their kin: words are not set apart
	wide                   // East Asian punctuation: carries its own space
	shared                 // punctuation that Chinese and Western text share
)

// spaceBetween reports whether a line break between before and after stands for
// a space. Backticks and brackets are passed over: what they enclose decides.
func spaceBetween(before, after []byte) bool {
	left, beyondLeft := lastScripts(before)
	right, beyondRight, ok := firstScripts(after)
	if len(before) == 0 || !ok {
		return false
	}
	if left == hangul || right == hangul {
		return true
	}
	left, right = resolve(left, beyondLeft, right), resolve(right, beyondRight, left)
	return left != wide && right != wide && (left != unspaced || right != unspaced)
}

// resolve decides whose punctuation a shared mark is: East Asian if it touches
// East Asian text on either side.
func resolve(s, beyond, opposite script) script {
	if s != shared {
		return s
	}
	if beyond == unspaced || beyond == wide || opposite == unspaced || opposite == wide {
		return wide
	}
	return spaced
}

// lastScripts returns the script of the last character of s, and of the one
// before it.
func lastScripts(s []byte) (last, beyond script) {
	for n := 0; len(s) > 0; {
		r, size := utf8.DecodeLastRune(s)
		s = s[:len(s)-size]
		if isPassedOver(r) {
			continue
		}
		if n == 0 {
			last = scriptOf(r)
			if last != shared {
				return last, spaced
			}
			n++
		} else if beyond = scriptOf(r); beyond != shared {
			return last, beyond
		}
	}
	return last, beyond
}

// firstScripts does the same for the first characters of s; ok is false when
// there is nothing but white space.
func firstScripts(s []byte) (first, beyond script, ok bool) {
	for n := 0; len(s) > 0; {
		r, size := utf8.DecodeRune(s)
		s = s[size:]
		if r < utf8.RuneSelf && isBlank(byte(r)) {
			if n > 0 {
				break
			}
			continue
		}
		ok = true
		if isPassedOver(r) {
			continue
		}
		if n == 0 {
			first = scriptOf(r)
			if first != shared {
				return first, spaced, true
			}
			n++
		} else if beyond = scriptOf(r); beyond != shared {
			break
		}
	}
	return first, beyond, ok
}

// isPassedOver reports whether r leaves the decision to its neighbour: markup,
// and marks that combine with the character before them.
func isPassedOver(r rune) bool {
	return r == '`' || r == '[' || r == ']' || r >= 0x300 && unicode.Is(unicode.Mn, r)
}

func scriptOf(r rune) script {
	switch {
	case r < 0x1100:
		if r == '·' {
			return shared
		}
		return spaced
	case r == '—' || r == '―' || r == '‘' || r == '’' || r == '“' || r == '”' || r == '‥' || r == '…' || r == '⸺':
		return shared
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case isWidePunct(r):
		return wide
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo),
		0x3001 <= r && r <= 0x33FF, // signs and letters that scripts share, such as the long vowel mark
		0xFF01 <= r && r <= 0xFF9F, // full-width letters and digits
		0xFFE0 <= r && r <= 0xFFE6: // full-width currency signs
		return unspaced
	}
	return spaced
}

// isWidePunct reports whether r is Chinese or Japanese punctuation.
func isWidePunct(r rune) bool {
	switch {
	case 0x3000 <= r && r <= 0x3003, 0x3008 <= r && r <= 0x3011, 0x3014 <= r && r <= 0x301F,
		r == 0x3030, r == 0x303D, r == 0x30A0, r == 0x30FB,
		0xFE10 <= r && r <= 0xFE1F, 0xFE30 <= r && r <= 0xFE4F, 0xFE50 <= r && r <= 0xFE6F,
		0xFF01 <= r && r <= 0xFF0F, 0xFF1A <= r && r <= 0xFF20,
		0xFF3B <= r && r <= 0xFF40, 0xFF5B <= r && r <= 0xFF65:
		return true
	}
	return false
}
