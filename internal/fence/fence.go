// Package fence yields what is wrong with the code that pages show: a Go fence that
// quotes a declaration must equal it, every other Go fence must compile against the
// module as it is, and the commands of a shell fence must exist with their targets and
// flags.
//
// Nothing is compiled and nothing is run. Generated regions are never judged.
package fence

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/tree"
)

// Set is the fences of all pages.
type Set struct {
	pages []*pageFences
}

// pageFences is one page and its fences outside of regions.
type pageFences struct {
	path   string
	doc    *markdown.Doc
	fences []*block
}

// block is one fenced code block.
type block struct {
	page   *pageFences
	line   int    // of the opening fence
	lang   string // the first word of the info string, in lower case
	info   string // the rest of it
	first  int    // the line of the first line of text
	from   int    // offset in the document of the text, where there is any
	text   string // with LF line endings
	repeat bool   // the first language's page has the same block, which is judged there
}

// Read finds the fences of the pages.
func Read(pages *markdown.Set) *Set {
	s := &Set{}
	groups := map[*tree.Group][]*pageFences{}
	for _, page := range pages.Pages {
		p := &pageFences{path: page.Path, doc: page.Doc}
		p.find(page.Generated)
		s.pages = append(s.pages, p)
		groups[page.Group] = append(groups[page.Group], p)
	}
	for _, sides := range groups {
		markRepeats(sides)
	}
	return s
}

// find collects the fences of a page but those on lines that are generated.
func (p *pageFences) find(generated func(line int) bool) {
	_ = ast.Walk(p.doc.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock {
			return ast.WalkSkipChildren, nil
		}
		code, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering || code.Info == nil {
			return ast.WalkContinue, nil
		}
		if b := p.block(code); !generated(b.line) {
			p.fences = append(p.fences, b)
		}
		return ast.WalkContinue, nil
	})
}

func (p *pageFences) block(code *ast.FencedCodeBlock) *block {
	info := strings.TrimSpace(string(code.Info.Segment.Value(p.doc.Source)))
	end := strings.IndexAny(info, " \t,{")
	if end < 0 {
		end = len(info)
	}
	b := &block{
		page: p,
		line: p.doc.Line(code.Info.Segment.Start),
		lang: strings.ToLower(info[:end]),
		info: strings.TrimSpace(info[end:]),
	}
	b.first = b.line + 1
	if lines := code.Lines(); lines.Len() > 0 {
		b.from = lines.At(0).Start
		b.text = string(lines.Value(p.doc.Source))
	}
	return b
}

// markRepeats marks the blocks that every page of a group has: they are judged on the
// first page only. The second of two equal blocks of a page answers to the second on
// another.
func markRepeats(sides []*pageFences) {
	type key struct {
		lang, info, text string
		n                int
	}
	seen := map[key][]*block{}
	for _, p := range sides {
		count := map[key]int{}
		for _, b := range p.fences {
			k := key{lang: b.lang, info: b.info, text: b.text}
			count[k]++
			k.n = count[k]
			seen[k] = append(seen[k], b)
		}
	}
	for _, same := range seen {
		if len(same) == len(sides) {
			for _, b := range same[1:] {
				b.repeat = true
			}
		}
	}
}

// optOut reads the info string of a fence that is not to be judged, and why.
func (b *block) optOut() (reason string, out bool) {
	rest, ok := strings.CutPrefix(b.info, "ignore")
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], ": \t") {
		return "", false
	}
	reason, _ = strings.CutPrefix(strings.TrimSpace(rest), ":")
	return strings.TrimSpace(reason), true
}

// isShell reports whether the block holds commands.
func (b *block) isShell() bool {
	return slices.Contains([]string{"sh", "bash", "console"}, b.lang)
}
