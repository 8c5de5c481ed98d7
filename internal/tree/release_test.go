package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/testfile"
)

const (
	begin = "<!-- BEGIN GENERATED catalog p -->\n"
	end   = "<!-- END GENERATED catalog -->\n"
)

// written writes pages of a module by their paths.
func written(t *testing.T, pages map[string]string) *settings.Settings {
	t.Helper()
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.24\n")
	for path, text := range pages {
		testfile.Write(t, filepath.Join(dir, filepath.FromSlash(path)), text)
	}
	s, err := settings.Load(settings.Flags{Dir: dir, Langs: "en", NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRelease(t *testing.T) {
	long := strings.Repeat("text\n", largePage/5+1)
	pages := map[string]string{
		"docs/en/large.md":  begin + long + end,
		"docs/en/more.md":   begin + long + "more\n" + end,
		"docs/en/small.md":  begin + end,
		"docs/en/prose.md":  long,
		"docs/en/faulty.md": begin + long + end + end,
	}
	s := written(t, pages)
	var out finding.List
	loaded, read := Load(s, &out), LoadReleased(s, &out)
	loaded.Release()
	for _, tr := range []*Tree{loaded, read, read} {
		checkReleased(t, s, tr, pages)
		tr.Release()
	}
	if len(out.Failures) > 0 {
		t.Error(out.Failures)
	}
}

// checkReleased checks which pages are released, and restores them.
func checkReleased(t *testing.T, s *settings.Settings, tr *Tree, pages map[string]string) {
	t.Helper()
	gone := map[string]bool{}
	for _, g := range tr.Groups {
		gone[g.Sides[0].Path] = g.Sides[0].Src == nil
	}
	want := map[string]bool{"docs/en/large.md": true, "docs/en/more.md": true, "docs/en/small.md": false, "docs/en/prose.md": false, "docs/en/faulty.md": false}
	if diff := cmp.Diff(want, gone); diff != "" {
		t.Errorf("released (-want +got):\n%s", diff)
	}
	var out finding.List
	if !tr.Restore(s, &out) || len(out.Failures) > 0 {
		t.Errorf("Restore fails: %v", out.Failures)
	}
	for _, g := range tr.Groups {
		if text := pages[g.Sides[0].Path]; string(g.Sides[0].Src) != text {
			t.Errorf("%s has not the text that it had", g.Sides[0].Path)
		}
	}
	for _, i := range []int{1, 2} {
		if got, want := tr.Groups[i].Sides[0].Page.Body(0), strings.TrimSuffix(strings.TrimPrefix(pages[tr.Groups[i].Sides[0].Path], begin), end); got != want {
			t.Errorf("the body of the region of %s is not what it was", tr.Groups[i].Sides[0].Path)
		}
	}
}

func TestRestoreOfChangedPages(t *testing.T) {
	long := strings.Repeat("text\n", largePage/5+1)
	pages := map[string]string{"docs/en/a.md": begin + long + end, "docs/en/b.md": begin + long + end, "docs/en/c.md": begin + long + end}
	s := written(t, pages)
	var out finding.List
	tr := LoadReleased(s, &out)
	testfile.Write(t, s.Abs("docs/en/a.md"), begin+strings.ToUpper(long)+end)
	if err := os.Remove(s.Abs("docs/en/b.md")); err != nil {
		t.Fatal(err)
	}
	if tr.Restore(s, &out) {
		t.Error("Restore reports that all is as it was")
	}
	var got []string
	for _, f := range out.Failures {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"docs/en/a.md", "docs/en/b.md"}, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	for i, readable := range []bool{false, false, true} {
		side := tr.Groups[i].Sides[0]
		if (side.Page != nil) != readable || side.Missing() {
			t.Errorf("%s: readable %v, missing %v", side.Path, side.Page != nil, side.Missing())
		}
	}
}
