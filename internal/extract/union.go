package extract

import (
	"cmp"
	"context"
	"go/token"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// Union reads a tree as all configured builds see it: each by its own rules, and then what
// they have of one declaration as one entry. With a single build its entries are those of
// that build. With a single build it is safe for concurrent use.
type Union struct {
	all    []*Extractor
	merge  *merger
	made   memo[string, *model.Entry] // what was merged, by what is merged
	tagged []*model.Entry
	byDir  map[string][]*model.Entry // the same by package directory
}

// New reads the directives of the tree. Selected returns the declarations of a build that
// will be asked for by name.
func New(ctx context.Context, builds source.Builds, selected func(*source.Module) []*source.Decl, needs Needs, out *finding.List) *Union {
	u := &Union{byDir: map[string][]*model.Entry{}, merge: newMerger(builds)}
	attached := map[token.Pos]bool{}
	for _, mod := range builds {
		u.all = append(u.all, newExtractor(mod, needs, out))
	}
	for i, x := range u.all {
		x.peers = slices.Delete(slices.Clone(u.all), i, i+1)
	}
	for _, x := range u.all {
		x.begin(ctx, selected(x.mod), attached)
	}
	u.scan(attached)
	for _, x := range u.all {
		x.checkTagged()
	}
	u.checkVersions()
	for _, x := range u.all {
		x.sortTagged()
	}
	u.collect()
	for _, x := range u.all {
		x.checkLinks()
	}
	return u
}

// Tagged returns the entries of all directives: by package directory, then kind, then
// name. The caller must not change the list.
func (u *Union) Tagged() []*model.Entry { return u.tagged }

// TaggedIn returns the entries of a package's directives by kind, then name. The caller
// must not change the list.
func (u *Union) TaggedIn(dir string) []*model.Entry { return u.byDir[dir] }

// collect merges the entries of directives.
func (u *Union) collect() {
	seen := map[*model.Entry]bool{}
	for _, x := range u.all {
		for _, e := range x.Tagged() {
			if m := u.mergeTagged(e); !seen[m] {
				seen[m] = true
				u.tagged = append(u.tagged, m)
			}
		}
	}
	slices.SortStableFunc(u.tagged, compareTagged)
	for _, e := range u.tagged {
		u.byDir[e.Dir] = append(u.byDir[e.Dir], e)
	}
}

// mergeTagged is what the builds have of a directive's entry.
func (u *Union) mergeTagged(e *model.Entry) *model.Entry {
	key := string(e.Kind) + " " + e.Name + " " + e.ID.Package + "." + e.ID.Name
	return u.once(key, func() []part {
		var parts []part
		for i, x := range u.all {
			for _, t := range x.TaggedIn(e.Dir) {
				if t.Kind == e.Kind && t.Name == e.Name && t.ID == e.ID {
					parts = append(parts, part{i, t})
				}
			}
		}
		return parts
	})
}

// once merges parts, unless that was done before.
func (u *Union) once(key string, parts func() []part) *model.Entry {
	return u.made.get(key, func() *model.Entry { return u.merge.entry(parts()) })
}

// Named returns the entries of one exported name: those of its directives, or one without
// a kind. It is nil where no build has such a name.
func (u *Union) Named(dir, name string) []*model.Entry {
	var tagged []*model.Entry
	var plain *model.Entry
	for i, x := range u.all {
		p := x.mod.Package(dir)
		if p == nil {
			continue
		}
		for _, e := range x.Named(p, name) {
			switch {
			case e.Kind != model.Untagged:
				if m := u.mergeTagged(e); !slices.Contains(tagged, m) {
					tagged = append(tagged, m)
				}
			case plain == nil:
				plain = u.mergeUntagged(i, e)
			}
		}
	}
	if tagged == nil && plain != nil {
		return []*model.Entry{plain}
	}
	return tagged
}

// mergeUntagged is what the builds have of a declaration that is selected by its Go name,
// from the entry of one of them: all that declare one of its names, and so on.
func (u *Union) mergeUntagged(build int, e *model.Entry) *model.Entry {
	if len(u.all) == 1 {
		return e
	}
	decls := make([][]*source.Decl, len(u.all))
	decls[build] = []*source.Decl{u.all[build].declOf(e)}
	for grown := true; grown; {
		grown = false
		for _, name := range exportedNames(decls) {
			for i, x := range u.all {
				p := x.mod.Package(e.Dir)
				if p == nil {
					continue
				}
				if d := p.Decl(name); d != nil && !slices.Contains(decls[i], d) {
					decls[i] = append(decls[i], d)
					grown = true
				}
			}
		}
	}
	key := e.ID.Package + " " + slices.Min(exportedNames(decls))
	return u.once(key, func() []part {
		var parts []part
		for i, x := range u.all {
			slices.SortFunc(decls[i], func(a, b *source.Decl) int { return cmp.Compare(a.Pos, b.Pos) })
			for _, d := range decls[i] {
				parts = append(parts, part{i, x.entry(d, nil)})
			}
		}
		return parts
	})
}

func exportedNames(decls [][]*source.Decl) []string {
	var out []string
	for _, list := range decls {
		for _, d := range list {
			for _, id := range d.Names {
				if id.IsExported() && !slices.Contains(out, id.Name) {
					out = append(out, id.Name)
				}
			}
		}
	}
	return out
}

// All returns the entries of every exported declaration of the package as
// [Extractor.All] does, in the order of the source.
func (u *Union) All(dir string) []*model.Entry {
	var out []*model.Entry
	seen := map[*model.Entry]bool{}
	for i, x := range u.all {
		p := x.mod.Package(dir)
		if p == nil {
			continue
		}
		for _, e := range x.All(p) {
			switch {
			case e.Kind != model.Untagged:
				e = u.mergeTagged(e)
			case u.taggedElsewhere(e):
				continue // the finding says so
			default:
				e = u.mergeUntagged(i, e)
			}
			if !seen[e] {
				seen[e] = true
				out = append(out, e)
			}
		}
	}
	if len(u.all) > 1 {
		slices.SortStableFunc(out, func(a, b *model.Entry) int {
			return cmp.Or(strings.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Offset, b.At.Offset))
		})
	}
	return out
}

// taggedElsewhere reports whether another version of a type or func has a directive.
func (u *Union) taggedElsewhere(e *model.Entry) bool {
	return len(u.all) > 1 && (e.GoKind == string(source.TypeDecl) || e.GoKind == string(source.FuncDecl)) &&
		slices.ContainsFunc(u.byDir[e.Dir], func(t *model.Entry) bool { return t.ID == e.ID })
}

// PackageEntry makes the entry of a package comment, or nil where there is none.
func (u *Union) PackageEntry(dir string) *model.Entry {
	var parts []part
	for i, x := range u.all {
		if p := x.mod.Package(dir); p != nil {
			if e := x.PackageEntry(p); e != nil {
				parts = append(parts, part{i, e})
			}
		}
	}
	if parts == nil {
		return nil
	}
	return u.once("package "+dir, func() []part { return parts })
}

// checkVersions reports directives that the versions of a declaration do not have alike,
// and names that one declaration claims in one build and another in another.
func (u *Union) checkVersions() {
	first := map[string]*tagged{} // by kind and NAME
	for _, x := range u.all {
		x.tagged = slices.DeleteFunc(x.tagged, func(t *tagged) bool {
			key := string(t.kind) + " " + t.name
			o := first[key]
			if o == nil {
				first[key] = t
			}
			switch {
			case o == nil || o.pos == t.pos:
				return false
			case o.decl.Name().Name != t.decl.Name().Name || o.decl.File.Pkg.Dir != t.decl.File.Pkg.Dir:
				x.report(t.decl.File, t.pos, finding.Directive, "%s %s is claimed already by %s (%s:%d) in another build; give one of them another name",
					t.kind, t.name, o.decl.Name().Name, o.decl.File.Path, x.mod.Line(o.pos))
				return true
			case o.surface != t.surface || o.mode != t.mode || o.usage != t.usage || o.order != t.order:
				x.report(t.decl.File, t.pos, finding.Directive, "%s has this directive in other words at %s:%d; write the same on each version of a declaration",
					t.decl.Name().Name, o.decl.File.Path, x.mod.Line(o.pos))
			}
			return false
		})
	}
	for _, x := range u.all {
		for _, t := range x.tagged {
			u.checkAlike(x, t)
		}
	}
}

// checkAlike reports the versions of a declaration that lack a directive of one of them.
func (u *Union) checkAlike(x *Extractor, t *tagged) {
	for _, peer := range x.peers {
		p := peer.mod.Package(t.decl.File.Pkg.Dir)
		if p == nil {
			continue
		}
		d := p.Decl(t.decl.Name().Name)
		if d == nil || d.File.Path == t.decl.File.Path {
			continue
		}
		if !slices.ContainsFunc(peer.tagged, func(o *tagged) bool { return o.kind == t.kind && o.name == t.name }) {
			peer.report(d.File, d.Name().Pos(), finding.Directive, "%s has //catalog:%s in %s:%d, but not here; write the same directive on each version of a declaration",
				d.Name().Name, t.kind, t.decl.File.Path, x.mod.Line(t.pos))
		}
	}
}
