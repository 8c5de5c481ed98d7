package prose

import (
	"bytes"
	"slices"
	"strings"
)

// AppendFence appends a fenced code block to dst, without a line break behind it.
// Its content are texts with an empty line between one and the next. The fence is
// one backtick longer than the longest run of backticks in the content, and at
// least three. Content is kept to the byte; only a line break is added where its
// last line has none. The info string must not hold a backtick.
func AppendFence[T ~string | ~[]byte](dst []byte, info string, texts ...T) []byte {
	start := len(dst)
	dst = appendTicks(dst, shortestFence)
	dst = append(dst, info...)
	dst = append(dst, '\n')
	content := len(dst)
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, "\n\n"...)
		}
		dst = append(dst, text...)
	}
	ticks := max(shortestFence, longestRun(dst[content:])+1)
	if len(dst) > content && dst[len(dst)-1] != '\n' {
		dst = append(dst, '\n')
	}
	if more := ticks - shortestFence; more > 0 {
		dst = slices.Insert(dst, start, bytes.Repeat([]byte{'`'}, more)...)
	}
	return appendTicks(dst, ticks)
}

const shortestFence = 3

// CodeSpan returns a code span that shows s: with backticks, spaces at its ends
// and vertical bars as they are. Line breaks show as spaces, since a code span
// cannot hold them, and s == "" gives "".
func CodeSpan(s string) string { return string(AppendCodeSpan(nil, s)) }

// AppendCodeSpan appends the code span of s to dst as [CodeSpan] returns it.
func AppendCodeSpan(dst []byte, s string) []byte {
	if s == "" {
		return dst
	}
	return appendCodeSpan(dst, strings.ReplaceAll(cleanText(s), "\n", " "))
}

// appendCodeSpan appends a code span that shows content exactly.
func appendCodeSpan[T string | []byte](dst []byte, content T) []byte {
	start := len(dst)
	dst = append(dst, content...)
	text := dst[start:]
	ticks := 1
	if bytes.IndexByte(text, '`') >= 0 {
		ticks = freeRun(text)
	}
	first, last := text[0], text[len(text)-1]
	pad := first == '`' || last == '`' ||
		first == ' ' && last == ' ' && len(bytes.Trim(text, " ")) > 0
	dst = appendTicks(dst[:start], ticks)
	if pad {
		dst = append(dst, ' ')
	}
	dst = append(dst, content...)
	if pad {
		dst = append(dst, ' ')
	}
	return appendTicks(dst, ticks)
}

// appendTicks appends a run of n backticks.
func appendTicks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '`')
	}
	return dst
}

// longestRun returns the length of the longest run of backticks in s.
func longestRun(s []byte) int {
	longest := 0
	for i := bytes.IndexByte(s, '`'); i >= 0; i = bytes.IndexByte(s, '`') {
		n := runLen(s, i, len(s))
		longest = max(longest, n)
		s = s[i+n:]
	}
	return longest
}

// freeRun returns the smallest length that no run of backticks in s has.
func freeRun(s []byte) int {
	for n := 1; ; n++ {
		if _, taken := findRun(s, 0, len(s), n); !taken {
			return n
		}
	}
}

// findRun returns the offset of the first run of exactly n backticks in
// s[from:to].
func findRun(s []byte, from, to, n int) (at int, ok bool) {
	for i := from; i < to; {
		j := bytes.IndexByte(s[i:to], '`')
		if j < 0 {
			return 0, false
		}
		i += j
		run := runLen(s, i, to)
		if run == n {
			return i, true
		}
		i += run
	}
	return 0, false
}

// runLen returns how often the byte at i repeats in s[i:to].
func runLen(s []byte, i, to int) int {
	n := 1
	for i+n < to && s[i+n] == s[i] {
		n++
	}
	return n
}

// cutMarker finds in s the opening of a region's marker, in any case and with
// any space inside. It returns the text up to the marker's keyword, the text
// after the space that follows it, and whether there was one.
func cutMarker(s []byte) (before, after []byte, found bool) {
	for i := 0; ; {
		j := bytes.Index(s[i:], []byte("<!--"))
		if j < 0 {
			return nil, nil, false
		}
		i += j + len("<!--")
		rest := bytes.TrimLeft(s[i:], " \t")
		word := len(rest) - len(bytes.TrimLeft(rest, "BEGINDbegind"))
		if w := rest[:word]; !bytes.EqualFold(w, []byte("BEGIN")) && !bytes.EqualFold(w, []byte("END")) {
			continue
		}
		after = bytes.TrimLeft(rest[word:], " \t")
		const name = "GENERATED"
		if len(after) == len(rest)-word || len(after) < len(name) || !bytes.EqualFold(after[:len(name)], []byte(name)) {
			continue
		}
		return s[:len(s)-len(rest)+word], after, true
	}
}
