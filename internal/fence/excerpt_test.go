package fence

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeld(t *testing.T) {
	long := "func " + strings.Repeat("x", 200) + "() {\n\treturn\n}\n"
	e := excerpts{files: []sourceText{
		{"a.go", []byte("package p\nvar x int; var y int\n" + long)},
		{"b.go", []byte("package p\nvar z int\nvar z int // again\n\tindented()\nlast")},
		{"empty.go", nil},
	}}
	held := []string{"package p\n", "var x int; var y int\n" + long, long, "var z int // again\n", "last"}
	texts := append([]string{"var y int\n", long[:len(long)-1] + "}\n", "\tindented()\n", "", " \n", "last\n", "var z int\nlast"}, held...)
	slices.Sort(held)
	if diff := cmp.Diff(held, slices.Sorted(maps.Keys(e.held(texts)))); diff != "" {
		t.Error(diff)
	}
}
