package skeleton

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/tree"
)

// anyFragment stands for a fragment that is not the same in every language: one made of
// the words of a heading.
const anyFragment = "*"

// otherLanguage is the key of links to the page itself in another language.
const otherLanguage = "another language"

// targets tells which link targets of pages in several languages are the same.
type targets struct {
	settings *settings.Settings
	pages    *markdown.Set
	by       map[string]member
}

// member is a page's place in its group.
type member struct {
	group *tree.Group
	side  *tree.Side
}

func newTargets(s *settings.Settings, t *tree.Tree, pages *markdown.Set) *targets {
	out := &targets{settings: s, pages: pages, by: map[string]member{}}
	for _, g := range t.Groups {
		for _, side := range g.Sides {
			out.by[side.Path] = member{g, side}
		}
	}
	return out
}

// sideOf returns the side of the page's own group that a link leads to, or nil.
func (t *targets) sideOf(p *markdown.Page, l markdown.Link) *tree.Side {
	to := markdown.Resolve(p.Path, l.Dest)
	if m, ok := t.by[to.Path]; ok && to.Local && !to.Self && m.group == p.Group {
		return m.side
	}
	return nil
}

// key returns what is equal for the same target in two languages, and the fragment to
// compare.
func (t *targets) key(p *markdown.Page, l markdown.Link) (key, fragment string) {
	to := markdown.Resolve(p.Path, l.Dest)
	if !to.Local {
		return t.web(l.Dest)
	}
	m, ok := t.by[to.Path]
	switch {
	case !ok:
		return "file " + t.file(p.Lang, to.Path), to.Fragment
	case m.side.Lang == "" || len(m.group.Sides) == 1:
		return "page " + to.Path, to.Fragment
	case m.side.Lang == p.Lang:
		return "page " + m.group.Sides[0].Path, t.fragment(m.group, to.Fragment)
	case m.group == p.Group:
		return otherLanguage, anyFragment
	case t.lacks(m.group, p.Lang):
		return "page " + m.group.Sides[0].Path, anyFragment
	}
	return "page " + m.group.Sides[0].Path + " of " + m.side.Lang, anyFragment
}

// lacks reports whether a group has no page in a language: then a link has to lead to
// another one.
func (t *targets) lacks(g *tree.Group, lang string) bool {
	return !slices.ContainsFunc(g.Sides, func(s *tree.Side) bool { return s.Lang == lang && s.Page != nil })
}

// fragment returns a fragment that every language of the target defines as an explicit
// id, so that all must use the same.
func (t *targets) fragment(g *tree.Group, fragment string) string {
	if fragment == "" {
		return ""
	}
	for _, s := range g.Sides {
		if p := t.pages.Page(s.Path); p != nil && !p.HasID(fragment) {
			return anyFragment
		}
	}
	return fragment
}

// file maps the path of a file that is no page: a language's directory and a language in
// a name are the same in each. A language may use another one's file where it has none of
// its own.
func (t *targets) file(lang, name string) string {
	docs := t.settings.Docs
	rest, ok := strings.CutPrefix(name, docs+"/")
	if docs == "." {
		rest, ok = name, true
	}
	first, rest, _ := strings.Cut(rest, "/")
	if !ok || !slices.Contains(t.settings.Langs, first) {
		return strings.Join(slices.DeleteFunc(strings.Split(t.trimLang(name), "/"), t.isLang), "/")
	}
	if first != lang {
		if _, err := t.settings.Disk.Stat(t.settings.Abs(path.Join(docs, lang, rest))); err == nil {
			return name
		}
	}
	return path.Join(docs, "*", t.trimLang(rest))
}

// trimLang removes a language from the name of a file: of x.zh.png, x_zh.png, x-zh.png.
func (t *targets) trimLang(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if i := strings.LastIndexAny(stem, "._-/"); i > 0 && stem[i] != '/' && t.isLang(stem[i+1:]) {
		return stem[:i] + ext
	}
	return name
}

var subtags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([-_][A-Za-z]{2,4}){0,2}$`) })

// isLang reports whether a word names one of the languages, with or without a country or
// a script.
func (t *targets) isLang(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(t.settings.Langs, func(lang string) bool {
		base, _, _ := strings.Cut(strings.ToLower(lang), "-")
		base, _, _ = strings.Cut(base, "_")
		rest, ok := strings.CutPrefix(word, base)
		return ok && base != "" && subtags().MatchString(rest)
	})
}

// web maps a web address, or a path from the root of a site: sites have the language in the
// host, the path or the query. Of Wikipedia only the site is compared, since titles are
// translated, and nothing of a badge that is made of the words in its address.
func (t *targets) web(dest string) (key, fragment string) {
	u, err := url.Parse(dest)
	if err != nil || u.Opaque != "" {
		return "web " + dest, ""
	}
	fragment, u.Fragment, u.RawFragment = u.Fragment, "", ""
	before := strings.TrimSuffix(u.String(), "/")
	if first, rest, _ := strings.Cut(u.Host, "."); strings.Contains(rest, ".") && t.isLang(first) {
		u.Host = rest
	}
	if u.Host == "golang.google.cn" { // go.dev for readers in China
		u.Host = "go.dev"
	}
	switch {
	case u.Host == "wikipedia.org":
		return "web wikipedia.org", anyFragment
	case u.Host == "img.shields.io" && strings.HasPrefix(u.Path, "/badge/"):
		return "web img.shields.io/badge", anyFragment
	}
	segments := slices.DeleteFunc(strings.Split(t.trimLang(u.Path), "/"), t.isLang)
	u.Path, u.RawPath = strings.TrimSuffix(strings.Join(segments, "/"), "/"), ""
	if q := u.Query(); slices.ContainsFunc([]string{"lang", "hl", "locale"}, func(name string) bool { return t.isLang(q.Get(name)) }) {
		u.RawQuery = ""
	}
	key = u.String()
	if key != before {
		fragment = anyFragment
	}
	return "web " + key, fragment
}
