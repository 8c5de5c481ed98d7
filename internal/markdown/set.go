package markdown

import (
	"sync"

	"github.com/yuin/goldmark/ast"

	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/tree"
)

// Page is a page of a group as the rules see it.
type Page struct {
	*tree.Side
	Group *tree.Group
	// Doc is the page as on disk, with nothing between the markers of its regions: what is
	// generated is not judged, and most of the text of many pages is.
	Doc *Doc

	after     func() *Doc
	generated func() page.Generated // of the page after generation
}

// After is the whole page as it is once its regions are generated. It is parsed when first
// asked for, which takes long where much is generated.
func (p *Page) After() *Doc { return p.after() }

// HasID reports whether the page has an explicit anchor once its regions are generated. It
// parses the whole page only where nothing less tells.
func (p *Page) HasID(id string) bool {
	g := p.generated()
	if g.IDs[id] {
		return true
	}
	if g.All && p.Doc != nil {
		_, ok := p.Doc.IDs()[id]
		return ok
	}
	_, ok := p.After().IDs()[id]
	return ok
}

// Titles are the texts of hand-written headings that are the same once the regions are
// generated, whatever that is. They tell names that the page surely has, without a parse of
// the whole of it.
func (p *Page) Titles() []string {
	if p.Doc == nil || p.generated().Defines {
		return nil
	}
	var out []string
	for n := p.Doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			out = append(out, p.Doc.PlainText(h))
		}
	}
	return out
}

// Generated reports whether a line of the page on disk is not hand-written: in a region,
// or behind a marker that is at fault, so that nobody knows.
func (p *Page) Generated(line int) bool {
	for _, r := range p.Side.Page.Regions {
		if r.Line <= line && line <= r.End {
			return true
		}
	}
	problems := p.Side.Page.Problems
	return len(problems) > 0 && problems[0].Line <= line
}

// InRegion returns the region that a line lies in, or nil.
func (p *Page) InRegion(line int) *page.Region {
	for i, r := range p.Side.Page.Regions {
		if r.Line <= line && line <= r.End {
			return &p.Side.Page.Regions[i]
		}
	}
	return nil
}

// Set is the pages of a tree, each parsed once.
type Set struct {
	Pages []*Page // those to be judged, in the order of the tree
	all   []*Page
	by    map[string]*Page
}

// Page returns the page of a path, or nil. One that is not to be judged has no Doc.
func (s *Set) Page(path string) *Page { return s.by[path] }

// All returns all pages, also those that are not to be judged, in the order of the tree.
func (s *Set) All() []*Page { return s.all }

// Load parses the pages of a tree that could be read. after holds the text after
// generation of each page for which that differs from the disk, by path.
func Load(t *tree.Tree, after map[string][]byte) *Set {
	return LoadFor(t, after, func(*tree.Group) bool { return true })
}

// LoadFor is [Load] for a run that judges only the pages of some groups.
func LoadFor(t *tree.Tree, after map[string][]byte, judged func(*tree.Group) bool) *Set {
	s := &Set{by: map[string]*Page{}}
	for _, g := range t.Groups {
		for _, side := range g.Sides {
			if side.Page != nil && s.by[side.Path] == nil {
				p := &Page{Side: side, Group: g}
				s.all = append(s.all, p)
				s.by[side.Path] = p
				if judged(g) {
					s.Pages = append(s.Pages, p)
				}
			}
		}
	}
	var toParse []*Page
	for _, p := range s.all {
		isJudged := judged(p.Group)
		p.generated = sync.OnceValue(p.Side.Page.Generated)
		switch text, ok := after[p.Path]; {
		case ok:
			p.after = sync.OnceValue(func() *Doc { return Parse(text) })
			p.generated = sync.OnceValue(func() page.Generated { return generated(text) })
		case len(p.Side.Page.Regions) > 0 || !isJudged:
			p.after = sync.OnceValue(func() *Doc { return Parse(p.Src) })
		default:
			p.after = func() *Doc { return p.Doc } // nothing of it is left out
		}
		if isJudged {
			toParse = append(toParse, p)
		}
	}
	parallel.Each(len(toParse), func(i int) {
		p := toParse[i]
		p.Doc = parse(p.Side.Page.Outside())
	})
	return s
}

// Alone is a set of one page, with other text than on disk. The text has to be that of a
// page: UTF-8.
func Alone(p *Page, src []byte) *Set {
	side := *p.Side
	side.Src = src
	doc := (*Doc)(nil)
	if parsed, err := page.Parse(src); err == nil {
		side.Page = parsed
		doc = parse(parsed.Outside())
	} else {
		doc = Parse(src)
	}
	one := &Page{Side: &side, Group: p.Group, Doc: doc}
	one.after = sync.OnceValue(func() *Doc { return Parse(src) })
	one.generated = sync.OnceValue(func() page.Generated { return generated(src) })
	return &Set{Pages: []*Page{one}, all: []*Page{one}, by: map[string]*Page{p.Path: one}}
}

// generated is what is generated on a page, or nothing certain where the text is no page.
func generated(src []byte) page.Generated {
	p, err := page.Parse(src)
	if err != nil {
		return page.Generated{Defines: true}
	}
	return p.Generated()
}
