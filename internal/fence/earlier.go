package fence

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// declare records the package-level names of declarations, except those that any number
// of files may have.
func declare(decls []ast.Decl, body *ast.FuncDecl, taken map[string]bool) {
	for _, d := range decls {
		if body == nil || d != ast.Decl(body) {
			for _, name := range declared(d) {
				taken[name] = true
			}
		}
	}
	taken["main"] = true
}

// declared are the names that a declaration declares; a method has that of its type too.
func declared(d ast.Decl) []string {
	var out []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = source.ReceiverName(d) + "." + name
		}
		if name != "_" && name != "init" {
			out = append(out, name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			out = append(out, specNames(spec)...)
		}
	}
	return out
}

func specNames(spec ast.Spec) []string {
	var out []string
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		out = append(out, spec.Name.Name)
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			if id.Name != "_" {
				out = append(out, id.Name)
			}
		}
	}
	return out
}

// untaken is a declaration without what a later snippet declares again, or nil.
func untaken(d ast.Decl, taken map[string]bool) ast.Decl {
	again := func(name string) bool { return taken[name] || taken[typeOf(name)] }
	switch d := d.(type) {
	case *ast.FuncDecl:
		if slices.ContainsFunc(declared(d), again) {
			return nil
		}
	case *ast.GenDecl:
		if !slices.ContainsFunc(declared(d), again) {
			return d
		}
		g := *d
		g.Specs = slices.DeleteFunc(slices.Clone(d.Specs), func(spec ast.Spec) bool {
			return slices.ContainsFunc(specNames(spec), again)
		})
		if len(g.Specs) == 0 {
			return nil
		}
		return &g
	}
	return d
}

// typeOf is the type of a method's name, which goes where its type goes.
func typeOf(name string) string {
	t, _, _ := strings.Cut(name, ".")
	return t
}

// withEarlier returns the last snippet of a page after those before it that declare names
// which it, or one of them, takes from elsewhere.
func withEarlier(page []*snippet) []*snippet {
	last := len(page) - 1
	missing := maps.Clone(page[last].free)
	unit := []*snippet{page[last]}
	for i := last - 1; i >= 0 && len(missing) > 0; i-- {
		s := page[i]
		if s.err != nil {
			continue
		}
		gives := false
		for _, name := range s.gives() {
			if missing[name] {
				gives = true
				delete(missing, name)
			}
		}
		if gives {
			unit = append(unit, s)
			for name := range s.free {
				missing[name] = true
			}
		}
	}
	slices.Reverse(unit)
	return unit
}

// gives are the names that later snippets can use.
func (s *snippet) gives() []string {
	var out []string
	for _, d := range s.file.Decls {
		if s.body == nil || d != ast.Decl(s.body) {
			out = append(out, declared(d)...)
		}
	}
	if s.body == nil {
		return out
	}
	for _, stmt := range s.body.Body.List {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			if stmt.Tok == token.DEFINE {
				for _, e := range stmt.Lhs {
					if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
						out = append(out, id.Name)
					}
				}
			}
		case *ast.DeclStmt:
			out = append(out, declared(stmt.Decl)...)
		}
	}
	return out
}
