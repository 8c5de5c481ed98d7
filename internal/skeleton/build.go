package skeleton

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
)

// builder makes the skeleton of one page.
type builder struct {
	page    *markdown.Page
	doc     *markdown.Doc
	targets *targets
	regions map[*page.Region]string // keys of the regions that the other page has too
	done    map[*page.Region]bool

	unclosed int // the line of a fence without an end; 0 for none
}

// build returns the skeleton of the page: a sequence of nodes.
func (b *builder) build() []*node {
	b.doc = b.page.Doc
	b.done = map[*page.Region]bool{}
	sw := b.findSwitcher()
	var out []*node
	for n := b.doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		line := b.doc.LineOf(n)
		if r := b.page.InRegion(line); r != nil {
			if key, ok := b.regions[r]; ok && !b.done[r] {
				out = append(out, b.node(region, key, line, "the generated region for "+strings.Join(r.Selectors, " "), nil))
			}
			b.done[r] = true
			continue
		}
		if n == sw {
			out = append(out, b.node(switcher, "", line, "the language switcher", nil))
			continue
		}
		out = append(out, b.block(n)...)
	}
	extendHeadings(out)
	return out
}

// extendHeadings lets the hints of a heading be those of its section.
func extendHeadings(seq []*node) {
	var last *node
	for _, n := range seq {
		switch {
		case n.kind == heading:
			last = n
		case last != nil:
			last.body = append(last.body, n.body...)
		}
	}
}

// node makes a node of the AST node that it comes from, if any.
func (b *builder) node(k kind, key string, line int, text string, from ast.Node, kids ...*node) *node {
	n := &node{kind: k, key: key, line: line, text: text, kids: kids, doc: b.doc}
	if from != nil {
		n.body = []ast.Node{from}
	}
	n.seal()
	return n
}

// blocks returns the nodes of the blocks in a container.
func (b *builder) blocks(container ast.Node) []*node {
	var out []*node
	for n := container.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, b.block(n)...)
	}
	return out
}

func (b *builder) block(n ast.Node) []*node {
	line := b.doc.LineOf(n)
	switch n := n.(type) {
	case *ast.Heading:
		return []*node{b.node(heading, fmt.Sprint(n.Level), line, fmt.Sprintf("a heading of level %d", n.Level), n, b.links(n, line)...)}
	case *ast.Paragraph, *ast.TextBlock:
		return append([]*node{b.node(prose, "", line, "", n)}, b.links(n, line)...)
	case *ast.List:
		return []*node{b.list(n, line)}
	case *extast.Table:
		return []*node{b.table(n, line)}
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return []*node{b.code(n, line)}
	case *ast.Blockquote:
		text, key := "a block quote", b.alert(n)
		if key != "" {
			text += " [!" + key + "]"
		}
		return []*node{b.node(quote, key, line, text, n, b.blocks(n)...)}
	case *ast.ThematicBreak:
		return []*node{b.node(rule, "", line, "a thematic break", n)}
	case *ast.HTMLBlock:
		return b.html(n)
	}
	return nil
}

func (b *builder) list(n *ast.List, line int) *node {
	var kids []*node
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		kids = append(kids, b.node(item, "", b.doc.LineOf(c), "a list item", c, b.blocks(c)...))
	}
	key, text := "bullets", "a list of "+plural(len(kids), "item")
	if n.IsOrdered() {
		key = fmt.Sprintf("numbers %d", n.Start)
		text = fmt.Sprintf("a list of %s numbered from %d", plural(len(kids), "item"), n.Start)
	}
	out := b.node(list, key, line, text, n, kids...)
	out.count = len(kids)
	return out
}

func (b *builder) table(n *extast.Table, line int) *node {
	var kids []*node
	columns := 0
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var cells []*node
		width := 0
		at := b.doc.LineOf(r)
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			width++
			cells = append(cells, b.node(prose, "", at, "", c))
			cells = append(cells, b.links(c, at)...)
		}
		columns = max(columns, width)
		key := ""
		if r.Kind() == extast.KindTableHeader {
			key = "header"
		}
		kids = append(kids, b.node(row, key, at, "a table row", r, cells...))
	}
	text := fmt.Sprintf("a table of %s and %s", plural(len(kids), "row"), plural(columns, "column"))
	out := b.node(table, fmt.Sprint(columns), line, text, n, kids...)
	out.count = len(kids)
	return out
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

var alert = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[!([A-Za-z]+)\]\s*$`) })

// alert returns the kind of a quote that GitHub shows as an alert.
func (b *builder) alert(n *ast.Blockquote) string {
	p, ok := n.FirstChild().(*ast.Paragraph)
	if !ok || p.Lines().Len() == 0 {
		return ""
	}
	seg := p.Lines().At(0)
	if m := alert().FindSubmatch(seg.Value(b.doc.Source)); m != nil {
		return strings.ToUpper(string(m[1]))
	}
	return ""
}

// html returns the tags of an HTML block, one node each, so that blank lines between them
// do not count. Comments, anchors and line breaks are no part of the skeleton.
func (b *builder) html(n *ast.HTMLBlock) []*node {
	var out []*node
	h := b.doc.HTML(n)
	for _, t := range markdown.Tags(h.Text) {
		line := h.Line(t.Offset)
		switch t.Name {
		case "a", "img", "br", "wbr":
			continue
		}
		name := t.Name
		if t.Closing {
			name = "/" + name
		}
		out = append(out, b.node(tag, name, line, "the tag <"+name+">", nil))
	}
	return append(out, b.links(n, b.doc.LineOf(n))...)
}

// links returns the links of a block. Within one block their order does not count, since a
// sentence puts them in the order of its language.
func (b *builder) links(block ast.Node, line int) []*node {
	var out []*node
	for _, l := range b.doc.Links(block) {
		if l.Kind != markdown.Definition {
			out = append(out, b.link(b.page, l, line))
		}
	}
	if _, html := block.(*ast.HTMLBlock); !html {
		for _, l := range b.doc.Loose(block) {
			// A definition that is missing is a fault of its own, and not a link less.
			if _, defined := b.doc.Definitions()[l.Label]; defined {
				continue
			}
			if m, ok := b.targets.pages.Meant(b.page, l); ok {
				out = append(out, b.link(m.Page, markdown.Link{Dest: m.Definition.Dest, Line: l.Line}, line))
			}
		}
	}
	slices.SortStableFunc(out, func(x, y *node) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), strings.Compare(x.key, y.key))
	})
	return out
}

// link makes the node of a link as it reads on a page.
func (b *builder) link(p *markdown.Page, l markdown.Link, block int) *node {
	k, text := link, "a link to "+l.Dest
	if l.Image {
		k, text = image, "the image "+l.Dest
	}
	key, frag := b.targets.key(p, l)
	n := b.node(k, key, l.Line, text, nil)
	n.frag, n.block = frag, block
	if to := markdown.Resolve(p.Path, l.Dest); to.Local {
		n.path = to.Path
	}
	return n
}

// findSwitcher finds the language switcher: the first block before or under the first
// heading that is more than images, if its links all lead to the page itself in its
// languages.
func (b *builder) findSwitcher() ast.Node {
	headings := 0
	for n := b.doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if b.page.Generated(b.doc.LineOf(n)) {
			return nil
		}
		switch n.(type) {
		case *ast.Heading:
			if headings++; headings > 1 {
				return nil
			}
		case *ast.HTMLBlock, *ast.Paragraph:
			others, all := 0, 0
			for _, l := range b.doc.Links(n) {
				if l.Image {
					continue
				}
				all++
				if side := b.targets.sideOf(b.page, l); side != nil {
					others++
				}
			}
			switch _, html := n.(*ast.HTMLBlock); {
			case others > 0 && others == all:
				return n
			case !html && strings.TrimSpace(b.doc.PlainText(n)) != "":
				return nil
			}
		case *ast.LinkReferenceDefinition:
		default:
			return nil
		}
	}
	return nil
}
