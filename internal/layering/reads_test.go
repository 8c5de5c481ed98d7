package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the functions that tell something about files.
var readers = []string{
	"os.ReadFile", "os.ReadDir", "os.Open", "os.OpenFile", "os.Stat", "os.Lstat", "os.Readlink", "os.DirFS", "os.OpenRoot",
	"filepath.WalkDir", "filepath.Walk", "filepath.Glob", "filepath.EvalSymlinks", "exec.LookPath",
}

// mayRead are the packages and files below internal that may use them, and why.
var mayRead = map[string]string{
	"internal/disk":                 "it is what the others read through",
	"internal/cache":                "what it reads decides no result",
	"internal/required":             "it decides whether to ask the go command, and no result",
	"internal/atomicwrite":          "it writes",
	"internal/confirmed/confirm.go": "a confirmation is never replayed",
	"internal/cli/baseline.go":      "a baseline is never replayed",
	"internal/history/changes.go":   "what changed since a revision is never replayed",
	"internal/watch":                "it asks where to wait, and is never replayed",
	"internal/cli/watch.go":         "a watch is never replayed",
}

// A run that reads past internal/disk would be replayed although something else has
// changed.
func TestReads(t *testing.T) {
	root := filepath.Join("..", "..")
	used := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() != "testdata" && d.Name() != "tools" {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok || !slices.Contains(readers, x.Name+"."+sel.Sel.Name) {
				return true
			}
			for _, where := range []string{path.Dir(rel), rel} {
				if mayRead[where] != "" {
					used[where] = true
					return true
				}
			}
			t.Errorf("%s uses %s.%s; read through Settings.Disk", fset.Position(n.Pos()), x.Name, sel.Sel.Name)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for where := range mayRead {
		if !used[where] {
			t.Errorf("%s reads nothing; remove it from the table", where)
		}
	}
}
