package source

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// externals are the packages outside the module that some question needs: those that a
// declaration embeds or is made of. Those of the standard library are read where they
// are, the others are listed by the go command in one call; all are checked only when
// the type checker asks for them.
type externals struct {
	std    *standard
	listed map[string]*packages.Package
	loaded map[string]*Package
	typed  map[string]bool // those whose types the module's own types are made of
}

// wanted returns the package of an import path if its types were asked for.
func (e *externals) wanted(importPath string) *Package {
	if !e.typed[importPath] {
		return nil
	}
	return e.loaded[importPath]
}

// NeedExternals makes the types of packages outside the module available to what the
// given packages embed, alias or are defined as, directly and through other packages, and
// in the deep ones to the types of all struct fields.
// It must be called before the first call of [Module.Types]. It returns the import paths
// that could not be read, each with the go command's words.
func (m *Module) NeedExternals(ctx context.Context, roots []*Package, deep map[*Package]bool) (missing map[string]string) {
	var queue, thirdParty []string
	want := func(importPath string) {
		if importPath != "unsafe" && importPath != "C" && !m.ext.typed[importPath] &&
			m.byPath[importPath] == nil && !m.isOwn(importPath) {
			m.ext.typed[importPath] = true
			queue = append(queue, importPath)
		}
	}
	for _, p := range m.closure(roots) {
		for importPath := range m.embedded(p, deep[p]) {
			want(importPath)
		}
	}
	for _, importPath := range queue {
		if m.External(importPath) == nil {
			thirdParty = append(thirdParty, importPath)
		}
	}
	slices.Sort(thirdParty)
	missing = m.listExternals(ctx, thirdParty)
	for len(queue) > 0 {
		p := m.External(queue[0])
		queue = queue[1:]
		if p == nil {
			continue
		}
		for dep := range m.embedded(p, false) {
			if r := p.imports[dep]; r != "" {
				dep = r
			}
			want(dep)
		}
	}
	clear(m.imports) // names of packages are better known now
	return missing
}

// External returns a package outside the module: one of the standard library, or one
// that a package given to [Module.NeedExternals] is made of. It is nil where there is
// none.
func (m *Module) External(importPath string) *Package {
	if p, ok := m.ext.loaded[importPath]; ok {
		return p
	}
	var p *Package
	if lp := m.ext.listed[importPath]; lp != nil {
		p = m.fromListed(lp)
	} else if IsStandard(importPath) {
		p = m.ext.std.load(m.Fset, importPath)
	}
	if p != nil {
		m.ext.loaded[importPath] = p
	}
	return p
}

// isOwn reports whether an import path lies in the module but was not read, as the
// packages of generated Go are not.
func (m *Module) isOwn(importPath string) bool {
	rest, ok := strings.CutPrefix(importPath, m.Settings.Module+"/")
	return ok && m.inGen(rest)
}

// closure is the packages and all packages of the module that they import, directly or
// not.
func (m *Module) closure(roots []*Package) []*Package {
	seen := map[*Package]bool{}
	var out []*Package
	var visit func(p *Package)
	visit = func(p *Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		out = append(out, p)
		for _, f := range p.Files {
			if f.AST == nil {
				continue
			}
			for _, spec := range f.AST.Imports {
				if dep := m.byPath[strings.Trim(spec.Path.Value, "`\"")]; dep != nil {
					visit(dep)
				}
			}
		}
	}
	for _, p := range roots {
		visit(p)
	}
	return out
}

// embedded returns the import paths whose types p's own types embed, alias or are
// defined as: without them, methods and fields would be missing. If deep is set, the
// types of all struct fields count as well.
func (m *Module) embedded(p *Package, deep bool) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.Files {
		if f.AST == nil {
			continue
		}
		var imports map[string]string
		add := func(e ast.Expr) {
			name := qualifier(e)
			if name == "" {
				return
			}
			if imports == nil {
				imports = m.Imports(f)
			}
			if importPath := imports[name]; importPath != "" {
				out[importPath] = true
			}
		}
		for _, d := range f.AST.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gd.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					madeOf(ts.Type, deep, add)
				}
			}
		}
	}
	return out
}

// madeOf calls add with each type whose members become members of a type with this
// type expression.
func madeOf(e ast.Expr, deep bool, add func(ast.Expr)) {
	switch t := e.(type) {
	case *ast.StructType, *ast.InterfaceType:
		for _, f := range Fields(t) {
			switch {
			case len(f.Names) == 0:
				add(f.Type)
			case deep:
				eachQualified(f.Type, add)
			}
		}
	default:
		add(e)
	}
}

func eachQualified(e ast.Expr, add func(ast.Expr)) {
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			add(sel)
		}
		return true
	})
}

// qualifier returns the package name before the named type at the core of an
// expression, or "".
func qualifier(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.SelectorExpr:
		if id, ok := t.X.(*ast.Ident); ok {
			return id.Name
		}
	case *ast.StarExpr:
		return qualifier(t.X)
	case *ast.ParenExpr:
		return qualifier(t.X)
	case *ast.IndexExpr:
		return qualifier(t.X)
	case *ast.IndexListExpr:
		return qualifier(t.X)
	}
	return ""
}

// listExternals asks the go command for the files of the packages and of all they
// import.
func (m *Module) listExternals(ctx context.Context, paths []string) map[string]string {
	missing := map[string]string{}
	if len(paths) == 0 {
		return missing
	}
	cfg := goConfig(ctx, m.Settings)
	cfg.Mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps
	pkgs, err := packages.Load(cfg, paths...)
	if err != nil {
		for _, p := range paths {
			missing[p] = goWords(err)
		}
		return missing
	}
	m.ext.listed = map[string]*packages.Package{}
	packages.Visit(pkgs, nil, func(p *packages.Package) { m.ext.listed[p.PkgPath] = p })
	for _, importPath := range paths {
		p := m.ext.listed[importPath]
		switch {
		case p == nil:
			missing[importPath] = "the go command does not find it"
		case len(p.GoFiles) == 0 && len(p.Errors) > 0:
			missing[importPath] = strings.TrimSpace(p.Errors[0].Msg)
		case len(p.GoFiles) == 0:
			missing[importPath] = "it has no Go files for the configured build"
		}
	}
	return missing
}

func (m *Module) fromListed(lp *packages.Package) *Package {
	if len(lp.GoFiles) == 0 {
		return nil
	}
	p := &Package{Path: lp.PkgPath, Name: lp.Name, imports: map[string]string{}}
	for written, dep := range lp.Imports {
		if written != dep.PkgPath {
			p.imports[written] = dep.PkgPath
		}
	}
	p.readFiles(m.Fset, lp.GoFiles)
	return p
}

// readFiles parses the files of a package outside the module. One that cannot be read
// is left out: what it declares does not resolve.
func (p *Package) readFiles(fset *token.FileSet, names []string) {
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		f := &File{Path: name, Src: src, Pkg: p}
		f.AST, _ = parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		p.Files = append(p.Files, f)
	}
	slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
}
