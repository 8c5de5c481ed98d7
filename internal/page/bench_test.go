package page

import (
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	src := []byte("# Title\n\n" + strings.Repeat(
		beginA+"\n"+strings.Repeat(generated("// Get returns it.\nGet(ctx context.Context) (State, error)"), 100)+end+"\n\ntext\n", 20))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
