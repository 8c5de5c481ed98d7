package extract

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// promoted is a member that a type has from another type.
type promoted struct {
	obj   types.Object
	order int // of the embedded type that brings it, in the declaration
}

// promotedMethods adds the exported methods that the type has from embedded types, by
// Go's rules: what is ambiguous or hidden is not there. A service that is an alias has all
// methods of the type it stands for; elsewhere that type is where to look for them.
func (b *builder) promotedMethods() {
	obj := b.x.object(b.d.File.Pkg, b.d.Name())
	if obj == nil {
		return
	}
	alias := obj.(*types.TypeName).IsAlias()
	if alias && b.e.Kind != model.Service {
		return
	}
	var list []promoted
	if iface, ok := obj.Type().Underlying().(*types.Interface); ok {
		list = b.interfaceMethods(iface)
	} else {
		set := types.NewMethodSet(types.NewPointer(obj.Type()))
		for i := range set.Len() {
			sel := set.At(i)
			switch path := sel.Index(); {
			case len(path) > 1:
				list = append(list, promoted{sel.Obj(), path[0]})
			case alias:
				list = append(list, promoted{sel.Obj(), direct})
			}
		}
	}
	b.addPromoted(append(b.definedFields(), list...))
}

// direct is the order of members that come from no embedded type.
const direct = -1

// definedFields are the fields of a service that is declared by the name of another
// struct.
func (b *builder) definedFields() []promoted {
	obj := b.x.object(b.d.File.Pkg, b.d.Name())
	if b.e.Kind != model.Service || obj == nil || isStructExpr(b.d.Type.Type) {
		return nil
	}
	var list []promoted
	if st, ok := obj.Type().Underlying().(*types.Struct); ok {
		for i := range st.NumFields() {
			list = append(list, promoted{st.Field(i), direct})
		}
	}
	return list
}

// interfaceMethods are the methods of an interface that its own declaration does not
// spell out.
func (b *builder) interfaceMethods(iface *types.Interface) []promoted {
	order := map[types.Object]int{}
	for i := range iface.NumEmbeddeds() {
		embedded, ok := iface.EmbeddedType(i).Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for j := range embedded.NumMethods() {
			if _, ok := order[embedded.Method(j)]; !ok {
				order[embedded.Method(j)] = i
			}
		}
	}
	var list []promoted
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		if !b.own(m.Origin().Pos()) {
			list = append(list, promoted{m, order[m]})
		}
	}
	return list
}

// own reports whether pos lies in the entry's own type declaration.
func (b *builder) own(pos token.Pos) bool {
	return b.d.Type.Pos() <= pos && pos < b.d.Type.End()
}

// promotedFields adds the fields that a struct has from embedded structs, by Go's rules.
func (b *builder) promotedFields() {
	obj := b.x.object(b.d.File.Pkg, b.d.Name())
	if obj == nil {
		return
	}
	names := map[string]bool{}
	fieldNames(obj.Type(), names, map[types.Type]bool{})
	var list []promoted
	for name := range names {
		o, path, _ := types.LookupFieldOrMethod(obj.Type(), true, obj.Pkg(), name)
		v, ok := o.(*types.Var)
		if !ok || len(path) < 2 && b.own(v.Origin().Pos()) {
			continue
		}
		if v.Embedded() && isStruct(deref(v.Type()).Underlying()) {
			continue // its own fields stand for it
		}
		list = append(list, promoted{v, path[0]})
	}
	b.addPromoted(list)
}

// fieldNames collects the exported names of all fields reachable through embedding.
func fieldNames(t types.Type, names map[string]bool, seen map[types.Type]bool) {
	t = deref(t)
	st, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return
	}
	seen[t] = true
	for i := range st.NumFields() {
		f := st.Field(i)
		if f.Exported() {
			names[f.Name()] = true
		}
		if f.Embedded() {
			fieldNames(f.Type(), names, seen)
		}
	}
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return types.Unalias(t)
}

// found is a promoted member with its syntax.
type found struct {
	source.Member
	id    *ast.Ident
	kind  string // "method" or "field"
	owner string // the type that declares it
	from  string // that type, as the entry's file writes it
	order int
}

// addPromoted adds one piece of code for each type that members come from.
func (b *builder) addPromoted(list []promoted) {
	var members []found
	for _, pr := range list {
		if !pr.obj.Exported() {
			continue
		}
		if m, ok := b.locate(pr); ok {
			members = append(members, m)
		}
	}
	slices.SortFunc(members, func(a, c found) int {
		return cmp.Or(cmp.Compare(a.order, c.order), strings.Compare(a.from, c.from),
			strings.Compare(a.File.Pkg.Path, c.File.Pkg.Path), strings.Compare(a.File.Path, c.File.Path), cmp.Compare(a.id.Pos(), c.id.Pos()))
	})
	for i, m := range members {
		if i == 0 || members[i-1].from != m.from || members[i-1].File.Pkg != m.File.Pkg {
			b.e.Code = append(b.e.Code, model.Code{From: m.from, Origin: ownerID(m)})
		}
		code := &b.e.Code[len(b.e.Code)-1]
		shown := i > 0 && m.Field != nil && members[i-1].Field == m.Field // A, B int
		if !shown {
			code.Pieces = append(code.Pieces, model.Piece{Text: b.promotedText(m), At: b.x.place(m.File, m.id.Pos())})
		}
		if m.Func != nil {
			b.promotedMethod(m)
		} else {
			b.member(m.File, m.id, m.Field, m.kind, &m)
		}
		b.checkPromoted(m)
	}
}

// locate finds the syntax of a promoted member in the package that declares it.
func (b *builder) locate(pr promoted) (found, bool) {
	obj, kind := pr.obj, "field"
	switch o := obj.(type) {
	case *types.Func:
		obj, kind = o.Origin(), "method"
	case *types.Var:
		obj = o.Origin()
	}
	pos := obj.Pos()
	p := b.x.packageOf(obj.Pkg())
	if obj.Pkg() == nil { // the universe's error has its source in a package of its own
		p, pos = b.x.universeError()
	}
	if p == nil {
		return found{}, false
	}
	m, ok := p.Member(pos)
	if !ok {
		return found{}, false
	}
	f := found{Member: m, order: pr.order, kind: kind}
	if m.Func != nil {
		f.id = m.Func.Name
		f.owner = m.Recv
	} else {
		f.owner = m.Owner.Name.Name
		f.id = source.EmbeddedName(m.Field.Type)
		for _, id := range m.Field.Names {
			if id.Pos() == pos {
				f.id = id
			}
		}
	}
	f.from = b.refs.qualified(p, f.owner)
	return f, true
}

// universeError is where the method of the predeclared type error is declared.
func (x *Extractor) universeError() (*source.Package, token.Pos) {
	p := x.mod.External("builtin")
	if p == nil || p.Decl("error") == nil || p.Decl("error").Type == nil {
		return nil, token.NoPos
	}
	for _, field := range source.Fields(p.Decl("error").Type.Type) {
		for _, id := range field.Names {
			return p, id.Pos()
		}
	}
	return nil, token.NoPos
}

func (x *Extractor) packageOf(p *types.Package) *source.Package {
	if p == nil {
		return nil
	}
	return x.mod.SourceOf(p)
}

func (b *builder) promotedText(m found) []byte {
	if m.Func != nil {
		b.refs.addFunc(m.File, m.Func.Type)
		return b.x.mod.Verbatim(m.File, m.Func.Doc, m.Func.Pos(), m.Func.Type.End())
	}
	b.refs.addField(m.File, m.Field)
	return b.x.mod.Verbatim(m.File, m.Field.Doc, m.Field.Pos(), max(m.Field.End(), source.CommentEnd(m.Field.Comment)))
}

func (b *builder) promotedMethod(m found) {
	b.shows(m.File, m.Func.Doc)
	b.addMember(m.File, m.Func.Doc, m.Func.Pos(), m.Func.Type.End(), model.Member{
		Name: m.id.Name, Kind: "method", From: m.from, Origin: ownerID(m), At: b.x.place(m.File, m.id.Pos()),
	})
}

// ownerID names the type that a member comes from.
func ownerID(m found) *model.ID {
	return &model.ID{Package: m.File.Pkg.Path, Name: m.owner}
}

// checkPromoted reports a member of a tagged entry that the module itself declares
// without a comment.
func (b *builder) checkPromoted(m found) {
	if b.e.Kind == model.Untagged || !m.File.Pkg.InModule() {
		return
	}
	if m.Func != nil && hasText(m.Func.Doc) || m.Field != nil && (len(m.Field.Names) == 0 || hasText(m.Field.Doc) || hasText(m.Field.Comment)) {
		return
	}
	b.x.report(m.File, m.id.Pos(), finding.DocMissing, "%s, which %s has from %s, has no comment; say what a caller must know", m.id.Name, b.d.Name().Name, m.from)
}
