package extract

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// guard says what generated Go can hold the declaration to, or nil.
func (b *builder) guard() *model.Guard {
	d := b.d
	p := d.File.Pkg
	id := d.Exported()
	if id == nil || d.File.Constrained || p.Name == "main" {
		return nil
	}
	g := &model.Guard{Decl: string(d.Kind), Name: id.Name}
	switch d.Kind {
	case source.FuncDecl:
		if d.Func.Type.TypeParams != nil {
			return nil
		}
		params := b.tokens(d.File, d.Func.Type.Params, d.Func.Type.Results)
		if params != nil { // else its name alone can be held
			g.Signature = append([]model.Token{{Text: "func"}}, params...)
		}
	case source.TypeDecl:
		if !b.guardType(g) {
			return nil
		}
	}
	return g
}

// guardType adds the members of a type. It reports false for types that cannot be named
// without more: generic ones and constraints.
func (b *builder) guardType(g *model.Guard) bool {
	d := b.d
	obj, ok := b.x.object(d.File.Pkg, d.Name()).(*types.TypeName)
	if !ok || d.Type.TypeParams != nil || obj.IsAlias() {
		return false
	}
	if iface, ok := obj.Type().Underlying().(*types.Interface); ok {
		if !iface.IsMethodSet() {
			return false
		}
		g.Interface = true
	}
	for _, field := range source.Fields(d.Type.Type) {
		for _, id := range source.ExportedNames(field) {
			if ft, ok := field.Type.(*ast.FuncType); ok && g.Interface {
				g.Methods = append(g.Methods, model.GuardMember{Name: id.Name, Tokens: b.tokens(d.File, ft.Params, ft.Results)})
			} else {
				g.Fields = append(g.Fields, model.GuardMember{Name: id.Name, Tokens: b.exprTokens(d.File, field.Type)})
			}
		}
	}
	for _, m := range d.File.Pkg.Methods(d.Name().Name) {
		if m.Name().IsExported() && !m.File.Constrained {
			ft := m.Func.Type
			g.Methods = append(g.Methods, model.GuardMember{Name: m.Name().Name, Tokens: b.tokens(m.File, ft.Params, ft.Results)})
		}
	}
	return true
}

// tokens writes parameters and results, or nil where a type in them cannot be written
// outside the package. Names of parameters are left out: they are no part of a type.
func (b *builder) tokens(f *source.File, params, results *ast.FieldList) []model.Token {
	w := tokenWriter{b: b, file: f, ok: true}
	w.signature(params, results)
	if !w.ok {
		return nil
	}
	return w.out
}

func (b *builder) exprTokens(f *source.File, e ast.Expr) []model.Token {
	w := tokenWriter{b: b, file: f, ok: true}
	w.expr(e)
	if !w.ok {
		return nil
	}
	return w.out
}

// tokenWriter writes a type expression with its names resolved.
type tokenWriter struct {
	b    *builder
	file *source.File
	out  []model.Token
	ok   bool
}

func (w *tokenWriter) text(s string) { w.out = append(w.out, model.Token{Text: s}) }

func (w *tokenWriter) signature(params, results *ast.FieldList) {
	w.list("(", params, ")")
	if results != nil {
		w.list(" (", results, ")")
	}
}

func (w *tokenWriter) list(open string, fields *ast.FieldList, end string) {
	w.text(open)
	first := true
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			if !first {
				w.text(", ")
			}
			first = false
			w.expr(f.Type)
		}
	}
	w.text(end)
}

func (w *tokenWriter) expr(e ast.Expr) {
	switch t := e.(type) {
	case *ast.Ident:
		w.ident(t)
	case *ast.SelectorExpr:
		w.selector(t)
	case *ast.StarExpr:
		w.text("*")
		w.expr(t.X)
	case *ast.ParenExpr:
		w.expr(t.X)
	case *ast.Ellipsis:
		w.text("...")
		w.expr(t.Elt)
	case *ast.ArrayType:
		w.array(t)
	case *ast.MapType:
		w.text("map[")
		w.expr(t.Key)
		w.text("]")
		w.expr(t.Value)
	case *ast.ChanType:
		w.text(map[ast.ChanDir]string{ast.SEND: "chan<- ", ast.RECV: "<-chan "}[t.Dir])
		if t.Dir == ast.SEND|ast.RECV {
			w.text("chan ")
		}
		w.text("(")
		w.expr(t.Value)
		w.text(")")
	case *ast.FuncType:
		w.text("func")
		w.signature(t.Params, t.Results)
	case *ast.IndexExpr:
		w.index(t.X, t.Index)
	case *ast.IndexListExpr:
		w.index(t.X, t.Indices...)
	default:
		w.ok = false // struct and interface literals: by name only
	}
}

func (w *tokenWriter) index(x ast.Expr, args ...ast.Expr) {
	w.expr(x)
	w.text("[")
	for i, a := range args {
		if i > 0 {
			w.text(", ")
		}
		w.expr(a)
	}
	w.text("]")
}

func (w *tokenWriter) array(t *ast.ArrayType) {
	switch n := t.Len.(type) {
	case nil:
		w.text("[]")
	case *ast.BasicLit:
		w.text("[" + n.Value + "]")
	default:
		w.ok = false
		return
	}
	w.expr(t.Elt)
}

func (w *tokenWriter) ident(id *ast.Ident) {
	_, info := w.b.x.mod.Types(w.file.Pkg)
	switch obj := info.Uses[id].(type) {
	case *types.TypeName:
		switch {
		case obj.Parent() == types.Universe:
			w.text(id.Name)
		case obj.Pkg() != nil && obj.Exported() && obj.Parent() == obj.Pkg().Scope():
			w.out = append(w.out, model.Token{Package: obj.Pkg().Path(), Name: obj.Name()})
		default:
			w.ok = false
		}
	default:
		w.ok = false
	}
}

// selector writes a qualified name. What it means outside the module is not known
// here, so the import decides.
func (w *tokenWriter) selector(sel *ast.SelectorExpr) {
	_, info := w.b.x.mod.Types(w.file.Pkg)
	id, ok := sel.X.(*ast.Ident)
	if !ok || !token.IsExported(sel.Sel.Name) {
		w.ok = false
		return
	}
	pkg, ok := info.Uses[id].(*types.PkgName)
	if !ok {
		w.ok = false
		return
	}
	path := pkg.Imported().Path()
	if !source.IsStandard(path) && w.b.x.mod.Lookup(path) == nil && source.AssumedName(path) != pkg.Imported().Name() {
		w.ok = false
		return
	}
	w.out = append(w.out, model.Token{Package: path, Name: sel.Sel.Name})
}
