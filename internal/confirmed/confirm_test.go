package confirmed_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/confirmed"
	"github.com/agentplan/sdk/internal/finding"
)

func checkInput(t *testing.T, in confirmed.Input) finding.List {
	t.Helper()
	var out finding.List
	confirmed.Check(t.Context(), in, &out)
	out.Sort()
	return out
}

func TestConfirm(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.baseline("")
	p.edit("docs/en/a.md", "Intro.", "New intro.")
	p.edit("docs/zh/a.md", "说明。", "新说明。")
	before := p.read("docs/sync.lock")
	args := commands(p.check(""))
	if len(args) != 2 {
		t.Fatal(args)
	}
	intro, notes := args[1], args[0]

	refuse := func(name string, args []string, want []string, says string) {
		t.Helper()
		r, out := p.confirm("", args...)
		if d := cmp.Diff(confirmed.Result{}, r); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(want, places(out)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if !strings.Contains(words(out), says) {
			t.Errorf("%s: nothing says %q: %s", name, says, words(out))
		}
		if d := cmp.Diff(before, p.read("docs/sync.lock")); d != "" {
			t.Errorf("%s: the lock file was written: %s", name, d)
		}
	}
	state := []string{"docs/zh/a.md:1: translation", "docs/zh/a.md:1: translation"}
	refuse("no token", []string{"docs/zh/a.md#page"}, state, "needs the token")
	refuse("wrong token", []string{"docs/zh/a.md#page@123456789abc"}, state, "then run gen-catalog confirm "+intro)
	refuse("one good, one wrong", []string{notes, "docs/zh/a.md#page@123456789abc"}, state, "not that of the bytes")
	refuse("token of another section", []string{intro[:strings.Index(intro, "@")] + notes[strings.Index(notes, "@"):]}, state, "not that of the bytes")
	refuse("confirmed already", []string{"docs/en/b.md@123456789abc"}, []string{"docs/en/b.md:1: translation"}, "nothing to do")
	refuse("no such section", []string{"docs/zh/a.md#pages@123456789abc"}, []string{"failure: there is no section docs/zh/a.md#pages; did you mean docs/zh/a.md#page?; name one as the findings do, PATH#ANCHOR@TOKEN"}, "")

	p.edit("docs/en/a.md", "New intro.", "Newer intro.")
	refuse("moved bytes", []string{intro}, state, "Newer intro")
	p.edit("docs/en/a.md", "Newer intro.", "New intro.")

	intro = strings.Replace(intro, "#page@", "#页面@", 1) // the anchor of that language
	r, out := p.confirm("", "./"+intro, notes, intro)
	if d := cmp.Diff(confirmed.Result{Confirmed: []string{"docs/en/a.md#notes", "docs/en/a.md#page"}, Written: true}, r); d != "" || len(out.Findings) > 0 {
		t.Errorf("%s %v", d, out)
	}
	if left := places(p.check("")); left != nil {
		t.Error(left)
	}
	if changed := changedLines(before, p.read("docs/sync.lock")); changed != 2 {
		t.Errorf("%d lines of the lock file changed", changed)
	}
	if r, out := p.confirm("", intro); r.Written || len(out.Findings)+len(out.Failures) > 0 {
		t.Errorf("confirming again: %+v %v", r, out)
	}
}

// words are the messages and differences of a list.
func words(out finding.List) string {
	var b strings.Builder
	for _, f := range out.Findings {
		b.WriteString(f.Message + "\n" + f.Diff)
	}
	for _, f := range out.Failures {
		b.WriteString(f.Error() + "\n")
	}
	return b.String()
}

func changedLines(before, after string) int {
	old := strings.Split(before, "\n")
	n := 0
	for i, l := range strings.Split(after, "\n") {
		if i >= len(old) || old[i] != l {
			n++
		}
	}
	return n
}

func TestConfirmFailures(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	_, out := p.confirm("", "docs/zh/a.md#page@123456789abc")
	if d := cmp.Diff([]string{"failure: docs/sync.lock: there is no lock file; make it for all sections with gen-catalog confirm --baseline"}, places(out)); d != "" {
		t.Error(d)
	}
	p.baseline("")
	var again finding.List
	if r := confirmed.Baseline(t.Context(), p.input(""), &again); r.Written || len(again.Failures) != 1 || !strings.Contains(words(again), "there is a lock file already") {
		t.Errorf("a second baseline: %+v %v", r, again)
	}

	p.edit("docs/en/a.md", "Intro.", "New intro.")
	args := commands(p.check(""))
	if err := os.Chmod(p.path("docs/sync.lock"), 0o444); err != nil {
		t.Fatal(err)
	}
	if r, out := p.confirm("", args...); r.Written || len(out.Failures) != 1 || !strings.Contains(words(out), "read-only") {
		t.Errorf("a read-only lock file: %+v %v", r, out)
	}
	if err := os.Chmod(p.path("docs/sync.lock"), 0o644); err != nil {
		t.Fatal(err)
	}

	p.edit("docs/en/a.md", "New intro.", "New intro.\n\n## More")
	_, out = p.confirm("", args...)
	if !strings.Contains(words(out), "differ in the number of their headings") {
		t.Errorf("pages that differ: %v", out)
	}
}

// A page that is gone in every language is one finding, and one command removes all that
// the lock has of it.
func TestPageGone(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.baseline("")
	p.remove("docs/en/a.md")
	p.remove("docs/zh/a.md")
	if d := cmp.Diff([]string{"docs/sync.lock:7: translation"}, places(p.check(""))); d != "" {
		t.Fatal(d)
	}
	p.settle("")
	if text := p.read("docs/sync.lock"); strings.Contains(text, "a.md") || !strings.Contains(text, "docs/en/b.md en=") {
		t.Error(text)
	}
}

func TestThreeLanguages(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.write("docs/fr/a.md", "# Page\n\nFr.\n\n## Mettre\n\nFr.\n\nFr.\n\n## Lire\n\n- Fr.\n\n<!-- BEGIN GENERATED catalog p -->\n<!-- END GENERATED catalog -->\n\n## Notes\n\nFr.\n")
	p.write("docs/fr/b.md", "Fr.\n")
	const langs = "en,zh,fr"
	p.baseline(langs)
	if left := places(p.check(langs)); left != nil {
		t.Fatal(left)
	}
	p.edit("docs/zh/a.md", "简介。", "新简介。")
	p.edit("p/p.go", "Set commits at once.", "Set waits.")
	want := []string{"docs/en/a.md:1: translation", "docs/en/a.md:9: prose", "docs/fr/a.md:1: translation", "docs/fr/a.md:7: prose", "docs/zh/a.md:9: prose"}
	out := p.check(langs)
	if d := cmp.Diff(want, places(out)); d != "" {
		t.Error(d)
	}
	if n := len(commands(out)); n != 5 {
		t.Errorf("%d commands", n)
	}
	p.settle(langs)
	p.edit("docs/en/a.md", "Intro.", "New.")
	p.edit("docs/zh/a.md", "新简介。", "新。")
	if d := cmp.Diff([]string{"docs/fr/a.md:1: translation"}, places(p.check(langs))); d != "" {
		t.Error(d)
	}
	// A page that is missing in one language leaves the others to be judged.
	p.remove("docs/fr/a.md")
	if d := cmp.Diff([]string{"docs/en/a.md:1: translation", "docs/zh/a.md:1: translation"}, places(p.check(langs))); d != "" {
		t.Error(d)
	}
}

// A further language is to be confirmed where it stands.
func TestNewLanguage(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.baseline("")
	p.write("docs/fr/a.md", "# A\n")
	p.write("docs/fr/b.md", "Fr.\n")
	if d := cmp.Diff([]string{"docs/fr/b.md:1: translation"}, places(p.check("en,zh,fr"))); d != "" {
		t.Error(d)
	}
	p.settle("en,zh,fr")
}

// With one language there is nothing to translate, and prose still answers to the source.
func TestOneLanguage(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.baseline("en")
	var names []string
	for l := range strings.Lines(p.read("docs/sync.lock")) {
		if strings.HasPrefix(l, "docs/") {
			name, _, _ := strings.Cut(l, " ")
			names = append(names, name)
		}
	}
	if d := cmp.Diff([]string{"docs/en/a.md#get", "docs/en/a.md#set"}, names); d != "" {
		t.Error(d)
	}
	p.edit("docs/en/a.md", "Intro.", "New intro.\n\n## New\n\nNew.")
	p.edit("docs/en/a.md", "Set commits", "Set has always committed")
	if left := places(p.check("en")); left != nil {
		t.Error(left)
	}
	p.edit("p/p.go", "Set commits at once.", "Set waits.")
	p.edit("docs/en/a.md", "Notes.", "<!-- about p.Service -->\nNotes.")
	out := p.check("en")
	if d := cmp.Diff([]string{"docs/en/a.md:13: prose", "docs/en/a.md:28: prose"}, places(out)); d != "" {
		t.Error(d)
	}
	p.settle("en")
	p.edit("docs/en/a.md", "## Get\n\n<!-- about p.Service.Get p.Service -->\n- Get reads.\n", "")
	if got := places(p.check("en")); len(got) != 1 || !strings.HasSuffix(got[0], "prose") || !strings.HasPrefix(got[0], "docs/sync.lock:") {
		t.Error(got)
	}
	p.settle("en")
}

// Pages of the settings file have sections too; one for every language needs no language.
func TestNamedPages(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.write(".catalog.yaml", "pages: [[README.md, README.zh.md], [NOTES.md]]\n")
	p.write("README.md", "# R\n\nText.\n")
	p.write("README.zh.md", "# R\n\n文字。\n")
	p.write("NOTES.md", "# N\n\n<!-- about p.Service -->\nText.\n")
	p.baseline("")
	text := p.read("docs/sync.lock")
	for _, want := range []string{"\nNOTES.md#n *=", "\nREADME.md#r en="} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	p.edit("README.md", "Text.", "Words.")
	p.edit("NOTES.md", "Text.", "Words.")
	p.edit("p/p.go", "// Service serves.", "// Service sits.")
	want := []string{"NOTES.md:4: prose", "README.zh.md:1: translation", "docs/en/a.md:17: prose", "docs/zh/a.md:16: prose"}
	if d := cmp.Diff(want, places(p.check(""))); d != "" {
		t.Error(d)
	}
	p.settle("")
}

// What a verify needs is read, never written, and the order of findings is fixed.
func TestCheckIsRepeatable(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.baseline("")
	p.edit("p/p.go", "// Service serves.", "// Service sits.")
	p.edit("p/p.go", "Set commits at once.", "Set waits.")
	p.edit("docs/en/a.md", "Intro.", "New.")
	p.edit("docs/zh/a.md", "说明。", "新。")
	first := p.check("")
	for range 5 {
		if d := cmp.Diff(first, p.check("")); d != "" {
			t.Fatal(d)
		}
	}
	if !slices.IsSortedFunc(first.Findings, finding.Finding.Compare) {
		t.Error("not sorted")
	}
}
