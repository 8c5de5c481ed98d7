package symbol

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/fence/stdlib"
	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

// code judges the selectors of a piece of Go: the first that does not exist is what the
// answer is about.
func (c *checker) code(p *page, text string) answer {
	root := parseCode(text)
	if root == nil {
		return skip("no Go code")
	}
	out := skip("no name of the module for certain")
	for _, names := range chains(root) {
		a := c.chain(p, names)
		if a.verdict == Missing {
			return a
		}
		if a.verdict == Exists || out.verdict != Exists {
			out = a
		}
	}
	return out
}

// elisions are what prose leaves out of code.
var elisions = strings.NewReplacer("(...)", "()", "(…)", "()", "{...}", "{}", "{…}", "{}")

// parseCode parses an expression, a type or a statement, as prose writes it. It returns
// nil for anything else.
func parseCode(text string) ast.Node {
	text = strings.TrimPrefix(elisions.Replace(text), "...")
	if e, err := parser.ParseExpr(text); err == nil {
		return e
	}
	const mode = parser.SkipObjectResolution
	if f, err := parser.ParseFile(token.NewFileSet(), "", "package p; func _() {"+text+"}", mode); err == nil {
		return f
	}
	if f, err := parser.ParseFile(token.NewFileSet(), "", "package p; "+text, mode); err == nil {
		return f
	}
	return nil
}

// chains are the selectors a.b.c that begin with a name. Type arguments, pointers and
// composite literals between the names are passed over; what a call returns is not known,
// so a selector of it begins no chain.
func chains(root ast.Node) [][]string {
	var out [][]string
	ast.Inspect(root, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		names, rest := flatten(sel)
		if len(names) > 0 {
			out = append(out, names)
		}
		for _, e := range rest {
			out = append(out, chains(e)...)
		}
		return false
	})
	return out
}

// flatten returns the names of a selector and the expressions within it that are not part
// of the chain.
func flatten(e ast.Expr) (names []string, rest []ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}, nil
	case *ast.ParenExpr:
		return flatten(e.X)
	case *ast.StarExpr:
		return flatten(e.X)
	case *ast.IndexExpr:
		names, rest = flatten(e.X)
		return names, append(rest, e.Index)
	case *ast.IndexListExpr:
		names, rest = flatten(e.X)
		return names, append(rest, e.Indices...)
	case *ast.CompositeLit:
		if e.Type != nil {
			names, rest = flatten(e.Type)
			return names, append(rest, e.Elts...)
		}
	case *ast.SelectorExpr:
		names, rest = flatten(e.X)
		if len(names) == 0 {
			return nil, rest
		}
		return append(names, e.Sel.Name), rest
	}
	return nil, []ast.Expr{e}
}

// chain judges pkg.Name, pkg.Type.Member or Type.Member.
func (c *checker) chain(p *page, names []string) answer {
	full := strings.Join(names, ".")
	switch {
	case !token.IsExported(names[1]):
		return skip("%s is not exported", full)
	case len(c.packages[names[0]]) > 0:
		return c.inPackage(p, full, names, c.packages[names[0]]...)
	case !token.IsExported(names[0]):
		return skip("%s is no package of the module", names[0])
	}
	homes := c.types[names[0]]
	about := slices.DeleteFunc(slices.Clone(homes), func(pkg *source.Package) bool { return !slices.Contains(p.dirs, pkg.Dir) })
	switch {
	case len(homes) == 0:
		return skip("%s is no type of the module", names[0])
	case len(about) == 1:
		homes = about
	case slices.ContainsFunc(homes, func(pkg *source.Package) bool { return c.member(pkg, names[0], names[1]) == yes }):
		return exists("member of a type")
	case len(homes) > 1:
		return skip("several packages of the module have a type %s", names[0])
	case slices.Contains(strings.Split(homes[0].Dir, "/"), "internal"):
		return skip("type %s is internal, so another may be meant", names[0])
	}
	return c.inType(homes[0], full, names[0], names[1])
}

// inPackage judges names[1:] in the packages of one name.
func (c *checker) inPackage(p *page, full string, names []string, pkgs ...*source.Package) answer {
	for _, pkg := range pkgs {
		d := pkg.Decl(names[1])
		switch {
		case d == nil:
		case len(names) < 3 || names[2] == "" || !token.IsExported(names[2]) || d.Kind != source.TypeDecl:
			return exists("name of package " + pkg.Dir)
		default:
			return c.inType(pkg, strings.Join(names[:3], "."), names[1], names[2])
		}
	}
	name := pkgs[0].Name
	switch {
	case strings.Contains(names[0], "/"): // a path: only one package can be meant
	case c.isForeign(name):
		return skip("another package may be called %s", name)
	case c.isVariable(p, name, names[1]):
		return skip("%s may be a variable", name)
	case version().MatchString(name) || isPlaceholderName(names[1]):
		return skip("%s is a placeholder, or a version", full)
	}
	var all []string
	for _, pkg := range pkgs {
		all = append(all, exported(pkg)...)
	}
	return missing(full, "package %s has no exported %s%s", pkgs[0].Dir, names[1], nearest.Hint(names[1], all))
}

func (c *checker) inType(pkg *source.Package, full, typeName, member string) answer {
	switch c.member(pkg, typeName, member) {
	case yes:
		return exists("member of type " + pkg.Name + "." + typeName)
	case unknown:
		return skip("type %s.%s embeds what is not known", pkg.Name, typeName)
	}
	if c.othersHave(typeName, member) {
		return skip("a package that the module imports has %s.%s", typeName, member)
	}
	return missing(full, "type %s.%s has no %s%s", pkg.Name, typeName, member, nearest.Hint(member, c.memberNames(pkg, typeName)))
}

func exported(pkg *source.Package) []string {
	var out []string
	for _, d := range pkg.Decls() {
		for _, id := range d.Names {
			if d.Kind != source.MethodDecl && id.IsExported() {
				out = append(out, id.Name)
			}
		}
	}
	return out
}

// isForeign reports whether a package outside the module that a page may speak of has the
// name: one of the standard library, of generated Go, or one that the module imports.
func (c *checker) isForeign(name string) bool {
	if c.foreign == nil {
		c.foreign = map[string]bool{}
		for std := range stdlib.Packages(c.mod) {
			c.foreign[std] = true
		}
		for _, f := range c.mod.Files {
			if f.AST == nil {
				continue
			}
			for _, spec := range f.AST.Imports {
				importPath := strings.Trim(spec.Path.Value, "`\"")
				if c.mod.Lookup(importPath) == nil {
					c.foreign[source.AssumedName(importPath)] = true
				}
			}
		}
	}
	return c.foreign[name] || c.mod.Settings.Gen != "" && c.isDir(c.mod.Settings.Gen+"/"+name)
}

// isVariable reports whether the name of a package may be that of a variable: the page
// declares one, or a type whose variables are called so may have the member.
func (c *checker) isVariable(p *page, name, member string) bool {
	if strings.Contains(p.code.String(), name) && declares(name).MatchString(p.code.String()) {
		return true
	}
	for typeName, pkgs := range c.types {
		if strings.ToLower(typeName[:1])+typeName[1:] != name {
			continue
		}
		if slices.ContainsFunc(pkgs, func(pkg *source.Package) bool { return c.member(pkg, typeName, member) != no }) {
			return true
		}
	}
	return false
}

// declares matches code that declares a variable, or names a receiver, so.
func declares(name string) *regexp.Regexp {
	n := regexp.QuoteMeta(name)
	return regexp.MustCompile(`\b` + n + `\b(\s*,\s*\w+)*\s*:=|,\s*` + n + `\s*:=|\b(var|func \()\s*` + n + `\b`)
}

// othersHave reports whether a package of the standard library that the module imports
// has a type of this name with this member.
func (c *checker) othersHave(typeName, member string) bool {
	seen := map[string]bool{}
	for _, pkg := range c.mod.Packages {
		for _, f := range pkg.Files {
			if f.AST == nil {
				continue
			}
			for _, spec := range f.AST.Imports {
				importPath := strings.Trim(spec.Path.Value, "`\"")
				if seen[importPath] || !source.IsStandard(importPath) || c.mod.Lookup(importPath) != nil {
					continue
				}
				seen[importPath] = true
				if std := c.mod.External(importPath); std != nil && c.member(std, typeName, member) == yes {
					return true
				}
			}
		}
	}
	return false
}
