package source

import (
	"bytes"
	"go/build"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentplan/sdk/internal/settings"
)

// standard reads packages of the standard library from the Go tree, for the configured
// platform, without the go command.
type standard struct {
	src   string             // GOROOT/src; empty before the first use
	used  bool               // something was looked for there
	text  map[string][]byte  // the files of a package, one after the other
	shown map[[3]string]bool // what the texts were asked for
	none  map[string]bool    // import paths that are not there
	build build.Context
}

func newStandard(s *settings.Settings, src string) *standard {
	bc := build.Default
	bc.GOOS, bc.GOARCH, bc.CgoEnabled, bc.BuildTags = s.GOOS, s.GOARCH, s.Cgo, s.Tags
	bc.GOPATH = ""
	return &standard{src: src, build: bc, none: map[string]bool{}, text: map[string][]byte{}, shown: map[[3]string]bool{}}
}

// IsStandard reports whether an import path is one of the standard library: its first
// element has no dot.
func IsStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// load returns a package of the standard library, or nil.
func (st *standard) load(fset *token.FileSet, importPath string) *Package {
	if st.none[importPath] || st.src == "" {
		return nil
	}
	st.used = true
	dir := filepath.Join(st.src, filepath.FromSlash(importPath))
	bp, err := st.build.ImportDir(dir, 0)
	if err != nil || len(bp.GoFiles) == 0 {
		st.none[importPath] = true
		return nil
	}
	p := &Package{Path: importPath, Name: bp.Name, imports: map[string]string{}}
	for _, dep := range bp.Imports {
		vendored := filepath.Join(st.src, "vendor", filepath.FromSlash(dep))
		if info, err := os.Stat(vendored); err == nil && info.IsDir() {
			p.imports[dep] = "vendor/" + dep
		}
	}
	var names []string
	for _, name := range bp.GoFiles {
		names = append(names, filepath.Join(dir, name))
	}
	p.readFiles(fset, names)
	return p
}

// StandardDeclares reports whether the text of a package of the standard library shows a
// name, or a method of a type, in a form that cannot be mistaken. It is a quick answer:
// false means that the package has to be parsed to know.
func (m *Module) StandardDeclares(importPath, recv, name string) bool {
	st := m.ext.std
	if !IsStandard(importPath) || st.src == "" {
		return false
	}
	st.used = true
	key := [3]string{importPath, recv, name}
	found, known := st.shown[key]
	if !known {
		found = st.shows(importPath, recv, name)
		st.shown[key] = found
	}
	return found
}

// shows looks for the name in the text of the package.
func (st *standard) shows(importPath, recv, name string) bool {
	text, ok := st.text[importPath]
	if !ok {
		text = readGoFiles(filepath.Join(st.src, filepath.FromSlash(importPath)))
		st.text[importPath] = text
	}
	if recv == "" {
		for _, form := range []string{"\nfunc " + name + "(", "\nfunc " + name + "[", "\ntype " + name + " ", "\ntype " + name + "[", "\nvar " + name + " ", "\nconst " + name + " "} {
			if bytes.Contains(text, []byte(form)) {
				return true
			}
		}
		return false
	}
	for _, form := range []string{" " + recv + ") " + name + "(", " *" + recv + ") " + name + "("} {
		if bytes.Contains(text, []byte(form)) {
			return true
		}
	}
	return false
}

// readGoFiles returns the text of a directory's Go files without tests.
func readGoFiles(dir string) []byte {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []byte
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			src, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil {
				out = append(append(out, '\n'), src...)
			}
		}
	}
	return out
}
