// Package render yields the Markdown of a generated region from entries of the catalog.
package render

import (
	"fmt"
	"go/doc/comment"
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
	w.block(strings.Repeat("#", w.level) + " " + w.heading())
	w.block(w.facts())
	if w.e.Parsed != nil {
		w.block(prose.Markdown(w.e.Parsed, prose.Options{Level: w.level + 1, Link: w.docLink}))
	}
	for _, c := range w.e.Code {
		if c.From != "" {
			w.block("From " + w.link(prose.CodeSpan(c.From), w.declaredIn(c)) + ":")
		}
		if c.Text != "" {
			w.block(prose.Fence("go catalog", c.Text))
		}
	}
	if len(w.e.Schema) > 0 {
		w.block("JSON Schema of the arguments:")
		w.block(prose.Fence("json", string(w.e.Schema)))
	}
	w.block(w.types())
	w.block("Source: " + w.link(prose.Text(w.e.File), w.links.Source(w.e.File)))
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

func (w *writer) heading() string {
	title, name := titles[w.e.Kind], prose.CodeSpan(w.e.Name)
	switch w.e.Kind {
	case model.Untagged:
		title, name = goTitles[w.e.GoKind], w.groupName()
		if len(w.e.Idents) == 1 {
			title = strings.TrimSuffix(title, "s")
		}
	case model.Type:
		name = prose.CodeSpan(w.goName())
	}
	out := title + " " + name
	if w.e.Deprecated {
		out += " (deprecated)"
	}
	return out
}

// maxNames is how many names of a group a heading has.
const maxNames = 4

// groupName names a declaration; of a group, the first names.
func (w *writer) groupName() string {
	if len(w.e.Idents) < 2 {
		return prose.CodeSpan(w.goName())
	}
	var names []string
	for i, id := range w.e.Idents {
		if i == maxNames {
			names = append(names, "…")
			break
		}
		names = append(names, prose.CodeSpan(w.e.PackageName+"."+id))
	}
	return strings.Join(names, ", ")
}

// goName is the declared name with its package's, as an importer writes it.
func (w *writer) goName() string { return w.e.PackageName + "." + w.e.ID.Name }

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
	facts = append(facts, "Declared as "+prose.CodeSpan(w.goName())+".")
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
	if c.Link == nil {
		return ""
	}
	return w.links.Decl(*c.Link, "")
}

func (w *writer) link(text, href string) string {
	if href == "" {
		return text
	}
	return "[" + text + "](" + href + ")"
}

// docLink gives the target of a link in the entry's prose: an anchor for what the module
// documents, nothing for the rest.
func (w *writer) docLink(l *comment.DocLink) string {
	id := model.ID{Package: l.ImportPath, Name: l.Name}
	if id.Package == "" {
		id.Package = w.e.ID.Package
	}
	if l.Recv == "" {
		return w.links.Decl(id, "")
	}
	id.Name = l.Recv
	return w.links.Decl(id, l.Name)
}
