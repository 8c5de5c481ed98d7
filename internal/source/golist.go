package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/settings"
)

// plainPackage is what go list prints of a package.
type plainPackage struct {
	ImportPath, Name, Dir             string
	GoFiles, CgoFiles, IgnoredGoFiles []string
	Imports                           []string
	ImportMap                         map[string]string
	Error                             *struct{ Pos, Err string }
}

// files are the files that make up the package.
func (p *plainPackage) files() []string {
	out := make([]string, 0, len(p.GoFiles)+len(p.CgoFiles))
	for _, list := range [][]string{p.GoFiles, p.CgoFiles} {
		for _, name := range list {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			out = append(out, name)
		}
	}
	return out
}

// errNotPlain is the answer of the go command to what only [packages.Load] understands.
var errNotPlain = errors.New("the go command complains")

// list runs go list. It starts one process where [packages.Load] starts two, and asks
// for no more than what is used here; but it understands no complaints: those of the
// command as a whole are errors, those about a package are left in it.
func (t goTool) list(ctx context.Context, flags []string, patterns ...string) ([]*plainPackage, error) {
	cfg := t.config(ctx)
	args := append([]string{"list", "-e", "-compiled=false", "-test=false", "-export=false", "-buildvcs=false", "-pgo=off"}, flags...)
	args = append(append(args, cfg.BuildFlags...), "--")
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(cfg.Env, "PWD="+cfg.Dir)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var pkgs []*plainPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &plainPackage{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
}

// listPlain lists the packages of all modules if the go command has nothing to say about
// them.
func listPlain(ctx context.Context, s *settings.Settings) (listResult, error) {
	return eachCall(s, func(t goTool, patterns []string) (listResult, error) { return t.listPlain(ctx, patterns) })
}

func (t goTool) listPlain(ctx context.Context, patterns []string) (listResult, error) {
	pkgs, err := t.list(ctx, []string{"-find=true", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,IgnoredGoFiles,Error"}, append(patterns, "unsafe")...)
	if err != nil {
		return listResult{}, err
	}
	var out listResult
	rel := relativeTo{t.s}
	for _, p := range pkgs {
		files := p.files()
		if p.Error != nil {
			if _, matters := rel.listError(packages.Error{Pos: p.Error.Pos, Msg: p.Error.Err}); matters {
				return listResult{}, errNotPlain
			}
		}
		if p.ImportPath == "unsafe" {
			out.stdlib = filepath.Dir(p.Dir)
			continue
		}
		lp := listedPackage{path: p.ImportPath, name: p.Name, files: rel.all(files)}
		for _, name := range p.IgnoredGoFiles {
			lp.ignored = append(lp.ignored, rel.path(filepath.Join(p.Dir, name)))
		}
		if len(lp.files) > 0 {
			lp.dir = path.Dir(lp.files[0])
		}
		out.packages = append(out.packages, lp)
	}
	return out, nil
}

// ListImports asks the go command for packages as a module of the tree imports them, and
// for all that they import: names, files and imports. The packages come with those that
// they import; what is wrong with one is in its Errors. Nothing is compiled. Where the
// answer is foreseen, the standard library is not part of it.
func (m *Module) ListImports(ctx context.Context, gm *settings.GoModule, importPaths []string) ([]*packages.Package, error) {
	t := goTool{s: m.Settings, dir: gm.Dir}
	if m.Settings.Workspace != "" {
		t.dir = "."
	}
	if plain := t.recallDeps(importPaths); plain != nil {
		return link(plain, importPaths), nil
	}
	start := time.Now()
	plain, err := m.foreseen(gm, importPaths)
	if err != nil {
		plain, err = t.list(ctx, []string{"-deps=true", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Imports,ImportMap,Error"}, importPaths...)
	}
	if err == nil {
		if pkgs := link(plain, importPaths); pkgs != nil {
			t.keepDeps(importPaths, plain, start)
			return pkgs, nil
		}
	}
	m.Settings.Disk.Vague("the go command complains about dependencies")
	return t.load(ctx, packages.NeedName|packages.NeedFiles|packages.NeedImports|packages.NeedDeps, importPaths)
}

// link makes packages that know those that they import, or nil where the go command
// complains about one.
func link(plain []*plainPackage, importPaths []string) []*packages.Package {
	byPath := make(map[string]*packages.Package, len(plain))
	for _, p := range plain {
		if p.Error != nil {
			return nil
		}
		byPath[p.ImportPath] = &packages.Package{ID: p.ImportPath, PkgPath: p.ImportPath, Name: p.Name, GoFiles: p.files()}
	}
	for _, p := range plain {
		imports := make(map[string]*packages.Package, len(p.Imports))
		for _, resolved := range p.Imports {
			imports[resolved] = byPath[resolved]
		}
		for written, resolved := range p.ImportMap {
			delete(imports, resolved)
			imports[written] = byPath[resolved]
		}
		delete(imports, "C")
		for _, dep := range imports {
			if dep == nil {
				return nil
			}
		}
		byPath[p.ImportPath].Imports = imports
	}
	out := make([]*packages.Package, 0, len(importPaths))
	for _, importPath := range importPaths {
		p := byPath[importPath]
		if p == nil {
			return nil
		}
		out = append(out, p)
	}
	return out
}
