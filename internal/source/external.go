package source

import (
	"context"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/settings"
)

// externals are the packages outside the tree that some question of one of its modules
// needs: those that a declaration embeds or is made of. They are listed by the go command
// in one call for the module; those of the standard library, which all modules share, are
// read where they are. All are checked only when the type checker asks for them.
type externals struct {
	gomod   *settings.GoModule // nil: the standard library
	listed  map[string]*packages.Package
	loaded  map[string]*Package
	typed   map[string]bool   // those whose types the tree's own types are made of
	missing map[string]string // those that could not be read, and why
}

func newExternals(gm *settings.GoModule) *externals {
	return &externals{
		gomod:   gm,
		listed:  map[string]*packages.Package{},
		loaded:  map[string]*Package{},
		typed:   map[string]bool{},
		missing: map[string]string{},
	}
}

// gomod is the module of the tree that the package belongs to, or nil.
func (p *Package) gomod() *settings.GoModule {
	if p.InModule() && p.ext != nil {
		return p.ext.gomod
	}
	return nil
}

// extOf is where a package finds an import path that is not of the tree.
func (m *Module) extOf(from *Package, importPath string) *externals {
	if from == nil || from.ext == nil || m.std.has(importPath) {
		return m.common
	}
	return from.ext
}

// NeedExternals makes the types of packages outside the tree available as far as the given
// types are made of them: by what they embed, alias or are defined as, directly and
// through other types, and of the deep ones by the types of their fields as well; and what
// the constants of their packages are made of. It must be called before the first call of
// [Module.Types]. What cannot be read is known to [Module.Missing] from then on.
func (m *Module) NeedExternals(ctx context.Context, roots, deep []*Decl) {
	r := &reach{m: m, seen: map[*Decl]bool{}, unread: map[*externals]map[string][]string{}}
	for _, d := range deep {
		r.decl(d, true)
	}
	constants := map[*Package]bool{}
	for _, d := range roots {
		r.decl(d, false)
		if constants[d.File.Pkg] {
			continue
		}
		constants[d.File.Pkg] = true
		for _, c := range d.File.Pkg.Decls() {
			if c.Kind == ConstDecl {
				r.decl(c, false) // it may belong to a type of the roots
			}
		}
	}
	for _, ext := range m.allExternals() {
		m.listExternals(ctx, ext, slices.Sorted(maps.Keys(r.unread[ext])))
	}
	m.imports.Clear() // names of packages are better known now
	for _, ext := range m.allExternals() {
		wanted := r.unread[ext]
		for _, importPath := range slices.Sorted(maps.Keys(wanted)) {
			if p := m.load(ext, importPath); p != nil {
				for _, name := range wanted[importPath] {
					r.decl(p.Decl(name), false)
				}
			}
		}
	}
}

// allExternals are those of all modules, in the order of the modules.
func (m *Module) allExternals() []*externals {
	all := []*externals{m.common}
	for _, gm := range m.Settings.Modules {
		all = append(all, m.ext[gm])
	}
	return all
}

// External returns a package outside the tree: one of the standard library, or one that a
// package given to [Module.NeedExternals] is made of. It is nil where there is none.
func (m *Module) External(importPath string) *Package {
	if m.std.has(importPath) {
		return m.load(m.common, importPath)
	}
	for _, ext := range m.allExternals() {
		if p := m.load(ext, importPath); p != nil {
			return p
		}
	}
	return nil
}

// load returns a package outside the tree, or nil.
func (m *Module) load(ext *externals, importPath string) *Package {
	m.loading.Lock()
	defer m.loading.Unlock()
	if p, ok := ext.loaded[importPath]; ok {
		return p
	}
	var p *Package
	if lp := ext.listed[importPath]; lp != nil {
		p = m.fromListed(lp)
	} else if ext == m.common && IsStandard(importPath) {
		p = m.std.load(m.Fset, importPath)
	}
	if p != nil {
		p.ext = ext
		ext.loaded[importPath] = p
	}
	return p
}

// isOwn reports whether an import path lies in the tree but was not read, as the packages
// of generated Go are not.
func (m *Module) isOwn(importPath string) bool {
	dir, ok := m.Settings.OwnDir(importPath)
	return ok && m.inGen(dir)
}

// listExternals asks the go command for the files of the packages and of all they import.
func (m *Module) listExternals(ctx context.Context, ext *externals, paths []string) {
	if len(paths) == 0 || ext.gomod == nil {
		return
	}
	pkgs, err := m.ListImports(ctx, ext.gomod, paths)
	if err != nil {
		for _, p := range paths {
			ext.missing[p] = goWords(err)
		}
		return
	}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if in := m.extOf(&Package{ext: ext}, p.PkgPath); in.listed[p.PkgPath] == nil {
			in.listed[p.PkgPath] = p
		}
	})
	for _, importPath := range paths {
		p := ext.listed[importPath]
		switch {
		case p == nil:
			ext.missing[importPath] = "the go command does not find it"
		case len(p.GoFiles) == 0 && len(p.Errors) > 0:
			ext.missing[importPath] = strings.TrimSpace(p.Errors[0].Msg)
		case len(p.GoFiles) == 0:
			ext.missing[importPath] = "it has no Go files for the configured build"
		}
	}
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
	p.readFiles(m.Settings.Disk, m.Fset, lp.GoFiles)
	return p
}

// readFiles parses the files of a package outside the module. One that cannot be read
// is left out: what it declares does not resolve.
func (p *Package) readFiles(d *disk.Reader, fset *token.FileSet, names []string) {
	for _, name := range names {
		src, err := d.ReadFile(name)
		if err != nil {
			continue
		}
		f := &File{Path: name, Src: src, Pkg: p}
		if f.AST = ParseOutline(fset, name, src, parser.ParseComments); f.AST != nil {
			f.keepReturns(fset)
		}
		p.Files = append(p.Files, f)
	}
	slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
}
