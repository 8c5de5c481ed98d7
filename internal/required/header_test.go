package required

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string
		ok        bool
	}{
		{"none", "package p\n\nvar x = 1\n", nil, true},
		{"one of each kind", "package p\nimport \"a\"; import . `b`\nimport (\n\t_ \"c\" // c\n\tx \"d/e\"; \"f\"\n)\n", []string{"a", "b", "c", "d/e", "f"}, true},
		{"comments", "/* package no */ // import \"no\"\npackage/**/p/**/import/**/(/* \"no\" */\"a\"/**/)\n", []string{"a"}, true},
		{"a byte order mark", "\ufeffpackage p\n", nil, true},
		{"a name that begins like import", "package p\nimports\n", nil, false},
		{"nothing", "", nil, false},
		{"no package clause", "func f() {}\n", nil, false},
		{"no path", "package p\nimport fmt\n", nil, false},
		{"a path that does not end", "package p\nimport \"a\nvar x = \"b\"\n", nil, false},
		{"an escape", "package p\nimport \"\\x61\"\n", nil, false},
		{"no end of the parentheses", "package p\nimport (\n\t\"a\"\n", nil, false},
		{"no end of a comment", "package p\n/* import \"a\"\n", nil, false},
	} {
		h, ok := Scan([]byte(tt.src), true)
		got := h.Imports
		if !ok {
			got = nil
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
			t.Errorf("%s: ok %v, want %v\n%s", tt.name, ok, tt.ok, diff)
		}
	}
}

// The beginning of a file has no other imports than the file, wherever it is cut.
func TestScanCut(t *testing.T) {
	const src = "// Package p.\npackage p\n\nimport (\n\t\"a\" // a\n\t_ \"b\"\n)\n\n/* and */ import c \"d\"\n\nvar x = 1\n"
	want := []string{"a", "b", "d"}
	for i := range src {
		h, ok := Scan([]byte(src[:i]), false)
		if !ok {
			continue
		}
		if diff := cmp.Diff(Header{"p", want}, h); diff != "" {
			t.Errorf("%q: %s", src[:i], diff)
		}
	}
	if _, ok := Scan([]byte(src), false); !ok {
		t.Error("the whole file does not do")
	}
}

func TestHeader(t *testing.T) {
	long := "/*" + strings.Repeat("long\n", 20_000) + "*/\npackage p\n\nimport \"a\"\n"
	name := filepath.Join(t.TempDir(), "p.go")
	for _, src := range []string{long, long + strings.Repeat("var _ = 1\n", 10_000)} {
		if err := os.WriteFile(name, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		r := &reader{}
		for range 2 {
			_, got, err := r.header(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Header{"p", []string{"a"}}, got); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// What go/parser reads, Scan reads alike or not at all.
func FuzzScan(f *testing.F) {
	for _, src := range []string{
		"package p\n\nimport \"a\"\n", "package p; import (_ \"a\"; . `b`)\n", "// x\npackage p\n/**/import c \"d\" // e\nfunc f() {}\n",
		"package p\nimport(\n\"\\x61\")", "\ufeffpackage p\n", "package p\nimport \"a\"\nimport\n\"b\"\n", "package p /* \n */ import \"a\"",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		h, ok := Scan(src, true)
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ImportsOnly)
		if err != nil || !ok {
			return
		}
		var want []string
		for _, spec := range file.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, p)
		}
		if diff := cmp.Diff(Header{file.Name.Name, want}, h); diff != "" {
			t.Errorf("%q: %s", src, diff)
		}
	})
}
