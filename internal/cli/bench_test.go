package cli_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/testfile"
)

// The size of the generated module: 200 packages with 2 services of 10 methods each.
const (
	largePackages = 200
	largeServices = 2
	largeMethods  = 10
)

// writeLarge writes a module with services, half of which have methods from an embedded
// interface, and one page for every ten packages.
func writeLarge(tb testing.TB, dir string) {
	tb.Helper()
	write := func(name, text string) { testfile.Write(tb, filepath.Join(dir, filepath.FromSlash(name)), text) }
	write("go.mod", "module example.com/large\n\ngo 1.26\n")
	for p := range largePackages {
		var b strings.Builder
		fmt.Fprintf(&b, "// Package p%03d is one of many.\npackage p%03d\n\nimport (\n\t\"context\"\n\t\"io\"\n)\n", p, p)
		fmt.Fprintf(&b, "\n// Item is what the services keep.\n//\n//catalog:type\ntype Item%03d struct {\n\t// ID names it.\n\tID string\n\t// Size counts its bytes.\n\tSize int64\n}\n", p)
		for s := range largeServices {
			fmt.Fprintf(&b, "\n// Store%d keeps items; see [Store%d.Do0] and [io.Reader].\n//\n//catalog:service p%03d-%d\ntype Store%d interface {\n", s, s, p, s, s)
			if s == 0 {
				b.WriteString("\tio.Closer\n\n")
			}
			for m := range largeMethods {
				fmt.Fprintf(&b, "\t// Do%d does something with an item that its caller owns,\n\t// and returns what came of it.\n\tDo%d(ctx context.Context, item Item%03d, opts ...func(*Item%03d)) (out Item%03d, err error)\n", m, m, p, p, p)
			}
			b.WriteString("}\n")
		}
		b.WriteString("\nvar _ io.Reader\n")
		write(fmt.Sprintf("p%03d/p.go", p), b.String())
	}
	for _, lang := range []string{"en", "zh"} {
		for p := 0; p < largePackages; p += 10 {
			var b strings.Builder
			b.WriteString("# Stores\n")
			for i := range 10 {
				fmt.Fprintf(&b, "\n<!-- BEGIN GENERATED catalog p%03d -->\n<!-- END GENERATED catalog -->\n", p+i)
			}
			write(fmt.Sprintf("docs/%s/stores-%03d.md", lang, p), b.String())
		}
	}
}

// moduleRoot is the root of this module.
func moduleRoot(tb testing.TB) string {
	tb.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		tb.Fatal(err)
	}
	return root
}

// benchModules are the modules that the benchmarks work on.
func benchModules(b *testing.B) map[string]string {
	large := b.TempDir()
	writeLarge(b, large)
	if code := cli.Gen([]string{"--dir", large}, io.Discard, io.Discard); code != 0 {
		b.Fatalf("gen-catalog: exit %d", code)
	}
	return map[string]string{"self": moduleRoot(b), "large": large}
}

// BenchmarkPipeline measures read, model and render in memory, the go command's listing
// included.
func BenchmarkPipeline(b *testing.B) {
	modules := benchModules(b)
	for _, name := range []string{"self", "large"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, err := settings.Load(settings.Flags{Dir: modules[name]})
				if err != nil {
					b.Fatal(err)
				}
				if r := catalog.Build(b.Context(), s, catalog.Options{Judge: true}); len(r.Failures) > 0 {
					b.Fatal(r.Failures)
				}
			}
		})
	}
}

// BenchmarkProcess runs verify-catalog and "go list -e -json ./..." in turn on the same
// module and reports the median of each in milliseconds and of the ratio pair by pair: with
// an empty cache of ours for each run, with an empty build cache as well, and with nothing
// changed since the run before. A b.N of 5 and more is meaningful:
//
//	go test -run '^$' -bench Process -benchtime 11x ./internal/cli
func BenchmarkProcess(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "verify-catalog")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/agentplan/sdk/cmd/verify-catalog").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	modules := benchModules(b)
	for _, name := range []string{"self", "large"} {
		for _, state := range []string{"empty", "empty-build-cache", "unchanged"} {
			b.Run(name+"/"+state, func(b *testing.B) {
				kept := b.TempDir()
				env := func() []string {
					env := append(os.Environ(), cache.EnvDir+"="+kept)
					if state != "unchanged" {
						env = append(env, cache.EnvDir+"="+b.TempDir())
					}
					if state == "empty-build-cache" {
						env = append(env, "GOCACHE="+b.TempDir())
					}
					return env
				}
				if state == "unchanged" {
					timeRun(b, env(), modules[name], bin)
				}
				var ours, list, ratio []float64
				for b.Loop() {
					x := timeRun(b, env(), modules[name], bin)
					y := timeRun(b, env(), modules[name], "go", "list", "-e", "-json", "./...")
					ours, list, ratio = append(ours, x), append(list, y), append(ratio, x/y)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(ours), "verify-ms")
				b.ReportMetric(median(list), "golist-ms")
				b.ReportMetric(median(ratio), "ratio")
			})
		}
	}
}

// timeRun runs a command in dir and returns its milliseconds. Findings are no error: the
// pages of the large module are empty.
func timeRun(b *testing.B, env []string, dir, name string, args ...string) float64 {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	start := time.Now()
	err := cmd.Run()
	elapsed := time.Since(start)
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		b.Fatalf("%s: %v", name, err)
	}
	return float64(elapsed.Microseconds()) / 1000
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
