// Package stdlib yields which packages the standard library has.
package stdlib

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// Packages maps the name of each package of the standard library that everybody can
// import to the import paths with that name, those with the fewest elements first.
func Packages(mod *source.Module) map[string][]string {
	out := map[string][]string{}
	root := Root(mod)
	if root == "" {
		return out
	}
	// A directory that cannot be read has no packages to offer.
	_ = mod.Settings.Disk.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == root:
			return nil
		case d.IsDir() && hidden(root, name):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		importPath := filepath.ToSlash(rel)
		pkg := source.AssumedName(importPath)
		if !slices.Contains(out[pkg], importPath) {
			out[pkg] = append(out[pkg], importPath)
		}
		return nil
	})
	for _, paths := range out {
		slices.SortFunc(paths, func(a, b string) int {
			if c := strings.Count(a, "/") - strings.Count(b, "/"); c != 0 {
				return c
			}
			return strings.Compare(a, b)
		})
	}
	return out
}

// hidden reports whether a directory holds nothing that everybody can import.
func hidden(root, name string) bool {
	switch filepath.Base(name) {
	case "internal", "vendor", "testdata", "builtin":
		return true
	case "cmd":
		return filepath.Dir(name) == root
	}
	return false
}

// Root is the directory with the sources of the standard library, or "".
func Root(mod *source.Module) string {
	p := mod.External("unsafe")
	if p == nil || len(p.Files) == 0 {
		return ""
	}
	return filepath.Dir(filepath.Dir(p.Files[0].Path))
}
