package gogen

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/model"
)

// The packages that guarded entries are of.
const (
	libSource = `package lib

import "sync"

type Value struct{}

type Lock struct{ Mu sync.Mutex }

type Conn interface {
	Get(ctx Value, names ...string) (out Value, err error)
	Hidden() any
}

type Pool struct {
	Lock
	Size  int "json:\"size\" note:\"// no comment\""
	Func  func(Value) <-chan int
	Inner struct{ A int }
	Secret any
}

func (p *Pool) Put(v *Value) {}
func (p *Pool) Hide() any { return nil }

type Handler func()

type Code string

const (
	A Code = "a"
	B Code = "b"
	Limit = 1 << 100
)

var (
	Default Pool
	Err error
)

func New(v Value, opts ...func(*Pool)) *Pool { return nil }

func Make() any { return nil }
`
	otherSource = `package odd

type Value int
`
)

func reachable(path string) bool { return !strings.Contains(path, "/internal/") }

func guardedEntry(name string, g *model.Guard) *model.Entry {
	e := sample(model.Untagged, "lib", name, name)
	g.Name = name
	e.Guard = g
	return e
}

func guarded() []*model.Entry {
	lib := func(name string) model.Token { return model.Token{Package: "example.com/m/lib", Name: name} }
	txt := func(s string) model.Token { return model.Token{Text: s} }
	hidden := []model.Token{txt("() "), {Package: "example.com/m/internal/x", Name: "T"}}
	consts := guardedEntry("A", &model.Guard{Decl: "const"})
	consts.Idents = []string{"A", "B"}
	vars := guardedEntry("Default", &model.Guard{Decl: "var"})
	vars.Idents = []string{"Default", "Err"}
	twice := guardedEntry("Handler", &model.Guard{Decl: "type"})
	twice.Kind, twice.Name = model.Hook, "handler"
	unreachable := guardedEntry("T", &model.Guard{Decl: "type"})
	unreachable.ID.Package = "example.com/m/internal/x"
	odd := sample(model.Untagged, "any/v2", "Value", "Value")
	odd.Guard = &model.Guard{Decl: "type", Name: "Value"}
	odd.PackageName = "odd"
	odd.File = "any/v2/odd\n.go"
	return []*model.Entry{
		guardedEntry("Conn", &model.Guard{Decl: "type", Interface: true, Methods: []model.GuardMember{
			{Name: "Get", Tokens: []model.Token{txt("(ctx "), lib("Value"), txt(", // the value\n\tnames ...string /* all */) (out "), lib("Value"), txt(", err error) // ends")}},
			{Name: "Hidden", Tokens: hidden},
		}}),
		guardedEntry("Pool", &model.Guard{Decl: "type",
			Methods: []model.GuardMember{
				{Name: "Put", Tokens: []model.Token{txt("(v *"), lib("Value"), txt(")")}},
				{Name: "Hide"},
			},
			Fields: []model.GuardMember{
				{Name: "Lock", Tokens: []model.Token{lib("Lock")}},
				{Name: "Mu", Tokens: []model.Token{{Package: "sync", Name: "Mutex"}}},
				{Name: "Size", Tokens: []model.Token{txt("int")}},
				{Name: "Func", Tokens: []model.Token{txt("func("), lib("Value"), txt(") <-chan int")}},
				{Name: "Inner", Tokens: []model.Token{txt("struct{ A int }")}},
				{Name: "Secret"},
			},
		}),
		guardedEntry("Handler", &model.Guard{Decl: "type"}),
		twice,
		consts,
		guardedEntry("Limit", &model.Guard{Decl: "const"}),
		vars,
		guardedEntry("New", &model.Guard{Decl: "func", Signature: []model.Token{txt("func(v "), lib("Value"), txt(", opts ...func(*"), lib("Pool"), txt(")) *"), lib("Pool")}}),
		guardedEntry("Make", &model.Guard{Decl: "func"}),
		unreachable,
		odd,
		everyKind()[0],
	}
}

// typecheck type-checks generated package guard against sources of the packages that it
// imports, and returns the first error.
func typecheck(t *testing.T, guard []byte, sources map[string]string) error {
	t.Helper()
	fset := token.NewFileSet()
	pkgs := map[string]*types.Package{}
	imp := importerFunc(func(path string) (*types.Package, error) {
		if p := pkgs[path]; p != nil {
			return p, nil
		}
		return nil, errors.New("no package " + path)
	})
	check := func(path, name, src string) error {
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: imp}
		pkgs[path], err = conf.Check(path, fset, []*ast.File{file}, nil)
		return err
	}
	if err := check("sync", "sync.go", "package sync\n\ntype Mutex struct{}\n"); err != nil {
		t.Fatal(err)
	}
	for path, src := range sources {
		if err := check(path, path+".go", src); err != nil {
			t.Fatal(err)
		}
	}
	return check("example.com/m/gen/guard", "guard.go", string(guard))
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func guardSource(t *testing.T, entries []*model.Entry) []byte {
	t.Helper()
	for _, f := range mustFiles(t, entries, reachable) {
		if f.Path == "guard/guard.go" {
			return f.Content
		}
	}
	t.Fatal("no guard/guard.go")
	return nil
}

// Every change of the source that the guards are to notice, made to it alone, breaks
// them.
func TestGuardNotices(t *testing.T) {
	guard := guardSource(t, guarded())
	for _, tt := range []struct{ name, old, new string }{
		{"nothing", "", ""},
		{"method renamed", "Get(ctx", "Fetch(ctx"},
		{"method of a type renamed", ") Put(", ") Add("},
		{"method held by name renamed", "Hidden() any", "Shown() any"},
		{"method of a type held by name renamed", ") Hide(", ") Show("},
		{"parameter type", "names ...string", "names ...int"},
		{"variadic", "names ...string", "names []string"},
		{"result", "(out Value, err error)", "(out Value)"},
		{"interface is a struct", "type Conn interface {\n\tGet(ctx Value, names ...string) (out Value, err error)\n\tHidden() any\n}", "type Conn struct{}"},
		{"field renamed", "Size  int", "Count int"},
		{"field type", "Size  int", "Size int64"},
		{"field is an interface now", "Inner struct{ A int }", "Inner any"},
		{"field type of a func", "<-chan int", "chan int"},
		{"promoted field", "struct{ Mu sync.Mutex }", "struct{ Mu2 sync.Mutex }"},
		{"field held by name renamed", "Secret any", "Hush any"},
		{"type renamed", "type Handler func()", "type Handle func()"},
		{"constant renamed", "\tB Code", "\tC Code"},
		{"variable renamed", "\tErr error", "\tError error"},
		{"variable is a constant now", "\tErr error", "\tErr2 error\n)\nconst (\n\tErr = 1"},
		{"signature", "func New(v Value, opts", "func New(v *Value, opts"},
		{"function held by name renamed", "func Make()", "func Build()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lib := strings.Replace(libSource, tt.old, tt.new, 1)
			if lib == libSource && tt.old != "" {
				t.Fatal("the source did not change")
			}
			err := typecheck(t, guard, map[string]string{"example.com/m/lib": lib, "example.com/m/any/v2": otherSource})
			if (err != nil) != (tt.old != "") {
				t.Errorf("error %v", err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "guard.go:") {
				t.Errorf("error %q is not one of guard.go", err)
			}
		})
	}
}

// Names of packages that a file cannot have, or has already, are replaced.
func TestGuardImports(t *testing.T) {
	paths := []string{"v", "any", "init", "comparable", "string", "x/v2", "y/x", "text/template", "html/template", "math/rand/v2", "计划", "go-9", "a/v"}
	sources := map[string]string{}
	var entries []*model.Entry
	for _, path := range paths {
		e := sample(model.Untagged, path, "T", "T")
		e.PackageName = "" // not known
		e.ID.Package = "example.com/" + path
		e.Guard = &model.Guard{Decl: "type", Name: "T", Fields: []model.GuardMember{{Name: "F", Tokens: []model.Token{{Text: "map[string]"}, {Text: "any"}}}}}
		entries = append(entries, e)
		sources[e.ID.Package] = "package p\n\ntype T struct{ F map[string]any }\n"
	}
	if err := typecheck(t, guardSource(t, entries), sources); err != nil {
		t.Error(err)
	}
}

func TestGuardAsksOnce(t *testing.T) {
	asked := map[string]int{}
	mustFiles(t, guarded(), func(path string) bool {
		asked[path]++
		return reachable(path)
	})
	want := map[string]int{"example.com/m/lib": 1, "example.com/m/internal/x": 1, "example.com/m/any/v2": 1, "sync": 1}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

func TestWithoutComments(t *testing.T) {
	for in, want := range map[string]string{
		"(a int)":                      "(a int)",
		"(a /* x */ int)":              "(a   int)",
		"(a int, // x\n\tb ":           "(a int,  \n\tb ",
		"a int // x":                   "a int  ",
		"(a /* x\n y */ int":           "(a \n int",
		"struct{ A int \"x // y\" }":   "struct{ A int \"x // y\" }",
		"struct{ A int `/* x */` } //": "struct{ A int `/* x */` }  ",
		"/* open":                      " ",
	} {
		if got := withoutComments(in); got != want {
			t.Errorf("withoutComments(%q) = %q, want %q", in, got, want)
		}
	}
}
