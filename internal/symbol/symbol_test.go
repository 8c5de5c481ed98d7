package symbol

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/testfile"
	"github.com/agentplan/sdk/internal/tree"
)

// entries are the catalog entries of every case.
var entries = []*model.Entry{
	{Name: "plan/mode"}, {Name: "plan/select"}, {Name: "exit_plan_mode"}, {Name: "plan:policy"}, {Name: "Config"},
}

// scratch is a module on disk, read.
type scratch struct {
	mod  *source.Module
	tree *tree.Tree
	list finding.List
}

func read(t testing.TB, files []txtar.File) *scratch {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		testfile.Write(t, name, f.Data)
	}
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	x := &scratch{}
	x.tree = tree.Load(s, &x.list)
	x.mod = source.Start(context.Background(), s).Module(&x.list)
	if len(x.list.Failures) > 0 {
		t.Fatalf("read the module: %v", x.list.Failures)
	}
	return x
}

// module is the archive that all cases share.
func module(t testing.TB) []txtar.File {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return ar.Files
}

// TestCases runs each archive on top of the shared module; "want" is what is found and
// what becomes of each reference. UPDATE=1 rewrites it.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/case-*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("find cases: %v, %d found", err, len(names))
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			last := len(ar.Files) - 1
			if ar.Files[last].Name != "want" {
				t.Fatal("the last file is not want")
			}
			x := read(t, append(module(t), ar.Files[:last]...))
			r := Check(x.mod, markdown.Load(x.tree, nil), entries, &x.list)
			x.list.Sort()
			var b strings.Builder
			for _, f := range x.list.Findings {
				fmt.Fprintln(&b, f)
			}
			for _, ref := range r.References {
				if ref.Verdict != Missing {
					fmt.Fprintf(&b, "%s:%d: %s: %s: %s\n", ref.Path, ref.Line, ref.Text, ref.Verdict, ref.Why)
				}
			}
			if os.Getenv("UPDATE") != "" {
				ar.Files[last].Data = []byte(b.String())
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(ar.Files[last].Data), b.String()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
