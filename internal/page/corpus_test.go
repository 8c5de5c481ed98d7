package page

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted files of testdata/pages")

// corpus returns the pages of testdata/pages by name.
func corpus(tb testing.TB) map[string]*txtar.Archive {
	tb.Helper()
	paths, err := filepath.Glob("testdata/pages/*.txtar")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no pages: %v", err)
	}
	pages := make(map[string]*txtar.Archive)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		// A checkout may have changed the line endings of the corpus.
		a := txtar.Parse([]byte(strings.ReplaceAll(string(data), "\r\n", "\n")))
		if len(a.Files) == 0 || a.Files[0].Name != "page.md" {
			tb.Fatalf("%s: the first file is not page.md", path)
		}
		pages[strings.TrimSuffix(filepath.Base(path), ".txtar")] = a
	}
	return pages
}

// describe writes down what Parse found.
func describe(p *Page) string {
	var b strings.Builder
	for _, r := range p.Regions {
		fmt.Fprintf(&b, "%d: region %q, level %d\n", r.Line, r.Selectors, r.Level)
	}
	for _, p := range p.Problems {
		fmt.Fprintf(&b, "%d: problem: %s\n", p.Line, p.Message)
	}
	return b.String()
}

func parse(tb testing.TB, src string) *Page {
	tb.Helper()
	p, err := Parse([]byte(src))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Each page is read with all line endings, with and without a byte order mark; the
// result is always the same (G19, G25).
func TestCorpus(t *testing.T) {
	for name, a := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			src := string(a.Files[0].Data)
			got := describe(parse(t, src))
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				path := filepath.Join("testdata", "pages", name+".txtar")
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) != 2 {
				t.Fatal("no wanted file; run go test -update")
			}
			want := string(a.Files[1].Data)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("page differs (-want +got):\n%s", diff)
			}
			for _, eol := range []string{"\r\n", "\r"} {
				for _, start := range []string{"", bom} {
					got := describe(parse(t, start+strings.ReplaceAll(src, "\n", eol)))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("page with start %q and line ending %q differs (-want +got):\n%s", start, eol, diff)
					}
				}
			}
		})
	}
}
