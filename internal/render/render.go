// Package render yields the Markdown of a generated region from entries of the catalog.
package render

import (
	"fmt"
	"go/doc/comment"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/prose"
)

// Links says where a region's links lead. An empty string means that there is no
// target; the text is then no link.
type Links interface {
	Decl(id model.ID, member string) string // where a declaration or its member is documented
	Source(file string) string              // a source file
	Mode(mode string) string                // where a dispatch mode is defined
}

const intro = "_This section is generated from Go source and is the same in every language: `gen-catalog` writes it, `verify-catalog` checks that it is up to date._"

// Body renders the body of a region: what stands between the markers, with LF line
// ends. level is the heading level of the entries.
func Body(entries []*model.Entry, level int, links Links) string {
	var b strings.Builder
	b.WriteString("\n" + intro + "\n")
	for _, e := range entries {
		w := writer{Builder: &b, e: e, level: level, links: links}
		w.entry()
	}
	b.WriteString("\n")
	return b.String()
}

// writer renders one entry as blocks with a blank line before each.
type writer struct {
	*strings.Builder
	e     *model.Entry
	level int
	links Links
}

func (w *writer) block(text string) {
	if text != "" {
		w.WriteString("\n" + text + "\n")
	}
}

func (w *writer) entry() {
	w.block(w.anchors())
	heading := Title(w.e)
	if w.e.Deprecated {
		heading += " (deprecated)"
	}
	w.block(strings.Repeat("#", w.level) + " " + heading)
	w.block(w.facts())
	if w.e.Constraint != "" && !slices.ContainsFunc(w.e.Code, func(c model.Code) bool { return c.Version }) {
		w.block("Build constraint: " + prose.CodeSpan(w.e.Constraint))
	}
	w.block(Prose(w.e.Parsed, w.e.ID.Package, w.level+1, w.links.Decl))
	var versions []string
	for _, c := range w.e.Code {
		w.code(c)
		if c.Version && !slices.Contains(versions, c.File) {
			versions = append(versions, c.File)
		}
	}
	w.schemas()
	w.block(w.types())
	if versions == nil {
		versions = []string{w.e.File}
	}
	w.block(w.source(versions...))
}

// code renders a piece of source.
func (w *writer) code(c model.Code) {
	if c.From != "" {
		w.block("From " + w.link(prose.CodeSpan(c.From), w.declaredIn(c)) + ":")
	}
	if c.Constraint != "" {
		label := "Build constraint: " + prose.CodeSpan(c.Constraint)
		if c.Deprecated {
			label += " (deprecated)"
		}
		if c.File != "" {
			label += ". " + w.source(c.File)
		}
		w.block(label)
		w.block(Prose(c.Parsed, w.e.ID.Package, w.level+1, w.links.Decl))
	}
	if c.Text != "" {
		w.block(prose.Fence("go catalog", c.Text))
	}
}

// source says where source stands.
func (w *writer) source(files ...string) string {
	var links []string
	for _, file := range files {
		links = append(links, w.link(prose.Text(file), w.links.Source(file)))
	}
	return "Source: " + strings.Join(links, ", ")
}

// schemas are the JSON Schemas of a tool: one, or one for each set of builds.
func (w *writer) schemas() {
	const what = "JSON Schema of the arguments"
	switch {
	case len(w.e.Schemas) > 0:
		for _, s := range w.e.Schemas {
			w.block(what + ", build constraint " + prose.CodeSpan(s.Constraint) + ":")
			w.block(prose.Fence("json", string(s.JSON)))
		}
	case len(w.e.Schema) > 0:
		w.block(what + ":")
		w.block(prose.Fence("json", string(w.e.Schema)))
	}
}

func (w *writer) anchors() string {
	var b strings.Builder
	for _, a := range w.e.Anchors() {
		fmt.Fprintf(&b, `<a id="%s"></a>`, a)
	}
	return b.String()
}

var titles = map[model.Kind]string{
	model.Service: "Service",
	model.Event:   "Event",
	model.Hook:    "Hook",
	model.Config:  "Configuration",
	model.Tool:    "Tool",
	model.Command: "Command",
	model.Section: "Prompt section",
	model.Type:    "Type",
	model.Package: "Package",
}

var goTitles = map[string]string{"type": "Type", "func": "Function", "const": "Constants", "var": "Variables"}

// Title renders what the heading of an entry says, as Markdown of one line; that the
// entry is deprecated is not part of it.
func Title(e *model.Entry) string {
	title, name := titles[e.Kind], prose.CodeSpan(e.Name)
	switch e.Kind {
	case model.Untagged:
		title, name = goTitles[e.GoKind], groupName(e)
		if len(e.Idents) == 1 {
			title = strings.TrimSuffix(title, "s")
		}
	case model.Type:
		name = prose.CodeSpan(goName(e))
	}
	return title + " " + name
}

// maxNames is how many names of a group a heading has.
const maxNames = 4

// groupName names a declaration; of a group, the first names.
func groupName(e *model.Entry) string {
	if len(e.Idents) < 2 {
		return prose.CodeSpan(goName(e))
	}
	var names []string
	for i, id := range e.Idents {
		if i == maxNames {
			names = append(names, "…")
			break
		}
		names = append(names, prose.CodeSpan(e.PackageName+"."+id))
	}
	return strings.Join(names, ", ")
}

// goName is the declared name with its package's, as an importer writes it.
func goName(e *model.Entry) string { return e.PackageName + "." + e.ID.Name }

// facts are what the directive says, and the Go name where the heading has another.
func (w *writer) facts() string {
	e := w.e
	var facts []string
	switch e.Kind {
	case model.Untagged, model.Type:
		return ""
	case model.Package:
		return "Import path: " + prose.CodeSpan(e.ID.Package)
	case model.Event:
		fact := "Surface event: part of what the model reads."
		if e.Surface == "log-only" {
			fact = "Log-only event: the model never reads it."
		}
		facts = append(facts, fact)
	case model.Hook:
		facts = append(facts, "Dispatch mode: "+w.link(prose.CodeSpan(e.Mode), w.links.Mode(e.Mode))+".")
	case model.Command:
		facts = append(facts, "Usage: "+prose.CodeSpan(e.Usage)+".")
	case model.Section:
		facts = append(facts, "Order: "+strconv.Itoa(e.Order)+".")
	}
	facts = append(facts, "Declared as "+prose.CodeSpan(goName(e))+".")
	return strings.Join(facts, " ")
}

func (w *writer) types() string {
	if len(w.e.Types) == 0 {
		return ""
	}
	var refs []string
	for _, t := range w.e.Types {
		href := w.links.Decl(t.ID, "")
		if href == "" {
			href = w.links.Source(t.File)
		}
		refs = append(refs, w.link(prose.CodeSpan(t.Text), href))
	}
	return "Types: " + strings.Join(refs, ", ")
}

func (w *writer) declaredIn(c model.Code) string {
	if c.Origin == nil || !token.IsExported(c.Origin.Name) {
		return ""
	}
	return w.links.Decl(*c.Origin, "")
}

func (w *writer) link(text, href string) string {
	if href == "" {
		return text
	}
	return "[" + text + "](" + href + ")"
}

// Prose renders a doc comment of a package, with headings of that level. Doc links lead
// where decl says, as [Links.Decl] does. It is empty for no comment.
func Prose(doc *comment.Doc, pkg string, level int, decl func(id model.ID, member string) string) string {
	if doc == nil {
		return ""
	}
	return prose.Markdown(doc, prose.Options{Level: level, Link: func(l *comment.DocLink) string {
		id := model.ID{Package: l.ImportPath, Name: l.Name}
		if id.Package == "" {
			id.Package = pkg
		}
		if l.Recv == "" {
			return decl(id, "")
		}
		id.Name = l.Recv
		return decl(id, l.Name)
	}})
}
