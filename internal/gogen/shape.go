package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/agentplan/sdk/internal/model"
)

// prop is one field of a generated struct: its declaration, and its value for a T. The
// type and its values are rendered from the same list and so cannot disagree.
type prop[T any] struct {
	name  string
	typ   string
	json  string // struct tag
	doc   string
	value func(v T, depth int) string // Go source, see layout.go
}

// str is a field of type string.
func str[T any](name, json, doc string, get func(T) string) prop[T] {
	return prop[T]{name, "string", json, doc, func(v T, depth int) string { return text(get(v), depth) }}
}

// declare adds a struct type to a file.
func declare[T any](f *jen.File, name, doc string, props []prop[T]) {
	f.Comment(comment(wrap(doc)))
	f.Type().Id(name).StructFunc(func(g *jen.Group) {
		for _, p := range props {
			g.Comment(comment(wrap(p.doc)))
			g.Add(declaration(p))
		}
	})
}

// key is the field's name in a composite literal.
func (p prop[T]) key() string {
	if p.name == "" {
		return p.typ
	}
	return p.name
}

func declaration[T any](p prop[T]) *jen.Statement {
	if p.name == "" { // embedded
		return verbatim(p.typ)
	}
	return jen.Id(p.name).Add(verbatim(p.typ)).Tag(map[string]string{"json": p.json})
}

// shapes are the structs that the entries of all kinds share.
type shapes struct {
	source   []prop[*model.Entry]
	code     []prop[model.Code]
	typeRef  []prop[model.TypeRef]
	member   []prop[model.Member]
	key      []prop[model.Member]
	constant []prop[model.Constant]
	schema   []prop[model.Schema]
	builds   bool // which builds have something is told too
}

func newShapes(builds bool) *shapes {
	s := &shapes{
		builds: builds,
		code: []prop[model.Code]{
			str("From", "from,omitempty", "From is the type that the members in Text are promoted from, empty for the declaration's own text.",
				func(c model.Code) string { return c.From }),
			str("Text", "text", "Text is Go source with its comments.",
				model.Code.Text),
		},
		typeRef: []prop[model.TypeRef]{
			str("Text", "text", "Text is the type's name as the entry's package writes it.",
				func(t model.TypeRef) string { return t.Text }),
			str("Package", "package", "Package is the import path of the package that declares the type.",
				func(t model.TypeRef) string { return t.ID.Package }),
			str("Name", "name", "Name is the type's name in that package.",
				func(t model.TypeRef) string { return t.ID.Name }),
			str("File", "file", "File declares the type; relative to the module root, with slashes.",
				func(t model.TypeRef) string { return t.File }),
		},
		member: memberProps("method or field"),
		key:    memberProps("field; what a configuration file calls it is not said here, but by its tag in Signature or by Doc"),
		constant: []prop[model.Constant]{
			str("Name", "name", "Name is the Go name.",
				func(c model.Constant) string { return c.Name }),
			str("Kind", "kind", "Kind tells how to read Value: string, int, float, complex, bool or unknown.",
				func(c model.Constant) string { return c.Kind }),
			str("Value", "value", "Value is the content of a string, of other constants the literal.",
				func(c model.Constant) string { return c.Value }),
			str("Doc", "doc,omitempty", "Doc is the text of the doc comment.",
				func(c model.Constant) string { return c.Doc }),
		},
	}
	s.source = s.sourceProps()
	if builds {
		s.addConstraints()
	}
	return s
}

// addConstraints adds the fields that tell which builds have something.
func (s *shapes) addConstraints() {
	const some = ", as in a //go:build line; empty where all builds have it that have the entry."
	s.source = append(s.source, str("Constraint", "constraint,omitempty", "Constraint tells which builds have the declaration, as in a //go:build line; empty for all that are configured.",
		func(e *model.Entry) string { return e.Constraint }))
	s.code = append(s.code,
		str("Constraint", "constraint,omitempty", "Constraint tells which builds have the source"+some,
			func(c model.Code) string { return c.Constraint }),
		str("File", "file,omitempty", "File is where the source stands, if Constraint is not empty and the file is one of the tree.",
			func(c model.Code) string { return c.File }),
		str("Doc", "doc,omitempty", "Doc is the text of the doc comment of a version of the declaration, where those of the versions differ.",
			func(c model.Code) string { return c.Doc }))
	member := str("Constraint", "constraint,omitempty", "Constraint tells which builds have it"+some,
		func(m model.Member) string { return m.Constraint })
	s.member, s.key = append(s.member, member), append(s.key, member)
	s.constant = append(s.constant, str("Constraint", "constraint,omitempty", "Constraint tells which builds have the value"+some,
		func(c model.Constant) string { return c.Constraint }))
	s.schema = []prop[model.Schema]{
		str("Constraint", "constraint", "Constraint tells which builds have the schema, as in a //go:build line.",
			func(c model.Schema) string { return c.Constraint }),
		str("JSON", "json", "JSON is the JSON Schema of the arguments, as JSON text.",
			func(c model.Schema) string { return string(c.JSON) }),
	}
}

func memberProps(what string) []prop[model.Member] {
	return []prop[model.Member]{
		str("Name", "name", "Name is the Go name of the "+what+".",
			func(m model.Member) string { return m.Name }),
		str("Anchor", "anchor", "Anchor is the fragment of the link to it on the entry's page.",
			func(m model.Member) string { return m.Anchor }),
		str("Doc", "doc,omitempty", "Doc is the text of the doc comment.",
			func(m model.Member) string { return m.Doc }),
		str("Signature", "signature", "Signature is its declaration as it stands in the source.",
			func(m model.Member) string { return m.Signature }),
		str("From", "from,omitempty", "From is the embedded type that it is promoted from, empty for the entry's own.",
			func(m model.Member) string { return m.From }),
		{"Deprecated", "bool", "deprecated,omitempty", "Deprecated tells whether Doc has a paragraph that begins with Deprecated and a colon.",
			func(m model.Member, _ int) string { return truth(m.Deprecated) }},
	}
}

func (s *shapes) sourceProps() []prop[*model.Entry] {
	return []prop[*model.Entry]{
		str("Package", "package", "Package is the import path.",
			func(e *model.Entry) string { return e.ID.Package }),
		str("GoName", "goName,omitempty", "GoName is the declared name, of a group the first exported one. It is empty for the comment of a package.",
			func(e *model.Entry) string { return e.ID.Name }),
		str("GoKind", "goKind,omitempty", "GoKind tells what is declared: type, func, const, var or package.",
			func(e *model.Entry) string { return e.GoKind }),
		{"Idents", "[]string", "idents,omitempty", "Idents are all exported names of a group of constants or variables.",
			func(e *model.Entry, _ int) string { return texts(e.Idents) }},
		str("Dir", "dir", "Dir is the package directory, relative to the module root, with slashes.",
			func(e *model.Entry) string { return e.Dir }),
		str("File", "file", "File is the source file, relative to the module root, with slashes.",
			func(e *model.Entry) string { return e.File }),
		str("Anchor", "anchor", "Anchor is the fragment of the link to the entry on its page.",
			func(e *model.Entry) string { return e.Anchor }),
		str("Doc", "doc,omitempty", "Doc is the text of the doc comment.",
			func(e *model.Entry) string { return e.Doc }),
		{"Deprecated", "bool", "deprecated,omitempty", "Deprecated tells whether Doc has a paragraph that begins with Deprecated and a colon.",
			func(e *model.Entry, _ int) string { return truth(e.Deprecated) }},
		{"Code", "[]Code", "code,omitempty", "Code is the source that the page shows.",
			func(e *model.Entry, depth int) string { return list("Code", s.code, e.Code, depth) }},
		{"Types", "[]TypeRef", "types,omitempty", "Types are the types of this module that the source mentions.",
			func(e *model.Entry, depth int) string { return list("TypeRef", s.typeRef, e.Types, depth) }},
	}
}
