package cli_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/testfile"
)

// ran is what a run said.
type ran struct {
	Code           int
	Stdout, Stderr string
}

func verify(args ...string) ran {
	var stdout, stderr bytes.Buffer
	code := cli.Verify(args, &stdout, &stderr)
	return ran{code, stdout.String(), stderr.String()}
}

func generate(args ...string) ran {
	var stdout, stderr bytes.Buffer
	code := cli.Gen(args, &stdout, &stderr)
	return ran{code, stdout.String(), stderr.String()}
}

// useCache gives the test a cache of its own and returns its directory.
func useCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(cache.EnvDir, dir)
	return dir
}

// keptModule writes a module with pages of two languages, a dependency outside of it, a
// lock file, and links to files that are neither Go nor pages. It returns the module root.
func keptModule(t *testing.T) string {
	t.Helper()
	return keptTree(t, keptShapes[0])
}

// keptShape is one way to configure the tree of [keptModule].
type keptShape struct {
	name     string
	settings string // lines of the settings file
	region   string // selectors of a page of its own; empty: there is none
}

// keptSettings are the lines of the settings file that all shapes have.
const keptSettings = "pages: [[README.md]]\n"

var keptShapes = []keptShape{
	{name: "module"},
	{"platforms", "platforms: [linux/amd64, windows/amd64, {platform: darwin/arm64, tags: [x]}]\n", "store.Drive"},
	{"modules", "modules: [., tools]\n", "tools/lint.*"},
	{"workspace", "workspace: true\nplatforms: [linux/amd64, windows/amd64]\n", "tools/lint.*"},
}

// keptTree is keptModule with a configuration.
func keptTree(t *testing.T, shape keptShape) string {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", "kept.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		testfile.Write(t, filepath.Join(root, filepath.FromSlash(f.Name)), string(f.Data))
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	m := filepath.Join(root, "m")
	testfile.Write(t, filepath.Join(m, ".catalog.yaml"), keptSettings+shape.settings)
	if shape.region != "" {
		for lang, title := range map[string]string{"en": "More of it", "zh": "其他"} {
			testfile.Write(t, filepath.Join(m, "docs", lang, "c.md"),
				"# "+title+"\n\n<!-- BEGIN GENERATED catalog "+shape.region+" -->\n<!-- END GENERATED catalog -->\n")
		}
	}
	if r := generate("--no-cache", "--dir", m); r.Code != 0 {
		t.Fatalf("gen-catalog: %+v", r)
	}
	if r := generate("confirm", "--no-cache", "--baseline", "--dir", m); r.Code != 0 {
		t.Fatalf("gen-catalog confirm: %+v", r)
	}
	if r := verify("--no-cache", "--dir", m); r.Code != 0 {
		t.Fatalf("verify-catalog: %+v", r)
	}
	return m
}

var edits = flag.Int("edits", 20, "how many random edits of each tree the cache is tried with")

// Whatever is edited, a run with a cache says what a run without one says, and it says it
// again.
func TestReplayRandomEdits(t *testing.T) {
	rounds := *edits
	if testing.Short() {
		rounds = min(rounds, 6)
	}
	for i, shape := range keptShapes {
		t.Run(shape.name, func(t *testing.T) {
			editAtRandom(t, shape, rounds, rand.New(rand.NewPCG(20, uint64(26+i))))
		})
	}
}

func editAtRandom(t *testing.T, shape keptShape, rounds int, r *rand.Rand) {
	useCache(t)
	m := keptTree(t, shape)
	whole := snapshotTree(t, filepath.Dir(m))
	var done []string
	for i := range rounds {
		if i%6 == 5 { // some of the way back, where the cache may still know the tree
			restoreTree(t, filepath.Dir(m), whole)
			done = append(done, "everything restored")
		} else {
			e := randomEdit(r, m)
			e.do(t)
			done = append(done, e.what)
		}
		want := verify("--no-cache", "--dir", m)
		for range 2 {
			if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
				t.Fatalf("after\n%s\nwith the cache, verify-catalog says something else:\n%s", strings.Join(done, "\n"), diff)
			}
		}
	}
}

// What keeps the go command from listing the module is found also by a run that has
// nothing to ask it: the files of the module are as they were.
func TestReplayKeepsNoListing(t *testing.T) {
	useCache(t)
	m := keptModule(t)
	t.Setenv("GOTOOLCHAIN", "local")
	t.Setenv("GOFLAGS", "")
	dep := filepath.Join(filepath.Dir(m), "dep", "go.mod")
	for _, tt := range []struct {
		what     string
		do, undo func()
	}{
		{"a replaced module wants a newer release",
			func() { testfile.Write(t, dep, "module example.com/dep\n\ngo 1.999\n") },
			func() { testfile.Write(t, dep, "module example.com/dep\n\ngo 1.26\n") }},
		{"a vendor directory without modules.txt",
			func() { testfile.Write(t, filepath.Join(m, "vendor", "x", "x.go"), "package x\n") },
			func() {
				if err := os.RemoveAll(filepath.Join(m, "vendor")); err != nil {
					t.Fatal(err)
				}
			}},
	} {
		if r := verify("--dir", m); r.Code != 0 {
			t.Fatalf("before: %+v", r)
		}
		tt.do()
		want := verify("--no-cache", "--dir", m)
		if want.Code != 2 {
			t.Errorf("%s: the go command does not mind: %+v", tt.what, want)
		}
		if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
			t.Errorf("%s: with the cache, verify-catalog says something else:\n%s", tt.what, diff)
		}
		tt.undo()
	}
}

// gen-catalog says again what it said only where it wrote nothing.
func TestReplayGen(t *testing.T) {
	useCache(t)
	m := keptModule(t)
	page := filepath.Join(m, "docs", "en", "a.md")
	fresh, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	stale := bytes.Replace(fresh, []byte("Open opens"), []byte("Open shuts"), 1)
	if bytes.Equal(fresh, stale) {
		t.Fatal("the page does not show what Open does")
	}
	for range 3 {
		testfile.Write(t, page, string(stale))
		r := generate("--dir", m)
		if r.Code != 0 || !strings.Contains(r.Stderr, "1 file written") {
			t.Errorf("gen-catalog: %+v", r)
		}
		got, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(fresh), string(got)); diff != "" {
			t.Error(diff)
		}
		for range 2 {
			if r := generate("--dir", m); r.Code != 0 || !strings.Contains(r.Stderr, "0 files written") {
				t.Errorf("gen-catalog again: %+v", r)
			}
		}
	}
	want := generate("--no-cache", "--json", "--dir", m)
	for range 2 {
		if diff := cmp.Diff(want, generate("--json", "--dir", m)); diff != "" {
			t.Error(diff)
		}
	}
}

// What happens to the cache changes no answer.
func TestReplayBrokenCache(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, file string)
	}{
		{"cut short", func(t *testing.T, file string) {
			if err := os.Truncate(file, 40); err != nil {
				t.Fatal(err)
			}
		}},
		{"empty", func(t *testing.T, file string) { testfile.Write(t, file, "") }},
		{"another version", func(t *testing.T, file string) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			testfile.Write(t, file, strings.Replace(string(data), "cache 1", "cache 9", 1))
		}},
		{"a directory", func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			testfile.Write(t, filepath.Join(file, "x"), "")
		}},
		{"a bit", func(t *testing.T, file string) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-10] ^= 1
			testfile.Write(t, file, string(data))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := useCache(t)
			m := keptModule(t)
			testfile.Write(t, filepath.Join(m, "docs", "en", "b.md"), "# B\n\n`store.None` is not there.\n")
			want := verify("--no-cache", "--dir", m)
			for range 2 {
				if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
					t.Error(diff)
				}
				entries := entriesOf(t, dir)
				if len(entries) == 0 {
					t.Fatal("nothing is kept")
				}
				for _, e := range entries {
					if !e.IsDir() {
						tt.spoil(t, filepath.Join(dir, e.Name()))
					}
				}
			}
		})
	}
}

// A cache that cannot be used is no fault, and nothing is said of it unless asked.
func TestReplayUnusableCache(t *testing.T) {
	useCache(t)
	m := keptModule(t)
	want := verify("--no-cache", "--dir", m)
	for _, dir := range []string{filepath.Join(m, "go.mod"), filepath.Join(m, "go.mod", "below"), "relative", "off"} {
		t.Setenv(cache.EnvDir, dir)
		if diff := cmp.Diff(want, verify("--dir", m)); diff != "" {
			t.Errorf("%s: %s", dir, diff)
		}
	}
	t.Setenv("CATALOG_CACHE_DEBUG", "1")
	if r := verify("--dir", m); strings.Contains(r.Stderr, "not used") {
		t.Errorf("off is no fault: %s", r.Stderr)
	}
	t.Setenv(cache.EnvDir, "relative")
	if r := verify("--dir", m); !strings.Contains(r.Stderr, "cache: not used") {
		t.Errorf("the debug note is missing: %s", r.Stderr)
	}
}

// entriesOf lists what a cache directory holds.
func entriesOf(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// twoTexts are two texts of a page, with and without a finding, and what is said of the
// module with each.
func twoTexts(t *testing.T, m, page string) (texts []string, want []ran) {
	t.Helper()
	texts = []string{"# B\n\n`store.None` is not there.\n", "# B\n\nNothing.\n"}
	for _, text := range texts {
		testfile.Write(t, page, text)
		want = append(want, verify("--no-cache", "--dir", m))
	}
	return texts, want
}

// Runs at the same time, with edits between them, each give a right answer: the one of the
// tree before an edit or the one after it.
func TestReplayRaces(t *testing.T) {
	useCache(t)
	m := keptModule(t)
	page := filepath.Join(m, "docs", "en", "b.md")
	texts, want := twoTexts(t, m, page)
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for range 6 {
				if got := verify("--dir", m); !slices.Contains(want, got) {
					t.Errorf("an answer of no tree: %+v", got)
				}
			}
		})
	}
	for i := range 30 {
		temp := page + ".new"
		testfile.Write(t, temp, texts[i%2])
		if err := os.Rename(temp, page); err != nil {
			t.Fatal(err)
		}
	}
	work.Wait()
	for i, text := range texts {
		testfile.Write(t, page, text)
		for range 2 {
			if diff := cmp.Diff(want[i], verify("--dir", m)); diff != "" {
				t.Error(diff)
			}
		}
	}
}
