package cli_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/testfile"
)

// faultyBook is a tree with all faults, the first in chapter 0.
func faultyBook(t *testing.T, confirmed bool) (dir string, faults []fault) {
	t.Helper()
	dir, faults = t.TempDir(), bookFaults()
	writeBook(t, dir, bookChapters)
	gen(t, "--dir", dir)
	if confirmed {
		gen(t, "confirm", "--dir", dir, "--baseline")
	}
	testfile.Write(t, filepath.Join(dir, ".catalog.yaml"), "gen: gen\n") // generated Go is missing
	plant(t, dir, faults, 0)
	return dir, faults
}

func wantFindings(t *testing.T, want []string, dir string, flags ...string) (printed string) {
	t.Helper()
	got, printed := verifyBook(t, dir, flags...)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("findings (-want +got):\n%s\n%s", diff, printed)
	}
	return printed
}

// TestBaselineAdoption accepts a tree with faults by one command, whether its sections
// were confirmed before or not.
func TestBaselineAdoption(t *testing.T) {
	for _, confirmed := range []bool{false, true} {
		t.Run(fmt.Sprint(confirmed), func(t *testing.T) {
			dir, _ := faultyBook(t, confirmed)
			gen(t, "baseline", "--dir", dir)
			printed := wantFindings(t, nil, dir)

			all, _ := verifyBook(t, dir, "--no-baseline")
			if want := fmt.Sprintf("%d findings accepted in docs/baseline.lock", len(all)); !strings.Contains(printed, want) {
				t.Errorf("not %q in:\n%s", want, printed)
			}
			rules := map[string]bool{}
			for _, f := range all {
				rules[f[strings.LastIndexByte(f, ' ')+1:]] = true
			}
			for _, r := range finding.Rules() {
				switch {
				case r == finding.Baseline, r == finding.Translation && !confirmed:
				case !rules[string(r)]:
					t.Errorf("the tree has no fault of the rule %s", r)
				}
			}
		})
	}
}

// TestBaselineLetsNothingIn moves the lines of a tree whose faults are accepted, makes new
// faults, lets an accepted region drift on, and mends some.
func TestBaselineLetsNothingIn(t *testing.T) {
	dir, faults := faultyBook(t, true)
	gen(t, "baseline", "--dir", dir)

	shiftLines(t, dir)
	wantFindings(t, nil, dir)

	t.Run("new faults", func(t *testing.T) {
		dir := copyBook(t, dir)
		from := len(faults)
		want, _ := plant(t, dir, faults[:bookChapters-from], from)
		wantFindings(t, want, dir)
	})
	t.Run("region drifts on", func(t *testing.T) {
		dir := copyBook(t, dir)
		b := book{t, dir, 0}
		for _, place := range []string{"docs/en/ref-4.md: region-stale", "docs/zh/ref-4.md: region-stale"} {
			if !strings.Contains(b.read("docs/baseline.lock"), strings.Replace(place, ":", "", 1)) {
				t.Fatalf("%s is not accepted", place)
			}
		}
		b.edit(change{"p4/p.go", "// Do does.", "// Do does it."})
		want := []string{b.finding("region-stale docs/en/ref-4.md <!-- BEGIN"), b.finding("region-stale docs/zh/ref-4.md <!-- BEGIN")}
		want = append(want, baselineLines(t, dir, `docs/(en|zh)/ref-4\.md region-stale `)...)
		wantFindings(t, want, dir)
	})
	t.Run("mended", func(t *testing.T) {
		dir := copyBook(t, dir)
		b := book{t, dir, slices.IndexFunc(faults, func(f fault) bool { return f.name == "image gone" })}
		b.edit(change{"zh", "盒\n\n## 终", "![盒](../box.svg)\n\n## 终"})
		stale := baselineLines(t, dir, fmt.Sprintf(`docs/(en|zh)/ch-%d\.md `, b.n))
		if len(stale) != 2 {
			t.Fatalf("%d entries are about chapter %d", len(stale), b.n)
		}
		wantFindings(t, stale, dir)
		wantFindings(t, nil, dir, "--rules", "structure,translation")
		gen(t, "baseline", "--dir", dir)
		wantFindings(t, nil, dir)
		if left := baselineLines(t, dir, fmt.Sprintf(`docs/(en|zh)/ch-%d\.md `, b.n)); len(left) > 0 {
			t.Fatalf("entries of what is mended: %v", left)
		}
		b.edit(change{"zh", "![盒](../box.svg)\n\n## 终", "盒\n\n## 终"})
		wantFindings(t, []string{b.finding("structure zh 盒\n\n## 终"), b.finding("translation en ## Examples")}, dir)
	})
}

// baselineLines are the findings that the entries that match a pattern get when they are
// no longer needed.
func baselineLines(t *testing.T, dir, pattern string) []string {
	t.Helper()
	var out []string
	re := regexp.MustCompile("^" + pattern)
	for i, line := range strings.Split((book{t, dir, 0}).read("docs/baseline.lock"), "\n") {
		if re.MatchString(line) {
			out = append(out, fmt.Sprintf("docs/baseline.lock:%d: baseline", i+1))
		}
	}
	return out
}

func copyBook(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// shiftLines puts something before all that a page or a Go file has.
func shiftLines(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		before := map[string]string{".md": "---\ntitle: it\n---\n\n", ".go": "// Copyright of nobody.\n\n"}[filepath.Ext(name)]
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, append([]byte(before), text...), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
