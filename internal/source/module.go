// Package source yields a Go module as data: its packages as the configured build sees
// them, their syntax with comments, and, where asked for, their types. Nothing of the
// module is compiled or run, and the go command is asked only for lists of files.
//
// Function bodies are never type-checked. Packages outside the module are stand-ins
// without members until a question needs them; then they are checked from source too.
package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/gotool"
	"github.com/agentplan/sdk/internal/settings"
)

// Module is a loaded module, or a tree of modules, as one build sees it. What modules of
// the tree import from each other is the source of the tree, whatever version their go.mod
// files require. It is safe for use by one goroutine at a time.
type Module struct {
	Settings *settings.Settings
	Fset     *token.FileSet
	Packages []*Package // sorted by Dir
	Files    []*File    // every Go file of the tree, also those that no build sees, sorted by path

	byDir   map[string]*Package
	byPath  map[string]*Package
	byTypes map[*types.Package]*Package
	std     *standard
	common  *externals                        // the standard library
	ext     map[*settings.GoModule]*externals // what a module of the tree needs beside it

	unlisted []string // what the go command says of directories that it cannot list

	imports map[*File]map[string]string
	builds  Builds
}

// Package is one package of the module, or a package outside it that a question needed.
type Package struct {
	Path  string  // import path
	Name  string  // name of its package clause
	Dir   string  // relative to the module root with slashes; "." is the root; empty outside the module
	Files []*File // as the configured build sees them, without tests, sorted by path

	ext     *externals        // where it looks for what is not of the tree
	imports map[string]string // import path as written -> resolved, where they differ (vendored)
	checked *checked
	index   *index
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

// Loading is a tree that is being read. The files are parsed while the go command lists
// them; a [Loading.Guess] can be worked with before it has.
type Loading struct {
	settings *settings.Settings
	fset     *token.FileSet
	files    []*File
	err      error // of reading the tree

	tool    *gotool.Tool // nil where what is read is not remembered
	foreign []string     // files of the tree that are not Go but concern the go command, sorted

	listings []*listing // by build
	stop     func()     // keeps the go command from going on
}

// listing is what the go command says for one build.
type listing struct {
	settings *settings.Settings
	kept     *confirmation // of an earlier run
	known    *confirmation // the same, if it was for the same inputs

	ask   func() (listResult, error)
	plain func() (listResult, error) // in a few words
	whole func() listResult          // all of it
}

// newListing begins to ask the go command, unless an earlier run may have done so.
func newListing(ctx context.Context, s *settings.Settings) *listing {
	in := &listing{settings: s, kept: recallConfirmation(s)}
	in.ask = func() (listResult, error) { return listPlain(ctx, s) }
	if in.kept == nil {
		in.plain = ahead(in.ask)
	}
	in.whole = sync.OnceValue(func() listResult {
		if result, err := in.plain(); err == nil {
			return result
		}
		return list(ctx, s)
	})
	return in
}

// Start begins to read the tree.
func Start(ctx context.Context, s *settings.Settings) *Loading {
	ctx, stop := context.WithCancel(ctx)
	l := &Loading{settings: s, fset: token.NewFileSet(), stop: stop}
	for _, b := range s.Builds {
		l.listings = append(l.listings, newListing(ctx, s.For(b)))
	}
	l.files, l.foreign, l.err = parseTree(s, l.fset)
	if s.Disk != nil {
		noteModules(s.Disk, s)
		for _, name := range l.foreign {
			_, _ = s.Disk.ReadFile(s.Abs(name)) // an error is remembered
		}
		l.tool = gotool.Find(s.Disk)
	}
	var inputs [sha256.Size]byte
	ok, asked := false, false
	for _, in := range l.listings {
		if in.kept == nil {
			continue
		}
		if !asked {
			inputs, ok = l.inputs()
			asked = true
		}
		if ok && l.err == nil && inputs == in.kept.inputs {
			in.known = in.kept
			in.plain = sync.OnceValues(in.ask)
		} else {
			in.plain = ahead(in.ask)
		}
	}
	if l.err != nil {
		l.stop()
		for _, in := range l.listings {
			_, _ = in.plain() // nobody asks for what was cut short
		}
	}
	return l
}

// ahead begins to make a value and returns how to wait for it.
func ahead[T any](make func() (T, error)) func() (T, error) {
	var value T
	var err error
	done := new(sync.WaitGroup)
	done.Go(func() { value, err = make() })
	return func() (T, error) {
		done.Wait()
		return value, err
	}
}

// module is an empty module with files of its own that share their syntax trees.
func (l *Loading) module(s *settings.Settings, stdlib string) *Module {
	m := &Module{
		Settings: s,
		Fset:     l.fset,
		byDir:    map[string]*Package{},
		byPath:   map[string]*Package{},
		byTypes:  map[*types.Package]*Package{},
		std:      newStandard(s, stdlib),
		common:   newExternals(nil),
		ext:      map[*settings.GoModule]*externals{},
		imports:  map[*File]map[string]string{},
	}
	for _, gm := range l.settings.Modules {
		m.ext[gm] = newExternals(gm)
	}
	if l.tool != nil && stdlib != "" {
		l.tool.Release(filepath.Dir(stdlib))
	}
	for _, f := range l.files {
		m.Files = append(m.Files, &File{Path: f.Path, Src: f.Src, AST: f.AST, Constrained: f.Constrained, err: f.err})
	}
	return m
}

// Builds waits for the go command and makes what it lists. What keeps the sources from
// being read is recorded in out as failures; a usable result comes back all the same, or
// nil where there is nothing to work with.
func (l *Loading) Builds(out *finding.List) Builds {
	if l.err != nil {
		if f, ok := errors.AsType[finding.Failure](l.err); ok {
			out.Fail(f.Path, 0, "%s", f.Message)
		} else {
			out.Fail("", 0, "read the module: %v", l.err)
		}
		return nil
	}
	var all Builds
	for _, in := range l.listings {
		m := l.build(in, out)
		if m == nil {
			return nil
		}
		all = append(all, m)
	}
	return all.join()
}

// Module is the first of [Loading.Builds].
func (l *Loading) Module(out *finding.List) *Module {
	all := l.Builds(out)
	if all == nil {
		return nil
	}
	return all[0]
}

// build makes what the go command lists for one build.
func (l *Loading) build(in *listing, out *finding.List) *Module {
	for _, word := range []string{in.settings.GOOS, in.settings.GOARCH} {
		if !isPlatform(word) {
			out.Fail(settings.FileName, 0, "%s is no platform that Go knows; name a pair of go tool dist list", word)
			return nil
		}
	}
	l.settings.Disk.Vague("the go command sees more in the module than its files show")
	result := in.whole()
	if result.err != nil {
		text := result.err.Error()
		if l.settings.Several() {
			text = in.settings.GOOS + "/" + in.settings.GOARCH + ": " + text
		}
		out.Fail("", 0, "list packages: %s", text)
		return nil
	}
	m := l.module(in.settings, result.stdlib)
	m.join(result, out)
	m.reportSyntax(out)
	return m
}

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
func (f *File) parse(fset *token.FileSet) {
	if f.IsTest() && !bytes.Contains(f.Src, []byte(DirectivePrefix)) {
		return
	}
	const mode = parser.ParseComments | parser.SkipObjectResolution
	f.AST, f.err = parser.ParseFile(fset, f.Path, f.Src, mode)
	if f.AST != nil {
		f.keepReturns(fset)
		f.Constrained = constrained(f)
	}
}

// DirectivePrefix starts every directive of the catalog tools.
const DirectivePrefix = "//catalog:"
