package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789ABCDEF"

// LinkDest returns how a Markdown link names path, a relative path with slashes,
// or a fragment without its number sign. What a URL or Markdown would read
// otherwise is percent-encoded, a percent sign and a number sign too; letters of
// every script are kept.
func LinkDest(path string) string {
	plain := 0
	for plain < len(path) && isPathByte(path[plain]) {
		plain++
	}
	if plain == len(path) {
		return path
	}
	dst := []byte(path[:plain])
	for i := plain; i < len(path); {
		r, size := utf8.DecodeRuneInString(path[i:])
		switch {
		case r < utf8.RuneSelf && isPathByte(byte(r)),
			r >= utf8.RuneSelf && r != utf8.RuneError && unicode.IsPrint(r):
			dst = append(dst, path[i:i+size]...)
		default:
			for _, c := range []byte(path[i : i+size]) {
				dst = appendPercent(dst, c)
			}
		}
		i += size
	}
	return string(dst)
}

// isPathByte reports whether c stands for itself in a path, in a URL and in a
// link destination.
func isPathByte(c byte) bool {
	switch c {
	case '-', '.', '_', '~', '/', '!', '$', '\'', '*', '+', ',', ';', '=', '@':
		return true
	}
	return isAlnum(c)
}

// appendURL appends url, a URL reference, as a link destination. A character
// that no URL may hold is percent-encoded; one that Markdown would take for
// syntax is escaped. The result of [LinkDest] passes unchanged.
func appendURL(dst []byte, url string) []byte {
	balanced := parensBalance(url)
	for i := 0; i < len(url); {
		r, size := utf8.DecodeRuneInString(url[i:])
		c := url[i]
		switch {
		case r == utf8.RuneError && size == 1, c <= ' ', c == 0x7F, c == '<', c == '>', c == '`', c == '\\':
			dst = appendPercent(dst, c)
		case (c == '(' || c == ')') && !balanced:
			dst = append(dst, '\\', c)
		case c == '&' && isEntity([]byte(url[i:])):
			dst = append(dst, "&amp;"...)
		default:
			dst = append(dst, url[i:i+size]...)
		}
		i += size
	}
	return dst
}

func parensBalance(s string) bool {
	const deepest = 32 // deeper nesting is more than every parser takes
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 || depth > deepest {
			return false
		}
	}
	return depth == 0
}

// isAutolink reports whether <url> is an autolink that shows url in every
// parser; some resolve entities in it, some do not.
func isAutolink(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok || len(scheme) < 2 || len(scheme) > 32 || !isLetter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isAlnum(c) && c != '+' && c != '.' && c != '-' {
			return false
		}
	}
	for i := range len(url) {
		switch c := url[i]; {
		case c <= ' ', c == 0x7F, c == '<', c == '>', c == '\\', c == '`',
			c == '&' && isEntity([]byte(url[i:])):
			return false
		}
	}
	return utf8.ValidString(url)
}

func appendPercent(dst []byte, c byte) []byte {
	return append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isLetter(c) || isDigit(c) }
