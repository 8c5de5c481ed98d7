package subject

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// canonical is what a declaration promises in a form that only its words and tokens
// change: line breaks, indentation, alignment and directives do not.
func (v version) canonical(d decl) string {
	var out []string
	for _, g := range d.docs {
		out = append(out, "doc "+strings.Join(strings.Fields(g.Text()), " "))
	}
	code := slices.Clone(d.words)
	for _, s := range d.code {
		code = append(code, v.tokens(s, d.skip)...)
	}
	return strings.Join(append(out, strings.Join(code, " ")), "\n")
}

// tokens returns the tokens and comments of a range.
func (v version) tokens(s span, skip []span) []string {
	src := v.src[v.tf.Offset(s.pos):v.tf.Offset(s.end)]
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var sc scanner.Scanner
	sc.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var out []string
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		at := s.pos + token.Pos(file.Offset(pos))
		if slices.ContainsFunc(skip, func(b span) bool { return b.pos <= at && at < b.end }) {
			continue
		}
		switch {
		case tok == token.COMMENT:
			if text := commentText(lit); text != "" {
				out = append(out, text)
			}
		case tok == token.SEMICOLON:
			out = append(out, ";")
		case tok == token.RPAREN || tok == token.RBRACE || tok == token.RBRACK:
			// A list may end in a separator or not.
			for len(out) > 0 && (out[len(out)-1] == "," || out[len(out)-1] == ";") {
				out = out[:len(out)-1]
			}
			out = append(out, tok.String())
		case lit != "":
			out = append(out, strings.ReplaceAll(lit, "\r", ""))
		default:
			out = append(out, tok.String())
		}
	}
	for len(out) > 0 && out[len(out)-1] == ";" {
		out = out[:len(out)-1]
	}
	return out
}

// commentText is the text of one comment; a directive has none.
func commentText(lit string) string {
	if source.IsDirective(lit) {
		return ""
	}
	g := ast.CommentGroup{List: []*ast.Comment{{Text: lit}}}
	return strings.Join(strings.Fields(g.Text()), " ")
}
