package document

import (
	"encoding/json"
	"fmt"
	"go/doc/comment"
	"io"

	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/prose"
	"github.com/agentplan/sdk/internal/render"
)

// Write writes what [Make] makes of a result. The same result gives the same bytes.
func Write(w io.Writer, r *catalog.Result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(Make(r)); err != nil {
		return fmt.Errorf("print the model: %w", err)
	}
	return nil
}

// Make makes the document of a result that was built with [catalog.Options.Members].
func Make(r *catalog.Result) *Document {
	s := r.Settings
	m := maker{anchors: map[model.ID]target{}, pages: map[*model.Entry]string{}}
	d := &Document{
		Format: Format, Module: s.Module, Languages: list(s.Langs), SourceURL: s.SourceURL,
		Pages: []Page{}, Entries: []Entry{},
	}
	for _, b := range s.Builds {
		d.Builds = append(d.Builds, Build{GOOS: b.GOOS, GOARCH: b.GOARCH, Tags: list(b.Tags), Cgo: b.Cgo})
	}
	if len(s.Modules) > 1 || s.Module == "" {
		for _, gm := range s.Modules {
			d.Modules = append(d.Modules, Module{Dir: gm.Dir, Path: gm.Path})
		}
	}
	for _, p := range r.Layout {
		d.Pages = append(d.Pages, m.page(p))
	}
	for _, e := range r.Entries {
		d.Entries = append(d.Entries, m.entry(e))
	}
	return d
}

// maker knows where declarations are documented.
type maker struct {
	anchors map[model.ID]target
	pages   map[*model.Entry]string // the first language's page
}

// target is where a declaration is documented.
type target struct {
	anchor  string
	members map[string]string // by name
}

func (m *maker) page(p catalog.Page) Page {
	out := Page{Files: list(p.Files), InTree: p.InTree, Modes: list(p.Modes), Regions: []Region{}}
	for _, r := range p.Regions {
		anchors := []string{}
		for _, e := range r.Entries {
			anchors = append(anchors, e.Anchor)
			m.document(e, p.Files[0])
		}
		out.Regions = append(out.Regions, Region{Selectors: list(r.Selectors), Level: r.Level, Entries: anchors})
	}
	return out
}

// document records that a page shows an entry.
func (m *maker) document(e *model.Entry, page string) {
	m.pages[e] = page
	members := map[string]string{}
	for _, mem := range e.Members {
		members[mem.Name] = mem.Anchor
	}
	for id, anchor := range e.Declarations {
		if _, ok := m.anchors[id]; !ok {
			m.anchors[id] = target{anchor, members}
		}
	}
}

func (m *maker) entry(e *model.Entry) Entry {
	out := Entry{
		Kind: string(e.Kind), Name: e.Name, Title: render.Title(e), Anchor: e.Anchor, Anchors: e.Anchors(), Page: m.pages[e],
		ID: ID(e.ID), PackageName: e.PackageName, Dir: e.Dir, File: e.File, GoKind: e.GoKind, Idents: list(e.Idents),
		Surface: e.Surface, Mode: e.Mode, Usage: e.Usage, Schema: e.Schema, Constraint: e.Constraint,
		Doc: e.Doc, Markdown: m.markdown(e.Parsed, e.ID.Package), Deprecated: e.Deprecated,
		Code: []Code{}, Members: []Member{}, Constants: []Constant{}, Types: []TypeRef{},
	}
	if e.Kind == model.Section {
		out.Order = &e.Order
	}
	for _, c := range e.Code {
		out.Code = append(out.Code, Code{
			From: c.From, Origin: (*ID)(c.Origin), Text: c.Text(), Constraint: c.Constraint, File: c.File, Version: c.Version,
			Doc: c.Doc, Markdown: m.markdown(c.Parsed, e.ID.Package), Deprecated: c.Deprecated,
		})
	}
	for _, s := range e.Schemas {
		out.Schemas = append(out.Schemas, Schema{Constraint: s.Constraint, Schema: s.JSON})
	}
	for _, mem := range e.Members {
		out.Members = append(out.Members, m.member(e, mem))
	}
	for _, c := range e.Constants {
		out.Constants = append(out.Constants, Constant{
			Name: c.Name, Anchor: c.Anchor, Kind: c.Kind, Value: c.Value, Doc: c.Doc, Markdown: m.markdown(c.Parsed, e.ID.Package),
			Constraint: c.Constraint,
		})
	}
	for _, t := range e.Types {
		out.Types = append(out.Types, TypeRef{Text: t.Text, ID: ID(t.ID), File: t.File, Anchor: m.anchors[t.ID].anchor})
	}
	return out
}

func (m *maker) member(e *model.Entry, mem model.Member) Member {
	pkg := e.ID.Package
	if mem.Origin != nil {
		pkg = mem.Origin.Package
	}
	return Member{
		Name: mem.Name, Kind: mem.Kind, Anchor: mem.Anchor, Deprecated: mem.Deprecated,
		Doc: mem.Doc, Markdown: m.markdown(mem.Parsed, pkg), Signature: mem.Signature,
		From: mem.From, Origin: (*ID)(mem.Origin), Constraint: mem.Constraint,
	}
}

// markdownLevel is the level of headings in doc comments: what they have on a page whose
// entries are of level 2.
const markdownLevel = 3

func (m *maker) markdown(doc *comment.Doc, pkg string) string {
	return render.Prose(doc, pkg, markdownLevel, m.decl)
}

// decl is the target of a link in a doc comment: a document has no pages, only anchors.
func (m *maker) decl(id model.ID, member string) string {
	t, ok := m.anchors[id]
	if !ok {
		return ""
	}
	if a := t.members[member]; a != "" {
		return "#" + prose.LinkDest(a)
	}
	return "#" + prose.LinkDest(t.anchor)
}

// list is s, or an empty list that is written as one.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
