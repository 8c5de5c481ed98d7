package subject

import (
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return " (did you mean " + name + "?)"
}

// nearestName is a declaration of the package with a name like the one that it lacks. A
// member that has lost its type counts as well.
func (r *Resolver) nearestName(p *source.Package, ref ref) string {
	var names []string
	for _, d := range p.Decls() {
		switch {
		case d.Kind != source.MethodDecl:
			for _, id := range d.Names {
				if id.IsExported() {
					names = append(names, id.Name)
				}
			}
		case ref.member == "" && d.Name().Name == ref.name && exported(d.Recv):
			return p.Dir + "." + d.Recv + "." + ref.name
		}
	}
	best := nearest.Of(ref.name, names)
	if best == "" {
		return ""
	}
	if d := p.Decl(best); ref.member != "" && d.Type != nil {
		w := walk{mod: r.mod, member: ref.member}
		if len(w.find(d)) == 1 {
			best += "." + ref.member
		}
	}
	return p.Dir + "." + best
}

// nearestMember is a method or field of a type with a name like the one that it lacks.
func (r *Resolver) nearestMember(p *source.Package, ref ref) string {
	var names []string
	for _, m := range p.Methods(ref.name) {
		names = append(names, m.Name().Name)
	}
	for _, f := range source.Fields(p.Decl(ref.name).Type.Type) {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !exported(n) })
	if best := nearest.Of(ref.member, names); best != "" {
		return p.Dir + "." + ref.name + "." + best
	}
	return ""
}

// nearestPackage is the same name in a package that has it: one whose directory was
// shortened, misspelled or left out.
func (r *Resolver) nearestPackage(splits []ref) string {
	var found, close []string
	for _, p := range r.mod.Packages {
		for _, ref := range splits {
			rest := ref.name
			if ref.member != "" {
				rest += "." + ref.member
			}
			if r.has(p, ref.name, ref.member) {
				if path.Base(p.Dir) == path.Base(ref.dir) || p.Name == ref.dir {
					found = append(found, p.Dir+"."+rest)
				} else if nearest.Of(ref.dir, []string{p.Dir}) != "" {
					close = append(close, p.Dir+"."+rest)
				}
			}
			if ref.member == "" && !strings.Contains(ref.dir, "/") && r.has(p, ref.dir, ref.name) {
				found = append(found, p.Dir+"."+ref.dir+"."+ref.name)
			}
		}
	}
	if all := append(found, close...); len(all) > 0 {
		return all[0]
	}
	return ""
}

// nearestDir is the package directory with a name like one that is none, or the one that
// ends in it.
func (r *Resolver) nearestDir(dir string) string {
	var dirs []string
	for _, p := range r.mod.Packages {
		if strings.HasSuffix(p.Dir, "/"+dir) {
			return p.Dir
		}
		dirs = append(dirs, p.Dir)
	}
	return nearest.Of(dir, dirs)
}

// has reports whether a package declares a name, with a member if one is wanted.
func (r *Resolver) has(p *source.Package, name, member string) bool {
	d := p.Decl(name)
	if d == nil || member == "" {
		return d != nil
	}
	if d.Type == nil {
		return false
	}
	w := walk{mod: r.mod, member: member}
	return len(w.find(d)) == 1
}
