package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// IDs returns the explicit anchors of the page, each with the line of the first tag that
// defines it: every id attribute, and the name attribute of a elements. The caller must
// not change the map.
func (d *Doc) IDs() map[string]int { return d.ids() }

func (d *Doc) readIDs() map[string]int {
	ids := map[string]int{}
	add := func(id string, line int) {
		if _, ok := ids[id]; id != "" && !ok {
			ids[id] = line
		}
	}
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		h := d.HTML(n)
		for _, t := range Tags(h.Text) {
			if t.Closing {
				continue
			}
			add(t.Attrs["id"], h.Line(t.Offset))
			if t.Name == "a" {
				add(t.Attrs["name"], h.Line(t.Offset))
			}
		}
		return ast.WalkContinue, nil
	})
	return ids
}

// Heading is one heading of a page.
type Heading struct {
	Text string // as it is rendered, without any markup
	Line int
}

// Headings returns the headings of the page in its order, those of lists, quotes and raw
// HTML too.
func (d *Doc) Headings() []Heading {
	c := headings{doc: d}
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return c.enter(n), nil
		}
		return ast.WalkContinue, nil
	})
	c.close()
	return c.list
}

// headings collects headings; open is a heading element of raw HTML that has not ended.
type headings struct {
	doc  *Doc
	list []Heading
	open string
	line int
	text strings.Builder
}

func (c *headings) enter(n ast.Node) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.Heading:
		c.close()
		c.list = append(c.list, Heading{c.doc.PlainText(n), c.doc.LineOf(n)})
		return ast.WalkSkipChildren
	case *ast.HTMLBlock, *ast.RawHTML:
		c.html(c.doc.HTML(n))
	case *ast.Text:
		if c.open != "" {
			c.text.WriteString(c.doc.PlainText(n))
		}
	}
	return ast.WalkContinue
}

// html reads a piece of raw HTML, in which a heading may start, go on or end.
func (c *headings) html(h HTML) {
	pos := 0
	for _, t := range Tags(h.Text) {
		c.write(h.Text[pos:t.Offset])
		pos = t.End
		if len(t.Name) != 2 || t.Name[0] != 'h' || t.Name[1] < '1' || t.Name[1] > '6' {
			continue
		}
		c.close()
		if !t.Closing {
			c.open, c.line = t.Name, h.Line(t.Offset)
		}
	}
	c.write(h.Text[pos:])
}

func (c *headings) write(s string) {
	if c.open == "" {
		return
	}
	for {
		i := strings.Index(s, "<!--")
		if i < 0 {
			break
		}
		c.text.WriteString(Unescape([]byte(s[:i])))
		s = s[i+past(s[i:], "-->"):]
	}
	c.text.WriteString(Unescape([]byte(s)))
}

func (c *headings) close() {
	if c.open != "" {
		c.list = append(c.list, Heading{strings.TrimSpace(c.text.String()), c.line})
	}
	c.open = ""
	c.text.Reset()
}

// PlainText returns the text of a node as it is rendered: without markup, tags and images,
// with escapes resolved and a line feed for each break.
func (d *Doc) PlainText(root ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					b.WriteString(strings.ReplaceAll(string(t.Segment.Value(d.Source)), "\n", " "))
				}
			}
			return ast.WalkSkipChildren, nil
		case *ast.Image, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			b.Write(n.Label(d.Source))
		case *ast.String:
			b.Write(n.Value)
		case *ast.Text:
			if n.IsRaw() {
				b.Write(n.Segment.Value(d.Source))
			} else {
				b.WriteString(Unescape(n.Segment.Value(d.Source)))
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
