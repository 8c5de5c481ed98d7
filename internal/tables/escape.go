package tables

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// escapedCell is a cell with the offsets of backslashes that code spans in it leave out.
type escapedCell struct {
	cell    *extast.TableCell
	offsets []int
}

var escapedKey = parser.NewContextKey()

func addEscapes(pc parser.Context, cell *extast.TableCell, offsets []int) {
	if len(offsets) > 0 {
		cells, _ := pc.Get(escapedKey).([]escapedCell)
		pc.Set(escapedKey, append(cells, escapedCell{cell, offsets}))
	}
}

type escapes struct{}

// Transform implements [parser.ASTTransformer].
func (escapes) Transform(_ *ast.Document, _ text.Reader, pc parser.Context) {
	cells, _ := pc.Get(escapedKey).([]escapedCell)
	pc.Set(escapedKey, nil)
	for _, c := range cells {
		// The walker never fails, so neither does the walk.
		_ = ast.Walk(c.cell, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Kind() == ast.KindCodeSpan {
				c.split(n)
			}
			return ast.WalkContinue, nil
		})
	}
}

// split takes the backslashes out of the text of a code span.
func (c escapedCell) split(span ast.Node) {
	for n := span.FirstChild(); n != nil; n = n.NextSibling() {
		part, ok := n.(*ast.Text)
		if !ok {
			continue
		}
		for _, offset := range c.offsets {
			seg := part.Segment
			if offset < seg.Start || seg.Stop <= offset {
				continue
			}
			before, behind := ast.NewRawTextSegment(seg.WithStop(offset)), ast.NewRawTextSegment(seg.WithStart(offset+1))
			span.InsertAfter(span, part, before)
			span.InsertAfter(span, before, behind)
			span.RemoveChild(span, part)
			part, n = behind, behind
		}
	}
}
