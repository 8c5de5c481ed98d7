// Package extract yields the entries of the catalog: it reads directives and
// declarations of a loaded module and makes plain values of them, verbatim source
// included. What is wrong with the source is reported as findings.
package extract

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/source"
)

// Extractor reads the tree as one build sees it. Once made it is safe for concurrent use.
type Extractor struct {
	mod   *source.Module
	out   *finding.List
	peers []*Extractor // those of the other builds

	tagged []*tagged
	needs  Needs

	entries memo[entryKey, *model.Entry]
	decls   sync.Map                                         // *model.Entry -> the *source.Decl that it was made from
	sorted  []*model.Entry                                   // of the directives
	byDir   map[string][]*model.Entry                        // the same by package directory
	consts  memo[*source.Package, map[string][]*source.Decl] // groups of constants by the names of their types
	known   memo[memberKey, bool]                            // resolved doc links
	links   []link

	mu     sync.Mutex                   // guards out and strict
	strict map[*source.File][]lineRange // of the comments that tagged entries show
}

// entryKey names an entry: one declaration has one for each of its directives, or one
// without a kind.
type entryKey struct {
	decl *source.Decl
	kind model.Kind
}

func newExtractor(mod *source.Module, needs Needs, out *finding.List) *Extractor {
	return &Extractor{mod: mod, out: out, needs: needs, strict: map[*source.File][]lineRange{}}
}

// begin reads the directives, and what the selected declarations, which will be asked for
// by name, are made of outside the tree.
func (x *Extractor) begin(ctx context.Context, selected []*source.Decl, attached map[token.Pos]bool) {
	x.collectTagged(attached)
	roots := slices.Clone(selected)
	var deep []*source.Decl
	for _, t := range x.tagged {
		if t.kind == model.Tool {
			deep = append(deep, t.decl)
		}
		roots = append(roots, t.decl)
	}
	roots = append(roots, x.suspectLinks()...)
	x.mod.NeedExternals(ctx, roots, deep)
	seen := map[*source.Package]bool{}
	var packages []*source.Package
	for _, d := range roots {
		if p := d.File.Pkg; !seen[p] {
			seen[p] = true
			packages = append(packages, p)
		}
	}
	if len(packages) > 1 {
		x.mod.CheckTypes(packages)
	}
}

// place is where something stands, or nil where that does not matter.
func (x *Extractor) place(f *source.File, pos token.Pos) *model.Place {
	if len(x.peers) == 0 {
		return nil
	}
	return &model.Place{
		File: f.Path, Offset: x.mod.Fset.PositionFor(pos, false).Offset,
		Constraint: f.Constraint(), Outside: f.Pkg != nil && !f.Pkg.InModule(),
	}
}

func (x *Extractor) report(f *source.File, pos token.Pos, rule finding.Rule, format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.out.Add(f.Path, x.mod.Line(pos), rule, format, args...)
}

// Tagged returns the entries of all directives: by package directory, then kind, then
// name. The caller must not change the list.
func (x *Extractor) Tagged() []*model.Entry { return x.sorted }

// TaggedIn returns the entries of a package's directives by kind, then name. The caller
// must not change the list.
func (x *Extractor) TaggedIn(dir string) []*model.Entry { return x.byDir[dir] }

func (x *Extractor) sortTagged() {
	for _, t := range x.tagged {
		x.sorted = append(x.sorted, x.entry(t.decl, t))
	}
	slices.SortFunc(x.sorted, compareTagged)
	x.byDir = map[string][]*model.Entry{}
	for _, e := range x.sorted {
		x.byDir[e.Dir] = append(x.byDir[e.Dir], e)
	}
}

// compareTagged orders entries of directives.
func compareTagged(a, b *model.Entry) int {
	order := model.Tagged()
	return cmp.Or(strings.Compare(a.Dir, b.Dir),
		slices.Index(order, a.Kind)-slices.Index(order, b.Kind), strings.Compare(a.Name, b.Name))
}

// Named returns the entries of one exported name: those of its directives, or one
// without a kind. It is nil where the package declares no such name.
func (x *Extractor) Named(p *source.Package, name string) []*model.Entry {
	d := p.Decl(name)
	if d == nil || !token.IsExported(name) {
		return nil
	}
	var out []*model.Entry
	for _, t := range x.tagged {
		if t.decl == d || t.decl.File.Pkg == p && t.decl.Value != nil && slices.ContainsFunc(t.decl.Names, func(id *ast.Ident) bool { return id.Name == name }) {
			out = append(out, x.entry(t.decl, t))
		}
	}
	if len(out) == 0 {
		out = append(out, x.entry(d, nil))
	}
	return out
}

// All returns the entries of every exported declaration of the package in source order.
// Groups of constants that belong to a type are part of its entry. Of a group of which
// some specs have directives of their own, those are entries beside the group, and alone
// where all of them do.
func (x *Extractor) All(p *source.Package) []*model.Entry {
	chunks := slices.Collect(slices.Chunk(p.Decls(), declsAtOnce))
	out := make([][]*model.Entry, len(chunks))
	parallel.Each(len(chunks), func(i int) {
		for _, d := range chunks[i] {
			out[i] = append(out[i], x.declEntries(p, d)...)
		}
	})
	return slices.Concat(out...)
}

// declsAtOnce is how many declarations of a package a goroutine takes.
const declsAtOnce = 128

// declEntries returns the entries of one declaration that All has.
func (x *Extractor) declEntries(p *source.Package, d *source.Decl) []*model.Entry {
	ofType := x.constOwner(d) != ""
	if d.Kind == source.MethodDecl || ofType && !slices.ContainsFunc(d.Specs(), hasDirective) {
		return nil
	}
	seen := map[*model.Entry]bool{}
	var out []*model.Entry
	for _, id := range d.Names {
		for _, e := range x.Named(p, id.Name) {
			if !seen[e] && !(ofType && e.Kind == model.Untagged) {
				seen[e] = true
				out = append(out, e)
			}
		}
	}
	return out
}

func hasDirective(d *source.Decl) bool { return len(directives(d.Doc)) > 0 }
