package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/cli"
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
	write := func(name, text string) { writeText(tb, filepath.Join(dir, filepath.FromSlash(name)), text) }
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

// fault is one thing that is wrong. Its edits are of chapter n, or of the named files;
// "@" stands for n, and "#" for the number of its package. Each finding is written as
// "RULE PLACE TEXT": it stands on the line of PLACE, a language or a file, that has TEXT.
type fault struct {
	name  string
	edits []change
	want  []string
}

// change replaces what stands once in a file. An empty new text of a file whose old text
// is empty too removes the file.
type change struct{ place, before, after string }

// both changes the chapter in both languages alike.
func both(before, after string) []change {
	return []change{{"en", before, after}, {"zh", before, after}}
}

func bookFaults() []fault {
	one := func(place, before, after string) []change { return []change{{place, before, after}} }
	return []fault{
		{"heading level", one("zh", "## 道路 @", "### 道路 @"), []string{"structure zh ### 道路", "translation en ## The road"}},
		{"list item gone", one("zh", "- 二 @\n", ""), []string{"structure zh - 一", "translation en ## The road"}},
		{"list item added", one("en", "- two @\n", "- two @\n- more @\n"), []string{"structure zh - 一", "translation zh ## 道路"}},
		{"list kind", one("zh", "1. 一 @\n2. 二 @", "- 一 @\n- 二 @"), []string{"structure zh - 一 @\n- 二 @\n\n[f", "translation en ## The end"}},
		{"list start", one("zh", "1. 一 @\n2. 二 @", "2. 一 @\n3. 二 @"), []string{"structure zh 2. 一", "translation en ## The end"}},
		{"table row gone", one("zh", "| b@ | 二 |\n", ""), []string{"structure zh | 名", "translation en ## Rules"}},
		{"code differs", one("zh", "limit: @", "limit: 1@"), []string{"structure zh limit: 1", "translation en ## Examples"}},
		{"info string differs", one("zh", "```yaml", "```yml"), []string{"structure zh ```yml", "translation en ## Examples"}},
		{"fence gone", one("zh", "```yaml\n# 一\nlimit: @\n```\n\n", ""), []string{"structure zh ```sh", "translation en ## Examples"}},
		{"image gone", one("zh", "![盒](../box.svg)", "盒"), []string{"structure zh 盒\n\n## 终", "translation en ## Examples"}},
		{"link to another page", one("zh", "(ch-+.md#rules-+)", "(ref-#.md)"), []string{"structure zh (ref-", "translation en ## The road"}},
		{"switcher gone", one("zh", "[English](../en/ch-@.md) | 中文\n\n", ""), []string{"structure zh 这里有", "translation en # Chapter"}},
		{"quote added", one("en", "- one @", "> aside\n\n- one @"), []string{"structure zh - 一", "translation zh ## 道路"}},

		{"English edited", one("en", "It is done at once.", "It is done soon."), []string{"translation zh ## 规则"}},
		{"Chinese edited", one("zh", "它立刻完成.", "它很快完成."), []string{"translation en ## Rules"}},
		{"paragraph added", one("en", "## The end @\n", "## The end @\n\nOne more.\n"), []string{"translation zh ## 终"}},
		{"both edited", []change{{"en", "It is done at once.", "It is done soon."}, {"zh", "它立刻完成.", "它很快完成."}},
			[]string{"translation en ## Rules", "translation zh ## 规则"}},
		{"comment in code edited", one("zh", "# 一\nlimit", "# 不\nlimit"), []string{"translation en ## Examples"}},
		{"section added", []change{{"en", "## The end @", "## More @\n\nMore.\n\n## The end @"}, {"zh", "## 终 @", "## 更多 @\n\n更多。\n\n## 终 @"}},
			[]string{"translation en ## More"}},

		{"comment of what is described", one("p#/f@.go", "at once", "never"),
			[]string{"prose en It is done at once", "prose zh 它立刻完成", "declaration en ```go\n// from", "declaration zh ```go\n// from"}},
		{"signature of what is described", one("p#/f@.go", "(n int)", "(m int)"),
			[]string{"prose en It is done at once", "prose zh 它立刻完成", "declaration en ```go\n// from", "declaration zh ```go\n// from"}},
		{"declaration renamed", one("p#/f@.go", "func F@(", "func G@("),
			[]string{"prose en <!-- about", "prose zh <!-- about", "declaration en ```go\n// from", "declaration zh ```go\n// from"}},
		{"declaration gone", one("p#/f@.go", "", ""),
			[]string{"prose en <!-- about", "prose zh <!-- about", "declaration en ```go\n// from", "declaration zh ```go\n// from", "link en [f@]: ", "link zh [f@]: "}},
		{"mark added", one("en", "- one @", "<!-- about p#.Open -->\n- one @"), []string{"prose en <!-- about p#.Open"}},
		{"mark of no name", both("<!-- about p#.F@ -->", "<!-- about p#.f@ -->"), []string{"prose en <!-- about p#.f", "prose zh <!-- about p#.f"}},

		{"symbol of a package", both("`p#.Open`", "`p#.Opened`"),
			[]string{"symbol en p#.Opened", "symbol zh p#.Opened", "translation en # Chapter", "translation zh # 章"}},
		{"symbol of a type", one("zh", "`Store.Len`", "`p#.Store.Length`"), []string{"symbol zh Store.Length", "translation en # Chapter"}},
		{"path", one("en", "`cmd/tool`", "`cmd/toll`"), []string{"symbol en cmd/toll", "translation zh # 章"}},
		{"flag", one("zh", "`--name`", "`tool` `--nam`"), []string{"symbol zh --nam", "translation en # Chapter"}},
		{"make target", one("en", "`--name`", "`make tests`"), []string{"symbol en make tests", "translation zh # 章"}},
		{"needless exemption", one("en", "- one @", "<!-- symbol-ok p#.Open: it is there -->\n\n- one @"), []string{"symbol en <!-- symbol-ok", "translation zh ## 道路"}},

		{"quoted declaration edited", one("zh", "func F@(n int) error", "func F@(n int)"), []string{"declaration zh ```go\n// from"}},
		{"quoted declaration edited in both", both("func F@(n int) error", "func F@(n int)"),
			[]string{"declaration en ```go\n// from", "declaration zh ```go\n// from"}},

		{"code does not compile", both("p#.Open(\"@\")", "p#.Open(@)"), []string{"fence en p#.Open(@)", "translation en ## Examples", "translation zh ## 例"}},
		{"code of one language does not compile", one("zh", "s@.Len()", "s@.Size()"),
			[]string{"fence zh s@.Size()", "structure zh s@.Size()", "translation en ## Examples"}},
		{"code without syntax", both("if err != nil {", "if err != {"), []string{"fence en if err != {", "translation en ## Examples", "translation zh ## 例"}},
		{"flag of a command", both("--name @", "--nam @"), []string{"fence en --nam @", "translation en ## Examples", "translation zh ## 例"}},
		{"target of a command", both("make test", "make all"), []string{"fence en make all", "translation en ## Examples", "translation zh ## 例"}},
		{"no reason to opt out", both("```go\ns@", "```go ignore\ns@"), []string{"fence en ```go ignore", "translation en ## Examples", "translation zh ## 例"}},

		{"link to no page", one("en", "(ch-+.md#rules-+)", "(ch-none.md)"), []string{"link en (ch-none", "translation zh ## 道路"}},
		{"image of nothing", both("../box.svg", "../bax.svg"), []string{"link en bax", "link zh bax", "translation en ## Examples", "translation zh ## 例"}},
		{"definition of nothing", one("zh", "/f@.go", "/g@.go"), []string{"link zh /g@.go", "translation en ## The end"}},
		{"link of a comment", one("p#/f@.go", "package p#\n", "package p#\n\n// G@ is in docs/en/none.md.\nconst G@ = 0\n"), []string{"link p#/f@.go none.md"}},

		{"fragment of a heading", one("zh", "(#章-@)", "(#章)"), []string{"anchor zh (#章)", "translation en ## The road"}},
		{"fragment of an id", both("#rules-+)", "#rule-+)"), []string{"anchor en #rule-", "anchor zh #rule-", "translation en ## The road", "translation zh ## 道路"}},
		{"fragment of a comment", one("p#/f@.go", "package p#\n", "package p#\n\n// G@ is in docs/en/ch-@.md#none.\nconst G@ = 0\n"), []string{"anchor p#/f@.go #none"}},

		{"page in one language", one("docs/en/only-@.md", "", "# Only\n"), []string{"page-missing docs/en/only-@.md # Only"}},
		{"marker that ends nothing", one("en", "## The end @\n", "## The end @\n\n<!-- END GENERATED catalog -->\n"), []string{"marker en <!-- END"}},
		{"method without a comment", one("p0/p.go", "\t// Undo takes back.\n", ""),
			[]string{"doc-missing p0/p.go Undo()", "region-stale docs/en/ref-0.md <!-- BEGIN", "region-stale docs/zh/ref-0.md <!-- BEGIN"}},
		{"comment that links to nothing", one("p1/p.go", "see [Store.Len]", "see [Store.Length]"),
			[]string{"doc-link p1/p.go [Store.Length]", "region-stale docs/en/ref-1.md <!-- BEGIN", "region-stale docs/zh/ref-1.md <!-- BEGIN"}},
		{"region edited", one("docs/zh/ref-2.md", "## Service", "## Services"), []string{"region-stale docs/zh/ref-2.md <!-- BEGIN"}},
		{"declaration that no page has", one("p#/f@.go", "package p#\n", "package p#\n\n// T@ is.\n//\n//catalog:event t@ surface\ntype T@ int\n"),
			[]string{"region-stale docs/en/ref-#.md <!-- BEGIN", "region-stale docs/zh/ref-#.md <!-- BEGIN"}},
		{"directive of no kind", one("p#/f@.go", "package p#\n", "package p#\n\n// T@ is.\n//\n//catalog:thing t@\ntype T@ int\n"), []string{"directive p#/f@.go //catalog:thing"}},
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
	writeText(b, file, strings.Replace(text, before, after, 1))
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
func verifyBook(tb testing.TB, dir string) (places []string, printed string) {
	tb.Helper()
	var stdout, stderr bytes.Buffer
	code := cli.Verify([]string{"--dir", dir}, &stdout, &stderr)
	for _, m := range findingLine.FindAllStringSubmatch(stdout.String(), -1) {
		places = append(places, fmt.Sprintf("%s:%s: %s", m[1], m[2], m[3]))
	}
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

// TestAdoption takes a tree of a hundred pages in two languages that was never confirmed:
// one command adopts it. Then faults of every kind, each in a chapter of its own, give
// the findings that they are listed with and no others.
func TestAdoption(t *testing.T) {
	dir := t.TempDir()
	writeBook(t, dir, bookChapters)
	gen(t, "--dir", dir)
	if found, printed := verifyBook(t, dir); len(found) > 0 {
		t.Fatalf("the tree is not sound before it is adopted:\n%s", printed)
	}
	gen(t, "confirm", "--dir", dir, "--baseline")
	if found, printed := verifyBook(t, dir); len(found) > 0 {
		t.Fatalf("the tree is not sound once it is adopted:\n%s", printed)
	}

	faults := bookFaults()
	if len(faults) < 50 {
		t.Fatalf("%d faults", len(faults))
	}
	owner := map[string]string{}
	for i, f := range faults {
		for _, c := range f.edits {
			book{t, dir, i}.edit(c)
		}
	}
	var want []string
	for i, f := range faults {
		for _, w := range f.want {
			place := book{t, dir, i}.finding(w)
			owner[place] = f.name
			want = append(want, place)
		}
	}
	got, printed := verifyBook(t, dir)
	slices.Sort(want)
	slices.Sort(got)
	want = slices.Compact(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s\n%s", diff, printed)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no %s", owner[w], w)
			}
		}
	}
}

var setMark = regexp.MustCompile(`(?s)<!-- about ([^>]*)-->\n+`)

// TestContradiction replays how the documentation of plan mode came to contradict itself:
// the source says when a selection is in force, that changes, and the words about it stay.
func TestContradiction(t *testing.T) {
	dir, root := t.TempDir(), moduleRoot(t)
	for _, name := range []string{"go.mod", "go.sum", ".catalog.yaml", "Makefile", "README.md", "README.zh.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs", "gen", "planmode", "cmd", "internal", "examples"} {
		file := filepath.Join(root, name)
		if info, err := os.Stat(file); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(file)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(dir, name), string(data))
	}
	gen(t, "--dir", dir)
	lock := filepath.Join(dir, "docs", "sync.lock")
	if err := os.Remove(lock); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	gen(t, "confirm", "--dir", dir, "--baseline")
	before, _ := verifyBook(t, dir)

	b := book{TB: t, dir: dir}
	b.edit(change{"planmode/service.go", "With no turn open the selection is in force at once.", "The selection waits for the next step boundary, always."})
	gen(t, "--dir", dir)
	if text := b.read("docs/zh/plan-mode.md"); !strings.Contains(text, "the next step boundary, always.") {
		t.Fatal("the regions do not follow the source")
	}
	var want []string
	for _, lang := range []string{"en", "zh"} {
		pages, err := filepath.Glob(filepath.Join(dir, "docs", lang, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, page := range pages {
			name := "docs/" + lang + "/" + filepath.Base(page)
			text := b.read(name)
			for _, m := range setMark.FindAllStringSubmatchIndex(text, -1) {
				names := strings.Fields(text[m[2]:m[3]])
				if slices.Contains(names, "planmode.Service.Set") || slices.Contains(names, "planmode.Service") {
					want = append(want, fmt.Sprintf("%s:%d: prose", name, strings.Count(text[:m[1]], "\n")+1))
					count++
				}
			}
		}
		if count == 0 {
			t.Fatalf("no words of language %s say that they describe planmode.Service.Set", lang)
		}
	}
	after, printed := verifyBook(t, dir)
	got := slices.DeleteFunc(after, func(f string) bool { return slices.Contains(before, f) })
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Errorf("findings (-want +got):\n%s\n%s", diff, printed)
	}
}
