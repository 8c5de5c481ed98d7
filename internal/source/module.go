// Package source yields a Go module as data: its packages as the configured build sees
// them, their syntax with comments, and, where asked for, their types. Nothing of the
// module is compiled or run, and the go command is asked only for lists of files.
//
// Function bodies are never type-checked. Packages outside the module are stand-ins
// without members until a question needs them; then they are checked from source too.
package source

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
)

// Module is a loaded module, or a tree of modules, as one build sees it. What modules of
// the tree import from each other is the source of the tree, whatever version their go.mod
// files require. It is safe for concurrent use, but for [Module.NeedExternals] and
// [Module.ForgetTypes].
type Module struct {
	Settings *settings.Settings
	Fset     *token.FileSet
	Packages []*Package // sorted by Dir
	Files    []*File    // every Go file of the tree, also those that no build sees, sorted by path

	byDir   map[string]*Package
	byPath  map[string]*Package
	byTypes sync.Map // *types.Package -> *Package
	std     *standard
	common  *externals                        // the standard library
	ext     map[*settings.GoModule]*externals // what a module of the tree needs beside it

	required func() (requirements, error) // what is required, if the module is foreseen; may be nil

	unlisted []string // what the go command says of directories that it cannot list

	imports sync.Map // *File -> map[string]string
	builds  Builds

	checking sync.Mutex        // is held while types are made one after the other
	begun    map[*Package]bool // whose types are being made so
	loading  sync.Mutex        // guards externals.loaded and what is read for it
}

// Package is one package of the module, or a package outside it that a question needed.
type Package struct {
	Path  string  // import path
	Name  string  // name of its package clause
	Dir   string  // relative to the module root with slashes; "." is the root; empty outside the module
	Files []*File // as the configured build sees them, without tests, sorted by path

	ext     *externals        // where it looks for what is not of the tree
	imports map[string]string // import path as written -> resolved, where they differ (vendored)
	checked atomic.Pointer[checked]
	// arguments are what instantiations need of other packages: import path -> names.
	arguments map[string]map[string]bool

	indexing sync.Once
	index    *index
}

// InModule reports whether the package belongs to the module.
func (p *Package) InModule() bool { return p.Dir != "" }

// File is one Go source file.
type File struct {
	Path        string    // relative to the module root with slashes; absolute outside the module
	Src         []byte    // as on disk
	AST         *ast.File // nil where it was not parsed
	Pkg         *Package  // nil where the configured build does not see the file
	Constrained bool      // a build constraint, in the file or in its name, limits it

	err     error // of the parser
	ignored bool  // listed by the go command as excluded by a constraint

	bodiless bool // the syntax has no function bodies
}

// IsTest reports whether the file is a test file.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Package returns the module's package in dir, or nil.
func (m *Module) Package(dir string) *Package { return m.byDir[dir] }

// Lookup returns the module's package of an import path, or nil.
func (m *Module) Lookup(importPath string) *Package { return m.byPath[importPath] }

// AnyPackage returns the package in dir of the first build that has one, or nil.
func (m *Module) AnyPackage(dir string) *Package {
	for _, b := range m.builds {
		if p := b.Package(dir); p != nil {
			return p
		}
	}
	return nil
}

// Line returns the line of pos in its file, by the file itself and not by //line
// comments.
func (m *Module) Line(pos token.Pos) int {
	return m.Fset.PositionFor(pos, false).Line
}

// Builds are the views that the configured builds have of one tree, in the order of the
// settings. They share the syntax trees of files, and have the same Files in the same
// order.
type Builds []*Module

// join tells each of the builds of the others.
func (b Builds) join() Builds {
	for _, m := range b {
		m.builds = b
	}
	return b
}

// Builds returns the views that all configured builds have of the tree, this one among
// them. What holds in one of them holds: a name that one of them has exists.
func (m *Module) Builds() Builds { return m.builds }

// join makes packages of the listed files that were parsed.
func (m *Module) join(result listResult, out *finding.List) {
	byPath := make(map[string]*File, len(m.Files))
	for _, f := range m.Files {
		byPath[f.Path] = f
	}
	for _, lp := range result.packages {
		if m.inGen(lp.dir) {
			continue
		}
		p := &Package{Path: lp.path, Name: lp.name, Dir: lp.dir}
		if gm := m.Settings.Owner(lp.dir); gm != nil {
			p.ext = m.ext[gm]
		}
		for _, name := range lp.files {
			f := byPath[name]
			if f == nil {
				out.Fail(name, 0, "the go command lists this file, but the walk over the module does not find it; move it out of a directory that starts with . or _")
				continue
			}
			f.Pkg = p
			p.Files = append(p.Files, f)
		}
		for _, name := range lp.ignored {
			if f := byPath[name]; f != nil {
				f.ignored = true
			}
		}
		if len(p.Files) == 0 {
			for _, e := range lp.errors {
				m.unlisted = append(m.unlisted, e.text)
			}
			continue
		}
		if !p.oneName() {
			for _, e := range lp.errors {
				out.Fail(e.path, e.line, "%s; mend the package", e.text)
			}
		}
		slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
		m.Packages = append(m.Packages, p)
		m.byDir[p.Dir] = p
		m.byPath[p.Path] = p
	}
	if len(m.Packages) == 0 {
		for _, text := range m.unlisted {
			out.Fail("", 0, "%s", text)
		}
	}
	slices.SortFunc(m.Packages, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
}

// oneName reports whether all files that parse have one package clause.
func (p *Package) oneName() bool {
	name := ""
	for _, f := range p.Files {
		if f.AST == nil || f.err != nil {
			continue
		}
		if name != "" && f.AST.Name.Name != name {
			return false
		}
		name = f.AST.Name.Name
	}
	return true
}

// Unlisted is what the go command says of a directory whose files make no package, such
// as one whose name cannot be part of an import path; or "".
func (m *Module) Unlisted(dir string) string {
	if dir == "." {
		return ""
	}
	named := regexp.MustCompile(`(^|[\s"/])` + regexp.QuoteMeta(dir) + `($|[\s":])`)
	for _, text := range m.unlisted {
		if named.MatchString(text) {
			return text
		}
	}
	return ""
}

// reportSyntax records the files of the build that do not parse. A file that the go
// command sorts under no build is one with a broken header.
func (m *Module) reportSyntax(out *finding.List) {
	for _, f := range m.Files {
		if f.err == nil || f.IsTest() || f.Pkg == nil && f.ignored {
			continue
		}
		line, text := 1, f.err.Error()
		if list, ok := f.err.(scanner.ErrorList); ok && len(list) > 0 {
			line, text = list[0].Pos.Line, list[0].Msg
		}
		out.Fail(f.Path, line, "does not parse: %s; mend the source", text)
	}
}

// inGen reports whether a directory or file is in the directory of generated Go, which
// is never read.
func (m *Module) inGen(rel string) bool { return inGen(m.Settings, rel) }

func inGen(s *settings.Settings, rel string) bool {
	return s.Gen != "" && (rel == s.Gen || strings.HasPrefix(rel, s.Gen+"/"))
}

// parse parses one file of the tree: all non-test files, and test files only where they
// hold a directive.
func (f *File) parse(fset *token.FileSet, names *platformNames) {
	if f.IsTest() && !bytes.Contains(f.Src, []byte(DirectivePrefix)) {
		return
	}
	const mode = parser.ParseComments | parser.SkipObjectResolution
	f.AST, f.err = parser.ParseFile(fset, f.Path, f.Src, mode)
	if f.AST != nil {
		f.keepReturns(fset)
		f.Constrained = constrained(f, names)
	}
}

// DirectivePrefix starts every directive of the catalog tools.
const DirectivePrefix = "//catalog:"
