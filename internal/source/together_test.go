package source_test

import (
	"context"
	"fmt"
	"go/types"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/testfile"
)

// manyPackages writes a module in which package i imports i/2, i/3 and the first ones of
// the standard library; extra holds more files, by path.
func manyPackages(t *testing.T, n int, extra map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module example.com/many\n\ngo 1.24\n"}
	for i := 1; i <= n; i++ {
		var b strings.Builder
		fmt.Fprintf(&b, "package p%d\n\nimport \"io\"\n", i)
		imports := map[int]bool{}
		for _, d := range []int{i / 2, i / 3} {
			if d > 0 && d < i && !imports[d] {
				imports[d] = true
				fmt.Fprintf(&b, "import \"example.com/many/p%d\"\n", d)
			}
		}
		fmt.Fprintf(&b, "type T struct {\n\tio.Reader\n")
		for d := range imports {
			fmt.Fprintf(&b, "\tF%d p%d.List[p%d.T]\n", d, d, d)
		}
		fmt.Fprintf(&b, "}\ntype List[E any] struct { Items []E }\nfunc (l *List[E]) First() (e E) { return l.Items[0] }\nconst C = %d\n", i)
		files[fmt.Sprintf("p%d/p.go", i)] = b.String()
	}
	for name, text := range extra {
		files[name] = text
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		testfile.Write(t, file, text)
	}
	return dir
}

func loadModule(t *testing.T, dir string) *source.Module {
	t.Helper()
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var faults finding.List
	m := source.Start(context.Background(), s).Module(&faults)
	if m == nil || len(faults.Failures) > 0 {
		t.Fatalf("load: %v", faults.Failures)
	}
	var roots []*source.Decl
	for _, p := range m.Packages {
		roots = append(roots, p.Decls()...)
	}
	m.NeedExternals(context.Background(), roots, nil)
	return m
}

// describeTypes writes all that the packages declare.
func describeTypes(m *source.Module) []string {
	var out []string
	for _, p := range m.Packages {
		pkg, info := m.Types(p)
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			out = append(out, types.ObjectString(o, nil))
			if tn, ok := o.(*types.TypeName); ok {
				set := types.NewMethodSet(types.NewPointer(tn.Type()))
				for sel := range set.Methods() {
					out = append(out, "  "+sel.String())
				}
			}
		}
		out = append(out, fmt.Sprintf("%s: %d uses", p.Path, len(info.Uses)))
	}
	return out
}

// TestCheckTypes makes types one after the other, several at a time, and from several
// goroutines that ask for them in their own order: they are the same.
func TestCheckTypes(t *testing.T) {
	for _, test := range []struct {
		name  string
		extra map[string]string
	}{
		{name: "whole"},
		{name: "a cycle", extra: map[string]string{
			"a/a.go": "package a\n\nimport \"example.com/many/b\"\n\ntype T struct{ B *b.T }\n",
			"b/b.go": "package b\n\nimport \"example.com/many/a\"\n\ntype T struct{ A *a.T }\n",
		}},
		{name: "what does not resolve", extra: map[string]string{
			"a/a.go": "package a\n\nimport \"example.com/many/none\"\nimport \"example.org/elsewhere\"\n\ntype T struct{ none.X; Y elsewhere.Y; Z Undefined }\n",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := manyPackages(t, 40, test.extra)
			want := describeTypes(loadModule(t, dir))
			together := loadModule(t, dir)
			together.CheckTypes(together.Packages)
			if diff := cmp.Diff(want, describeTypes(together)); diff != "" {
				t.Errorf("together: %s", diff)
			}
			asked := loadModule(t, dir)
			var work sync.WaitGroup
			for i := range 4 {
				work.Go(func() {
					for j := range asked.Packages {
						asked.Types(asked.Packages[(i*11+j)%len(asked.Packages)])
					}
				})
			}
			work.Wait()
			got := describeTypes(asked)
			if test.name == "a cycle" {
				return // where a cycle is cut depends on where it was entered
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("asked for from several goroutines: %s", diff)
			}
		})
	}
}
