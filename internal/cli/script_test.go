package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"

	"github.com/agentplan/sdk/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the wanted files of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gen-catalog":    func() { os.Exit(cli.Gen(os.Args[1:], os.Stdout, os.Stderr)) },
		"verify-catalog": func() { os.Exit(cli.Verify(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the scripts of testdata/script, each in a module of its own. A script
// that brings no go.mod is in module example.com/m. Beside the commands of testscript,
// a script has those of the table below.
func TestScript(t *testing.T) {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatalf("run go env: %v", err)
	}
	caches := map[string]string{}
	if err := json.Unmarshal(out, &caches); err != nil {
		t.Fatalf("read go env: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for name, dir := range caches {
				e.Setenv(name, dir)
			}
			e.Setenv("GOPROXY", "off")
			e.Setenv("GOTOOLCHAIN", "local")
			e.Setenv("GOFLAGS", "")
			mod := filepath.Join(e.WorkDir, "go.mod")
			if _, err := os.Stat(mod); err == nil {
				return nil
			}
			return os.WriteFile(mod, []byte("module example.com/m\n\ngo 1.26\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":         exits,        // exits CODE[|CODE] PROGRAM ARG...
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
		},
	})
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

func writePage(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 1, "page NAME SELECTOR...")
	text := fmt.Sprintf("# %s\n\n<!-- BEGIN GENERATED catalog %s -->\n<!-- END GENERATED catalog -->\n",
		args[0], strings.Join(args[1:], " "))
	for _, lang := range []string{"en", "zh"} {
		file := ts.MkAbs(path.Join("docs", lang, args[0]+".md"))
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
		ts.Check(os.WriteFile(file, []byte(text), 0o644))
	}
}

// edit rewrites a file in place, keeping its mode.
func edit(ts *testscript.TestScript, name string, change func(string) string) {
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(change(ts.ReadFile(name))), 0o644))
}

func crlf(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 0, "crlf FILE...")
	for _, name := range args {
		edit(ts, name, func(s string) string {
			return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
		})
	}
}

func bom(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 0, "bom FILE...")
	for _, name := range args {
		edit(ts, name, func(s string) string { return "\uFEFF" + s })
	}
}

func unquote(ts *testscript.TestScript, s string) string {
	out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	if err != nil {
		ts.Fatalf("unquote %q: %v", s, err)
	}
	return out
}

func write(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "write FILE TEXT")
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(unquote(ts, args[1])), 0o644))
}

func replace(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 3, "replace OLD NEW FILE")
	before, after := unquote(ts, args[0]), unquote(ts, args[1])
	edit(ts, args[2], func(s string) string {
		if !strings.Contains(s, before) {
			ts.Fatalf("%s does not contain %q", args[2], before)
		}
		return strings.ReplaceAll(s, before, after)
	})
}

func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "copytree FROM TO")
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

func holds(ts *testscript.TestScript, neg bool, what, text, part string) {
	if got := strings.Contains(text, part); got == neg {
		ts.Fatalf("%s: contains %q: %v, want %v, in:\n%s", what, part, got, !neg, text)
	}
}

func contains(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) == 2, "[!] contains FILE FRAGMENT-FILE")
	holds(ts, neg, args[0], ts.ReadFile(args[0]), ts.ReadFile(args[1]))
}

var fence = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")

// split parts a page into the lines within fences and the others.
func split(text string) (inside, outside string) {
	var in, out strings.Builder
	open := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		m := fence.FindStringSubmatch(line)
		switch {
		case open == "" && m != nil:
			open = m[1]
		case open != "" && m != nil && strings.HasPrefix(m[1], open) && strings.TrimSpace(line) == m[1]:
			open = ""
		case open != "":
			in.WriteString(line)
		default:
			out.WriteString(line)
		}
	}
	return in.String(), out.String()
}

func fenced(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) == 2, "[!] fenced FILE TEXT")
	inside, _ := split(ts.ReadFile(args[0]))
	holds(ts, neg, args[0]+", fences", inside, unquote(ts, args[1]))
}

func prose(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) == 2, "[!] prose FILE TEXT")
	_, outside := split(ts.ReadFile(args[0]))
	holds(ts, neg, args[0]+", prose", outside, unquote(ts, args[1]))
}

var tag = regexp.MustCompile(`(?s)<pre>.*?</pre>|<!--.*?-->|<[^>]*>`)

// reads looks at what a reader of the rendered page sees, code blocks apart, with
// runs of white space as one space.
func reads(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) == 2, "[!] reads FILE TEXT")
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(ghtml.WithUnsafe()))
	var b bytes.Buffer
	ts.Check(md.Convert([]byte(ts.ReadFile(args[0])), &b))
	text := html.UnescapeString(tag.ReplaceAllString(b.String(), ""))
	holds(ts, neg, args[0]+", rendered", strings.Join(strings.Fields(text), " "), args[1])
}

func treeHas(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) == 2, "[!] tree-has DIR TEXT")
	found := ""
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if bytes.Contains(data, []byte(args[1])) {
			found = file
		}
		return err
	}))
	if (found != "") == neg {
		ts.Fatalf("%s: a file with %q: %q", args[0], args[1], found)
	}
}

var region = regexp.MustCompile(`(?ms)^(?:\x{FEFF})?<!-- BEGIN GENERATED catalog [^\n]*-->\r?\n(.*?)^<!-- END GENERATED catalog -->`)

func regionsEqual(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 1, "regions-equal FILE FILE...")
	bodies := func(name string) (out []string) {
		for _, m := range region.FindAllStringSubmatch(ts.ReadFile(name), -1) {
			if strings.TrimSpace(m[1]) == "" {
				ts.Fatalf("%s: empty region", name)
			}
			out = append(out, strings.ReplaceAll(m[1], "\r\n", "\n"))
		}
		return out
	}
	first := bodies(args[0])
	if len(first) == 0 {
		ts.Fatalf("%s: no region", args[0])
	}
	for _, name := range args[1:] {
		if diff := cmp.Diff(first, bodies(name)); diff != "" {
			ts.Fatalf("regions of %s (-) and %s (+):\n%s", args[0], name, diff)
		}
	}
}

// tree is one line for each file and directory of the script, without the temporary
// directory.
func tree(ts *testscript.TestScript) map[string]string {
	out, root := map[string]string{}, ts.Getenv("WORK")
	ts.Check(filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if name == ".tmp" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		state := fmt.Sprint(info.Mode(), " ", info.ModTime().UnixNano())
		switch {
		case d.IsDir():
			name += "/"
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(file)
			if err != nil {
				return err
			}
			state = "-> " + target
		default:
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			state += fmt.Sprintf(" %q", data)
		}
		out[name] = state
		return nil
	}))
	return out
}

func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 0, "snapshot")
	data, err := json.Marshal(tree(ts))
	ts.Check(err)
	ts.Check(os.WriteFile(snapshotFile(ts), data, 0o644))
}

// snapshotFile is in the script's temporary directory, which tree leaves out.
func snapshotFile(ts *testscript.TestScript) string {
	return filepath.Join(ts.Getenv("WORK"), ".tmp", "snapshot.json")
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	dirs := len(args) > 0 && args[0] == "-dirs"
	if dirs {
		args = args[1:]
	}
	need(ts, !neg, "unchanged [-dirs] [EXCEPT]...")
	before := map[string]string{}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(snapshotFile(ts))), &before))
	after := tree(ts)
	for _, m := range []map[string]string{before, after} {
		for name := range m {
			isDir := strings.HasSuffix(name, "/")
			if isDir && !dirs {
				m[name] = ""
			}
			if slices.Contains(args, strings.TrimSuffix(name, "/")) {
				delete(m, name)
			}
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		ts.Fatalf("tree (-before +after):\n%s", diff)
	}
}

func mode(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 1, "mode PERM FILE...")
	for _, name := range args[1:] {
		info, err := os.Lstat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s: mode %s, want %s", name, got, args[0])
		}
	}
}

func validJSON(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 1, "valid-json FILE")
	if text := ts.ReadFile(args[0]); !json.Valid([]byte(text)) {
		ts.Fatalf("%s is not JSON: %q", args[0], text)
	}
}
