package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Each revision that is presented is also written to a file, and its review shows what
// changed.
func TestPlanFiles(t *testing.T) {
	dir := t.TempDir()
	plans := filepath.Join(dir, "plans")
	output := dialogue(t, []string{"-dir", dir, "-id", "s", "-plans", plans}, "/plan add a greeting", "say it in French")
	for _, text := range []string{"The plan is also in " + plans, "What changed since the last revision:", "  | +3. As you asked: say it in French"} {
		if !strings.Contains(output, text) {
			t.Errorf("no %q in:\n%s", text, output)
		}
	}
	files, err := filepath.Glob(filepath.Join(plans, "00?-Add-a-greeting-*.md"))
	if err != nil || len(files) != 2 {
		t.Errorf("files %q, %v", files, err)
	}
	// A review that is asked about again shows the change, too.
	output = dialogue(t, []string{"-dir", dir, "-resume", "s"})
	if !strings.Contains(output, "  | +3. As you asked: say it in French") {
		t.Errorf("no change in:\n%s", output)
	}
}
