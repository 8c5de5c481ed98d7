package required

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// View is how the build in question sees the module and those that it requires.
type View struct {
	// Own reports whether a directory of the module, relative to it with slashes, has Go
	// files and is part of the module.
	Own func(dir string) bool
	// Match reports whether the build sees a file, by its base name and, where that does not
	// decide it, how it begins. An error means that there is doubt.
	Match func(base string, src []byte) (bool, error)
	// Cgo says that the build sees files that import C.
	Cgo bool
}

// Listed is a package of a required module as a build sees it.
type Listed struct {
	ImportPath string
	Name       string
	Dir        string
	Files      []string // their names, sorted, without tests
	Imports    []string // packages of required modules that it imports, sorted
}

// Check follows imports from packages of the module into the required modules, and on from
// there. It is nil if the go command finds all of them without a complaint.
//
// The given paths are those that packages of the module import in the build.
func (r *Modules) Check(imports []string) error {
	_, err := r.follow(imports)
	return err
}

// List returns the packages of required modules that have the given import paths, and all
// packages of required modules that they import. An error means that there is doubt.
func (r *Modules) List(imports []string) ([]*Listed, error) {
	if r.view.Cgo {
		return nil, errors.New("the build uses cgo")
	}
	out, err := r.follow(imports)
	if err != nil {
		return nil, err
	}
	for _, p := range out {
		if p == nil || p.Name == "" || p.Name == "main" || p.Name == "documentation" {
			return nil, errors.New("a package is not plain, or not of a required module")
		}
	}
	return out, nil
}

// follow looks at the given packages and all that they import. Those that are not of a
// required module are nil, each once.
func (r *Modules) follow(imports []string) ([]*Listed, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	var out []*Listed
	for todo := slices.Clone(imports); len(todo) > 0; {
		last := len(todo) - 1
		importPath := todo[last]
		todo = todo[:last]
		if seen[importPath] || importPath == "C" {
			continue
		}
		seen[importPath] = true
		p, err := r.list(importPath)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		if p != nil {
			todo = append(todo, p.Imports...)
		}
	}
	if r.circular {
		return out, r.checkGraph()
	}
	return out, nil
}

// list looks at a package, once. It is nil for one that is not of a required module: what
// the standard library imports is there, and what the module imports is known.
func (r *Modules) list(importPath string) (*Listed, error) {
	if p, known := r.listed[importPath]; known {
		return p, nil
	}
	at, err := r.find(importPath)
	if err != nil {
		return nil, err
	}
	var p *Listed
	if at.place == required {
		p = &Listed{ImportPath: importPath, Dir: at.dir}
		for _, name := range at.files {
			if err := r.add(p, name); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(at.dir, name), err)
			}
		}
		slices.Sort(p.Imports)
		p.Imports = slices.Compact(p.Imports)
	}
	r.listed[importPath] = p
	return p, nil
}

// add takes a file of a package into account if the build sees it. A package of several
// names has none.
func (r *Modules) add(p *Listed, name string) error {
	if strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' {
		return nil
	}
	// The name alone often decides.
	if match, err := r.view.Match(name, nil); err != nil || !match {
		return err
	}
	src, h, err := r.header(filepath.Join(p.Dir, name))
	if err != nil {
		return err
	}
	if match, err := r.view.Match(name, src); err != nil || !match {
		return err
	}
	if !r.view.Cgo && slices.Contains(h.Imports, "C") {
		return nil
	}
	if len(p.Files) == 0 {
		p.Name = h.Package
	} else if p.Name != h.Package {
		p.Name = ""
	}
	p.Files = append(p.Files, name)
	for _, dep := range h.Imports {
		if !r.isStandard(dep) || r.claims(dep) {
			p.Imports = append(p.Imports, dep)
		}
	}
	return nil
}
