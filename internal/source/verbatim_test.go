package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCutText(t *testing.T) {
	lines := func(l ...string) string { return strings.Join(l, "\n") }
	tests := []struct {
		name, src, indent, want string
	}{
		{"plain", "Do(x int) error", "", "Do(x int) error"},
		{"carriage returns", "// A.\r\nDo()\r", "", lines("// A.", "Do()")},
		{"directive at the end, with its bare line",
			lines("// Doc.", "//", "//catalog:type", "//nolint:x"), "", "// Doc."},
		{"directive before code", lines("// Doc.", "//go:noinline", "func F()"), "", lines("// Doc.", "func F()")},
		{"directive that parts two paragraphs",
			lines("// One.", "//", "//nolint:x", "// Two."), "", lines("// One.", "//", "// Two.")},
		{"directive between two bare lines",
			lines("// One.", "//", "//nolint:x", "//", "// Two."), "", lines("// One.", "//", "// Two.")},
		{"only directives", lines("//catalog:type", "//nolint:x"), "", ""},
		{"behind code", "X int //nolint:lll // why", "", "X int"},
		{"remark behind code stays", "X int // nolint:lll", "", "X int // nolint:lll"},
		{"a web address is no directive", "X int //http://example.com", "", "X int //http://example.com"},
		{"directive text in a string", "X = \"//go:embed x\"", "", "X = \"//go:embed x\""},
		{"directive text in a raw string", lines("X = `", "//go:embed x", "`"), "", lines("X = `", "//go:embed x", "`")},
		{"indentation of the declaration", lines("Do(", "\t\ta int,", "\t)"), "\t", lines("Do(", "\ta int,", ")")},
		{"white space in a raw string stays", lines("X = `", "\t\tkept", "\t`"), "\t", lines("X = `", "\t\tkept", "\t`")},
		{"block comment", lines("/* A.", "\tB. */", "Do()"), "", lines("/* A.", "\tB. */", "Do()")},
		{"less indented line", lines("Do(", "a int)"), "\t", lines("Do(", "a int)")},
		{"a //line comment has no say here", lines("//line x.y:7", "X int //nolint:x"), "", lines("//line x.y:7", "X int")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, cutText([]byte(tt.src), tt.indent)); diff != "" {
				t.Errorf("cutText (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzCutText holds cutText to its promise: it only takes bytes away, and cutting again
// changes nothing.
func FuzzCutText(f *testing.F) {
	for _, seed := range []string{"// A.\n//\n//go:x\nfunc F()", "X = `\n\ta\n`", "\t/* a\r\n\tb */ //x:y", "\"", "`", "//a:b\n//\n//c:d"} {
		f.Add(seed, "\t")
	}
	f.Fuzz(func(t *testing.T, src, indent string) {
		got := cutText([]byte(src), indent)
		rest := src
		for i := range len(got) {
			at := strings.IndexByte(rest, got[i])
			if at < 0 {
				t.Fatalf("byte %d of %q is not from %q", i, got, src)
			}
			rest = rest[at+1:]
		}
		if again := cutText([]byte(got), ""); again != got && !strings.Contains(src, "\r") {
			t.Errorf("cut again: %q became %q", got, again)
		}
	})
}

// FuzzCut holds the ways that cut has around cutText to what cutText gives.
func FuzzCut(f *testing.F) {
	for _, seed := range []string{
		"func F()", "Do(\n\t\ta int,\n\t)", "// A.\n\t//\n\t//go:x\n\tDo()", "X = `\n\t\ta\n`", "// A.\r\n\tDo()", "a ///b:c", "// see http://a:1\n\tX int", "X //a:b",
	} {
		f.Add("type T struct {\n\t", seed)
		f.Add("", seed)
		f.Add("var ", seed)
	}
	f.Fuzz(func(t *testing.T, before, src string) {
		file := &File{Src: []byte(before + src + "\n}\n")}
		indent := before[strings.LastIndexByte(before, '\n')+1:]
		if strings.TrimSpace(indent) != "" {
			indent = ""
		}
		got := file.cut(extent{len(before), len(before) + len(src)})
		if diff := cmp.Diff(cutText([]byte(src), indent), string(got)); diff != "" {
			t.Errorf("cut of %q after %q (-cutText +cut):\n%s", src, before, diff)
		}
		if _ = append(got, "more"...); string(file.Src) != before+src+"\n}\n" {
			t.Errorf("what is appended to the cut of %q overwrites the source", src)
		}
	})
}

func TestMayHoldDirective(t *testing.T) {
	for text, want := range map[string]bool{
		"//go:x": true, "x //a1:b": true, "////a:b": true, "// a\n//b:c": true,
		"// go:x": false, "//go: x": false, "//:x": false, "//": false, "//a:": false, "//A:b": false, "/a:b": false, "http://x y:z": false, "//x": false,
	} {
		if got := mayHoldDirective([]byte(text)); got != want {
			t.Errorf("mayHoldDirective(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestIsDirective(t *testing.T) {
	for text, want := range map[string]bool{
		"//go:build x": true, "//catalog:type": true, "//nolint:all": true, "//lint:ignore X y": true,
		"// go:build x": false, "//nolint": false, "//http://x": false, "//TODO:x": false, "//": false, "/*go:x*/": false, "//:x": false,
	} {
		if got := IsDirective(text); got != want {
			t.Errorf("IsDirective(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestAssumedName(t *testing.T) {
	for importPath, want := range map[string]string{
		"io": "io", "net/http": "http", "gopkg.in/yaml.v3": "yaml", "github.com/x/go-redis/v9": "redis",
		"example.com/m/v2": "m", "github.com/x/y-z": "y", "v2": "v2",
	} {
		if got := AssumedName(importPath); got != want {
			t.Errorf("AssumedName(%q) = %q, want %q", importPath, got, want)
		}
	}
}
