package gogen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/testfile"
)

// printer prints the values of a generated catalog as JSON, strings as Go literals, since
// JSON cannot hold every string. It also changes what it was given and asks again.
const printer = `package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strconv"

	"example.com/m/gen/catalog"
)

func main() {
	all := []any{
		catalog.Services, catalog.Events, catalog.Hooks, catalog.Configs, catalog.Tools,
		catalog.Commands, catalog.Sections, catalog.Types, catalog.Declarations, catalog.Packages,
	}
	var out []any
	for _, f := range all {
		list := reflect.ValueOf(f).Call(nil)[0]
		for i := range list.Len() {
			out = append(out, plain(list.Index(i)))
			zero(list.Index(i))
		}
		for i, v := range plain(reflect.ValueOf(f).Call(nil)[0]).([]any) {
			if !reflect.DeepEqual(v, out[len(out)-list.Len()+i]) {
				panic("a caller changed what the next one sees")
			}
		}
	}
	lookups()
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}

// lookups looks every entry up by its name.
func lookups() {
	for _, v := range catalog.Events() {
		if got, ok := catalog.EventByName(v.Name); !ok || got.Name != v.Name {
			panic("event " + strconv.Quote(string(v.Name)))
		}
	}
	if _, ok := catalog.EventByName("no such event"); ok {
		panic("found no such event")
	}
	for _, v := range catalog.Packages() {
		if got, ok := catalog.PackageByPath(v.Package); !ok || got.Package != v.Package {
			panic("package " + strconv.Quote(v.Package))
		}
	}
	for _, v := range catalog.Declarations() {
		for _, name := range append(v.Idents, v.GoName) {
			got, ok := catalog.DeclarationByName(v.Package, name)
			if !ok || got.Package != v.Package {
				panic("declaration " + strconv.Quote(name))
			}
		}
	}
}

func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, plain(v.Index(i)))
		}
		return list
	case reflect.Struct:
		m := map[string]any{}
		for i := range v.NumField() {
			m[v.Type().Field(i).Name] = plain(v.Field(i))
		}
		return m
	}
	return v.Interface()
}

func zero(v reflect.Value) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			zero(v.Field(i))
		}
		return
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			zero(v.Index(i))
		}
	}
	v.SetZero()
}
`

// object is what the printer makes of a struct.
type object = map[string]any

// wanted is what the printer prints for an entry.
func wanted(e *model.Entry) object {
	methods, fields, keys := []any{}, []any{}, []any{}
	for _, m := range e.Members {
		o := object{
			"Name": strconv.Quote(m.Name), "Anchor": strconv.Quote(m.Anchor), "Doc": strconv.Quote(m.Doc),
			"Signature": strconv.Quote(m.Signature), "From": strconv.Quote(m.From), "Deprecated": m.Deprecated,
		}
		if m.Kind == "method" {
			methods = append(methods, o)
		} else {
			fields, keys = append(fields, o), append(keys, o)
		}
	}
	constants, code, types, idents := []any{}, []any{}, []any{}, []any{}
	for _, c := range e.Constants {
		constants = append(constants, object{"Name": strconv.Quote(c.Name), "Kind": strconv.Quote(c.Kind), "Value": strconv.Quote(c.Value), "Doc": strconv.Quote(c.Doc)})
	}
	for _, c := range e.Code {
		code = append(code, object{"From": strconv.Quote(c.From), "Text": strconv.Quote(c.Text())})
	}
	for _, r := range e.Types {
		types = append(types, object{"Text": strconv.Quote(r.Text), "Package": strconv.Quote(r.ID.Package), "Name": strconv.Quote(r.ID.Name), "File": strconv.Quote(r.File)})
	}
	for _, name := range e.Idents {
		idents = append(idents, strconv.Quote(name))
	}
	want := object{"Name": strconv.Quote(e.Name), "Source": object{
		"Package": strconv.Quote(e.ID.Package), "GoName": strconv.Quote(e.ID.Name), "GoKind": strconv.Quote(e.GoKind),
		"Idents": idents, "Dir": strconv.Quote(e.Dir), "File": strconv.Quote(e.File), "Anchor": strconv.Quote(e.Anchor),
		"Doc": strconv.Quote(e.Doc), "Deprecated": e.Deprecated, "Code": code, "Types": types,
	}}
	switch e.Kind {
	case model.Service:
		want["Methods"], want["Fields"] = methods, fields
	case model.Event:
		want["Surface"], want["Methods"], want["Fields"] = strconv.Quote(e.Surface), methods, fields
	case model.Hook:
		want["Mode"], want["Methods"] = strconv.Quote(e.Mode), methods
	case model.Config:
		want["Keys"] = keys
	case model.Tool:
		want["Schema"], want["Fields"] = strconv.Quote(string(e.Schema)), fields
	case model.Command:
		want["Usage"], want["Constants"], want["Methods"], want["Fields"] = strconv.Quote(e.Usage), constants, methods, fields
	case model.Section:
		want["Order"], want["Constants"], want["Methods"], want["Fields"] = float64(e.Order), constants, methods, fields
	case model.Type, model.Untagged:
		want["Constants"], want["Methods"], want["Fields"] = constants, methods, fields
	}
	return want
}

// module writes a module with the generated files and others, and returns its directory.
func module(t *testing.T, entries []*model.Entry, others map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, content []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		testfile.Write(t, path, content)
	}
	write("go.mod", []byte("module example.com/m\n\ngo 1.26\n"))
	for _, f := range mustFiles(t, entries, reachable) {
		write("gen/"+f.Path, f.Content)
	}
	for name, content := range others {
		write(name, []byte(content))
	}
	return dir
}

func goCommand(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local")
	var stderr []byte
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		stderr = exit.Stderr
	}
	if err != nil {
		t.Fatalf("go %v: %v\n%s%s", args, err, out, stderr)
	}
	return out
}

func TestCatalogSaysWhatTheModelSays(t *testing.T) {
	for name, entries := range map[string][]*model.Entry{
		"none": nil, "kinds": everyKind(), "names": colliding(), "texts": awkward(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := module(t, withoutGuards(entries), map[string]string{"main.go": printer})
			goCommand(t, dir, "vet", "./...")
			var got []object
			if err := json.Unmarshal(goCommand(t, dir, "run", "."), &got); err != nil {
				t.Fatal(err)
			}
			var want []object
			for _, kind := range append(model.Tagged(), model.Untagged, model.Package) {
				for _, e := range entries {
					if e.Kind == kind {
						want = append(want, wanted(e))
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("values of the generated package (-want +got):\n%s", diff)
			}
		})
	}
}

func withoutGuards(entries []*model.Entry) []*model.Entry {
	var out []*model.Entry
	for _, e := range entries {
		plain := *e
		plain.Guard = nil
		out = append(out, &plain)
	}
	return out
}

// The guards pass the go command's own compiler and vet, also locks and unused results.
func TestGuardCompiles(t *testing.T) {
	dir := module(t, guarded(), map[string]string{"lib/lib.go": libSource, "any/v2/odd.go": otherSource})
	goCommand(t, dir, "vet", "./...")
	goCommand(t, dir, "build", "./...")
}
