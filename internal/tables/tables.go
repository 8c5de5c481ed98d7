// Package tables yields the tables of GitHub's Markdown to a parser of goldmark: the nodes
// that goldmark's own extension makes, without what starting that package costs every run
// of a command, also one that has nothing to parse.
package tables

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Priority is where goldmark has its tables among paragraph transformers.
const Priority = 200

// Blocks makes tables of paragraphs.
func Blocks() util.PrioritizedValue { return util.Prioritized(blocks{}, Priority) }

// Escapes removes the backslash before a pipe from code spans in the cells of tables. A
// parser without inlines does not need it.
func Escapes() util.PrioritizedValue { return util.Prioritized(escapes{}, 0) }

type blocks struct{}

// Transform implements [parser.ParagraphTransformer]. What stands before the row of names
// stays a paragraph.
func (blocks) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, src := node.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		bar := lines.At(i)
		columns := alignments(bar.Value(src))
		if columns == nil {
			continue
		}
		r := rows{src: src, columns: columns, pc: pc}
		names := r.row(lines.At(i-1), true)
		if names.ChildCount() != len(columns) {
			return
		}
		table := extast.NewTable()
		table.Alignments = columns
		table.SetPos(node.Pos())
		table.AppendChild(table, extast.NewTableHeader(names))
		for _, line := range lines.Sliced(i+1, lines.Len()) {
			table.AppendChild(table, r.row(line, false))
		}
		parent := node.Parent()
		parent.InsertAfter(parent, node, table)
		if i == 1 {
			lines.SetSliced(0, 0)
			parent.RemoveChild(parent, node)
			return
		}
		last := lines.At(i - 2)
		last.Stop-- // its line ending
		lines.SetSliced(0, i-1)
		lines.Set(i-2, last)
		return
	}
}

// alignments reads the row below the names of the columns, or returns nil.
func alignments(line []byte) []extast.Alignment {
	if width, _ := util.IndentWidth(line, 0); width > 3 || len(bytes.Trim(line, "-:| \t\r\n")) > 0 || len(bytes.Trim(line, "-")) == 0 {
		return nil
	}
	cells := bytes.Split(line, []byte("|"))
	if util.IsBlank(cells[0]) {
		cells = cells[1:]
	}
	if n := len(cells); n > 0 && util.IsBlank(cells[n-1]) {
		cells = cells[:n-1]
	}
	var out []extast.Alignment
	for _, cell := range cells {
		cell = bytes.Trim(cell, " \t\r\n")
		right, toLeft := bytes.CutPrefix(cell, []byte(":"))
		dashes, toRight := bytes.CutSuffix(right, []byte(":"))
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return nil
		}
		switch {
		case toLeft && toRight:
			out = append(out, extast.AlignCenter)
		case toLeft:
			out = append(out, extast.AlignLeft)
		case toRight:
			out = append(out, extast.AlignRight)
		default:
			out = append(out, extast.AlignNone)
		}
	}
	return out
}

// rows makes the rows of one table.
type rows struct {
	src     []byte
	columns []extast.Alignment
	pc      parser.Context
}

// row makes a row of a line. Only the row of names may have other cells than the table has
// columns.
func (r *rows) row(line text.Segment, names bool) *extast.TableRow {
	row := extast.NewTableRow(r.columns)
	row.SetPos(line.Start)
	content := line.TrimLeftSpace(r.src)
	content = content.TrimRightSpace(r.src)
	s := content.Value(r.src)
	from, end := 0, len(s)
	if bytes.HasPrefix(s, []byte("|")) {
		from++
	}
	if bytes.HasSuffix(s, []byte("|")) {
		end--
	}
	for from < end {
		n := row.ChildCount()
		if n == len(r.columns) && !names {
			return row
		}
		cell := extast.NewTableCell()
		cell.Alignment = extast.AlignNone
		if n < len(r.columns) {
			cell.Alignment = r.columns[n]
		}
		cell.SetPos(line.Start + from - line.Padding)
		to, escaped := cellEnd(s, from, end)
		for i := range escaped {
			escaped[i] += content.Start
		}
		addEscapes(r.pc, cell, escaped)
		seg := text.NewSegment(content.Start+from, content.Start+to)
		seg = seg.TrimLeftSpace(r.src)
		cell.Lines().Append(seg.TrimRightSpace(r.src))
		row.AppendChild(row, cell)
		from = to + 1
	}
	for row.ChildCount() < len(r.columns) {
		row.AppendChild(row, extast.NewTableCell())
	}
	return row
}

// cellEnd returns where the cell that starts at from ends, and the backslashes before pipes
// that may stand in code.
func cellEnd(s []byte, from, end int) (to int, escaped []int) {
	code := false
	for i := from; i < end; i++ {
		switch {
		case s[i] == '`':
			code = true
		case s[i] != '|':
		case i == 0 || s[i-1] != '\\':
			return i, escaped
		case code:
			escaped = append(escaped, i-1)
		}
	}
	return end, escaped
}
