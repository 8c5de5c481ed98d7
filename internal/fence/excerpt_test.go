package fence

import (
	"strings"
	"testing"
)

func TestHoldsLines(t *testing.T) {
	long := "func " + strings.Repeat("x", 2*maxProbe) + "() {\n\treturn\n}\n"
	for _, tt := range []struct {
		name, src, want string
		holds           bool
	}{
		{"first line", "package p\n", "package p\n", true},
		{"later line", "package p\nvar x int\n", "var x int\n", true},
		{"within a line", "package p; var x int\n", "var x int\n", false},
		{"long", "package p\n" + long, long, true},
		{"long, other end", "package p\n" + long, long[:len(long)-1] + "}\n", false},
		{"second place", "package p\nvar x int\nvar x int // again\n", "var x int // again\n", true},
		{"nothing", "", "var x int\n", false},
	} {
		if got := holdsLines([]byte(tt.src), []byte(tt.want)); got != tt.holds {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.holds)
		}
	}
}
