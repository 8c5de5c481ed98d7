package subject

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/agentplan/sdk/internal/source"
)

// span is a range of a file.
type span struct{ pos, end token.Pos }

// decl is the syntax of a declaration: what is said of it, and how it reads.
type decl struct {
	docs  []*ast.CommentGroup // those that are not in code
	words []string            // what belongs to it but is not in code, such as a keyword
	code  []span
	skip  []span // bodies within code
	shown []span
}

func (d decl) start() token.Pos { return d.shown[0].pos }

// locate finds a declaration in the file.
func (v version) locate(t target) (decl, bool) {
	if t.pkg {
		return v.packageClause()
	}
	for _, d := range v.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if t.embedded == "" && isFunc(d, t) {
				return v.function(d), true
			}
		case *ast.GenDecl:
			for i, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.Name != t.name {
						continue
					}
					if t.member == "" {
						return typeDecl(d, spec), true
					}
					if field, ok := v.field(spec.Type, t); ok {
						return field, true
					}
				case *ast.ValueSpec:
					at := slices.IndexFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == t.name })
					if at >= 0 && t.member == "" {
						return value(d, i, at), true
					}
				}
			}
		}
	}
	return decl{}, false
}

func isFunc(d *ast.FuncDecl, t target) bool {
	if t.member == "" {
		return d.Recv == nil && d.Name.Name == t.name
	}
	recv := source.ReceiverName(d)
	return recv != "" && d.Name.Name == t.member && (recv == t.name || recv == t.alias)
}

// function is a func or method. The name of a receiver promises nothing.
func (v version) function(d *ast.FuncDecl) decl {
	out := decl{docs: groups(d.Doc), words: []string{"func"}}
	if d.Recv != nil {
		for _, f := range d.Recv.List {
			out.code = append(out.code, span{f.Type.Pos(), f.Type.End()})
		}
	}
	out.code = append(out.code, span{d.Name.Pos(), d.Type.Params.End()})
	if r := d.Type.Results; r != nil {
		result := span{r.Pos(), r.End()}
		if len(r.List) == 1 && len(r.List[0].Names) == 0 { // parentheses make no difference
			result = span{r.List[0].Type.Pos(), r.List[0].Type.End()}
		}
		out.code = append(out.code, result)
	}
	out.shown = []span{{startOf(d.Doc, d.Pos()), d.Type.End()}}
	return out
}

func typeDecl(d *ast.GenDecl, spec *ast.TypeSpec) decl {
	out := decl{docs: groups(spec.Doc, spec.Comment), words: []string{"type"}, code: []span{{spec.Pos(), spec.End()}}}
	pos, doc := spec.Pos(), spec.Doc
	if !d.Lparen.IsValid() {
		pos = d.Pos()
	}
	if doc == nil && len(d.Specs) == 1 {
		doc = d.Doc
		out.docs = groups(doc, spec.Comment)
	}
	out.shown = []span{{startOf(doc, pos), endOf(spec.Comment, spec.End())}}
	return out
}

// field is a direct field or interface method, or the embedded type that a member from
// outside the module comes by.
func (v version) field(e ast.Expr, t target) (decl, bool) {
	for _, f := range source.Fields(e) {
		named := slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == t.member })
		embedded := len(f.Names) == 0 && (baseName(f.Type) == t.member && t.embedded == "" ||
			t.embedded != "" && v.slice(f.Type.Pos(), f.Type.End()) == t.embedded)
		if !named && !embedded {
			continue
		}
		out := decl{docs: groups(f.Doc, f.Comment), code: []span{{f.Type.Pos(), f.Type.End()}}}
		if named {
			out.words = []string{t.member}
		}
		if f.Tag != nil {
			out.code = append(out.code, span{f.Tag.Pos(), f.Tag.End()})
		}
		out.shown = []span{{startOf(f.Doc, f.Pos()), endOf(f.Comment, f.End())}}
		return out, true
	}
	return decl{}, false
}

// value is one name of a const or var declaration. A const without a value has that of
// the spec before it.
func value(d *ast.GenDecl, at, name int) decl {
	spec := d.Specs[at].(*ast.ValueSpec)
	out := decl{docs: groups(d.Doc, spec.Doc, spec.Comment), words: []string{d.Tok.String(), spec.Names[name].Name}}
	from := spec
	for i := at; d.Tok == token.CONST && from.Type == nil && from.Values == nil && i > 0; i-- {
		from = d.Specs[i-1].(*ast.ValueSpec)
	}
	if from.Type != nil {
		out.code = append(out.code, span{from.Type.Pos(), from.Type.End()})
	}
	counts := false
	for i, e := range from.Values {
		if i == name || len(from.Values) != len(from.Names) {
			out.code = append(out.code, span{e.Pos(), e.End()})
			counts = inspectValue(e, &out) || counts
		}
	}
	if counts { // the value depends on the position in the group
		for range at {
			out.words = append(out.words, "_")
		}
	}
	if d.Lparen.IsValid() {
		if d.Doc != nil {
			out.shown = append(out.shown, span{d.Doc.Pos(), d.Doc.End()})
		}
		out.shown = append(out.shown, span{startOf(spec.Doc, spec.Pos()), endOf(spec.Comment, spec.End())})
	} else {
		out.shown = []span{{startOf(d.Doc, d.Pos()), endOf(spec.Comment, spec.End())}}
	}
	return out
}

// inspectValue notes the bodies of function literals, and reports whether the value
// depends on iota.
func inspectValue(e ast.Expr, out *decl) bool {
	counts := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			out.skip = append(out.skip, span{n.Body.Pos(), n.Body.End()})
		case *ast.Ident:
			counts = counts || n.Name == "iota"
		}
		return true
	})
	return counts
}

func groups(list ...*ast.CommentGroup) []*ast.CommentGroup {
	return slices.DeleteFunc(list, func(g *ast.CommentGroup) bool { return g == nil })
}

func startOf(doc *ast.CommentGroup, pos token.Pos) token.Pos {
	if doc != nil {
		return min(doc.Pos(), pos)
	}
	return pos
}

func endOf(comment *ast.CommentGroup, end token.Pos) token.Pos {
	if comment != nil {
		return max(comment.End(), end)
	}
	return end
}

// baseName is the name of the type at the core of a receiver or an embedded field.
func baseName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.StarExpr:
		return baseName(t.X)
	case *ast.ParenExpr:
		return baseName(t.X)
	case *ast.IndexExpr:
		return baseName(t.X)
	case *ast.IndexListExpr:
		return baseName(t.X)
	}
	return ""
}
