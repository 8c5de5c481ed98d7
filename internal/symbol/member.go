package symbol

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/agentplan/sdk/internal/source"
)

// certainty is whether a type has a member.
type certainty int

const (
	no certainty = iota
	yes
	unknown // it is made of types that are not read
)

// member tells by syntax alone whether a type has a method or field, promoted ones
// included.
func (c *checker) member(pkg *source.Package, typeName, name string) certainty {
	m := memberSearch{c: c, want: name, seen: map[*source.Decl]bool{}}
	m.visit(pkg, typeName)
	if m.found {
		return yes
	}
	if m.open {
		return unknown
	}
	return no
}

// memberNames are the exported methods and fields of a type as far as they are known.
func (c *checker) memberNames(pkg *source.Package, typeName string) []string {
	m := memberSearch{c: c, seen: map[*source.Decl]bool{}}
	m.visit(pkg, typeName)
	slices.Sort(m.names)
	return slices.Compact(m.names)
}

type memberSearch struct {
	c     *checker
	want  string
	seen  map[*source.Decl]bool
	names []string
	found bool
	open  bool
}

func (m *memberSearch) add(name string) {
	m.found = m.found || name == m.want
	if token.IsExported(name) {
		m.names = append(m.names, name)
	}
}

func (m *memberSearch) visit(pkg *source.Package, typeName string) {
	d := pkg.Decl(typeName)
	if d == nil || d.Type == nil {
		m.open = m.open || d == nil && typeName != "comparable"
		return
	}
	if m.seen[d] {
		return
	}
	m.seen[d] = true
	for _, method := range pkg.Methods(typeName) {
		m.add(method.Name().Name)
	}
	switch t := d.Type.Type.(type) {
	case *ast.StructType, *ast.InterfaceType:
		for _, f := range source.Fields(t) {
			for _, id := range f.Names {
				m.add(id.Name)
			}
			if len(f.Names) == 0 {
				m.embedded(pkg, d.File, f.Type)
			}
		}
	default:
		m.embedded(pkg, d.File, t)
	}
}

// embedded follows a type that another embeds, or is defined as.
func (m *memberSearch) embedded(pkg *source.Package, f *source.File, e ast.Expr) {
	switch t := e.(type) {
	case *ast.StarExpr:
		m.embedded(pkg, f, t.X)
	case *ast.ParenExpr:
		m.embedded(pkg, f, t.X)
	case *ast.IndexExpr:
		m.embedded(pkg, f, t.X)
	case *ast.IndexListExpr:
		m.embedded(pkg, f, t.X)
	case *ast.Ident:
		m.add(t.Name)
		if pkg.Decl(t.Name) != nil {
			m.visit(pkg, t.Name)
		} else if t.Name == "error" {
			m.add("Error")
		}
	case *ast.SelectorExpr:
		m.add(t.Sel.Name)
		id, ok := t.X.(*ast.Ident)
		if !ok {
			return
		}
		importPath := m.c.mod.Imports(f)[id.Name]
		dep := m.c.mod.Lookup(importPath)
		if dep == nil && source.IsStandard(importPath) {
			dep = m.c.mod.External(importPath)
		}
		if dep != nil {
			m.visit(dep, t.Sel.Name)
		} else {
			m.open = true
		}
	}
}
