package section_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/section"
)

func parse(t testing.TB, text string) []*section.Section {
	t.Helper()
	p, err := page.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return section.Parse(p)
}

const region = "<!-- BEGIN GENERATED catalog p -->\n%<!-- END GENERATED catalog -->\n"

func TestParse(t *testing.T) {
	withRegion := func(body string) string { return strings.Replace(region, "%", body, 1) }
	type S = section.Section
	for _, tc := range []struct {
		name, text string
		want       []*S
	}{
		{"empty", "", []*S{{Line: 1}}},
		{"no heading", "a\n\nb\n", []*S{{Line: 1, Text: "a\n\nb\n", Lines: []int{1, 2, 3}, Blocks: []section.Block{{1, 1}, {3, 3}}}}},
		{"white space, CRLF and a byte order mark", "\ufeff# A \r\n\r\nb\t\r\n\r\n", []*S{
			{Line: 1}, {Heading: true, Title: "A", Line: 1, Text: "# A\n\nb\n", Lines: []int{1, 2, 3}, Blocks: []section.Block{{3, 3}}},
		}},
		{"front matter", "---\ntitle: A\n---\n# A\n", []*S{
			{Line: 1}, {Heading: true, Title: "A", Line: 4, Text: "# A\n", Lines: []int{4}},
		}},
		{"quoted declaration", "# A\n\n```go\n// from p.T\ntype T int\n```\n", []*S{
			{Line: 1}, {Heading: true, Title: "A", Line: 1, Text: "# A\n\n```go\n// from p.T\n```\n", Lines: []int{1, 2, 3, 4, 6}, Blocks: []section.Block{{3, 6}}},
		}},
		{"headings in fences, quotes and lists", "# A\n\n```\n# b\n```\n\n> # c\n\n- # d\n", []*S{
			{Line: 1}, {Heading: true, Title: "A", Line: 1, Text: "# A\n\n```\n# b\n```\n\n> # c\n\n- # d\n", Lines: []int{1, 2, 3, 4, 5, 6, 7, 8, 9},
				Blocks: []section.Block{{3, 5}, {7, 7}, {9, 9}}},
		}},
		{"region bodies", "# A\n\n" + withRegion("\n## B\n\n") + "\nc\n", []*S{
			{Line: 1}, {Heading: true, Title: "A", Line: 1, Text: "# A\n\n<!-- BEGIN GENERATED catalog p -->\n<!-- END GENERATED catalog -->\n\nc\n",
				Lines: []int{1, 2, 3, 7, 8, 9}, Blocks: []section.Block{{9, 9}}},
		}},
		{"explicit anchors", "a\n\n<a id=\"x\"></a>\n\n## 甲\n\n## <a name='y'></a>B `c`\n", []*S{
			{Line: 1, Text: "a\n", Lines: []int{1}, Blocks: []section.Block{{1, 1}}},
			{Heading: true, Title: "甲", ID: "x", Line: 5, Text: "<a id=\"x\"></a>\n\n## 甲\n", Lines: []int{3, 4, 5}, Blocks: []section.Block{{3, 3}}},
			{Heading: true, Title: "B c", ID: "y", Line: 7, Text: "## <a name='y'></a>B `c`\n", Lines: []int{7}},
		}},
		{"about", "# A\n\n<!-- about p.B p.C -->\n\ntext\n\n<!-- about\n  p.D -->\n| a |\n|---|\n| b |\n", []*S{
			{Line: 1}, {Heading: true, Title: "A", Line: 1, Text: "# A\n\ntext\n\n| a |\n|---|\n| b |\n", Lines: []int{1, 2, 5, 6, 9, 10, 11},
				Blocks: []section.Block{{5, 5}, {9, 11}},
				Abouts: []section.About{{Line: 3, Words: []string{"p.B", "p.C"}}, {Line: 7, Words: []string{"p.D"}, Block: 1}}},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := parse(t, tc.text)
			if d := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(S{})); d != "" {
				t.Error(d)
			}
		})
	}
}

// What a region holds, and what comments say of blocks, are no part of the text.
func TestTextIsStable(t *testing.T) {
	texts := []string{
		"# A\n\nb\n\nc\n\n" + strings.Replace(region, "%", "", 1),
		"# A\n\n<!-- about p.B -->\nb\n\nc\n\n" + strings.Replace(region, "%", "# x\n\ny\n", 1),
		"# A\n\nb\n\n<!-- about p.B\np.C -->\n\nc  \n\n" + strings.Replace(region, "%", "\n<!-- about p.X -->\n", 1) + "\n\n",
		"\ufeff" + strings.ReplaceAll("# A\n\n<!-- about p.B -->\n\nb\n\nc\n\n"+strings.Replace(region, "%", "z\n", 1), "\n", "\r\n"),
	}
	want := parse(t, texts[0])[1].Text
	for _, text := range texts[1:] {
		if d := cmp.Diff(want, parse(t, text)[1].Text); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// A new section behind a section leaves it as it is, anchor or not.
func TestNeighbours(t *testing.T) {
	alone := parse(t, "# A\n\nb\n")[1].Sum()
	for _, next := range []string{"\n## C\n", "\n\n<a id=\"c\"></a>\n## C\n", "\n<a id=\"c\">\n</a>\n\n## C\n", "\nC\n---\n"} {
		if got := parse(t, "# A\n\nb\n"+next); got[1].Sum() != alone || len(got) != 3 {
			t.Errorf("%q changes the section before: %q", next, got[1].Text)
		}
	}
}

func TestAboutFaults(t *testing.T) {
	for _, tc := range []struct {
		text  string
		fault string // a part of it; empty: none
	}{
		{"<!-- about p.B -->\ntext\n", ""},
		{"<!-- about p.B -->\n\n- list\n", ""},
		{"<!-- about p.B -->\n<!-- about p.C -->\ntext\n", ""},
		{"<!-- about p.B -->\n<!-- translators: formal -->\ntext\n", ""},
		{"<!-- about p.B --> text\n", "text behind"},
		{"<!-- about p.B -->\n# H\n", "nothing follows"},
		{"<!-- about p.B -->\n\n```go\n```\n", "another kind"},
		{"<!-- about p.B -->\n\n> quote\n", "another kind"},
		{"<!-- about p.B -->\n<!-- BEGIN GENERATED catalog p -->\n<!-- END GENERATED catalog -->\n\ntext\n", "generated region"},
		{"text\n\n<!-- about p.B -->\n", "nothing follows"},
		{"- <!-- about p.B -->\n  text\n", "another block"},
		{"text <!-- about p.B --> text\n", "another block"},
	} {
		abouts := parse(t, tc.text)[0].Abouts
		if len(abouts) == 0 {
			t.Errorf("%q: no comment found", tc.text)
			continue
		}
		got := abouts[0]
		if tc.fault == "" && got.Fault != "" || !strings.Contains(got.Fault, tc.fault) || (got.Block < 0) != (got.Fault != "") {
			t.Errorf("%q: fault %q, block %d; want %q", tc.text, got.Fault, got.Block, tc.fault)
		}
	}
	for _, text := range []string{
		"```\n<!-- about p.B -->\n```\n",
		"    <!-- about p.B -->\n",
		"`<!-- about p.B -->`\n",
		"<!-- roundabout p.B -->\n\ntext\n",
		"<!--\nsee about p.B -->\n\ntext\n",
		strings.Replace(region, "%", "<!-- about p.B -->\n", 1),
	} {
		if a := parse(t, text)[0].Abouts; a != nil {
			t.Errorf("%q: found %v", text, a)
		}
	}
}

func TestNames(t *testing.T) {
	sections := parse(t, "# Set, get & *go*!\n## Example\n## Example\n## `Example`\n## 权威 Go\n## <a id=\"example\"></a>Other\n## !\n## ?\n## [a](b) ![c](d)\n")
	want := []string{"", "set-get--go", "example-1", "example-2", "example-3", "权威-go", "example", "section", "section-1", "a"}
	if d := cmp.Diff(want, section.Names(sections)); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# A\n\n<!-- about p.B -->\ntext\n" + region)
	f.Add("\ufeff---\na: b\n---\r\n<a id=x>\n\nS\n=\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := page.Parse([]byte(text))
		if err != nil {
			return
		}
		lines := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n") + 1
		last := 0
		for _, s := range section.Parse(p) {
			if n := strings.Count(s.Text, "\n"); n != len(s.Lines) {
				t.Errorf("%d lines of text, %d line numbers", n, len(s.Lines))
			}
			if s.Line < 1 || s.Line > lines {
				t.Errorf("line %d of %d", s.Line, lines)
			}
			for _, l := range s.Lines {
				if l <= last || l > lines {
					t.Errorf("line %d behind line %d of %d", l, last, lines)
				}
				last = l
			}
			for _, b := range s.Blocks {
				if b.Line < 1 || b.End < b.Line || b.End > lines {
					t.Errorf("block %v of %d lines", b, lines)
				}
			}
			for _, a := range s.Abouts {
				if (a.Fault == "") != (0 <= a.Block && a.Block < len(s.Blocks)) {
					t.Errorf("comment %v with %d blocks", a, len(s.Blocks))
				}
			}
		}
	})
}
