package cli_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/testfile"
)

// example is the module that the page about the gate tells of, and the page in both
// languages.
type example struct {
	*testing.T
	dir   string
	pages map[string]string // by language
}

// shown wants a text in a code block of both pages.
func (e example) shown(what, text string) {
	e.Helper()
	text = strings.TrimRight(text, "\n")
	for lang, page := range e.pages {
		inside, _ := split(page)
		if !strings.Contains("\n"+inside, "\n"+text+"\n") {
			e.Errorf("docs/%s/doc-sync.md does not show %s, which is:\n%s", lang, what, text)
		}
	}
}

// run runs a command of the module and returns what it prints, findings first.
func (e example) run(code int, command func([]string, *bytes.Buffer, *bytes.Buffer) int, args ...string) string {
	e.Helper()
	var stdout, stderr bytes.Buffer
	if got := command(append(args, "--dir", e.dir), &stdout, &stderr); got != code {
		e.Fatalf("%q: exit %d, want %d\n%s%s", args, got, code, &stdout, &stderr)
	}
	return stdout.String() + stderr.String()
}

func (e example) gen(code int, args ...string) string {
	e.Helper()
	return e.run(code, func(a []string, out, err *bytes.Buffer) int { return cli.Gen(a, out, err) }, args...)
}

func (e example) verify(code int, args ...string) string {
	e.Helper()
	return e.run(code, func(a []string, out, err *bytes.Buffer) int { return cli.Verify(a, out, err) }, args...)
}

func (e example) git(args ...string) {
	e.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = e.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		e.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (e example) replace(name, before, after string) {
	e.Helper()
	book{TB: e.T, dir: e.dir}.edit(change{name, before, after})
}

// settle runs the commands that verify-catalog prints.
func (e example) settle(printed string) {
	e.Helper()
	args := []string{"confirm"}
	for line := range strings.Lines(printed) {
		if m := confirmCommandOfTool.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && !strings.HasPrefix(line, " ") {
			args = append(args, m[1])
		}
	}
	e.gen(0, args...)
}

// entry is the first line of a file of the docs directory that has a prefix.
func (e example) entry(name, prefix string) string {
	e.Helper()
	for line := range strings.Lines(readFile(e.T, filepath.Join(e.dir, name))) {
		if strings.HasPrefix(line, prefix) {
			return line
		}
	}
	e.Fatalf("%s has no line that begins with %s", name, prefix)
	return ""
}

// TestGateExample plays what the page about the gate tells, and holds what is printed
// against the page.
func TestGateExample(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	quietGit(t)
	root := moduleRoot(t)
	e := example{T: t, dir: t.TempDir(), pages: map[string]string{}}
	for _, lang := range []string{"en", "zh"} {
		e.pages[lang] = readFile(t, filepath.Join(root, "docs", lang, "doc-sync.md"))
	}
	ar, err := txtar.ParseFile(filepath.Join("testdata", "docsync.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		testfile.Write(t, filepath.Join(e.dir, filepath.FromSlash(f.Name)), string(f.Data))
	}
	e.shown("greet/greet.go", readFile(t, filepath.Join(e.dir, "greet", "greet.go")))
	e.shown("docs/en/greet.md", readFile(t, filepath.Join(e.dir, "docs", "en", "greet.md")))

	e.gen(0)
	e.gen(0, "confirm", "--baseline")
	e.verify(0)
	e.git("init", "-q", ".")
	e.git("add", "-A")
	e.git("commit", "-qm", "adopt")
	e.shown("the entry of the lock file", e.entry("docs/sync.lock", "docs/en/greet.md#what-it-promises"))
	e.shown("what --explain prints", e.verify(0, "--explain"))

	t.Log("the source changes, and the text does not")
	e.replace("greet/greet.go", "It never fails.\n\tGreet(name string) string", "It fails where\n\t// the name is empty.\n\tGreet(name string) (string, error)")
	e.gen(0)
	e.shown("what the changed source gives", e.verify(1))
	e.git("checkout", "-q", ".")

	t.Log("one language changes")
	e.replace("docs/en/greet.md", "it greets the world", "it greets the whole world")
	printed := e.verify(1)
	e.shown("what the changed sentence gives", printed[:strings.LastIndex(strings.TrimSuffix(printed, "\n"), "\n")])
	e.replace("docs/zh/greet.md", "它问候世界", "它问候整个世界")
	e.settle(e.verify(1))
	e.verify(0)
	ours := e.entry("docs/sync.lock", "docs/en/greet.md#what-it-promises")

	t.Log("another branch has changed the same section")
	e.git("checkout", "-q", ".")
	theirs := e.entry("docs/sync.lock", "docs/en/greet.md#what-it-promises")
	e.replace("docs/sync.lock", theirs, "<<<<<<< HEAD\n"+theirs+"=======\n"+ours+">>>>>>> topic\n")
	printed = e.verify(1)
	line, _, _ := strings.Cut(printed, "\n")
	e.shown("the finding of a conflict", line)
	e.settle(printed)
	e.verify(0)

	t.Log("a repository with old faults")
	e.git("checkout", "-q", ".")
	e.git("rm", "-q", "docs/sync.lock")
	e.replace("docs/en/greet.md", "See [more](more.md).", "See [more](mroe.md).")
	e.replace("docs/zh/greet.md", "另见[更多](more.md)。", "另见[更多](more.md)，以及 `greet.Greet`。")
	e.shown("the summary of the baseline", e.gen(0, "baseline"))
	e.shown("the entry of the baseline", e.entry("docs/baseline.lock", "docs/en/greet.md link"))
	e.shown("the summary with a baseline", e.verify(0))
	e.replace("docs/en/greet.md", "(mroe.md)", "(more.md)")
	printed = e.verify(1)
	line, _, _ = strings.Cut(printed, "\n")
	e.shown("the finding of what is mended", line)
}
