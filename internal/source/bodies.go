package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// maxWhole is how many bytes of Go source are kept as syntax trees with function bodies.
// Of a larger tree the bodies, most of it, are forgotten once they are known to parse.
const maxWhole = 8 << 20

// dropBodies forgets the statements of functions, and the comments among them that are no
// directives of the catalog tools.
func (f *File) dropBodies() {
	if f.AST == nil || f.err != nil {
		return
	}
	var bodies []*ast.BlockStmt
	for _, d := range f.AST.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && len(fd.Body.List) > 0 {
			fd.Body = &ast.BlockStmt{Lbrace: fd.Body.Lbrace, Rbrace: fd.Body.Rbrace}
			bodies = append(bodies, fd.Body)
		}
	}
	if len(bodies) == 0 {
		return
	}
	f.bodiless = true
	kept := make([]*ast.CommentGroup, 0, len(f.AST.Comments))
	for _, g := range f.AST.Comments {
		i, _ := slices.BinarySearchFunc(bodies, g.Pos(), func(b *ast.BlockStmt, pos token.Pos) int { return int(b.Rbrace - pos) })
		inside := i < len(bodies) && bodies[i].Lbrace < g.Pos()
		if !inside || slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, DirectivePrefix) }) {
			kept = append(kept, g)
		}
	}
	f.AST.Comments = kept
}

// Whole returns the syntax of a file with function bodies, perhaps without comments. Where
// the bodies were forgotten the file is parsed once more.
func (m *Module) Whole(f *File) *ast.File {
	if f.AST == nil || !f.bodiless {
		return f.AST
	}
	whole, err := parser.ParseFile(m.Fset, f.Path, f.Src, parser.SkipObjectResolution)
	if err != nil {
		return f.AST
	}
	return whole
}
