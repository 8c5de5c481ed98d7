// Package markdown yields a page as the tree of GitHub's Markdown that goldmark builds,
// with the line of every node, and what the tree says of links and anchors. It knows
// nothing of rules.
package markdown

import (
	"bytes"
	"sort"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/tables"
)

// Doc is one parsed page. It is read-only and safe for concurrent use.
type Doc struct {
	// Root is the document. Offsets of its nodes are offsets of Source.
	Root ast.Node
	// Source is the page without byte order mark and front matter, its line endings
	// mapped to LF.
	Source []byte

	skipped int   // lines of front matter
	at      []int // offset of each line in Source

	ids         func() map[string]int
	definitions func() map[string]Link
}

// Parse parses a page. Every text is a page; front matter of YAML or TOML at its start
// belongs to no node.
func Parse(src []byte) *Doc {
	norm := normalize(src)
	d := &Doc{}
	d.ids = sync.OnceValue(d.readIDs)
	d.definitions = sync.OnceValue(d.readDefinitions)
	d.Source, d.skipped = page.CutFrontMatter(norm)
	for pos := 0; pos < len(d.Source); {
		d.at = append(d.at, pos)
		n := bytes.IndexByte(d.Source[pos:], '\n')
		if n < 0 {
			break
		}
		pos += n + 1
	}
	transformers := append(parser.DefaultParagraphTransformers(), tables.Blocks(), util.Prioritized(footnotes{}, footnotePriority))
	d.Root = parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(transformers...),
		parser.WithASTTransformers(tables.Escapes()),
	).Parse(text.NewReader(d.Source))
	return d
}

// Line returns the line of the page, counted from 1, that an offset of Source lies on.
func (d *Doc) Line(offset int) int {
	return d.skipped + max(sort.SearchInts(d.at, offset+1), 1)
}

// Lines returns the number of lines of the page.
func (d *Doc) Lines() int { return d.skipped + len(d.at) }

// Text returns a line of the page without its line ending, empty for one that does not
// exist or belongs to the front matter.
func (d *Doc) Text(line int) string {
	i := line - d.skipped - 1
	if i < 0 || i >= len(d.at) {
		return ""
	}
	rest := d.Source[d.at[i]:]
	if n := bytes.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	return string(rest)
}

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

// normalize drops a byte order mark and maps CRLF and CR to LF.
func normalize(src []byte) []byte {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if bytes.IndexByte(src, '\r') < 0 {
		return src
	}
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(src, []byte("\r"), []byte("\n"))
}

// Unescape resolves the backslash escapes and character references of Markdown text.
func Unescape(b []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}
