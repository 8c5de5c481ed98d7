package source

import (
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/agentplan/sdk/internal/required"
	"github.com/agentplan/sdk/internal/settings"
)

// plainTree is a tree of which one build sees nothing strange.
type plainTree struct {
	s       *settings.Settings
	build   *matcher
	headers map[*File]*ast.File
	dirs    map[string]bool                        // that have Go files
	imports map[*settings.GoModule]map[string]bool // what the modules' packages import
}

// plainTree looks at the files of each directory as one build sees them.
func (l *Loading) plainTree(s *settings.Settings, headers map[*File]*ast.File) (*plainTree, error) {
	t := &plainTree{s: s, build: newMatcher(s), headers: headers, dirs: map[string]bool{}, imports: map[*settings.GoModule]map[string]bool{}}
	for _, gm := range s.Modules {
		t.imports[gm] = map[string]bool{}
	}
	folded := map[string]string{} // names without case -> names
	clauses := map[string]string{}
	for _, tests := range []bool{false, true} { // the package is named by the others
		for _, f := range l.files {
			if f.IsTest() != tests {
				continue
			}
			if err := fold(folded, f.Path); err != nil {
				return nil, err
			}
			if err := t.add(f, clauses); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Path, err)
			}
		}
	}
	for _, name := range l.foreign {
		if t.dirs[path.Dir(name)] {
			return nil, fmt.Errorf("%s is beside Go files", name)
		}
	}
	paths := map[string]string{}
	for dir := range t.dirs {
		importPath := s.Owner(dir).Join(dir)
		if err := module.CheckImportPath(importPath); err != nil {
			return nil, err
		}
		if !plainElement().MatchString(path.Base(importPath)) {
			return nil, fmt.Errorf("the name of the directory %s is not plain", dir)
		}
		if err := fold(paths, importPath); err != nil {
			return nil, err
		}
	}
	return t, t.addGen()
}

// fold reports two names that differ in case only.
func fold(seen map[string]string, name string) error {
	lower := strings.ToLower(name)
	if other, ok := seen[lower]; ok && other != name {
		return fmt.Errorf("%s and %s differ in case only", other, name)
	}
	seen[lower] = name
	return nil
}

// add takes one file of a package into account: its package clause, which must be that of
// the package or, of a test, of its external tests, and its imports.
func (t *plainTree) add(f *File, clauses map[string]string) error {
	dir := path.Dir(f.Path)
	t.dirs[dir] = true
	match, err := t.build.match(path.Base(f.Path), f.Src)
	if err != nil || !match {
		return err
	}
	header := t.headers[f]
	name := header.Name.Name
	outside, external := strings.CutSuffix(name, "_test")
	if external {
		if !f.IsTest() {
			return errors.New("the package is named like external tests")
		}
		name = outside
	}
	if clause, ok := clauses[dir]; ok && clause != name {
		return fmt.Errorf("the package is %s and %s", clause, name)
	}
	clauses[dir] = name
	if f.IsTest() {
		return nil
	}
	imports := t.imports[t.s.Owner(dir)]
	for _, spec := range header.Imports {
		imports[strings.Trim(spec.Path.Value, "`\"")] = true
	}
	return nil
}

// addGen takes the directory of generated Go into account, which is not read otherwise:
// what it imports counts, and what is wrong with it does not.
func (t *plainTree) addGen() error {
	if t.s.Gen == "" {
		return nil
	}
	top := t.s.Abs(t.s.Gen)
	if !t.s.Disk.IsDir(top) {
		return nil
	}
	return t.s.Disk.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		rel := t.s.Rel(name)
		owner := t.s.Owner(rel)
		if owner == nil || !plainName().MatchString(d.Name()) || !d.Type().IsRegular() {
			return fmt.Errorf("%s is out of the ordinary", rel)
		}
		t.dirs[path.Dir(rel)] = true
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := t.s.Disk.ReadFile(name)
		if err != nil {
			return err
		}
		header, ok := required.Scan(src, true)
		if !ok {
			return fmt.Errorf("%s: the imports cannot be told", rel)
		}
		for _, p := range header.Imports {
			t.imports[owner][p] = true
		}
		return nil
	})
}

// modules looks at one module and what its packages import.
func (t *plainTree) modules(f *foresight, gm *settings.GoModule) (*required.Modules, error) {
	own := func(dir string) bool {
		at := path.Join(gm.Dir, dir)
		return t.dirs[at] && t.s.Owner(at) == gm
	}
	build := newMatcher(t.s) // guarded by the lock of what it is for
	match := func(base string, src []byte) (bool, error) {
		if tag := strangeTag(string(constraints(src))); tag != "" {
			return false, fmt.Errorf("the build tag %s is one of the toolchain", tag)
		}
		return build.match(base, src)
	}
	mods, err := required.Read(t.s.Disk, f.release, t.s.Abs(gm.Dir), required.View{Own: own, Match: match, Cgo: t.s.Cgo})
	if err != nil {
		return nil, err
	}
	need := t.imports[gm]
	for dir := range t.dirs {
		if t.s.Owner(dir) == gm {
			need[gm.Join(dir)] = true // no other module may claim it
		}
	}
	return mods, mods.Check(slices.Sorted(maps.Keys(need)))
}
