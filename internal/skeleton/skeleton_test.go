package skeleton

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/testfile"
	"github.com/agentplan/sdk/internal/tree"
)

// TestScripts runs the archives of testdata: the files are a module, those below after/
// the text of pages after generation, and want holds the findings.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d scripts: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			after, want := map[string][]byte{}, ""
			for _, f := range ar.Files {
				if path, ok := strings.CutPrefix(f.Name, "after/"); ok {
					after[path] = f.Data
				} else if f.Name == "want" {
					want = string(f.Data)
				} else {
					testfile.Write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
				}
			}
			if got := check(t, dir, after); got != want {
				t.Errorf("(-want +got)\n%s\ngot:\n%s", cmp.Diff(want, got), got)
			}
		})
	}
}

// check returns the findings of a module, one a line.
func check(t testing.TB, dir string, after map[string][]byte) string {
	t.Helper()
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var out finding.List
	in := Input{Settings: s, Tree: tree.Load(s, &out)}
	if len(out.Failures) > 0 {
		t.Fatalf("failures: %v", out.Failures)
	}
	in.Pages = markdown.Load(in.Tree, after)
	Check(in, &out)
	out.Sort()
	var b strings.Builder
	for _, f := range out.Findings {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

// checkPages returns the findings about two pages of one name, without what every finding says.
func checkPages(t *testing.T, en, zh string) []string {
	t.Helper()
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n")
	testfile.Write(t, filepath.Join(dir, "a.png"), "")
	testfile.Write(t, filepath.Join(dir, "b.png"), "")
	for lang, text := range map[string]string{"en": en, "zh": zh} {
		testfile.Write(t, filepath.Join(dir, "docs", lang, "x.md"), text)
		testfile.Write(t, filepath.Join(dir, "docs", lang, "y.md"), []byte("# Y\n\n<a id=\"one\"></a><a id=\"two\"></a>\n"))
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(check(t, dir, nil)), "\n") {
		line = strings.TrimPrefix(line, "docs/zh/x.md:")
		line = strings.ReplaceAll(line, "docs/en/x.md", "EN")
		line = strings.TrimSuffix(line, "; write both pages alike")
		out = append(out, strings.Replace(line, " structure:", "", 1))
	}
	return out
}

func TestFaults(t *testing.T) {
	fence := "```"
	tests := []struct{ name, en, zh, want string }{
		{"heading level", "# A\n\n## B\n", "# A\n\n### B\n", "3: a heading of level 3 where EN:3 has a heading of level 2"},
		{"heading missing", "# A\n\n## B\n\ntext\n\n## C `x`\n", "# A\n\ntext\n\n## C `x`\n", "3: nothing where EN:3 has a heading of level 2"},
		{"heading added", "# A\n", "# A\n\ntext\n\n## B\n", "5: a heading of level 2 where EN, behind its line 1, has nothing of the kind"},
		{"section missing", "# A\n\n## B\n\n- x\n\n---\n\n## C\n", "# A\n\n## C\n", "3: nothing where EN:3 has a heading of level 2 and 2 more to line 7"},
		{"section moved", "# A\n\n## B\n\n- x\n\n## C\n\n| a |\n|---|\n", "# A\n\n## C\n\n| a |\n|---|\n\n## B\n\n- x\n", "8: a heading of level 2 and 1 more to line 10 stands in another place than in EN:3"},
		{"item missing", "- `a`\n- `b`\n- `c`\n", "- `a`\n- `c`\n", "1: a list of 2 items where EN:1 has a list of 3 items (nothing matches EN:2)"},
		{"item added", "text\n\n- a\n- `c`\n", "text\n\n- a\n- `b`\n- `c`\n", "3: a list of 3 items where EN:3 has a list of 2 items (nothing matches line 4)"},
		{"one of a hundred items", strings.Repeat("- x\n", 100), strings.Repeat("- x\n", 99), "1: a list of 99 items where EN:1 has a list of 100 items (nothing matches EN:100)"},
		{"nested item missing", "- a\n  - b\n  - c\n- d\n", "- a\n  - b\n- d\n", "2: a list of 1 item where EN:2 has a list of 2 items (nothing matches EN:3)"},
		{"nested list missing", "- a\n  - b\n- d\n", "- a\n- d\n", "1: nothing where EN:2 has a list of 1 item"},
		{"list kind", "- a\n- b\n", "1. a\n2. b\n", "1: a list of 2 items numbered from 1 where EN:1 has a list of 2 items"},
		{"list start", "2. a\n", "1. a\n", "1: a list of 1 item numbered from 1 where EN:1 has a list of 1 item numbered from 2"},
		{"table row", "| a |\n|---|\n| 1 |\n| 2 |\n", "| a |\n|---|\n| 2 |\n", "1: a table of 2 rows and 1 column where EN:1 has a table of 3 rows and 1 column (nothing matches EN:3)"},
		{"table row, words in the header", "| State | What |\n|---|---|\n| empty | write |\n| full | wait |\n", "| 状态 | 做什么 |\n|---|---|\n| 空 | 写 |\n", "1: a table of 2 rows and 2 columns where EN:1 has a table of 3 rows and 2 columns (nothing matches EN:4)"},
		{"table column", "| a | b |\n|---|---|\n", "| a |\n|---|\n", "1: a table of 1 row and 1 column where EN:1 has a table of 1 row and 2 columns"},
		{"table as list", "| a |\n|---|\n", "- a\n", "1: a list of 1 item where EN:1 has a table of 1 row and 1 column"},
		{"fence bytes", fence + "go\na := 1\nb := 2\n" + fence, fence + "go\na := 1\nb := 3\n" + fence, "3: the code has `b := 3` where EN:3 has `b := 2`"},
		{"fence shorter", fence + "\na\nb\n" + fence, fence + "\na\n" + fence, "2: the code ends where EN:3 has `b`"},
		{"fence longer", fence + "\na\n" + fence, fence + "\na\nb\n" + fence, "3: the code has `b` where that of EN:2 ends"},
		{"fence info", fence + "go\na\n" + fence, fence + "\na\n" + fence, "1: a code block where EN:1 has a code block with `go`"},
		{"fence indented, G79", fence + "go\na\n" + fence, "  " + fence + "go\n  a\n  " + fence, "1: a code block with `go`, indented by 2 where EN:1 has a code block with `go`"},
		{"fence missing", "a\n\n" + fence + "\nx\n" + fence + "\n\nb", "a\n\nb", "3: nothing where EN:3 has a code block"},
		{"text in a string", fence + "go\ns := \"// a\"\n" + fence, fence + "go\ns := \"// 甲\"\n" + fence, "2: the code has `s := \"// 甲\"` where EN:2 has `s := \"// a\"`"},
		{"comment of a compiler", fence + "go\n//go:embed a\nvar s string\n" + fence, fence + "go\n//go:embed b\nvar s string\n" + fence, "2: the code has `//go:embed b` where EN:2 has `//go:embed a`"},
		{"source of a fence", fence + "go\n// from p.A\n" + fence, fence + "go\n// from p.B\n" + fence, "2: the code has `// from p.B` where EN:2 has `// from p.A`"},
		{"comments of no language", fence + "text\n# a\n" + fence, fence + "text\n# 甲\n" + fence, "2: the code has `# 甲` where EN:2 has `# a`"},
		{"indented code", "a\n\n    x\n", "a\n\n    y\n", "3: the code has `y` where EN:3 has `x`"},
		{"quote missing", "> a\n\nb\n", "b\n", "1: nothing where EN:1 has a block quote"},
		{"alert", "> [!NOTE]\n> a\n", "> [!TIP]\n> a\n", "1: a block quote [!TIP] where EN:1 has a block quote [!NOTE]"},
		{"thematic break", "a\n\n---\n\nb\n", "a\n\nb\n", "3: nothing where EN:3 has a thematic break"},
		{"HTML", "<details>\n<summary>x</summary>\n</details>\n", "<details>\n</details>\n", "2: nothing where EN:2 has the tag <summary> and 1 more to line 2"},
		{"link target", "a\n\n[y](y.md) b\n", "a\n\n乙[y](../../go.mod)\n", "3: a link to ../../go.mod where EN:3 has a link to y.md"},
		{"link to another language", "[y](y.md)\n", "[y](../en/y.md)\n", "1: a link to ../en/y.md where EN:1 has a link to y.md"},
		{"link missing", "# T\n\na\n\nb [y](y.md) `k`\n\nc\n", "# T\n\n甲\n\n乙 `k`\n\n丙\n", "5: nothing where EN:5 has a link to y.md"},
		{"link added", "a\n", "甲[y](y.md)\n", "1: a link to y.md where EN, behind its line 1, has nothing of the kind"},
		{"link in a table", "| a |\n|---|\n| [y](y.md) |\n", "| a |\n|---|\n| y |\n", "3: nothing where EN:3 has a link to y.md"},
		{"links of two items exchanged", "- [y](y.md)\n- [m](../../go.mod)\n", "- [m](../../go.mod)\n- [y](y.md)\n", "1: a link to ../../go.mod where EN:1 has a link to y.md / 2: a link to y.md where EN:2 has a link to ../../go.mod"},
		{"fragment", "[y](y.md#one)\n", "[y](y.md#two)\n", "1: a link to y.md#two where EN:1 has a link to y.md#one"},
		{"fragment left out", "[y](y.md#one)\n", "[y](y.md)\n", "1: a link to y.md where EN:1 has a link to y.md#one"},
		{"fragment of two", "[a](y.md#one) [b](y.md#two)\n", "[a](y.md#one) [b](y.md#one)\n", "1: a link to y.md#one where EN:1 has a link to y.md#two"},
		{"reference", "[y][r]\n\n[r]: y.md\n", "[y][r]\n\n[r]: ../../go.mod\n", "1: a link to ../../go.mod where EN:1 has a link to y.md"},
		{"web", "<https://a.org/x>\n", "<https://a.org/y>\n", "1: a link to https://a.org/y where EN:1 has a link to https://a.org/x"},
		{"image", "![a](../../a.png)\n", "![甲](../../b.png)\n", "1: the image ../../b.png where EN:1 has the image ../../a.png"},
		{"switcher missing", "# A\n\nEnglish | [中文](../zh/x.md)\n\ntext\n", "# A\n\ntext\n", "3: nothing where EN:3 has the language switcher"},
		{"switcher to another page", "# A\n\nEnglish | [中文](../zh/x.md)\n", "# A\n\n[English](../en/y.md) | 中文\n", "3: a link to ../en/y.md where EN:3 has the language switcher"},
		{"switcher in another place", "# A\n\nEnglish | [中文](../zh/x.md)\n", "[English](../en/x.md) | 中文\n\n# A\n", "1: the language switcher stands in another place than in EN:3"},
		{"switcher in another paragraph", "# A\n\nEnglish | [中文](../zh/x.md)\n\ntext\n", "# A\n\n[English](../en/x.md) | 中文\n文字 [y](y.md)\n", "3: nothing where EN:3 has the language switcher / 4: a link to y.md where EN, behind its line 5, has nothing of the kind"},
		{"fence without an end", "# A\n\n```go\nx\n```\n\n- a\n\n## B\n\n```sh\ny\n```\n", "# A\n\n```go\nx\n\n- a\n\n## B\n\n```sh\ny\n```\n", "5: the code has an empty line where that of EN:4 ends"},
		{"last fence without an end", "# A\n\n```go\nx\n```\n\n- a\n", "# A\n\n```go\nx\n\n- a\n", "5: the code has an empty line where that of EN:4 ends (the code block of line 3 has no end)"},
		{"fence without a start", "# A\n\n```go\nx\n```\n\n- a\n\n## B\n", "# A\n\nx\n```\n\n- a\n\n## B\n", "4: a code block where EN:3 has a code block with `go` and 2 more to line 9 (the code block of line 4 has no end)"},
		{"two faults", "# A\n\n- a\n- b\n\ntext\n\n```\nx\n```\n", "# A\n\n- a\n\ntext\n\n```\ny\n```\n", "3: a list of 1 item where EN:3 has a list of 2 items (nothing matches EN:4) / 8: the code has `y` where EN:9 has `x`"},
		{"CRLF and byte order mark", "# A\n\n- a\n", "\ufeff# A\r\n\r\n1. a\r\n", "3: a list of 1 item numbered from 1 where EN:3 has a list of 1 item"},
		{"front matter", "# A\n\n- a\n", "---\ntitle: x\n---\n# A\n\n1. a\n", "6: a list of 1 item numbered from 1 where EN:3 has a list of 1 item"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Split(tt.want, " / "), checkPages(t, tt.en, tt.zh)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Pages that nobody writes by hand take no more than a moment and do no harm.
func TestHugePages(t *testing.T) {
	for _, tt := range []struct{ name, en, zh, want string }{
		{"items against few", strings.Repeat("- x\n", 12_000), "- x\n", "1: a list of 1 item where EN:1 has a list of 12000 items (nothing matches EN:2)"},
		{"items", strings.Repeat("- x\n", 12_000), strings.Repeat("- x\n", 12_001), "1: a list of 12001 items where EN:1 has a list of 12000 items (nothing matches line 12001)"},
		{"headings, one missing", strings.Repeat("# x\n", 3_000), strings.Repeat("# x\n", 2_999), "2999: nothing where EN:3000 has a heading of level 1"},
		{"brackets", strings.Repeat("[a][b] ", 4_000), "- x\n", "1: a list of 1 item where EN, behind its line 1, has nothing of the kind"},
		{"nesting", strings.Repeat("> ", 500) + "x", strings.Repeat("> ", 499) + "x", "1: nothing where EN:1 has a block quote"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tt.want}, checkPages(t, tt.en, tt.zh)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNoFaults(t *testing.T) {
	fence := "```"
	code := func(info, text string) string { return fence + info + "\n" + text + "\n" + fence + "\n" }
	tests := []struct{ name, en, zh string }{
		{"prose", "# A\n\nOne. Two.\n\nThree **four** `five`.\n", "# 甲\n\n一二。\n"},
		{"order of links in a sentence", "[y](y.md) after [m](../../go.mod)\n", "[m](../../go.mod) 之后是 [y](y.md)\n"},
		{"link to nothing among links", "[n](none.md), [a](#x), <https://a.org>\n", "[y](y.md)、[甲](#x)、<https://a.org>\n"},
		{"link of a translation to nothing", "[y](y.md), <https://a.org>\n", "[y](none.md)、<https://a.org>\n"},
		{"one paragraph as two", "[y](y.md) and [m](../../go.mod)\n", "[y](y.md)\n\n[m](../../go.mod)\n"},
		{"heading styles", "A\n===\n\nB\n---\n", "# 甲\n\n## 乙 ##\n"},
		{"list styles", "* a\n* b\n", "- 甲\n\n- 乙\n"},
		{"list numbers", "1. a\n1. b\n", "1. 甲\n2. 乙\n"},
		{"fence styles", code("go", "x"), "~~~~go\nx\n~~~~\n"},
		{"link styles", "[y](y.md 'title') <https://a.org>\n", "[y][r] https://a.org。\n\n[r]: <y.md>\n"},
		{"link through the other directory", "[y](y.md)\n", "[y](../zh/y.md)\n"},
		{"fragments of headings", "# Use it\n\n[a](#use-it) [y](y.md#y)\n", "# 用法\n\n[甲](#用法) [y](y.md#y)\n"},
		{"fragment of a heading and an id", "# Use it\n\n[a](#use-it)\n", "<a id=\"use-it\"></a>\n\n# 用法\n\n[甲](#use-it)\n"},
		{"fragments in another order", "[a](y.md#one) [b](y.md#two)\n", "[b](y.md#two) [a](y.md#one)\n"},
		{"fragments with one of words", "[a](y.md#one) [b](y.md#y)\n", "[b](y.md#y) [a](y.md#one)\n"},
		{"comments", "<!-- a note -->\n\na\n", "甲\n\n<!-- 两条 -->\n\n<!-- 注释 -->\n"},
		{"anchors", "# A\n", "<a id=\"a\"></a>\n\n# 甲\n"},
		{"words in HTML", "<details><summary>More</summary>\n\ntext\n\n</details>\n", "<details>\n\n<summary>更多</summary>\n\n文字\n\n</details>\n"},
		{"comments of Go", code("go", "// A is one.\nvar a = 1 // one\n\n/* long\nlong */\nvar b = 2"), code("go", "// 甲。\n// 再一行。\nvar a = 1 // 一\n\nvar b = 2")},
		{"comments of a shell", code("sh", "# run\ngo test ./... # all\necho \"a # b\" $#"), code("sh", "# 运行\ngo test ./...   # 全部\necho \"a # b\" $#")},
		{"comments of YAML", code("yaml", "# don't\na: it's # it's\nb: \"#\""), code("yaml", "# 不\na: it's # 是\nb: \"#\"")},
		{"comments of SQL", code("sql", "select 1 -- one\n/* a */ from t"), code("sql", "select 1 -- 一\n/* 甲 */ from t")},
		{"comments of JSON", code("json5", "{\"a\": \"http://x\" /* a */} // b"), code("json5", "{\"a\": \"http://x\" /* 甲 */} // 乙")},
		{"comments of Python", code("python", "s = '''\n# text\n'''  # a"), code("python", "s = '''\n# text\n'''  # 甲")},
		{"comments of make", code("make", "a: b # a\n\techo"), code("make", "a: b # 甲\n\techo")},
		{"only comments", code("go", "// a"), code("go", "// 甲\n// 乙")},
		{"reason of an ignored fence", code("go ignore: half of it", "x"), code("go ignore: 只有一半", "x")},
		{"fence in items of other width", "1. a\n\n   " + fence + "go\n   x\n   " + fence + "\n", "1.  甲\n\n    " + fence + "go\n    x\n    " + fence + "\n"},
		{"switcher", "# A\n\nEnglish | [中文](../zh/x.md)\n", "# 甲\n\n[English](../en/x.md) | 中文\n"},
		{"switcher at the top", "[English](x.md) · [中文](../zh/x.md)\n\n# A\n", "[English](../en/x.md) · [中文](x.md)\n\n# 甲\n"},
		{"switcher behind badges", "# A\n\n[![ci](../../a.svg)](../../go.mod)\n\nEnglish | [中文](../zh/x.md)\n", "# 甲\n\n[![ci](../../a.svg)](../../go.mod)\n\n[English](../en/x.md) | 中文\n"},
		{"switcher of HTML", "<p>English | <a href=\"../zh/x.md\">中文</a></p>\n\n# A\n", "<p><a href=\"../en/x.md\">English</a> | 中文</p>\n\n# 甲\n"},
		{"link to this page in the other language", "# A\n\ntext\n\nThis is also there [in Chinese](../zh/x.md).\n", "# 甲\n\n文字\n\n另有[英文](../en/x.md)。\n"},
		{"sites with languages", "[w](https://en.wikipedia.org/wiki/Log) [d](https://docs.x.org/en/a#b)\n", "[w](https://zh.wikipedia.org/wiki/日志) [d](https://docs.x.org/zh-cn/a#乙)\n"},
		{"badges of words", "![ci](https://img.shields.io/badge/docs-latest-blue) ![x](https://img.shields.io/npm/v/x)\n", "![ci](https://img.shields.io/badge/文档-最新-blue?logo=go) ![x](https://img.shields.io/npm/v/x)\n"},
		{"site-absolute paths", "[a](/en/a#b) [c](https://h.org/x/README.md)\n", "[a](/zh/a#乙) [c](https://h.org/x/README.zh.md)\n"},
		{"link that the rule link reports", "[y](y.md)\n", "[y](yy.md)\n"},
		{"declaration that the rule declaration reports", code("go", "// from p.T\ntype T int"), code("go", "// from p.T\ntype T string")},
		{"same foreign site", "[d](https://docs.x.org/en/a)\n", "[d](https://docs.x.org/en/a)\n"},
		{"images of a language", "![a](img/a.png) ![b](../b.en.png) ![c](../assets/en/c.png)\n", "![a](img/a.png) ![b](../b.zh.png) ![c](../assets/zh/c.png)\n"},
		{"the other language's image", "![a](img/a.png)\n", "![a](../en/img/a.png)\n"},
		{"address in prose", "See https://a.org/x, and so on.\n", "见https://a.org/x，等等。\n"},
		{"reference without a definition", "[y][guide] a[i][j]\n\n[guide]: y.md\n", "[y][guide] a[i][j]\n"},
		{"escapes and references", "[y](y.md) &amp; \\[x\\](gone.md)\n", "[y](&#121;.md) & `[x](gone.md)`\n"},
		{"footnotes", "a[^1]\n\n[^1]: word\n", "甲[^n]\n\n[^n]: 词\n"},
		{"front matter", "---\ntitle: A\nlist:\n- a\n---\n# A\n", "# 甲\n"},
		{"line ends", "# A\n\n```\nx\n```\n", "# 甲\r\n\r\n```\r\nx\r\n```\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{""}, checkPages(t, tt.en, tt.zh)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
