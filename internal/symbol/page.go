package symbol

import (
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/sync/errgroup"

	"github.com/agentplan/sdk/internal/fence/command"
	"github.com/agentplan/sdk/internal/fence/markdown"
	gen "github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/tree"
)

// page is what matters of one page.
type page struct {
	path       string
	regions    []gen.Region
	doc        *markdown.Doc
	spans      []span
	exemptions []exemption
	code       strings.Builder // of all fences, which may declare variables
	targets    []string        // of makefiles that the page shows
	dirs       []string        // packages that its regions are about

	headings []heading
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

// readPages parses the pages in parallel.
func readPages(t *tree.Tree) []*page {
	var out []*page
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, group := range t.Groups {
		for _, side := range group.Sides {
			if side.Page == nil {
				continue
			}
			p := &page{path: side.Path, regions: side.Page.Regions}
			out = append(out, p)
			g.Go(func() error {
				p.read(side.Src)
				return nil
			})
		}
	}
	_ = g.Wait() // nothing fails
	return out
}

func (p *page) read(src []byte) {
	p.doc = markdown.Parse(src)
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
			segments := n.Lines().Sliced(0, n.Lines().Len())
			if n.HasClosure() {
				segments = append(segments, n.ClosureLine)
			}
			for _, seg := range segments {
				p.exempt(string(p.doc.Value(seg)), p.doc.Line(seg.Start))
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				seg := n.Segments.At(i)
				p.exempt(string(p.doc.Value(seg)), p.doc.Line(seg.Start))
			}
		case *ast.FencedCodeBlock:
			p.fence(n)
		}
		return ast.WalkContinue, nil
	})
	for _, r := range p.regions {
		for _, sel := range r.Selectors {
			if dir := selected(sel); !slices.Contains(p.dirs, dir) {
				p.dirs = append(p.dirs, dir)
			}
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

func (p *page) inRegion(line int) bool {
	i := sort.Search(len(p.regions), func(i int) bool { return p.regions[i].End >= line })
	return i < len(p.regions) && p.regions[i].Line <= line
}

func (p *page) heading(n *ast.Heading) {
	for len(p.headings) > 0 && p.headings[len(p.headings)-1].level >= n.Level {
		p.headings = p.headings[:len(p.headings)-1]
	}
	lines := n.Lines()
	var text strings.Builder
	for i := range lines.Len() {
		text.Write(p.doc.Value(lines.At(i)))
	}
	p.headings = append(p.headings, heading{n.Level, text.String()})
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
		text.Write(p.doc.Value(t.Segment))
	}
	if line == 0 || p.inRegion(line) {
		return
	}
	s := span{text: strings.TrimSpace(strings.ReplaceAll(text.String(), "\n", " ")), line: line, block: block}
	for _, h := range p.headings {
		s.about = append(s.about, h.text)
	}
	*block = append(*block, s.text)
	p.spans = append(p.spans, s)
}

func (p *page) fence(n *ast.FencedCodeBlock) {
	lines := n.Lines()
	var text strings.Builder
	for i := range lines.Len() {
		text.Write(p.doc.Value(lines.At(i)))
	}
	if n.Info == nil {
		return
	}
	switch lang, _, _ := strings.Cut(string(p.doc.Value(n.Info.Segment)), " "); lang {
	case "go":
		p.code.WriteString(text.String())
	case "make", "makefile":
		p.targets = append(p.targets, command.Targets(text.String())...)
	}
}

var comment = regexp.MustCompile(`<!--\s*symbol-ok\b\s*(.*?)\s*-->`)

// exempt reads the exemptions on one line of HTML.
func (p *page) exempt(html string, line int) {
	if p.inRegion(line) {
		return
	}
	for _, m := range comment.FindAllStringSubmatch(html, -1) {
		name, reason, _ := strings.Cut(strings.Replace(m[1], "：", ": ", 1), ": ")
		p.exemptions = append(p.exemptions, exemption{
			name:   strings.Trim(strings.TrimSuffix(name, ":"), "` "),
			reason: strings.TrimSpace(reason),
			line:   line,
		})
	}
}
