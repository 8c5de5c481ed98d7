package extract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// tagged is a declaration with one of its directives.
type tagged struct {
	directive
	decl *source.Decl
}

// collectTagged reads the directives of all declarations that the build sees, and records
// them as attached to one.
func (x *Extractor) collectTagged(attached map[token.Pos]bool) {
	for _, p := range x.mod.Packages {
		for _, d := range p.Decls() {
			x.collectDecl(d, attached)
			for _, spec := range d.Specs() {
				x.collectDecl(spec, attached)
			}
		}
	}
}

func (x *Extractor) collectDecl(d *source.Decl, attached map[token.Pos]bool) {
	seen := map[model.Kind]bool{}
	for _, c := range directives(d.Doc) {
		attached[c.Pos()] = true
		ident := d.Name()
		if e := d.Exported(); e != nil {
			ident = e
		}
		dir, err := parseDirective(c, ident.Name)
		switch {
		case err != nil:
			x.report(d.File, c.Pos(), finding.Directive, "%v", err)
		case seen[dir.kind]:
			x.report(d.File, c.Pos(), finding.Directive, "a second //catalog:%s on %s; keep one", dir.kind, ident.Name)
		default:
			seen[dir.kind] = true
			x.tagged = append(x.tagged, &tagged{directive: dir, decl: d})
		}
	}
}

// scan walks over all Go files of the tree, whatever their build tags, and reports each
// directive that is not the directive of a declaration that a build sees.
func (u *Union) scan(attached map[token.Pos]bool) {
	x := u.all[0]
	for i, f := range x.mod.Files {
		if f.AST == nil {
			continue
		}
		for _, g := range f.AST.Comments {
			for _, c := range directives(g) {
				if !attached[c.Pos()] {
					x.report(f, c.Pos(), finding.Directive, "%s", u.whyUnseen(i, c))
				}
			}
		}
	}
}

// whyUnseen says why a directive in a file, known by its index, is that of no declaration.
func (u *Union) whyUnseen(file int, c *ast.Comment) string {
	text := strings.TrimSpace(c.Text)
	mod := u.all[0].mod
	seen := slices.ContainsFunc(u.all, func(x *Extractor) bool { return x.mod.Files[file].Pkg != nil })
	switch s := mod.Settings; {
	case mod.Files[file].IsTest():
		return fmt.Sprintf("%s stands in a test file, and test files are not part of the catalog; move the declaration or remove the directive", text)
	case !seen && s.Several():
		return fmt.Sprintf("%s stands in a file that no configured build sees (%s); name its platform, tags or cgo under platforms in .catalog.yaml, or move the declaration", text, s.BuildList())
	case !seen:
		return fmt.Sprintf("%s stands in a file that the configured build (%s/%s, tags %q, cgo %v) does not see; set goos, goarch, tags or cgo in .catalog.yaml, or move the declaration", text, s.GOOS, s.GOARCH, strings.Join(s.Tags, ","), s.Cgo)
	}
	return fmt.Sprintf("%s is not in the doc comment of a top-level declaration; put it there, with no blank line between", text)
}

// checkTagged drops the directives that stand on a declaration which cannot carry them,
// and those that claim a name again. It needs types.
func (x *Extractor) checkTagged() {
	type claim struct {
		kind model.Kind
		name string
	}
	first := map[claim]*tagged{}
	x.tagged = slices.DeleteFunc(x.tagged, func(t *tagged) bool {
		if why := x.cannotCarry(t); why != "" {
			x.report(t.decl.File, t.pos, finding.Directive, "%s", why)
			return true
		}
		key := claim{t.kind, t.name}
		if o := first[key]; o != nil {
			x.report(t.decl.File, t.pos, finding.Directive, "%s %s is claimed already by %s (%s:%d); give one of them another name",
				t.kind, t.name, o.decl.Name().Name, o.decl.File.Path, x.mod.Line(o.pos))
			return true
		}
		first[key] = t
		return false
	})
}

func (x *Extractor) cannotCarry(t *tagged) string {
	d := t.decl
	what := fmt.Sprintf("%s is a %s", d.Name().Name, d.Kind)
	if d.Kind == source.MethodDecl {
		return fmt.Sprintf("a directive cannot stand on a method (%s); put it on a top-level declaration", d.Name().Name)
	}
	if t.kind == model.Command || t.kind == model.Section {
		return ""
	}
	var under types.Type
	if d.Kind == source.TypeDecl {
		if under = x.underlying(d); under == nil {
			return fmt.Sprintf("type %s does not resolve; is it declared twice?", d.Name().Name)
		}
		if under == types.Typ[types.Invalid] && t.kind != model.Type {
			return "" // the entry says what it lacks
		}
	}
	want := ""
	ok := d.Kind == source.TypeDecl
	switch t.kind {
	case model.Service:
		want, ok = "an interface or a struct type", ok && (isInterface(under) || isStruct(under))
	case model.Event:
		want = "a type, the payload"
	case model.Hook:
		_, isFunc := under.(*types.Signature)
		want, ok = "a func type or an interface", ok && (isFunc || isInterface(under))
	case model.Config, model.Tool:
		want, ok = "a struct type", ok && isStruct(under)
	case model.Type:
		want, ok = "an exported type", ok && d.Name().IsExported()
	}
	if ok {
		return ""
	}
	if d.Kind == source.TypeDecl {
		what = fmt.Sprintf("%s is another type", d.Name().Name)
		if t.kind == model.Type {
			what = fmt.Sprintf("%s is not exported", d.Name().Name)
		}
	}
	return fmt.Sprintf("//catalog:%s stands on %s, but %s; move or remove the directive", t.kind, want, what)
}

// underlying is the underlying type of a declared type, or nil.
func (x *Extractor) underlying(d *source.Decl) types.Type {
	if obj := x.object(d.File.Pkg, d.Name()); obj != nil {
		return obj.Type().Underlying()
	}
	return nil
}

// object is what an identifier declares for the whole package, or nil: of a name that is
// declared twice, the type checker knows the first.
func (x *Extractor) object(p *source.Package, id *ast.Ident) types.Object {
	pkg, _ := x.mod.Types(p)
	if obj := pkg.Scope().Lookup(id.Name); obj != nil && obj.Pos() == id.Pos() {
		return obj
	}
	return nil
}

func isInterface(t types.Type) bool { _, ok := t.(*types.Interface); return ok }

func isStruct(t types.Type) bool { _, ok := t.(*types.Struct); return ok }
