package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// standIn makes a package in the place of one that was not read. It has no members, but
// for the types that declared types of the importing package are instantiated with: as the
// type checker takes List[foreign.Item] for no type at all where Item is unknown, and so
// would hide what is known of List. Those types have nothing themselves, and are
// incomplete by [Module.IsStandIn].
func (im importer) standIn(importPath string) *types.Package {
	stub := types.NewPackage(importPath, AssumedName(importPath))
	for name := range im.m.arguments(im.from)[importPath] {
		obj := types.NewTypeName(token.NoPos, stub, name, nil)
		types.NewNamed(obj, types.NewInterfaceType(nil, nil).Complete(), nil)
		stub.Scope().Insert(obj)
	}
	stub.MarkComplete()
	return stub
}

// IsStandIn reports whether a type stands in the place of one that was not read.
func (m *Module) IsStandIn(t types.Type) bool {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	return named.Obj().Pos() == token.NoPos && m.SourceOf(named.Obj().Pkg()) == nil
}

// arguments are the names of types of other packages that declared types of a package are
// instantiated with, by import path.
func (m *Module) arguments(p *Package) map[string]map[string]bool {
	if p.arguments != nil {
		return p.arguments
	}
	out := map[string]map[string]bool{}
	p.arguments = out
	for _, d := range p.Decls() {
		if d.Type == nil {
			continue
		}
		ast.Inspect(d.Type.Type, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IndexExpr:
				m.argumentNames(d.File, n.Index, out)
			case *ast.IndexListExpr:
				for _, e := range n.Indices {
					m.argumentNames(d.File, e, out)
				}
			}
			return true
		})
	}
	return out
}

func (m *Module) argumentNames(f *File, e ast.Expr, out map[string]map[string]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, spec := range f.AST.Imports {
			importPath := strings.Trim(spec.Path.Value, "`\"")
			if name := AssumedName(importPath); spec.Name == nil && name == id.Name || spec.Name != nil && spec.Name.Name == id.Name {
				if out[importPath] == nil {
					out[importPath] = map[string]bool{}
				}
				out[importPath][sel.Sel.Name] = true
			}
		}
		return true
	})
}
