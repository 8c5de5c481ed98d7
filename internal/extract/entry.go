package extract

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// entry makes the entry of a declaration, or of one of its directives. Asked again for
// the same, it returns the same.
func (x *Extractor) entry(d *source.Decl, t *tagged) *model.Entry {
	key := entryKey{decl: d}
	if t != nil {
		key.kind = t.kind
	}
	return x.entries.get(key, func() *model.Entry {
		e := x.newEntry(d, t)
		x.decls.Store(e, d)
		b := &builder{x: x, e: e, d: d}
		b.build()
		return e
	})
}

// declOf is the declaration that an entry was made from.
func (x *Extractor) declOf(e *model.Entry) *source.Decl {
	d, _ := x.decls.Load(e)
	decl, _ := d.(*source.Decl)
	return decl
}

func (x *Extractor) newEntry(d *source.Decl, t *tagged) *model.Entry {
	p := d.File.Pkg
	id := d.Exported()
	if id == nil {
		id = d.Name()
	}
	e := &model.Entry{
		Kind: model.Untagged,
		Name: id.Name,
		ID:   model.ID{Package: p.Path, Name: id.Name},
		Dir:  p.Dir,
		File: d.File.Path,
		Line: x.mod.Line(id.Pos()),

		GoKind: string(d.Kind), PackageName: p.Name,
		At: x.place(d.File, id.Pos()),
	}
	e.Claim = e.Line
	if d.Group != nil && d.Kind != source.TypeDecl {
		for _, n := range d.Names {
			if n.IsExported() {
				e.Idents = append(e.Idents, n.Name)
			}
		}
	}
	e.Anchor = model.AnchorOf(p.Dir + "." + id.Name)
	if t != nil {
		e.Kind, e.Name = t.kind, t.name
		e.Surface, e.Mode, e.Usage, e.Order = t.surface, t.mode, t.usage, t.order
		e.Claim = x.mod.Line(t.pos)
		e.Anchor = model.AnchorOf(string(t.kind) + "-" + t.name)
	}
	e.Owns = []string{ownKey(d, e.Kind)}
	e.Doc, e.Parsed = x.parseDoc(d.File, d.Doc)
	e.Deprecated = model.IsDeprecated(e.Doc)
	return e
}

func ownKey(d *source.Decl, kind model.Kind) string {
	return d.File.Pkg.Path + "." + d.Name().Name + "#" + string(kind)
}

// PackageEntry makes the entry of a package comment, or nil where there is none.
func (x *Extractor) PackageEntry(p *source.Package) *model.Entry {
	return x.entries.get(entryKey{kind: model.Kind("package " + p.Dir)}, func() *model.Entry { return x.newPackageEntry(p) })
}

func (x *Extractor) newPackageEntry(p *source.Package) *model.Entry {
	var docs []string
	var pieces []model.Piece
	var first *source.File
	for _, f := range p.Files {
		if f.AST == nil || !hasText(f.AST.Doc) {
			continue
		}
		if first == nil {
			first = f
		}
		doc := strings.TrimRight(f.AST.Doc.Text(), "\n")
		docs = append(docs, doc)
		p := model.Piece{Text: x.mod.Verbatim(f, f.AST.Doc, f.AST.Package, f.AST.Name.End()), At: x.place(f, f.AST.Package)}
		if p.At != nil {
			p.Comment = &model.Comment{Doc: doc, Parsed: x.docParser(f).Parse(doc)}
		}
		pieces = append(pieces, p)
	}
	if first == nil {
		return nil
	}
	e := &model.Entry{
		Kind: model.Package, Name: p.Name, Anchor: model.AnchorOf(p.Dir),
		ID:  model.ID{Package: p.Path},
		Dir: p.Dir, File: first.Path, Line: x.mod.Line(first.AST.Package),
		Code: []model.Code{{Pieces: pieces}},
		At:   x.place(first, first.AST.Package),
		Owns: []string{p.Path + "#package"}, GoKind: "package", PackageName: p.Name,
	}
	e.Claim = e.Line
	e.Doc = strings.Join(docs, "\n\n")
	e.Parsed = x.docParser(first).Parse(e.Doc)
	e.Deprecated = model.IsDeprecated(e.Doc)
	return e
}

// builder fills one entry with its code, members and types.
type builder struct {
	x    *Extractor
	e    *model.Entry
	d    *source.Decl
	refs typeRefs

	pieces []model.Piece // of the entry's own fence
}

func (b *builder) build() {
	b.refs = typeRefs{x: b.x, from: b.d.File}
	b.e.Lacks = b.lacks()
	switch {
	case b.e.Kind == model.Service:
		b.service()
	case b.d.Kind == source.TypeDecl:
		b.typeDecl()
	default:
		b.addCode(b.d)
		b.constants(b.d)
	}
	b.finishCode()
	if b.e.Kind == model.Tool {
		b.e.Schema = b.x.schema(b.d)
	}
	b.e.Types = b.refs.sorted()
	if b.x.needs.Guards {
		b.e.Guard = b.guard()
	}
	if b.e.Kind != model.Untagged {
		b.checkDocs()
	}
}

// addCode adds a declaration whole, with its comment, as one more piece of the entry's
// own fence.
func (b *builder) addCode(d *source.Decl) {
	b.addText(b.x.mod.Verbatim(d.File, d.Doc, d.Pos, d.End), b.x.place(d.File, d.Pos))
	b.refs.addDecl(d)
	b.showsSpecs(d)
}

// addText appends a piece to the entry's own fence, after a blank line.
func (b *builder) addText(text []byte, at *model.Place) {
	b.pieces = append(b.pieces, model.Piece{Text: text, At: at})
}

// finishCode joins the pieces of the entry's own fence, which stands before those of
// promoted members.
func (b *builder) finishCode() {
	if len(b.pieces) > 0 {
		b.e.Code = slices.Insert(b.e.Code, 0, model.Code{Pieces: slices.Clip(b.pieces)})
	}
}

// typeDecl is the entry of a type that is shown whole: by its own name, or as an event,
// a hook, a configuration, a tool, a command, a section or a type.
func (b *builder) typeDecl() {
	b.addCode(b.d)
	b.fields(b.d.Type.Type, false)
	p, name := b.d.File.Pkg, b.d.Name().Name
	switch b.e.Kind {
	case model.Untagged, model.Type:
		for _, g := range b.x.typedConsts(p, name) {
			b.addCode(g)
			b.constants(g)
			if b.x.constOwner(g) == name {
				b.e.Owns = append(b.e.Owns, ownKey(g, model.Untagged))
			}
		}
		for _, m := range p.Methods(name) {
			if m.Name().IsExported() {
				b.addCode(m)
				b.method(m)
			}
		}
		b.promotedMethods()
	case model.Config, model.Tool:
		b.promotedFields()
	}
}

// service is the entry of a service: members only, since the type's comment is the
// entry's prose.
func (b *builder) service() {
	b.shows(b.d.File, b.d.Doc)
	b.fields(b.d.Type.Type, true)
	for _, m := range b.d.File.Pkg.Methods(b.d.Name().Name) {
		if m.Name().IsExported() {
			b.addCode(m)
			b.method(m)
		}
	}
	b.promotedMethods()
	if len(b.pieces)+len(b.e.Code) == 0 {
		b.addCode(b.d)
	}
}

// fields records the exported members of a struct or interface expression and, for a
// service, adds them to the fence one by one.
func (b *builder) fields(expr ast.Expr, show bool) {
	f := b.d.File
	kind := "field"
	if isInterfaceExpr(expr) {
		kind = "method"
	}
	for _, field := range source.Fields(expr) {
		if isInterfaceExpr(field.Type) && len(field.Names) == 0 {
			b.fields(field.Type, show)
			continue
		}
		names := source.ExportedNames(field)
		if id := source.EmbeddedName(field.Type); len(field.Names) == 0 && isStructExpr(b.d.Type.Type) && id != nil && id.IsExported() {
			names = []*ast.Ident{id}
		}
		if len(names) == 0 {
			continue
		}
		if show {
			text := b.x.mod.Verbatim(f, field.Doc, field.Pos(), max(field.End(), source.CommentEnd(field.Comment)))
			b.addText(text, b.x.place(f, field.Pos()))
			b.refs.addField(f, field)
		}
		for _, id := range names {
			b.member(f, id, field, kind, nil)
		}
	}
}

func (b *builder) method(m *source.Decl) {
	b.addMember(m.File, m.Doc, m.Pos, m.End, model.Member{
		Name: m.Name().Name, Kind: "method", At: b.x.place(m.File, m.Name().Pos()),
	})
}

// addMember adds a member, with what is needed of its comment and its declaration.
func (b *builder) addMember(f *source.File, doc *ast.CommentGroup, pos, end token.Pos, m model.Member) {
	m.Anchor = b.memberAnchor(m.Name)
	if b.x.needs.Members {
		m.Doc, m.Parsed = b.x.parseDoc(f, doc)
		m.Deprecated = model.IsDeprecated(m.Doc)
		m.Signature = string(b.x.mod.Verbatim(f, nil, pos, end))
	}
	b.e.Members = append(b.e.Members, m)
}

// member records a field or interface method, with where it is promoted from, if it is.
func (b *builder) member(f *source.File, id *ast.Ident, field *ast.Field, kind string, promoted *found) {
	b.shows(f, field.Doc, field.Comment)
	group := field.Doc
	if group == nil {
		group = field.Comment
	}
	m := model.Member{Name: id.Name, Kind: kind, At: b.x.place(f, id.Pos())}
	if promoted != nil {
		m.From, m.Origin = promoted.from, ownerID(*promoted)
	}
	b.addMember(f, group, field.Pos(), field.End(), m)
}

func (b *builder) memberAnchor(name string) string {
	return b.e.Anchor + "." + model.AnchorOf(name)
}

// checkDocs reports what a tagged entry leaves without a comment.
func (b *builder) checkDocs() {
	d := b.d
	if d.Kind != source.TypeDecl {
		return
	}
	if b.e.Doc == "" {
		b.x.report(d.File, d.Name().Pos(), finding.DocMissing, "type %s has no doc comment; say what it is for", d.Name().Name)
	}
	kind := "field"
	if !isStructExpr(d.Type.Type) {
		kind = "method"
	}
	b.checkFields(source.Fields(d.Type.Type), kind)
	if b.e.Kind == model.Service || b.e.Kind == model.Type {
		for _, m := range d.File.Pkg.Methods(d.Name().Name) {
			if m.Name().IsExported() && !hasText(m.Doc) {
				b.missing(m.File, m.Name(), "method")
			}
		}
	}
}

// checkFields looks at the fields of a struct or the methods of an interface.
func (b *builder) checkFields(list []*ast.Field, kind string) {
	for _, field := range list {
		if !hasText(field.Doc) && !hasText(field.Comment) {
			for _, id := range source.ExportedNames(field) {
				b.missing(b.d.File, id, kind)
			}
		}
		switch {
		case kind == "field":
			b.checkNested(field.Type)
		case len(field.Names) == 0 && isInterfaceExpr(field.Type):
			b.checkFields(source.Fields(field.Type), kind)
		}
	}
}

// checkNested looks at the fields of structs without a name inside a field's type.
func (b *builder) checkNested(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		st, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range st.Fields.List {
			b.shows(b.d.File, field.Doc, field.Comment)
			if hasText(field.Doc) || hasText(field.Comment) {
				continue
			}
			for _, id := range source.ExportedNames(field) {
				b.missing(b.d.File, id, "field")
			}
		}
		return true
	})
}

func (b *builder) missing(f *source.File, id *ast.Ident, kind string) {
	b.x.report(f, id.Pos(), finding.DocMissing, "%s %s.%s has no comment; say what a caller must know", kind, b.d.Name().Name, id.Name)
}

func hasText(g *ast.CommentGroup) bool {
	return g != nil && strings.TrimSpace(g.Text()) != ""
}

func isStructExpr(e ast.Expr) bool {
	switch t := e.(type) {
	case *ast.StructType:
		return true
	case *ast.ParenExpr:
		return isStructExpr(t.X)
	}
	return false
}

func isInterfaceExpr(e ast.Expr) bool {
	switch t := e.(type) {
	case *ast.InterfaceType:
		return true
	case *ast.ParenExpr:
		return isInterfaceExpr(t.X)
	}
	return false
}
