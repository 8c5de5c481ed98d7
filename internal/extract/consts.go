package extract

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// typedConsts returns the groups of constants that belong to a type of the package.
func (x *Extractor) typedConsts(p *source.Package, typeName string) []*source.Decl {
	var out []*source.Decl
	for _, d := range p.Decls() {
		if d.Kind == source.ConstDecl && d.Exported() != nil && len(directives(d.Doc)) == 0 && x.constType(d) == typeName {
			out = append(out, d)
		}
	}
	return out
}

// constsOfType reports whether a declaration is a group of constants that an exported
// type of its package shows.
func (x *Extractor) constsOfType(d *source.Decl) bool {
	if d.Kind != source.ConstDecl {
		return false
	}
	owner := d.File.Pkg.Decl(x.constType(d))
	if owner == nil || owner.Exported() == nil || len(directives(d.Doc)) > 0 {
		return false
	}
	for _, t := range x.tagged {
		if t.decl == owner {
			return x.showsConsts(t.kind)
		}
	}
	return true
}

// showsConsts reports whether an entry of this kind shows a type's constants.
func (x *Extractor) showsConsts(kind model.Kind) bool {
	return kind == model.Untagged || kind == model.Type
}

// constType is the name of the type of the package that most of a group's constants
// have, if at least half of them have it; the first of equals.
func (x *Extractor) constType(d *source.Decl) string {
	count := map[string]int{}
	best := ""
	total := 0
	for _, id := range d.Names {
		if id.Name == "_" {
			continue
		}
		total++
		obj := x.object(d.File.Pkg, id)
		if obj == nil {
			continue
		}
		named, ok := types.Unalias(obj.Type()).(*types.Named)
		if !ok || named.Obj().Pkg() != obj.Pkg() {
			continue
		}
		name := named.Obj().Name()
		count[name]++
		if count[name] > count[best] {
			best = name
		}
	}
	if 2*count[best] < total {
		return ""
	}
	return best
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
		k := model.Constant{Name: id.Name, Doc: docs[id.Name]}
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
