package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
)

// LinkKind tells the forms of a link apart.
type LinkKind int

// The forms of a link.
const (
	Inline     LinkKind = iota // [text](dest), <https://...>, an a element, a bare web address
	Reference                  // [text][label] and its short forms: judged where the label is defined
	Definition                 // [label]: dest
)

// Link is one link or image of a page, outside of code.
type Link struct {
	Kind  LinkKind
	Image bool
	Dest  string // without escapes and character references; not percent-decoded
	Label string // of a Definition
	Line  int
}

// Links returns the links and images in and below a node, in the order of the page.
// Labels of footnotes are no references.
func (d *Doc) Links(root ast.Node) []Link {
	var out []Link
	// The walker never fails, so neither does the walk.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			out = d.appendLinks(out, n)
		}
		return ast.WalkContinue, nil
	})
	return out
}

func (d *Doc) appendLinks(out []Link, n ast.Node) []Link {
	switch n := n.(type) {
	case *ast.Link:
		if l := (Link{Dest: Unescape(n.Destination), Line: d.LineOf(n)}); l.refer(n.Reference) {
			out = append(out, l)
		}
	case *ast.Image:
		if l := (Link{Image: true, Dest: Unescape(n.Destination), Line: d.LineOf(n)}); l.refer(n.Reference) {
			out = append(out, l)
		}
	case *ast.LinkReferenceDefinition:
		if !isFootnote(n.Label) {
			out = append(out, Link{Kind: Definition, Dest: Unescape(n.Destination), Label: string(n.Label), Line: d.LineOf(n)})
		}
	case *ast.AutoLink:
		dest := string(n.URL(d.Source))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(dest, "mailto:") {
			dest = "mailto:" + dest
		}
		out = append(out, Link{Dest: dest, Line: d.LineOf(n)})
	case *ast.HTMLBlock, *ast.RawHTML:
		h := d.HTML(n)
		for _, t := range Tags(h.Text) {
			if t.Closing {
				continue
			}
			if dest := t.Attrs["href"]; dest != "" && t.Name == "a" {
				out = append(out, Link{Dest: strings.TrimSpace(dest), Line: h.Line(t.Offset)})
			}
			if dest := t.Attrs["src"]; dest != "" && t.Name == "img" {
				out = append(out, Link{Image: true, Dest: strings.TrimSpace(dest), Line: h.Line(t.Offset)})
			}
		}
	case *ast.Text:
		out = d.appendAddresses(out, n)
	}
	return out
}

// refer sets the kind by the reference that a link was written with. The result is false
// for a footnote.
func (l *Link) refer(ref *ast.ReferenceLink) bool {
	if ref == nil {
		return true
	}
	l.Kind = Reference
	return !isFootnote(ref.Value)
}

func isFootnote(label []byte) bool { return len(label) > 0 && label[0] == '^' }

var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bhttps?://[!#-;=?-Z_a-z~\[\]]+`) })

// appendAddresses adds web addresses that stand in prose as they are. Only ASCII belongs
// to them: Chinese text goes on behind an address without a space. A text node ends at
// each character that might have been syntax, so the nodes that follow are read too.
func (d *Doc) appendAddresses(out []Link, n *ast.Text) []Link {
	if prev, ok := n.PreviousSibling().(*ast.Text); ok && prev.Segment.Stop == n.Segment.Start {
		return out // read with the first of them
	}
	for p := n.Parent(); p != nil && p.Type() == ast.TypeInline; p = p.Parent() {
		switch p.(type) {
		case *ast.CodeSpan, *ast.Link, *ast.Image:
			return out
		}
	}
	stop := n.Segment.Stop
	for next := n.NextSibling(); next != nil; next = next.NextSibling() {
		t, ok := next.(*ast.Text)
		if !ok || t.Segment.Start != stop {
			break
		}
		stop = t.Segment.Stop
	}
	run := d.Source[n.Segment.Start:stop]
	if !bytes.Contains(run, []byte("://")) {
		return out
	}
	for _, m := range address().FindAllIndex(run, -1) {
		dest := strings.TrimRight(string(run[m[0]:m[1]]), `?!.,:;*_~'"[]`)
		for strings.HasSuffix(dest, ")") && strings.Count(dest, ")") > strings.Count(dest, "(") {
			dest = strings.TrimRight(dest[:len(dest)-1], `?!.,:;*_~'"[]`)
		}
		out = append(out, Link{Dest: dest, Line: d.Line(n.Segment.Start + m[0])})
	}
	return out
}
