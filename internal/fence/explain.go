package fence

import (
	"fmt"
	"strings"

	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

// judgeImports reports imports that do not exist. The second result is false where that
// settles the fence.
func (c *codeCheck) judgeImports(s *snippet) (result, bool) {
	var r result
	for _, spec := range s.file.Imports {
		importPath := strings.Trim(spec.Path.Value, "`\"")
		line := s.line(c.mod.Line(spec.Pos()))
		l := c.loader
		dir, own := l.ownDir(importPath)
		switch {
		case importPath == "unsafe" || l.parts[importPath] != nil:
		case strings.ContainsAny(importPath, "{}<>$"):
			return result{unjudged: "it imports " + importPath + ", which stands for another path"}, false
		case importPath == "C":
			return result{unjudged: "it imports C"}, false
		case own && (l.inGen(dir) || l.unread(dir)):
			return result{unjudged: "it imports " + importPath + ", which is not part of the configured build of the module"}, false
		case own:
			r.faults = append(r.faults, fault{line, "there is no package " + importPath + " in the module" + nearest.Hint(importPath, l.ownPaths())})
		case source.IsStandard(importPath):
			r.faults = append(r.faults, fault{line, "there is no package " + importPath + " in the standard library"})
		case l.required(importPath) != nil && !doesNotExist(l.failed[importPath]):
			r.failure = fmt.Sprintf("cannot read package %s, which a fence imports: %s; run go mod download", importPath, firstLine(l.failed[importPath]))
		default:
			r.faults = append(r.faults, fault{line, "no module that go.mod requires has the package " + importPath})
		}
	}
	return r, len(r.faults) == 0 && r.failure == ""
}

// doesNotExist tells a package that is not there from one that is not on this machine, by
// the words of the go command.
func doesNotExist(text string) bool {
	return strings.Contains(text, "does not contain package") || strings.Contains(text, "no required module provides package")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// packageOf is the package that a snippet knows by a name, or nil.
func (c *codeCheck) packageOf(s *snippet, name string) *source.Package {
	for _, inf := range s.infer {
		if inf.name == name {
			return c.loader.found[inf.choices[0]]
		}
	}
	for _, spec := range s.file.Imports {
		importPath := strings.Trim(spec.Path.Value, "`\"")
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && c.loader.packageName(importPath) == name {
			return c.loader.found[importPath]
		}
	}
	return nil
}
