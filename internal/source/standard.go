package source

import (
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
	src   string          // GOROOT/src; empty before the first use
	used  bool            // something was looked for there
	none  map[string]bool // import paths that are not there
	build build.Context
}

func newStandard(s *settings.Settings, src string) *standard {
	bc := build.Default
	bc.GOOS, bc.GOARCH, bc.CgoEnabled, bc.BuildTags = s.GOOS, s.GOARCH, s.Cgo, s.Tags
	bc.GOPATH = ""
	return &standard{src: src, build: bc, none: map[string]bool{}}
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
