package source

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// checked is a package's types, made from source without function bodies.
type checked struct {
	pkg  *types.Package
	info *types.Info
	busy bool // an import cycle shows by it
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
	for _, p := range m.byTypes {
		p.checked = nil
	}
	clear(m.byTypes)
}

func (m *Module) check(p *Package) *checked {
	if p.checked != nil {
		return p.checked
	}
	c := &checked{
		busy: true,
		info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
	}
	p.checked = c
	conf := types.Config{
		Importer:                 importer{m, p},
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
			files = append(files, f.AST)
		}
	}
	// Check reports its first error again; the tree is judged by other means.
	c.pkg, _ = conf.Check(p.Path, m.Fset, files, c.info)
	c.busy = false
	m.byTypes[c.pkg] = p
	return c
}

// importer resolves the imports of one package.
type importer struct {
	m    *Module
	from *Package
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
	c := im.m.check(p)
	if c.busy || c.pkg == nil {
		return nil, errCycle
	}
	return c.pkg, nil
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
	return ext.loaded[importPath]
}

// SourceOf returns the package that types were made from, or nil.
func (m *Module) SourceOf(p *types.Package) *Package { return m.byTypes[p] }

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
	if out, ok := m.imports[f]; ok {
		return out
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
	m.imports[f] = out
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
