package subject

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// walk looks for a member of a type by Go's rules, on the syntax of the module alone.
type walk struct {
	mod     *source.Module
	member  string
	outside *hit // the first embedded type that leads out of the module

	seen map[*source.Decl]bool
}

// hit is a member and where it comes from.
type hit struct {
	file   *source.File
	target target
	from   string // DIR.Type
}

// level is a type to look into.
type level struct {
	decl    *source.Decl
	methods bool // whether its methods belong to what it was reached by
	via     *hit // for a type outside the module: what in the module leads there
}

// hit is a member of the level's type; one outside the module is known by what leads to it.
func (l level) hit(f *source.File, t target) hit {
	if l.via != nil {
		return *l.via
	}
	return hit{f, t, l.decl.File.Pkg.Dir + "." + l.decl.Name().Name}
}

// to is the level of a type that this one leads to, by what lead says.
func (l level) to(d *source.Decl, methods bool, lead hit) level {
	next := level{decl: d, methods: methods, via: l.via}
	if next.via == nil && !d.File.Pkg.InModule() {
		next.via = &lead
	}
	return next
}

// find returns the hits of the least depth. More than one is none by Go's rules.
func (w *walk) find(d *source.Decl) []hit {
	w.seen = map[*source.Decl]bool{}
	levels := []level{{decl: d, methods: true}}
	for len(levels) > 0 {
		var hits []hit
		var next []level
		for _, l := range levels {
			if w.seen[l.decl] {
				continue
			}
			w.seen[l.decl] = true
			h, deeper := w.look(l)
			hits = append(hits, h...)
			next = append(next, deeper...)
		}
		if len(hits) > 0 {
			return hits
		}
		levels = next
	}
	return nil
}

// look searches one type. What it is defined as is at the same depth.
func (w *walk) look(l level) (hits []hit, deeper []level) {
	d := l.decl
	self := target{name: d.Name().Name, member: w.member}
	if l.methods {
		for _, m := range d.File.Pkg.Methods(d.Name().Name) {
			if m.Name().Name == w.member {
				if recv := source.ReceiverName(m.Func); recv != self.name {
					self.alias = recv
				}
				return []hit{l.hit(m.File, self)}, nil
			}
		}
	}
	t := ast.Unparen(d.Type.Type)
	_, isInterface := t.(*ast.InterfaceType)
	if _, isStruct := t.(*ast.StructType); !isStruct && !isInterface {
		return w.definedAs(l, t)
	}
	for _, f := range source.Fields(t) {
		for _, id := range f.Names {
			if id.Name == w.member {
				hits = append(hits, l.hit(d.File, self))
			}
		}
		if len(f.Names) > 0 {
			continue
		}
		if !isInterface && baseName(f.Type) == w.member {
			hits = append(hits, l.hit(d.File, self))
		}
		text := w.text(d.File, f.Type)
		lead := l.hit(d.File, target{name: d.Name().Name, member: w.member, embedded: text})
		if l.via == nil {
			lead.from = text
		}
		inner, known := w.typeOf(d.File, f.Type)
		if inner != nil {
			deeper = append(deeper, l.to(inner, true, lead))
		} else if !known && w.outside == nil {
			w.outside = &lead
		}
	}
	return hits, deeper
}

// text is an expression as it is written.
func (w *walk) text(f *source.File, e ast.Expr) string {
	tf := w.mod.Fset.File(e.Pos())
	return strings.ReplaceAll(string(f.Src[tf.Offset(e.Pos()):tf.Offset(e.End())]), "\r", "")
}

// definedAs looks into the type that a type is an alias of or has its underlying type
// from. An alias has its methods too; so has an interface.
func (w *walk) definedAs(l level, t ast.Expr) ([]hit, []level) {
	d := l.decl
	lead := l.hit(d.File, target{name: d.Name().Name})
	inner, known := w.typeOf(d.File, t)
	if inner == nil {
		if !known && w.outside == nil {
			w.outside = &lead
		}
		return nil, nil
	}
	if w.seen[inner] {
		return nil, nil
	}
	w.seen[inner] = true
	return w.look(l.to(inner, d.Type.Assign.IsValid() && l.methods, lead))
}

// typeOf returns the declaration of a named type of the module or of the standard
// library. Known is false for a type that cannot be looked into.
func (w *walk) typeOf(f *source.File, e ast.Expr) (d *source.Decl, known bool) {
	switch t := e.(type) {
	case *ast.StarExpr:
		return w.typeOf(f, t.X)
	case *ast.ParenExpr:
		return w.typeOf(f, t.X)
	case *ast.IndexExpr:
		return w.typeOf(f, t.X)
	case *ast.IndexListExpr:
		return w.typeOf(f, t.X)
	case *ast.Ident:
		return w.typeNamed(f.Pkg, t.Name)
	case *ast.SelectorExpr:
		id, ok := t.X.(*ast.Ident)
		if !ok {
			return nil, true
		}
		importPath := w.mod.Imports(f)[id.Name]
		p := w.mod.Lookup(importPath)
		if p == nil && source.IsStandard(importPath) {
			p = w.mod.External(importPath)
		}
		if p == nil {
			return nil, false
		}
		return w.typeNamed(p, t.Sel.Name)
	}
	return nil, true // a literal, a union: nothing that has a name
}

func (w *walk) typeNamed(p *source.Package, name string) (*source.Decl, bool) {
	if d := p.Decl(name); d != nil && d.Type != nil {
		return d, true
	}
	// What is not predeclared is from a dot import. Of the predeclared, error has one method.
	predeclared := types.Universe.Lookup(name) != nil
	return nil, predeclared && (name != "error" || w.member != "Error")
}
