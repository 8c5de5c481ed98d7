package catalog

import (
	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

// nearest names the exported declaration whose name is closest to one that is not there,
// if any is close.
func (b *build) nearest(dir, name string) string {
	var names []string
	for _, mod := range b.mod.Builds() {
		p := mod.Package(dir)
		if p == nil {
			continue
		}
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
	}
	if best := nearest.Of(name, names); best != "" {
		return "; did you mean " + best + "?"
	}
	return ""
}
