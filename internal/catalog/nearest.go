package catalog

import (
	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

// nearest names the exported declaration whose name is closest to one that is not there,
// if any is close.
func (b *build) nearest(decls []*source.Decl, name string) string {
	var names []string
	for _, d := range decls {
		if d.Kind == source.MethodDecl {
			continue
		}
		for _, id := range d.Names {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	if best := nearest.Of(name, names); best != "" {
		return "; did you mean " + best + "?"
	}
	return ""
}
