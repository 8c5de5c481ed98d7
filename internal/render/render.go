// Package render yields the Markdown of a generated region from entries of the catalog.
package render

import (
	"encoding/json"
	"go/doc/comment"
	"go/token"
	"iter"
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

// Renderer renders one region after the other. It keeps the memory that this takes. The
// zero value is ready for use, by one goroutine at a time.
type Renderer struct {
	prose prose.Renderer
	out   []byte
	texts [][]byte
}

// Body yields the body of a region piece by piece: what stands between the markers, with
// LF line ends. level is the heading level of the entries. A piece is overwritten by what
// the Renderer renders next.
func (r *Renderer) Body(entries []*model.Entry, level int, links Links) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		w := writer{Renderer: r, level: level, links: links}
		r.out = append(r.out[:0], "\n"+intro+"\n"...)
		for _, e := range entries {
			w.e = e
			w.entry()
			if !yield(r.out) {
				return
			}
			r.out = r.out[:0]
		}
		r.out = append(r.out, '\n')
		yield(r.out)
	}
}

// writer renders one entry as blocks with a blank line before each.
type writer struct {
	*Renderer
	e     *model.Entry
	level int
	links Links

	file     string // whose link is known
	fileLink []byte
}

// block writes a block, if there is anything in it.
func (w *writer) block(write func()) {
	start := len(w.out)
	w.text("\n")
	write()
	if len(w.out) == start+1 {
		w.out = w.out[:start]
		return
	}
	w.text("\n")
}

func (w *writer) text(s string) { w.out = append(w.out, s...) }

func (w *writer) span(s string) { w.out = prose.AppendCodeSpan(w.out, s) }

func (w *writer) entry() {
	w.block(w.anchors)
	w.block(func() {
		w.text(strings.Repeat("#", w.level) + " " + Title(w.e))
		w.text(deprecated(w.e.Deprecated))
	})
	w.block(w.facts)
	if w.e.Constraint != "" && !slices.ContainsFunc(w.e.Code, func(c model.Code) bool { return c.Version }) {
		w.block(func() { w.constraint(w.e.Constraint) })
	}
	w.doc(w.e.Parsed)
	var versions []string
	for _, c := range w.e.Code {
		w.code(c)
		if c.Version && !slices.Contains(versions, c.File) {
			versions = append(versions, c.File)
		}
	}
	w.schemas()
	w.block(w.types)
	if versions == nil {
		versions = []string{w.e.File}
	}
	w.block(func() { w.source(versions...) })
}

func deprecated(is bool) string {
	if is {
		return " (deprecated)"
	}
	return ""
}

func (w *writer) constraint(expr string) {
	w.text("Build constraint: ")
	w.span(expr)
}

// doc renders a doc comment of the entry's package.
func (w *writer) doc(doc *comment.Doc) {
	if doc != nil {
		w.block(func() {
			w.out = w.prose.AppendMarkdown(w.out, doc, options(w.e.ID.Package, w.level+1, w.links.Decl))
		})
	}
}

// code renders a piece of source.
func (w *writer) code(c model.Code) {
	if c.From != "" {
		w.block(func() {
			w.text("From ")
			w.link(c.From, w.declaredIn(c))
			w.text(":")
		})
	}
	if c.Constraint != "" {
		w.block(func() {
			w.constraint(c.Constraint)
			w.text(deprecated(c.Deprecated))
			if c.File != "" {
				w.text(". ")
				w.source(c.File)
			}
		})
		w.doc(c.Parsed)
	}
	if len(c.Pieces) > 0 {
		w.block(func() {
			w.texts = w.texts[:0]
			for _, p := range c.Pieces {
				w.texts = append(w.texts, p.Text)
			}
			w.out = prose.AppendFence(w.out, "go catalog", w.texts...)
		})
	}
}

func (w *writer) schema(text json.RawMessage) {
	w.block(func() { w.out = prose.AppendFence(w.out, "json", text) })
}

// source says where source stands.
func (w *writer) source(files ...string) {
	w.text("Source: ")
	for i, file := range files {
		if i > 0 {
			w.text(", ")
		}
		w.sourceFile(file)
	}
}

// sourceFile links a file. Most entries of a region come from few files.
func (w *writer) sourceFile(file string) {
	if file != w.file || w.fileLink == nil {
		start := len(w.out)
		href := w.links.Source(file)
		if href != "" {
			w.text("[")
		}
		w.out = w.prose.AppendText(w.out, file)
		if href != "" {
			w.text("](" + href + ")")
		}
		w.file, w.fileLink = file, append(w.fileLink[:0], w.out[start:]...)
		return
	}
	w.out = append(w.out, w.fileLink...)
}

// schemas are the JSON Schemas of a tool: one, or one for each set of builds.
func (w *writer) schemas() {
	const what = "JSON Schema of the arguments"
	switch {
	case len(w.e.Schemas) > 0:
		for _, s := range w.e.Schemas {
			w.block(func() {
				w.text(what + ", build constraint ")
				w.span(s.Constraint)
				w.text(":")
			})
			w.schema(s.JSON)
		}
	case len(w.e.Schema) > 0:
		w.block(func() { w.text(what + ":") })
		w.schema(w.e.Schema)
	}
}

func (w *writer) anchors() {
	for _, a := range w.e.Anchors() {
		w.text(`<a id="`)
		w.text(a)
		w.text(`"></a>`)
	}
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
func (w *writer) facts() {
	e := w.e
	switch e.Kind {
	case model.Untagged, model.Type:
		return
	case model.Package:
		w.text("Import path: ")
		w.span(e.ID.Package)
		return
	case model.Event:
		if e.Surface == "log-only" {
			w.text("Log-only event: the model never reads it. ")
		} else {
			w.text("Surface event: part of what the model reads. ")
		}
	case model.Hook:
		w.text("Dispatch mode: ")
		w.link(e.Mode, w.links.Mode(e.Mode))
		w.text(". ")
	case model.Command:
		w.text("Usage: ")
		w.span(e.Usage)
		w.text(". ")
	case model.Section:
		w.text("Order: " + strconv.Itoa(e.Order) + ". ")
	}
	w.text("Declared as ")
	w.span(goName(e))
	w.text(".")
}

func (w *writer) types() {
	for i, t := range w.e.Types {
		if i == 0 {
			w.text("Types: ")
		} else {
			w.text(", ")
		}
		href := w.links.Decl(t.ID, "")
		if href == "" {
			href = w.links.Source(t.File)
		}
		w.link(t.Text, href)
	}
}

func (w *writer) declaredIn(c model.Code) string {
	if c.Origin == nil || !token.IsExported(c.Origin.Name) {
		return ""
	}
	return w.links.Decl(*c.Origin, "")
}

// link writes a code span, as a link if there is a target.
func (w *writer) link(code, href string) {
	if href == "" {
		w.span(code)
		return
	}
	w.text("[")
	w.span(code)
	w.text("](")
	w.text(href)
	w.text(")")
}

// Prose renders a doc comment of a package, with headings of that level. Doc links lead
// where decl says, as [Links.Decl] does. It is empty for no comment.
func Prose(doc *comment.Doc, pkg string, level int, decl func(id model.ID, member string) string) string {
	if doc == nil {
		return ""
	}
	return prose.Markdown(doc, options(pkg, level, decl))
}

func options(pkg string, level int, decl func(id model.ID, member string) string) prose.Options {
	return prose.Options{Level: level, Link: func(l *comment.DocLink) string {
		id := model.ID{Package: l.ImportPath, Name: l.Name}
		if id.Package == "" {
			id.Package = pkg
		}
		if l.Recv == "" {
			return decl(id, "")
		}
		id.Name = l.Recv
		return decl(id, l.Name)
	}}
}
