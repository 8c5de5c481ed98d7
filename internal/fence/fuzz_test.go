package fence

import (
	"go/token"
	"strings"
	"testing"
)

// FuzzParse holds that any text can be parsed as a fence, and that a fault is within it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "x", "package p\n", "x := 1\nfunc f() {}\n", "func (t T) m() {\n", "}\n)\n]", "`", "/*", "\"",
		"import \"fmt\"\n\nfmt.Println()\n", "return nil, err\n", "...\n", "package", "type T struct{}\nt := T{}\n", "x; y; func",
		"L:\nfor {\n\tbreak L\n}\n", "func() {}()\n", "\x00", "…", "var x = `\na\n`\ny()\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.NewReplacer("\r", "").Replace(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		s := &snippet{block: &block{text: text}}
		s.parse(token.NewFileSet(), "fence")
		if s.err == nil && s.file == nil {
			t.Fatal("neither a file nor a fault")
		}
		if n := max(1, strings.Count(text, "\n")); s.err != nil && (s.err.line < 1 || s.err.line > n) {
			t.Errorf("fault on line %d of %d: %s", s.err.line, n, s.err.text)
		}
	})
}
