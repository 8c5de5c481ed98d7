package extract

import (
	"bytes"
	"go/doc/comment"
	"reflect"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// merger makes one entry of those that several builds have of a declaration.
type merger struct {
	builds source.Builds
	known  map[condition]string
}

// part is the entry of one build.
type part struct {
	build int
	entry *model.Entry
}

// union is the work of one merged entry.
type union struct {
	*merger
	parts []part
	in    set // the builds that have the entry
	out   *model.Entry

	versions []version // of the declaration
}

// version is one declaration of the entry's name.
type version struct {
	in    set
	entry *model.Entry
}

// entry merges the parts, which are in the order of the builds.
func (m *merger) entry(parts []part) *model.Entry {
	if len(m.builds) == 1 {
		return parts[0].entry
	}
	e := *parts[0].entry
	u := &union{merger: m, parts: parts, out: &e}
	for _, p := range parts {
		u.in = u.in.with(p.build)
	}
	u.findVersions()
	u.names()
	u.code()
	u.members()
	u.constants()
	u.types()
	u.schemas()
	u.rest()
	return &e
}

// findVersions tells the declarations of the entry apart, and decides what stands for all
// of them.
func (u *union) findVersions() {
	for _, p := range u.parts {
		at := slices.IndexFunc(u.versions, func(v version) bool { return *v.entry.At == *p.entry.At })
		if at < 0 {
			at = len(u.versions)
			u.versions = append(u.versions, version{entry: p.entry})
		}
		u.versions[at].in = u.versions[at].in.with(p.build)
	}
	if len(u.in) < len(u.builds) {
		var terms []string
		for _, v := range u.versions {
			if c := u.constraint(v.in, v.entry.At.Constraint); !slices.Contains(terms, "("+c+")") {
				terms = append(terms, "("+c+")")
			}
		}
		u.out.Constraint = normal(strings.Join(terms, " || "))
	}
	u.out.Deprecated = !slices.ContainsFunc(u.versions, func(v version) bool { return !v.entry.Deprecated })
	if u.out.Kind == model.Package {
		u.versions = u.versions[:1] // its parts are those of files
		return
	}
	u.out.Doc, u.out.Parsed = "", nil
	if !u.docsDiffer() {
		for _, v := range u.versions {
			if v.entry.Doc != "" {
				u.out.Doc, u.out.Parsed = v.entry.Doc, v.entry.Parsed
				break
			}
		}
	}
}

// docsDiffer reports whether versions have different doc comments.
func (u *union) docsDiffer() bool {
	doc := ""
	for _, v := range u.versions {
		if v.entry.Doc != "" {
			if doc != "" && v.entry.Doc != doc {
				return true
			}
			doc = v.entry.Doc
		}
	}
	return false
}

// names joins the names of groups and the keys of ownership.
func (u *union) names() {
	u.out.Idents, u.out.Owns = nil, nil
	for _, p := range u.parts {
		u.out.Idents = appendNew(u.out.Idents, p.entry.Idents...)
		u.out.Owns = appendNew(u.out.Owns, p.entry.Owns...)
	}
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// promotedFrom is what code is joined by: the type that it is promoted from, or none.
type promotedFrom struct {
	text   string
	origin model.ID
}

func fromOf(text string, origin *model.ID) promotedFrom {
	if origin == nil {
		return promotedFrom{text: text}
	}
	return promotedFrom{text, *origin}
}

// code joins the pieces of all builds. What all have that see the entry comes into one
// fence, the rest into one for each constraint and file.
func (u *union) code() {
	blocks := newOrdered[promotedFrom, *model.ID]()
	pieces := map[promotedFrom]*ordered[model.Place, model.Piece]{{}: newOrdered[model.Place, model.Piece]()}
	for _, p := range u.parts {
		var froms []promotedFrom
		var origins []*model.ID
		for _, c := range p.entry.Code {
			from := fromOf(c.From, c.Origin)
			froms, origins = append(froms, from), append(origins, c.Origin)
			if pieces[from] == nil {
				pieces[from] = newOrdered[model.Place, model.Piece]()
			}
			var places []model.Place
			for _, piece := range c.Pieces {
				places = append(places, *piece.At)
			}
			pieces[from].add(p.build, places, c.Pieces)
		}
		blocks.add(p.build, froms, origins)
	}
	u.out.Code = nil
	if own := (promotedFrom{}); !slices.Contains(blocks.keys, own) {
		blocks.keys = slices.Insert(blocks.keys, 0, own) // its versions are shown in any case
	}
	for _, from := range blocks.keys {
		u.out.Code = append(u.out.Code, u.fences(from, blocks.vals[from], pieces[from])...)
	}
	if u.out.Kind == model.Package {
		u.packageDocs()
	}
}

// fences are the pieces of one origin by constraint and file, in the order in which they
// begin. Those of the entry itself have one for each version of the declaration.
func (u *union) fences(from promotedFrom, origin *model.ID, pieces *ordered[model.Place, model.Piece]) []model.Code {
	var out []model.Code
	fence := func(constraint, file string) *model.Code {
		at := slices.IndexFunc(out, func(c model.Code) bool { return c.Constraint == constraint && c.File == file })
		if at < 0 {
			at = len(out)
			out = append(out, model.Code{From: from.text, Origin: origin, Constraint: constraint, File: file})
		}
		return &out[at]
	}
	if from == (promotedFrom{}) && len(u.versions) > 1 {
		differ := u.docsDiffer()
		for _, v := range u.versions {
			c := fence(u.place(v.in, *v.entry.At))
			if differ {
				c.Doc, c.Parsed = v.entry.Doc, v.entry.Parsed
			}
			c.Version = true
			c.Deprecated = v.entry.Deprecated && !u.out.Deprecated
		}
	}
	for _, at := range pieces.keys {
		c := fence(u.place(pieces.in[at], at))
		c.Pieces = append(c.Pieces, pieces.vals[at])
	}
	return out
}

// place is the constraint of something that a set of builds has, and its file; both are
// empty where all builds have it that have the entry.
func (u *union) place(in set, at model.Place) (constraint, file string) {
	if in == u.in {
		return "", ""
	}
	if !at.Outside {
		file = at.File
	}
	given := []string{at.Constraint}
	for _, v := range u.versions {
		given = append(given, v.entry.At.Constraint)
	}
	return u.constraint(in, given...), file
}

// packageDocs gives the comments of a package that not all builds have to their fences,
// and the rest to the entry.
func (u *union) packageDocs() {
	u.out.Doc, u.out.Parsed = "", nil
	all := !slices.ContainsFunc(u.out.Code, func(c model.Code) bool { return c.Constraint == "" })
	for i := range u.out.Code {
		c := &u.out.Code[i]
		c.Version = all
		doc, parsed := "", &comment.Doc{}
		for j, p := range c.Pieces {
			if j > 0 {
				doc += "\n\n"
			}
			doc += p.Comment.Doc
			parsed.Content = append(parsed.Content, p.Comment.Parsed.Content...)
			parsed.Links = append(parsed.Links, p.Comment.Parsed.Links...)
		}
		if c.Constraint == "" {
			u.out.Doc, u.out.Parsed, u.out.File = doc, parsed, c.Pieces[0].At.File
		} else {
			c.Doc, c.Parsed = doc, parsed
		}
	}
}

// members joins methods and fields: each version of one is a member.
func (u *union) members() {
	type key struct {
		name, kind, from string
		at               model.Place
	}
	all := newOrdered[key, model.Member]()
	for _, p := range u.parts {
		var keys []key
		for _, m := range p.entry.Members {
			keys = append(keys, key{m.Name, m.Kind, m.From, *m.At})
		}
		all.add(p.build, keys, p.entry.Members)
	}
	u.out.Members = nil
	for _, k := range all.keys {
		m := all.vals[k]
		m.Constraint, _ = u.place(all.in[k], *m.At)
		u.out.Members = append(u.out.Members, m)
	}
}

// constants joins constants: one that has another value in another build is there for each.
func (u *union) constants() {
	type key struct {
		name, kind, value string
		at                model.Place
	}
	all := newOrdered[key, model.Constant]()
	for _, p := range u.parts {
		var keys []key
		for _, c := range p.entry.Constants {
			keys = append(keys, key{c.Name, c.Kind, c.Value, *c.At})
		}
		all.add(p.build, keys, p.entry.Constants)
	}
	u.out.Constants = nil
	for _, k := range all.keys {
		c := all.vals[k]
		c.Constraint, _ = u.place(all.in[k], *c.At)
		u.out.Constants = append(u.out.Constants, c)
	}
}

// types joins the types that signatures mention.
func (u *union) types() {
	u.out.Types = nil
	for _, p := range u.parts {
		for _, t := range p.entry.Types {
			if !slices.ContainsFunc(u.out.Types, func(o model.TypeRef) bool { return o.ID == t.ID && o.Text == t.Text }) {
				u.out.Types = append(u.out.Types, t)
			}
		}
	}
	slices.SortFunc(u.out.Types, compareTypes)
}

// schemas keeps the schemas of a tool's arguments apart where builds have different ones.
func (u *union) schemas() {
	var list []model.Schema
	var sets []set
	for _, p := range u.parts {
		at := slices.IndexFunc(list, func(s model.Schema) bool { return bytes.Equal(s.JSON, p.entry.Schema) })
		if at < 0 {
			at = len(list)
			list, sets = append(list, model.Schema{JSON: p.entry.Schema}), append(sets, "")
		}
		sets[at] = sets[at].with(p.build)
	}
	if len(list) < 2 {
		return
	}
	for i := range list {
		list[i].Constraint, _ = u.place(sets[i], *u.out.At)
	}
	u.out.Schemas = list
}

// rest keeps what all builds agree in: a guard holds in each of them, and what is not known
// in one is not known.
func (u *union) rest() {
	for _, p := range u.parts {
		if u.out.Lacks == "" && p.entry.Lacks != "" {
			u.out.Lacks = "in the build for " + u.builds[p.build].Settings.Build.String() + " " + p.entry.Lacks
		}
		if !reflect.DeepEqual(p.entry.Guard, u.out.Guard) {
			u.out.Guard = nil
		}
	}
	if u.out.Constraint != "" {
		u.out.Guard = nil
	}
}
