package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	ghtml "github.com/yuin/goldmark/renderer/html"
)

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
