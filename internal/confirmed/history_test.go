package confirmed_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// diffs are the differences of all findings by path and line.
func (p project) diffs() map[string]string {
	p.Helper()
	out := p.check("")
	got := map[string]string{}
	for i, f := range out.Findings {
		got[strings.TrimSuffix(places(out)[i], ": "+string(f.Rule))] = f.Diff
	}
	return got
}

// A finding shows what was edited since the confirmation, and not since the last commit.
func TestTextDiff(t *testing.T) {
	p := newProject(t, bilingual)
	inGit(t, p)
	p.baseline("")
	p.commit()
	p.edit("docs/en/a.md", "Set commits\nat once.", "Set commits\nlater.")
	p.commit()
	p.edit("docs/en/a.md", "Text without a mark.", "Text without any mark.")
	p.edit("docs/en/a.md", "# Page\n", "# Page\n\nOne.\n\n")
	p.commit()
	want := `--- docs/en/a.md (confirmed)
+++ docs/en/a.md
@@ -5,6 +8,6 @@
 ## Set
 
 Set commits
-at once.
+later.
 
-Text without a mark.
+Text without any mark.
`
	got := p.diffs()
	if d := cmp.Diff(want, got["docs/zh/a.md:5"]); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(2, len(got)); d != "" {
		t.Error(d)
	}
	p.settle("")
}

func TestSourceDiff(t *testing.T) {
	p := newProject(t, bilingual)
	inGit(t, p)
	p.baseline("")
	p.commit()
	p.edit("p/p.go", "// Service serves.", "// Service serves\n// many.")
	p.edit("p/p.go", "Set commits at once.", "Set waits for a boundary.")
	p.commit()
	p.edit("p/p.go", "Set waits for a boundary.", "Set waits.")
	want := `--- p/p.go (confirmed)
+++ p/p.go
@@ -7,2 +8,2 @@
-// Set commits at once.
+// Set waits.
 func (s *Service) Set(v int) error
`
	got := p.diffs()
	for _, at := range []string{"docs/en/a.md:9", "docs/zh/a.md:9"} {
		if d := cmp.Diff(want, got[at]); d != "" {
			t.Errorf("%s: %s", at, d)
		}
	}
	p.settle("")
}

// Without the confirmed bytes the whole section is shown, and why.
func TestDiffWithoutHistory(t *testing.T) {
	want := func(why string) string {
		return "--- docs/en/a.md (all of it is shown: " + why + ")\n+++ docs/en/a.md\n@@ -0,0 +1,3 @@\n+# Page\n+\n+Two.\n"
	}
	setUp := func(t *testing.T) project {
		p := newProject(t, bilingual)
		inGit(t, p)
		p.baseline("")
		p.commit()
		p.edit("docs/en/a.md", "Intro.", "One.")
		p.commit()
		p.edit("docs/en/a.md", "One.", "Two.")
		p.commit()
		return p
	}
	t.Run("shallow", func(t *testing.T) {
		p := setUp(t)
		clone := project{t, filepath.Join(t.TempDir(), "clone"), p.modules}
		p.mustGit("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(p.dir), clone.dir)
		if d := cmp.Diff(want("the shallow history does not have what was confirmed; git fetch --unshallow gets the rest"), clone.diffs()["docs/zh/a.md:1"]); d != "" {
			t.Error(d)
		}
	})
	t.Run("never committed", func(t *testing.T) {
		p := setUp(t)
		p.edit("docs/en/a.md", "Two.", "Not committed.")
		p.settle("")
		p.edit("docs/en/a.md", "Not committed.", "Two.")
		if d := cmp.Diff(want("the history does not have what was confirmed"), p.diffs()["docs/zh/a.md:1"]); d != "" {
			t.Error(d)
		}
	})
	t.Run("no git", func(t *testing.T) {
		p := setUp(t)
		in := p.input("") // the go command needs its path
		t.Setenv("PATH", t.TempDir())
		out := checkInput(t, in)
		if d := cmp.Diff(want("git is not installed"), out.Findings[0].Diff); d != "" {
			t.Error(d)
		}
	})
}

func TestLongDiff(t *testing.T) {
	isolate(t)
	p := newProject(t, bilingual)
	p.baseline("")
	p.edit("docs/en/a.md", "Intro.", strings.Repeat("Intro.\n", 100))
	diff := p.diffs()["docs/zh/a.md:1"]
	if n := strings.Count(diff, "\n"); n != 61 || !strings.HasSuffix(diff, "... 45 more lines\n") {
		t.Errorf("%d lines:\n%s", n, diff)
	}
}
