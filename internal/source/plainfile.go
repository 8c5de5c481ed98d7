package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/mod/module"
)

// plainName matches the names of Go files that the go command takes for arguments of
// compilers without a thought.
var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*\.go$`) })

// plainElement matches the beginning of a name that is no flag of a command.
var plainElement = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.]`) })

// plainFiles returns how the files begin, if the go command takes all of them without a
// thought.
func (l *Loading) plainFiles() (map[*File]*ast.File, error) {
	if len(l.odd) > 0 {
		return nil, fmt.Errorf("%s is out of the ordinary", l.odd[0])
	}
	headers := make(map[*File]*ast.File, len(l.files))
	for _, f := range l.files {
		header := f.header()
		if err := plainFile(f, header); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		headers[f] = header
	}
	return headers, nil
}

// plainFile reports what go/build or cmd/go/internal/load may have against a file whatever
// the build, or read in a way of their own.
func plainFile(f *File, header *ast.File) error {
	if !plainName().MatchString(path.Base(f.Path)) {
		return errors.New("the name is not plain")
	}
	if f.err != nil {
		return f.err
	}
	if header == nil {
		return errors.New("the beginning does not parse")
	}
	if header.Name.Name == "documentation" {
		return errors.New("the package is documentation")
	}
	head := string(f.Src[:min(packageClause(f.Src), len(f.Src))])
	for _, word := range []string{"go:binary-only-package", "go:debug"} {
		if strings.Contains(head, word) {
			return fmt.Errorf("there is a %s line", word)
		}
	}
	if tag := strangeTag(head); tag != "" {
		return fmt.Errorf("the build tag %s is one of the toolchain", tag)
	}
	for _, spec := range header.Imports {
		p := strings.Trim(spec.Path.Value, "`\"")
		if p == "C" || module.CheckImportPath(p) != nil {
			return fmt.Errorf("the import of %q is not plain", p)
		}
		if p == "embed" && strangeEmbed().Match(f.Src) {
			return errors.New("a go:embed line has quotes")
		}
	}
	return nil
}

// header is the syntax of the file at least to its last import, or nil where it does not
// parse.
func (f *File) header() *ast.File {
	if f.AST != nil {
		return f.AST
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Src, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	return syntax
}

// strangeEmbed matches go:embed lines that go/build has to unquote.
var strangeEmbed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)^\\s*//go:embed.*[\"`]") })

// dotted matches words with a dot.
var dotted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9_]+\.[A-Za-z0-9_.]+`) })

// releaseTag matches the build tags of releases.
var releaseTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^go1\.[0-9]+$`) })

// strangeTag returns a build tag, of the constraints that stand before a package clause,
// that depends on the experiments or the processor that a toolchain is made for; or "".
func strangeTag(head string) string {
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		rest, _ := strings.CutPrefix(line, "//")
		if !strings.HasPrefix(line, "//go:build") && !strings.HasPrefix(strings.TrimSpace(rest), "+build") {
			continue
		}
		for _, tag := range dotted().FindAllString(line, -1) {
			if !releaseTag().MatchString(tag) {
				return tag
			}
		}
	}
	return ""
}
