package document_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/docs/schema"
	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/document"
	"github.com/agentplan/sdk/internal/settings"
)

// sample is the document of testdata/all.txtar.
func sample(t *testing.T) *document.Document { return documentOf(t, "testdata/all.txtar") }

// documentOf is the document of a tree.
func documentOf(t *testing.T, name string) *document.Document {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := catalog.Build(t.Context(), s, catalog.Options{Members: true})
	if len(r.Failures) > 0 {
		t.Fatal(r.Failures)
	}
	return document.Make(r)
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(schema.Catalog()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parse is a document as the schema's validator reads it.
func parse(t *testing.T, d *document.Document) any {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestSchemaIsTight damages valid documents in every place, one at a time: each key goes
// missing, each object gets one more, each value changes its type. The schema must reject
// every one.
func TestSchemaIsTight(t *testing.T) {
	s := compile(t)
	keys := map[string]bool{}
	for _, name := range []string{"testdata/all.txtar", "testdata/builds.txtar"} {
		doc := parse(t, documentOf(t, name))
		if err := s.Validate(doc); err != nil {
			t.Fatal(err)
		}
		eachObject(doc, "", func(at string, o map[string]any) {
			reject := func(what string) {
				if s.Validate(doc) == nil {
					t.Errorf("%s: valid %s", at, what)
				}
			}
			for _, key := range slices.Sorted(maps.Keys(o)) {
				keys[key] = true
				value := o[key]
				if !canGo(at, key, o) {
					delete(o, key)
					reject("without " + key)
				}
				o[key] = otherType(value)
				reject("with another type of " + key)
				o[key] = value
			}
			o["another"] = ""
			reject("with one key more")
			delete(o, "another")
		})
		if err := s.Validate(doc); err != nil {
			t.Fatal(err)
		}
	}
	var text map[string]any
	if err := json.Unmarshal([]byte(schema.Catalog()), &text); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	eachObject(text, "", func(_ string, o map[string]any) {
		properties, _ := o["properties"].(map[string]any)
		for key := range properties {
			want[key] = true
		}
	})
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("keys of the schema (-) and of the sample (+):\n%s", diff)
	}
}

// canGo reports whether an object may lack a key that it has: one that only some builds, or
// some trees, make necessary.
func canGo(at, key string, o map[string]any) bool {
	switch key {
	case "constraint":
		return at != ".entries[].schemas[]" && (at != ".entries[].code[]" || o["file"] == nil && o["doc"] == nil)
	case "modules", "schemas":
		return true
	case "file":
		return at == ".entries[].code[]" && o["version"] == nil
	case "version":
		return o["deprecated"] == nil
	case "deprecated":
		return at == ".entries[].code[]"
	}
	return false
}

func otherType(value any) any {
	if _, ok := value.(string); ok {
		return true
	}
	return "text"
}

// eachObject calls f for every object, but not within the schema of a tool.
func eachObject(value any, at string, f func(at string, o map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		f(at, v)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "schema" {
				eachObject(v[key], at+"."+key, f)
			}
		}
	case []any:
		for _, item := range v {
			eachObject(item, at+"[]", f)
		}
	}
}

// TestKindsHaveTheirKeys wants the keys of one kind on entries of that kind alone.
func TestKindsHaveTheirKeys(t *testing.T) {
	s := compile(t)
	d := sample(t)
	kinds := map[string]bool{}
	for i := range d.Entries {
		e := &d.Entries[i]
		kinds[e.Kind] = true
		before := *e
		if e.Kind != "event" {
			e.Surface = "surface"
		} else {
			e.Mode = "serial"
		}
		if s.Validate(parse(t, d)) == nil {
			t.Errorf("%s %s has the key of another kind", e.Kind, e.Name)
		}
		*e = before
	}
	want := []string{"", "command", "config", "event", "hook", "package", "section", "service", "tool", "type"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(kinds))); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestTargets(t *testing.T) {
	d := sample(t)
	entry := func(anchor string) document.Entry {
		i := slices.IndexFunc(d.Entries, func(e document.Entry) bool { return e.Anchor == anchor })
		if i < 0 {
			t.Fatalf("no entry %s", anchor)
		}
		return d.Entries[i]
	}
	store := entry("service-store")
	want := document.Entry{
		Kind: "service", Name: "store", Title: "Service `store`", Anchor: "service-store",
		Anchors: []string{"service-store", "service-store.Put", "service-store.Close"}, Page: "docs/en/a.md",
		ID: document.ID{Package: "example.com/m/a", Name: "Store"}, PackageName: "a", Dir: "a", File: "a/a.go", GoKind: "type", Idents: []string{},
		Doc:      "Store stores. See [Store.Put], [Unshown] and [io.Reader].\n\n# Details\n\n  - one",
		Markdown: "Store stores. See [`Store.Put`](#service-store.Put), `Unshown` and `io.Reader`.\n\n### Details\n\n- one",
		Types: []document.TypeRef{
			{Text: "Unshown", ID: document.ID{Package: "example.com/m/a", Name: "Unshown"}, File: "a/a.go", Anchor: ""},
			{Text: "Value", ID: document.ID{Package: "example.com/m/a", Name: "Value"}, File: "a/a.go", Anchor: "event-a-value"},
		},
		Constants: []document.Constant{},
	}
	closer := &document.ID{Package: "io", Name: "Closer"}
	if diff := cmp.Diff(closer, store.Code[1].Origin); diff != "" {
		t.Errorf("origin (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(closer, store.Members[1].Origin); diff != "" {
		t.Errorf("origin of the member (-want +got):\n%s", diff)
	}
	store.Code, store.Members = nil, nil
	if diff := cmp.Diff(want, store); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if e := entry("type-Kept"); e.Page != "docs/en/a.md" {
		t.Errorf("type Kept is on %q", e.Page)
	}
	if e := entry("type-Lost"); e.Page != "" {
		t.Errorf("type Lost is on %q", e.Page)
	}
	if e := entry("section-intro"); e.Order == nil || *e.Order != 0 {
		t.Errorf("order of a section: %v, want 0", e.Order)
	}
	values := map[string][2]string{}
	for _, c := range entry("a.Pi").Constants {
		values[c.Name] = [2]string{c.Kind, c.Value}
	}
	if diff := cmp.Diff(map[string][2]string{
		"Pi": {"float", "3.14"}, "Huge": {"int", "1267650600228229401496703205376"}, "Yes": {"bool", "true"},
		"Imag": {"complex", "(0 + 2i)"}, "Third": {"float", "0.3333333333333333"},
	}, values); diff != "" {
		t.Errorf("constants (-want +got):\n%s", diff)
	}
}

// TestSameBytes writes a document twice.
func TestSameBytes(t *testing.T) {
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		enc := json.NewEncoder(b)
		if err := enc.Encode(sample(t)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Errorf("documents (-first +second):\n%s", diff)
	}
}
