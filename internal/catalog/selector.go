package catalog

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// selector is one word of a begin marker.
type selector struct {
	dir  string     // package directory, "." for the root
	kind model.Kind // after #; empty: none
	name string     // after the last dot; "*": all
}

// parseSelector reads DIR, DIR#KIND, DIR#package, DIR.Name or DIR.*.
func parseSelector(text string) (selector, error) {
	malformed := func(why string) (selector, error) {
		return selector{}, fmt.Errorf("malformed selector %s: %s; write DIR, DIR#KIND, DIR#package, DIR.Name or DIR.*, with DIR relative to the module root", text, why)
	}
	s := selector{dir: text}
	if dir, kind, ok := strings.Cut(text, "#"); ok {
		s.dir, s.kind = dir, model.Kind(kind)
		kinds := append(model.Tagged(), model.Package)
		if !slices.Contains(kinds, s.kind) {
			var names []string
			for _, k := range kinds {
				names = append(names, string(k))
			}
			return selector{}, fmt.Errorf("unknown kind %q in selector %s; the kinds are %s", kind, text, strings.Join(names, ", "))
		}
	} else if i := strings.LastIndexByte(text, '.'); i >= 0 {
		if name := text[i+1:]; name == "*" || token.IsExported(name) && token.IsIdentifier(name) {
			s.dir, s.name = text[:i], name
			if s.dir == "" {
				return malformed("the root package is .")
			}
		}
	}
	switch {
	case s.dir == "":
		return malformed("it names no directory")
	case path.IsAbs(s.dir) || strings.Contains(s.dir, `\`):
		return malformed("it is no path relative to the module root")
	case path.Clean(s.dir) != s.dir:
		return malformed("the directory is spelled " + path.Clean(s.dir))
	case s.dir == ".." || strings.HasPrefix(s.dir, "../"):
		return malformed("it leads out of the module")
	case path.Base(s.dir) == "...":
		return malformed("patterns are not selectors")
	}
	return s, nil
}

// resolve returns the entries of a selector, in the order in which a page shows them.
func (b *build) resolve(text string) ([]*model.Entry, error) {
	sel, err := parseSelector(text)
	if err != nil {
		return nil, err
	}
	if b.mod.AnyPackage(sel.dir) == nil {
		return nil, b.noPackage(text, sel)
	}
	var out []*model.Entry
	switch {
	case sel.kind == model.Package:
		if e := b.x.PackageEntry(sel.dir); e != nil {
			out = append(out, e)
		} else {
			return nil, fmt.Errorf("selector %s selects nothing: package %s has no package comment; write one", text, sel.dir)
		}
	case sel.name == "*":
		out = b.x.All(sel.dir)
	case sel.name != "":
		if out = b.x.Named(sel.dir, sel.name); out == nil {
			return nil, fmt.Errorf("selector %s selects nothing: package %s declares no %s%s", text, sel.dir, sel.name, b.elsewhere(sel))
		}
	default:
		for _, e := range b.x.TaggedIn(sel.dir) {
			if sel.kind == "" || e.Kind == sel.kind {
				out = append(out, e)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("selector %s selects nothing: %s; name declarations (DIR.Name, DIR.*) or tag some", text, b.emptyReason(sel))
	}
	sortEntries(out)
	return out, nil
}

// elsewhere says where another build has the name of a selector, or else which name comes
// nearest.
func (b *build) elsewhere(sel selector) string {
	for i, f := range b.mod.Files {
		unseen := !slices.ContainsFunc(b.mod.Builds(), func(mod *source.Module) bool { return mod.Files[i].Pkg != nil })
		if path.Dir(f.Path) == sel.dir && unseen && !f.IsTest() && f.Declares(sel.name) {
			return fmt.Sprintf(", but %s has one for %s; configure such a build under platforms in .catalog.yaml", f.Path, cmp.Or(f.Constraint(), "another build"))
		}
	}
	return b.nearest(sel.dir, sel.name)
}

func (b *build) emptyReason(sel selector) string {
	switch {
	case sel.name == "*":
		return "package " + sel.dir + " exports nothing"
	case sel.kind != "":
		return "no declaration of package " + sel.dir + " has the directive //catalog:" + string(sel.kind)
	}
	return "no declaration of package " + sel.dir + " has a directive"
}

// sortEntries puts tagged entries first, by kind and name; the others keep their order.
func sortEntries(list []*model.Entry) {
	kinds := model.Tagged()
	rank := func(e *model.Entry) int {
		if i := slices.Index(kinds, e.Kind); i >= 0 {
			return i
		}
		return len(kinds)
	}
	slices.SortStableFunc(list, func(a, b *model.Entry) int {
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
		if rank(a) == len(kinds) {
			return 0
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// noPackage says why a selector's directory is no package of the configured build.
func (b *build) noPackage(text string, sel selector) error {
	s := b.Settings
	if why := b.mod.Unlisted(sel.dir); why != "" {
		return fmt.Errorf("selector %s selects nothing: %s; name another package, or rename the directory", text, why)
	}
	for _, f := range b.mod.Files {
		if path.Dir(f.Path) == sel.dir && !f.IsTest() {
			if s.Several() {
				return fmt.Errorf("selector %s selects nothing: no configured build (%s) sees a Go file in %s; name its platform, tags or cgo under platforms in .catalog.yaml", text, s.BuildList(), sel.dir)
			}
			return fmt.Errorf("selector %s selects nothing: the configured build (%s/%s, tags %q, cgo %v) sees no Go file in %s; set goos, goarch, tags or cgo in .catalog.yaml", text, s.GOOS, s.GOARCH, strings.Join(s.Tags, ","), s.Cgo, sel.dir)
		}
	}
	return fmt.Errorf("selector %s selects nothing: there is no package in %s; name a package directory relative to the module root", text, sel.dir)
}
