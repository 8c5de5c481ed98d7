package markdown

import (
	"regexp"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// footnotes keeps the text of footnotes, which GitHub has and CommonMark has not, from
// being taken for a link reference definition: a note without a space in it, as many are
// in Chinese, reads like the destination of one.
type footnotes struct{}

// footnotePriority is before that of link reference definitions.
const footnotePriority = 50

var footnote = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}\[\^[^\s\[\]]+\]:`) })

// Transform cuts a paragraph before its first footnote. The rest becomes a paragraph that
// is transformed no further.
func (footnotes) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := node.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		if !footnote().Match(line.Value(reader.Source())) {
			continue
		}
		notes := ast.NewParagraph()
		notes.SetPos(line.Start)
		notes.SetBlankPreviousLines(node.HasBlankPreviousLines())
		rest := text.NewSegments()
		rest.AppendAll(lines.Sliced(i, lines.Len()))
		notes.SetLines(rest)
		parent := node.Parent()
		parent.InsertAfter(parent, node, notes)
		if i == 0 {
			parent.RemoveChild(parent, node)
			return
		}
		lines.SetSliced(0, i)
		return
	}
}
