package extract

import (
	"go/ast"
	"go/constant"
	"go/doc/comment"
	"go/types"
	"math"
	"slices"
	"strconv"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// typedConsts returns the groups that have an exported constant of a type of the package.
// A group of several types is shown with each of them.
func (x *Extractor) typedConsts(p *source.Package, typeName string) []*source.Decl {
	return x.consts.get(p, func() map[string][]*source.Decl {
		byType := map[string][]*source.Decl{}
		for _, d := range p.Decls() {
			if d.Kind != source.ConstDecl || len(directives(d.Doc)) > 0 {
				continue
			}
			for _, name := range x.constTypes(d) {
				byType[name] = append(byType[name], d)
			}
		}
		return byType
	})[typeName]
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
	for _, spec := range d.Group.Specs {
		vs, ok := spec.(*ast.ValueSpec)
		if !ok || d.Value != nil && vs != d.Value || !slices.ContainsFunc(vs.Names, (*ast.Ident).IsExported) {
			continue
		}
		g := vs.Doc
		if g == nil {
			g = vs.Comment
		}
		var doc string
		var parsed *comment.Doc
		if b.x.needs.Members {
			doc, parsed = b.x.parseDoc(d.File, g)
		}
		for _, id := range vs.Names {
			c, ok := b.x.object(d.File.Pkg, id).(*types.Const)
			if !ok || !id.IsExported() {
				continue
			}
			k := model.Constant{Name: id.Name, Doc: doc, Parsed: parsed, Anchor: b.memberAnchor(id.Name), At: b.x.place(d.File, id.Pos())}
			if b.d.Kind != source.TypeDecl {
				k.Anchor = b.e.IdentAnchor(id.Name)
			}
			k.Kind, k.Value = constantValue(c.Val())
			b.e.Constants = append(b.e.Constants, k)
		}
	}
}

// constantValue is the kind of a constant and its value: of a string the content, else a
// literal that means it. The value of a constant that is made of one of another module is
// not known.
func constantValue(v constant.Value) (kind, value string) {
	switch v.Kind() {
	case constant.String:
		return "string", constant.StringVal(v)
	case constant.Bool:
		return "bool", v.String()
	case constant.Int:
		return "int", v.ExactString()
	case constant.Float:
		return "float", floatText(v)
	case constant.Complex:
		return "complex", "(" + floatText(constant.Real(v)) + " + " + floatText(constant.Imag(v)) + "i)"
	}
	return "unknown", ""
}

// floatText is the shortest text that a float64 of this value is read from, or a rounded
// one of a value that no float64 has.
func floatText(v constant.Value) string {
	f, _ := constant.Float64Val(v)
	if math.IsInf(f, 0) || f == 0 && constant.Sign(v) != 0 {
		return v.String()
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
