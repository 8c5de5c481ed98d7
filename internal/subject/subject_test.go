package subject_test

import (
	"go/format"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/subject"
	"github.com/agentplan/sdk/internal/testfile"
)

// load loads the module of a txtar text; a go.mod is added.
func load(t testing.TB, text string) *source.Module {
	t.Helper()
	dir := t.TempDir()
	files := append(txtar.Parse([]byte(text)).Files, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n\ngo 1.26\n")})
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		testfile.Write(t, name, f.Data)
	}
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var out finding.List
	mod := source.Start(t.Context(), s).Module(&out)
	if len(out.Failures) > 0 {
		t.Fatal(out.Failures)
	}
	return mod
}

const tree = `
-- root.go --
// Package m is the root.
package m

// Root is at the root.
func Root() {}
-- p/p.go --
package p

import (
	"io"
	"sync"

	"example.com/m/q/r"
)

// Service serves.
type Service struct {
	// Name names it.
	Name string // of one word
	A, B int
	r.Base
	*sync.Mutex
	inner
}

type inner struct{ Deep int }

// Set sets.
func (s *Service) Set(v int) (err error) { return nil }

// Reader reads.
type Reader interface {
	io.Reader
	r.Source
	// Own is its own.
	Own()
}

type (
	// Alias is another name.
	Alias = r.Base
	// Defined has the fields, not the methods.
	Defined r.Base
	// Word is a string.
	Word string
)

// Modes.
const (
	// ModeA is first.
	ModeA = iota
	ModeB
)

// Hook is a function.
var Hook = func() { /* body */ }

type twice struct {
	r.Base
	r.Other
}

// Twice has Both twice.
type Twice = twice
-- p/z.go --
package p

// Kept is kept.
type Kept struct{}

// Held is another name of it.
type Held = Kept

// Hold holds.
func (h *Held) Hold() {}
-- q/r/r.go --
package r

// Base is embedded.
type Base struct {
	// Field is promoted.
	Field int
	Both  int
}

// Do does.
func (Base) Do() {}

// Other is embedded too.
type Other struct{ Both int }

// Source gives.
type Source interface {
	// Give gives.
	Give() int
}
-- p.v2/Q.dir/q.go --
package q

// T is in a directory with dots.
type T struct{ X int }
`

func TestResolve(t *testing.T) {
	mod := load(t, tree)
	r := subject.NewResolver(mod)
	type want struct {
		path, from, text string
		line             int
	}
	for name, w := range map[string]want{
		"..Root":            {"root.go", "", "// Root is at the root.\nfunc Root()\n", 4},
		"p.Service.Set":     {"p/p.go", "", "// Set sets.\nfunc (s *Service) Set(v int) (err error)\n", 22},
		"p.Service.Name":    {"p/p.go", "", "// Name names it.\nName string // of one word\n", 12},
		"p.Service.B":       {"p/p.go", "", "A, B int\n", 14},
		"p.Service.Base":    {"p/p.go", "", "r.Base\n", 15},
		"p.Service.Do":      {"q/r/r.go", "q/r.Base", "// Do does.\nfunc (Base) Do()\n", 10},
		"p.Service.Field":   {"q/r/r.go", "q/r.Base", "// Field is promoted.\nField int\n", 5},
		"p.Service.Deep":    {"p/p.go", "p.inner", "Deep int\n", 20},
		"p.Service.Lock":    {"p/p.go", "*sync.Mutex", "*sync.Mutex\n", 16},
		"p.Reader.Own":      {"p/p.go", "", "// Own is its own.\nOwn()\n", 29},
		"p.Reader.Give":     {"q/r/r.go", "q/r.Source", "// Give gives.\nGive() int\n", 18},
		"p.Reader.Read":     {"p/p.go", "io.Reader", "io.Reader\n", 27},
		"p.Alias.Do":        {"q/r/r.go", "q/r.Base", "// Do does.\nfunc (Base) Do()\n", 10},
		"p.Defined.Field":   {"q/r/r.go", "q/r.Base", "// Field is promoted.\nField int\n", 5},
		"p.ModeB":           {"p/p.go", "", "// Modes.\nModeB\n", 42},
		"p.Word":            {"p/p.go", "", "// Word is a string.\nWord string\n", 38},
		"q/r.Other":         {"q/r/r.go", "", "// Other is embedded too.\ntype Other struct{ Both int }\n", 13},
		"p.v2/Q.dir.T":      {"p.v2/Q.dir/q.go", "", "// T is in a directory with dots.\ntype T struct{ X int }\n", 3},
		"p.v2/Q.dir.T.X":    {"p.v2/Q.dir/q.go", "", "X int\n", 4},
		"p.Hook":            {"p/p.go", "", "// Hook is a function.\nvar Hook = func() { /* body */ }\n", 49},
		"p.Twice":           {"p/p.go", "", "// Twice has Both twice.\ntype Twice = twice\n", 57},
		"p.Kept.Hold":       {"p/z.go", "", "// Hold holds.\nfunc (h *Held) Hold()\n", 9},
		"p.Held.Hold":       {"p/z.go", "p.Kept", "// Hold holds.\nfunc (h *Held) Hold()\n", 9},
		"q/r.Source.Give":   {"q/r/r.go", "", "// Give gives.\nGive() int\n", 18},
		"p.Service.Mutex":   {"p/p.go", "", "*sync.Mutex\n", 16},
		"q/r.Base.Do":       {"q/r/r.go", "", "// Do does.\nfunc (Base) Do()\n", 10},
		"p.Service.TryLock": {"p/p.go", "*sync.Mutex", "*sync.Mutex\n", 16},
	} {
		s, err := r.Resolve(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := want{s.Path, s.From, s.Text, s.Line}
		if d := cmp.Diff(w, got, cmp.AllowUnexported(want{})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		src := sourceOf(mod, s.Path)
		if again, ok := s.In(src); !ok || again.Sum != s.Sum || again.Text != s.Text {
			t.Errorf("%s is not found again in its own file: %+v", name, again)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	r := subject.NewResolver(load(t, tree))
	for name, want := range map[string]string{
		"p.Servise":       "declares no Servise (did you mean p.Service?)",
		"p.Servise.Set":   "declares no Servise (did you mean p.Service.Set?)",
		"p.Service.Sett":  "no method or field Sett (did you mean p.Service.Set?)",
		"p.Set":           "did you mean p.Service.Set?",
		"Service.Set":     "no package for Service.Set (did you mean p.Service.Set?)",
		"r.Base":          "did you mean q/r.Base?",
		"m.Root":          "did you mean ..Root?",
		"q/s.Base.Do":     "did you mean q/r.Base.Do?",
		"p.Reader.Write":  "no method or field Write",
		"p.Word.Len":      "p.Word has no method or field Len",
		"p.Defined.Do":    "p.Defined has no method or field Do",
		"p.ModeA.Do":      "p.ModeA is no type",
		"p.Twice.Both":    "more than one Both",
		"p.Qwertyuiop":    "declares no Qwertyuiop",
		"p":               "malformed",
		"p.service":       "malformed",
		"p.Service.":      "malformed",
		"p.Service.Set()": "malformed",
		".Root":           "malformed",
		"../p.Service":    "malformed",
	} {
		s, err := r.Resolve(name)
		if err == nil {
			t.Errorf("%s resolves to %+v", name, s)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.HasSuffix(want, "Qwertyuiop") && strings.Contains(err.Error(), "mean") {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}

// What changes a fingerprint, and what does not.
func TestSum(t *testing.T) {
	const before = `
-- p/p.go --
package p

// T is a type. It
// has two lines.
type T struct {
	A int // a
	// B is b.
	B map[string]func(x int, y string) (n int, err error)
}

// F does it.
func F(a int, b ...string) error { /* one */ return nil }

// M does it.
func (t *T) M(a int) {}

const (
	X = iota
	Y
)

// V is a value.
var V = func(a int) { /* one */ }

// I has methods.
type I interface {
	// Do does.
	Do(ctx int) error
}

type E struct{ T }
`
	sums := func(text string) map[string]string {
		r := subject.NewResolver(load(t, text))
		out := map[string]string{}
		for _, name := range []string{"p.T", "p.T.A", "p.T.B", "p.F", "p.T.M", "p.X", "p.Y", "p.V", "p.I", "p.I.Do", "p.E.M", "p.E.B"} {
			s, err := r.Resolve(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = s.Sum
		}
		return out
	}
	base := sums(before)
	for _, tc := range []struct {
		name     string
		old, new string
		changed  []string
	}{
		{"position", "package p\n", "// Package p.\npackage p\n\nvar other int\n", nil},
		{"alignment", "A int // a", "A        int        // a", nil},
		{"wrapped doc comment", "// T is a type. It\n// has two lines.", "// T is a type. It has\n// two lines.", nil},
		{"block comment", "// F does it.", "/* F does it. */", nil},
		{"directive", "// F does it.\n", "// F does it.\n//\n//nolint:all\n//catalog:command f f\n", nil},
		{"bodies", "/* one */ return nil", "\n\t// two\n\treturn nil\n", nil},
		{"body of a value", "{ /* one */ }", "{\n\t// two\n}", nil},
		{"parameters on lines", "F(a int, b ...string) error", "F(\n\ta int,\n\tb ...string,\n) error", nil},
		{"receiver name", "func (t *T) M", "func (self *T) M", nil},
		{"parentheses around a result", "(a int, b ...string) error", "(a int, b ...string) (error)", nil},
		{"group", "type E struct{ T }", "type (\n\tE struct {\n\t\tT\n\t}\n)", nil},
		{"CRLF", "// T is a type. It\n// has two lines.\n", "// T is a type. It\r\n// has two lines.\r\n", nil},
		{"meaning", "// F does it.", "// F does it later.", []string{"p.F"}},
		{"parameter", "b ...string", "b ...int", []string{"p.F"}},
		{"method", "// M does it.", "// M does not.", []string{"p.T.M", "p.E.M"}},
		{"receiver", "func (t *T) M", "func (t T) M", []string{"p.T.M", "p.E.M"}},
		{"field comment", "// a\n", "// the first\n", []string{"p.T", "p.T.A"}},
		{"field type", "x int, y", "x int64, y", []string{"p.T", "p.T.B", "p.E.B"}},
		{"tag", "A int // a", "A int `json:\"a\"` // a", []string{"p.T", "p.T.A"}},
		{"new field", "A int // a", "A int // a\n\tC int", []string{"p.T"}},
		{"iota", "X = iota\n", "W = iota\n\tX\n", []string{"p.X", "p.Y"}},
		{"interface", "Do(ctx int) error", "Do(ctx int)", []string{"p.I", "p.I.Do"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.Replace(before, tc.old, tc.new, 1)
			if text == before {
				t.Fatal("nothing replaced")
			}
			var changed []string
			after := sums(text)
			for _, name := range []string{"p.T", "p.T.A", "p.T.B", "p.F", "p.T.M", "p.X", "p.Y", "p.V", "p.I", "p.I.Do", "p.E.M", "p.E.B"} {
				if after[name] != base[name] {
					changed = append(changed, name)
				}
			}
			if d := cmp.Diff(tc.changed, changed); d != "" {
				t.Error(d)
			}
		})
	}
}

// Fingerprints are the same before and after gofmt.
func TestSumOfFormatted(t *testing.T) {
	const text = "package p\n// F does:\n//  * one\n//  * two\n//\n// #Heading\n//\tcode\nfunc F(a,b int,)(error){return nil}\n" +
		"// T is.\ntype T struct{A int;B [0X1F]int // of B\n//  * one\n//  * two\nC func ( ) ( int,error)}\nvar V=0X1F+1E3\n"
	formatted, err := format.Source([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := subject.NewResolver(load(t, "-- p/p.go --\n"+text))
	for _, name := range []string{"p.F", "p.T", "p.T.B", "p.T.C", "p.V"} {
		s, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := s.In(formatted); !ok || got.Sum != s.Sum {
			t.Errorf("%s: gofmt changes its fingerprint:\n%s", name, formatted)
		}
	}
}

func FuzzIn(f *testing.F) {
	r := subject.NewResolver(load(f, tree))
	s, err := r.Resolve("p.Service.Name")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("package p\n\ntype Service struct{ Name int }\n")
	f.Add("package p\ntype Service struct{ Name int `a`;\n//x\n/*y*/}\n")
	f.Fuzz(func(t *testing.T, src string) {
		got, ok := s.In([]byte(src))
		if ok && (len(got.Sum) != 40 || got.Line < 1) {
			t.Errorf("%+v", got)
		}
	})
}

func sourceOf(mod *source.Module, path string) []byte {
	for _, f := range mod.Files {
		if f.Path == path {
			return f.Src
		}
	}
	return nil
}
