package required

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/gotool"
)

// Modules are the modules that one go.mod requires. It is for use by one goroutine at a
// time.
type Modules struct {
	Path string // of the module whose go.mod it is

	dir     string
	goLine  string            // such as go1.26.0
	require map[string]string // module path -> version
	sums    sums
	cache   string // the directory of the module cache
	found   map[string]*cached
	stdlib  string
	std     map[string]bool // import path -> whether the standard library has it

	circular bool // a module that was looked at requires the one whose go.mod it is

	own func(dir string) bool
}

// Read reads the go.mod and go.sum of a directory for the release of the go command that is
// in use. Its error says why the go command may not take them as they are.
//
// The function own reports whether a directory of the module, relative to it with slashes,
// has Go files and is part of the module.
func Read(d *disk.Reader, release gotool.Release, dir string, own func(dir string) bool) (*Modules, error) {
	data, err := d.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	if err := checkGoMod(mod, release.Version); err != nil {
		return nil, err
	}
	if err := checkPlace(d, release, dir); err != nil {
		return nil, err
	}
	data, err = d.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r := &Modules{
		Path: mod.Module.Mod.Path, dir: dir, goLine: "go" + mod.Go.Version, require: map[string]string{},
		cache: release.Cache, found: map[string]*cached{}, own: own,
		stdlib: filepath.Join(release.Root, "src"), std: map[string]bool{},
	}
	if r.sums, err = parseSums(data); err != nil {
		return nil, err
	}
	for _, req := range mod.Require {
		r.require[req.Mod.Path] = req.Mod.Version
	}
	return r, nil
}

// checkPlace reports a directory that the go command treats in its own way: a temporary
// directory, whose go.mod it does not see, one of its own directories, and one with
// vendored packages.
func checkPlace(d *disk.Reader, release gotool.Release, dir string) error {
	temp := os.TempDir()
	if real, err := filepath.EvalSymlinks(temp); err == nil {
		temp = real
	}
	if dir == filepath.Clean(temp) {
		return errors.New("the module is the directory of temporary files")
	}
	for _, special := range []string{release.Root, release.Cache} {
		if strings.HasPrefix(dir+string(filepath.Separator), special+string(filepath.Separator)) {
			return fmt.Errorf("the module is in %s", special)
		}
	}
	if strings.ContainsAny(dir, "\r\n@") {
		return fmt.Errorf("the directory of the module is %q", dir)
	}
	if _, err := d.Lstat(filepath.Join(dir, "vendor")); !errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is a directory vendor")
	}
	return nil
}

// A Place is where the package of an import path is.
type Place int

// The places of packages.
const (
	Standard Place = iota // in the standard library
	Own                   // in the module itself
	Required              // in a required module
)

// Package is where a package is.
type Package struct {
	Place Place
	Dir   string   // of a required one
	Files []string // the names of its Go files, for whatever build, sorted
}

// Find returns where the go command takes a package from. An error means that there is
// doubt: whether it finds the package at all, finds several, or complains.
func (r *Modules) Find(importPath string) (Package, error) {
	if err := module.CheckImportPath(importPath); err != nil {
		return Package{}, err
	}
	if r.isStandard(importPath) {
		if first, _, _ := strings.Cut(importPath, "/"); r.claims(first) {
			return Package{}, fmt.Errorf("%s may be of the standard library", importPath)
		}
		return Package{}, nil
	}
	var found []Package
	for prefix := importPath; prefix != "."; prefix = path.Dir(prefix) {
		rel := strings.TrimPrefix(strings.TrimPrefix(importPath, prefix), "/")
		if prefix == r.Path {
			if r.own(path.Join(".", rel)) {
				found = append(found, Package{Place: Own})
			} else if _, err := os.Lstat(filepath.Join(r.dir, filepath.FromSlash(rel))); !errors.Is(err, fs.ErrNotExist) {
				return Package{}, fmt.Errorf("%s may be of the module", importPath)
			}
			continue
		}
		v, ok := r.require[prefix]
		if !ok {
			continue
		}
		root, err := r.cached(module.Version{Path: prefix, Version: v})
		if err != nil {
			return Package{}, err
		}
		dir := filepath.Join(root, filepath.FromSlash(rel))
		if files := goFiles(dir); len(files) > 0 {
			found = append(found, Package{Required, dir, files})
		}
	}
	if len(found) != 1 {
		return Package{}, fmt.Errorf("%s is in %d modules", importPath, len(found))
	}
	return found[0], nil
}

// claims reports whether a module has a path without a dot that begins as given.
func (r *Modules) claims(first string) bool {
	for p := range r.require {
		if f, _, _ := strings.Cut(p, "/"); f == first {
			return true
		}
	}
	f, _, _ := strings.Cut(r.Path, "/")
	return f == first
}

// isStandard reports whether the standard library has a package, by its directory.
func (r *Modules) isStandard(importPath string) bool {
	if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
		return false
	}
	has, known := r.std[importPath]
	if !known {
		has = len(goFiles(filepath.Join(r.stdlib, filepath.FromSlash(importPath)))) > 0
		r.std[importPath] = has
	}
	return has
}

// goFiles lists the Go files of a directory, for whatever build.
func goFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names
}
