package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/testfile"
)

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
		{"region of one language", one("en", "## The end @\n", "## The end @\n\n<!-- BEGIN GENERATED catalog p#.F@ -->\n<!-- END GENERATED catalog -->\n"),
			[]string{"region-missing en <!-- BEGIN", "region-stale en <!-- BEGIN", "translation zh ## 终"}},
		{"region of nothing", []change{
			{"en", "## The end @\n", "## The end @\n\n<!-- BEGIN GENERATED catalog p#.None -->\n<!-- END GENERATED catalog -->\n"},
			{"zh", "## 终 @\n", "## 终 @\n\n<!-- BEGIN GENERATED catalog p#.None -->\n<!-- END GENERATED catalog -->\n"}},
			[]string{"selector en <!-- BEGIN", "selector zh <!-- BEGIN", "translation en ## The end", "translation zh ## 终"}},
		{"declaration on no page", one("q@/q.go", "", "// Package q@ is.\npackage q@\n\n// T is.\n//\n//catalog:type\ntype T int\n"), []string{"unowned q@/q.go type T"}},
		{"method without a comment", one("p0/p.go", "\t// Undo takes back.\n", ""),
			[]string{"doc-missing p0/p.go Undo()", "region-stale docs/en/ref-0.md <!-- BEGIN", "region-stale docs/zh/ref-0.md <!-- BEGIN"}},
		{"comment that links to nothing", one("p3/p.go", "see [Store.Len]", "see [Store.Length]"),
			[]string{"doc-link p3/p.go [Store.Length]", "region-stale docs/en/ref-3.md <!-- BEGIN", "region-stale docs/zh/ref-3.md <!-- BEGIN"}},
		{"region edited", one("docs/zh/ref-2.md", "## Service", "## Services"), []string{"region-stale docs/zh/ref-2.md <!-- BEGIN"}},
		{"declaration that no page has", one("p#/f@.go", "package p#\n", "package p#\n\n// T@ is.\n//\n//catalog:event t@ surface\ntype T@ int\n"),
			[]string{"region-stale docs/en/ref-#.md <!-- BEGIN", "region-stale docs/zh/ref-#.md <!-- BEGIN"}},
		{"directive of no kind", one("p#/f@.go", "package p#\n", "package p#\n\n// T@ is.\n//\n//catalog:thing t@\ntype T@ int\n"), []string{"directive p#/f@.go //catalog:thing"}},
		{"declaration in two regions", []change{
			{"en", "## The end @\n", "## The end @\n\n<!-- BEGIN GENERATED catalog p#.Service -->\n<!-- END GENERATED catalog -->\n"},
			{"zh", "## 终 @\n", "## 终 @\n\n<!-- BEGIN GENERATED catalog p#.Service -->\n<!-- END GENERATED catalog -->\n"}},
			[]string{"region-stale en <!-- BEGIN", "region-stale zh <!-- BEGIN", "translation en ## The end", "translation zh ## 终", "owned-twice docs/en/ref-#.md <!-- BEGIN", "owned-twice docs/zh/ref-#.md <!-- BEGIN"}},
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
	want, owner := plant(t, dir, faults, 0)
	got, printed := verifyBook(t, dir)
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
		testfile.Write(t, filepath.Join(dir, name), string(data))
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
