package fence

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
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/testfile"
	"github.com/agentplan/sdk/internal/tree"
)

// scratch is a module on disk, read.
type scratch struct {
	mod  *source.Module
	tree *tree.Tree
	list finding.List
}

// read writes the files of an archive to a directory and reads them as a module.
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

// lines are the findings and failures as they are printed.
func (x *scratch) lines() string {
	x.list.Sort()
	var b strings.Builder
	for _, f := range x.list.Findings {
		fmt.Fprintln(&b, f)
		for line := range strings.Lines(f.Diff) {
			b.WriteString("\t" + line)
		}
	}
	for _, f := range x.list.Failures {
		fmt.Fprintln(&b, "FAIL", f.Error())
	}
	return b.String()
}

// TestCases runs each archive: its files are a module, "want" is what is printed.
// UPDATE=1 rewrites it.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.txtar")
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
			x := read(t, ar.Files[:last])
			set := Read(markdown.Load(x.tree, nil))
			quoted := set.CheckDeclarations(x.mod, &x.list)
			r := set.CheckCode(context.Background(), x.mod, nil, &x.list)
			got := x.lines() + r.text(quoted)
			if os.Getenv("UPDATE") != "" {
				ar.Files[last].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(ar.Files[last].Data), got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func (r *Report) text(quoted int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d declarations, %d go, %d shell, %d commands\n", quoted, r.Go, r.Shell, r.Commands)
	for _, o := range r.OptedOut {
		fmt.Fprintf(&b, "opted out %s:%d: %s\n", o.Path, o.Line, o.Reason)
	}
	for _, o := range r.ShellOptedOut {
		fmt.Fprintf(&b, "shell opted out %s:%d: %s\n", o.Path, o.Line, o.Reason)
	}
	for _, o := range r.Unjudged {
		fmt.Fprintf(&b, "not judged %s:%d: %s\n", o.Path, o.Line, o.Reason)
	}
	return b.String()
}
