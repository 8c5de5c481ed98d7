package gogen

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentplan/sdk/internal/model"
)

var update = flag.Bool("update", false, "rewrite the wanted files of testdata")

func all(string) bool { return true }

func mustFiles(tb testing.TB, entries []*model.Entry, importable func(string) bool) []File {
	tb.Helper()
	files, err := Files(entries, Options{Importable: importable})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name    string
		entries []*model.Entry
		wanted  func(path string) bool
	}{
		{"empty", nil, func(path string) bool { return true }},
		{"kinds", everyKind(), func(path string) bool { return path != "catalog/catalog.go" && path != "guard/guard.go" }},
		{"names", colliding(), func(path string) bool { return path == "catalog/types.go" || path == "catalog/packages.go" }},
		{"guards", guarded(), func(path string) bool { return path == "guard/guard.go" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := &txtar.Archive{}
			for _, f := range mustFiles(t, tt.entries, reachable) {
				if tt.wanted(f.Path) {
					got.Files = append(got.Files, txtar.File{Name: f.Path, Data: f.Content})
				}
			}
			golden := filepath.Join("testdata", tt.name+".txtar")
			if *update {
				if err := os.WriteFile(golden, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			// A checkout may have changed the line endings.
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), string(txtar.Format(got))); diff != "" {
				t.Errorf("generated files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFilesAreFormattedAndMarked(t *testing.T) {
	for name, entries := range map[string][]*model.Entry{
		"none": nil, "kinds": everyKind(), "names": colliding(), "texts": awkward(), "guards": guarded(),
	} {
		files := mustFiles(t, entries, reachable)
		if !slices.IsSortedFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
			t.Errorf("%s: files are not sorted", name)
		}
		for _, f := range files {
			formatted, err := format.Source(f.Content)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, f.Path, err)
			}
			if diff := cmp.Diff(string(formatted), string(f.Content)); diff != "" {
				t.Errorf("%s: %s is not formatted (-want +got):\n%s", name, f.Path, diff)
			}
			if !IsGenerated(f.Content) {
				t.Errorf("%s: %s lacks the header", name, f.Path)
			}
			if bytes.Contains(f.Content, []byte("import")) && strings.HasPrefix(f.Path, "catalog/") && name != "texts" {
				for line := range strings.Lines(string(f.Content)) {
					if strings.HasPrefix(line, "import ") {
						t.Errorf("%s: %s imports something", name, f.Path)
					}
				}
			}
		}
	}
}

func TestFilesAreTheSameEveryTime(t *testing.T) {
	entries := slices.Concat(everyKind(), colliding(), guarded())
	want := mustFiles(t, entries, reachable)
	for range 5 {
		if diff := cmp.Diff(want, mustFiles(t, entries, reachable)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestUnknownKind(t *testing.T) {
	_, err := Files([]*model.Entry{{Kind: "gadget", Anchor: "gadget-x"}}, Options{Importable: all})
	if err == nil || err.Error() != `render entry gadget-x: unknown kind "gadget"` {
		t.Errorf("got error %v", err)
	}
}

func TestTokensThatAreNoGo(t *testing.T) {
	e := sample(model.Untagged, "p", "F", "F")
	e.Guard = &model.Guard{Decl: "func", Name: "F", Signature: []model.Token{{Text: "func("}}}
	_, err := Files([]*model.Entry{e}, Options{Importable: all})
	if err == nil || !strings.HasPrefix(err.Error(), "render guard/guard.go: ") || strings.Contains(err.Error(), "package") {
		t.Errorf("got error %v", err)
	}
}

func TestIsGenerated(t *testing.T) {
	for src, want := range map[string]bool{
		Header:                              true,
		Header + "\n\npackage p\n":          true,
		Header + "\r\npackage p\r\n":        true,
		"":                                  false,
		"\n" + Header + "\n":                false,
		" " + Header + "\n":                 false,
		Header + " \n":                      false,
		Header + "\r\r\n":                   false,
		strings.ToLower(Header) + "\n":      false,
		"package p\n\n" + Header + "\n":     false,
		"\xef\xbb\xbf" + Header + "\n":      false,
		strings.TrimSuffix(Header, "."):     false,
		"// Code generated. DO NOT EDIT.\n": false,
	} {
		if got := IsGenerated([]byte(src)); got != want {
			t.Errorf("IsGenerated(%q) = %v", src, got)
		}
	}
}

func BenchmarkFiles(b *testing.B) {
	entries := big()
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		size = 0
		for _, f := range mustFiles(b, entries, all) {
			size += len(f.Content)
		}
	}
	b.SetBytes(int64(size))
}

// Entries are laid out without go/format, which must agree.
func FuzzLayout(f *testing.F) {
	for i, s := range nasty {
		if len(s) > 100 {
			continue // slow to mutate
		}
		f.Add(s, nasty[(i+1)%len(nasty)], "short", i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, a, b, c string, flag bool) {
		e := sample(model.Config, "d", c, b)
		e.Doc, e.File, e.Deprecated, e.Usage = a, c, flag, b
		e.Code = []model.Code{code(a, b), code(b, c)}
		e.Members = []model.Member{
			{Name: a, Kind: "field", Anchor: b, Doc: c, Signature: a, From: c, Deprecated: flag},
			{Name: c, Kind: "field", Anchor: c, Doc: a, Signature: b, From: b, Deprecated: !flag},
		}
		e.Types = []model.TypeRef{{Text: a, File: b}, {Text: c, File: a}}
		for _, file := range mustFiles(t, []*model.Entry{e}, all) {
			formatted, err := format.Source(file.Content)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(formatted), string(file.Content)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file.Path, diff)
			}
		}
	})
}
