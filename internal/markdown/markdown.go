// Package markdown yields a page as the tree of GitHub's Markdown that goldmark builds,
// with the line of every node, and what the tree says of links and anchors. It knows
// nothing of rules.
package markdown

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/agentplan/sdk/internal/page"
)

// Doc is one parsed page. It is read-only and safe for concurrent use.
type Doc struct {
	// Root is the document. Offsets of its nodes are offsets of Source.
	Root ast.Node
	// Source is the text that was parsed: the page, or the hand-written part of one, with
	// its line endings mapped to LF.
	Source []byte

	text        *page.Text
	ids         func() map[string]int
	definitions func() map[string]Link
}

// Parse parses a page. Every text is a page; front matter of YAML or TOML at its start
// belongs to no node.
func Parse(src []byte) *Doc { return parse(page.NewText(src)) }

func parse(t *page.Text) *Doc {
	d := &Doc{text: t, Source: t.Bytes()}
	d.ids = sync.OnceValue(d.readIDs)
	d.definitions = sync.OnceValue(d.readDefinitions)
	transformers := append(parser.DefaultParagraphTransformers(), util.Prioritized(extension.NewTableParagraphTransformer(), 200), util.Prioritized(footnotes{}, footnotePriority))
	d.Root = parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(transformers...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	).Parse(text.NewReader(d.Source))
	return d
}

// Line returns the line of the page, counted from 1, that an offset of Source lies on.
func (d *Doc) Line(offset int) int { return d.text.Line(offset) }

// Lines returns the number of lines of the page.
func (d *Doc) Lines() int { return d.text.Lines() }

// Text returns a line of the page without its line ending, empty for one that does not
// exist or was not parsed.
func (d *Doc) Text(line int) string { return string(d.text.At(line)) }

// LineOf returns the line on which a node starts.
func (d *Doc) LineOf(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if raw, ok := n.(*ast.RawHTML); ok && raw.Segments.Len() > 0 {
			return d.Line(raw.Segments.At(0).Start)
		}
		if pos := n.Pos(); pos >= 0 && n.Kind() != ast.KindDocument {
			return d.Line(pos)
		}
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			return d.Line(n.Lines().At(0).Start)
		}
	}
	return 1
}

// Unescape resolves the backslash escapes and character references of Markdown text.
func Unescape(b []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}
