package source

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/platform"
)

// constrained reports whether the file's build depends on a platform or a tag.
func constrained(f *File, names *platformNames) bool {
	if names.limit(path.Base(f.Path)) {
		return true
	}
	for _, g := range f.AST.Comments {
		if g.Pos() > f.AST.Package {
			break
		}
		if slices.ContainsFunc(g.List, isConstraint) {
			return true
		}
	}
	return usesCgo(f.AST)
}

func isConstraint(c *ast.Comment) bool { return constraint.IsGoBuild(c.Text) }

func usesCgo(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

// platformNames remembers what [platform.Limits] says of the ends of names. Its zero value is
// ready for concurrent use.
type platformNames struct{ known sync.Map }

// limit is [platform.Limits].
func (n *platformNames) limit(base string) bool {
	_, end, found := strings.Cut(base, "_")
	if !found {
		return false
	}
	if limits, ok := n.known.Load(end); ok {
		return limits.(bool)
	}
	limits := platform.Limits("x_" + end)
	n.known.Store(end, limits)
	return limits
}

// Constraint is the build constraint of a file as one expression: of its //go:build line,
// its name and the import of C. It is empty where nothing limits the build.
func (f *File) Constraint() string {
	if f.AST == nil {
		return ""
	}
	var terms []constraint.Expr
	for _, tag := range nameTags(path.Base(filepath.ToSlash(f.Path))) {
		terms = append(terms, &constraint.TagExpr{Tag: tag})
	}
	if e := lineConstraint(f.AST); e != nil {
		terms = append(terms, e)
	}
	if usesCgo(f.AST) {
		terms = append(terms, &constraint.TagExpr{Tag: "cgo"})
	}
	return conjunction(terms)
}

// conjunction joins expressions, each once.
func conjunction(terms []constraint.Expr) string {
	var out constraint.Expr
	var seen []string
	for _, e := range terms {
		if slices.Contains(seen, e.String()) {
			continue
		}
		seen = append(seen, e.String())
		if out == nil {
			out = e
		} else {
			out = &constraint.AndExpr{X: out, Y: e}
		}
	}
	if out == nil {
		return ""
	}
	return out.String()
}

// lineConstraint is the expression of a file's //go:build line, or nil.
func lineConstraint(f *ast.File) constraint.Expr {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if e, err := constraint.Parse(c.Text); err == nil && isConstraint(c) {
				return e
			}
		}
	}
	return nil
}

// nameTags are the platform words at the end of a file's name, as go/build takes them.
func nameTags(base string) []string {
	name, _, _ := strings.Cut(base, ".")
	i := strings.IndexByte(name, '_')
	if i < 0 {
		return nil
	}
	words := strings.Split(name[i+1:], "_")
	if n := len(words); words[n-1] == "test" {
		words = words[:n-1]
	}
	n := len(words)
	switch {
	case n >= 2 && isSystem(words[n-2]) && platform.IsWord(words[n-1]) && !isSystem(words[n-1]):
		return words[n-2:]
	case n >= 1 && platform.IsWord(words[n-1]):
		return words[n-1:]
	}
	return nil
}

// isSystem reports whether a word is an operating system: it limits the build by itself
// behind the name of another one, as only a processor does not.
func isSystem(word string) bool {
	if !platform.IsWord(word) {
		return false
	}
	match, err := (&matcher{build: build.Context{GOOS: word, GOARCH: "none", Compiler: "gc"}, known: map[[2]string]bool{}}).match("x_linux_"+word+".go", nil)
	return err == nil && match
}

// Satisfies reports whether the build of the module satisfies a constraint, an expression
// as in a //go:build line.
func (m *Module) Satisfies(expr string) bool {
	match, err := m.std.build.match("x.go", []byte("//go:build "+expr+"\n\npackage p\n"))
	return err == nil && match
}
