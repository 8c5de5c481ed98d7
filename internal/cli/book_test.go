package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/testfile"
)

// The size of the generated tree: chapters, and a reference page for each package. All
// of them exist in two languages.
const (
	bookPackages = 5
	bookChapters = 100 - bookPackages
)

// Lines of old books, in the order of their languages.
var (
	bookEnglish = []string{
		"It was the best of times, it was the worst of times.",
		"Call me anything; some years ago, having little money, I went to sea.",
		"All this happened, more or less, before the clock struck thirteen.",
		"There was no possibility of taking a walk that day.",
	}
	bookChinese = []string{
		"道可道，非常道；名可名，非常名。",
		"学而时习之，不亦说乎？有朋自远方来，不亦乐乎？",
		"天下大势，分久必合，合久必分。",
		"北冥有鱼，其名为鲲，鲲之大，不知其几千里也。",
	}
)

// chapter is a page with prose, lists, tables, code and links. Names in it carry the
// number of the chapter, so that each exists once in the tree.
const chapter = `# {Chapter} @

{switcher}

{line} {Here} ` + "`p#.Open`, `Store.Len`, `cmd/tool`, `--name`" + `.

## {Road} @

{line} {See} [{next}](ch-+.md#rules-+), [{above}](#{chapter}-@), <https://example.com/{lang}/@>.

- {one} @
- {two} @
- {three} @

<a id="rules-@"></a>

## {Rules} @

<!-- about p#.F@ -->
{line} {It}.

| {Name} | {Use} |
|---|---|
| a@ | {one} |
| b@ | {two} |

## {Examples} @

` + "```go" + `
s@, err := p#.Open("@")
if err != nil {
	return err
}
fmt.Println(s@.Len())
` + "```" + `

` + "```yaml" + `
# {one}
limit: @
` + "```" + `

` + "```sh" + `
go run ./cmd/tool --name @
make test
` + "```" + `

` + "```go" + `
// from p#.F@
// F@ does it at once.
func F@(n int) error
` + "```" + `

![{Box}](../box.svg)

## {End} @

{line} [{file}][f@]

1. {one} @
2. {two} @

[f@]: ../../p#/f@.go
`

var bookWords = map[string]*strings.Replacer{
	"en": strings.NewReplacer("{Chapter}", "Chapter", "{chapter}", "chapter", "{Here}", "Here are", "{Road}", "The road", "{See}", "See",
		"{next}", "the next", "{above}", "above", "{one}", "one", "{two}", "two", "{three}", "three", "{Rules}", "Rules",
		"{It}", "It is done at once", "{Name}", "Name", "{Use}", "Use", "{Examples}", "Examples", "{Box}", "a box", "{End}", "The end", "{file}", "the file"),
	"zh": strings.NewReplacer("{Chapter}", "章", "{chapter}", "章", "{Here}", "这里有", "{Road}", "道路", "{See}", "见",
		"{next}", "下一章", "{above}", "上文", "{one}", "一", "{two}", "二", "{three}", "三", "{Rules}", "规则",
		"{It}", "它立刻完成", "{Name}", "名", "{Use}", "用", "{Examples}", "例", "{Box}", "盒", "{End}", "终", "{file}", "文件"),
}

func chapterPath(lang string, n int) string { return fmt.Sprintf("docs/%s/ch-%d.md", lang, n) }

// writeBook writes the module and its pages.
func writeBook(tb testing.TB, dir string, chapters int) {
	tb.Helper()
	write := func(name, text string) { testfile.Write(tb, filepath.Join(dir, filepath.FromSlash(name)), text) }
	write("go.mod", "module example.com/book\n\ngo 1.26\n")
	write("Makefile", "test:\n\tgo test ./...\n")
	write("docs/box.svg", "<svg/>\n")
	write("cmd/tool/main.go", "// Command tool is a tool.\npackage main\n\nimport \"flag\"\n\nfunc main() {\n\tflag.String(\"name\", \"\", \"names it\")\n\tflag.Parse()\n}\n")
	for p := range bookPackages {
		write(fmt.Sprintf("p%d/p.go", p), strings.ReplaceAll(`// Package p# keeps; see docs/en/ref-#.md#service-s#.
package p#

// Service serves; see [Store.Len].
//
//catalog:service s#
type Service interface {
	// Do does.
	Do() error
	// Undo takes back.
	Undo() error
}

// Store keeps.
type Store struct{}

// Open opens.
func Open(name string) (*Store, error) { return nil, nil }

// Len counts.
func (s *Store) Len() int { return 0 }
`, "#", fmt.Sprint(p)))
	}
	for n := range chapters {
		p := fmt.Sprintf("p%d", n%bookPackages)
		write(fmt.Sprintf("%s/f%d.go", p, n), fmt.Sprintf("package %s\n\n// F%d does it at once.\nfunc F%d(n int) error { return nil }\n", p, n, n))
	}
	for lang, lines := range map[string][]string{"en": bookEnglish, "zh": bookChinese} {
		other := map[string]string{"en": "English | [中文](../zh/%s.md)", "zh": "[English](../en/%s.md) | 中文"}[lang]
		for n := range chapters {
			text := bookWords[lang].Replace(chapter)
			text = strings.ReplaceAll(text, "{switcher}", fmt.Sprintf(other, fmt.Sprintf("ch-%d", n)))
			for i := n; strings.Contains(text, "{line}"); i++ {
				text = strings.Replace(text, "{line}", lines[i%len(lines)], 1)
			}
			write(chapterPath(lang, n), strings.NewReplacer("{lang}", lang, "@", fmt.Sprint(n), "+", fmt.Sprint((n+1)%chapters), "p#", fmt.Sprintf("p%d", n%bookPackages)).Replace(text))
		}
		for p := range bookPackages {
			name := fmt.Sprintf("ref-%d", p)
			write(fmt.Sprintf("docs/%s/%s.md", lang, name), fmt.Sprintf("# %s p%d\n\n%s\n\n<!-- BEGIN GENERATED catalog p%d -->\n<!-- END GENERATED catalog -->\n",
				bookWords[lang].Replace("{Chapter}"), p, fmt.Sprintf(other, name), p))
		}
	}
}

// book is the generated tree under the hands of somebody who edits it.
type book struct {
	testing.TB
	dir string
	n   int
}

// expand puts the chapter's numbers into a text.
func (b book) expand(s string) string {
	return strings.NewReplacer("@", fmt.Sprint(b.n), "+", fmt.Sprint((b.n+1)%bookChapters), "p#", fmt.Sprintf("p%d", b.n%bookPackages), "ref-#", fmt.Sprintf("ref-%d", b.n%bookPackages)).Replace(s)
}

func (b book) path(place string) string {
	if place == "en" || place == "zh" {
		return chapterPath(place, b.n)
	}
	return b.expand(place)
}

func (b book) read(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func (b book) edit(c change) {
	b.Helper()
	name := b.path(c.place)
	file := filepath.Join(b.dir, filepath.FromSlash(name))
	if c.before == "" && c.after == "" {
		if err := os.Remove(file); err != nil {
			b.Fatal(err)
		}
		return
	}
	text, before, after := "", b.expand(c.before), b.expand(c.after)
	if before != "" {
		if text = b.read(name); strings.Count(text, before) != 1 {
			b.Fatalf("%s has %q %d times", name, before, strings.Count(text, before))
		}
	}
	testfile.Write(b, file, strings.Replace(text, before, after, 1))
}

// finding is a wanted one, as it is printed without its message.
func (b book) finding(want string) string {
	b.Helper()
	rule, rest, _ := strings.Cut(want, " ")
	place, text, _ := strings.Cut(rest, " ")
	name, text := b.path(place), b.expand(text)
	before, _, ok := strings.Cut(b.read(name), text)
	if !ok {
		b.Fatalf("%s does not have %q", name, text)
	}
	return fmt.Sprintf("%s:%d: %s", name, strings.Count(before, "\n")+1, rule)
}

// verifyBook returns the findings of a tree, without their messages, and what was printed.
func verifyBook(tb testing.TB, dir string, flags ...string) (places []string, printed string) {
	tb.Helper()
	var stdout, stderr bytes.Buffer
	code := cli.Verify(append([]string{"--dir", dir}, flags...), &stdout, &stderr)
	for _, m := range findingLine.FindAllStringSubmatch(stdout.String(), -1) {
		places = append(places, fmt.Sprintf("%s:%s: %s", m[1], m[2], m[3]))
	}
	slices.Sort(places)
	if want := min(len(places), 1); code != want {
		tb.Fatalf("verify-catalog: exit %d, want %d\n%s%s", code, want, &stdout, &stderr)
	}
	return places, stdout.String() + stderr.String()
}

func gen(tb testing.TB, args ...string) {
	tb.Helper()
	var stdout, stderr bytes.Buffer
	if code := cli.Gen(args, &stdout, &stderr); code != 0 {
		tb.Fatalf("gen-catalog %q: exit %d\n%s%s", args, code, &stdout, &stderr)
	}
}

// plant makes faults, the first in chapter from and each in the next one, and returns the
// findings that they are listed with and, for each finding, the fault's name.
func plant(tb testing.TB, dir string, faults []fault, from int) (want []string, owner map[string]string) {
	tb.Helper()
	for i, f := range faults {
		for _, c := range f.edits {
			book{tb, dir, from + i}.edit(c)
		}
	}
	owner = map[string]string{}
	for i, f := range faults {
		for _, w := range f.want {
			place := book{tb, dir, from + i}.finding(w)
			owner[place] = f.name
			want = append(want, place)
		}
	}
	slices.Sort(want)
	return slices.Compact(want), owner
}
