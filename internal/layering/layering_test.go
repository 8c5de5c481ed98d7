// Package layering holds the import directions of this module. It has only this test.
package layering

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/agentplan/sdk"

// rule says what a package of the module may import besides the standard library.
type rule struct {
	imports string // packages of the module and other modules, separated by spaces
	reason  string
}

// rules is read from the bottom up: a package imports only what stands above it. A
// package that is missing here fails the test, and so does an import that is not listed.
var rules = map[string]rule{
	"planmode/session/internal/jsonscan": {"", "a scanner of JSON text knows nothing of sessions"},
	"planmode/session":                   {"planmode/session/internal/jsonscan", "the log's types are for everybody: the standard library only"},
	"planmode/session/sessiontest":       {"planmode/session github.com/google/go-cmp", "a suite for logs needs the seam and nothing that implements it"},
	"planmode/session/filelog": {"planmode/session planmode/session/internal/jsonscan github.com/klauspost/compress github.com/fsnotify/fsnotify github.com/gofrs/flock golang.org/x/sys",
		"the one package with the weight of files: compression, watching, locks"},
	"planmode":              {"planmode/session github.com/yuin/goldmark github.com/aymanbagabas/go-udiff", "the core: the log's types, CommonMark to read a plan by, and differences between its revisions"},
	"planmode/planmodetest": {"planmode planmode/session github.com/google/go-cmp", "a suite for hosts needs plan mode and the log"},

	"internal/parallel":    {"", "work at the same time, whatever it is"},
	"internal/testfile":    {"", "what tests write; no program imports it"},
	"internal/watch":       {"internal/disk github.com/fsnotify/fsnotify", "what a run has read, as it changes; knows nothing of what is in it"},
	"internal/disk":        {"internal/parallel golang.org/x/sys", "what a run reads; all but the writers of files read through it"},
	"internal/cache":       {"", "bytes of earlier runs, and nothing of what they are"},
	"internal/gotool":      {"internal/disk", "the go command, besides what it is asked"},
	"internal/required":    {"internal/disk internal/gotool golang.org/x/mod", "go.mod and the module cache, as the go command takes them"},
	"internal/finding":     {"", "values that every stage makes"},
	"internal/model":       {"", "plain values between reading and rendering: no syntax trees, no pages"},
	"internal/atomicwrite": {"golang.org/x/sys", "files, and nothing of what is in them"},
	"internal/page":        {"github.com/yuin/goldmark", "Markdown, and nothing of what regions hold"},
	"internal/prose":       {"", "doc comments to Markdown"},
	"internal/platform":    {"internal/nearest", "what Go builds for, and nothing of what is built"},
	"internal/settings":    {"internal/cache internal/disk internal/finding internal/platform go.yaml.in/yaml/v3 golang.org/x/mod", "go.mod and .catalog.yaml"},
	"internal/source":      {"internal/cache internal/disk internal/gotool internal/finding internal/parallel internal/platform internal/required internal/settings golang.org/x/mod golang.org/x/tools", "Go source as data; it asks the go command for the files of packages"},
	"internal/extract":     {"internal/finding internal/model internal/parallel internal/settings internal/source", "source to model, and the builds that it is read for; knows nothing of pages"},
	"internal/tree":        {"internal/finding internal/page internal/parallel internal/settings", "which pages there are; knows nothing of Go"},
	"internal/render":      {"internal/model internal/prose", "model to Markdown"},
	"internal/gogen":       {"internal/model internal/parallel github.com/dave/jennifer", "model to Go"},
	"internal/markdown": {"internal/page internal/parallel internal/tree github.com/yuin/goldmark",
		"the pages of a tree as GitHub reads them, each parsed once; knows no rule"},
	"internal/skeleton": {"internal/finding internal/markdown internal/page internal/parallel internal/settings internal/tree github.com/yuin/goldmark",
		"pages against each other; knows nothing of Go"},
	"internal/links": {"internal/disk internal/finding internal/markdown internal/nearest internal/parallel internal/settings internal/slug internal/source internal/tree",
		"where links of pages and comments lead"},
	"internal/slug":          {"", "names of headings"},
	"internal/nearest":       {"", "names that were meant"},
	"internal/fence/stdlib":  {"internal/source", "which packages the standard library has"},
	"internal/fence/command": {"internal/nearest internal/source", "which commands, targets and flags the module has"},
	"internal/fence": {"internal/fence/command internal/nearest internal/fence/stdlib internal/finding internal/markdown internal/page internal/parallel internal/settings internal/source internal/tree github.com/aymanbagabas/go-udiff github.com/yuin/goldmark golang.org/x/mod golang.org/x/tools",
		"code on pages against the source; it asks the go command for the files of what fences import"},
	"internal/symbol": {"internal/fence/command internal/nearest internal/fence/stdlib internal/finding internal/markdown internal/model internal/parallel internal/source github.com/yuin/goldmark",
		"names in prose against the source"},
	"internal/scope": {"internal/baseline internal/confirmed internal/finding internal/history internal/lock internal/markdown internal/page internal/settings internal/source internal/tree github.com/yuin/goldmark",
		"what a change can have touched; knows what rules look at, and none of them"},
	"internal/catalog": {"internal/baseline internal/confirmed internal/extract internal/fence internal/finding internal/gogen internal/links internal/markdown internal/model internal/nearest internal/page internal/parallel internal/prose internal/render internal/scope internal/settings internal/skeleton internal/source internal/symbol internal/tree github.com/aymanbagabas/go-udiff",
		"the one pipeline, in memory"},
	"docs/schema":       {"", "schema files, embedded where they are published"},
	"internal/document": {"internal/catalog internal/model internal/prose internal/render", "the result as JSON; its types are a format that others rely on"},
	"internal/report":   {"internal/finding", "findings for people and machines"},
	"internal/cli": {"docs/schema internal/atomicwrite internal/baseline internal/cache internal/catalog internal/confirmed internal/disk internal/document internal/fence internal/finding internal/gotool internal/parallel internal/report internal/scope internal/settings internal/source internal/symbol internal/tree internal/watch github.com/spf13/cobra golang.org/x/term",
		"the commands; what they write but for the lock file is written here, and with cmd it alone knows cobra"},
	"internal/history":  {"internal/disk", "former bytes of files; the only package that starts git"},
	"internal/conflict": {"", "markers of merge conflicts, in whatever file"},
	"internal/baseline": {"internal/conflict internal/finding internal/settings", "findings against the file of those that are accepted; knows no rule"},
	"internal/lock":     {"internal/conflict", "the lock file's text, and nothing of what it is about"},
	"internal/section":  {"internal/page internal/slug github.com/yuin/goldmark", "what of a page a confirmation is about"},
	"internal/subject":  {"internal/nearest internal/source", "declarations that prose names, by syntax alone"},
	"internal/confirmed": {"internal/atomicwrite internal/disk internal/finding internal/history internal/lock internal/nearest internal/page internal/parallel internal/section internal/settings internal/source internal/subject internal/tree github.com/aymanbagabas/go-udiff",
		"sections and declarations against the lock file, which it alone writes"},
	"internal/layering":  {"", "this test"},
	"cmd/gen-catalog":    {"internal/cli", "main only"},
	"cmd/verify-catalog": {"internal/cli", "main only"},

	"gen/catalog": {"", "generated values import nothing, so that planmode may import them"},
	"gen/guard":   {"planmode planmode/session planmode/session/filelog", "generated guards import what they guard"},
}

func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := map[string]bool{}
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		seen[name] = true
		r, ok := rules[name]
		if !ok {
			t.Errorf("package %s has no rule; say what it may import and why", name)
			continue
		}
		allowed := strings.Fields(r.imports)
		for _, imp := range p.Imports {
			own, isOwn := strings.CutPrefix(imp, module+"/")
			if !isOwn && !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue // the standard library
			}
			if !slices.ContainsFunc(allowed, func(a string) bool {
				return a == own || !isOwn && (imp == a || strings.HasPrefix(imp, a+"/"))
			}) {
				t.Errorf("package %s imports %s; it may import: %s (%s)", name, imp, r.imports, r.reason)
			}
		}
	}
	for name := range rules {
		if !seen[name] {
			t.Errorf("rule for %s, which is no package; remove it", name)
		}
	}
}
