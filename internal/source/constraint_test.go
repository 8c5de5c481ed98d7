package source

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestConstraint(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"a.go", "package a", ""},
		{"a_linux.go", "package a", "linux"},
		{"a_amd64.go", "package a", "amd64"},
		{"a_linux_arm64.go", "package a", "linux && arm64"},
		{"linux.go", "package a", ""},
		{"a_unix.go", "package a", ""},
		{"a_foo_amd64.go", "package a", "amd64"},
		{"a_amd64_linux.go", "package a", "linux"},
		{"a_linux_test.go", "package a", "linux"},
		{"a.b_linux.go", "package a", ""},
		{"a.go", "// Copyright.\n\n//go:build unix || (extra && !old)\n\npackage a", "unix || (extra && !old)"},
		{"a_linux.go", "//go:build a || b\n\npackage a", "linux && (a || b)"},
		{"a_linux.go", "//go:build linux\n\npackage a", "linux"},
		{"a.go", "package a\n\nimport \"C\"", "cgo"},
		{"a_windows.go", "//go:build x\n\npackage a\n\nimport \"C\"", "windows && x && cgo"},
		{"a.go", "//go:build (\n\npackage a", ""},
		{"a.go", "package a\n\n//go:build late\n", ""},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), tt.name, tt.src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&File{Path: "p/" + tt.name, AST: file}).Constraint(); got != tt.want {
			t.Errorf("%s, %q: got %q, want %q", tt.name, tt.src, got, tt.want)
		}
	}
}

func TestWithoutBuild(t *testing.T) {
	for flags, want := range map[string]string{
		"":                               " ",
		"-mod=mod '-tags=x y' -trimpath": " -trimpath ",
		"-mod=vendor -race":              " -mod=vendor ",
		`"-mod=mod" -modcacherw`:         " -modcacherw ",
		"-race=true --tags x":            " x ",
		"-tagsx -modfile=a.mod":          " -tagsx -modfile=a.mod ",
	} {
		if got := withoutBuild(flags); got != want {
			t.Errorf("withoutBuild(%q) = %q, want %q", flags, got, want)
		}
	}
}
