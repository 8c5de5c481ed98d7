package prose

import (
	"bytes"
	"strings"
)

// Fence returns content as a fenced code block, without a line break behind it.
// The fence is one backtick longer than the longest run of backticks inside
// content, and at least three. Content is kept to the byte; only a line break is
// added where its last line has none. The info string must not hold a backtick.
func Fence(info, content string) string {
	fence := strings.Repeat("`", max(3, longestRun(content)+1))
	var b strings.Builder
	b.Grow(2*len(fence) + len(info) + len(content) + 2)
	b.WriteString(fence)
	b.WriteString(info)
	b.WriteByte('\n')
	b.WriteString(content)
	if content != "" && content[len(content)-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(fence)
	return b.String()
}

// CodeSpan returns a code span that shows s: with backticks, spaces at its ends
// and vertical bars as they are. Line breaks show as spaces, since a code span
// cannot hold them, and s == "" gives "".
func CodeSpan(s string) string {
	if s == "" {
		return ""
	}
	clean := []byte(strings.ReplaceAll(cleanText(s), "\n", " "))
	return string(appendCodeSpan(make([]byte, 0, len(clean)+2), clean))
}

// appendCodeSpan appends a code span that shows content exactly.
func appendCodeSpan(dst, content []byte) []byte {
	ticks := 1
	if bytes.IndexByte(content, '`') >= 0 {
		ticks = freeRun(content)
	}
	first, last := content[0], content[len(content)-1]
	pad := first == '`' || last == '`' ||
		first == ' ' && last == ' ' && len(bytes.Trim(content, " ")) > 0
	for range ticks {
		dst = append(dst, '`')
	}
	if pad {
		dst = append(dst, ' ')
	}
	dst = append(dst, content...)
	if pad {
		dst = append(dst, ' ')
	}
	for range ticks {
		dst = append(dst, '`')
	}
	return dst
}

// longestRun returns the length of the longest run of backticks in s.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
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
