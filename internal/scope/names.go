package scope

import (
	"bytes"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// dependents puts the pages in scope that name a declaration which is another one than it
// was, or is made of one.
func (s *Scope) dependents(changed []*goFile) {
	words, long := s.declared(changed)
	s.touchPages(func(t *text) bool {
		if !hasWord(t.plain, words) && !long.in(t.plain) {
			return false
		}
		code := t.code()
		return hasWord(code, words) || long.in(code)
	})
}

// declared are the names by which pages may speak of what has changed: identifiers, and
// others.
func (s *Scope) declared(changed []*goFile) (words map[string]bool, long names) {
	words = map[string]bool{}
	name := func(word string) {
		if token.IsIdentifier(word) || token.IsKeyword(word) {
			words[word] = true
		} else if word != "." {
			long = append(long, word)
		}
	}
	packages := map[string]bool{}
	for _, p := range s.mod.Packages {
		packages[p.Name] = true
		if p.Name == "main" && s.source[p.Dir] {
			name(path.Base(p.Path)) // its flags may be others
		}
	}
	for _, g := range changed {
		if comment(g.was, g.old) != comment(g.now, g.src) { // of the package
			p := s.mod.Package(g.dir)
			name(p.Name)
			name(path.Base(p.Dir))
			long = append(long, ".#")
		}
	}
	for id := range s.affected(changed) {
		if !token.IsExported(id) {
			continue
		}
		words[id] = true
		// A variable of the type may be called like a package.
		if lower := strings.ToLower(id[:1]) + id[1:]; packages[lower] {
			words[lower] = true
		}
	}
	return words, long
}

// comment is the comment of a file on its package.
func comment(f *ast.File, src []byte) string {
	if f == nil || f.Doc == nil {
		return ""
	}
	return string(src[f.Doc.Pos()-f.FileStart : f.Doc.End()-f.FileStart])
}

// affected are the names of top-level declarations of the reached packages that have
// changed, or that are made of such. They are told apart by name alone: two declarations of
// one name count as one.
func (s *Scope) affected(changed []*goFile) map[string]bool {
	out := map[string]bool{}
	var all []declaration
	for _, g := range changed {
		was, now := declarations(g.was), declarations(g.now)
		all = append(all, was...)
		rewired := !slices.Equal(importLines(g.was, g.old), importLines(g.now, g.src))
		texts := func(list []declaration, src []byte) map[string]bool {
			found := map[string]bool{}
			for _, d := range list {
				found[d.text(src)] = true
			}
			return found
		}
		before, after := texts(was, g.old), texts(now, g.src)
		for _, d := range was {
			if rewired || !after[d.text(g.old)] {
				d.addTo(out)
			}
		}
		for _, d := range now {
			if rewired || !before[d.text(g.src)] {
				d.addTo(out)
			}
		}
	}
	for _, f := range s.mod.Files {
		if f.AST != nil && !f.IsTest() && s.source[path.Dir(f.Path)] {
			all = append(all, declarations(f.AST)...)
		}
	}
	for {
		n := len(all)
		all = slices.DeleteFunc(all, func(d declaration) bool {
			made := slices.ContainsFunc(d.of, func(id string) bool { return out[id] })
			if made {
				d.addTo(out)
			}
			return made
		})
		if len(all) == n {
			return out
		}
	}
}

// declaration is one top-level declaration of a file.
type declaration struct {
	names    []string // for a method, that of its type
	of       []string // identifiers outside of function bodies
	from, to int      // with its comment
}

// text is the declaration as it is written, with what stands behind it on its last line.
func (d declaration) text(src []byte) string {
	rest, _, _ := bytes.Cut(src[d.to:], []byte("\n"))
	return string(src[d.from : d.to+len(rest)])
}

func (d declaration) addTo(set map[string]bool) {
	for _, name := range d.names {
		if name != "_" && name != "" {
			set[name] = true
		}
	}
}

// importLines are the imports of a file as they are written.
func importLines(f *ast.File, src []byte) []string {
	if f == nil {
		return nil
	}
	var out []string
	for _, spec := range f.Imports {
		out = append(out, string(bytes.TrimSpace(src[spec.Pos()-f.FileStart:spec.End()-f.FileStart])))
	}
	slices.Sort(out)
	return out
}

func declarations(f *ast.File) []declaration {
	if f == nil {
		return nil
	}
	var out []declaration
	for _, decl := range f.Decls {
		d := declaration{from: int(decl.Pos() - f.FileStart), to: int(decl.End() - f.FileStart)}
		doc := (*ast.CommentGroup)(nil)
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			doc = decl.Doc
			d.names = []string{decl.Name.Name}
			if decl.Recv != nil {
				d.names = []string{source.ReceiverName(decl)}
			}
		case *ast.GenDecl:
			if decl.Tok == token.IMPORT {
				continue
			}
			doc = decl.Doc
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					d.names = append(d.names, spec.Name.Name)
					if id, ok := ast.Unparen(spec.Type).(*ast.Ident); ok && spec.Assign.IsValid() {
						d.names = append(d.names, id.Name) // methods of an alias are methods of the type
					}
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						d.names = append(d.names, id.Name)
					}
				}
			}
		}
		if doc != nil {
			d.from = int(doc.Pos() - f.FileStart)
		}
		d.of = mentions(decl)
		out = append(out, d)
	}
	return out
}

// mentions are the identifiers of a piece of syntax outside of function bodies.
func mentions(root ast.Node) []string {
	set := map[string]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.Ident:
			set[n.Name] = true
		}
		return true
	})
	delete(set, "_")
	return slices.Collect(maps.Keys(set))
}
