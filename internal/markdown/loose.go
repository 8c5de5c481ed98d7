package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"sort"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Loose is text that has the form of a reference whose label the page does not define.
// It may well be meant as text: a[i][j] has that form.
type Loose struct {
	Label string // normalized as [Label] does
	Short bool   // [label] alone, without a second pair of brackets
	Line  int
}

// Label normalizes the label of a reference: case and runs of blanks do not count.
func Label(s string) string { return util.ToLinkReference([]byte(s)) }

var loose = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\[\]]*[^\[\]\s][^\[\]]*)\](?:\[([^\[\]]*)\])?`) })

// Loose returns the loose references in and below a node. One that follows a letter, a
// digit or a closing bracket is an index and not among them.
func (d *Doc) Loose(root ast.Node) []Loose {
	var out []Loose
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock || n.FirstChild() == nil || n.FirstChild().Type() != ast.TypeInline {
			return ast.WalkContinue, nil
		}
		out = append(out, d.looseIn(n)...)
		return ast.WalkSkipChildren, nil
	})
	return out
}

// span is a range of the source.
type span struct{ start, stop int }

func (d *Doc) looseIn(block ast.Node) []Loose {
	plain := plainSpans(block)
	holds := func(offset int) bool {
		i := sort.Search(len(plain), func(i int) bool { return plain[i].stop > offset })
		return i < len(plain) && plain[i].start <= offset
	}
	if len(plain) == 0 {
		return nil
	}
	start, stop := plain[0].start, plain[len(plain)-1].stop
	src := d.Source[start:stop]
	if bytes.IndexByte(src, '[') < 0 {
		return nil
	}
	var out []Loose
	for _, m := range loose().FindAllSubmatchIndex(src, -1) {
		if m[0] > 0 && isIndexed(src[m[0]-1]) || !holds(start+m[0]) || !holds(start+m[1]-1) {
			continue
		}
		label := src[m[2]:m[3]]
		if m[4] >= 0 && m[4] < m[5] {
			label = src[m[4]:m[5]]
		}
		if !isFootnote(label) {
			out = append(out, Loose{Label(string(label)), m[4] < 0, d.Line(start + m[0])})
		}
	}
	return out
}

// isIndexed reports whether a bracket behind b is no link: an index, an escape, an image
// of nothing.
func isIndexed(b byte) bool {
	return b == ']' || b == ')' || b == '\\' || b == '_' || b < 0x80 && util.IsAlphaNumeric(b)
}

// plainSpans returns where text of a block is plain: not in code, tags or links.
func plainSpans(block ast.Node) []span {
	var out []span
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.RawHTML, *ast.Link, *ast.Image, *ast.AutoLink:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				out = append(out, span{n.Segment.Start, n.Segment.Stop})
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// Definitions returns the references that the page defines, by normalized label. The
// caller must not change the map.
func (d *Doc) Definitions() map[string]Link { return d.definitions() }

func (d *Doc) readDefinitions() map[string]Link {
	out := map[string]Link{}
	for _, l := range d.Links(d.Root) {
		if l.Kind != Definition {
			continue
		}
		label := Label(l.Label)
		if _, ok := out[label]; !ok {
			out[label] = l
		}
	}
	return out
}

// Meant is the definition that a loose reference was certainly meant for.
type Meant struct {
	Page       *Page
	Definition Link
}

// Meant finds the definition that a loose reference of a page was certainly meant for: the
// page in another language defines its label, or its own page defines one that is a slip
// away. The result is false for what may as well be text.
func (s *Set) Meant(p *Page, l Loose) (Meant, bool) {
	for _, side := range p.Group.Sides {
		other := s.Page(side.Path)
		if other == nil || other == p {
			continue
		}
		if def, ok := other.Doc.Definitions()[l.Label]; ok {
			return Meant{other, def}, true
		}
	}
	if l.Short || len([]rune(l.Label)) < 4 {
		return Meant{}, false
	}
	var best Meant
	for label, def := range p.Doc.Definitions() {
		if isSlip([]rune(l.Label), []rune(label)) && (best.Page == nil || def.Line < best.Definition.Line) {
			best = Meant{p, def}
		}
	}
	return best, best.Page != nil
}

// isSlip reports whether one inserted, missing or replaced letter makes a and b equal.
func isSlip(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i < len(a) && slices.Equal(a[i+1:], b[i+1:])
	case 1:
		return slices.Equal(a[i:], b[i+1:])
	}
	return false
}
