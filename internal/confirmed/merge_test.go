package confirmed_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Branches that confirm different sections merge, neighbours included.
func TestMergeDifferentSections(t *testing.T) {
	p := newProject(t, bilingual)
	inGit(t, p)
	p.baseline("")
	p.commit()
	p.mustGit("checkout", "-q", "-b", "one")
	p.edit("docs/en/a.md", "Notes.", "New notes.")
	p.edit("docs/zh/a.md", "说明。", "新说明。")
	p.settle("")
	p.commit()
	p.mustGit("checkout", "-q", "-b", "two", "main")
	p.edit("docs/en/a.md", "Intro.", "New intro.")
	p.settle("")
	p.commit()
	p.mustGit("checkout", "-q", "-b", "three", "main")
	p.edit("p/p.go", "// Get reads.", "// Get reads it.")
	p.settle("")
	p.commit()
	for _, branch := range []string{"one", "two"} {
		if out, err := p.git("merge", "-q", "--no-edit", branch); err != nil {
			t.Fatalf("merge %s: %v\n%s\n%s", branch, err, out, p.read("docs/sync.lock"))
		}
	}
	if left := places(p.check("")); left != nil {
		t.Errorf("after the merges: %v", left)
	}
}

// Branches that confirm the same section conflict; the printed command settles it.
func TestMergeSameSection(t *testing.T) {
	for _, style := range []string{"merge", "diff3"} {
		t.Run(style, func(t *testing.T) {
			p := newProject(t, bilingual)
			inGit(t, p)
			p.baseline("")
			p.commit()
			p.mustGit("checkout", "-q", "-b", "one")
			p.edit("docs/en/a.md", "Text without a mark.", "Text without any mark.")
			p.edit("docs/en/a.md", "Intro.", "New intro.")
			p.settle("")
			p.commit()
			p.mustGit("checkout", "-q", "-b", "two", "main")
			p.edit("p/p.go", "Set commits at once.", "Set waits.")
			p.edit("docs/zh/a.md", "简介。", "新简介。")
			p.settle("")
			p.commit()
			out, err := p.git("-c", "merge.conflictStyle="+style, "merge", "-q", "--no-edit", "one")
			if err == nil || strings.Contains(out, "a.md") {
				t.Fatalf("the merge should conflict in the lock file alone: %v\n%s", err, out)
			}
			got := p.check("")
			want := []string{"docs/en/a.md:1: translation", "docs/en/a.md:5: translation"}
			if d := cmp.Diff(want, places(got)); d != "" {
				t.Fatalf("%s\n%s", d, p.read("docs/sync.lock"))
			}
			if !strings.Contains(got.Findings[1].Message, "section set is in a merge conflict (docs/sync.lock:") {
				t.Errorf("%s", got.Findings[1].Message)
			}
			// One is settled, the other stays in conflict.
			args := commands(got)
			if _, refused := p.confirm("", args[0]); len(refused.Findings) > 0 {
				t.Fatal(refused)
			}
			if d := cmp.Diff(want[1:], places(p.check(""))); d != "" {
				t.Errorf("%s\n%s", d, p.read("docs/sync.lock"))
			}
			if n := strings.Count(p.read("docs/sync.lock"), "docs/en/a.md#set "); n != 2 {
				t.Errorf("%d entries of the section in conflict are left", n)
			}
			p.settle("")
			if text := p.read("docs/sync.lock"); strings.Contains(text, "<<<<<<<") {
				t.Errorf("markers are left:\n%s", text)
			}
			p.commit()
		})
	}
}

// Nothing of a conflict about sections that are gone is lost before it is confirmed.
func TestConflictOfGoneSection(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.baseline("")
	lines := strings.Split(p.read("docs/sync.lock"), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "docs/en/a.md#notes") {
			lines[i] = "<<<<<<< HEAD\n" + strings.Replace(l, "#notes", "#old", 1) + "\n=======\n" + l + "\n>>>>>>> other"
		}
	}
	p.write("docs/sync.lock", strings.Join(lines, "\n"))
	if d := cmp.Diff([]string{"docs/en/a.md:22: translation", "docs/sync.lock:10: translation"}, places(p.check(""))); d != "" {
		t.Errorf("%s\n%s", d, p.read("docs/sync.lock"))
	}
	p.settle("")
}
