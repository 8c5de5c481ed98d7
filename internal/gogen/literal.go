package gogen

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// maxLines is the number of lines up to which a text that cannot be a raw string is
// written one line to a literal. Tools take time with the square of it.
const maxLines = 1000

// verbatim is source that is written as it stands. A jennifer identifier is the one
// token whose text is neither changed nor given a meaning.
func verbatim(src string) *jen.Statement { return jen.Id(src) }

// literal writes a string in the form that reads best: several lines as a raw string
// where that is the same string, else as one quoted literal for each line. Depth is that
// of the line on which the literal begins.
func literal(s string, depth int) string {
	lines := strings.Count(s, "\n")
	if lines == 0 || lines == 1 && strings.HasSuffix(s, "\n") {
		return strconv.Quote(s)
	}
	if canBeRaw(s) {
		return "`" + s + "`"
	}
	if lines >= maxLines {
		return strconv.Quote(s)
	}
	tabs := strings.Repeat("\t", depth)
	var b strings.Builder
	for line := range strings.Lines(s) {
		if b.Len() > 0 {
			b.WriteString(" +\n\t" + tabs)
		}
		b.WriteString(strconv.Quote(line))
	}
	return b.String()
}

// canBeRaw reports whether a text is the same between backquotes, and shows there what
// it is: nothing that reorders or breaks lines unseen.
func canBeRaw(s string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		if !strconv.CanBackquote(line) {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r >= utf8.RuneSelf && unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
	})
}

// comment makes line comments of a text.
func comment(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.Trim(s, "\n"), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("//")
		if line != "" && line[0] != '\t' {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

// wrap breaks a paragraph into lines.
func wrap(s string) string {
	const width = 80
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(s) {
		switch {
		case n == 0:
		case n+1+len(word) > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}

// inComment makes a name fit for one line of a comment.
func inComment(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
