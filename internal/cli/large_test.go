package cli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/agentplan/sdk/internal/testfile"
)

var (
	large     = flag.Bool("large", false, "fetch large public modules and measure on them")
	largeRuns = flag.Int("large.runs", 11, "how often each command is measured")
)

// largeModules are what TestLarge works on.
var largeModules = []struct{ path, version string }{
	{"k8s.io/client-go", "v0.37.2"},
	{"k8s.io/api", "v0.37.2"},
	{"github.com/aws/aws-sdk-go-v2/service/ec2", "v1.348.0"},
	{"golang.org/x/tools", "v0.52.0"},
}

// packagesPerPage is how many packages each of their pages shows.
const packagesPerPage = 25

// TestLarge writes pages that show every package of large public modules, generates and
// verifies them, and measures the commands beside go list:
//
//	go test -run TestLarge -count=1 -v -timeout 60m ./internal/cli -args -large
//
// It needs the network or a module cache that has the modules.
func TestLarge(t *testing.T) {
	if !*large {
		t.Skip("it fetches large modules; ask for it with -args -large")
	}
	bin := t.TempDir()
	out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "github.com/agentplan/sdk/cmd/gen-catalog", "github.com/agentplan/sdk/cmd/verify-catalog").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, m := range largeModules {
		t.Run(m.path, func(t *testing.T) {
			dir := fetchModule(t, m.path, m.version)
			packages := writeLargePages(t, dir, packagesPerPage)
			l := &largeRun{dir: dir, gen: filepath.Join(bin, "gen-catalog"), verify: filepath.Join(bin, "verify-catalog"), cache: t.TempDir()}
			l.check(t)
			t.Logf("%s@%s: %d packages on pages", m.path, m.version, packages)
			l.measure(t)
		})
	}
}

// fetchModule copies a module out of the module cache, with its requirements at hand. What
// its go.mod replaces in its own repository comes from the proxy.
func fetchModule(t *testing.T, path, version string) string {
	t.Helper()
	fetch := t.TempDir()
	cmd := exec.Command("go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir = fetch
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("download %s@%s: %v\n%s", path, version, err, out)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(fetch, "module")
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return os.Chmod(name, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
	dropLocalReplaces(t, dir)
	runIn(t, dir, "go", "mod", "tidy", "-e")
	return dir
}

// dropLocalReplaces takes the replacements by directories out of go.mod: a module of the
// proxy comes without its neighbours.
func dropLocalReplaces(t *testing.T, dir string) {
	t.Helper()
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(runIn(t, dir, "go", "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Replace {
		if r.New.Version == "" {
			runIn(t, dir, "go", "mod", "edit", "-dropreplace", r.Old.Path)
		}
	}
}

func runIn(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

// writeLargePages writes pages in two languages with a region for each package that
// exports something, and returns how many packages those are.
func writeLargePages(t *testing.T, dir string, perPage int) int {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-e", "-find", "-json=Dir,GoFiles", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var selectors []string
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			Dir     string
			GoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(dir, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if exportsSomething(t, p.Dir, p.GoFiles) {
			selectors = append(selectors, filepath.ToSlash(rel)+".*")
		}
	}
	page := 0
	for part := range slices.Chunk(selectors, perPage) {
		var b strings.Builder
		fmt.Fprintf(&b, "# API %d\n", page)
		for _, s := range part {
			fmt.Fprintf(&b, "\n<!-- BEGIN GENERATED catalog %s -->\n<!-- END GENERATED catalog -->\n", s)
		}
		for _, lang := range []string{"en", "zh"} {
			testfile.Write(t, filepath.Join(dir, "docs", lang, fmt.Sprintf("api-%02d.md", page)), b.String())
		}
		page++
	}
	return len(selectors)
}

func exportsSomething(t *testing.T, dir string, files []string) bool {
	t.Helper()
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			fd, ok := d.(*ast.FuncDecl)
			return !ok || fd.Recv == nil
		}) && ast.FileExports(f) && slices.ContainsFunc(f.Decls, isTopLevel) {
			return true
		}
	}
	return false
}

// isTopLevel reports whether a declaration that FileExports left is one of the package.
func isTopLevel(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Recv == nil
	case *ast.GenDecl:
		return d.Tok != token.IMPORT && len(d.Specs) > 0
	}
	return false
}

// largeRun is the work on one module.
type largeRun struct {
	dir, gen, verify, cache string
}

// run runs a command in the module and returns what it said. Of findings only those about
// links in the comments of that module are none of ours.
func (l *largeRun) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "CATALOG_CACHE="+l.cache)
	out, err := cmd.CombinedOutput()
	said := string(out)
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s %s: %v\n%.3000s", filepath.Base(name), strings.Join(args, " "), err, said)
	}
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, filepath.Base(name)+": ") && !strings.Contains(line, ": doc-link: ") {
			t.Errorf("%s %s: %s", filepath.Base(name), strings.Join(args, " "), line)
		}
	}
	return said
}

// check generates twice and verifies twice, with the same bytes, and renders every page.
func (l *largeRun) check(t *testing.T) {
	t.Helper()
	l.run(t, l.gen)
	pages := snapshotTree(t, filepath.Join(l.dir, "docs"))
	l.run(t, l.gen, "--no-cache")
	for name, text := range snapshotTree(t, filepath.Join(l.dir, "docs")) {
		if pages[name] != text {
			t.Errorf("%s has other bytes the second time", name)
		}
	}
	said := l.run(t, l.verify, "--no-cache")
	for range 2 {
		if again := l.run(t, l.verify); again != said {
			t.Errorf("verify-catalog said\n%s\nand then\n%s", said, again)
		}
	}
	said = strings.TrimSpace(said)
	t.Log(said[strings.LastIndex(said, "\n")+1:])
	for name, text := range pages {
		renderPage(t, name, text)
	}
}

var (
	inPageLink = regexp.MustCompile(`href="#([^"]*)"`)
	anchorID   = regexp.MustCompile(`<a id="([^"]*)"`)
)

// renderPage renders a page and reports what a site generator would warn of: anchors that
// stand twice, links in the page that lead nowhere, raw HTML that is left out.
func renderPage(t *testing.T, name, text string) {
	t.Helper()
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	var out bytes.Buffer
	if err := md.Convert([]byte(text), &out); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	ids := map[string]bool{}
	for _, m := range anchorID.FindAllStringSubmatch(out.String(), -1) {
		if ids[m[1]] {
			t.Errorf("%s: anchor %s stands twice", filepath.Base(name), m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range inPageLink.FindAllStringSubmatch(out.String(), -1) {
		if !ids[m[1]] {
			t.Errorf("%s: nothing has the anchor %s", filepath.Base(name), m[1])
		}
	}
}

// sample is one measured run.
type sample struct {
	ms, mib float64
}

// measure runs the commands and go list in turn, and prints the medians, of the ratio pair
// by pair.
func (l *largeRun) measure(t *testing.T) {
	t.Helper()
	list := []string{"go", "list", "-e", "-json", "./..."}
	l.run(t, l.gen)
	l.run(t, l.verify)
	for _, c := range []struct {
		name    string
		cold    bool // with an empty build cache of the go command
		warm    bool // with our cache filled
		command []string
	}{
		{"verify-catalog, empty cache", false, false, []string{l.verify}},
		{"verify-catalog, empty cache, empty build cache", true, false, []string{l.verify}},
		{"gen-catalog, empty cache", false, false, []string{l.gen}},
		{"verify-catalog, nothing changed", false, true, []string{l.verify}},
		{"gen-catalog, nothing changed", false, true, []string{l.gen}},
	} {
		var ours, other, ratio, peak []float64
		for range *largeRuns {
			env := func() []string {
				env := append(os.Environ(), "CATALOG_CACHE="+l.cache)
				if !c.warm {
					env = append(env, "CATALOG_CACHE="+t.TempDir())
				}
				if c.cold {
					env = append(env, "GOCACHE="+t.TempDir())
				}
				return env
			}
			x := timeCommand(t, env(), l.dir, c.command)
			y := timeCommand(t, env(), l.dir, list)
			ours, other = append(ours, x.ms), append(other, y.ms)
			ratio, peak = append(ratio, x.ms/y.ms), append(peak, x.mib)
		}
		t.Logf("%-48s %7.0f ms, go list %7.0f ms, ratio %.2f, peak %4.0f MiB", c.name, median(ours), median(other), median(ratio), slices.Max(peak))
	}
}

func timeCommand(t *testing.T, env []string, dir string, command []string) sample {
	t.Helper()
	cmd := exec.Command("measure", command...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	var s sample
	if err == nil {
		_, err = fmt.Sscan(string(out), &s.ms, &s.mib)
	}
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(command, " "), err)
	}
	return s
}

// measure runs the command of its arguments, and prints how many milliseconds it took and
// how much memory. It is a process of its own, since a new process counts the memory of
// the one that started it as well.
func measure() int {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	start := time.Now()
	err := cmd.Run()
	elapsed := time.Since(start)
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(float64(elapsed.Microseconds())/1000, peakMiB(cmd.ProcessState))
	return 0
}
