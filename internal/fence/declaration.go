package fence

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

// CheckDeclarations reports the Go fences that open with a line such as
// "// from planmode.Config" and do not equal that declaration, doc comment included, in
// every language. What follows "from" is DIR.Name as selectors write it, or
// DIR.Type.Method. It returns how many fences quote a declaration.
func (s *Set) CheckDeclarations(mod *source.Module, out *finding.List) int {
	n := 0
	for _, p := range s.pages {
		for _, b := range p.fences {
			name, ok := b.quoted(mod)
			if !ok {
				continue
			}
			n++
			have := b.quotedText()
			want, err := declarationLike(mod, name, have)
			if err != nil {
				out.Add(p.path, b.line, finding.Declaration, "// from %s: %v", name, err)
				continue
			}
			if have != want {
				out.Findings = append(out.Findings, finding.Finding{
					Path: p.path, Line: b.line, Rule: finding.Declaration,
					Message: "the fence is not what the source says of " + name + "; run " + mod.Settings.GenCommand(),
					Diff:    difference(p.path, have, want, b.first),
					Content: finding.Content(have, want),
				})
			}
		}
	}
	return n
}

const fromPrefix = "// from "

// quoted returns the name of the declaration that a Go fence quotes. A comment that
// merely starts with these words quotes nothing.
func (b *block) quoted(mod *source.Module) (string, bool) {
	if b.lang != "go" || !strings.HasPrefix(b.text, fromPrefix) {
		return "", false
	}
	if _, out := b.optOut(); out {
		return "", false
	}
	first, _, _ := strings.Cut(b.text, "\n")
	name := strings.TrimSpace(strings.TrimPrefix(first, fromPrefix))
	i := strings.LastIndexByte(name, '.')
	if i < 0 || strings.ContainsAny(name, " \t") || !token.IsIdentifier(name[i+1:]) {
		return "", false
	}
	return name, token.IsExported(name[i+1:]) || mod.AnyPackage(name[:i]) != nil
}

// quotedText is the text behind the line that names the declaration.
func (b *block) quotedText() string {
	_, rest, _ := strings.Cut(b.text, "\n")
	return rest
}

// declarationLike is the text of a declaration as a configured build has it: of the first
// one that has what the fence says, or else of the first one that has it at all.
func declarationLike(mod *source.Module, name, have string) (string, error) {
	var first string
	var firstErr error
	found := false
	for _, b := range mod.Builds() {
		want, err := declaration(b, name)
		switch {
		case err == nil && want == have:
			return want, nil
		case err == nil && !found:
			first, found = want, true
		case firstErr == nil:
			firstErr = err
		}
	}
	if found {
		return first, nil
	}
	return "", firstErr
}

// declaration is the text of a declaration as it stands in the source.
func declaration(mod *source.Module, name string) (string, error) {
	i := strings.LastIndexByte(name, '.')
	dir, last := name[:i], name[i+1:]
	if dir == "" {
		return "", fmt.Errorf("malformed name: the root package is written as a dot, so write .%s", name)
	}
	if p := mod.Package(dir); p != nil {
		return named(mod, p, last)
	}
	if j := strings.LastIndexByte(dir, '.'); j > 0 {
		if p := mod.Package(dir[:j]); p != nil {
			return member(mod, p, dir[j+1:], last)
		}
	}
	hint := elsewhere(mod, last)
	if hint == "" {
		hint = nearest.Hint(dir, packageDirs(mod))
	}
	return "", fmt.Errorf("there is no package in %s; name a package directory relative to the module root%s", dir, hint)
}

// elsewhere asks whether the one package was meant that declares an exported name.
func elsewhere(mod *source.Module, name string) string {
	var homes []string
	for _, p := range mod.Packages {
		if p.Decl(name) != nil && token.IsExported(name) {
			homes = append(homes, p.Dir+"."+name)
		}
	}
	if len(homes) != 1 {
		return ""
	}
	return " (did you mean " + homes[0] + "?)"
}

func packageDirs(mod *source.Module) []string {
	var dirs []string
	for _, p := range mod.Packages {
		dirs = append(dirs, p.Dir)
	}
	return dirs
}

func named(mod *source.Module, p *source.Package, name string) (string, error) {
	if d := p.Decl(name); d != nil && token.IsExported(name) {
		return string(mod.Verbatim(d.File, d.Doc, d.Pos, d.End)) + "\n", nil
	}
	hint := elsewhere(mod, name)
	if hint == "" {
		hint = nearest.Hint(name, exportedNames(p))
	}
	return "", fmt.Errorf("package %s declares no exported %s; name another%s", p.Dir, name, hint)
}

// exportedNames are the exported package-level names.
func exportedNames(p *source.Package) []string {
	var names []string
	for _, d := range p.Decls() {
		if d.Kind == source.MethodDecl {
			continue
		}
		for _, id := range d.Names {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// member is the text of a method or field that the type itself declares.
func member(mod *source.Module, p *source.Package, typeName, name string) (string, error) {
	d := p.Decl(typeName)
	if d == nil || d.Kind != source.TypeDecl || !token.IsExported(typeName) {
		return "", fmt.Errorf("package %s declares no exported type %s; name another%s", p.Dir, typeName, nearest.Hint(typeName, exportedNames(p)))
	}
	var names []string
	for _, m := range p.Methods(typeName) {
		if m.Name().Name == name {
			return string(mod.Verbatim(m.File, m.Doc, m.Pos, m.End)) + "\n", nil
		}
		names = append(names, m.Name().Name)
	}
	for _, f := range source.Fields(d.Type.Type) {
		for _, id := range f.Names {
			if id.Name == name {
				return string(mod.Verbatim(d.File, f.Doc, f.Pos(), fieldEnd(f))) + "\n", nil
			}
			names = append(names, id.Name)
		}
	}
	return "", fmt.Errorf("type %s.%s itself declares no method or field %s; name another%s", path.Base(p.Dir), typeName, name, nearest.Hint(name, exportedOnly(names)))
}

func exportedOnly(names []string) []string {
	var out []string
	for _, n := range names {
		if token.IsExported(n) {
			out = append(out, n)
		}
	}
	return out
}

// fieldEnd is the end of a field or interface method with the comment behind it.
func fieldEnd(f *ast.Field) token.Pos {
	if f.Comment != nil {
		return f.Comment.End()
	}
	return f.End()
}

// maxDiffLines is how many lines of a difference a finding shows.
const maxDiffLines = 60

// difference is a unified diff from what the fence says to what the source says, with
// the line numbers of the page: the text starts behind the given line.
func difference(name, have, want string, line int) string {
	u, err := udiff.ToUnifiedDiff(name, name+" (from source)", have, udiff.Lines(have, want), 3)
	if err != nil {
		return ""
	}
	for _, h := range u.Hunks {
		h.FromLine += line
		h.ToLine += line
	}
	text := u.String()
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if rest := len(lines) - maxDiffLines; rest > 0 {
		text = strings.Join(lines[:maxDiffLines], "") + fmt.Sprintf("... %d more lines\n", rest)
	}
	return text
}
