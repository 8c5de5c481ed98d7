package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// move is one recipe of the page about other tools: the files that it begins with, those
// that it puts in their place, and what is then run.
type move struct {
	name        string
	had, wanted []namedFile
	run         []string
}

type namedFile struct{ name, text string }

// moves reads the page about other tools: the package that all recipes have, and a recipe
// from each section, whose first part is what there was and the second what to write.
func moves(t *testing.T, lang string) (sample []namedFile, out []move) {
	t.Helper()
	src := []byte(readFile(t, filepath.Join(moduleRoot(t), "docs", lang, "migration.md")))
	part := 0
	for n := goldmark.DefaultParser().Parse(text.NewReader(src)).FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			switch n.Level {
			case 2:
				part = 0
				out = append(out, move{name: string(n.Lines().Value(src))})
			case 3:
				part++
			}
		case *ast.FencedCodeBlock:
			file := fileOf(string(n.Lines().Value(src)))
			switch {
			case len(out) == 0:
				sample = append(sample, file)
			case file.name == "":
			case file.name == "terminal":
				out[len(out)-1].run = append(out[len(out)-1].run, file.text)
			case part == 1:
				out[len(out)-1].had = append(out[len(out)-1].had, file)
			case part == 2:
				out[len(out)-1].wanted = append(out[len(out)-1].wanted, file)
			}
		}
	}
	return sample, out
}

// fileOf reads the name of a file from a comment in the first line of its text. A comment
// of Markdown is not part of the file.
func fileOf(text string) namedFile {
	first, rest, _ := strings.Cut(text, "\n")
	if name, ok := strings.CutPrefix(first, "<!-- "); ok {
		if name, ok := strings.CutSuffix(name, " -->"); ok && strings.HasSuffix(name, ".md") {
			return namedFile{name, rest}
		}
	}
	for _, comment := range []string{"# ", "// "} {
		if name, ok := strings.CutPrefix(first, comment); ok && !strings.Contains(name, " ") {
			return namedFile{name, text}
		}
	}
	return namedFile{}
}

// TestMigration tries the recipes for those who come from other tools: what they have is
// left alone, and what they write instead is filled and then fresh.
func TestMigration(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the recipes are for a POSIX shell")
	}
	sample, moves := moves(t, "en")
	// What the pages must say, in the order of the recipes.
	wants := [][]string{
		{"## Package `greet`", "func Hello(name string, style Style) string", "Formal Style = \"formal\"", "[`Style`](#greet.Style)"},
		{"### Package `greet`", "greet.Hello(\"Gopher\", greet.Formal)"},
		{"## Package `greet`", "## Function `greet.Hello`", "Types: [`Style`](#greet.Style)"},
		{"### Function `greet.Hello`", "### Type `greet.Style`", "<a id=\"greet.Style.Casual\"></a>"},
		{"```go\n// from greet.Hello\n// Hello returns a greeting for name. It never fails.\nfunc Hello(name string, style Style) string\n```"},
		{"## Configuration `greeting`", "Style string `json:\"style,omitempty\"`"},
		{"\"enum\": [\n        \"casual\",\n        \"formal\"\n      ]", "## Tool `guest`"},
		{"## Package `greet`", "<!-- gomarkdoc:embed:start -->\n\nStill made by gomarkdoc.\n\n<!-- gomarkdoc:embed:end -->"},
	}
	if len(moves) != len(wants) || len(sample) != 1 {
		t.Fatalf("%d recipes and %d files of a sample, want %d and one", len(moves), len(sample), len(wants))
	}
	for i, m := range moves {
		t.Run(m.name, func(t *testing.T) {
			if len(m.run) != 1 || len(m.wanted) < 2 {
				t.Fatalf("%d files to write and %d scripts to run", len(m.wanted), len(m.run))
			}
			dir := t.TempDir()
			user := toolUser{t, dir}
			user.writeModule()
			for _, name := range []string{"a", "docs"} {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			write := func(files []namedFile) {
				for _, f := range files {
					user.write(f.name, f.text, 0o644)
				}
			}
			write(sample)
			write(m.had)
			user.write("docs/en/other.md", "# Other\n\n<!-- BEGIN GENERATED catalog greet.Hello -->\n<!-- END GENERATED catalog -->\n", 0o644)
			user.want(0, "go tool gen-catalog --langs en")
			for _, f := range m.had {
				if diff := cmp.Diff(f.text, readFile(t, filepath.Join(dir, f.name))); diff != "" {
					t.Errorf("%s of the other tool (-before +after):\n%s", f.name, diff)
				}
			}
			if err := os.RemoveAll(filepath.Join(dir, "docs")); err != nil {
				t.Fatal(err)
			}
			write(m.wanted)
			user.want(1, "go tool verify-catalog")
			user.want(0, m.run[0])
			at := slices.IndexFunc(m.wanted, func(f namedFile) bool { return strings.HasSuffix(f.name, ".md") })
			page := readFile(t, filepath.Join(dir, m.wanted[at].name))
			for _, want := range wants[i] {
				if !strings.Contains(page, want) {
					t.Errorf("%s lacks %q:\n%s", m.wanted[at].name, want, page)
				}
			}
		})
	}
}

// TestMigrationIsTheSame holds the recipes of the languages equal.
func TestMigrationIsTheSame(t *testing.T) {
	sample, en := moves(t, "en")
	other, zh := moves(t, "zh")
	for i := range en {
		en[i].name = ""
	}
	for i := range zh {
		zh[i].name = ""
	}
	options := cmp.AllowUnexported(move{}, namedFile{})
	if diff := cmp.Diff(sample, other, options); diff != "" {
		t.Errorf("sample (-en +zh):\n%s", diff)
	}
	if diff := cmp.Diff(en, zh, options); diff != "" {
		t.Errorf("recipes (-en +zh):\n%s", diff)
	}
}
