package cli_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/testfile"
)

// TestManyFiles is a module of 10,000 files in 100 packages, a page that shows them all,
// as two builds see it.
func TestManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 files")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		testfile.Write(t, name, text)
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write(".catalog.yaml", "langs: [en]\nplatforms: [linux/amd64, windows/amd64]\n")
	page := "# All\n"
	for p := range 100 {
		for f := range 100 {
			suffix := ""
			switch f % 10 {
			case 1:
				suffix = "_linux"
			case 2:
				suffix = "_windows"
			}
			write(fmt.Sprintf("p%d/f%d%s.go", p, f, suffix), fmt.Sprintf("package p%d\n\n// T%d is.\ntype T%d struct{ F int }\n", p, f, f))
		}
		page += fmt.Sprintf("\n<!-- BEGIN GENERATED catalog p%d.* -->\n<!-- END GENERATED catalog -->\n", p)
	}
	write("docs/en/all.md", page)
	var stdout, stderr bytes.Buffer
	if code := cli.Gen([]string{"--dir", dir, "--no-cache"}, &stdout, &stderr); code != 0 {
		t.Fatalf("gen-catalog: exit %d: %s%s", code, &stdout, &stderr)
	}
	if code := cli.Verify([]string{"--dir", dir, "--no-cache"}, &stdout, &stderr); code != 0 {
		t.Fatalf("verify-catalog: exit %d: %s%s", code, &stdout, &stderr)
	}
	text := readFile(t, filepath.Join(dir, "docs", "en", "all.md"))
	for what, want := range map[string]int{"## Type `": 10_000, "Build constraint: `linux`": 1000, "Build constraint: `windows`": 1000} {
		if got := bytes.Count([]byte(text), []byte(what)); got != want {
			t.Errorf("%d times %q, want %d", got, what, want)
		}
	}
}
