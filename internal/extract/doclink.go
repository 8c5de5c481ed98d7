package extract

import (
	"go/ast"
	"go/doc/comment"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/source"
)

// memberKey names what a doc link may mean: Name or Recv.Name of a package.
type memberKey struct {
	pkg        *source.Package
	recv, name string
}

// parseDoc parses a doc comment: its text without directives, and the parsed form.
func (x *Extractor) parseDoc(f *source.File, g *ast.CommentGroup) (string, *comment.Doc) {
	if g == nil {
		return "", nil
	}
	text := strings.TrimRight(g.Text(), "\n")
	if text == "" {
		return "", nil
	}
	return text, x.docParser(f).Parse(text)
}

// docParser parses the comments of a file by the rules of go doc: an import's name or
// path before a dot, or a name of the file's own package.
func (x *Extractor) docParser(f *source.File) *comment.Parser {
	return &comment.Parser{
		LookupPackage: func(name string) (string, bool) { return x.lookupPackage(f, name) },
		LookupSym:     func(recv, name string) bool { return x.exists(f.Pkg, recv, name) },
	}
}

func (x *Extractor) lookupPackage(f *source.File, name string) (importPath string, ok bool) {
	if path := x.mod.Imports(f)[name]; path != "" {
		return path, true
	}
	if name == f.Pkg.Name {
		return "", true
	}
	for _, other := range f.Pkg.Files {
		if other != f && other.AST != nil {
			if path := x.mod.Imports(other)[name]; path != "" {
				return path, true
			}
		}
	}
	for _, peer := range x.peers {
		if p := peer.mod.Package(f.Pkg.Dir); p != nil && f.Pkg.InModule() {
			for _, other := range p.Files {
				if path := peer.mod.Imports(other)[name]; path != "" {
					return path, true
				}
			}
		}
	}
	return comment.DefaultLookupPackage(name)
}

// exists reports whether a package has a name, or a type of it a member, in any of the
// builds.
func (x *Extractor) exists(p *source.Package, recv, name string) bool {
	if x.has(p, recv, name) {
		return true
	}
	return p.InModule() && slices.ContainsFunc(x.peers, func(peer *Extractor) bool {
		other := peer.mod.Package(p.Dir)
		return other != nil && peer.has(other, recv, name)
	})
}

// has is exists for the build itself. It goes by the syntax where that is enough; the rest
// is asked of the type checker, and what that cannot know is taken to be there.
func (x *Extractor) has(p *source.Package, recv, name string) bool {
	return x.known.get(memberKey{p, recv, name}, func() bool {
		return x.declared(p, recv, name) || recv != "" && p.Decl(recv) != nil && x.hasMember(p, recv, name)
	})
}

// declared reports whether the syntax alone shows the name or member.
func (x *Extractor) declared(p *source.Package, recv, name string) bool {
	if recv == "" {
		return p.Decl(name) != nil
	}
	d := p.Decl(recv)
	if d == nil || d.Type == nil {
		return false
	}
	for _, m := range p.Methods(recv) {
		if m.Name().Name == name {
			return true
		}
	}
	for _, field := range source.Fields(d.Type.Type) {
		for _, id := range field.Names {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}

// hasMember asks the type checker.
func (x *Extractor) hasMember(p *source.Package, recv, name string) bool {
	pkg, _ := x.mod.Types(p)
	if pkg == nil {
		return true
	}
	obj, ok := pkg.Scope().Lookup(recv).(*types.TypeName)
	if !ok {
		return false
	}
	member, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg, name)
	return member != nil || x.incomplete(obj.Type(), map[types.Type]bool{})
}

// incomplete reports whether a type is made of one that could not be resolved, so that
// it may have members nobody here knows.
func (x *Extractor) incomplete(t types.Type, seen map[types.Type]bool) bool {
	t = deref(t)
	if x.mod.IsStandIn(t) {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Invalid
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); f.Embedded() && x.incomplete(f.Type(), seen) {
				return true
			}
		}
	case *types.Interface:
		for i := range u.NumEmbeddeds() {
			if x.incomplete(u.EmbeddedType(i), seen) {
				return true
			}
		}
	}
	return false
}

// link is a possible doc link in the source.
type link struct {
	file *source.File
	pos  token.Pos
	text string
	pkg  *source.Package // nil for one that cannot be judged
	recv string
	name string

	dangling bool // no package of that name is known at all
}

// suspectLinks collects the links of all doc comments and returns the types of which some
// name members that the syntax does not show.
func (x *Extractor) suspectLinks() []*source.Decl {
	links := make([][]link, len(x.mod.Packages))
	parallel.Each(len(links), func(i int) {
		x.eachLink(x.mod.Packages[i], func(l link) { links[i] = append(links[i], l) })
	})
	x.links = slices.Concat(links...)
	var out []*source.Decl
	for _, l := range x.links {
		if l.pkg == nil || !l.pkg.InModule() || l.recv == "" || x.declared(l.pkg, l.recv, l.name) {
			continue
		}
		if d := l.pkg.Decl(l.recv); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// checkLinks reports the doc links that lead nowhere: in tagged entries all of them,
// elsewhere those whose first part exists.
func (x *Extractor) checkLinks() {
	for _, l := range x.links {
		line := x.mod.Line(l.pos)
		tagged := slices.ContainsFunc(x.strict[l.file], func(r lineRange) bool { return r.from <= line && line <= r.to })
		if why := x.judge(l, tagged); why != "" {
			x.report(l.file, l.pos, finding.DocLink, "[%s] %s; name something that exists or write it without brackets", l.text, why)
		}
	}
}

func (x *Extractor) judge(l link, tagged bool) string {
	if l.dangling {
		if tagged {
			return "resolves to nothing: no import of this package has that name"
		}
		return ""
	}
	if l.pkg == nil || x.exists(l.pkg, l.recv, l.name) {
		return ""
	}
	firstExists := l.pkg != l.file.Pkg || strings.Contains(l.text, "/") || l.recv != "" && l.pkg.Decl(l.recv) != nil
	switch {
	case l.recv != "" && l.pkg.Decl(l.recv) != nil:
		return "resolves to nothing: " + l.recv + " has no " + l.name
	case firstExists:
		return "resolves to nothing: package " + l.pkg.Path + " has no " + strings.TrimPrefix(l.recv+"."+l.name, ".")
	case tagged:
		return "resolves to nothing"
	}
	return ""
}
