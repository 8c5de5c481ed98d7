package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplan/sdk/internal/testfile"
)

// treeEdit is one change of a tree.
type treeEdit struct {
	what string
	do   func(t *testing.T)
}

// randomEdit is a change of some file of a module or beside it. It may be undone by another.
func randomEdit(r *rand.Rand, m string) treeEdit {
	pick := func(names ...string) string { return names[r.IntN(len(names))] }
	files := []string{
		"m/store/store.go", "m/store/more.go", "m/store/store_windows.go", "m/cmd/tool/main.go", "m/go.mod", "m/go.sum",
		"m/docs/en/a.md", "m/docs/zh/a.md", "m/docs/en/b.md", "m/docs/zh/b.md", "m/docs/sync.lock", "m/docs/baseline.lock",
		"m/.catalog.yaml", "m/Makefile", "m/assets/logo.txt", "m/README.md", "m/gen/guard/guard.go", "m/nested/go.mod",
		"dep/dep.go", "dep/other.go", "dep/go.mod", "outside.txt", "m/vendor/modules.txt", "m/store/x_test.go", "m/store/asm.s", "m/store/c.c",
		"m/go.work", "m/tools/go.mod", "m/tools/lint/lint.go", "m/tools/lint/lint_windows.go", "m/docs/en/c.md", "m/docs/zh/c.md",
	}
	name := pick(files...)
	path := filepath.Join(filepath.Dir(m), filepath.FromSlash(name))
	read := func(t *testing.T) string {
		data, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(data)
	}
	replace := func(old, new string) treeEdit {
		return treeEdit{fmt.Sprintf("%s: %q becomes %q", name, old, new), func(t *testing.T) {
			if text := read(t); text != "" {
				testfile.Write(t, path, strings.Replace(text, old, new, 1))
			}
		}}
	}
	switch r.IntN(9) {
	case 0:
		return treeEdit{name + ": deleted", func(t *testing.T) {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}}
	case 1:
		return treeEdit{name + ": empty", func(t *testing.T) { testfile.Write(t, path, "") }}
	case 2:
		line := pick("\n", "// comment\n", "\n## More\n\nSee `store.Open` and [logo](../../assets/logo.txt).\n", "func Added() {}\n",
			"//catalog:type\ntype Added struct{}\n", "# comment\n", "\x00\xff\n", "[up](../../../outside.txt)\n")
		return treeEdit{fmt.Sprintf("%s: %q added", name, line), func(t *testing.T) { testfile.Write(t, path, read(t)+line) }}
	case 3:
		line := pick("//go:build windows\n\n", "//go:build linux\n\n", "package other\n", "import \"os\"\n", "\ufeff")
		return treeEdit{fmt.Sprintf("%s: %q in front", name, line), func(t *testing.T) { testfile.Write(t, path, line+read(t)) }}
	case 4:
		return replace(pick("Store", "Get", "key", "Dep", "dep", "package", "func", "Open"), pick("Shop", "Put", "Store", "dep", "", "Open"))
	case 5:
		return replace(pick("\n\n", " ", ".", "}", "<!--", "```"), pick("\n", "  ", "", "\r\n", "!"))
	case 6:
		to := filepath.Join(filepath.Dir(m), filepath.FromSlash(pick(files...)))
		return treeEdit{name + ": renamed to " + filepath.Base(to), func(t *testing.T) {
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path, to); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}}
	}
	if r.IntN(2) == 0 {
		settings := filepath.Join(m, ".catalog.yaml")
		shape := keptShapes[r.IntN(len(keptShapes))]
		return treeEdit{"settings of " + shape.name, func(t *testing.T) { testfile.Write(t, settings, keptSettings+shape.settings) }}
	}
	return treeEdit{name + ": touched", func(t *testing.T) { testfile.Write(t, path, read(t)) }}
}

// snapshotTree reads all files below a directory.
func snapshotTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// restoreTree makes the files below a directory those that snapshotTree read.
func restoreTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		testfile.Write(t, name, text)
	}
}
