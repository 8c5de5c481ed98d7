// Package slug yields the fragments by which GitHub knows the headings of a page.
package slug

import (
	"fmt"
	"strings"
	"unicode"
)

// Of returns the fragment that GitHub makes of the rendered text of a heading, before
// repeated ones are told apart: lower case; letters, marks, decimal digits, connectors
// such as the underscore, and hyphens are kept; a space becomes a hyphen; all else goes,
// line breaks and emoji too.
func Of(text string) string { return keeping(text, isWord) }

// Loose is Of for renderers that read "word" in another way: it also keeps numbers that
// are no decimal digits.
func Loose(text string) string {
	return keeping(text, func(r rune) bool { return isWord(r) || unicode.Is(unicode.No, r) })
}

func keeping(text string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || keep(r):
			return r
		}
		return -1
	}, strings.ToLower(text))
}

func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc)
}

// Page tells the names of one page apart. The zero value is a page without any.
type Page struct{ used map[string]int }

// Take returns name, or where the page has it already, name with -1, -2 and so on behind
// it; a number that another name took is passed over. The page has the result from then on.
func (p *Page) Take(name string) string {
	if p.used == nil {
		p.used = map[string]int{}
	}
	free := name
	for {
		if _, taken := p.used[free]; !taken {
			break
		}
		p.used[name]++
		free = fmt.Sprintf("%s-%d", name, p.used[name])
	}
	p.used[free] = 0
	return free
}
