package fence

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// maxTries is how many combinations of packages that share a name are tried.
const maxTries = 8

// compile checks the snippets as one package and returns the faults of the last one, at
// most one for each message. Where names of packages have several meanings, only what is
// wrong with each of them is a fault.
func (c *codeCheck) compile(unit []*snippet) []fault {
	s := unit[len(unit)-1]
	given := map[string]bool{}
	for _, earlier := range unit[:len(unit)-1] {
		for _, name := range earlier.gives() {
			given[name] = true
		}
	}
	var infer []inference
	for _, inf := range s.infer {
		inf.choices = slices.DeleteFunc(slices.Clone(inf.choices), func(p string) bool { return c.loader.parts[p] == nil })
		if len(inf.choices) > 0 && !given[inf.name] {
			infer = append(infer, inf)
		}
	}
	var common []fault
	for i, choice := range choices(infer) {
		faults := c.compileWith(unit, choice)
		if i == 0 {
			common = faults
		} else {
			common = slices.DeleteFunc(common, func(f fault) bool { return !slices.Contains(faults, f) })
		}
		if len(common) == 0 {
			break
		}
	}
	return common
}

// choices are the combinations of imports that the names may mean, the likeliest first.
func choices(infer []inference) []map[string]string {
	out := []map[string]string{{}}
	for _, inf := range infer {
		var next []map[string]string
		for _, importPath := range inf.choices {
			for _, m := range out {
				m = maps.Clone(m)
				m[inf.name] = importPath
				next = append(next, m)
			}
		}
		out = next[:min(len(next), maxTries)]
	}
	return out
}

// compileWith checks the snippets with one meaning of the names that the last imports.
func (c *codeCheck) compileWith(unit []*snippet, imports map[string]string) []fault {
	last := unit[len(unit)-1]
	var faults []fault
	conf := types.Config{
		Importer:                 importer{l: c.loader},
		DisableUnusedImportCheck: last.body != nil,
		Sizes:                    types.SizesFor("gc", c.mod.Settings.GOARCH),
		Error: func(err error) {
			var te types.Error
			if !errors.As(err, &te) {
				return
			}
			at := c.mod.Fset.PositionFor(te.Pos, false)
			// A message that starts with a tab goes on from the one before.
			if at.Filename == last.name && !strings.HasPrefix(te.Msg, "\t") && !c.passes(last, te) {
				faults = append(faults, fault{last.line(at.Line), te.Msg})
			}
		},
	}
	if v := c.mod.Settings.GoVersion; v != "" {
		conf.GoVersion = "go" + v
	}
	// Check returns the first of the errors that it reported.
	_, _ = conf.Check("command-line-arguments", c.mod.Fset, files(unit, imports), nil)
	return firstOfEach(faults)
}

// passes reports whether an error is none in what a page shows: statements need not use
// what they declare or compute, and a function whose body is left out returns nothing.
func (c *codeCheck) passes(s *snippet, err types.Error) bool {
	switch {
	case strings.HasPrefix(err.Msg, "declared and not used"):
		return err.Soft && s.body != nil
	case strings.HasSuffix(err.Msg, " is not used"):
		return s.body != nil && slices.ContainsFunc(s.body.Body.List, func(stmt ast.Stmt) bool {
			_, ok := stmt.(*ast.ExprStmt)
			return ok && stmt.Pos() <= err.Pos && err.Pos < stmt.End()
		})
	case err.Msg == "missing return":
		return s.leavesOut(c.mod.Fset, err.Pos)
	}
	return false
}

// firstOfEach keeps the first fault of each text: what does not exist is one fault
// however often it is used.
func firstOfEach(faults []fault) []fault {
	slices.SortStableFunc(faults, func(a, b fault) int { return a.line - b.line })
	seen := map[string]bool{}
	return slices.DeleteFunc(faults, func(f fault) bool {
		again := seen[f.text]
		seen[f.text] = true
		return again
	})
}

// files makes one package of snippets: each is a file, and all statements are in one
// function, those of later snippets in a block within the earlier.
func files(unit []*snippet, imports map[string]string) []*ast.File {
	last := unit[len(unit)-1]
	pkgName := last.file.Name.Name
	taken := map[string]bool{}
	var out []*ast.File
	var body *ast.BlockStmt
	var specs []ast.Spec
	for i, s := range slices.Backward(unit) {
		own := imports
		if i < len(unit)-1 {
			own = firstChoice(s.infer)
		}
		file := *s.file
		file.Name = &ast.Ident{Name: pkgName, NamePos: s.file.Name.NamePos}
		file.Decls = nil
		implied := importSpecs(s.file, own)
		if len(implied) > 0 {
			file.Decls = append(file.Decls, &ast.GenDecl{Tok: token.IMPORT, TokPos: s.file.Name.End(), Lparen: s.file.Name.End(), Specs: implied})
		}
		for _, d := range s.file.Decls {
			if s.body == nil || d != ast.Decl(s.body) {
				if d = untaken(d, taken); d != nil {
					file.Decls = append(file.Decls, d)
				}
			}
		}
		if s.body != nil {
			block := &ast.BlockStmt{Lbrace: s.body.Body.Lbrace, List: s.body.Body.List, Rbrace: s.body.Body.Rbrace}
			if body != nil {
				block.List = append(slices.Clone(block.List), body)
				block.Rbrace = body.Rbrace
			}
			body = block
			if i < len(unit)-1 {
				specs = append(specs, implied...)
				for _, spec := range s.file.Imports {
					specs = append(specs, spec)
				}
			}
		}
		declare(s.file.Decls, s.body, taken)
		out = append(out, &file)
	}
	if body != nil {
		addBody(out[0], last, body, specs)
	}
	slices.Reverse(out)
	return out
}

// addBody puts all statements into the file of the last snippet, with the imports that
// the earlier ones need.
func addBody(file *ast.File, last *snippet, body *ast.BlockStmt, specs []ast.Spec) {
	pos := last.file.Name.End()
	have := map[string]bool{}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for _, spec := range g.Specs {
				have[importName(spec)] = true
			}
		}
	}
	g := &ast.GenDecl{Tok: token.IMPORT, TokPos: pos, Lparen: pos}
	for _, spec := range specs {
		if name := importName(spec); !have[name] {
			have[name] = true
			g.Specs = append(g.Specs, spec)
		}
	}
	if len(g.Specs) > 0 {
		file.Decls = slices.Insert(file.Decls, 0, ast.Decl(g))
	}
	empty := &ast.FieldList{}
	anything := &ast.Ellipsis{Ellipsis: pos, Elt: &ast.InterfaceType{Interface: pos, Methods: empty}}
	file.Decls = append(file.Decls,
		&ast.FuncDecl{
			Name: &ast.Ident{Name: "_", NamePos: pos},
			Type: &ast.FuncType{Func: pos, Params: empty},
			Body: body,
		},
		&ast.FuncDecl{
			Name: &ast.Ident{Name: resultFunc, NamePos: pos},
			Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{List: []*ast.Field{{Type: anything}}}},
			Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos},
		},
	)
}

// importName is the name that an import most likely gives to a file.
func importName(spec ast.Spec) string {
	s := spec.(*ast.ImportSpec)
	if s.Name != nil {
		return s.Name.Name
	}
	return source.AssumedName(strings.Trim(s.Path.Value, "`\""))
}

func firstChoice(infer []inference) map[string]string {
	out := map[string]string{}
	for _, inf := range infer {
		out[inf.name] = inf.choices[0]
	}
	return out
}

// importSpecs are the imports that a file is given, in the order of their names.
func importSpecs(file *ast.File, imports map[string]string) []ast.Spec {
	var out []ast.Spec
	pos := file.Name.End()
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		out = append(out, &ast.ImportSpec{
			Name: &ast.Ident{Name: name, NamePos: pos},
			Path: &ast.BasicLit{Kind: token.STRING, ValuePos: pos, Value: strconv.Quote(imports[name])},
		})
	}
	return out
}
