// Package command yields what a shell can be told to do with a module: its main packages
// with their flags and its make targets; and what is wrong with a command line that uses
// them.
//
// What cannot be told for certain is not wrong: words that the shell expands, commands of
// other programs, and paths where a command before has changed the directory.
package command

import (
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// Commands is what a module offers in any of the configured builds. It is safe for use by one goroutine at a time.
type Commands struct {
	mod     *source.Module
	mains   map[string][]*source.Package // by the name of the command
	targets *targets                     // nil where the module has no makefile
	flags   map[*source.Package]*Flags   // of main packages, with what they import
	defined map[*source.Package]*Flags   // by one package
}

// New reads what the module offers.
func New(mod *source.Module) *Commands {
	c := &Commands{mod: mod, mains: map[string][]*source.Package{}, flags: map[*source.Package]*Flags{}, defined: map[*source.Package]*Flags{}}
	for _, b := range mod.Builds() {
		for _, p := range b.Packages {
			name := path.Base(p.Path)
			if p.Name == "main" && !slices.ContainsFunc(c.mains[name], func(o *source.Package) bool { return o.Dir == p.Dir }) {
				c.mains[name] = append(c.mains[name], p)
			}
		}
	}
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if text, err := mod.Settings.Disk.ReadFile(mod.Settings.Abs(name)); err == nil {
			c.targets = readTargets(string(text))
			break
		}
	}
	return c
}

// Names are the names of the module's commands, sorted.
func (c *Commands) Names() []string {
	var out []string
	for name := range c.mains {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Named reports whether the module has a command of this name.
func (c *Commands) Named(name string) bool { return len(c.mains[name]) > 0 }

// FlagsOf returns the flags of the command of this name, or nil where there is none.
func (c *Commands) FlagsOf(name string) *Flags {
	if pkgs := c.mains[name]; len(pkgs) == 1 {
		return c.flagsOf(pkgs[0])
	}
	return nil
}

func (c *Commands) flagsOf(p *source.Package) *Flags {
	f := c.flags[p]
	if f == nil {
		f = c.readFlags(p)
		c.flags[p] = f
	}
	return f
}

// mainDirs are the directories of main packages as go run takes them.
func (c *Commands) mainDirs() []string {
	var out []string
	for _, pkgs := range c.mains {
		for _, p := range pkgs {
			out = append(out, "./"+p.Dir)
		}
	}
	slices.Sort(out)
	return out
}

// isDir reports whether a path relative to the module root is a directory.
func (c *Commands) isDir(rel string) bool {
	info, err := c.mod.Settings.Disk.Stat(c.mod.Settings.Abs(rel))
	return err == nil && info.IsDir()
}

func (c *Commands) exists(rel string) bool {
	_, err := c.mod.Settings.Disk.Stat(c.mod.Settings.Abs(rel))
	return err == nil
}

// nestedModule reports whether a directory, or one above it, is a module of its own that
// is not part of the tree.
func (c *Commands) nestedModule(dir string) bool {
	for dir != "." && dir != "/" {
		if gm := c.mod.Settings.Owner(dir); gm != nil && gm.Dir == dir {
			return false
		}
		if c.exists(path.Join(dir, "go.mod")) {
			return true
		}
		dir = path.Dir(dir)
	}
	return false
}

// targets are the targets of a makefile.
type targets struct {
	names []string
	open  bool // there are some that cannot be listed
}

// readTargets reads the rules of a makefile. Patterns, includes and names made of
// variables leave it open.
func readTargets(text string) *targets {
	t := &targets{}
	text = strings.ReplaceAll(text, "\r", "")
	text = strings.ReplaceAll(text, "\\\n", " ")
	inDefine := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "define" || inDefine:
			inDefine = word != "endef"
			continue
		case strings.HasPrefix(line, "\t"):
			continue
		case word == "include" || word == "-include" || word == "sinclude":
			t.open = true
			continue
		}
		t.rule(line)
	}
	slices.Sort(t.names)
	t.names = slices.Compact(t.names)
	return t
}

func (t *targets) rule(line string) {
	line, _, _ = strings.Cut(line, "#")
	names, rest, ok := strings.Cut(line, ":")
	if !ok || strings.ContainsAny(names, "=") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") || strings.HasPrefix(rest, "::=") {
		return // an assignment
	}
	names = strings.TrimSuffix(names, "&")
	if strings.TrimSpace(names) == ".PHONY" {
		names = rest
	}
	if strings.ContainsAny(names, "$%*") {
		t.open = true
	}
	for _, name := range strings.Fields(names) {
		if !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "$%*()") {
			t.names = append(t.names, name)
		}
	}
}
