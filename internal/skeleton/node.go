package skeleton

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/agentplan/sdk/internal/markdown"
)

// kind is what a node of the skeleton is.
type kind int

const (
	prose kind = iota // a paragraph: it only helps to align, and nobody must have as many
	heading
	list
	item
	table
	row
	code
	quote
	rule
	tag
	link
	image
	region
	switcher
)

// digest is what nodes of the same skeleton have in common.
type digest [sha256.Size]byte

// node is one part of a page's skeleton.
type node struct {
	kind kind
	key  string // what must be equal beside the kids
	text string // what it is, for people
	line int
	kids []*node

	whole digest     // digest of the node with its kids; equal ones have the same skeleton
	count int        // of kids that must be equal in number: items, rows
	lines []codeLine // of code
	info  string     // of code
	runs  bool       // of code: it goes on where the other page's ends
	path  string     // of a link: what it leads to, relative to the module root
	frag  string     // of a link: the fragment to compare; see anyFragment
	block int        // of a link: the line of the block that it stands in
	doc   *markdown.Doc
	body  []ast.Node // what hints are read from
	words hint       // see hints
}

// hints returns what the node says in words of every language, read when first needed.
func (n *node) hints() hint {
	if n.words == nil {
		n.words = append(hint{}, readHints(n.doc, n.body)...)
	}
	return n.words
}

// end returns the last line of the page on which a part of the node starts.
func (n *node) end() int {
	last := n.line
	for _, k := range n.kids {
		last = max(last, k.end())
	}
	return last
}

// seal computes whole; the kids are sealed already.
func (n *node) seal() {
	b := append(make([]byte, 0, 256), byte(n.kind))
	b = append(b, n.key...)
	b = append(b, 0)
	for _, l := range n.lines {
		b = append(b, l.text...)
		b = append(b, '\n')
	}
	b = append(b, 0)
	for _, k := range n.kids {
		if k.kind != prose {
			b = append(b, k.whole[:]...)
		}
	}
	n.whole = sha256.Sum256(b)
}

// hint is what a block says in words that stay the same in every language: code, numbers.
// It decides which of several blocks of one skeleton is the one that another page lacks.
type hint []string

func readHints(doc *markdown.Doc, body []ast.Node) hint {
	var h hint
	for _, root := range body {
		_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.CodeSpan:
				for c := n.FirstChild(); c != nil; c = c.NextSibling() {
					if t, ok := c.(*ast.Text); ok {
						h = append(h, "`"+string(t.Segment.Value(doc.Source)))
					}
				}
				return ast.WalkSkipChildren, nil
			case *ast.FencedCodeBlock, *ast.CodeBlock:
				for i := range min(n.Lines().Len(), 20) {
					seg := n.Lines().At(i)
					h = append(h, string(seg.Value(doc.Source)))
				}
			case *ast.Link:
				h = append(h, string(n.Destination))
			case *ast.Text:
				h = append(h, latinWords(string(n.Segment.Value(doc.Source)))...)
			}
			return ast.WalkContinue, nil
		})
	}
	slices.Sort(h)
	return slices.Compact(h)
}

// latinWords returns the runs of ASCII letters and digits that hold a capital or a digit,
// which translations tend to keep.
func latinWords(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	return slices.DeleteFunc(words, func(w string) bool {
		return !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
	})
}

// unlike returns 0 for the same hints and most for hints that share nothing.
func (h hint) unlike(g hint, most int64) int64 {
	var common int64
	i, j := 0, 0
	for i < len(h) && j < len(g) {
		switch c := strings.Compare(h[i], g[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			common++
			i, j = i+1, j+1
		}
	}
	all := int64(len(h)+len(g)) - common
	if all == 0 {
		return 0
	}
	return most - most*common/all
}
