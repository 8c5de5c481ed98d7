package fence

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/source"
)

// loader makes the types of what fences import, from source. Of each package it checks
// only the declarations that can be reached from what the fences mention, and no function
// body.
type loader struct {
	mod     *source.Module
	cache   *Cache
	found   map[string]*source.Package // by import path; nil for what does not exist
	listed  map[string]*packages.Package
	parts   map[string]*part
	todo    []name
	pending map[string][]name // packages that only the go command can find, and what is wanted of them
	failed  map[string]string // packages that cannot be read, and why
}

// name is a package-level name.
type name struct{ path, ident string }

// part is what has been reached of one package.
type part struct {
	pkg     *source.Package
	reached map[string]bool
	decls   map[ast.Node]*source.Decl // declarations and specs to keep
	sealing map[string]bool           // unexported methods that interfaces of the package ask for
	types   *types.Package
	busy    bool
}

func newLoader(mod *source.Module, cache *Cache) *loader {
	l := &loader{
		mod:     mod,
		cache:   cache,
		found:   map[string]*source.Package{},
		listed:  cache.listed,
		parts:   map[string]*part{},
		pending: map[string][]name{},
		failed:  map[string]string{},
	}
	return l
}

// want asks for a package-level name, or with an empty ident for the package alone.
func (l *loader) want(path, ident string) { l.todo = append(l.todo, name{path, ident}) }

// load reads all that was asked for and what that is made of. The go command looks for
// what only it can find meanwhile.
func (l *loader) load(ctx context.Context) {
	var foreign []string
	for _, n := range l.todo {
		if l.mustList(n.path) && l.listed[n.path] == nil && n.path != "C" {
			foreign = append(foreign, n.path)
		}
	}
	wait := l.ask(ctx, foreign)
	for {
		for len(l.todo) > 0 {
			next := l.todo[len(l.todo)-1]
			l.todo = l.todo[:len(l.todo)-1]
			l.reach(next)
		}
		if wait == nil {
			wait = l.ask(ctx, slices.Collect(maps.Keys(l.pending)))
		}
		if wait == nil {
			return
		}
		wait()
		wait = nil
	}
}

// reach marks a name and everything its declaration mentions outside of bodies.
func (l *loader) reach(n name) {
	if n.path == "C" || n.path == "unsafe" {
		return
	}
	pt := l.parts[n.path]
	if pt == nil {
		p := l.find(n.path)
		if p == nil {
			if _, listed := l.found[n.path]; !listed && l.mustList(n.path) {
				l.pending[n.path] = append(l.pending[n.path], n)
			}
			return
		}
		pt = &part{pkg: p, reached: map[string]bool{}, decls: map[ast.Node]*source.Decl{}, sealing: sealing(p)}
		l.parts[n.path] = pt
	}
	if n.ident == "" || pt.reached[n.ident] {
		return
	}
	pt.reached[n.ident] = true
	d := pt.pkg.Decl(n.ident)
	if d == nil {
		return
	}
	l.keep(pt, d, n.ident)
	if d.Kind == source.TypeDecl {
		for _, m := range pt.pkg.Methods(n.ident) {
			if name := m.Name().Name; token.IsExported(name) || pt.sealing[name] {
				l.keep(pt, m, "")
			}
		}
	}
}

// sealing are the unexported methods of a package's interfaces.
func sealing(p *source.Package) map[string]bool {
	out := map[string]bool{}
	for _, d := range p.Decls() {
		if d.Type == nil {
			continue
		}
		if it, ok := d.Type.Type.(*ast.InterfaceType); ok {
			for _, f := range it.Methods.List {
				for _, id := range f.Names {
					if !id.IsExported() {
						out[id.Name] = true
					}
				}
			}
		}
	}
	return out
}

// keep adds a declaration to what is checked of its package, and asks for what it
// mentions.
func (l *loader) keep(pt *part, d *source.Decl, ident string) {
	node := keptNode(d, ident)
	if pt.decls[node] != nil {
		return
	}
	pt.decls[node] = d
	imports := l.fileImports(pt.pkg, d.File)
	mention := func(n ast.Node) { l.mention(pt, imports, n) }
	switch n := node.(type) {
	case *ast.FuncDecl:
		if n.Recv != nil {
			mention(n.Recv)
		}
		mention(n.Type)
	case *ast.ValueSpec:
		if n.Type != nil {
			mention(n.Type)
			break
		}
		for _, v := range n.Values {
			mention(v)
		}
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			mention(n.TypeParams)
		}
		mention(withoutHidden(n).Type)
	default:
		mention(n)
	}
	if g, ok := node.(*ast.GenDecl); ok { // constants: all or none, because of iota
		for _, spec := range g.Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				pt.reached[id.Name] = true
			}
		}
	}
}

// keptNode is the syntax of a declaration that declares ident: a func, a type spec, a
// group of constants, or the one spec of a var.
func keptNode(d *source.Decl, ident string) ast.Node {
	switch {
	case d.Func != nil:
		return d.Func
	case d.Type != nil:
		return d.Type
	case d.Kind == source.ConstDecl:
		return d.Group
	}
	for _, spec := range d.Group.Specs {
		if vs, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(vs.Names, func(id *ast.Ident) bool { return id.Name == ident }) {
			return vs
		}
	}
	return d.Group
}

// mention asks for every name in a piece of syntax that may be one of a package.
func (l *loader) mention(pt *part, imports map[string]string, root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false // the body of a function literal
		case *ast.Field:
			l.mention(pt, imports, n.Type) // names of fields are none of the package
			return false
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if importPath := imports[id.Name]; importPath != "" {
					l.want(importPath, n.Sel.Name)
					return false
				}
			}
		case *ast.Ident:
			if pt.pkg.Decl(n.Name) != nil {
				l.want(pt.pkg.Path, n.Name)
			} else if dot := imports["."]; dot != "" && token.IsExported(n.Name) {
				l.want(dot, n.Name)
			}
		}
		return true
	})
}
