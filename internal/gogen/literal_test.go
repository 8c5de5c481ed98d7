package gogen

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLiteral(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", `""`},
		{"one line", "a `b` \"c\"", "\"a `b` \\\"c\\\"\""},
		{"one line and its end", "a\n", `"a\n"`},
		{"lines", "a \"b\"\n\tc\n", "`a \"b\"\n\tc\n`"},
		{"Chinese and emoji", "计划　模式\n👩‍💻", "`计划　模式\n👩‍💻`"},
		{"backquote", "a\n`b`\n\nc", "\"a\\n\" +\n\t\t\"`b`\\n\" +\n\t\t\"\\n\" +\n\t\t\"c\""},
		{"carriage return", "a\r\nb", "\"a\\r\\n\" +\n\t\t\"b\""},
		{"byte order mark", "\ufeffa\nb", "\"\\ufeffa\\n\" +\n\t\t\"b\""},
		{"text that runs backwards", "a\n\u202eb", "\"a\\n\" +\n\t\t\"\\u202eb\""},
		{"bytes", "\x00\n\xff", "\"\\x00\\n\" +\n\t\t\"\\xff\""},
		{"many lines", strings.Repeat("`\n", maxLines+1), strconv.Quote(strings.Repeat("`\n", maxLines+1))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, literal(tt.in, 1)); diff != "" {
				t.Errorf("literal (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb", "`\n`", "\xff\n", "\r\n", "\ufeff\n\u2028", "//go:build x\n/*\n*/", "\\\n\\x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		src := "package p\n\nvar x = " + literal(s, 0) + "\n"
		formatted, err := format.Source([]byte(src))
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if diff := cmp.Diff(src, string(formatted)); diff != "" {
			t.Fatalf("formatting changes it:\n%s", diff)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", formatted, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				part, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				got += part
			}
			return true
		})
		if got != s {
			t.Errorf("got %q, want %q", got, s)
		}
	})
}

func TestWrap(t *testing.T) {
	in := strings.Repeat("word ", 40)
	for line := range strings.SplitSeq(wrap(in), "\n") {
		if len(line) > 80 || line != strings.TrimSpace(line) {
			t.Errorf("line %q", line)
		}
	}
	if diff := cmp.Diff(strings.Fields(in), strings.Fields(wrap(in))); diff != "" {
		t.Error(diff)
	}
}
