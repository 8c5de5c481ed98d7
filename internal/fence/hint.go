package fence

import (
	"fmt"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

var (
	noMember = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`undefined \(type \*?([\w.]+)(?:\[.*\])? has no field or method (\w+)\)$`)
	})
	noField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^unknown field (\w+) in struct literal of type ([\w.]+)(?:\[.*\])?$`)
	})
)

// explain says more of faults that are about names: where a name was looked for, and
// which one may have been meant.
func (c *codeCheck) explain(s *snippet, faults []fault) []fault {
	out := slices.Clone(faults)
	for i := range out {
		text := oneLine(out[i].text)
		if name, ok := strings.CutPrefix(text, "undefined: "); ok {
			text += c.undefined(s, name)
		} else if m := noMember().FindStringSubmatch(text); m != nil {
			text += nearest.Hint(m[2], c.members(s, m[1]))
		} else if m := noField().FindStringSubmatch(text); m != nil {
			text += nearest.Hint(m[1], c.members(s, m[2]))
		}
		out[i].text = text
	}
	return out
}

// undefined says where a name was looked for.
func (c *codeCheck) undefined(s *snippet, name string) string {
	pkg, member, qualified := strings.Cut(name, ".")
	if qualified {
		p := c.packageOf(s, pkg)
		if p == nil {
			return ""
		}
		return fmt.Sprintf(": package %s has no %s%s", p.Path, member, nearest.Hint(member, exportedNames(p)))
	}
	members := uses(s.file, s.free)[name]
	if slices.ContainsFunc(members, token.IsExported) {
		hint := ""
		if len(name) > 2 { // anything is near to less
			dir := newDirectory(c.loader)
			hint = nearest.Hint(name, slices.Concat(slices.Collect(maps.Keys(dir.other)), slices.Collect(maps.Keys(dir.std))))
		}
		if len(s.file.Imports) > 0 {
			return ": the fence neither declares nor imports it" + hint
		}
		return ": neither this fence nor one before it declares it, and no package has this name" + hint
	}
	var homes []string
	for _, p := range c.mod.Packages {
		if d := p.Decl(name); d != nil && p.Name != "main" && !isInternal(p.Dir) && token.IsExported(name) {
			homes = append(homes, p.Name+"."+name)
		}
	}
	text := ": neither this fence nor one before it declares it"
	if len(homes) == 1 {
		text += " (did you mean " + homes[0] + "?)"
	}
	return text
}

// members are the exported methods and fields that a type of the module declares, by the
// name that the type checker has for it.
func (c *codeCheck) members(s *snippet, name string) []string {
	pkg, typeName, ok := strings.Cut(name, ".")
	if !ok {
		return nil
	}
	p := c.packageOf(s, pkg)
	if p == nil {
		return nil
	}
	d := p.Decl(typeName)
	if d == nil || d.Type == nil {
		return nil
	}
	var names []string
	for _, m := range p.Methods(typeName) {
		names = append(names, m.Name().Name)
	}
	for _, f := range source.Fields(d.Type.Type) {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return exportedOnly(names)
}
