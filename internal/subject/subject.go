// Package subject yields the declarations that prose is about: where they stand, and a
// fingerprint of what they promise, which formatting and position do not touch.
package subject

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// Subject is one declaration that prose names.
type Subject struct {
	Name string // as the prose writes it
	Path string // of the file that declares it, relative to the module root
	Line int    // of its doc comment, or of the declaration where there is none
	// From is the type that a promoted member comes from, as DIR.Type. It is empty for
	// all others.
	From string
	// Text is the doc comment and the signature as they are in the source.
	Text string
	// Sum is the fingerprint in hexadecimal.
	Sum string

	target target
}

// target names a declaration within a file.
type target struct {
	name     string // of the package-level declaration
	member   string // of a method or field; may be empty
	alias    string // of the type, that the receiver of a method names in its place
	embedded string // the embedded type that brings a member from outside the module
	pkg      bool   // the package comment; the names are empty
}

// Resolver finds declarations of one tree. It is for use by one goroutine.
type Resolver struct {
	mod    *source.Module
	builds []*Resolver // of all configured builds
	found  map[string]result
}

type result struct {
	subject *Subject
	err     error
}

// NewResolver returns a resolver for the module, as all configured builds see it.
func NewResolver(mod *source.Module) *Resolver {
	var builds []*Resolver
	r := newResolver(mod)
	for _, b := range mod.Builds() {
		if b == mod {
			builds = append(builds, r)
		} else {
			builds = append(builds, newResolver(b))
		}
	}
	r.builds = builds
	return r
}

func newResolver(mod *source.Module) *Resolver {
	return &Resolver{mod: mod, found: map[string]result{}}
}

// Resolve returns the declaration of a name as the resolver's own build has it: DIR.Name, DIR.Type.Member or DIR#package,
// with DIR as selectors write it. The error says what is not there, with the nearest name where
// there is one.
func (r *Resolver) Resolve(name string) (*Subject, error) {
	if res, ok := r.found[name]; ok {
		return res.subject, res.err
	}
	s, err := r.resolve(name)
	r.found[name] = result{s, err}
	return s, err
}

func (r *Resolver) resolve(name string) (*Subject, error) {
	if dir, ok := strings.CutSuffix(name, packageSuffix); ok {
		return r.packageComment(name, dir)
	}
	splits := split(name)
	if len(splits) == 0 {
		return nil, fmt.Errorf("%s is malformed; write DIR.Name, DIR.Type.Member, DIR.Type.* or DIR#package, with DIR relative to the module root and exported names", name)
	}
	for _, ref := range splits {
		p := r.mod.Package(ref.dir)
		if p == nil {
			continue
		}
		d := p.Decl(ref.name)
		switch {
		case d == nil:
			return nil, fmt.Errorf("package %s declares no %s%s", ref.dir, ref.name, didYouMean(r.nearestName(p, ref)))
		case ref.member == "":
			return r.subject(name, d.File, target{name: ref.name}, "")
		case d.Type == nil:
			return nil, fmt.Errorf("%s.%s is no type, so it has no %s; name the declaration alone", ref.dir, ref.name, ref.member)
		}
		return r.memberOf(name, p, d, ref)
	}
	return nil, fmt.Errorf("there is no package for %s%s", name, didYouMean(r.nearestPackage(splits)))
}

func (r *Resolver) memberOf(name string, p *source.Package, d *source.Decl, ref ref) (*Subject, error) {
	w := walk{mod: r.mod, member: ref.member}
	got := w.find(d)
	switch {
	case len(got) == 1 && got[0].from == ref.dir+"."+ref.name:
		return r.subject(name, got[0].file, got[0].target, "")
	case len(got) == 1:
		return r.subject(name, got[0].file, got[0].target, got[0].from)
	case len(got) > 1:
		return nil, fmt.Errorf("%s.%s has more than one %s at the same depth, so it has none; name %s.%s or %s.%s", ref.dir, ref.name, ref.member, got[0].from, ref.member, got[1].from, ref.member)
	case w.outside != nil:
		return r.subject(name, w.outside.file, w.outside.target, w.outside.from)
	}
	return nil, fmt.Errorf("%s.%s has no method or field %s%s", ref.dir, ref.name, ref.member, didYouMean(r.nearestMember(p, ref)))
}

func (r *Resolver) subject(name string, f *source.File, t target, from string) (*Subject, error) {
	v := version{src: f.Src, file: f.AST, tf: r.mod.Fset.File(f.AST.FileStart)}
	d, ok := v.locate(t)
	if !ok {
		return nil, fmt.Errorf("%s is declared in a way that cannot be told apart; name another declaration", name)
	}
	return &Subject{
		Name: name, Path: f.Path, Line: v.tf.PositionFor(d.start(), false).Line,
		From: from, Text: v.text(d), Sum: v.sum(d, from), target: t,
	}, nil
}

// In returns the same declaration as another version of its file has it. The result is
// false where that version does not have it, or does not parse.
func (s *Subject) In(src []byte) (*Subject, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	v := version{src: src, file: file, tf: fset.File(file.FileStart)}
	d, ok := v.locate(s.target)
	if !ok {
		return nil, false
	}
	return &Subject{
		Name: s.Name, Path: s.Path, Line: v.tf.PositionFor(d.start(), false).Line,
		From: s.From, Text: v.text(d), Sum: v.sum(d, s.From), target: s.target,
	}, true
}

// version is one version of a file.
type version struct {
	src  []byte
	file *ast.File
	tf   *token.File
}

func (v version) slice(pos, end token.Pos) string {
	return strings.ReplaceAll(string(v.src[v.tf.Offset(pos):v.tf.Offset(end)]), "\r", "")
}

func (v version) sum(d decl, from string) string {
	h := sha1.New()
	if from != "" {
		h.Write([]byte("from " + from + "\n"))
	}
	h.Write([]byte(v.canonical(d)))
	return hex.EncodeToString(h.Sum(nil))
}

// text is the declaration for people to read.
func (v version) text(d decl) string {
	var parts []string
	for _, s := range d.shown {
		parts = append(parts, v.dedent(s))
	}
	return strings.Join(parts, "\n") + "\n"
}

// dedent cuts a range of the source without the indentation of its first line.
func (v version) dedent(s span) string {
	from := v.tf.Offset(s.pos)
	lineStart := strings.LastIndexByte(string(v.src[:from]), '\n') + 1
	indent := string(v.src[lineStart:from])
	text := v.slice(s.pos, s.end)
	if strings.TrimSpace(indent) != "" {
		return text
	}
	return strings.ReplaceAll(text, "\n"+indent, "\n")
}
