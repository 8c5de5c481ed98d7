package source

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// checked is a package's types, made from source without function bodies.
type checked struct {
	pkg  *types.Package
	info *types.Info
}

// Types returns the types of the package. Type errors are no hindrance: what does not
// resolve is missing from the result.
func (m *Module) Types(p *Package) (*types.Package, *types.Info) {
	c := m.check(p)
	return c.pkg, c.info
}

// ForgetTypes gives back the memory of all types. Those that are asked for again are made
// again, and are others than before.
func (m *Module) ForgetTypes() {
	m.byTypes.Range(func(_, p any) bool {
		p.(*Package).checked.Store(nil)
		return true
	})
	m.byTypes.Clear()
}

// check returns the types of a package, and makes them and those that they are made of
// first if need be.
func (m *Module) check(p *Package) *checked {
	if c := p.checked.Load(); c != nil {
		return c
	}
	m.checking.Lock()
	defer m.checking.Unlock()
	return m.checkInTurn(p)
}

// checkInTurn is check for who holds the lock.
func (m *Module) checkInTurn(p *Package) *checked {
	if c := p.checked.Load(); c != nil {
		return c
	}
	m.begun[p] = true
	defer delete(m.begun, p)
	return m.makeTypes(p, func(dep *Package) *checked {
		if m.begun[dep] {
			return nil // an import cycle
		}
		return m.checkInTurn(dep)
	})
}

// makeTypes makes the types of one package; imported yields those of a package that it
// imports, or nil.
func (m *Module) makeTypes(p *Package, imported func(*Package) *checked) *checked {
	c := &checked{info: &types.Info{Uses: map[*ast.Ident]types.Object{}}}
	conf := types.Config{
		Importer:                 importer{m, p, imported},
		IgnoreFuncBodies:         true,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
		Error:                    func(error) {},
		Sizes:                    types.SizesFor("gc", m.Settings.GOARCH),
	}
	if gm := p.gomod(); gm != nil && gm.GoVersion != "" {
		conf.GoVersion = "go" + gm.GoVersion
	}
	var files []*ast.File
	for _, f := range p.Files {
		if f.AST != nil {
			files = append(files, withTypes(f.AST))
		}
	}
	// Check reports its first error again; the tree is judged by other means.
	c.pkg, _ = conf.Check(p.Path, m.Fset, files, c.info)
	// For its first error the checker walks over what a package imports, and what that
	// imports in turn, only to word it well.
	c.pkg.SetImports(nil)
	m.byTypes.Store(c.pkg, p)
	p.checked.Store(c)
	return c
}

// withTypes returns a file without the functions whose types nobody asks for: those that
// are not exported and have no directive. No type and no constant can be made of them.
func withTypes(f *ast.File) *ast.File {
	needless := func(d ast.Decl) bool {
		fd, ok := d.(*ast.FuncDecl)
		return ok && fd.Recv == nil && !fd.Name.IsExported() && !mentionsDirective(fd.Doc)
	}
	if !slices.ContainsFunc(f.Decls, needless) {
		return f
	}
	out := *f
	out.Decls = slices.DeleteFunc(slices.Clone(f.Decls), needless)
	return &out
}

// mentionsDirective reports whether a comment may have a directive of the catalog tools.
func mentionsDirective(g *ast.CommentGroup) bool {
	return g != nil && slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, DirectivePrefix) })
}

// importer resolves the imports of one package.
type importer struct {
	m        *Module
	from     *Package
	imported func(*Package) *checked
}

var errCycle = errors.New("import cycle")

func (im importer) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	p := im.m.resolve(im.from, importPath)
	if p == nil {
		return im.standIn(importPath), nil // an error would hide the package's name
	}
	if c := im.imported(p); c != nil && c.pkg != nil {
		return c.pkg, nil
	}
	return nil, errCycle
}

// resolve returns the package behind an import of from, or nil for one that is not
// there or was never needed.
func (m *Module) resolve(from *Package, importPath string) *Package {
	if p := m.byPath[importPath]; p != nil {
		return p
	}
	if r := from.imports[importPath]; r != "" {
		importPath = r
	}
	ext := m.extOf(from, importPath)
	if !ext.typed[importPath] {
		return nil
	}
	m.loading.Lock()
	defer m.loading.Unlock()
	return ext.loaded[importPath]
}

// SourceOf returns the package that types were made from, or nil.
func (m *Module) SourceOf(p *types.Package) *Package {
	if from, ok := m.byTypes.Load(p); ok {
		return from.(*Package)
	}
	return nil
}

// AssumedName is the name that a package of this import path most likely has: the last
// element without a version suffix and what is no identifier.
func AssumedName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' {
		if _, err := strconv.Atoi(base[1:]); err == nil {
			if dir := path.Dir(importPath); dir != "." {
				base = path.Base(dir)
			}
		}
	}
	base = strings.TrimPrefix(base, "go-")
	if i := strings.IndexFunc(base, notInIdentifier); i >= 0 {
		base = base[:i]
	}
	return base
}

func notInIdentifier(r rune) bool {
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// PackageName is the name of the package of an import path: the real one where the
// package is known, the assumed one elsewhere.
func (m *Module) PackageName(from *Package, importPath string) string {
	if p := m.resolve(from, importPath); p != nil {
		return p.Name
	}
	return AssumedName(importPath)
}

// Imports maps the names under which a file knows its imports to their paths. Blank and
// dot imports are left out. The map belongs to the module.
func (m *Module) Imports(f *File) map[string]string {
	if out, ok := m.imports.Load(f); ok {
		return out.(map[string]string)
	}
	out := make(map[string]string, len(f.AST.Imports))
	for _, spec := range f.AST.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil || importPath == "C" {
			continue
		}
		name := m.PackageName(f.Pkg, importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name != "_" && name != "." {
			out[name] = importPath
		}
	}
	m.imports.Store(f, out)
	return out
}

// FileAt returns the file of the package that holds pos, or nil.
func (p *Package) FileAt(pos token.Pos) *File {
	for _, f := range p.Files {
		if f.AST != nil && f.AST.FileStart <= pos && pos <= f.AST.FileEnd {
			return f
		}
	}
	return nil
}
