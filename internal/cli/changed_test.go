package cli_test

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/scope"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/testfile"
)

var (
	walkSeed  = flag.Uint64("walk-seed", 1, "the first seed of the walks of TestChangedIsEnough")
	walkSeeds = flag.Uint64("walk-seeds", 3, "how many walks TestChangedIsEnough makes")
	walkSteps = flag.Int("walk-steps", 10, "how many steps each of its walks has")
)

// TestChangedIsEnough walks through a bilingual module with random edits. After each, what
// --changed finds has to be a part of what a full run finds, and has to have all that was
// no finding before the edit.
func TestChangedIsEnough(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "changed.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	quietGit(t)
	for seed := *walkSeed; seed < *walkSeed+*walkSeeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := &walk{T: t, dir: t.TempDir(), rand: rand.New(rand.NewPCG(seed, 0)), archive: archive}
			w.reset()
			narrow := 0
			for range *walkSteps {
				if w.step() {
					narrow++
				}
			}
			if narrow == 0 {
				t.Error("every change put everything in scope")
			}
		})
	}
}

// TestChangedReaches makes one edit at a time, each of which is a fault on a page that it
// does not touch. That page has to be judged, and not because everything is.
func TestChangedReaches(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "changed.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	quietGit(t)
	w := &walk{T: t, dir: t.TempDir(), archive: archive}
	w.reset()
	w.misfit()
	for _, tt := range []struct{ name, file, before, after, want string }{
		{"heading", "docs/en/api.md", "## Modes", "## Ways", "docs/en/guide.md: anchor"},
		{"id", "docs/zh/deep/end.md", `<a id="last">`, `<a id="lost">`, "docs/zh/guide.md: anchor"},
		{"heading of a file that is no page", "MORE.md", "still", "yet", "NOTES.md: anchor"},
		{"heading that a comment names", "docs/en/guide.md", "<a id=\"rules\"></a>\n\n## Rules", "## Roles", "root.go: anchor"},
		{"file", "docs/box.svg", "", "", "docs/en/guide.md: link"},
		{"definition's file", "docs/zh/data/list.txt", "", "", "docs/zh/guide.md: link"},
		{"promoted method", "base/base.go", "Close()", "Shut()", "docs/en/guide.md: symbol"},
		{"described method of another package", "base/base.go", "it at once", "it later", "docs/zh/guide.md: prose"},
		{"method of an alias", "base/more.go", "Level()", "Flat()", "docs/en/guide.md: symbol"},
		{"constant", "base/more.go", "const Limit", "const Most", "docs/en/deep/end.md: fence"},
		{"method behind a field", "base/base.go", "Keep(n int)", "Keep(n string)", "docs/en/deep/end.md: fence"},
		{"quoted declaration", "base/base.go", "// Keep keeps n", "// Keep keeps up to n", "docs/en/guide.md: declaration"},
		{"excerpt of another module", "examples/use.go", "kept :=", "held :=", "docs/en/guide.md: fence"},
		{"excerpt of a test", "base/base_test.go", "return around", "return 1 + around", "NOTES.md: fence"},
		{"flag in another package", "internal/opts/opts.go", `"force"`, `"power"`, "docs/en/guide.md: fence"},
		{"make target", "Makefile", "test docs\n\ntest:", "tests docs\n\ntests:", "docs/en/guide.md: fence"},
		{"path", "docs/en/guide.md", "", "", "README.zh.md: symbol"},
		{"type of the root", "root.go", "Grow(by int)", "Widen(by int)", "README.md: symbol"},
		{"comment of a type elsewhere", "store/store.go", "// Put puts b", "// Put places b", "docs/en/store.md: region-stale"},
		{"anchor of a region", "base/base.go", "Close() error", "Shut() error", "docs/zh/store.md: anchor"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := *w
			w.T = t
			path := filepath.Join(w.dir, filepath.FromSlash(tt.file))
			if tt.before == "" {
				w.check(os.Remove(path))
			} else {
				text := readFile(t, path)
				if !strings.Contains(text, tt.before) {
					t.Fatalf("%s does not have %q", tt.file, tt.before)
				}
				testfile.Write(t, path, strings.Replace(text, tt.before, tt.after, 1))
			}
			defer w.undo()
			s, err := settings.Load(settings.Flags{Dir: w.dir})
			w.check(err)
			change, err := scope.Read(t.Context(), s, "HEAD")
			w.check(err)
			full, part := w.build(nil), w.build(change)
			w.compare(full, part)
			if why := part.Scope.Everything(); why != "" {
				t.Errorf("everything is in scope, since %s", why)
			}
			if !slices.ContainsFunc(part.Findings, func(f finding.Finding) bool { return f.Path+": "+string(f.Rule) == tt.want }) {
				t.Errorf("no finding %s in %v; a full run has %v", tt.want, part.Findings, full.Findings)
			}
		})
	}
}

// misfit adds a test file of another package. It decides what the go command makes of the
// directory, so that everything is in scope.
func (w *walk) misfit() {
	w.Helper()
	testfile.Write(w, filepath.Join(w.dir, "store", "a_test.go"), "package base\n")
	defer w.undo()
	s, err := settings.Load(settings.Flags{Dir: w.dir})
	w.check(err)
	change, err := scope.Read(w.Context(), s, "HEAD")
	w.check(err)
	if part := w.build(change); part.Scope.Everything() == "" {
		w.Errorf("a test file of another package: %s", part.Scope)
	}
}

// quietGit keeps the configuration of who runs the tests, and repositories around their
// directories, out of them.
func quietGit(t testing.TB) {
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

// walk is one series of edits.
type walk struct {
	*testing.T
	dir     string
	rand    *rand.Rand
	archive *txtar.Archive
	words   []string
	edits   []string
	before  []finding.Finding
}

func (w *walk) git(args ...string) {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// reset puts the module in the place of what there is.
func (w *walk) reset() {
	w.Helper()
	for _, name := range w.files() {
		w.check(os.Remove(filepath.Join(w.dir, name)))
	}
	w.words = nil
	for _, f := range w.archive.Files {
		testfile.Write(w, filepath.Join(w.dir, f.Name), string(f.Data))
		w.words = append(w.words, regexp.MustCompile(`[\pL\d_]+|[^\s\pL\d_]+`).FindAllString(string(f.Data), -1)...)
	}
	gen(w, "--dir", w.dir)
	gen(w, "confirm", "--dir", w.dir, "--baseline")
	if _, err := os.Stat(filepath.Join(w.dir, ".git")); err != nil {
		w.git("init", "-q", "-b", "main")
	}
	w.commit()
	full := w.build(nil)
	if len(full.Failures)+len(full.Findings) > 0 {
		w.Fatalf("the module is not fresh: %v %v", full.Failures, full.Findings)
	}
	w.before = nil
}

func (w *walk) commit() {
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "change")
}

func (w *walk) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// files are the files of the module but for git's, sorted.
func (w *walk) files() []string {
	var out []string
	w.check(filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(w.dir, name)
		out = append(out, rel)
		return err
	}))
	return out
}

func (w *walk) build(change *scope.Change) *catalog.Result {
	w.Helper()
	s, err := settings.Load(settings.Flags{Dir: w.dir})
	w.check(err)
	return catalog.Build(w.Context(), s, catalog.Options{Judge: true, Change: change})
}

// step edits the module and compares. It reports whether not everything was in scope.
func (w *walk) step() bool {
	w.Helper()
	w.edits = nil
	for range 1 + w.rand.IntN(3) {
		w.edit()
	}
	s, err := settings.Load(settings.Flags{Dir: w.dir})
	if err != nil {
		w.undo()
		return false
	}
	change, err := scope.Read(w.Context(), s, "HEAD")
	w.check(err)
	full, part := w.build(nil), w.build(change)
	if len(full.Failures) > 0 {
		if len(part.Failures) == 0 {
			w.Errorf("%v: a full run fails with %v, and --changed does not", w.edits, full.Failures)
		}
		w.undo()
		return false
	}
	w.Logf("%v: %s", w.edits, part.Scope)
	w.compare(full, part)
	if w.rand.IntN(6) == 0 {
		w.reset()
		return part.Scope.Everything() == ""
	}
	w.commit()
	w.before = full.Findings
	return part.Scope.Everything() == ""
}

func (w *walk) undo() {
	w.git("reset", "-q", "--hard")
	w.git("clean", "-q", "-fdx")
}

func (w *walk) compare(full, part *catalog.Result) {
	w.Helper()
	for _, f := range part.Findings {
		if !slices.Contains(full.Findings, f) {
			w.Errorf("%v\n%s: only --changed finds\n%s\n%s", w.edits, part.Scope, f, f.Diff)
		}
	}
	old := map[string]bool{}
	for _, f := range w.before {
		old[same(f)] = true
	}
	for _, f := range full.Findings {
		if !old[same(f)] && !slices.Contains(part.Findings, f) {
			w.Errorf("%v\n%s: --changed does not find\n%s", w.edits, part.Scope, f)
		}
	}
}

var meant = regexp.MustCompile(`(\(?did you mean|correct the path|correct the fragment|there is no section).*`)

var lineNumber = regexp.MustCompile(`(\S:|\bline )\d+(-\d+)?`)

// same is equal for findings that differ only in what may have been meant instead, and in
// the lines of other places. An entry of the lock file is the same on any line.
func same(f finding.Finding) string {
	if f.Path == "docs/sync.lock" {
		f.Line = 0
	}
	f.Message = lineNumber.ReplaceAllString(f.Message, "$1")
	return meant.ReplaceAllString(f.String(), "")
}

// edit makes one random edit.
func (w *walk) edit() {
	files := w.files()
	if w.rand.IntN(2) == 0 { // source has the most ways to matter
		files = slices.DeleteFunc(files, func(name string) bool { return filepath.Ext(name) != ".go" })
		if len(files) == 0 {
			return
		}
	}
	name := files[w.rand.IntN(len(files))]
	said := func(format string, args ...any) {
		w.edits = append(w.edits, fmt.Sprintf(format, args...))
	}
	path := filepath.Join(w.dir, name)
	switch n := w.rand.IntN(24); n {
	case 0:
		said("remove %s", name)
		w.check(os.Remove(path))
	case 1, 2:
		to := filepath.Join(filepath.Dir(name), "new"+filepath.Base(name))
		said("move %s to %s", name, to)
		w.check(os.Rename(path, filepath.Join(w.dir, to)))
	case 3:
		dir := filepath.Dir(files[w.rand.IntN(len(files))])
		said("copy %s to %s", name, dir)
		testfile.Write(w, filepath.Join(w.dir, dir, filepath.Base(name)), readFile(w.T, path))
	case 4:
		said("gen-catalog")
		cli.Gen([]string{"--dir", w.dir}, io.Discard, io.Discard)
	case 5:
		said("confirm all")
		w.confirmAll()
	case 6:
		if w.rand.IntN(3) == 0 {
			said("baseline")
			cli.Gen([]string{"baseline", "--dir", w.dir}, io.Discard, io.Discard)
		}
	default:
		w.editLines(path, said)
	}
}

// confirmAll runs the commands of the findings.
func (w *walk) confirmAll() {
	s, err := settings.Load(settings.Flags{Dir: w.dir})
	if err != nil {
		return // an edit of the settings
	}
	var args []string
	for _, f := range catalog.Build(w.Context(), s, catalog.Options{Judge: true}).Findings {
		if m := regexp.MustCompile(`gen-catalog confirm (\S+)$`).FindStringSubmatch(f.Message); m != nil && !slices.Contains(args, m[1]) {
			args = append(args, m[1])
		}
	}
	if len(args) > 0 {
		cli.Gen(append([]string{"confirm", "--dir", w.dir}, args...), io.Discard, io.Discard)
	}
}

// editLines changes a line of a file, or a word of one.
func (w *walk) editLines(path string, said func(string, ...any)) {
	lines := strings.SplitAfter(readFile(w.T, path), "\n")
	i := w.rand.IntN(len(lines))
	rel, err := filepath.Rel(w.dir, path)
	w.check(err)
	switch w.rand.IntN(8) {
	case 0:
		said("%s:%d: delete %q", rel, i+1, lines[i])
		lines = slices.Delete(lines, i, i+1)
	case 1:
		said("%s:%d: double %q", rel, i+1, lines[i])
		lines = slices.Insert(lines, i, lines[i])
	case 2:
		j := w.rand.IntN(len(lines))
		said("%s:%d: swap %q with %d %q", rel, i+1, lines[i], j+1, lines[j])
		lines[i], lines[j] = lines[j], lines[i]
	default:
		spans := regexp.MustCompile(`[\pL\d_]+|[^\s\pL\d_]+`).FindAllStringIndex(lines[i], -1)
		if len(spans) == 0 {
			return
		}
		at := spans[w.rand.IntN(len(spans))]
		word := w.words[w.rand.IntN(len(w.words))]
		said("%s:%d: %q for %q in %q", rel, i+1, word, lines[i][at[0]:at[1]], lines[i])
		lines[i] = lines[i][:at[0]] + word + lines[i][at[1]:]
	}
	testfile.Write(w, path, strings.Join(lines, ""))
}
