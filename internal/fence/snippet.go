package fence

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ast/astutil"
)

// snippet is one Go fence as a file that can be checked: a whole file stays as it is,
// declarations get a package clause, and statements are put into a function.
type snippet struct {
	block *block
	name  string // of the file in the file set
	file  *ast.File
	body  *ast.FuncDecl // holds the statements, nil where there are none
	shift int           // lines before the copy with the statements

	err   *fault          // of the syntax
	infer []inference     // names of packages that the fence does not import
	free  map[string]bool // names that the fence itself does not declare
}

// fault is one reason why a fence does not compile.
type fault struct {
	line int // of the text of the fence, counted from 1
	text string
}

// resultFunc takes what statements of a fence return: a fence may show how a function
// ends without showing the function.
const resultFunc = "fenceResult"

// parse parses the fence. Name must be unique in the file set.
func (s *snippet) parse(fset *token.FileSet, name string) {
	s.name = name
	src := s.block.text
	if items := split(strings.TrimSuffix(src, "\n")); len(items) == 0 || items[0].kind != token.PACKAGE {
		src = s.wrap(items)
	}
	var err error
	// Unresolved identifiers tell which names the fence takes from elsewhere.
	s.file, err = parser.ParseFile(fset, name, src, parser.AllErrors)
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		s.err = &fault{line: s.line(list[0].Pos.Line), text: syntaxText(list[0].Msg)}
		return
	}
	s.free = map[string]bool{}
	for _, id := range s.file.Unresolved {
		s.free[id.Name] = true
	}
	if s.shift > 0 {
		decl := s.file.Decls[len(s.file.Decls)-1]
		s.body = decl.(*ast.FuncDecl)
		replaceReturns(s.body.Body)
	}
}

func syntaxText(msg string) string {
	if strings.Contains(msg, "'...'") || strings.Contains(msg, "U+2026") {
		return msg + " (leave code out with a comment: // ...)"
	}
	return msg
}

// wrap makes a file of declarations and statements in any order. Both copies of the text
// keep its lines: what does not belong into one is blank there.
func (s *snippet) wrap(items []item) string {
	text := strings.TrimSuffix(s.block.text, "\n")
	decls, stmts := []byte(text), []byte(text)
	loose := false
	for _, it := range items {
		if it.hoisted() {
			blank(stmts[it.start:it.end])
		} else {
			blank(decls[it.start:it.end])
			loose = true
		}
	}
	if loose && !needsHoist(items) {
		// Types, variables and constants may depend on the statements before them.
		decls, stmts = []byte(text), []byte(text)
		for _, it := range items {
			if it.kind == token.IMPORT {
				blank(stmts[it.start:it.end])
			} else {
				blank(decls[it.start:it.end])
			}
		}
	}
	if !loose {
		return "package fence;" + text + "\n"
	}
	s.shift = strings.Count(text, "\n") + 2
	return "package fence;" + string(decls) + "\nfunc _() {\n" + string(stmts) + "\n}\n"
}

func blank(b []byte) {
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
}

// line translates a line of the file to one of the fence.
func (s *snippet) line(n int) int {
	if s.shift > 0 && n > s.shift {
		n -= s.shift
	}
	return min(n, max(1, strings.Count(s.block.text, "\n")))
}

// item is one declaration or statement at the top level of a fence.
type item struct {
	start, end int // offsets in the text
	kind       token.Token
	function   bool // a func or method declaration
}

// onlyImports reports whether the fence shows how to import packages, and nothing else.
func (s *snippet) onlyImports() bool {
	return !slices.ContainsFunc(s.file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return !ok || g.Tok != token.IMPORT
	})
}

// elision is a comment in place of code.
var elision = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(//|/\*)[ \t]*(\.\.\.|…)`) })

// leavesOut reports whether a comment stands for the body of the function that ends at a
// closing brace, or for a part of it.
func (s *snippet) leavesOut(fset *token.FileSet, end token.Pos) bool {
	var body *ast.BlockStmt
	ast.Inspect(s.file, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok && b.Rbrace == end {
			body = b
		}
		return body == nil
	})
	if body == nil {
		return false
	}
	line := func(pos token.Pos) int { return s.line(fset.PositionFor(pos, false).Line) }
	lines := strings.Split(s.block.text, "\n")[line(body.Lbrace)-1 : line(end)]
	text := strings.Join(lines, "\n")
	return elision().MatchString(text) || len(body.List) == 0 && strings.Contains(text, "//")
}

// hoisted reports whether the item can stand outside a function.
func (it item) hoisted() bool {
	switch it.kind {
	case token.IMPORT, token.TYPE, token.CONST, token.VAR, token.PACKAGE:
		return true
	}
	return it.function
}

// needsHoist reports whether functions are declared, which can use the types and
// variables beside them only if those are declared outside the statements too.
func needsHoist(items []item) bool {
	for _, it := range items {
		if it.function {
			return true
		}
	}
	return false
}

// split finds the items of a text. Of one that does not parse it makes something that
// the parser will complain about.
func split(text string) []item {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var sc scanner.Scanner
	sc.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var items []item
	var head []token.Token // of the item, at its top level, with what funcs begin with
	depth, open := 0, false
	cur := item{}
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && depth <= 0 {
			if open {
				if lit == ";" { // one that is written, as in the head of a switch, goes with it
					cur.end = file.Offset(pos) + 1
				}
				cur.function = isFunction(head)
				items = append(items, cur)
			}
			open, head, depth = false, nil, 0
			continue
		}
		if !open {
			open = true
			cur = item{start: file.Offset(pos), kind: tok}
		}
		switch tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		if depth == 0 && len(head) < 5 {
			head = append(head, tok)
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		}
		cur.end = min(file.Offset(pos)+tokenLen(tok, lit), len(text))
	}
	if open {
		cur.function = isFunction(head)
		items = append(items, cur)
	}
	return items
}

func tokenLen(tok token.Token, lit string) int {
	if lit != "" && tok != token.SEMICOLON {
		return len(lit)
	}
	return len(tok.String())
}

// isFunction tells a declaration from a function literal by its first tokens.
func isFunction(head []token.Token) bool {
	match := func(want ...token.Token) bool {
		if len(head) < len(want) {
			return false
		}
		for i, t := range want {
			if head[i] != t {
				return false
			}
		}
		return true
	}
	return match(token.FUNC, token.IDENT) ||
		match(token.FUNC, token.LPAREN, token.RPAREN, token.IDENT, token.LPAREN)
}

// replaceReturns turns return statements with results into calls that take any results.
// Those of function literals are left alone.
func replaceReturns(body *ast.BlockStmt) {
	astutil.Apply(body, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				call := &ast.CallExpr{
					Fun:    &ast.Ident{Name: resultFunc, NamePos: n.Return},
					Lparen: n.Return, Args: n.Results, Rparen: n.End(),
				}
				c.Replace(&ast.ExprStmt{X: call})
			}
			return false
		}
		return true
	}, nil)
}
