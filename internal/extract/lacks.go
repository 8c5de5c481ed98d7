package extract

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// lacks says why the entry of a type cannot be made whole, with the remedy, or "": it is
// made of types that could not be read or do not resolve, so that members would be missing
// without a word. What is shown as it is declared lacks nothing.
func (b *builder) lacks() string {
	if b.d.Kind != source.TypeDecl {
		return ""
	}
	switch b.e.Kind {
	case model.Event, model.Hook, model.Command, model.Section:
		return ""
	case model.Untagged, model.Type:
		if b.d.Type.Assign.IsValid() { // an alias: its members are those of another type
			return ""
		}
	}
	deep := b.e.Kind == model.Tool
	if missing := b.x.mod.Missing(b.d, deep); len(missing) > 0 {
		var texts []string
		for _, p := range missing {
			what := "package " + p.Path
			if p.Module != "" {
				what += " of module " + p.Module
			}
			texts = append(texts, what+", which cannot be read ("+p.Why+")")
		}
		return fmt.Sprintf("it is made of types of %s; run go mod download, or mend go.mod", strings.Join(texts, ", and of "))
	}
	obj := b.x.object(b.d.File.Pkg, b.d.Name())
	switch {
	case obj == nil:
		return fmt.Sprintf("it does not resolve, perhaps since it is declared twice; mend the source (go vet ./%s)", b.e.Dir)
	case b.x.incomplete(obj.Type(), map[types.Type]bool{}), deep && b.x.incompleteField(obj.Type(), map[types.Type]bool{}):
		return fmt.Sprintf("it is made of a type that does not resolve; mend the source (go vet ./%s)", b.e.Dir)
	}
	return ""
}

// incompleteField reports whether a type of a field, at any depth, could not be resolved.
func (x *Extractor) incompleteField(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
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
	case *types.Pointer:
		return x.incompleteField(u.Elem(), seen)
	case *types.Slice:
		return x.incompleteField(u.Elem(), seen)
	case *types.Array:
		return x.incompleteField(u.Elem(), seen)
	case *types.Map:
		return x.incompleteField(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); (f.Exported() || f.Embedded()) && x.incompleteField(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}
