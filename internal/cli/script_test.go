package cli_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the wanted files of the scripts")

func TestMain(m *testing.M) {
	programs := map[string]func(){
		"gen-catalog":    func() { os.Exit(cli.Gen(os.Args[1:], os.Stdout, os.Stderr)) },
		"measure":        func() { os.Exit(measure()) },
		"verify-catalog": func() { os.Exit(cli.Verify(os.Args[1:], os.Stdout, os.Stderr)) },
	}
	// Tests that want a cache name one of their own; programs use that of their test.
	if programs[strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")] == nil {
		if err := os.Setenv(cache.EnvDir, "off"); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, programs)
}

// TestScript runs the scripts of testdata/script, each in a module of its own. A script
// that brings no go.mod is in module example.com/m. At its end, the model of what it left
// is held against the schema and the pages. Beside the commands of testscript,
// a script has those of the table below.
func TestScript(t *testing.T) {
	p := scriptParams(t)
	p.UpdateScripts = *update
	testscript.Run(t, p)
}

// scriptParams is how the scripts run, each with a cache of its own.
func scriptParams(t *testing.T) testscript.Params {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatalf("run go env: %v", err)
	}
	caches := map[string]string{}
	if err := json.Unmarshal(out, &caches); err != nil {
		t.Fatalf("read go env: %v", err)
	}
	schemas := &documentSchemas{compiled: map[string]*jsonschema.Schema{}}
	cacheDir := t.TempDir()
	return testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for name, dir := range caches {
				e.Setenv(name, dir)
			}
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOFLAGS", "")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			kept, err := os.MkdirTemp(cacheDir, "")
			if err != nil {
				return err
			}
			e.Setenv(cache.EnvDir, kept)
			e.Defer(func() { checkModel(e.T(), e.WorkDir, e.Vars) })
			mod := filepath.Join(e.WorkDir, "go.mod")
			if _, err := os.Stat(mod); err == nil {
				return nil
			}
			return os.WriteFile(mod, []byte("module example.com/m\n\ngo 1.26\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": func(ts *testscript.TestScript, neg bool, args []string) { // exits CODE[|CODE] PROGRAM ARG...
				exits(ts, neg, args)
				schemas.checkDocument(ts, args[1:])
			},
			"success":       success,      // success: the last program said one line, on stderr
			"findings":      findings,     // findings [-f FILE] [PATH:LINE:RULE]...: exactly these, sorted
			"says":          says,         // [!] says TEXT: on stdout or stderr
			"finding":       hasFinding,   // [!] finding PATH:LINE:RULE [WORD]...
			"page":          writePage,    // page NAME SELECTOR...: in en and zh, begin marker on line 3
			"crlf":          crlf,         // crlf FILE...: LF becomes CRLF
			"bom":           bom,          // bom FILE...: puts a byte order mark in front
			"write":         write,        // write FILE TEXT: with \n, \t and \xNN
			"replace":       replace,      // replace OLD NEW FILE: every OLD, at least one
			"copytree":      copyTree,     // copytree FROM TO
			"contains":      contains,     // [!] contains FILE FRAGMENT-FILE
			"fenced":        fenced,       // [!] fenced FILE TEXT: within a fence
			"prose":         prose,        // [!] prose FILE TEXT: outside of fences
			"reads":         reads,        // [!] reads FILE TEXT: on the rendered page
			"tree-has":      treeHas,      // [!] tree-has DIR TEXT: in some file below
			"regions-equal": regionsEqual, // regions-equal FILE FILE...: line endings apart
			"snapshot":      snapshot,     // snapshot: remembers the whole tree
			"unchanged":     unchanged,    // unchanged [-dirs] [EXCEPT]...: bytes, modes, links, times
			"mode":          mode,         // mode PERM FILE...
			"valid-json":    validJSON,    // valid-json stdout
			"settle":        settle,       // [!] settle [PATH:LINE:RULE]: runs the printed commands
		},
	}
}

func need(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 1, "exits CODE[|CODE] PROGRAM ARG...")
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(code)) {
		ts.Fatalf("%s: exit %d, want %s", args[1], code, args[0])
	}
}

func success(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 0, "success")
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout carries findings only, got %q", out)
	}
	if out := ts.ReadFile("stderr"); strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
		ts.Fatalf("success is one line, got %q", out)
	}
}

var findingLine = regexp.MustCompile(`(?m)^([^\s:+-][^:\n]*):(\d+): ([a-z-]+): (.+)$`)

type place struct {
	Path string
	Line int
	Rule string
}

func (p place) String() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Rule) }

// printed are the places of the findings on stdout, in the order of printing, and the
// message of each.
func printed(ts *testscript.TestScript) (places []place, messages []string) {
	for _, m := range findingLine.FindAllStringSubmatch(ts.ReadFile("stdout"), -1) {
		line, err := strconv.Atoi(m[2])
		ts.Check(err)
		places = append(places, place{m[1], line, m[3]})
		messages = append(messages, m[4])
	}
	return places, messages
}

func findings(ts *testscript.TestScript, neg bool, want []string) {
	need(ts, !neg, "findings [-f FILE] [PATH:LINE:RULE]...")
	if len(want) > 1 && want[0] == "-f" {
		want = append(strings.Split(strings.TrimSpace(ts.ReadFile(want[1])), "\n"), want[2:]...)
	}
	got, _ := printed(ts)
	if !slices.IsSortedFunc(got, func(a, b place) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Line - b.Line
	}) {
		ts.Fatalf("findings are not sorted by path and line: %v", got)
	}
	var names []string
	for _, p := range slices.Compact(got) {
		names = append(names, p.String())
	}
	slices.Sort(names)
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" {
		ts.Fatalf("findings (-want +got):\n%s", diff)
	}
}

func hasFinding(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) > 0 && (!neg || len(args) == 1), "[!] finding PATH:LINE:RULE [WORD]...")
	places, messages := printed(ts)
	var said []string
	for i, p := range places {
		if p.String() == args[0] {
			said = append(said, messages[i])
		}
	}
	switch {
	case neg && said != nil:
		ts.Fatalf("unexpected finding %s: %q", args[0], said)
	case !neg && said == nil:
		ts.Fatalf("no finding %s among %v", args[0], places)
	}
	for _, word := range args[1:] {
		if !strings.Contains(strings.ToLower(strings.Join(said, "\n")), strings.ToLower(word)) {
			ts.Fatalf("finding %s does not say %q: %q", args[0], word, said)
		}
	}
}

func says(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) == 1, "[!] says TEXT")
	holds(ts, neg, "output", ts.ReadFile("stdout")+ts.ReadFile("stderr"), args[0])
}
