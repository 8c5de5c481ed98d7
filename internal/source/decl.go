package source

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"sync"
)

// DeclKind is what a declaration declares.
type DeclKind string

// The kinds of declarations.
const (
	TypeDecl   DeclKind = "type"
	FuncDecl   DeclKind = "func"
	MethodDecl DeclKind = "method"
	ConstDecl  DeclKind = "const"
	VarDecl    DeclKind = "var"
)

// Decl is a top-level declaration: a func or method, a type (one spec of a grouped
// declaration), or a whole group of consts or vars.
type Decl struct {
	File  *File
	Kind  DeclKind
	Names []*ast.Ident // what it declares, in source order
	Recv  string       // the name of a method's receiver type
	Doc   *ast.CommentGroup
	Type  *ast.TypeSpec // of a type
	Func  *ast.FuncDecl // of a func or method
	Group *ast.GenDecl  // of consts and vars, and of a type what it stands in
	Value *ast.ValueSpec

	Pos, End token.Pos // the declaration without its doc comment and without a body
}

// Name is the first name that the declaration declares.
func (d *Decl) Name() *ast.Ident { return d.Names[0] }

// Exported returns the first exported name, or nil.
func (d *Decl) Exported() *ast.Ident {
	for _, id := range d.Names {
		if id.IsExported() {
			return id
		}
	}
	return nil
}

// index holds what is declared in a package.
type index struct {
	decls   []*Decl
	byName  map[string]*Decl
	methods map[string][]*Decl
	members func() map[token.Pos]Member
}

// Member is the syntax of a method or a field and the file it stands in.
type Member struct {
	File  *File
	Field *ast.Field    // of an interface method or a struct field
	Func  *ast.FuncDecl // of a method with a receiver
	Owner *ast.TypeSpec // the declared type whose expression holds Field
	Recv  string        // the type that Func is a method of
}

// Declares reports whether the file declares a package-level name.
func (f *File) Declares(name string) bool {
	if f.AST == nil {
		return false
	}
	return (&Package{Files: []*File{f}}).Decl(name) != nil
}

// Decls returns the package's declarations in the order of file name and offset.
func (p *Package) Decls() []*Decl { return p.indexed().decls }

// Decl returns the declaration of a package-level name, or nil.
func (p *Package) Decl(name string) *Decl { return p.indexed().byName[name] }

// Methods returns the methods declared with a receiver of the named type or of an alias
// of it, in source order. An alias of a type of the package has none of its own.
func (p *Package) Methods(typeName string) []*Decl { return p.indexed().methods[typeName] }

// Member returns the syntax of the method or field whose name stands at pos.
func (p *Package) Member(pos token.Pos) (Member, bool) {
	m, ok := p.indexed().members()[pos]
	return m, ok
}

func (p *Package) indexed() *index {
	p.indexing.Do(func() { p.index = newIndex(p.Files) })
	return p.index
}

func newIndex(files []*File) *index {
	x := &index{byName: map[string]*Decl{}, methods: map[string][]*Decl{}}
	x.members = sync.OnceValue(x.allMembers)
	for _, f := range files {
		if f.AST == nil {
			continue
		}
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				x.addFunc(f, d)
			case *ast.GenDecl:
				x.addGroup(f, d)
			}
		}
	}
	x.addMethods()
	return x
}

func (x *index) allMembers() map[token.Pos]Member {
	m := map[token.Pos]Member{}
	for _, d := range x.decls {
		addMembers(m, d)
	}
	return m
}

// addMethods gives methods to the types that have them: a receiver may be an alias of the
// type.
func (x *index) addMethods() {
	for _, d := range x.decls {
		if d.Kind == MethodDecl {
			d.Recv = x.baseType(d.Recv)
			x.methods[d.Recv] = append(x.methods[d.Recv], d)
		}
	}
}

// baseType follows aliases of the package to the type that they stand for.
func (x *index) baseType(name string) string {
	for seen := map[string]bool{}; !seen[name]; {
		seen[name] = true
		d := x.byName[name]
		if d == nil || d.Type == nil || !d.Type.Assign.IsValid() {
			break
		}
		if id, ok := ast.Unparen(d.Type.Type).(*ast.Ident); ok && x.byName[id.Name] != nil {
			name = id.Name
		}
	}
	return name
}

func (x *index) addFunc(f *File, d *ast.FuncDecl) {
	end := d.Type.End()
	decl := &Decl{File: f, Kind: FuncDecl, Names: []*ast.Ident{d.Name}, Doc: d.Doc, Func: d, Pos: d.Pos(), End: end}
	if d.Recv != nil {
		decl.Kind = MethodDecl
		decl.Recv = ReceiverName(d)
	} else if d.Name.Name != "init" && d.Name.Name != "_" {
		x.byName[d.Name.Name] = decl
	}
	x.decls = append(x.decls, decl)
}

func (x *index) addGroup(f *File, d *ast.GenDecl) {
	switch d.Tok {
	case token.TYPE:
		for _, spec := range d.Specs {
			if ts, ok := spec.(*ast.TypeSpec); ok {
				x.add(typeDecl(f, d, ts))
			}
		}
	case token.CONST, token.VAR:
		decl := &Decl{File: f, Kind: ConstDecl, Doc: d.Doc, Group: d, Pos: d.Pos(), End: d.End()}
		if d.Tok == token.VAR {
			decl.Kind = VarDecl
		}
		for _, spec := range d.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			decl.Names = append(decl.Names, vs.Names...)
			if !d.Lparen.IsValid() {
				decl.Value = vs
				decl.End = max(decl.End, CommentEnd(vs.Comment))
			}
		}
		if len(decl.Names) > 0 {
			x.add(decl)
		}
	}
}

func (x *index) add(d *Decl) {
	x.decls = append(x.decls, d)
	for _, id := range d.Names {
		if id.Name != "_" {
			x.byName[id.Name] = d
		}
	}
}

// typeDecl is the declaration of one type. As go/doc does, a group lends its comment to
// the types that have none; directives for more than one type it does not lend.
func typeDecl(f *File, d *ast.GenDecl, ts *ast.TypeSpec) *Decl {
	decl := &Decl{File: f, Kind: TypeDecl, Names: []*ast.Ident{ts.Name}, Doc: ts.Doc, Type: ts, Group: d, Pos: ts.Pos(), End: ts.End()}
	if !d.Lparen.IsValid() {
		decl.Pos = d.Pos()
	}
	if decl.Doc == nil && (len(d.Specs) == 1 || !holdsDirective(d.Doc)) {
		decl.Doc = d.Doc
	}
	decl.End = max(decl.End, CommentEnd(ts.Comment))
	return decl
}

// holdsDirective reports whether a comment has a directive of the catalog tools.
func holdsDirective(g *ast.CommentGroup) bool {
	return g != nil && slices.ContainsFunc(g.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, DirectivePrefix)
	})
}

// CommentEnd is where a comment group ends, or no position where there is none.
func CommentEnd(g *ast.CommentGroup) token.Pos {
	if g == nil {
		return token.NoPos
	}
	return g.End()
}

// Specs returns the specs of a parenthesized group of consts or vars as declarations of
// their own, for those with a doc comment of their own.
func (d *Decl) Specs() []*Decl {
	if d.Group == nil || !d.Group.Lparen.IsValid() || d.Kind == TypeDecl {
		return nil
	}
	var out []*Decl
	for _, spec := range d.Group.Specs {
		if vs, ok := spec.(*ast.ValueSpec); ok && vs.Doc != nil {
			out = append(out, &Decl{
				File: d.File, Kind: d.Kind, Names: vs.Names, Doc: vs.Doc, Group: d.Group, Value: vs,
				Pos: vs.Pos(), End: max(vs.End(), CommentEnd(vs.Comment)),
			})
		}
	}
	return out
}

// ReceiverName is the name of a method's receiver type as the receiver writes it, which
// may be that of an alias. It is empty for a func, and for what is no name.
func ReceiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

func addMembers(members map[token.Pos]Member, d *Decl) {
	switch {
	case d.Func != nil:
		members[d.Func.Name.Pos()] = Member{File: d.File, Func: d.Func, Recv: d.Recv}
	case d.Type != nil:
		ast.Inspect(d.Type.Type, func(n ast.Node) bool {
			if fl, ok := n.(*ast.FieldList); ok {
				for _, field := range fl.List {
					names := field.Names
					if id := EmbeddedName(field.Type); len(names) == 0 && id != nil {
						names = []*ast.Ident{id}
					}
					for _, id := range names {
						members[id.Pos()] = Member{File: d.File, Field: field, Owner: d.Type}
					}
				}
			}
			return true
		})
	}
}

// Fields returns the direct fields or methods of a struct or interface type
// expression, and nil for any other.
func Fields(e ast.Expr) []*ast.Field {
	switch t := e.(type) {
	case *ast.StructType:
		return t.Fields.List
	case *ast.InterfaceType:
		return t.Methods.List
	case *ast.ParenExpr:
		return Fields(t.X)
	}
	return nil
}

// ExportedNames returns the exported names of a field or interface method.
func ExportedNames(f *ast.Field) []*ast.Ident {
	return slices.DeleteFunc(slices.Clone(f.Names), func(id *ast.Ident) bool { return !id.IsExported() })
}

// EmbeddedName is the name under which a struct field without names is embedded.
func EmbeddedName(e ast.Expr) *ast.Ident {
	switch t := e.(type) {
	case *ast.Ident:
		return t
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.StarExpr:
		return EmbeddedName(t.X)
	case *ast.ParenExpr:
		return EmbeddedName(t.X)
	case *ast.IndexExpr:
		return EmbeddedName(t.X)
	case *ast.IndexListExpr:
		return EmbeddedName(t.X)
	}
	return nil
}
