package gogen

import (
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/agentplan/sdk/internal/model"
)

// imports are the packages that the guards name.
type imports struct {
	importable func(string) bool
	asked      map[string]bool
	used       map[string]bool
	names      map[string]string // of packages, where they are known
	version    *regexp.Regexp
	other      *regexp.Regexp
}

func newImports(importable func(string) bool) *imports {
	return &imports{
		importable: importable,
		asked:      map[string]bool{},
		used:       map[string]bool{},
		names:      map[string]string{},
		version:    regexp.MustCompile(`^v[0-9]+$`),
		other:      regexp.MustCompile(`[^a-z0-9]|^[0-9]+`),
	}
}

// can reports whether a package can be imported.
func (im *imports) can(path string) bool {
	ok, asked := im.asked[path]
	if !asked {
		ok = path != "" && path != "C" && im.importable(path)
		im.asked[path] = ok
	}
	return ok
}

// writable reports whether tokens are known and name only packages that can be imported.
func (im *imports) writable(tokens []model.Token) bool {
	for _, t := range tokens {
		if t.Package != "" && !im.can(t.Package) {
			return false
		}
	}
	return tokens != nil
}

// addGuard notes the packages that the guards of an entry name.
func (im *imports) addGuard(e *model.Entry) {
	im.used[e.ID.Package] = true
	im.names[e.ID.Package] = e.PackageName
	im.addTokens(e.Guard.Signature)
	for _, m := range e.Guard.Methods {
		im.addTokens(m.Tokens)
	}
	for _, m := range e.Guard.Fields {
		im.addTokens(m.Tokens)
	}
}

func (im *imports) addTokens(tokens []model.Token) {
	if !im.writable(tokens) {
		return
	}
	for _, t := range tokens {
		if t.Package != "" {
			im.used[t.Package] = true
		}
	}
}

// register gives every package its name in the file, in the order of the paths: in the
// order of use, a new guard could swap the names of two packages all over the file.
func (im *imports) register(f *jen.File) {
	for _, path := range slices.Sorted(maps.Keys(im.used)) {
		switch name := im.names[path]; {
		case name != "" && !im.reserved(name) && strings.HasSuffix("/"+path, "/"+name):
			f.ImportName(path, name)
		case name != "" && !im.reserved(name):
			f.ImportAlias(path, name)
		default:
			if name := im.alias(path); name != "" {
				f.ImportAlias(path, name)
			}
		}
		// A package is named when it is first rendered. Writing to nowhere cannot fail.
		_ = jen.Qual(path, "X").RenderWithFile(io.Discard, f)
	}
}

// alias is the name for a package where the one that jennifer makes of the path would
// read badly, or mean something else in the file; else empty.
func (im *imports) alias(path string) string {
	elems := strings.Split(path, "/")
	last := elems[len(elems)-1]
	versioned := len(elems) > 1 && im.version.MatchString(last)
	if versioned {
		last = elems[len(elems)-2]
	}
	name := im.other.ReplaceAllString(strings.ToLower(last), "")
	switch {
	case im.reserved(name):
		return name + "pkg"
	case versioned:
		return name
	}
	return ""
}

// reserved reports whether a name that jennifer would use means something else in the
// file.
func (im *imports) reserved(name string) bool {
	switch name {
	case "any", "comparable", "init", "v":
		return true
	}
	return false
}

// withoutComments removes comments from a piece of Go source, which may begin and end
// between any two tokens. Guards are about types only, and a comment that ends a piece
// would take the next one with it.
func withoutComments(src string) string {
	if !strings.Contains(src, "//") && !strings.Contains(src, "/*") {
		return src
	}
	var b strings.Builder
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	s.Init(file, []byte(src), nil, scanner.ScanComments)
	end := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			b.WriteString(src[end:])
			return b.String()
		}
		if tok != token.COMMENT {
			continue
		}
		at := file.Offset(pos)
		b.WriteString(src[end:at])
		if strings.Contains(lit, "\n") {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
		end = at + len(lit)
	}
}
