package tables

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tree writes down the nodes of a document with all that is read of them.
func tree(p parser.Parser, src []byte) string {
	var b bytes.Buffer
	depth := 0
	_ = ast.Walk(p.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		fmt.Fprintf(&b, "%*s%s at %d", 2*depth, "", n.Kind(), n.Pos())
		switch n := n.(type) {
		case *ast.Text:
			fmt.Fprintf(&b, " %q %t %+v", n.Segment.Value(src), n.IsRaw(), n.Segment)
		case *extast.Table:
			fmt.Fprint(&b, " ", n.Alignments)
		case *extast.TableRow:
			fmt.Fprint(&b, " ", n.Alignments)
		case *extast.TableCell:
			fmt.Fprint(&b, " ", n.Alignment)
		}
		if n.Type() == ast.TypeBlock {
			for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
				fmt.Fprintf(&b, " %q", line.Value(src))
			}
		}
		b.WriteByte('\n')
		depth++
		return ast.WalkContinue, nil
	})
	return b.String()
}

var pages = []string{
	"| a | b |\n|---|:-:|\n| `x \\| y` | z |\n",
	"a | b\n-|-\n1\n1 | 2 | 3\n",
	"text\n| a |\n| -: |\n|\n||\n",
	"text\nmore\n|a|b|\n|-|-|\n|c\\|d|e\n\nbehind\n",
	"- |a|b|\n  |:-|-:|\n  | `c` `\\|` \\| | `\\|\\|` |\n",
	"> a|b\n> -|-\n> `x|\\|`y` | c\n",
	"|a|\n|-|-|\n", "|a|b|\n|-|x|\n", "|a|\n    |-|\n", "a\n-\n", "a\n---\n", "|\n|\n", "|\n-\n", "a\n:-:\n:\n",
	"|a|\r\n|-|\r\n|b|\r\n", "|a|\n|-|\n|`\\\\|`|\n|`|\\|\n", "|a|\n|-|\n\t|b|\n|x\n|-|\n", "| *a* | [b][c] |\n|--|--|\n\n[c]: d\n",
	"1. a\n\t|b|\n\t|-|\n\t|c|\n", "|a|\n|-|\n| b `c \\| d` e `\\|` \\|\n", ":-\n:-\n", "\\|\n-:\n|`\\|`\n",
}

// FuzzTables holds the tables against those of goldmark's extension.
func FuzzTables(f *testing.F) {
	for _, p := range pages {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		theirs := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
		ours := goldmark.New(goldmark.WithParserOptions(parser.WithParagraphTransformers(Blocks()), parser.WithASTTransformers(Escapes()))).Parser()
		if diff := cmp.Diff(tree(theirs, src), tree(ours, src)); diff != "" {
			t.Errorf("tree of %q differs (-want +got):\n%s", src, diff)
		}
	})
}
