package source

import (
	"bytes"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/settings"
)

// standard reads packages of the standard library from the Go tree, for the configured
// platform, without the go command.
type standard struct {
	disk *disk.Reader

	mu    sync.Mutex         // guards the rest, and the Src of files
	src   string             // GOROOT/src; empty before the first use
	used  bool               // something was looked for there
	files map[string][]*File // their files, by import path
	shown map[[3]string]bool // what the texts were asked for
	none  map[string]bool    // import paths that are not there
	dirs  map[string]bool    // whether import paths have a directory
	build *matcher
}

func newStandard(s *settings.Settings, src string) *standard {
	return &standard{
		disk: s.Disk, src: src, build: newMatcher(s),
		files: map[string][]*File{}, shown: map[[3]string]bool{}, none: map[string]bool{}, dirs: map[string]bool{},
	}
}

// IsStandard reports whether an import path is one of the standard library: its first
// element has no dot.
func IsStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// has reports whether an import path is one of a directory of the standard library.
func (st *standard) has(importPath string) bool {
	if !IsStandard(importPath) || st.src == "" {
		return false
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.used = true
	found, known := st.dirs[importPath]
	if !known {
		found = st.disk.IsDir(filepath.Join(st.src, filepath.FromSlash(importPath)))
		st.dirs[importPath] = found
	}
	return found
}

// load returns a package of the standard library, or nil.
func (st *standard) load(fset *token.FileSet, importPath string) *Package {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.none[importPath] || st.src == "" {
		return nil
	}
	p := &Package{Path: importPath, imports: map[string]string{}}
	for _, f := range st.list(importPath) {
		base := filepath.Base(f.Path)
		if match, err := st.build.match(base, nil); err != nil || !match {
			continue // it is not even read
		}
		if match, err := st.build.match(base, st.text(f)); err != nil || !match {
			continue
		}
		f.AST = ParseOutline(fset, f.Path, f.Src, parser.ParseComments)
		if f.AST == nil || usesCgo(f.AST) || f.AST.Name.Name == "documentation" {
			continue
		}
		f.Pkg = p
		f.keepReturns(fset)
		p.Name = f.AST.Name.Name
		p.Files = append(p.Files, f)
		for _, spec := range f.AST.Imports {
			dep := strings.Trim(spec.Path.Value, `"`)
			if !IsStandard(dep) {
				p.imports[dep] = "vendor/" + dep // the standard library has all that it imports
			}
		}
	}
	if len(p.Files) == 0 {
		st.none[importPath] = true
		return nil
	}
	return p
}

// list lists the files of a directory, without tests and unread.
func (st *standard) list(importPath string) []*File {
	st.used = true
	files, ok := st.files[importPath]
	if ok {
		return files
	}
	dir := filepath.Join(st.src, filepath.FromSlash(importPath))
	entries, _ := st.disk.ReadDir(dir) // a directory that cannot be read holds no package
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' {
			continue
		}
		files = append(files, &File{Path: filepath.Join(dir, name)})
	}
	st.files[importPath] = files
	return files
}

// text reads a file, once. One that cannot be read declares nothing.
func (st *standard) text(f *File) []byte {
	if f.Src == nil {
		f.Src, _ = st.disk.ReadFile(f.Path)
	}
	return f.Src
}

// StandardDeclares reports whether the text of a package of the standard library shows a
// name, or a method of a type, in a form that cannot be mistaken. It is a quick answer:
// false means that the package has to be parsed to know.
func (m *Module) StandardDeclares(importPath, recv, name string) bool {
	st := m.std
	if !IsStandard(importPath) || st.src == "" {
		return false
	}
	key := [3]string{importPath, recv, name}
	st.mu.Lock()
	defer st.mu.Unlock()
	found, known := st.shown[key]
	if !known {
		found = st.shows(importPath, recv, name)
		st.shown[key] = found
	}
	return found
}

// shows looks for the name in the text of the package.
func (st *standard) shows(importPath, recv, name string) bool {
	forms := []string{" " + recv + ") " + name + "(", " *" + recv + ") " + name + "("}
	if recv == "" {
		forms = []string{"\nfunc " + name + "(", "\nfunc " + name + "[", "\ntype " + name + " ", "\ntype " + name + "[", "\nvar " + name + " ", "\nconst " + name + " "}
	}
	// Those that the build sees are read already, or soon will be.
	files := st.list(importPath)
	for _, seen := range []bool{true, false} {
		for _, f := range files {
			if match, err := st.build.match(filepath.Base(f.Path), nil); (err == nil && match) != seen {
				continue
			}
			for _, form := range forms {
				if bytes.Contains(st.text(f), []byte(form)) {
					return true
				}
			}
		}
	}
	return false
}
