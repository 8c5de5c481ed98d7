package scope

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
)

// goFile is a Go file of the module that changed, before and after.
type goFile struct {
	*file
	dir      string
	src      []byte    // now
	was, now *ast.File // nil where it was not there, or is a test file
}

// changedSource puts the pages in scope that show, name or use what may be declared
// otherwise.
func (s *Scope) changedSource() {
	var changed []*goFile
	var elsewhere []*file
	for _, f := range s.change.files {
		if path.Ext(f.path) != ".go" {
			continue
		}
		elsewhere = append(elsewhere, f) // any Go file may hold a fence
		if g := s.goFile(f); g != nil {
			changed = append(changed, g)
		}
	}
	if len(elsewhere) == 0 {
		return
	}
	s.excerpts(elsewhere)
	if len(changed) == 0 {
		return
	}
	s.source = map[string]bool{}
	s.words(changed)
	var seeds []*goFile
	for _, g := range changed {
		switch {
		case s.all != "":
		case isTest(g.path):
			s.parseTest(g)
		default:
			s.parse(g)
			seeds = append(seeds, g)
		}
		if s.all == "" && directives(g.old) != directives(g.src) {
			s.everything(g.path + " has other directives")
		}
	}
	if s.all != "" {
		return
	}
	if s.otherImports(seeds) {
		s.everything("the source imports other packages than before")
		return
	}
	s.reach(seeds)
	for _, t := range s.pages {
		if s.shows(t) {
			s.touch(t.group, true)
		}
	}
	s.dependents(seeds)
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// goFile returns a file of the module's source, or nil for one that is none: in testdata,
// in another module.
func (s *Scope) goFile(f *file) *goFile {
	g := &goFile{file: f, dir: path.Dir(f.path)}
	if f.has {
		have := s.file(f.path)
		if have == nil {
			return nil
		}
		g.src = have.Src
		return g
	}
	for part := range strings.SplitSeq(f.path, "/") {
		if part == "testdata" || part == "node_modules" || part[0] == '.' || part[0] == '_' {
			return nil
		}
	}
	for dir := g.dir; ; dir = path.Dir(dir) {
		if slices.ContainsFunc(s.settings.Modules, func(m *settings.GoModule) bool { return m.Dir == dir }) {
			return g
		}
		if _, err := s.settings.Disk.Stat(s.settings.Abs(path.Join(dir, "go.mod"))); err == nil || dir == "." {
			return nil
		}
	}
}

// parse reads what a file was, and finds out whether its package is still made of the
// files that it was made of.
func (s *Scope) parse(g *goFile) {
	pkg := s.mod.Package(g.dir)
	if pkg == nil || !s.existed(pkg) {
		s.everything("package " + g.dir + " came or went")
		return
	}
	const mode = parser.ParseComments | parser.SkipObjectResolution
	if g.has {
		g.now, _ = parser.ParseFile(token.NewFileSet(), g.path, g.src, mode) // what does not parse is a failure already
	}
	if !g.had {
		return
	}
	was, err := parser.ParseFile(token.NewFileSet(), g.path, g.old, mode)
	if err != nil {
		s.everything(g.path + " did not parse before")
		return
	}
	g.was = was
	after := clauseOf(pkg)
	if g.now != nil {
		after = header(g.now)
	}
	if header(g.was) != after {
		s.everything(g.path + " has another package clause or constraint")
	}
}

// parseTest finds out whether a test file fits its package: one that does not decides what
// the go command makes of the whole directory.
func (s *Scope) parseTest(g *goFile) {
	pkg := s.mod.Package(g.dir)
	clause := func(src []byte) string {
		f, err := parser.ParseFile(token.NewFileSet(), g.path, src, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return ""
		}
		return header(f)
	}
	fits := func(name string) bool {
		return pkg != nil && (name == clauseOf(pkg) || name == clauseOf(pkg)+"_test")
	}
	was, now := clause(g.old), clause(g.src)
	if g.had && !g.has && !fits(was) || g.has && !g.had && !fits(now) || g.had && g.has && (was != now || now == "") {
		s.everything(g.path + " came, went or has another package clause")
	}
}

// clauseOf is the name in the package clauses of a package's own files. The go command may
// take another one from a test that does not fit.
func clauseOf(pkg *source.Package) string {
	for _, f := range pkg.Files {
		if f.AST != nil {
			return f.AST.Name.Name
		}
	}
	return pkg.Name
}

// existed reports whether a package had a file before.
func (s *Scope) existed(pkg *source.Package) bool {
	for _, f := range pkg.Files {
		if c := s.change.by[f.Path]; c == nil || c.had {
			return true
		}
	}
	return slices.ContainsFunc(s.change.files, func(f *file) bool {
		return f.had && path.Ext(f.path) == ".go" && path.Dir(f.path) == pkg.Dir && !isTest(f.path)
	})
}

// header is what decides for which build a file is, and in which package.
func header(f *ast.File) string {
	out := f.Name.Name
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text) {
				out += "\n" + c.Text
			}
		}
	}
	if slices.Contains(imports(f), "C") {
		out += "\ncgo"
	}
	return out
}

func imports(f *ast.File) []string {
	if f == nil {
		return nil
	}
	var out []string
	for _, spec := range f.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// directives are the lines of a file with directives, in any order.
func directives(src []byte) string {
	var out []string
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte(source.DirectivePrefix)) {
			out = append(out, string(line))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// otherImports reports whether the module as a whole imports other packages from outside
// than it did: then a name may mean another package on any page.
func (s *Scope) otherImports(changed []*goFile) bool {
	was, now := map[string]bool{}, map[string]bool{}
	add := func(to map[string]bool, f *ast.File) {
		for _, name := range imports(f) {
			if s.mod.Lookup(name) == nil {
				to[name] = true
			}
		}
	}
	for _, f := range s.mod.Files {
		add(now, f.AST)
		if c := s.change.by[f.Path]; c == nil || isTest(f.Path) {
			add(was, f.AST)
		}
	}
	for _, g := range changed {
		add(was, g.was)
	}
	return !maps.Equal(was, now)
}

// reach collects the packages of changed files and all that are made of them: those that
// import them, before or now, and those whose comments link to them by their path.
func (s *Scope) reach(changed []*goFile) {
	users := map[string][]string{} // directory -> directories of packages that use it
	use := func(from, importPath string) {
		if dir, ok := s.settings.OwnDir(importPath); ok {
			users[dir] = append(users[dir], from)
		}
	}
	for _, f := range s.mod.Files {
		dir := path.Dir(f.Path)
		for _, name := range imports(f.AST) {
			use(dir, name)
		}
		for _, m := range docLink().FindAllSubmatch(f.Src, -1) {
			// The names behind the path have dots too.
			for name := string(m[1]); strings.Contains(name, "/"); {
				use(dir, name)
				name = name[:max(strings.LastIndexByte(name, '.'), 0)]
			}
		}
	}
	var open []string
	for _, g := range changed {
		open = append(open, g.dir)
		for _, name := range imports(g.was) {
			use(g.dir, name)
		}
	}
	for len(open) > 0 {
		dir := open[len(open)-1]
		open = open[:len(open)-1]
		if !s.source[dir] {
			s.source[dir] = true
			open = append(open, users[dir]...)
		}
	}
}

// docLink is a link of a comment that begins with an import path.
var docLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\*?([\w~-]+[.\w~-]*/[\w./~-]*)`) })

// shows reports whether a region of the page shows something of a reached package.
func (s *Scope) shows(t *text) bool {
	for _, r := range t.side.Page.Regions {
		for _, sel := range r.Selectors {
			dir, _, _ := strings.Cut(sel, "#")
			if s.source[dir] {
				return true
			}
			if i := strings.LastIndexByte(dir, '.'); i > 0 && s.source[dir[:i]] {
				return true
			}
		}
	}
	return false
}

// compound is what looks like the name of a catalog entry. Such a word is judged by
// whether any Go file has it.
var compound = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[a-z][a-z0-9]*(?:[_/:-][a-z0-9]+)+`) })

// words puts the pages in scope that use compound words which the source has no longer, or
// only now.
func (s *Scope) words(changed []*goFile) {
	s.touchPages(func(t *text) bool {
		for _, word := range compound().FindAllString(t.plain, -1) {
			for _, g := range changed {
				if bytes.Contains(g.old, []byte(word)) != bytes.Contains(g.src, []byte(word)) {
					return true
				}
			}
		}
		return false
	})
}

// excerpts puts the pages in scope whose fences may have been parts of changed files: the
// first two lines tell.
func (s *Scope) excerpts(changed []*file) {
	pairs := map[[2]string]bool{}
	for _, f := range changed {
		if f.had {
			maps.Copy(pairs, linePairs(f.old))
		}
	}
	if len(pairs) == 0 {
		return
	}
	s.touchPages(func(t *text) bool {
		lines := strings.Split(t.plain, "\n")
		for i := 0; i+2 < len(lines); i++ {
			if !strings.Contains(lines[i], "```") && !strings.Contains(lines[i], "~~~") {
				continue
			}
			first, second := bare(lines[i+1]), bare(lines[i+2])
			if strings.HasPrefix(second, "```") || strings.HasPrefix(second, "~~~") {
				second = ""
			}
			if first != "" && pairs[[2]string{first, second}] {
				return true
			}
		}
		return false
	})
}

// bare is a line without the white space around it and without the signs of a quote.
func bare(line string) string { return strings.TrimSpace(strings.TrimLeft(line, "> \t")) }
