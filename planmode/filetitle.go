package planmode

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFileTitle is how many bytes a title may take up in the name of a file.
const maxFileTitle = 80

// fileTitle returns a title as a part of a file name that is readable in its own script
// and safe on every system: letters, marks, digits and symbols stay as they are, what
// nobody sees is dropped, and everything else becomes a hyphen.
func fileTitle(title string) string {
	var b strings.Builder
	for len(title) > 0 {
		r, size := utf8.DecodeRuneInString(title)
		for rest := title[size:]; rest != ""; rest = title[size:] {
			mark, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsMark(mark) {
				break
			}
			size += n // a mark is never cut from its letter
		}
		part := title[:size]
		title = title[size:]
		switch {
		case unseen(r):
			continue
		case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So):
			if b.Len() == 0 || strings.HasSuffix(b.String(), "-") {
				continue
			}
			part = "-"
		}
		part = strings.Map(func(r rune) rune {
			if unseen(r) {
				return -1
			}
			return r
		}, part)
		if b.Len()+len(part) > maxFileTitle {
			break
		}
		b.WriteString(part)
	}
	return strings.TrimRight(b.String(), "-")
}

// unseen reports whether r shows nothing of its own.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == utf8.RuneError
}
