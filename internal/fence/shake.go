package fence

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/agentplan/sdk/internal/source"
)

// typesOf checks what was reached of a package. It returns nil for a package that was not
// loaded.
func (l *loader) typesOf(importPath string) *types.Package {
	pt := l.parts[importPath]
	if pt == nil || pt.busy {
		return nil // never asked for, or an import cycle of the module
	}
	if pt.types != nil {
		return pt.types
	}
	pt.busy = true
	conf := types.Config{
		Importer:                 importer{l, pt.pkg},
		IgnoreFuncBodies:         true,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
		// What does not resolve in a package is no fault of a fence.
		Error: func(error) {},
		Sizes: types.SizesFor("gc", l.mod.Settings.GOARCH),
	}
	pt.types, _ = conf.Check(importPath, l.cache.fileSet(l.mod, pt.pkg), pt.files(), nil)
	pt.busy = false
	return pt.types
}

// importer resolves the imports of one package, or with a nil one those of a fence.
type importer struct {
	l    *loader
	from *source.Package
}

// Import implements [types.Importer].
func (im importer) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if im.from != nil {
		importPath = im.l.resolve(im.from, importPath)
	}
	if p := im.l.typesOf(importPath); p != nil {
		return p, nil
	}
	stub := types.NewPackage(importPath, im.l.packageName(importPath))
	stub.MarkComplete()
	return stub, nil
}

// files are the files of the package with the kept declarations alone.
func (pt *part) files() []*ast.File {
	var out []*ast.File
	for _, f := range pt.pkg.Files {
		if f.AST == nil {
			continue
		}
		file := *f.AST
		file.Decls = nil
		kept := false
		for _, d := range f.AST.Decls {
			d, isImport := pt.keptOf(d)
			if d == nil {
				continue
			}
			file.Decls = append(file.Decls, d)
			kept = kept || !isImport
		}
		if kept {
			out = append(out, &file)
		}
	}
	if len(out) == 0 && len(pt.pkg.Files) > 0 && pt.pkg.Files[0].AST != nil {
		// The package has a name even where nothing of it is used.
		file := *pt.pkg.Files[0].AST
		file.Decls = nil
		out = append(out, &file)
	}
	return out
}

// keptOf is the part of a declaration that was reached, or nil.
func (pt *part) keptOf(d ast.Decl) (kept ast.Decl, isImport bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if pt.decls[d] != nil {
			return d, false
		}
	case *ast.GenDecl:
		switch d.Tok {
		case token.IMPORT:
			return d, true
		case token.CONST:
			if pt.decls[d] != nil {
				return d, false
			}
		default:
			return pt.keptSpecs(d), false
		}
	}
	return nil, false
}

// keptSpecs is a group of types or vars without those that were not reached. A var with a
// type does not need its value.
func (pt *part) keptSpecs(d *ast.GenDecl) ast.Decl {
	var specs []ast.Spec
	for _, spec := range d.Specs {
		if pt.decls[spec] == nil {
			continue
		}
		switch s := spec.(type) {
		case *ast.ValueSpec:
			if s.Type != nil {
				spec = &ast.ValueSpec{Names: s.Names, Type: s.Type}
			}
		case *ast.TypeSpec:
			spec = withoutHidden(s)
		}
		specs = append(specs, spec)
	}
	if len(specs) == 0 {
		return nil
	}
	return &ast.GenDecl{TokPos: d.TokPos, Tok: d.Tok, Lparen: d.Lparen, Specs: specs, Rparen: d.Rparen}
}

// withoutHidden is a type whose unexported fields have a type without members. Nobody
// outside the package can tell, save that the fields of more structs can be compared.
func withoutHidden(ts *ast.TypeSpec) *ast.TypeSpec {
	st, ok := ts.Type.(*ast.StructType)
	if !ok || !slices.ContainsFunc(st.Fields.List, hidden) {
		return ts
	}
	fields := &ast.FieldList{Opening: st.Fields.Opening, Closing: st.Fields.Closing}
	for _, f := range st.Fields.List {
		if hidden(f) {
			f = &ast.Field{Names: f.Names, Type: &ast.StructType{
				Struct: f.Type.Pos(),
				Fields: &ast.FieldList{Opening: f.Type.Pos(), Closing: f.Type.Pos()},
			}}
		}
		fields.List = append(fields.List, f)
	}
	return &ast.TypeSpec{
		Name: ts.Name, TypeParams: ts.TypeParams, Assign: ts.Assign,
		Type: &ast.StructType{Struct: st.Struct, Fields: fields},
	}
}

// hidden reports whether a field can be seen in its package alone. Embedded ones lend
// their members to others.
func hidden(f *ast.Field) bool {
	return len(f.Names) > 0 && !slices.ContainsFunc(f.Names, (*ast.Ident).IsExported)
}
