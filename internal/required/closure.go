package required

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Matcher reports whether a build sees a file, by its base name and how it begins. An
// error means that there is doubt.
type Matcher func(base string, src []byte) (bool, error)

// Check follows imports from packages of the module into the required modules, and on from
// there. It is nil if the go command finds all of them without a complaint.
//
// The given paths are those that packages of the module import in the build of the
// matcher, which sees no cgo unless cgo is set.
func (r *Modules) Check(imports []string, cgo bool, match Matcher) error {
	w := walk{Modules: r, seen: map[string]bool{}, cgo: cgo, match: match}
	for _, p := range imports {
		w.need(p)
	}
	for len(w.todo) > 0 {
		last := len(w.todo) - 1
		p := w.todo[last]
		w.todo = w.todo[:last]
		if err := w.visit(p); err != nil {
			return err
		}
	}
	if w.circular {
		return w.checkGraph()
	}
	return nil
}

// walk is one way through the imports.
type walk struct {
	*Modules
	reader
	seen  map[string]bool
	todo  []string
	cgo   bool
	match Matcher
}

func (w *walk) need(importPath string) {
	if !w.seen[importPath] {
		w.seen[importPath] = true
		w.todo = append(w.todo, importPath)
	}
}

// visit finds a package and takes note of what it imports. What the standard library
// imports is there, and what the module imports is known.
func (w *walk) visit(importPath string) error {
	if importPath == "C" {
		return nil
	}
	p, err := w.Find(importPath)
	if err != nil || p.Place != Required {
		return err
	}
	for _, name := range p.Files {
		if strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' {
			continue
		}
		// The name alone often decides.
		if match, err := w.match(name, nil); err != nil || !match {
			if err != nil {
				return err
			}
			continue
		}
		src, imports, err := w.header(filepath.Join(p.Dir, name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if match, err := w.match(name, src); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		} else if !match || !w.cgo && slices.Contains(imports, "C") {
			continue
		}
		for _, dep := range imports {
			w.need(dep)
		}
	}
	return nil
}
