// Package prose renders Go doc comments to Markdown that shows, by CommonMark
// and by GitHub's dialect of it, the text that the comment's author wrote.
//
// A doc comment has no emphasis, no HTML and no entities, so every character
// that Markdown would take for one of these is escaped, and no other. The one
// thing that is taken as Markdown is a balanced backtick span: authors write
// those, and readers expect code. Text inside such a span is never escaped.
//
// No line of rendered prose, fenced code apart, contains the opening of a
// generated region's marker.
package prose

import (
	"go/doc/comment"
	"strconv"
	"strings"
)

// Options shapes the rendering of one doc comment.
type Options struct {
	// Level is the level of the comment's headings. Values below 1 count as
	// 1, values above 6 as 6.
	Level int

	// Link returns the target of a doc link: a URL reference as it stands in
	// an HTML href, percent-encoded as [LinkDest] does it. An empty string
	// writes the link as a code span, and so does a nil Link. It is called
	// once for each doc link that is shown, in order.
	Link func(*comment.DocLink) (href string)
}

// Markdown renders doc. The result has no white space around it, so that the
// caller chooses what separates it from its neighbours; it must start a block
// of its own, with a blank line before it. It is empty for an empty doc.
func Markdown(doc *comment.Doc, o Options) string {
	var r Renderer
	return string(r.AppendMarkdown(nil, doc, o))
}

// A Renderer renders one text after the other. It keeps the memory that this
// takes, so that many are rendered in the memory of the longest. The zero value
// is ready for use, by one goroutine at a time.
type Renderer struct {
	out   []byte
	level int
	line  line
}

// AppendMarkdown appends doc to dst as [Markdown] renders it.
func (r *Renderer) AppendMarkdown(dst []byte, doc *comment.Doc, o Options) []byte {
	r.out, r.level, r.line.link = dst, min(max(o.Level, 1), 6), o.Link
	r.blocks(doc.Content, 0)
	out := r.out
	r.out, r.line.link = nil, nil
	return out
}

// AppendText appends s, plain text, escaped for a place of its own on one line: a
// heading, or a list item. Line breaks are joined as in prose; backticks show as
// backticks.
func (r *Renderer) AppendText(dst []byte, s string) []byte {
	l := &r.line
	l.reset()
	l.appendText(s)
	l.join()
	for _, seg := range l.segs {
		l.literal(l.src[seg.start:seg.end], 0)
	}
	l.mark()
	l.markBlockStart()
	l.markClosingHashes()
	return l.appendTo(dst)
}

// blocks writes blocks, separated by blank lines, each line but the first
// indented by indent columns. It reports whether anything was written.
func (r *Renderer) blocks(blocks []comment.Block, indent int) bool {
	start := len(r.out)
	var last byte // delimiter of the list just written, 0 after any other block
	for _, b := range blocks {
		mark := len(r.out)
		if mark > start {
			r.newline(2, indent)
		}
		body := len(r.out)
		var delim byte
		switch b := b.(type) {
		case *comment.Heading:
			r.heading(b)
		case *comment.Paragraph:
			r.paragraph("", b.Text)
		case *comment.Code:
			r.code(b, indent)
		case *comment.List:
			delim = r.list(b, indent, last)
		}
		if len(r.out) == body {
			r.out = r.out[:mark]
			continue
		}
		last = delim
	}
	return len(r.out) > start
}

// newline ends the line n times and indents the next one.
func (r *Renderer) newline(n, indent int) {
	for range n {
		r.out = append(r.out, '\n')
	}
	for range indent {
		r.out = append(r.out, ' ')
	}
}

func (r *Renderer) paragraph(lead string, text []comment.Text) {
	l := &r.line
	l.fill(lead, text)
	l.mark()
	l.markBlockStart()
	r.out = l.appendTo(r.out)
}

func (r *Renderer) heading(h *comment.Heading) {
	l := &r.line
	l.fill("", h.Text)
	if len(l.buf) == 0 {
		return
	}
	l.mark()
	l.markClosingHashes()
	for range r.level {
		r.out = append(r.out, '#')
	}
	r.out = append(r.out, ' ')
	r.out = l.appendTo(r.out)
}

func (r *Renderer) code(c *comment.Code, indent int) {
	text := cleanText(c.Text)
	if indent == 0 {
		r.out = AppendFence(r.out, "", text)
		return
	}
	block := string(AppendFence(nil, "", text))
	for i, line := range strings.Split(block, "\n") {
		switch {
		case i > 0 && line == "":
			r.newline(1, 0)
		case i > 0:
			r.newline(1, indent)
		}
		r.out = append(r.out, line...)
	}
}

// list writes l and returns the delimiter of its last item: '-' or '+' for
// bullets, '.' or ')' behind numbers. Markdown counts on from the first number
// of a list, and joins lists that follow each other, but starts a list anew
// where the delimiter changes: so it changes where last is the list's own, and
// at a number that does not follow from the one before.
func (r *Renderer) list(l *comment.List, indent int, last byte) byte {
	gap := 1
	if l.BlankBetween() {
		gap = 2
	}
	next := -1 // number that continues the list
	for i, item := range l.Items {
		number, err := strconv.Atoi(item.Number)
		ordered := err == nil && 0 <= number && len(item.Number) <= 9 && item.Number[0] != '+' && item.Number[0] != '-'
		first, second := byte('-'), byte('+')
		if ordered {
			first, second = '.', ')'
		}
		delim := last
		if fresh := i == 0 || ordered && number != next; fresh && last == first {
			delim = second
		} else if fresh || last != first && last != second {
			delim = first
		}
		switch {
		case i > 0 && delim != last:
			r.newline(2, indent)
		case i > 0:
			r.newline(gap, indent)
		}
		last, next = delim, -1
		start := len(r.out)
		if ordered {
			next = number + 1
			r.out = append(r.out, item.Number...)
		}
		r.out = append(r.out, delim, ' ')
		lead := ""
		if !ordered && item.Number != "" {
			lead = item.Number + ". "
		}
		r.item(item, lead, indent+len(r.out)-start)
	}
	return last
}

// item writes the content of a list item behind its marker. lead is text in
// front of the content, for a number that Markdown cannot count.
func (r *Renderer) item(item *comment.ListItem, lead string, indent int) {
	content := item.Content
	start := len(r.out)
	if lead != "" {
		var text []comment.Text
		if len(content) > 0 {
			if p, ok := content[0].(*comment.Paragraph); ok {
				text, content = p.Text, content[1:]
			}
		}
		r.paragraph(lead, text)
		if len(r.out) > start && len(content) > 0 {
			mark := len(r.out)
			r.newline(2, indent)
			if !r.blocks(content, indent) {
				r.out = r.out[:mark]
			}
		}
	} else {
		r.blocks(content, indent)
	}
	if len(r.out) == start {
		r.out = r.out[:start-1] // no space behind the marker of an empty item
	}
}
