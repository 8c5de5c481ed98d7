package fence

import (
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/fence/stdlib"
	"github.com/agentplan/sdk/internal/source"
)

// inference is the name of a package that a fence uses without an import.
type inference struct {
	name    string
	choices []string // import paths, the likeliest first
}

// uses are the members that a file takes from each name that it does not declare:
// planmode.New, planmode.Config -> planmode: New, Config.
func uses(file *ast.File, free map[string]bool) map[string][]string {
	out := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && free[id.Name] && !slices.Contains(out[id.Name], sel.Sel.Name) {
			out[id.Name] = append(out[id.Name], sel.Sel.Name)
		}
		return true
	})
	return out
}

// directory knows the packages that a fence may mean by a name.
type directory struct {
	loader *loader
	std    map[string][]string // package name -> import paths
	other  map[string][]string // those of the module, then those that it imports
}

func newDirectory(l *loader) *directory {
	return &directory{loader: l, std: stdlib.Packages(l.mod), other: moduleNames(l.mod)}
}

// infer fills in the imports of a fence that has none. Imported are those of the fences
// before it on its page, by the name that they give to the package: a reader has them in
// mind first.
func (d *directory) infer(s *snippet, imported map[string]string) {
	if s.err != nil || len(s.file.Imports) > 0 {
		return
	}
	for name, members := range uses(s.file, s.free) {
		if !slices.ContainsFunc(members, token.IsExported) || types.Universe.Lookup(name) != nil {
			continue
		}
		choices := d.choices(name, members)
		if first := imported[name]; first != "" {
			choices = append([]string{first}, slices.DeleteFunc(slices.Clone(choices), func(p string) bool { return p == first })...)
		}
		if len(choices) > 0 {
			s.infer = append(s.infer, inference{name, choices})
		}
	}
	slices.SortFunc(s.infer, func(a, b inference) int { return strings.Compare(a.name, b.name) })
}

// choices are the packages of a name that have all the members, or all packages of that
// name where none has.
func (d *directory) choices(name string, members []string) []string {
	all := slices.Concat(d.other[name], d.std[name])
	if len(all) < 2 {
		return all
	}
	has := slices.DeleteFunc(slices.Clone(all), func(importPath string) bool {
		p := d.loader.known(importPath)
		if p == nil {
			return false // only the go command knows
		}
		return slices.ContainsFunc(members, func(m string) bool { return p.Decl(m) == nil })
	})
	if len(has) > 0 {
		return has
	}
	return all
}

// moduleNames are the packages that other packages of the module can import, those of
// everybody before internal ones, and then what the module imports from elsewhere.
func moduleNames(mod *source.Module) map[string][]string {
	out := map[string][]string{}
	add := func(name, importPath string) {
		if !slices.Contains(out[name], importPath) {
			out[name] = append(out[name], importPath)
		}
	}
	for _, internal := range []bool{false, true} {
		for _, p := range mod.Packages {
			if p.Name != "main" && isInternal(p.Dir) == internal {
				add(p.Name, p.Path)
			}
		}
	}
	var foreign []string
	for _, p := range mod.Packages {
		for _, f := range p.Files {
			if f.AST == nil {
				continue
			}
			for _, spec := range f.AST.Imports {
				if importPath := strings.Trim(spec.Path.Value, "`\""); !source.IsStandard(importPath) && mod.Lookup(importPath) == nil {
					foreign = append(foreign, importPath)
				}
			}
		}
	}
	slices.Sort(foreign)
	for _, importPath := range slices.Compact(foreign) {
		if !isInternal(importPath) || isOwn(mod, importPath) {
			add(source.AssumedName(importPath), importPath)
		}
	}
	return out
}

func isOwn(mod *source.Module, importPath string) bool {
	_, ok := mod.Settings.OwnDir(importPath)
	return ok
}

func isInternal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// buildContext is how the configured build chooses files.
func buildContext(mod *source.Module) build.Context {
	s := mod.Settings
	bc := build.Default
	bc.GOOS, bc.GOARCH, bc.CgoEnabled, bc.BuildTags = s.GOOS, s.GOARCH, s.Cgo, s.Tags
	return bc
}
