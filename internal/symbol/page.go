package symbol

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"

	"github.com/agentplan/sdk/internal/fence/command"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/parallel"
)

// page is what matters of one page.
type page struct {
	path       string
	doc        *markdown.Doc
	generated  func(line int) bool
	spans      []span
	exemptions []exemption
	code       strings.Builder // of all fences, which may declare variables
	targets    []string        // of makefiles that the page shows
	dirs       []string        // packages that its regions are about

	headings []heading
	strikes  bool // some text may be struck out
}

// span is one piece of inline code.
type span struct {
	text  string
	line  int
	block *[]string // the texts of all spans of its paragraph, heading, item or cell
	about []string  // texts of the headings it stands under
}

type heading struct {
	level int
	text  string
}

// exemption is a name that the page may say though it does not exist.
type exemption struct {
	name, reason string
	line         int
}

// readPages finds what matters of the pages, in parallel.
func readPages(set *markdown.Set) []*page {
	out := make([]*page, len(set.Pages))
	parallel.Each(len(out), func(i int) {
		side := set.Pages[i]
		p := &page{path: side.Path, doc: side.Doc, generated: side.Generated}
		p.read()
		for _, r := range side.Side.Page.Regions {
			p.isAbout(r.Selectors)
		}
		out[i] = p
	})
	return out
}

func (p *page) read() {
	p.strikes = bytes.Contains(p.doc.Source, []byte("~~"))
	var block *[]string
	_ = ast.Walk(p.doc.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock {
			block = &[]string{}
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.heading(n)
		case *ast.CodeSpan:
			p.span(n, block)
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			p.exempt(p.doc.HTML(n))
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			p.exempt(p.doc.HTML(n))
		case *ast.FencedCodeBlock:
			p.fence(n)
		}
		return ast.WalkContinue, nil
	})
}

// isAbout records the packages of selectors.
func (p *page) isAbout(selectors []string) {
	for _, sel := range selectors {
		if dir := selected(sel); !slices.Contains(p.dirs, dir) {
			p.dirs = append(p.dirs, dir)
		}
	}
}

// selected is the package directory of a selector.
func selected(sel string) string {
	dir, _, _ := strings.Cut(sel, "#")
	if i := strings.LastIndexByte(dir, '.'); i > 0 && dir[i+1:] != "" && (dir[i+1] == '*' || 'A' <= dir[i+1] && dir[i+1] <= 'Z') {
		dir = dir[:i]
	}
	return dir
}

func (p *page) heading(n *ast.Heading) {
	for len(p.headings) > 0 && p.headings[len(p.headings)-1].level >= n.Level {
		p.headings = p.headings[:len(p.headings)-1]
	}
	p.headings = append(p.headings, heading{n.Level, string(n.Lines().Value(p.doc.Source))})
}

func (p *page) span(n *ast.CodeSpan, block *[]string) {
	var text strings.Builder
	line := 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		if line == 0 {
			line = p.doc.Line(t.Segment.Start)
		}
		text.Write(t.Segment.Value(p.doc.Source))
	}
	if line == 0 || p.generated(line) || p.isStruck(n) {
		return
	}
	s := span{text: strings.TrimSpace(strings.ReplaceAll(text.String(), "\n", " ")), line: line, block: block}
	for _, h := range p.headings {
		s.about = append(s.about, h.text)
	}
	*block = append(*block, s.text)
	p.spans = append(p.spans, s)
}

// isStruck reports whether a node is ~~struck out~~, as text is that no longer holds.
func (p *page) isStruck(n ast.Node) bool {
	if !p.strikes {
		return false
	}
	before, after := 0, 0
	for c := n.PreviousSibling(); c != nil; c = c.PreviousSibling() {
		before += p.tildes(c)
	}
	for c := n.NextSibling(); c != nil; c = c.NextSibling() {
		after += p.tildes(c)
	}
	return before%2 == 1 && after > 0
}

// tildes counts the pairs of them in a piece of text.
func (p *page) tildes(n ast.Node) int {
	if t, ok := n.(*ast.Text); ok {
		return bytes.Count(t.Segment.Value(p.doc.Source), []byte("~~"))
	}
	return 0
}

func (p *page) fence(n *ast.FencedCodeBlock) {
	text := string(n.Lines().Value(p.doc.Source))
	if n.Info == nil {
		return
	}
	switch lang, _, _ := strings.Cut(string(n.Info.Segment.Value(p.doc.Source)), " "); lang {
	case "go":
		p.code.WriteString(text)
	case "make", "makefile":
		p.targets = append(p.targets, command.Targets(text)...)
	}
}

var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--\s*symbol-ok\b\s*(.*?)\s*-->`) })

// exempt reads the exemptions of a piece of HTML.
func (p *page) exempt(html markdown.HTML) {
	for _, m := range comment().FindAllStringSubmatchIndex(html.Text, -1) {
		line := html.Line(m[0])
		if p.generated(line) {
			continue
		}
		text := strings.Join(strings.Fields(html.Text[m[2]:m[3]]), " ")
		name, reason, _ := strings.Cut(strings.Replace(text, "：", ": ", 1), ": ")
		p.exemptions = append(p.exemptions, exemption{
			name:   strings.Trim(strings.TrimSuffix(name, ":"), "` "),
			reason: strings.TrimSpace(reason),
			line:   line,
		})
	}
}
