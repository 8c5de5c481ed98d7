package confirmed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bilingual has pages in two languages and a package that they describe.
const bilingual = `
-- p/p.go --
// Package p is described.
package p

// Service serves.
type Service struct{}

// Set commits at once.
func (s *Service) Set(v int) error { return nil }

// Get reads.
func (s *Service) Get() int { return 0 }
-- docs/en/a.md --
# Page

Intro.

## Set

<!-- about p.Service.Set -->

Set commits
at once.

Text without a mark.

## Get

<!-- about p.Service.Get p.Service -->
- Get reads.

<!-- BEGIN GENERATED catalog p -->
<!-- END GENERATED catalog -->

## Notes

Notes.
-- docs/zh/a.md --
# 页面

简介。

## 设置

<!-- about p.Service.Set -->

Set 立即提交。

没有标记的文字。

## 读取

<!-- about p.Service.Get p.Service -->
- Get 读取。

<!-- BEGIN GENERATED catalog p -->
<!-- END GENERATED catalog -->

## 说明

说明。
-- docs/en/b.md --
No heading here.
-- docs/zh/b.md --
这里没有标题。
`

func TestFaults(t *testing.T) {
	isolate(t)
	base := newProject(t, bilingual)
	base.baseline("")
	if got := places(base.check("")); got != nil {
		t.Fatalf("after the baseline: %v", got)
	}
	lockText := base.read("docs/sync.lock")
	type edit struct{ name, from, to string }
	for _, tc := range []struct {
		name  string
		edits []edit
		want  []string
		says  []string // parts of the messages and differences
	}{
		{"first language edited", []edit{{"docs/en/a.md", "Intro.", "New intro."}},
			[]string{"docs/zh/a.md:1: translation"},
			[]string{"section page was edited in docs/en/a.md:1 since it was confirmed; let docs/zh/a.md:1 follow, then run gen-catalog confirm docs/zh/a.md#page@", "no git repository", "+New intro."}},
		{"second language edited", []edit{{"docs/zh/a.md", "说明。", "新说明。"}},
			[]string{"docs/en/a.md:22: translation"}, []string{"section notes was edited in docs/zh/a.md:21", "+新说明。"}},
		{"both edited", []edit{{"docs/en/a.md", "Notes.", "New."}, {"docs/zh/a.md", "说明。", "新。"}},
			[]string{"docs/en/a.md:22: translation", "docs/zh/a.md:21: translation"}, []string{"edited in docs/en/a.md:22 and docs/zh/a.md:21"}},
		{"before the first heading", []edit{{"docs/en/b.md", "No", "Really no"}},
			[]string{"docs/zh/b.md:1: translation"}, []string{"gen-catalog confirm docs/zh/b.md@"}},
		{"heading renamed in one", []edit{{"docs/en/a.md", "## Notes", "## Remarks"}},
			[]string{"docs/zh/a.md:21: translation"}, []string{"section remarks was edited"}},
		{"heading renamed in both", []edit{{"docs/en/a.md", "## Notes", "## Remarks"}, {"docs/zh/a.md", "## 说明", "## 备注"}},
			[]string{"docs/en/a.md:22: translation", "docs/zh/a.md:21: translation"}, nil},
		{"new section", []edit{{"docs/en/a.md", "## Notes", "## New\n\nNew.\n\n## Notes"}, {"docs/zh/a.md", "## 说明", "## 新\n\n新。\n\n## 说明"}},
			[]string{"docs/en/a.md:22: translation"}, []string{"section new is not confirmed yet; make docs/en/a.md:22 and docs/zh/a.md:21 say the same"}},
		{"section gone", []edit{{"docs/en/a.md", "## Notes\n\nNotes.\n", ""}, {"docs/zh/a.md", "## 说明\n\n说明。\n", ""}},
			[]string{"docs/sync.lock:9: translation"}, []string{"there is no section docs/en/a.md#notes; if it is gone"}},
		{"the declaration's meaning", []edit{{"p/p.go", "Set commits at once.", "Set waits for a boundary."}},
			[]string{"docs/en/a.md:9: prose", "docs/zh/a.md:9: prose"},
			[]string{"p.Service.Set (p/p.go:7) changed since docs/en/a.md:9-10 was confirmed to describe it; bring the text and docs/zh/a.md:9 in line with it, then run gen-catalog confirm docs/en/a.md#set@", "+// Set waits"}},
		{"two declarations of a block", []edit{{"p/p.go", "Get() int", "Get() int64"}, {"p/p.go", "// Service serves.", "// Service sits."}},
			[]string{"docs/en/a.md:17: prose", "docs/zh/a.md:16: prose"}, []string{"p.Service (p/p.go:4) and p.Service.Get (p/p.go:10) changed"}},
		{"declaration renamed", []edit{{"p/p.go", "Set(v", "Sets(v"}},
			[]string{"docs/en/a.md:7: prose", "docs/zh/a.md:7: prose"}, []string{"did you mean p.Service.Sets?"}},
		{"malformed mark", []edit{{"docs/en/a.md", "about p.Service.Set", "about p.Service.Set, p.Service"}},
			[]string{"docs/en/a.md:7: prose"}, []string{`"p.Service.Set," names no declaration`}},
		{"mark without a name", []edit{{"docs/en/a.md", "about p.Service.Set", "about"}},
			[]string{"docs/en/a.md:7: prose"}, []string{"the comment names no declaration"}},
		{"mark with a package only", []edit{{"docs/en/a.md", "about p.Service.Set", "about p"}},
			[]string{"docs/en/a.md:7: prose"}, []string{`"p" names no declaration`}},
		{"mark out of place", []edit{{"docs/en/a.md", "Set commits\nat once.\n\nText without a mark.", "```go\n```"}},
			[]string{"docs/en/a.md:7: prose", "docs/zh/a.md:5: translation"}, []string{"before a block of another kind"}},
		{"new mark", []edit{{"docs/en/a.md", "Text without", "<!-- about p.Service -->\nText without"}},
			[]string{"docs/en/a.md:12: prose"}, []string{"that section set describes p.Service is not confirmed yet; compare docs/en/a.md:13 and docs/zh/a.md:11"}},
		{"lock file torn", []edit{{"docs/sync.lock", "docs/en/a.md#notes en=", "docs/en/a.md#notes en"}},
			[]string{"failure: docs/sync.lock:9: "}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProject(t, bilingual)
			p.write("docs/sync.lock", lockText)
			for _, e := range tc.edits {
				p.edit(e.name, e.from, e.to)
			}
			out := p.check("")
			got := places(out)
			if len(out.Failures) > 0 {
				got[0] = got[0][:strings.Index(got[0], ": \"")+2]
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s\n%v", d, out.Findings)
			}
			var all strings.Builder
			for _, f := range out.Findings {
				all.WriteString(f.Message + "\n" + f.Diff)
			}
			for _, want := range tc.says {
				if !strings.Contains(all.String(), want) {
					t.Errorf("nothing says %q:\n%s", want, all.String())
				}
			}
			if args := commands(out); len(args) > 0 {
				if _, refused := p.confirm("", args...); len(refused.Findings)+len(refused.Failures) > 0 {
					t.Errorf("confirm %v: %v", args, refused)
				}
				var left []string // what no confirmation settles
				for _, f := range out.Findings {
					if !strings.Contains(f.Message, "run gen-catalog") {
						left = append(left, fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Rule))
					}
				}
				if d := cmp.Diff(left, places(p.check(""))); d != "" {
					t.Errorf("after %v: %s", args, d)
				}
			}
		})
	}
}

// What is no fault.
func TestSilence(t *testing.T) {
	isolate(t)
	base := newProject(t, bilingual)
	base.baseline("")
	lockText := base.read("docs/sync.lock")
	type edit struct{ name, from, to string }
	for _, tc := range []struct {
		name  string
		edits []edit
	}{
		{"regenerated", []edit{{"docs/en/a.md", "catalog p -->\n", "catalog p -->\n\n### Generated\n\nnew\n"}, {"docs/zh/a.md", "catalog p -->\n", "catalog p -->\n\n### Generated\n\nold\n"}}},
		{"white space at line ends", []edit{{"docs/en/a.md", "Intro.\n", "Intro.  \t\n"}}},
		{"mark taken away", []edit{{"docs/en/a.md", "<!-- about p.Service.Set -->\n\n", ""}}},
		{"comments for people", []edit{{"docs/en/a.md", "<!-- about p.Service.Set -->\n", "<!-- about the settings of this page -->\n<!-- about p.Service.Set -->\n"}}},
		{"formatting of the source", []edit{{"p/p.go", "func (s *Service) Set(v int) error { return nil }", "func (service *Service) Set(\n\tv int,\n) error {\n\t// body\n\treturn nil\n}"}}},
		{"a directive", []edit{{"p/p.go", "// Set commits at once.\n", "// Set commits at once.\n//\n//nolint:all\n"}}},
		{"another declaration", []edit{{"p/p.go", "// Service serves.", "// New is new.\nfunc New() *Service { return nil }\n\n// Service serves."}}},
		{"pages that differ in headings", []edit{{"docs/en/a.md", "Intro.", "Intro?\n\n## More"}}},
		{"faulty markers", []edit{{"docs/en/a.md", "<!-- END GENERATED catalog -->\n", ""}, {"docs/en/a.md", "Intro.", "Intro?"}}},
		{"front matter", []edit{{"docs/en/b.md", "No", "---\nweight: 1\n---\nNo"}}},
		{"sections in another order", []edit{
			{"docs/en/a.md", "# Page\n\nIntro.\n", "# Page\n\nIntro.\n\n## Notes\n\nNotes.\n"}, {"docs/zh/a.md", "# 页面\n\n简介。\n", "# 页面\n\n简介。\n\n## 说明\n\n说明。\n"},
			{"docs/en/a.md", "<!-- END GENERATED catalog -->\n\n## Notes\n\nNotes.\n", "<!-- END GENERATED catalog -->\n"},
			{"docs/zh/a.md", "<!-- END GENERATED catalog -->\n\n## 说明\n\n说明。\n", "<!-- END GENERATED catalog -->\n"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProject(t, bilingual)
			p.write("docs/sync.lock", lockText)
			for _, e := range tc.edits {
				p.edit(e.name, e.from, e.to)
			}
			if out := p.check(""); len(out.Findings)+len(out.Failures) > 0 {
				t.Errorf("%v", out)
			}
			if d := cmp.Diff(lockText, p.read("docs/sync.lock")); d != "" {
				t.Errorf("a check wrote the lock file: %s", d)
			}
		})
	}
	t.Run("CRLF and a byte order mark", func(t *testing.T) {
		p := newProject(t, bilingual)
		p.write("docs/sync.lock", strings.ReplaceAll(lockText, "\n", "\r\n"))
		for _, name := range []string{"docs/en/a.md", "docs/zh/b.md", "p/p.go"} {
			p.write(name, strings.ReplaceAll(p.read(name), "\n", "\r\n"))
		}
		p.write("docs/zh/a.md", "\ufeff"+p.read("docs/zh/a.md"))
		if out := p.check(""); len(out.Findings)+len(out.Failures) > 0 {
			t.Errorf("%v", out)
		}
	})
	t.Run("renamed page", func(t *testing.T) {
		p := newProject(t, bilingual)
		p.write("docs/sync.lock", lockText)
		for _, lang := range []string{"en", "zh"} {
			p.rename("docs/"+lang+"/a.md", "docs/"+lang+"/c.md")
		}
		if out := p.check(""); len(out.Findings)+len(out.Failures) > 0 {
			t.Errorf("%v", out)
		}
		// The next confirmation takes the new names over.
		p.edit("docs/en/b.md", "No", "Really no")
		p.settle("")
		if text := p.read("docs/sync.lock"); strings.Contains(text, "en/a.md") || !strings.Contains(text, "docs/en/c.md#notes") {
			t.Errorf("lock file:\n%s", text)
		}
	})
	t.Run("no lock file", func(t *testing.T) {
		p := newProject(t, bilingual)
		p.edit("docs/en/a.md", "about p.Service.Set", "about p.Nothing")
		if out := p.check(""); len(out.Findings)+len(out.Failures) > 0 {
			t.Errorf("%v", out)
		}
	})
	t.Run("page missing in a language", func(t *testing.T) {
		for _, name := range []string{"docs/zh/a.md", "docs/en/a.md"} {
			p := newProject(t, bilingual)
			p.write("docs/sync.lock", lockText)
			p.remove(name)
			if out := p.check(""); len(out.Findings)+len(out.Failures) > 0 {
				t.Errorf("without %s: %v", name, out)
			}
		}
	})
}

// TestMarksArePaired has a paragraph more before the mark in one language: each language's
// own block is named.
func TestMarksArePaired(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.edit("docs/zh/a.md", "<!-- about p.Service.Set -->\n", "先说一句。\n\n<!-- about p.Service.Set -->\n")
	p.baseline("")
	p.edit("p/p.go", "Set commits at once.", "Set waits for a boundary.")
	want := []string{"docs/en/a.md:9: prose", "docs/zh/a.md:11: prose"}
	if d := cmp.Diff(want, places(p.check(""))); d != "" {
		t.Error(d)
	}
}
