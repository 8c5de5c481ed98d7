package required

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/gotool"
)

// Modules are the modules that one go.mod requires. They are safe for concurrent use.
type Modules struct {
	Path string // of the module whose go.mod it is

	dir     string
	goLine  string            // such as go1.26.0
	require map[string]string // module path -> version
	sums    sums
	cache   string // the directory of the module cache
	stdlib  string
	view    View

	mu sync.Mutex // guards the rest
	reader
	known    map[string]*cached // by module path
	std      map[string]bool    // import path -> whether the standard library has it
	listed   map[string]*Listed // by import path; nil where it is of no required module
	circular bool               // a module that was looked at requires the one whose go.mod it is
}

// Read reads the go.mod and go.sum of a directory for the release of the go command that is
// in use. Its error says why the go command may not take them as they are.
func Read(d *disk.Reader, release gotool.Release, dir string, view View) (*Modules, error) {
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
		cache: release.Cache, view: view, stdlib: filepath.Join(release.Root, "src"),
		known: map[string]*cached{}, std: map[string]bool{}, listed: map[string]*Listed{},
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

// A place is where the package of an import path is.
type place int

// The places of packages.
const (
	standard place = iota // in the standard library
	own                   // in the module itself
	required              // in a required module
)

// found is where a package is.
type found struct {
	place place
	dir   string   // of a required one
	files []string // the names of its Go files, for whatever build, sorted
}

// find returns where the go command takes a package from. An error means that there is
// doubt: whether it finds the package at all, finds several, or complains.
func (r *Modules) find(importPath string) (found, error) {
	if err := module.CheckImportPath(importPath); err != nil {
		return found{}, err
	}
	if r.isStandard(importPath) {
		if r.claims(importPath) {
			return found{}, fmt.Errorf("%s may be of the standard library", importPath)
		}
		return found{}, nil
	}
	var all []found
	for prefix := importPath; prefix != "."; prefix = path.Dir(prefix) {
		rel := strings.TrimPrefix(strings.TrimPrefix(importPath, prefix), "/")
		if prefix == r.Path {
			if r.view.Own(path.Join(".", rel)) {
				all = append(all, found{place: own})
			} else if _, err := os.Lstat(filepath.Join(r.dir, filepath.FromSlash(rel))); !errors.Is(err, fs.ErrNotExist) {
				return found{}, fmt.Errorf("%s may be of the module", importPath)
			}
			continue
		}
		v, ok := r.require[prefix]
		if !ok {
			continue
		}
		root, err := r.cached(module.Version{Path: prefix, Version: v})
		if err != nil {
			return found{}, err
		}
		dir := filepath.Join(root, filepath.FromSlash(rel))
		if files := goFiles(dir); len(files) > 0 {
			all = append(all, found{required, dir, files})
		}
	}
	if len(all) != 1 {
		return found{}, fmt.Errorf("%s is in %d modules", importPath, len(all))
	}
	return all[0], nil
}

// claims reports whether a module has a path that begins like an import path.
func (r *Modules) claims(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
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
