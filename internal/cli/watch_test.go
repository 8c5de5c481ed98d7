package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/testfile"
)

// patience is when a test gives up on a line of gen-catalog --watch. No test depends on
// how long one takes.
const patience = 2 * time.Minute

// watched is a running gen-catalog --watch on a module.
type watched struct {
	*testing.T
	dir   string
	cmd   *exec.Cmd
	lines chan string // of both outputs
	found strings.Builder
}

// startWatch writes a module and starts the command on it.
func startWatch(t *testing.T, args ...string) *watched {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{T: t, dir: t.TempDir(), lines: make(chan string, 1000)}
	w.write("go.mod", "module example.com/m\n\ngo 1.26\n")
	w.write("a/a.go", watchedSource("one"))
	for _, lang := range []string{"en", "zh"} {
		w.write("docs/"+lang+"/a.md", "# A\n\n<!-- BEGIN GENERATED catalog a -->\n<!-- END GENERATED catalog -->\n")
	}
	w.cmd = exec.Command(exe)
	w.cmd.Args = append([]string{"gen-catalog", "--watch", "--dir", w.dir}, args...)
	out, in, err := os.Pipe() // one for both, so that the order of lines is known
	if err != nil {
		t.Fatal(err)
	}
	w.cmd.Stdout, w.cmd.Stderr = in, in
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // it may have ended
		_ = w.cmd.Wait()
	})
	go w.read(out)
	return w
}

func watchedSource(word string) string {
	return "// Package a is.\npackage a\n\n// A is " + word + ".\n//\n//catalog:type\ntype A int\n"
}

func (w *watched) read(r io.Reader) {
	for s := bufio.NewScanner(r); s.Scan(); {
		w.lines <- s.Text()
	}
	close(w.lines)
}

// write replaces a file at once, as editors do that save by renaming.
func (w *watched) write(name, text string) {
	w.Helper()
	path, temp := filepath.Join(w.dir, filepath.FromSlash(name)), filepath.Join(w.TempDir(), "temp")
	testfile.Write(w, temp, text)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		w.Fatal(err)
	}
}

func (w *watched) remove(name string) {
	w.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, filepath.FromSlash(name))); err != nil {
		w.Fatal(err)
	}
}

// line is the next line of standard error. What comes before it on standard output is
// kept.
func (w *watched) line() string {
	w.Helper()
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				w.Fatal("the command has ended")
			}
			w.Log(line)
			if strings.HasPrefix(line, "gen-catalog: ") {
				return line
			}
			w.found.WriteString(line + "\n")
		case <-time.After(patience):
			w.Fatal("the command says nothing more")
		}
	}
}

var someWritten = regexp.MustCompile(`[1-9]\d* files? written`)

// want checks that the next line is this one; how many files are written, but for none,
// does not matter.
func (w *watched) want(line string) {
	w.Helper()
	if got := someWritten.ReplaceAllString(w.line(), "some written"); got != line {
		w.Fatalf("line %q, want %q", got, line)
	}
}

// until reads lines until something holds.
func (w *watched) until(holds func() bool) {
	w.Helper()
	for !holds() {
		w.line()
	}
}

// shows reports whether the pages of both languages have a text.
func (w *watched) shows(text string) bool {
	w.Helper()
	for _, lang := range []string{"en", "zh"} {
		if !strings.Contains(readFile(w.T, filepath.Join(w.dir, "docs", lang, "a.md")), text) {
			return false
		}
	}
	return true
}

// printed is what was printed to standard output since the last call.
func (w *watched) printed() string {
	defer w.found.Reset()
	return w.found.String()
}

// end interrupts the command, which has to end well, and returns the lines that were left.
func (w *watched) end() (left []string) {
	w.Helper()
	if runtime.GOOS == "windows" {
		return nil // no process can be interrupted there
	}
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.Fatal(err)
	}
	for line := range w.lines {
		left = append(left, line)
	}
	if err := w.cmd.Wait(); err != nil {
		w.Errorf("the command ends with %v", err)
	}
	return left
}

// TestWatchRounds makes one edit at a time. Each is answered with one line, so a round that
// nobody asked for would be in the place of the next one.
func TestWatchRounds(t *testing.T) {
	w := startWatch(t, "--gen", "gen")
	w.want("gen-catalog: 2 regions on 2 pages, some written; watching for edits, stop with Ctrl-C")
	for _, word := range []string{"two", "three"} {
		w.write("a/a.go", watchedSource(word))
		w.want("gen-catalog: a/a.go: 2 regions on 2 pages, some written")
		if !w.shows("A is " + word) {
			t.Errorf("the pages do not show %s", word)
		}
	}
	page := readFile(t, filepath.Join(w.dir, "docs", "zh", "a.md"))
	w.write("docs/zh/a.md", strings.Replace(page, "A is three", "A is wrong", 1))
	w.want("gen-catalog: docs/zh/a.md: 2 regions on 2 pages, some written")
	if !w.shows("A is three") {
		t.Error("a region that was edited stays as it is")
	}
	w.write("NOTES", "what no run looks at but for its name")
	w.want("gen-catalog: NOTES: 2 regions on 2 pages, 0 files written")
	w.write("NOTES", "and then not any more")
	w.write("docs/en/a.md", readFile(t, filepath.Join(w.dir, "docs", "en", "a.md"))) // the same bytes
	if text := w.printed(); text != "" {
		t.Errorf("findings where there is nothing to find:\n%s", text)
	}

	w.write("docs/zh/a.md", "# B\n\n"+page[len("# A\n\n"):])
	w.want("gen-catalog: docs/zh/a.md: 2 regions on 2 pages, 0 files written")
	w.write("docs/zh/a.md", "[b](b.md)\n\n"+page)
	w.want("gen-catalog: docs/zh/a.md: 2 regions on 2 pages, 0 files written, 2 findings")
	if text := w.printed(); !strings.Contains(text, "docs/zh/a.md:1: link: ") || !strings.Contains(text, "docs/zh/a.md:1: structure: ") {
		t.Errorf("findings:\n%s", text)
	}
	w.write("docs/zh/a.md", page)
	w.line()

	w.write("a/b.go", "package (\n")
	w.want("gen-catalog: a/b.go:1: does not parse: expected 'IDENT', found '('; mend the source")
	w.want("gen-catalog: a/b.go: nothing written")
	w.write("a/a.go", "package (\n")
	w.want("gen-catalog: a/a.go:1: does not parse: expected 'IDENT', found '('; mend the source")
	w.want("gen-catalog: a/b.go:1: does not parse: expected 'IDENT', found '('; mend the source")
	w.want("gen-catalog: a/a.go: nothing written")
	if text := w.printed(); text != "" {
		t.Errorf("findings of rounds that failed:\n%s", text)
	}
	w.write("a/a.go", watchedSource("three"))
	w.line()
	w.line()
	w.write("a/b.go", "package a\n\n// B is new.\n//\n//catalog:type\ntype B int\n")
	w.want("gen-catalog: a/b.go: 2 regions on 2 pages, some written")
	w.remove("a/b.go")
	w.want("gen-catalog: a/b.go: 2 regions on 2 pages, some written")

	w.write(".catalog.yaml", "gone: 1\n")
	w.line()
	w.want("gen-catalog: .catalog.yaml: nothing written")
	w.remove(".catalog.yaml")
	w.want("gen-catalog: .catalog.yaml: 2 regions on 2 pages, 0 files written")
	if left := w.end(); len(left) > 0 {
		t.Errorf("at the end it says %q", left)
	}
}

// TestWatchSurvives makes edits of many files, which may take any number of rounds.
func TestWatchSurvives(t *testing.T) {
	quietGit(t)
	w := startWatch(t)
	w.line()
	// In place, and again before anybody can have looked.
	for i := range 20 {
		path := filepath.Join(w.dir, "a", "a.go")
		if err := os.WriteFile(path, []byte(watchedSource(fmt.Sprint(i))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.until(func() bool { return w.shows("A is 19.") })

	// A package that is new, goes, and comes back with the same path.
	for _, word := range []string{"first", "second"} {
		w.write("b/c/c.go", "// Package c is.\npackage c\n\n// C is "+word+".\ntype C int\n")
		for _, lang := range []string{"en", "zh"} {
			w.write("docs/"+lang+"/a.md", "# A\n\n<!-- BEGIN GENERATED catalog a b/c.C -->\n<!-- END GENERATED catalog -->\n")
		}
		w.until(func() bool { return w.shows("C is " + word) })
		w.write("b/c/c.go", "// Package c is.\npackage c\n\n// C is "+word+" again.\ntype C int\n")
		w.until(func() bool { return w.shows("C is " + word + " again") })
		w.remove("b")
		for _, lang := range []string{"en", "zh"} {
			w.write("docs/"+lang+"/a.md", "# A\n\n<!-- BEGIN GENERATED catalog a -->\n<!-- END GENERATED catalog -->\n")
		}
		w.until(func() bool { return w.shows("A is 19.") && !w.shows("C is") })
	}

	// All pages of a language are gone, and come back.
	page := readFile(t, filepath.Join(w.dir, "docs", "zh", "a.md"))
	w.remove("docs/zh")
	for !strings.Contains(w.line(), "docs/zh") {
	}
	w.write("docs/zh/a.md", strings.Replace(page, "A is", "A was", 1))
	w.until(func() bool { return w.shows("A is 19.") && !w.shows("A was") })

	w.checkouts()
	w.end() // perhaps in the middle of a round that nobody waits for
}

// checkouts goes to and fro between two commits.
func (w *watched) checkouts() {
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	git := func(args ...string) {
		w.Helper()
		cmd := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "core.autocrlf=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			w.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	git("checkout", "-q", "-b", "side")
	// The pages of this commit are stale, and so mended each time that it is checked out.
	w.write("a/a.go", watchedSource("at the side"))
	w.until(func() bool { return w.shows("A is at the side.") })
	git("commit", "-q", "-m", "two", "a")
	for range 2 {
		git("checkout", "-q", "-f", "main")
		w.until(func() bool { return w.shows("A is 19.") })
		git("checkout", "-q", "-f", "side")
		w.until(func() bool { return w.shows("A is at the side.") })
	}
}

// TestWatchFails holds what keeps it from beginning to the exit codes.
func TestWatchFails(t *testing.T) {
	for _, args := range [][]string{{"--json"}, {"--json-schema"}, {"--dir", filepath.Join(t.TempDir(), "none")}} {
		var stdout, stderr bytes.Buffer
		if code := cli.Gen(append([]string{"--watch"}, args...), &stdout, &stderr); code != 2 || stdout.Len() > 0 {
			t.Errorf("%q: exit %d, %s%s", args, code, &stdout, &stderr)
		}
	}
}
