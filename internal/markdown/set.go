package markdown

import (
	"bytes"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/tree"
)

// Page is a page of a group as the rules see it.
type Page struct {
	*tree.Side
	Group *tree.Group
	Doc   *Doc // as on disk
	After *Doc // as it is once its regions are generated; Doc where that changes nothing
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
	Pages []*Page // in the order of the tree
	by    map[string]*Page
}

// Page returns the page of a path, or nil.
func (s *Set) Page(path string) *Page { return s.by[path] }

// Load parses the pages of a tree that could be read. after holds the text after
// generation of each page for which that differs from the disk, by path.
func Load(t *tree.Tree, after map[string][]byte) *Set {
	s := &Set{by: map[string]*Page{}}
	for _, g := range t.Groups {
		for _, side := range g.Sides {
			if side.Page != nil && s.by[side.Path] == nil {
				p := &Page{Side: side, Group: g}
				s.Pages = append(s.Pages, p)
				s.by[side.Path] = p
			}
		}
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range s.Pages {
		g.Go(func() error {
			p.Doc = Parse(p.Src)
			p.After = p.Doc
			if text, ok := after[p.Path]; ok && !bytes.Equal(text, p.Src) {
				p.After = Parse(text)
			}
			return nil
		})
	}
	_ = g.Wait() // nothing fails
	return s
}

// Alone is a set of one page, with other text than on disk. The text has to be that of a
// page: UTF-8.
func Alone(p *Page, src []byte) *Set {
	side := *p.Side
	side.Src = src
	if parsed, err := page.Parse(src); err == nil {
		side.Page = parsed
	}
	doc := Parse(src)
	one := &Page{Side: &side, Group: p.Group, Doc: doc, After: doc}
	return &Set{Pages: []*Page{one}, by: map[string]*Page{p.Path: one}}
}
