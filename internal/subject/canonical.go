package subject

import (
	"go/ast"
	"go/doc/comment"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// canonical is what a declaration promises in a form that only its words and tokens
// change: line breaks, indentation, alignment, directives and what gofmt makes of
// comments do not.
func (v version) canonical(d decl) string {
	var out []string
	for _, g := range d.docs {
		out = append(out, "doc "+docText(g))
	}
	code := slices.Clone(d.words)
	for _, s := range d.code {
		code = append(code, v.tokens(s, d.skip)...)
	}
	return strings.Join(append(out, strings.Join(code, " ")), "\n")
}

// tokens returns the tokens of a range, and its comments by groups.
func (v version) tokens(s span, skip []span) []string {
	src := v.src[v.tf.Offset(s.pos):v.tf.Offset(s.end)]
	file := token.NewFileSet().AddFile("", -1, len(src))
	var sc scanner.Scanner
	sc.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var out []string
	var g group
	for {
		pos, tok, lit := sc.Scan()
		at := s.pos + token.Pos(file.Offset(pos))
		inBody := slices.ContainsFunc(skip, func(b span) bool { return b.pos <= at && at < b.end })
		switch {
		case tok == token.COMMENT && inBody, tok == token.SEMICOLON && lit == "\n" && len(g.list) > 0:
		case tok == token.COMMENT:
			out = g.add(out, lit, file.Line(pos))
		case tok == token.EOF:
			return trimSeparators(g.end(out, 0))
		default:
			out = g.end(out, file.Line(pos))
			if !inBody {
				out = appendToken(out, tok, lit)
			}
		}
	}
}

// group gathers comments as the parser does: those on lines that follow each other, but
// one behind code alone.
type group struct {
	list     []*ast.Comment
	last     int // line of the last token or comment
	trailing bool
}

func (g *group) add(out []string, lit string, line int) []string {
	if len(g.list) > 0 && (line > g.last+1 || g.trailing && line > g.last) {
		out = g.end(out, 0)
	}
	if len(g.list) == 0 {
		g.trailing = line == g.last
	}
	g.list = append(g.list, &ast.Comment{Text: lit})
	g.last = line + strings.Count(lit, "\n")
	return out
}

// end adds what was gathered to out. Line is that of the token behind it.
func (g *group) end(out []string, line int) []string {
	if len(g.list) > 0 {
		if text := docText(&ast.CommentGroup{List: g.list}); text != "" {
			out = append(out, "// "+text)
		}
	}
	g.list, g.last = nil, line
	return out
}

// appendToken adds a token in the form that gofmt has for it.
func appendToken(out []string, tok token.Token, lit string) []string {
	switch tok {
	case token.SEMICOLON:
		return append(out, ";")
	case token.RPAREN, token.RBRACE, token.RBRACK:
		return append(trimSeparators(out), tok.String())
	case token.INT, token.FLOAT, token.IMAG:
		return append(out, strings.ToLower(lit))
	}
	if lit != "" {
		return append(out, strings.ReplaceAll(lit, "\r", ""))
	}
	return append(out, tok.String())
}

// trimSeparators drops what a list may end in or not.
func trimSeparators(out []string) []string {
	for len(out) > 0 && (out[len(out)-1] == "," || out[len(out)-1] == ";") {
		out = out[:len(out)-1]
	}
	return out
}

// docText is the text of comments as gofmt formats it, in one line. Directives are none
// of it.
func docText(g *ast.CommentGroup) string {
	var parser comment.Parser
	var printer comment.Printer
	return strings.Join(strings.Fields(string(printer.Comment(parser.Parse(g.Text())))), " ")
}
