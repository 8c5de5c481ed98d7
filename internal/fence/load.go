package fence

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/source"
)

// loader makes the types of what fences import, from source. Of each package it checks
// only the declarations that can be reached from what the fences mention, and no function
// body.
type loader struct {
	mod     *source.Module
	cache   *Cache
	found   map[string]*source.Package // by import path; nil for what does not exist
	listed  map[string]*packages.Package
	parts   map[string]*part
	todo    []name
	pending map[string][]name // packages that only the go command can find, and what is wanted of them
	failed  map[string]string // packages that cannot be read, and why

	requires []string // module paths that go.mod requires
}

// name is a package-level name.
type name struct{ path, ident string }

// part is what has been reached of one package.
type part struct {
	pkg     *source.Package
	reached map[string]bool
	decls   map[ast.Node]*source.Decl // declarations and specs to keep
	sealing map[string]bool           // unexported methods that interfaces of the package ask for
	types   *types.Package
	busy    bool
}

func newLoader(mod *source.Module, cache *Cache) *loader {
	l := &loader{
		mod:     mod,
		cache:   cache,
		found:   map[string]*source.Package{},
		listed:  cache.listed,
		parts:   map[string]*part{},
		pending: map[string][]name{},
		failed:  map[string]string{},
	}
	if data, err := os.ReadFile(mod.Settings.Abs("go.mod")); err == nil {
		if f, err := modfile.ParseLax("go.mod", data, nil); err == nil {
			for _, r := range f.Require {
				l.requires = append(l.requires, r.Mod.Path)
			}
		}
	}
	return l
}

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
			p = l.cache.standard(l.mod, importPath)
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

// ownDir is the directory, relative to the module root, that an import path of the module
// stands for.
func (l *loader) ownDir(importPath string) (string, bool) {
	if importPath == l.mod.Settings.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, l.mod.Settings.Module+"/")
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
		src, err := os.ReadFile(file)
		if err != nil {
			continue // what it declares is not there
		}
		f := &source.File{Path: file, Src: src, Pkg: p}
		f.AST, _ = parser.ParseFile(l.mod.Fset, file, src, parser.SkipObjectResolution)
		p.Files = append(p.Files, f)
	}
	return p
}

// want asks for a package-level name, or with an empty ident for the package alone.
func (l *loader) want(path, ident string) { l.todo = append(l.todo, name{path, ident}) }

// load reads all that was asked for and what that is made of. The go command looks for
// what only it can find meanwhile.
func (l *loader) load(ctx context.Context) {
	var foreign []string
	for _, n := range l.todo {
		if l.mustList(n.path) && l.listed[n.path] == nil && n.path != "C" {
			foreign = append(foreign, n.path)
		}
	}
	wait := l.ask(ctx, foreign)
	for {
		for len(l.todo) > 0 {
			next := l.todo[len(l.todo)-1]
			l.todo = l.todo[:len(l.todo)-1]
			l.reach(next)
		}
		if wait == nil {
			wait = l.ask(ctx, slices.Collect(maps.Keys(l.pending)))
		}
		if wait == nil {
			return
		}
		wait()
		wait = nil
	}
}

// reach marks a name and everything its declaration mentions outside of bodies.
func (l *loader) reach(n name) {
	if n.path == "C" || n.path == "unsafe" {
		return
	}
	pt := l.parts[n.path]
	if pt == nil {
		p := l.find(n.path)
		if p == nil {
			if _, listed := l.found[n.path]; !listed && l.mustList(n.path) {
				l.pending[n.path] = append(l.pending[n.path], n)
			}
			return
		}
		pt = &part{pkg: p, reached: map[string]bool{}, decls: map[ast.Node]*source.Decl{}, sealing: sealing(p)}
		l.parts[n.path] = pt
	}
	if n.ident == "" || pt.reached[n.ident] {
		return
	}
	pt.reached[n.ident] = true
	d := pt.pkg.Decl(n.ident)
	if d == nil {
		return
	}
	l.keep(pt, d, n.ident)
	if d.Kind == source.TypeDecl {
		for _, m := range pt.pkg.Methods(n.ident) {
			if name := m.Name().Name; token.IsExported(name) || pt.sealing[name] {
				l.keep(pt, m, "")
			}
		}
	}
}

// sealing are the unexported methods of a package's interfaces.
func sealing(p *source.Package) map[string]bool {
	out := map[string]bool{}
	for _, d := range p.Decls() {
		if d.Type == nil {
			continue
		}
		if it, ok := d.Type.Type.(*ast.InterfaceType); ok {
			for _, f := range it.Methods.List {
				for _, id := range f.Names {
					if !id.IsExported() {
						out[id.Name] = true
					}
				}
			}
		}
	}
	return out
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
	p := l.cache.packages[importPath]
	if p == nil {
		p = l.parse(importPath, lp.Name, "", lp.GoFiles)
		l.cache.packages[importPath] = p
	}
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
	var pkgs []*packages.Package
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		cfg := goConfig(ctx, l.mod.Settings)
		cfg.Mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps
		pkgs, err = packages.Load(cfg, paths...)
	}()
	return func() {
		<-done
		packages.Visit(pkgs, nil, func(p *packages.Package) {
			if l.listed[p.PkgPath] == nil {
				l.listed[p.PkgPath] = p
			}
		})
		for _, p := range paths {
			if why := l.unusable(p, err); why != "" {
				l.failed[p] = why
				l.found[p] = nil
				delete(l.listed, p) // it may be there the next time
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

// required reports whether go.mod requires a module that may hold the package.
func (l *loader) required(importPath string) bool {
	return slices.ContainsFunc(l.requires, func(m string) bool {
		return importPath == m || strings.HasPrefix(importPath, m+"/")
	})
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

// keep adds a declaration to what is checked of its package, and asks for what it
// mentions.
func (l *loader) keep(pt *part, d *source.Decl, ident string) {
	node := keptNode(d, ident)
	if pt.decls[node] != nil {
		return
	}
	pt.decls[node] = d
	imports := l.fileImports(pt.pkg, d.File)
	mention := func(n ast.Node) { l.mention(pt, imports, n) }
	switch n := node.(type) {
	case *ast.FuncDecl:
		if n.Recv != nil {
			mention(n.Recv)
		}
		mention(n.Type)
	case *ast.ValueSpec:
		if n.Type != nil {
			mention(n.Type)
			break
		}
		for _, v := range n.Values {
			mention(v)
		}
	case *ast.TypeSpec:
		if n.TypeParams != nil {
			mention(n.TypeParams)
		}
		mention(withoutHidden(n).Type)
	default:
		mention(n)
	}
	if g, ok := node.(*ast.GenDecl); ok { // constants: all or none, because of iota
		for _, spec := range g.Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				pt.reached[id.Name] = true
			}
		}
	}
}

// keptNode is the syntax of a declaration that declares ident: a func, a type spec, a
// group of constants, or the one spec of a var.
func keptNode(d *source.Decl, ident string) ast.Node {
	switch {
	case d.Func != nil:
		return d.Func
	case d.Type != nil:
		return d.Type
	case d.Kind == source.ConstDecl:
		return d.Group
	}
	for _, spec := range d.Group.Specs {
		if vs, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(vs.Names, func(id *ast.Ident) bool { return id.Name == ident }) {
			return vs
		}
	}
	return d.Group
}

// mention asks for every name in a piece of syntax that may be one of a package.
func (l *loader) mention(pt *part, imports map[string]string, root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false // the body of a function literal
		case *ast.Field:
			l.mention(pt, imports, n.Type) // names of fields are none of the package
			return false
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if importPath := imports[id.Name]; importPath != "" {
					l.want(importPath, n.Sel.Name)
					return false
				}
			}
		case *ast.Ident:
			if pt.pkg.Decl(n.Name) != nil {
				l.want(pt.pkg.Path, n.Name)
			} else if dot := imports["."]; dot != "" && token.IsExported(n.Name) {
				l.want(dot, n.Name)
			}
		}
		return true
	})
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
	entries, err := os.ReadDir(l.mod.Settings.Abs(dir))
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
