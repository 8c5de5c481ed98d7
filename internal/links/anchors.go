package links

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/slug"
)

// anchors is what fragments can name on one page.
type anchors struct {
	names   []string // explicit ids and slugs, in the order of their lines
	exact   map[string]bool
	lenient map[string]bool // names that some renderer makes; see unseen
}

// attribute is the explicit id of a heading in the syntax of docs sites.
var attribute = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*#([^\s{}]+)[^{}]*\}\s*$`) })

func newAnchors(doc *markdown.Doc) *anchors {
	a := &anchors{exact: map[string]bool{}, lenient: map[string]bool{}}
	var texts, bare []string
	for _, h := range doc.Headings() {
		texts = append(texts, h.Text)
		bare = append(bare, unseen.Replace(strings.TrimSpace(h.Text)))
		if m := attribute().FindStringSubmatch(h.Text); m != nil {
			a.lenient[m[1]] = true
		}
	}
	for _, name := range slugs(texts, slug.Of) {
		a.add(name)
	}
	for _, id := range sortedByLine(doc.IDs()) {
		a.add(id)
	}
	for _, name := range append(slugs(bare, slug.Of), slugs(bare, slug.Loose)...) {
		a.lenient[name] = true
	}
	return a
}

// slugs returns the fragments of the headings of a page, given in its order.
func slugs(headings []string, of func(string) string) []string {
	var page slug.Page
	out := make([]string, len(headings))
	for i, h := range headings {
		out[i] = page.Take(of(h))
	}
	return out
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
