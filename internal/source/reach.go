package source

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// reach walks from types to the types that they are made of, and so finds the packages
// outside the module whose types matter.
type reach struct {
	m      *Module
	seen   map[*Decl]bool
	unread map[*externals]map[string][]string // names wanted of packages that are not of the standard library
	values bool                               // in the values of constants: a package that is not there is no loss
	lost   *[]MissingPackage                  // where to collect what could not be read; nil: ask for what is not read yet
}

// MissingPackage is a package outside the tree that could not be read.
type MissingPackage struct {
	Path   string
	Module string // the module and version that go.mod has for it; may be empty
	Why    string // in the go command's words
}

// Missing are the packages that a type is made of, as [Module.NeedExternals] follows it,
// and that could not be read.
func (m *Module) Missing(d *Decl, deep bool) []MissingPackage {
	var out []MissingPackage
	r := &reach{m: m, seen: map[*Decl]bool{}, lost: &out}
	r.decl(d, deep)
	return out
}

// lose records a package that could not be read.
func (r *reach) lose(ext *externals, importPath string) {
	why, ok := ext.missing[importPath]
	if !ok || slices.ContainsFunc(*r.lost, func(p MissingPackage) bool { return p.Path == importPath }) {
		return
	}
	p := MissingPackage{Path: importPath, Why: strings.Join(strings.Fields(why), " ")}
	longest := 0
	for _, req := range ext.gomod.Requires {
		if (req.Path == importPath || strings.HasPrefix(importPath, req.Path+"/")) && len(req.Path) > longest {
			longest = len(req.Path)
			p.Module = req.String()
		}
	}
	*r.lost = append(*r.lost, p)
}

// decl goes on from a declaration, which may be nil. Of a type whose deep is set, the types
// of all fields count, else only those whose members become its own. Of constants, what
// their values are made of counts.
func (r *reach) decl(d *Decl, deep bool) {
	if d == nil || r.seen[d] || d.Type == nil && d.Kind != ConstDecl {
		return
	}
	r.seen[d] = true
	if d.Kind == ConstDecl {
		before := r.values
		r.values = true
		for _, spec := range d.Group.Specs {
			r.all(d.File, spec)
		}
		r.values = before
		return
	}
	switch t := d.Type.Type.(type) {
	case *ast.StructType, *ast.InterfaceType:
		for _, f := range Fields(t) {
			switch {
			case deep:
				r.all(d.File, f.Type)
			case len(f.Names) == 0:
				r.expr(d.File, f.Type, false)
			}
		}
	default:
		r.expr(d.File, t, deep)
	}
}

// all goes on from everything that a part of a declaration names.
func (r *reach) all(f *File, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			r.expr(f, n, true)
			return false
		case *ast.Ident:
			r.expr(f, n, true)
		}
		return true
	})
}

// expr goes on from the named type at the core of an expression.
func (r *reach) expr(f *File, e ast.Expr, deep bool) {
	switch t := e.(type) {
	case *ast.Ident:
		r.decl(f.Pkg.Decl(t.Name), deep)
	case *ast.SelectorExpr:
		if id, ok := t.X.(*ast.Ident); ok {
			for _, importPath := range r.paths(f, id.Name) {
				r.name(f.Pkg, importPath, t.Sel.Name, deep)
			}
		}
	case *ast.StarExpr:
		r.expr(f, t.X, deep)
	case *ast.ParenExpr:
		r.expr(f, t.X, deep)
	case *ast.IndexExpr:
		r.expr(f, t.X, deep)
	case *ast.IndexListExpr:
		r.expr(f, t.X, deep)
	case *ast.ArrayType, *ast.MapType:
		if deep {
			r.all(f, t)
		}
	}
}

// paths are the imports that a package name may stand for: the one of that name, or all
// whose name cannot be told from the path.
func (r *reach) paths(f *File, name string) []string {
	if importPath := r.m.Imports(f)[name]; importPath != "" {
		return []string{importPath}
	}
	var out []string
	for _, spec := range f.AST.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err == nil && spec.Name == nil && !IsStandard(importPath) && r.m.Lookup(importPath) == nil {
			out = append(out, importPath)
		}
	}
	return out
}

// name goes on from a type of another package.
func (r *reach) name(from *Package, importPath, name string, deep bool) {
	if p := r.m.Lookup(importPath); p != nil {
		r.decl(p.Decl(name), deep)
		return
	}
	if importPath == "unsafe" || importPath == "C" || r.m.isOwn(importPath) {
		return
	}
	if resolved := from.imports[importPath]; resolved != "" {
		importPath = resolved
	}
	ext := r.m.extOf(from, importPath)
	if r.lost != nil {
		r.lose(ext, importPath)
	} else {
		ext.typed[importPath] = true
	}
	if p := r.m.load(ext, importPath); p != nil {
		r.decl(p.Decl(name), false)
		return
	}
	if r.values || r.lost != nil {
		return
	}
	if r.unread[ext] == nil {
		r.unread[ext] = map[string][]string{}
	}
	r.unread[ext][importPath] = append(r.unread[ext][importPath], name)
}
