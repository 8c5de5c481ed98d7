package subject

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// All returns the declarations of a name. Those of DIR.Type.* are the type, which has its
// fields and interface methods, the exported methods that are declared for it, and the
// exported constants of the type, each under its own name. Of any other name it is the one
// that [Resolver.Resolve] returns.
//
// What several configured builds have is there once. Where they have different versions
// of a declaration, each is there, under its name with @ and its file behind it.
func (r *Resolver) All(name string) ([]*Subject, error) {
	var out []*Subject
	var whyNot error
	for _, b := range r.builds {
		list, err := b.all(name)
		if whyNot == nil {
			whyNot = err
		}
		for _, s := range list {
			if !slices.ContainsFunc(out, s.same) {
				out = append(out, s)
			}
		}
	}
	if len(out) == 0 {
		return nil, whyNot
	}
	return versions(out), nil
}

// same reports whether two subjects are one declaration.
func (s *Subject) same(o *Subject) bool {
	return s.Name == o.Name && s.Path == o.Path && s.target == o.target && s.From == o.From
}

// versions renames the subjects that share a name.
func versions(list []*Subject) []*Subject {
	count := map[string]int{}
	for _, s := range list {
		count[s.Name]++
	}
	for i, s := range list {
		if count[s.Name] > 1 {
			v := *s
			v.Name += "@" + s.Path
			list[i] = &v
		}
	}
	return list
}

// all is All for one build.
func (r *Resolver) all(name string) ([]*Subject, error) {
	base, all := strings.CutSuffix(name, allSuffix)
	first, err := r.Resolve(base)
	if err != nil {
		return nil, err
	}
	if !all {
		return []*Subject{first}, nil
	}
	p, d := r.typeOf(base)
	if d == nil {
		return nil, fmt.Errorf("%s is no type, so %s is nothing; name the declaration alone", base, name)
	}
	names := constants(p, d.Name().Name)
	for _, m := range p.Methods(d.Name().Name) {
		if m.Name().IsExported() {
			names = append(names, d.Name().Name+"."+m.Name().Name)
		}
	}
	out := []*Subject{first}
	for _, n := range names {
		s, err := r.Resolve(p.Dir + "." + n)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// typeOf is the type of a name that resolves, or nil where the name is of something else.
func (r *Resolver) typeOf(name string) (*source.Package, *source.Decl) {
	for _, ref := range split(name) {
		if p := r.mod.Package(ref.dir); p != nil {
			if d := p.Decl(ref.name); ref.member == "" && d != nil && d.Type != nil {
				return p, d
			}
			return nil, nil
		}
	}
	return nil, nil
}

// constants are the exported constants of a package that have a type of it, as far as
// their syntax tells: by a type, or by a conversion to it, of their own or of the constant
// before that they repeat.
func constants(p *source.Package, typeName string) []string {
	var out []string
	for _, d := range p.Decls() {
		if d.Kind != source.ConstDecl {
			continue
		}
		var from *ast.ValueSpec
		for _, spec := range d.Group.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			if vs.Type != nil || vs.Values != nil || from == nil {
				from = vs
			}
			for i, id := range vs.Names {
				if id.IsExported() && hasType(from, i, typeName) {
					out = append(out, id.Name)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// hasType reports whether a constant of a spec has a type of its package.
func hasType(spec *ast.ValueSpec, i int, typeName string) bool {
	e := spec.Type
	if e == nil {
		if i >= len(spec.Values) {
			return false
		}
		call, ok := ast.Unparen(spec.Values[i]).(*ast.CallExpr)
		if !ok {
			return false
		}
		e = call.Fun
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == typeName
}
