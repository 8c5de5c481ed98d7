package planmode

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds on the work that a plan can ask for. Lists and quotes nested deeper than
// maxNesting are read as text; a heading line longer than maxTitleLine is taken for its
// own title.
const (
	maxNesting   = 100
	maxTitleLine = 16 << 10
)

// document is what a plan is as Markdown.
type document struct {
	title string
	fault string // why it is no complete plan; empty for none
}

// parsePlan reads a plan by the rules of CommonMark. Only its blocks are parsed, and the
// inline text of its first heading.
func parsePlan(plan []byte) document {
	source := unixLines(plan)
	line, number := firstLine(source)
	if number == 0 {
		return document{fault: say(faultEmpty)}
	}
	// The mark is replaced by nothing and not by a blank, which would indent the line.
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	if !bytes.HasSuffix(source, []byte("\n")) {
		// Else the reader is at the end already when the last line closes a block.
		source = append(bytes.Clone(source), '\n')
	}
	fences := &fenceParser{BlockParser: parser.NewFencedCodeBlockParser(), opened: map[ast.Node]int{}}
	root := blockParser(fences).Parse(text.NewReader(source))
	if found := beginning(root.FirstChild(), source, line); found != "" {
		return document{fault: say(faultBeginning, found, number)}
	}
	title := headingTitle(line)
	if title == "" {
		return document{fault: say(faultTitle, number)}
	}
	if fences.cutOff != 0 {
		return document{fault: say(faultFence, fences.cutOff)}
	}
	return document{title: title}
}

const byteOrderMark = "\ufeff"

// firstLine returns the first line that is not blank and its number from 1, or 0 if
// there is none. A byte order mark before the text is passed over.
func firstLine(source []byte) (line []byte, number int) {
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	for line := range bytes.Lines(source) {
		number++
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(bytes.Trim(line, " \t")) > 0 {
			return line, number
		}
	}
	return nil, 0
}

// atxLevel returns the level of the ATX heading that the line is by CommonMark, or 0.
func atxLevel(line []byte) int {
	rest := bytes.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return 0
	}
	after := bytes.TrimLeft(rest, "#")
	level := len(rest) - len(after)
	if level > 6 || len(after) > 0 && after[0] != ' ' && after[0] != '\t' {
		return 0
	}
	return level
}

// beginning names the block that a document begins with in words, or returns "" if it is
// a level-1 ATX heading.
func beginning(first ast.Node, source, line []byte) string {
	mark := string(bytes.TrimRight(line, " \t"))
	if (mark == "---" || mark == "+++") && closesFrontMatter(source, mark) {
		return "front matter (" + mark + ")"
	}
	switch node := first.(type) {
	case *ast.Heading:
		switch level := atxLevel(line); {
		case level == 0:
			return fmt.Sprintf("a level-%d setext heading (an underlined line)", node.Level)
		case level != 1:
			return fmt.Sprintf("a level-%d heading", level)
		case node.Level != 1:
			return "text"
		}
		return ""
	case *ast.FencedCodeBlock:
		return "a code fence"
	case *ast.CodeBlock:
		return "an indented code block"
	case *ast.HTMLBlock:
		return "an HTML block"
	case *ast.ThematicBreak:
		return "a thematic break"
	case *ast.List:
		return "a list"
	case *ast.Blockquote:
		return "a block quote"
	}
	return "text that is no heading"
}

// closesFrontMatter reports whether a line after the first one closes front matter that
// the first one, a mark, opens.
func closesFrontMatter(source []byte, mark string) bool {
	opened := false
	for line := range bytes.Lines(source) {
		text := string(bytes.TrimRight(line, " \t\n"))
		switch {
		case text == "" && !opened:
		case !opened:
			opened = true
		case text == mark || text == "..." && mark == "---":
			return true
		}
	}
	return false
}

// headingTitle returns the visible text of a line if it is a level-1 ATX heading, with
// each run of white space as one blank, or "" if there is none.
func headingTitle(line []byte) string {
	if atxLevel(line) != 1 {
		return ""
	}
	title := string(bytes.TrimLeft(line, " #\t"))
	if len(line) <= maxTitleLine {
		var b strings.Builder
		root := titleParser().Parse(text.NewReader(line))
		writeText(&b, root, line)
		title = b.String()
	}
	if strings.IndexFunc(title, visible) < 0 {
		return ""
	}
	return strings.Join(strings.FieldsFunc(title, isSpace), " ")
}

// writeText writes what a reader sees of the inline nodes below node.
func writeText(b *strings.Builder, node ast.Node, source []byte) {
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		switch n := child.(type) {
		case *ast.Text:
			value := n.Segment.Value(source)
			if _, isCode := node.(*ast.CodeSpan); !isCode && !n.IsRaw() {
				value = util.UnescapePunctuations(value)
				value = util.ResolveNumericReferences(value)
				value = util.ResolveEntityNames(value)
			}
			b.Write(value)
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *ast.RawHTML:
		default:
			writeText(b, child, source)
		}
	}
}

// visible reports whether a reader sees anything of r.
func visible(r rune) bool {
	switch {
	case isSpace(r), unicode.IsControl(r), r == '\u2800': // the braille pattern without dots
		return false
	case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false
	}
	return true
}

func titleParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewATXHeadingParser(), 100), util.Prioritized(parser.NewParagraphParser(), 200)),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	)
}

// blockParser returns a parser of CommonMark blocks. Link definitions stay text: whether
// they are resolved moves no block.
func blockParser(fences parser.BlockParser) parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(fences, 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
}

// shallow opens its blocks down to maxNesting only.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for node := parent; node != nil; node = node.Parent() {
		depth++
	}
	if depth > maxNesting {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// fenceParser parses fenced code blocks and finds the first one that nothing but the end
// of the document closes.
type fenceParser struct {
	parser.BlockParser
	opened map[ast.Node]int // the line of each fence that no line has closed yet
	cutOff int              // the line of the first fence that is never closed, 0 for none
}

func (f *fenceParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := f.BlockParser.Open(parent, reader, pc)
	if node != nil {
		line, _ := reader.Position()
		f.opened[node] = line + 1
	}
	return node, state
}

func (f *fenceParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	state := f.BlockParser.Continue(node, reader, pc)
	if state&parser.Close != 0 {
		delete(f.opened, node)
	}
	return state
}

func (f *fenceParser) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	line, open := f.opened[node]
	// A line that is left belongs to what follows the list or quote of the fence.
	if rest, _ := reader.PeekLine(); open && rest == nil && f.cutOff == 0 {
		f.cutOff = line
	}
	f.BlockParser.Close(node, reader, pc)
}
