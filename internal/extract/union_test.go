package extract_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentplan/sdk/internal/extract"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
)

// TestUnion draws packages whose files are for some builds only, and holds the union to
// what each build has alone: with what its constraints take away, every entry is exactly
// that of the build.
func TestUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "union")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		write := func(name, text string) {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("go.mod", "module example.com/m\n\ngo 1.26\n")
		write("p/base.go", "package p\n\n// Common is.\nconst Common = 1\n\ntype base struct{}\n\n// Both is.\nfunc (base) Both() {}\n\ntype other struct{ base }\n\n// Other is.\nfunc (other) Other() {}\n")
		for name, text := range drawFiles(t) {
			write("p/"+name, text)
		}
		platforms := rapid.SampledFrom([][]string{
			{"linux/amd64", "windows/amd64"},
			{"windows/amd64", "darwin/arm64", "linux/amd64"},
			{"linux/amd64", "{platform: linux/amd64, tags: [extra]}", "windows/arm64"},
			{"darwin/amd64", "darwin/arm64", "linux/arm64", "windows/amd64"},
		}).Draw(t, "platforms")
		load := func(platforms []string) (source.Builds, *extract.Union) {
			write(".catalog.yaml", "platforms: ["+strings.Join(platforms, ", ")+"]\n")
			s, err := settings.Load(settings.Flags{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			var out finding.List
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // the go command is not asked: the files leave no doubt
			builds := source.Start(ctx, s).Guess()
			if builds == nil {
				t.Fatal("the files leave doubt")
			}
			all := func(m *source.Module) []*source.Decl { return m.Package("p").Decls() }
			return builds, extract.New(t.Context(), builds, all, extract.Needs{}, &out)
		}
		builds, union := load(platforms)
		for i, platform := range platforms {
			_, alone := load([]string{platform})
			want, got := seen(alone.All("p"), nil), seen(union.All("p"), builds[i])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (-alone +of the union):\n%s", platform, diff)
			}
		}
	})
}

// drawFiles draws files that declare a type, funcs, constants and methods, each once for a
// build.
func drawFiles(t *rapid.T) map[string]string {
	splits := [][]string{
		{"_linux.go", "other !linux"}, {"_windows.go", "posix unix"}, {"_amd64.go", "arch !amd64"},
		{"x extra", "y !extra"}, {"only linux && extra", ""}, {"all", ""},
	}
	files := map[string]string{}
	for i, what := range []string{"type", "func", "const", "method", "method", "group"} {
		split := rapid.SampledFrom(splits).Draw(t, "split")
		for j, how := range split {
			if how == "" {
				continue
			}
			name, constraint, _ := strings.Cut(how, " ")
			text := "package p\n\n"
			if constraint != "" {
				text = "//go:build " + constraint + "\n\n" + text
			}
			embedded := rapid.SampledFrom([]string{"base", "other", "*other"}).Draw(t, "embedded")
			switch what {
			case "type":
				text += fmt.Sprintf("// T is of %s.\ntype T struct {\n\t%s\n\t// F%d is.\n\tF%d int\n}\n", how, embedded, j, j)
			case "func":
				text += "// F is.\nfunc F() {}\n"
			case "const":
				text += fmt.Sprintf("// C is.\nconst C = Common + %d\n", rapid.IntRange(0, 1).Draw(t, "value"))
			case "method":
				text += fmt.Sprintf("// M%d is of %s.\nfunc (other) M%d() {}\n", i, how, i)
			case "group":
				text += fmt.Sprintf("// Group is.\nconst (\n\tG%d = %d\n\tG = 0\n)\n", j, j)
			}
			files[fmt.Sprintf("f%d%s", i, strings.TrimSuffix(name, ".go"))+".go"] = text
		}
	}
	return files
}

// seen is what a build has of entries: of each its source, members and constants. The
// build is nil for entries that are of one build alone.
func seen(entries []*model.Entry, build *source.Module) map[string][]string {
	has := func(constraint string) bool { return constraint == "" || build.Satisfies(constraint) }
	out := map[string][]string{}
	for _, e := range entries {
		if !has(e.Constraint) {
			continue
		}
		var list []string
		for _, c := range e.Code {
			if !has(c.Constraint) {
				continue
			}
			for _, p := range c.Pieces {
				list = append(list, "code "+c.From+": "+string(p.Text))
			}
		}
		for _, m := range e.Members {
			if has(m.Constraint) {
				list = append(list, "member "+m.From+" "+m.Name+" "+m.Anchor+" "+m.Doc)
			}
		}
		for _, c := range e.Constants {
			if has(c.Constraint) {
				list = append(list, "constant "+c.Name+" "+c.Value)
			}
		}
		slices.Sort(list)
		// The first name of a group may be another build's.
		key := e.ID.Name
		if len(e.Idents) > 1 {
			key = "group"
		}
		out[key] = append(out[key], list...)
		slices.Sort(out[key])
	}
	return out
}
