package command

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/source"
)

// Fault is one thing in a script that the module does not have.
type Fault struct {
	Line    int    // of the script, counted from 1
	Name    string // what does not exist, as written
	Message string
}

// Result is what is known of a script.
type Result struct {
	Commands int // how many commands are of the module
	Faults   []Fault
}

// Check judges a script. Console says that only lines with a prompt are commands. Targets
// are further make targets, such as those of a makefile that the page shows.
func (c *Commands) Check(script string, console bool, more []string) Result {
	k := &checker{c: c, more: more}
	for _, cmd := range parseScript(script, console) {
		k.command(cmd)
	}
	return k.Result
}

// Targets are the targets of a makefile.
func Targets(makefile string) []string { return readTargets(makefile).names }

// checker judges the commands of one script, one after the other.
type checker struct {
	Result
	c     *Commands
	more  []string
	moved bool // the working directory is no longer known
}

var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*=`) })

// prefixes are words before a command that do not change what it is.
var prefixes = []string{"if", "then", "else", "while", "until", "do", "!", "time", "exec", "command", "sudo", "env", "nohup"}

// tools are programs of everybody. A command of the module with such a name is not judged.
var tools = []string{
	"awk", "bash", "cat", "cd", "chmod", "cp", "curl", "cut", "date", "diff", "docker", "echo", "export", "find",
	"git", "gofmt", "grep", "head", "install", "jq", "kill", "ls", "mkdir", "mv", "node", "npm", "printf", "python",
	"rm", "sed", "sh", "sleep", "sort", "ssh", "tail", "tar", "tee", "test", "touch", "tr", "wc", "wget", "which", "xargs",
}

func (k *checker) command(cmd simple) {
	words := cmd
	for len(words) > 0 && (assignment().MatchString(words[0].text) || slices.Contains(prefixes, words[0].text)) {
		words = words[1:]
	}
	if len(words) == 0 || words[0].opaque {
		return
	}
	name, args := words[0].text, words[1:]
	switch {
	case name == "cd" || name == "pushd" || name == "popd":
		k.moved = true
	case name == "go":
		k.goCommand(args)
	case name == "make" || name == "gmake":
		k.make(args)
	case k.c.Named(name) && !slices.Contains(tools, name):
		k.Commands++
		k.flags(name, k.c.mains[name], args)
	}
}

func (k *checker) fault(at word, name, message string) {
	k.Faults = append(k.Faults, Fault{at.line, name, message})
}

// goCommand judges the packages that the go command is given, and the flags of the
// program that it runs.
func (k *checker) goCommand(args []word) {
	dir := "."
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-C") {
		if args[0].text != "-C" {
			dir, args = strings.TrimPrefix(args[0].text, "-C="), args[1:]
			continue
		}
		if len(args) < 2 {
			return
		}
		dir, args = args[1].text, args[2:]
	}
	if len(args) == 0 {
		return
	}
	sub, args := args[0].text, args[1:]
	switch sub {
	case "tool":
		k.goTool(args)
	case "run":
		args = skipGoFlags(args)
		if len(args) > 0 && !args[0].opaque {
			k.run(dir, args[0], args[1:])
		}
	case "build", "install", "test", "vet", "list", "generate", "get", "fix", "fmt":
		for _, a := range args {
			if a.text == "-args" || a.text == "--" {
				break
			}
			if !a.opaque && !strings.HasPrefix(a.text, "-") {
				k.pattern(dir, a, false)
			}
		}
	}
}

// goFlags are flags of go run whose value is a word of its own.
var goFlags = []string{"-C", "-p", "-tags", "-mod", "-modfile", "-exec", "-ldflags", "-gcflags", "-asmflags", "-covermode", "-coverpkg", "-overlay", "-pgo", "-pkgdir", "-toolexec", "-buildmode", "-compiler", "-installsuffix"}

func skipGoFlags(args []word) []word {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		n := 1
		if slices.Contains(goFlags, strings.Replace(args[0].text, "--", "-", 1)) {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// run judges go run PACKAGE FLAGS.
func (k *checker) run(dir string, pkg word, args []word) {
	switch p := k.pattern(dir, pkg, true); {
	case p == nil:
	case p.Name != "main":
		k.fault(pkg, pkg.text, "package "+p.Dir+" is no command"+nearest.Hint(pkg.text, k.c.mainDirs()))
	default:
		k.flags(path.Base(p.Path), []*source.Package{p}, args)
	}
}

// pattern judges a package pattern of the go command and returns its package, or nil where
// it is no single package of the module. A pattern of readers' own modules looks the same:
// unless it must be of this one, its first directory has to be.
func (k *checker) pattern(dir string, pattern word, must bool) *source.Package {
	rel, ok := k.relative(dir, pattern.text)
	if !ok {
		return nil
	}
	k.Commands++
	base, dots := strings.CutSuffix(rel, "...")
	base = path.Clean(base)
	first, _, _ := strings.Cut(base, "/")
	switch p := k.c.mod.AnyPackage(base); {
	case strings.HasSuffix(base, ".go"):
		if !k.c.exists(base) && k.c.isDir(first) {
			k.fault(pattern, pattern.text, "there is no file "+base)
		}
	case p != nil && !dots:
		return p
	case !k.c.isDir(base) && (must || first != base && k.c.isDir(first)):
		k.fault(pattern, pattern.text, "there is no directory "+base+nearest.Hint("./"+base, k.c.mainDirs()))
	}
	return nil
}

// relative makes a pattern relative to the module root. It is false where it is not one
// of the module for certain.
func (k *checker) relative(dir, pattern string) (string, bool) {
	if strings.ContainsAny(pattern, "<>[]{}$*…") {
		return "", false
	}
	name, version, versioned := strings.Cut(pattern, "@")
	if rel, ok := k.c.mod.Settings.OwnDir(name); ok {
		// A version may have had other packages, and a nested module has its own.
		if versioned && version != "latest" || k.c.nestedModule(rel) {
			return "", false
		}
		return rel, true
	}
	if k.moved || pattern != "." && !strings.HasPrefix(pattern, "./") {
		return "", false
	}
	rel := path.Join(dir, pattern)
	if strings.HasPrefix(rel, "..") || path.IsAbs(rel) || strings.Contains(dir, "$") || dir != "." && !k.c.isDir(dir) {
		return "", false
	}
	return rel, true
}

// goTool judges go tool NAME FLAGS. A name that is not of the module is judged only where
// it is nearly one.
func (k *checker) goTool(args []word) {
	args = skipGoFlags(args)
	if len(args) == 0 || args[0].opaque {
		return
	}
	name := args[0].text
	base := path.Base(name)
	if k.c.Named(base) {
		k.Commands++
		k.flags(base, k.c.mains[base], args[1:])
		return
	}
	for _, gm := range k.c.mod.Settings.Modules {
		for _, t := range gm.Tools {
			if t == name || path.Base(t) == name {
				return
			}
		}
	}
	for _, known := range k.c.Names() {
		if d := nearest.Distance(base, known); len(known) > 4 && d <= 2 {
			k.Commands++
			k.fault(args[0], name, "there is no tool "+name+nearest.Hint(base, k.c.Names()))
			return
		}
	}
}

var longFlag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9_.-]+)(?:=.*)?$`) })

// flags judges the long flags of a command, and short ones that stand alone.
func (k *checker) flags(name string, pkgs []*source.Package, args []word) {
	for _, a := range args {
		if a.text == "--" {
			return
		}
		text, _, _ := strings.Cut(a.text, "=")
		text = strings.Trim(text, "[]()")
		m := longFlag().FindStringSubmatch(text)
		if m == nil || a.quoted || strings.ContainsAny(text, "$*?{}~|") {
			continue
		}
		flag := m[1]
		dashes := strings.TrimSuffix(text, flag)
		var names []string
		known := false
		for _, p := range pkgs {
			f := k.c.flagsOf(p)
			for _, n := range f.Names {
				names = append(names, dashes+n)
			}
			// Of -abc pflag makes three flags.
			known = known || f.Has(flag) || dashes == "-" && !slices.ContainsFunc(f.Names, func(n string) bool { return len(n) > 1 && nearest.Distance(n, flag) < 3 })
		}
		if !known {
			k.fault(a, text, "command "+name+" has no flag "+text+nearest.Hint(dashes+flag, names))
		}
	}
}

// makeFlags are flags of make whose value is a word of its own.
var makeFlags = []string{"-j", "-o", "-W", "-I", "-l"}

// make judges the targets that make is given.
func (k *checker) make(args []word) {
	t := k.c.targets
	if t == nil || t.open || k.moved {
		return
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case strings.HasPrefix(a.text, "-C"), strings.HasPrefix(a.text, "-f"), strings.HasPrefix(a.text, "--"):
			return // another directory or makefile
		case slices.Contains(makeFlags, a.text):
			if i+1 < len(args) && strings.Trim(args[i+1].text, "0123456789") == "" {
				i++
			}
		case strings.HasPrefix(a.text, "-"), strings.Contains(a.text, "="), a.opaque, strings.ContainsAny(a.text, "<>[]…"):
		case strings.Trim(a.text, ".") == "" || strings.ToUpper(a.text) == a.text:
		default:
			k.Commands++
			if !slices.Contains(t.names, a.text) && !slices.Contains(k.more, a.text) && !k.c.exists(a.text) {
				k.fault(a, a.text, "the Makefile has no target "+a.text+nearest.Hint(a.text, t.names))
			}
		}
	}
}
