package command

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/testfile"
)

func load(t testing.TB, archive string) *source.Module {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		testfile.Write(t, name, f.Data)
	}
	s, err := settings.Load(settings.Flags{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var out finding.List
	mod := source.Start(context.Background(), s).Module(&out)
	if len(out.Failures) > 0 {
		t.Fatal(out.Failures)
	}
	return mod
}

func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		open       bool
	}{
		{"rules", "a: b\n\techo: x\nb c:: ; x\nd &: e\n", []string{"a", "b", "c", "d"}, false},
		{"assignments", "A := b\nB = c: d\nC ?= x\nD ::= y\nE :::= z\nf: G = h\n", []string{"f"}, false},
		{"phony and special", ".PHONY: a \\\n  b\n.DEFAULT_GOAL := a\n.SUFFIXES:\n", []string{"a", "b"}, false},
		{"comments", "# x: y\na: ## what: it does\n", []string{"a"}, false},
		{"define", "define X\nb: c\nendef\na:\n", []string{"a"}, false},
		{"pattern", "%.o: %.c\na:\n", []string{"a"}, true},
		{"include", "include x.mk\na:\n", []string{"a"}, true},
		{"variable", "$(BIN): x\n", nil, true},
		{"windows", "a:\r\n\techo\r\n", []string{"a"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := readTargets(tt.text)
			if diff := cmp.Diff(tt.want, got.names); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
			if got.open != tt.open {
				t.Errorf("open is %v", got.open)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		name, files string
		want        string // names, with a + where there may be others
	}{
		{"flag", `
-- main.go --
package main
import "flag"
const name = "constant"
func main() {
	flag.String("dir", "", "usage of dir")
	var v bool
	flag.BoolVar(&v, "v", false, "")
	flag.Duration(name, 0, "")
	flag.Func("fn", "", nil)
}
`, "constant dir fn h help v version"},
		{"pflag, in a package of the module", `
-- main.go --
package main
import "example.com/m/internal/cli"
func main() { cli.Run() }
-- internal/cli/cli.go --
package cli
func Run() {
	f := cmd.Flags()
	f.StringVarP(&x, "output", "o", "default value", "")
	f.BoolP("quiet", "q", false, "")
	f.VarPF(v, "level", "l", "")
	f.IPNetVar(&x, "net", n, "")
}
-- internal/other/other.go --
package other
func Run() { f.String("unreached", "", "") }
`, "h help l level net o output q quiet version"},
		{"a name that only a run can tell", `
-- main.go --
package main
import "flag"
func main() {
	flag.String("a", "", "")
	for _, n := range names { flag.String(n, n, n) }
}
`, "a h help version +"},
		{"flags of a library", `
-- main.go --
package main
import ("flag"; "example.org/klog")
func main() {
	flag.String("a", "", "")
	klog.InitFlags(flag.CommandLine)
}
`, "a h help version +"},
		{"flags that a package of the module defines", `
-- main.go --
package main
import ("flag"; "example.com/m/opts")
func main() { opts.Define(flag.CommandLine) }
-- opts/opts.go --
package opts
import "flag"
func Define(fs *flag.FlagSet) { fs.Bool("b", false, "") }
`, "b h help version"},
		{"values", `
-- main.go --
package main
var flags = []cli.Flag{&cli.StringFlag{Name: "lang", Aliases: []string{"l"}}}
func main() {}
`, "h help l lang version"},
		{"struct tags", "\n-- main.go --\npackage main\ntype opts struct { V bool `long:\"verbose\"` }\nfunc main() {}\n", "h help version +"},
		{"none", "\n-- main.go --\npackage main\nfunc main() {}\n", "h help version +"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mod := load(t, "-- go.mod --\nmodule example.com/m\n"+strings.TrimPrefix(tt.files, "\n"))
			f := New(mod).FlagsOf("m")
			names := append([]string{}, f.Names...)
			slices.Sort(names)
			got := strings.Join(names, " ")
			if f.Open {
				got += " +"
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScript(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		console    bool
		want       []string // LINE: WORD|WORD, an opaque word with ~ before it
	}{
		{"words", `a 'b c' "d $e" f\ g h"i"j`, false, []string{"1: a|b c|~d $e|f g|hij"}},
		{"several", "a; b && c || d | e &\nf", false, []string{"1: a", "1: b", "1: c", "1: d", "1: e", "2: f"}},
		{"comments", "a # b\n# c\na#b", false, []string{"1: a", "3: a#b"}},
		{"continued", "a \\\n  b \\\n  c\nd", false, []string{"1: a|b|c", "4: d"}},
		{"redirected", "a > b 2>&1 < c d\ne >>f", false, []string{"1: a|d", "2: e"}},
		{"here-document", "a <<'EOT'\nb\nEOT\nc", false, []string{"1: a", "4: c"}},
		{"prompts", "$ a\nout\n  $ b\n% c", false, []string{"1: a", "3: b", "4: c"}},
		{"console without prompts", "a\nb", true, nil},
		{"unclosed quote", `a "b`, false, []string{"1: a|b"}},
		{"expansions", "a $b {c,d} *.go $(e f)", false, []string{"1: a|~$b|~{c,d}|~*.go|~$(e|~f)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, cmd := range parseScript(tt.text, tt.console) {
				var words []string
				for _, w := range cmd {
					if w.opaque {
						w.text = "~" + w.text
					}
					words = append(words, w.text)
				}
				got = append(got, string(rune('0'+cmd[0].line))+": "+strings.Join(words, "|"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzScript(f *testing.F) {
	for _, seed := range []string{"a b", "a \\\n", "<<", "a <<E\n", "'", "\"$", "$ a\n", "2>", "a>", "\\"} {
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, console bool) {
		lines := strings.Count(text, "\n") + 1
		for _, cmd := range parseScript(text, console) {
			if len(cmd) == 0 {
				t.Error("a command without words")
			}
			for _, w := range cmd {
				if w.line < 1 || w.line > lines {
					t.Errorf("word %q on line %d of %d", w.text, w.line, lines)
				}
			}
		}
	})
}
