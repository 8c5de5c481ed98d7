package extract

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// typeRefs collects the exported types of the module that signatures mention, by what
// the type checker says the names mean.
type typeRefs struct {
	x    *Extractor
	from *source.File // whose imports decide how a type is written
	seen map[model.ID]model.TypeRef
}

// addDecl collects from a declaration as far as it is shown: not from bodies, receivers
// and values.
func (r *typeRefs) addDecl(d *source.Decl) {
	switch {
	case d.Func != nil:
		r.addFunc(d.File, d.Func.Type)
	case d.Type != nil:
		if d.Type.TypeParams != nil {
			r.add(d.File, d.Type.TypeParams)
		}
		r.add(d.File, d.Type.Type)
	case d.Value != nil:
		r.addValue(d.File, d.Value)
	case d.Group != nil:
		for _, spec := range d.Group.Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				r.addValue(d.File, vs)
			}
		}
	}
}

func (r *typeRefs) addValue(f *source.File, vs *ast.ValueSpec) {
	if vs.Type != nil {
		r.add(f, vs.Type)
	}
}

func (r *typeRefs) addFunc(f *source.File, ft *ast.FuncType) { r.add(f, ft) }

func (r *typeRefs) addField(f *source.File, field *ast.Field) { r.add(f, field.Type) }

// add collects from one node of a file.
func (r *typeRefs) add(f *source.File, n ast.Node) {
	if !f.Pkg.InModule() {
		return // what the module declares is not mentioned outside it
	}
	_, info := r.x.mod.Types(f.Pkg)
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || !id.IsExported() {
			return true
		}
		tn, ok := info.Uses[id].(*types.TypeName)
		if !ok || tn.Pkg() == nil || tn.Parent() != tn.Pkg().Scope() {
			return true
		}
		if p := r.x.mod.Lookup(tn.Pkg().Path()); p != nil {
			r.addType(p, tn.Name())
		}
		return true
	})
}

func (r *typeRefs) addType(p *source.Package, name string) {
	id := model.ID{Package: p.Path, Name: name}
	if _, ok := r.seen[id]; ok {
		return
	}
	d := p.Decl(name)
	if d == nil {
		return
	}
	if r.seen == nil {
		r.seen = map[model.ID]model.TypeRef{}
	}
	r.seen[id] = model.TypeRef{Text: r.qualified(p, name), ID: id, File: d.File.Path}
}

// qualified writes a name of package p as the entry's file would: bare in its own
// package and for a dot import, under the import's name, or under the package's.
func (r *typeRefs) qualified(p *source.Package, name string) string {
	if p == r.from.Pkg || p.Path == "builtin" {
		return name
	}
	qualifier := p.Name
	for _, spec := range r.from.AST.Imports {
		if strings.Trim(spec.Path.Value, "`\"") != p.Path {
			continue
		}
		switch {
		case spec.Name == nil:
			return p.Name + "." + name
		case spec.Name.Name == ".":
			return name
		case spec.Name.Name != "_":
			qualifier = spec.Name.Name
		}
	}
	return qualifier + "." + name
}

func (r *typeRefs) sorted() []model.TypeRef {
	var out []model.TypeRef
	for _, ref := range r.seen {
		out = append(out, ref)
	}
	slices.SortFunc(out, compareTypes)
	return out
}

func compareTypes(a, b model.TypeRef) int {
	return cmp.Or(strings.Compare(a.Text, b.Text), strings.Compare(a.ID.Package, b.ID.Package))
}
