package source

import (
	"strings"
	"testing"
)

// The header of a file, marked by |, is all of it that the go command sorts it by.
func TestHeaderEnd(t *testing.T) {
	for _, text := range []string{
		"package p\n|",
		"package p|",
		"package p\n|\nfunc f() {}\n",
		"//go:build linux\n\n// Package p.\npackage p // import \"x\"\n|\nvar x = 1\n",
		"package p\n\nimport \"fmt\"\n|\nfunc f() {}\n",
		"package p; import \"fmt\"\n|var x int\n",
		"package p\n\nimport (\n\t\"fmt\"\n\n\t// )\n\tx \"a)b\"\n)\n|\nfunc f() {}\n",
		"package p\n\nimport \"a\"\n\n// More.\nimport /* ( */ b `b`\n|type T int\n",
		"package p\n\n/*\n#include <x.h>\n*/\nimport \"C\"\n|\nvar x int\n",
		"package p\n\nimport (\n\t\"a\"\n); import \"b\"\n|\nvar x int\n",
		"package p\n\nimport _ \"embed\"\n\n//go:embed x\nvar x string\n|",
		"package p\n\nimport (\n\t\"fmt\"\n|",
		"not Go at all\n|",
		"|",
		"\ufeffpackage p\r\n|\r\nvar x int\r\n",
	} {
		want, rest, _ := strings.Cut(text, "|")
		src := want + rest
		if got := src[:headerEnd([]byte(src))]; got != want {
			t.Errorf("header of %q: %q, want %q", src, got, want)
		}
	}
}
