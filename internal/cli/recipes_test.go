package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/agentplan/sdk/docs/schema"
)

// recipes are the fences of a page whose first line is a comment that names a file.
func recipes(t *testing.T, lang, page string) map[string][]string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(moduleRoot(t), "docs", lang, page))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		fence, ok := n.(*ast.FencedCodeBlock)
		if !ok {
			continue
		}
		code := string(fence.Lines().Value(src))
		first, _, _ := strings.Cut(code, "\n")
		for _, comment := range []string{"# ", "// "} {
			if name, ok := strings.CutPrefix(first, comment); ok {
				out[name] = append(out[name], code)
			}
		}
	}
	return out
}

// TestRecipes tries what the manual tells to paste, in a module of its own that has the
// commands as tools, first with fresh pages and then with stale ones.
func TestRecipes(t *testing.T) {
	for _, name := range []string{"git", "make", "sh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s here", name)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the recipes are for a POSIX shell")
	}
	quietGit(t)
	recipes := recipes(t, "en", "catalog-tools.md")
	dir := t.TempDir()
	user := toolUser{t, dir}
	user.writeModule()
	user.want(0, "go tool gen-catalog")
	for _, name := range []string{".git/hooks/pre-commit", ".github/workflows/docs.yml", "Makefile", "terminal"} {
		if len(recipes[name]) == 0 {
			t.Fatalf("the manual has no recipe for %s", name)
		}
	}

	user.want(0, "git init -q . && git config user.email a@example.com && git config user.name a && git add -A")
	user.write(".git/hooks/pre-commit", recipes[".git/hooks/pre-commit"][0], 0o755)
	user.write("Makefile", recipes["Makefile"][0], 0o644)
	job := steps(t, recipes[".github/workflows/docs.yml"][0])
	user.want(0, "git commit -qm fresh")
	user.want(0, "make docs-check")
	for _, lines := range recipes["terminal"] {
		if strings.Contains(lines, "go get") && !user.hasAllModules() {
			t.Logf("not tried, since it needs modules that are not in the module cache:\n%s", lines)
			continue
		}
		user.want(0, lines)
	}
	for _, run := range job {
		user.want(0, run)
	}

	source := filepath.Join(dir, "a", "a.go")
	user.write("a/a.go", strings.Replace(readFile(t, source), "T is a type", "T is another type", 1), 0o644)
	user.want(1, "git add -A && git commit -qm stale")
	user.want(2, "make docs-check") // make's own code for a target that failed
	for _, run := range job {
		if out := user.want(1, run); !strings.Contains(out, "::error file=docs/en/a.md,line=3,title=region-stale::") {
			t.Errorf("%s prints\n%s", run, out)
		}
	}
	user.want(0, "make docs && git add -A && git commit -qm fresh")
}

// TestRecipesAreTheSame holds the commands of both manuals equal, comments apart.
func TestRecipesAreTheSame(t *testing.T) {
	code := func(lang string) map[string][]string {
		out := recipes(t, lang, "catalog-tools.md")
		for name, list := range out {
			var kept []string
			for _, line := range strings.Split(strings.Join(list, "\n"), "\n") {
				if !strings.HasPrefix(strings.TrimSpace(line), "#") {
					kept = append(kept, line)
				}
			}
			out[name] = kept
		}
		return out
	}
	if diff := cmp.Diff(code("en"), code("zh")); diff != "" {
		t.Errorf("recipes (-en +zh):\n%s", diff)
	}
}

// TestSite builds the site of the page about the catalog as data.
func TestSite(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the recipe needs make and a POSIX shell")
	}
	for _, lang := range []string{"en", "zh"} {
		recipes := recipes(t, lang, "catalog-data.md")
		dir := t.TempDir()
		user := toolUser{t, dir}
		user.writeModule()
		for _, name := range []string{"site/main.go", "Makefile", "terminal"} {
			if len(recipes[name]) != 1 {
				t.Fatalf("%s: %d recipes for %s, want one", lang, len(recipes[name]), name)
			}
			user.write(name, recipes[name][0], 0o644)
		}
		user.write("a/a.go", "// Package a is a sample.\npackage a\n\n// T is a type, <b>not</b> bold.\ntype T int\n\n// F makes a T.\nfunc F() T { return 0 }\n", 0o644)
		for _, lang := range []string{"en", "zh"} {
			user.write("docs/"+lang+"/a.md", "# A\n\n<!-- BEGIN GENERATED catalog a.* -->\n<!-- END GENERATED catalog -->\n", 0o644)
		}
		user.want(0, "sh -e terminal")
		if diff := cmp.Diff(schema.Catalog(), readFile(t, filepath.Join(dir, "catalog.schema.json"))); diff != "" {
			t.Errorf("%s: schema (-want +got):\n%s", lang, diff)
		}
		user.want(0, "make site")
		site := readFile(t, filepath.Join(dir, "site.html"))
		for _, want := range []string{
			`<section id="a.F">`, "T is a type, &lt;b&gt;not&lt;/b&gt; bold.", "func F() T</pre>", `<a href="#a.T">T</a>`,
		} {
			if !strings.Contains(site, want) {
				t.Errorf("%s: the site lacks %q:\n%s", lang, want, site)
			}
		}
	}
}

// TestKeysAreDocumented wants each key of the schema on the page about the document.
func TestKeysAreDocumented(t *testing.T) {
	var s any
	if err := json.Unmarshal([]byte(schema.Catalog()), &s); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	var collect func(any)
	collect = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for key := range properties {
				keys[key] = true
			}
			for _, item := range v {
				collect(item)
			}
		case []any:
			for _, item := range v {
				collect(item)
			}
		}
	}
	collect(s)
	for _, lang := range []string{"en", "zh"} {
		text := readFile(t, filepath.Join(moduleRoot(t), "docs", lang, "catalog-data.md"))
		for key := range keys {
			if !strings.Contains(text, "`"+key+"`") {
				t.Errorf("docs/%s/catalog-data.md does not name the key %s", lang, key)
			}
		}
	}
}

// steps are the commands that a workflow runs.
func steps(t *testing.T, workflow string) []string {
	t.Helper()
	var w struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(workflow), &w); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Run != "" {
				out = append(out, s.Run)
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("the workflow runs nothing")
	}
	return out
}

// toolUser is a module that uses the commands as tools.
type toolUser struct {
	t   *testing.T
	dir string
}

func (u toolUser) write(name, text string, mode os.FileMode) {
	u.t.Helper()
	name = filepath.Join(u.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		u.t.Fatal(err)
	}
}

func (u toolUser) writeModule() {
	u.t.Helper()
	root := moduleRoot(u.t)
	mod, err := modfile.Parse("go.mod", []byte(readFile(u.t, filepath.Join(root, "go.mod"))), nil)
	if err != nil {
		u.t.Fatal(err)
	}
	own := mod.Module.Mod.Path
	steps := []error{
		mod.AddModuleStmt("example.com/user"),
		mod.AddRequire(own, "v0.0.0"),
		mod.AddReplace(own, "", root, ""),
		mod.AddTool(own + "/cmd/gen-catalog"),
		mod.AddTool(own + "/cmd/verify-catalog"),
	}
	for _, err := range steps {
		if err != nil {
			u.t.Fatal(err)
		}
	}
	text, err := mod.Format()
	if err != nil {
		u.t.Fatal(err)
	}
	u.write("go.mod", string(text), 0o644)
	u.write("go.sum", readFile(u.t, filepath.Join(root, "go.sum")), 0o644)
	u.write("a/a.go", "// Package a is a sample.\npackage a\n\n// T is a type.\ntype T int\n", 0o644)
	for _, lang := range []string{"en", "zh"} {
		u.write("docs/"+lang+"/a.md", "# A\n\n<!-- BEGIN GENERATED catalog a.T -->\n<!-- END GENERATED catalog -->\n", 0o644)
	}
}

// want runs a script with sh -e and wants that exit code.
func (u toolUser) want(code int, script string) string {
	u.t.Helper()
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir = u.dir
	cmd.Env = offline()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		u.t.Fatalf("%s\nexit %d, want %d: %v\n%s", script, got, code, err, &out)
	}
	return out.String()
}

// offline is the environment for the go command that keeps it from the network.
func offline() []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off")
}

// hasAllModules reports whether the module cache knows every module of the build list, as
// go get wants it; building and testing need fewer.
func (u toolUser) hasAllModules() bool {
	cmd := exec.Command("go", "list", "-m", "all")
	cmd.Dir = u.dir
	cmd.Env = offline()
	return cmd.Run() == nil
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
