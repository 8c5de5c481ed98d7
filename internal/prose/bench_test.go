package prose

import (
	"go/doc/comment"
	"strings"
	"testing"
)

func BenchmarkMarkdown(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"short", "Set changes the mode of a session and returns what was logged.\n"},
		{"chinese", strings.Repeat("计划模式只读，不写文件。它不是沙箱\n", 6)},
		{"long", strings.Repeat("Set changes *the* mode of a [Service] by `Map<T>` and snake_case <words>,\nsee https://example.com/a_b.\n\n  - one\n  - two\n\n\tx := 1\n\n", 10)},
	} {
		doc := parse(bb.text)
		b.Run(bb.name, func(b *testing.B) {
			o := Options{Level: 3, Link: func(*comment.DocLink) string { return "a.md#b" }}
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			var r Renderer
			var out []byte
			for b.Loop() {
				out = r.AppendMarkdown(out[:0], doc, o)
			}
		})
	}
}
