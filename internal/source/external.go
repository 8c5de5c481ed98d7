package source

import (
	"context"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/disk"
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

// NeedExternals makes the types of packages outside the module available as far as the
// given types are made of them: by what they embed, alias or are defined as, directly
// and through other types, and of the deep ones by the types of their fields as well; and
// what the constants of their packages are made of. It must be called before the first call of [Module.Types]. It returns the import paths
// that could not be read, each with the go command's words.
func (m *Module) NeedExternals(ctx context.Context, roots, deep []*Decl) (missing map[string]string) {
	r := &reach{m: m, seen: map[*Decl]bool{}, unread: map[string][]string{}}
	for _, d := range deep {
		r.decl(d, true)
	}
	for _, d := range roots {
		r.decl(d, false)
		for _, c := range d.File.Pkg.Decls() {
			if c.Kind == ConstDecl {
				r.decl(c, false) // it may belong to a type of the roots
			}
		}
	}
	var paths []string
	for importPath := range r.unread {
		paths = append(paths, importPath)
	}
	slices.Sort(paths)
	missing = m.listExternals(ctx, paths)
	clear(m.imports) // names of packages are better known now
	for _, importPath := range paths {
		if p := m.External(importPath); p != nil {
			for _, name := range r.unread[importPath] {
				r.decl(p.Decl(name), false)
			}
		}
	}
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

// listExternals asks the go command for the files of the packages and of all they
// import.
func (m *Module) listExternals(ctx context.Context, paths []string) map[string]string {
	missing := map[string]string{}
	if len(paths) == 0 {
		return missing
	}
	pkgs, err := List(ctx, m.Settings, paths)
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
