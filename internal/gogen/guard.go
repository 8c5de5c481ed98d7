package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/agentplan/sdk/internal/model"
)

const guardDoc = `
Package guard holds the source of this module to what its catalog says. It declares
nothing and is never imported; it compiles as long as each documented declaration still
exists with the methods, fields and types that were written down, and so

	go build ./...

and go vet tell of a change that left the catalog behind. The remedy is to run
gen-catalog, which writes this package anew.

Declarations that cannot be held from here are left out: those with type parameters, of
one platform only, of a main package or of an internal one out of reach. A method or
field whose type cannot be written here is held by its name.
`

// guardFile is package guard.
func guardFile(entries []*model.Entry, importable func(string) bool) *jen.File {
	f := newFile("guard")
	f.PackageComment(comment(guardDoc))
	imports := newImports(importable)
	var held []*model.Entry
	seen := map[model.ID]bool{}
	for _, e := range entries {
		if e.Guard == nil {
			continue
		}
		id := model.ID{Package: e.ID.Package, Name: e.Guard.Name}
		if seen[id] || !imports.can(id.Package) {
			continue
		}
		seen[id] = true
		held = append(held, e)
		imports.addGuard(e)
	}
	imports.register(f)
	for _, e := range held {
		g := &guard{f: f, imports: imports, entry: e, Guard: e.Guard}
		g.add()
	}
	return f
}

// guard adds the guards of one entry to a file.
type guard struct {
	f       *jen.File
	imports *imports
	entry   *model.Entry
	*model.Guard
}

func (g *guard) add() {
	switch g.Decl {
	case "type":
		g.typeDecl()
	case "func":
		g.comment()
		def := g.f.Var().Id("_")
		if g.imports.writable(g.Signature) {
			def.Add(tokens(g.Signature))
		}
		def.Op("=").Add(g.qual(g.Name))
	case "const":
		g.comment()
		g.group(g.f.Const(), func(name string) *jen.Statement { return g.qual(name) })
	case "var":
		g.comment()
		g.group(g.f.Var(), func(name string) *jen.Statement { return jen.Op("&").Add(g.qual(name)) })
	default:
		panic("gogen: guard of an unknown declaration: " + g.Decl)
	}
}

func (g *guard) comment() {
	g.f.Comment(comment(fmt.Sprintf("%s: %s. If this does not compile, the source has moved on: run gen-catalog.",
		inComment(g.entry.File), g.Name)))
}

func (g *guard) qual(name string) *jen.Statement { return jen.Qual(g.entry.ID.Package, name) }

// group holds the names of constants or variables, all those of a group.
func (g *guard) group(decl *jen.Statement, value func(string) *jen.Statement) {
	names := g.entry.Idents
	if len(names) == 0 {
		names = []string{g.Name}
	}
	defs := make([]jen.Code, len(names))
	for i, name := range names {
		defs[i] = jen.Id("_").Op("=").Add(value(name))
	}
	if len(defs) == 1 {
		decl.Add(defs[0])
		return
	}
	decl.Defs(defs...)
}

// typeDecl holds a type by an interface of its methods, and by a function that reaches
// for its fields and for the methods whose types cannot be written.
func (g *guard) typeDecl() {
	var methods, uses []jen.Code
	for _, m := range g.Methods {
		if g.imports.writable(m.Tokens) {
			methods = append(methods, joined(jen.Id(m.Name), tokens(m.Tokens)))
		} else {
			uses = append(uses, jen.Id("_").Op("=").Id("v").Dot(m.Name))
		}
	}
	// The address: a field may hold a lock, which must not be copied, and the types
	// must be the same, not only assignable.
	for _, field := range g.Fields {
		address := jen.Op("&").Id("v").Dot(field.Name)
		if g.imports.writable(field.Tokens) {
			uses = append(uses, jen.Var().Id("_").Add(joined(jen.Op("*"), tokens(field.Tokens))).Op("=").Add(address))
		} else {
			uses = append(uses, jen.Id("_").Op("=").Add(address))
		}
	}
	self := jen.Op("*").Add(g.qual(g.Name))
	zero := jen.Parens(self).Call(jen.Nil())
	if g.Interface {
		self = g.qual(g.Name)
		zero = g.qual(g.Name).Call(jen.Nil())
	}
	if len(methods) > 0 {
		g.comment()
		g.f.Var().Id("_").Interface(methods...).Op("=").Add(zero)
	}
	if len(uses) > 0 {
		g.comment()
		g.f.Func().Id("_").Params(jen.Id("v").Add(self)).Block(uses...)
	}
	if len(methods) == 0 && len(uses) == 0 {
		g.comment()
		g.f.Type().Id("_").Op("=").Add(g.qual(g.Name))
	}
}

// tokens writes tokens one after the other, nothing between them.
func tokens(list []model.Token) *jen.Statement {
	items := make([]jen.Code, len(list))
	for i, t := range list {
		if t.Package != "" {
			items[i] = jen.Qual(t.Package, t.Name)
		} else {
			items[i] = verbatim(withoutComments(t.Text))
		}
	}
	return joined(items...)
}

func joined(items ...jen.Code) *jen.Statement { return jen.Custom(jen.Options{}, items...) }
