package extract

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// typedConsts returns the groups that have an exported constant of a type of the package.
// A group of several types is shown with each of them.
func (x *Extractor) typedConsts(p *source.Package, typeName string) []*source.Decl {
	var out []*source.Decl
	for _, d := range p.Decls() {
		if d.Kind == source.ConstDecl && len(directives(d.Doc)) == 0 && slices.Contains(x.constTypes(d), typeName) {
			out = append(out, d)
		}
	}
	return out
}

// constOwner is the type of the package that a group of constants belongs to: the first
// one of its constants, if the entries of its types show all that the group exports; else
// it is "", and the group is an entry of its own.
func (x *Extractor) constOwner(d *source.Decl) string {
	if d.Kind != source.ConstDecl || len(directives(d.Doc)) > 0 {
		return ""
	}
	names := x.constTypes(d)
	for _, name := range names {
		if name == "" || !x.typeShowsConsts(d.File.Pkg, name) {
			return ""
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// typeShowsConsts reports whether the entry of a type has its constants.
func (x *Extractor) typeShowsConsts(p *source.Package, name string) bool {
	owner := p.Decl(name)
	if owner == nil || owner.Exported() == nil {
		return false
	}
	isTagged := false
	for _, t := range x.tagged {
		if t.decl == owner {
			if x.showsConsts(t.kind) {
				return true
			}
			isTagged = true
		}
	}
	return !isTagged
}

// showsConsts reports whether an entry of this kind shows a type's constants.
func (x *Extractor) showsConsts(kind model.Kind) bool {
	return kind == model.Untagged || kind == model.Type
}

// constTypes are the names of the types of a group's exported constants, in source order;
// "" stands for a type that is none of the package.
func (x *Extractor) constTypes(d *source.Decl) []string {
	var out []string
	for _, id := range d.Names {
		if !id.IsExported() {
			continue
		}
		name := ""
		if obj := x.object(d.File.Pkg, id); obj != nil {
			if named, ok := types.Unalias(obj.Type()).(*types.Named); ok && named.Obj().Pkg() == obj.Pkg() {
				name = named.Obj().Name()
			}
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// constants records the values of a group's exported constants.
func (b *builder) constants(d *source.Decl) {
	if d.Kind != source.ConstDecl {
		return
	}
	docs := map[string]string{}
	for _, spec := range d.Group.Specs {
		vs, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		g := vs.Doc
		if g == nil {
			g = vs.Comment
		}
		if g != nil {
			for _, id := range vs.Names {
				docs[id.Name] = strings.TrimSpace(g.Text())
			}
		}
	}
	for _, id := range d.Names {
		c, ok := b.x.object(d.File.Pkg, id).(*types.Const)
		if !ok || !id.IsExported() {
			continue
		}
		k := model.Constant{Name: id.Name, Doc: docs[id.Name], Anchor: b.memberAnchor(id.Name)}
		if b.d.Kind != source.TypeDecl {
			k.Anchor = b.e.IdentAnchor(id.Name)
		}
		switch v := c.Val(); v.Kind() {
		case constant.String:
			k.Kind, k.Value = "string", constant.StringVal(v)
		case constant.Bool:
			k.Kind, k.Value = "bool", v.String()
		case constant.Int:
			k.Kind, k.Value = "int", v.ExactString()
		case constant.Float:
			k.Kind, k.Value = "float", v.String()
		default:
			continue // its value needs a package outside the module
		}
		b.e.Constants = append(b.e.Constants, k)
	}
}
