package links

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/agentplan/sdk/internal/markdown"
)

// Slug returns the fragment that GitHub makes of the rendered text of a heading, before
// repeated ones are told apart: lower case; letters, marks, decimal digits, connectors
// such as the underscore, and hyphens are kept; a space becomes a hyphen; all else goes,
// line breaks and emoji too.
func Slug(text string) string { return slug(text, isWord) }

func slug(text string, keep func(rune) bool) string {
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

// isWordOrNumber also keeps numbers that are no decimal digits, as renderers did that
// read "word" in another way.
func isWordOrNumber(r rune) bool { return isWord(r) || unicode.Is(unicode.No, r) }

// Slugs returns the fragments of the headings of a page, given in its order. A repeated
// one gets -1, -2 and so on; a number that another heading took already is passed over.
func Slugs(headings []string) []string { return slugs(headings, isWord) }

func slugs(headings []string, keep func(rune) bool) []string {
	used := map[string]int{}
	var out []string
	for _, h := range headings {
		base := slug(h, keep)
		name := base
		for {
			if _, taken := used[name]; !taken {
				break
			}
			used[base]++
			name = fmt.Sprintf("%s-%d", base, used[base])
		}
		used[name] = 0
		out = append(out, name)
	}
	return out
}

// anchors is what fragments can name on one page.
type anchors struct {
	names   []string // explicit ids and slugs, in the order of their lines
	exact   map[string]bool
	lenient map[string]bool // names that some renderer makes; see unseen
}

// attribute is the explicit id of a heading in the syntax of docs sites.
var attribute = regexp.MustCompile(`\{[^{}]*#([^\s{}]+)[^{}]*\}\s*$`)

func newAnchors(doc *markdown.Doc) *anchors {
	a := &anchors{exact: map[string]bool{}, lenient: map[string]bool{}}
	var texts, bare []string
	for _, h := range doc.Headings() {
		texts = append(texts, h.Text)
		bare = append(bare, unseen.Replace(strings.TrimSpace(h.Text)))
		if m := attribute.FindStringSubmatch(h.Text); m != nil {
			a.lenient[m[1]] = true
		}
	}
	for _, name := range Slugs(texts) {
		a.add(name)
	}
	for _, id := range sortedByLine(doc.IDs()) {
		a.add(id)
	}
	for _, name := range append(slugs(bare, isWord), slugs(bare, isWordOrNumber)...) {
		a.lenient[name] = true
	}
	return a
}

func (a *anchors) add(name string) {
	if name != "" {
		a.names = append(a.names, name)
		a.exact[name] = true
	}
}

// unseen drops what cannot be seen beside an emoji: variation selectors and joiners.
// GitHub keeps the selector, and who writes a link leaves it out as often as not.
var unseen = strings.NewReplacer("\ufe0f", "", "\ufe0e", "", "\u200d", "")

func (a *anchors) has(fragment string) bool {
	fragment = strings.TrimPrefix(fragment, "user-content-")
	return a.exact[fragment] || a.lenient[unseen.Replace(fragment)]
}
