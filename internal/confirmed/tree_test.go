package confirmed_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/confirmed"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/testfile"
	"github.com/agentplan/sdk/internal/tree"
)

// project is a module with pages in a temporary directory.
type project struct {
	testing.TB
	dir     string
	modules map[string]*source.Module // by the source, which few tests change often
}

// newProject writes the files of a txtar text beside a go.mod.
func newProject(t testing.TB, text string) project {
	t.Helper()
	p := project{t, t.TempDir(), map[string]*source.Module{}}
	p.write("go.mod", "module example.com/m\n\ngo 1.26\n")
	for _, f := range txtar.Parse([]byte(text)).Files {
		p.write(f.Name, string(f.Data))
	}
	return p
}

func (p project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p project) write(name, text string) {
	p.Helper()
	testfile.Write(p, p.path(name), text)
}

func (p project) read(name string) string {
	p.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		p.Fatal(err)
	}
	return string(data)
}

// edit replaces a text that a file must have.
func (p project) edit(name, from, to string) {
	p.Helper()
	text := p.read(name)
	if !strings.Contains(text, from) {
		p.Fatalf("%s has no %q", name, from)
	}
	p.write(name, strings.Replace(text, from, to, 1))
}

func (p project) input(langs string) confirmed.Input {
	p.Helper()
	s, err := settings.Load(settings.Flags{Dir: p.dir, Langs: langs})
	if err != nil {
		p.Fatal(err)
	}
	var out finding.List
	src := p.read("p/p.go")
	if p.modules[src] == nil {
		p.modules[src] = source.Start(p.Context(), s).Module(&out)
	}
	in := confirmed.Input{Settings: s, Tree: tree.Load(s, &out), Module: p.modules[src], Command: "gen-catalog confirm"}
	if len(out.Failures) > 0 {
		p.Fatal(out.Failures)
	}
	return in
}

// check returns all findings, sorted.
func (p project) check(langs string) finding.List {
	p.Helper()
	var out finding.List
	confirmed.Check(p.Context(), p.input(langs), &out)
	out.Sort()
	return out
}

// places are the findings as path:line: rule.
func places(out finding.List) []string {
	var list []string
	for _, f := range out.Findings {
		list = append(list, fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Rule))
	}
	for _, f := range out.Failures {
		list = append(list, "failure: "+f.Error())
	}
	return list
}

func (p project) baseline(langs string) {
	p.Helper()
	var out finding.List
	r := confirmed.Baseline(p.Context(), p.input(langs), &out)
	if !r.Written || len(out.Failures) > 0 {
		p.Fatalf("baseline: %+v, %v", r, out)
	}
}

var command = regexp.MustCompile(`run gen-catalog confirm (.*)$`)

// commands are the arguments of the commands that the findings print, each once.
func commands(out finding.List) []string {
	args := map[string]bool{}
	for _, f := range out.Findings {
		if m := command.FindStringSubmatch(f.Message); m != nil {
			args[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(args))
}

func (p project) confirm(langs string, args ...string) (confirmed.Result, finding.List) {
	p.Helper()
	var out finding.List
	r := confirmed.Confirm(p.Context(), p.input(langs), args, &out)
	out.Sort()
	return r, out
}

// settle runs every command that the findings print, and wants nothing to be left.
func (p project) settle(langs string) {
	p.Helper()
	args := commands(p.check(langs))
	if len(args) == 0 {
		p.Fatal("no finding prints a command")
	}
	if r, out := p.confirm(langs, args...); len(out.Findings)+len(out.Failures) > 0 || !r.Written {
		p.Fatalf("confirm %v: %+v\n%v", args, r, out)
	}
	if left := places(p.check(langs)); left != nil {
		p.Fatalf("left after the confirmation: %v", left)
	}
}

// git runs git apart from all configuration.
func (p project) git(args ...string) (string, error) {
	p.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "core.autocrlf=false", "-c", "commit.gpgSign=false"}, args...)...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p project) mustGit(args ...string) {
	p.Helper()
	if out, err := p.git(args...); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p project) commit() {
	p.Helper()
	p.mustGit("add", "-A")
	p.mustGit("commit", "-q", "-m", "change")
}

// isolate keeps git from finding a repository or settings of the machine.
func isolate(t *testing.T) {
	t.Helper()
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"} {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
}

// inGit makes a repository of a project, with everything committed.
func inGit(t *testing.T, p project) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	isolate(t)
	p.mustGit("init", "-q", "-b", "main")
	p.commit()
}

func (p project) rename(from, to string) {
	p.Helper()
	if err := os.Rename(p.path(from), p.path(to)); err != nil {
		p.Fatal(err)
	}
}

func (p project) remove(name string) {
	p.Helper()
	if err := os.Remove(p.path(name)); err != nil {
		p.Fatal(err)
	}
}
