package gogen

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/agentplan/sdk/internal/model"
)

const catalogDoc = `
Package catalog says what this module offers: its services, events, hooks,
configurations, tools, commands, sections of the system prompt and types, each with its
documentation and its declaration as they stand in the source.

	for _, e := range catalog.Events() {
		fmt.Println(e.Name, e.Surface)
	}

Each kind has a struct, a function that returns all entries and one that finds an entry
by its name. Names that make an identifier have a constant. Every call makes its result
anew: it is the caller's to change, and calls may run at the same time.

The package imports nothing, so that any package of the module may import it. It is
written by gen-catalog, and verify-catalog reports when it no longer matches the source.
`

// sharedNames are the identifiers that sharedFile declares.
func sharedNames() []string {
	return []string{
		"Source", "Code", "TypeRef", "Member", "Key", "Constant",
		"Surface", "OnSurface", "LogOnly",
		"Mode", "ModeEmit", "ModeSerial", "ModeParallel", "ModeWaterfall",
	}
}

// sharedFile has the package comment and the types that several kinds use.
func sharedFile(s *shapes) *jen.File {
	f := newFile("catalog")
	f.PackageComment(comment(catalogDoc))

	declare(f, "Source", "Source is the declaration that an entry was made from.", s.source)
	declare(f, "Code", "Code is a piece of source as it was written, without comment directives.", s.code)
	declare(f, "TypeRef", "TypeRef is a type that a declaration mentions.", s.typeRef)
	declare(f, "Member", "Member is an exported method or field.", s.member)
	declare(f, "Key", "Key is a key of a configuration.", s.key)
	declare(f, "Constant", "Constant is an exported constant and its value.", s.constant)
	if s.builds {
		declare(f, "Schema", "Schema is the JSON Schema of a tool's arguments that some builds have.", s.schema)
	}

	enum(f, "Surface", "Surface tells who gets to see an event.", [][3]string{
		{"OnSurface", "surface", "in the log, and part of what the model is shown"},
		{"LogOnly", "log-only", "in the log, never shown to the model"},
	})
	enum(f, "Mode", "Mode tells how the listeners of a hook are called.", [][3]string{
		{"ModeEmit", "emit", ""},
		{"ModeSerial", "serial", ""},
		{"ModeParallel", "parallel", ""},
		{"ModeWaterfall", "waterfall", ""},
	})
	return f
}

// enum declares a string type with its values: name, value and comment.
func enum(f *jen.File, typ, doc string, values [][3]string) {
	f.Comment(comment(doc))
	f.Type().Id(typ).String()
	f.Comment(comment("The values of [" + typ + "]."))
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, v := range values {
			def := g.Id(v[0]).Id(typ).Op("=").Lit(v[1])
			if v[2] != "" {
				def.Comment(comment(v[2]))
			}
		}
	})
}

// kindFile has the struct of a kind, its entries and the functions that return them.
func kindFile(k kind, s *shapes, fixed map[string]bool, entries []*model.Entry) ([]byte, error) {
	f := newFile("catalog")
	n := newNames(k, fixed, entries)
	props := entryProps(k, s)
	declare(f, k.typ, k.doc, props)
	if k.named() {
		nameConstants(f, k, n, entries)
	}
	allFunc(f, k, n)
	findFunc(f, k, n, entries)
	head, err := render(f)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(head)
	for i, e := range entries {
		if c := n.constants[i]; c != "" {
			props[0].value = func(*model.Entry, int) string { return c }
		} else {
			props[0].value = func(e *model.Entry, depth int) string { return text(e.Name, depth) }
		}
		fmt.Fprintf(b, "\nfunc %s() %s {\n\treturn %s%s\n}\n", n.functions[i], k.typ, k.typ, values(props, e, 1))
	}
	return b.Bytes(), nil
}

// entryProps are the fields of the struct of a kind; the first is the name, whose value
// is an entry's constant if there is one.
func entryProps(k kind, s *shapes) []prop[*model.Entry] {
	nameDoc := "Name is the name in the directive."
	switch k.kind {
	case model.Untagged:
		nameDoc = "Name is the Go name, of a group the first exported one."
	case model.Package:
		nameDoc = "Name is the name in the package clause."
	}
	return append([]prop[*model.Entry]{
		{"Name", k.nameType(), "name", nameDoc, nil},
		{"", "Source", "", "Source tells where the entry comes from.",
			func(e *model.Entry, depth int) string { return "Source" + values(s.source, e, depth) }},
	}, k.props...)
}

// nameConstants declares the type of the names and a constant for each name that has one.
func nameConstants(f *jen.File, k kind, n names, entries []*model.Entry) {
	f.Comment(comment(fmt.Sprintf("%s is the name of %s %s.", k.nameType(), article(k.typ), lowerFirst(k.typ))))
	f.Type().Id(k.nameType()).String()
	var defs []jen.Code
	seen := map[string]bool{}
	for i, e := range entries {
		c := n.constants[i]
		if c == "" || seen[c] {
			continue
		}
		seen[c] = true
		where := comment(inComment(e.Dir + ": " + e.ID.Name))
		defs = append(defs, jen.Id(c).Id(k.nameType()).Op("=").Add(jen.Lit(e.Name)).Comment(where))
	}
	if len(defs) > 0 {
		f.Comment(comment(wrap("The names of the " + k.noun + ", each with the declaration that claims it.")))
		f.Const().Defs(defs...)
	}
}

func article(noun string) string {
	switch noun[0] {
	case 'A', 'E', 'I', 'O', 'U':
		return "an"
	}
	return "a"
}

// allFunc declares the function that returns all entries.
func allFunc(f *jen.File, k kind, n names) {
	f.Comment(comment(wrap(fmt.Sprintf("%s returns the %s, in the order of the pages.", k.plural, k.noun))))
	result := jen.Nil()
	if len(n.functions) > 0 {
		calls := make([]jen.Code, len(n.functions))
		for i, name := range n.functions {
			calls[i] = jen.Id(name).Call()
		}
		result = jen.Index().Id(k.typ).Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, calls...)
	}
	f.Func().Id(k.plural).Params().Index().Id(k.typ).Block(jen.Return(result))
}

// findFunc declares the function that finds one entry.
func findFunc(f *jen.File, k kind, n names, entries []*model.Entry) {
	noun := lowerFirst(k.typ)
	doc := fmt.Sprintf("%s returns the %s of that name, and whether there is one.", k.finder(), noun)
	params, key := []jen.Code{jen.Id("name").Id(k.nameType())}, jen.Id("name")
	switch k.kind {
	case model.Untagged:
		doc = fmt.Sprintf("%s returns the %s of a name, any name of a group, in the package with that import path, and whether there is one.", k.finder(), noun)
		params = []jen.Code{jen.List(jen.Id("path"), jen.Id("name")).String()}
		key = jen.Id("path").Op("+").Lit(".").Op("+").Id("name")
	case model.Package:
		doc = fmt.Sprintf("%s returns the %s with that import path, and whether there is one.", k.finder(), noun)
		params, key = []jen.Code{jen.Id("path").String()}, jen.Id("path")
	}
	cases := findCases(k, n, entries)
	var body []jen.Code
	if len(cases) > 0 {
		body = append(body, jen.Switch(key).Block(cases...))
	}
	body = append(body, jen.Return(jen.Id(k.typ).Values(), jen.False()))
	f.Comment(comment(wrap(doc)))
	f.Func().Id(k.finder()).Params(params...).Params(jen.Id(k.typ), jen.Bool()).Block(body...)
}

// findCases are the cases of the function that finds an entry. The first entry of equal
// ones is found.
func findCases(k kind, n names, entries []*model.Entry) []jen.Code {
	var cases []jen.Code
	seen := map[string]bool{}
	for i, e := range entries {
		var labels []jen.Code
		add := func(key string, label *jen.Statement) {
			if !seen[key] {
				seen[key] = true
				labels = append(labels, label)
			}
		}
		switch k.kind {
		case model.Untagged:
			for _, name := range append([]string{e.ID.Name}, e.Idents...) {
				key := e.ID.Package + "." + name
				add(key, jen.Lit(key))
			}
		case model.Package:
			add(e.ID.Package, jen.Lit(e.ID.Package))
		default:
			if c := n.constants[i]; c != "" {
				add(e.Name, jen.Id(c))
			} else {
				add(e.Name, jen.Lit(e.Name))
			}
		}
		if len(labels) > 0 {
			cases = append(cases, jen.Case(labels...).Block(jen.Return(jen.Id(n.functions[i]).Call(), jen.True())))
		}
	}
	return cases
}
