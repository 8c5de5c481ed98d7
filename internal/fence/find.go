package fence

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
)

// known returns a package that needs no go command to be found: one of the module, of its
// generated Go or of the standard library. It is nil for any other.
func (l *loader) known(importPath string) *source.Package {
	if p, ok := l.found[importPath]; ok {
		return p
	}
	p := l.mod.Lookup(importPath)
	if p == nil {
		if dir, ok := l.ownDir(importPath); ok {
			p = l.readDir(importPath, dir)
		} else if source.IsStandard(importPath) {
			p = l.cache.get(l.mod, importPath, func() *source.Package { return l.mod.External(importPath) })
		}
	}
	if p == nil && !l.mustList(importPath) {
		l.found[importPath] = nil
	}
	if p != nil {
		l.found[importPath] = p
	}
	return p
}

// ownDir is the directory, relative to the root, that an import path of the tree stands
// for.
func (l *loader) ownDir(importPath string) (string, bool) {
	return l.mod.Settings.OwnDir(importPath)
}

// mustList reports whether a package can only be found by the go command.
func (l *loader) mustList(importPath string) bool {
	_, own := l.ownDir(importPath)
	return !own && !source.IsStandard(importPath)
}

// readDir reads a package of generated Go, which is not part of the module as data.
func (l *loader) readDir(importPath, dir string) *source.Package {
	if !l.inGen(dir) {
		return nil
	}
	bc := buildContext(l.mod)
	l.mod.Settings.Disk.Serve(&bc)
	bp, err := bc.ImportDir(l.mod.Settings.Abs(dir), 0)
	if err != nil {
		return nil
	}
	return l.parse(importPath, bp.Name, bp.Dir, bp.GoFiles)
}

// inGen reports whether a directory is one of generated Go.
func (l *loader) inGen(dir string) bool {
	gen := l.mod.Settings.Gen
	return gen != "" && (dir == gen || strings.HasPrefix(dir, gen+"/"))
}

func (l *loader) parse(importPath, pkgName, dir string, files []string) *source.Package {
	p := &source.Package{Path: importPath, Name: pkgName}
	for _, file := range files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		src, err := l.mod.Settings.Disk.ReadFile(file)
		if err != nil {
			continue // what it declares is not there
		}
		f := &source.File{Path: file, Src: src, Pkg: p}
		f.AST = source.ParseOutline(l.mod.Fset, file, src, 0)
		p.Files = append(p.Files, f)
	}
	return p
}

// find returns a package by all means but a new call of the go command.
func (l *loader) find(importPath string) *source.Package {
	if p := l.known(importPath); p != nil {
		return p
	}
	lp := l.listed[importPath]
	if lp == nil || len(lp.GoFiles) == 0 {
		return nil
	}
	p := l.cache.get(l.mod, importPath, func() *source.Package { return l.parse(importPath, lp.Name, "", lp.GoFiles) })
	l.found[importPath] = p
	return p
}

// ask asks the go command for packages and all that they import. What it returns waits for
// the answer; it is nil where there is nothing to ask.
func (l *loader) ask(ctx context.Context, paths []string) (wait func()) {
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	// Each path is asked for in a module that requires it.
	asked := map[*settings.GoModule][]string{}
	for _, p := range paths {
		gm := l.required(p)
		if gm == nil {
			gm = l.mod.Settings.Modules[0]
		}
		asked[gm] = append(asked[gm], p)
	}
	type answer struct {
		pkgs []*packages.Package
		err  error
	}
	answers := map[*settings.GoModule]*answer{}
	var all parallel.Group
	for gm, paths := range asked {
		a := &answer{}
		answers[gm] = a
		all.Go(func() {
			a.pkgs, a.err = l.mod.ListImports(ctx, gm, paths)
		})
	}
	return func() {
		all.Wait()
		for _, gm := range l.mod.Settings.Modules {
			if answers[gm] == nil {
				continue
			}
			packages.Visit(answers[gm].pkgs, nil, func(p *packages.Package) {
				if l.listed[p.PkgPath] == nil {
					l.listed[p.PkgPath] = p
				}
			})
			for _, p := range asked[gm] {
				if why := l.unusable(p, answers[gm].err); why != "" {
					l.failed[p] = why
					l.found[p] = nil
					delete(l.listed, p) // it may be there the next time
				}
			}
		}
		for _, names := range l.pending {
			l.todo = append(l.todo, names...)
		}
		clear(l.pending)
	}
}

// unusable says why a package that the go command was asked for cannot be read.
func (l *loader) unusable(importPath string, err error) string {
	lp := l.listed[importPath]
	switch {
	case err != nil:
		return err.Error()
	case lp != nil && len(lp.GoFiles) > 0:
		return ""
	case lp != nil && len(lp.Errors) > 0:
		return strings.TrimSpace(lp.Errors[0].Msg)
	}
	return "it has no Go files for the configured build"
}

// required is the first module of the tree whose go.mod requires a module that may hold
// the package, or nil.
func (l *loader) required(importPath string) *settings.GoModule {
	for _, gm := range l.mod.Settings.Modules {
		if slices.ContainsFunc(gm.Requires, func(r module.Version) bool {
			return importPath == r.Path || strings.HasPrefix(importPath, r.Path+"/")
		}) {
			return gm
		}
	}
	return nil
}

// packageName is the name of the package behind an import.
func (l *loader) packageName(importPath string) string {
	if pt := l.parts[importPath]; pt != nil {
		return pt.pkg.Name
	}
	if p := l.mod.Lookup(importPath); p != nil {
		return p.Name
	}
	if lp := l.listed[importPath]; lp != nil && lp.Name != "" {
		return lp.Name
	}
	return source.AssumedName(importPath)
}

// fileImports maps the names of a file's imports to the paths of their packages.
func (l *loader) fileImports(p *source.Package, f *source.File) map[string]string {
	out := make(map[string]string, len(f.AST.Imports))
	for _, spec := range f.AST.Imports {
		importPath := l.resolve(p, strings.Trim(spec.Path.Value, "`\""))
		name := l.packageName(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = importPath
	}
	return out
}

// resolve finds what an import path means in a package: those of the standard library and
// listed ones may have it vendored.
func (l *loader) resolve(from *source.Package, importPath string) string {
	if lp := l.listed[from.Path]; lp != nil {
		if dep := lp.Imports[importPath]; dep != nil {
			return dep.PkgPath
		}
	}
	if !from.InModule() && source.IsStandard(from.Path) && !source.IsStandard(importPath) {
		return "vendor/" + importPath
	}
	return importPath
}

// unread reports whether a directory of the module holds Go files that are not part of
// the module as data: those of nested modules, tests alone, or excluded by a constraint.
func (l *loader) unread(dir string) bool {
	entries, err := l.mod.Settings.Disk.ReadDir(l.mod.Settings.Abs(dir))
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
}

// ownPaths are the import paths of the module.
func (l *loader) ownPaths() []string {
	var out []string
	for _, p := range l.mod.Packages {
		out = append(out, p.Path)
	}
	return out
}
