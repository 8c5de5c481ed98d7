package source

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/settings"
)

func TestParseOutline(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"body", "package p\nfunc f() { g() }\n", "package p\nfunc f() {     }\n"},
		{"lines stay", "package p\nfunc f() {\n\tg()\n}\n", "package p\nfunc f() {\n    \n}\n"},
		{"brace in a string", "package p\nfunc f() { g(\"}\", '}', `}`) }\nvar x int\n", "package p\nfunc f() {" + strings.Repeat(" ", 18) + "}\nvar x int\n"},
		{"escaped quote", "package p\nfunc f() { g(\"\\\"}\") }\n", "package p\nfunc f() {          }\n"},
		{"brace in a comment", "package p\nfunc f() { /* } */ }\n", "package p\nfunc f() {         }\n"},
		{"struct result", "package p\nfunc f() struct{ x int } { g() }\n", "package p\nfunc f() struct{ x int } {     }\n"},
		{"pointer to struct result", "package p\nfunc f() *struct { x int } { g() }\n", "package p\nfunc f() *struct { x int } {     }\n"},
		{"interface parameter", "package p\nfunc f(x interface{ M() }) { g() }\n", "package p\nfunc f(x interface{ M() }) {     }\n"},
		{"constraint", "package p\nfunc f[T interface{ ~int }]() { g() }\n", "package p\nfunc f[T interface{ ~int }]() {     }\n"},
		{"no body", "package p\nfunc f()\nfunc g() { h() }\n", "package p\nfunc f()\nfunc g() {     }\n"},
		{"no body and a comment", "package p\nfunc f() // {\nfunc g() { h() }\n", "package p\nfunc f() // {\nfunc g() {     }\n"},
		{"func in a raw string", "package p\nvar x = `\nfunc f() { g() }\n`\n", "package p\nvar x = `\nfunc f() { g() }\n`\n"},
		{"function type", "package p\nvar f func() = func() { g() }\n", "package p\nvar f func() = func() { g() }\n"},
		{"open", "package p\nfunc f() { g()\n", "package p\nfunc f() { g()\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := []byte(tt.in)
			ParseOutline(token.NewFileSet(), "p.go", src, 0)
			if diff := cmp.Diff(tt.want, string(src)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What the standard library declares is the same with and without bodies.
func TestParseOutlineStandard(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(root); err != nil {
		t.Skip("there are no sources of the standard library")
	}
	dirs := []string{"fmt", "go/types", "html/template", "net/http", "os", "reflect", "text/template", "time"}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata") {
				return err
			}
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fset := token.NewFileSet()
			whole, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if err != nil {
				return nil
			}
			outline := ParseOutline(token.NewFileSet(), name, src, 0)
			if diff := cmp.Diff(declared(whole), declared(outline)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// place is where a declaration of a file begins and ends, and its name.
type place struct {
	Name     string
	Pos, End token.Pos
}

func declared(f *ast.File) []place {
	var out []place
	for _, d := range f.Decls {
		p := place{Pos: d.Pos(), End: d.End()}
		if fd, ok := d.(*ast.FuncDecl); ok {
			p.Name = fd.Name.Name
		}
		out = append(out, p)
	}
	return out
}

func TestMatch(t *testing.T) {
	m := newMatcher(&settings.Settings{Build: settings.Build{GOOS: "linux", GOARCH: "amd64", Tags: []string{"extra"}}})
	for _, tt := range []struct {
		base, src string
		want      bool
	}{
		{"a.go", "package p\n", true},
		{"a_windows.go", "package p\n", false},
		{"a_linux.go", "package p\n", true},
		{"a_linux_arm64.go", "package p\n", false},
		{"windows.go", "package p\n", true},
		{"a.go", "//go:build windows\n\npackage p\n", false},
		{"a.go", "// Copyright.\n\n//go:build !windows\n\n// Package p.\npackage p\n", true},
		{"a.go", "/*\n\n//go:build windows\n\n*/\npackage p\n", true},
		{"a.go", "package p\n\n//go:build windows\n", true},
		{"a.go", "\ufeff//go:build windows\n\npackage p\n", false},
		{"a.go", "//go:build extra\r\n\r\npackage p\r\n", true},
		{"a.go", "// +build windows\n\npackage p\n", false},
	} {
		for range 2 { // the second time from memory
			got, err := m.match(tt.base, []byte(tt.src))
			if err != nil || got != tt.want {
				t.Errorf("match(%s, %q) = %v, %v; want %v", tt.base, tt.src, got, err, tt.want)
			}
		}
	}
}
