package symbol

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/nearest"
)

var (
	flagText  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--([a-z][a-z0-9-]*[a-z0-9])(?:[= ].*)?$`) })
	entryText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]*(?:[_/:-][a-z0-9]+)+$`) })
)

// judge says what is known of a span.
func (c *checker) judge(p *page, s span) answer {
	text := trim(s.text)
	key := text + "\x00" + strings.Join(p.dirs, " ")
	if a, ok := c.found[key]; ok {
		return a
	}
	a := c.judgeText(p, s, text)
	if a.verdict == Exists && !a.local {
		c.found[key] = a
	}
	return a
}

func (c *checker) judgeText(p *page, s span, text string) answer {
	first, _, several := strings.Cut(text, " ")
	switch {
	case text == "":
		return skip("nothing but punctuation")
	case c.names[text]:
		return exists("catalog entry")
	case c.commands.Named(text):
		return exists("command")
	case flagText().MatchString(text):
		return c.flag(s, text)
	case several && (first == "make" || first == "go" || c.commands.Named(first)):
		return c.commandLine(p, text)
	case strings.Contains(text, "/") && !strings.ContainsAny(text, " \t"):
		a := c.path(p, text)
		if a.verdict == NotJudged && entryText().MatchString(text) {
			return c.entry(text)
		}
		return a
	case entryText().MatchString(text):
		return c.entry(text)
	case strings.Contains(text, "."):
		return c.code(p, text)
	}
	return skip("no reference that can be resolved")
}

// trim takes off the punctuation of the sentence around a span.
func trim(text string) string {
	if strings.HasSuffix(text, "...") {
		return text
	}
	return strings.TrimRight(text, ".,;:!?，。；：！？、")
}

// commandLine judges a command line such as make test or go run ./cmd/x.
func (c *checker) commandLine(p *page, text string) answer {
	r := c.commands.Check(text, false, p.targets)
	switch {
	case len(r.Faults) > 0:
		return missing(r.Faults[0].Name, "%s", r.Faults[0].Message)
	case r.Commands > 0:
		return answer{verdict: Exists, message: "command line", local: len(p.targets) > 0}
	}
	return skip("a command line that has nothing of this module for certain")
}

// flagNames are the flags of all commands of the module.
type flagNames struct {
	commands []string
	mention  []*regexp.Regexp // of each command in the text of a heading
	open     []bool           // a command may have other flags
	names    []string         // with two dashes, sorted
}

func (c *checker) readFlags() *flagNames {
	f := &flagNames{commands: c.commands.Names()}
	for _, cmd := range f.commands {
		f.mention = append(f.mention, regexp.MustCompile(`(^|[^\w/-])`+regexp.QuoteMeta(cmd)+`($|[^\w-])`))
		flags := c.commands.FlagsOf(cmd)
		f.open = append(f.open, flags == nil || flags.Open)
		if flags != nil {
			for _, n := range flags.Names {
				f.names = append(f.names, "--"+n)
			}
		}
	}
	slices.Sort(f.names)
	return f
}

// flag judges a flag where the paragraph or a heading above it names a command of the
// module, and the paragraph no other program.
func (c *checker) flag(s span, text string) answer {
	if c.flags == nil {
		c.flags = c.readFlags()
	}
	name := "--" + flagText().FindStringSubmatch(text)[1]
	if _, ok := slices.BinarySearch(c.flags.names, name); ok {
		return exists("flag")
	}
	about := false
	for i, cmd := range c.flags.commands {
		if !c.isAbout(s, cmd, c.flags.mention[i]) {
			continue
		}
		about = true
		if c.flags.open[i] {
			return skip("the flags of %s are not known for certain", cmd)
		}
	}
	switch {
	case !about:
		return skip("a flag, with no command of the module named in its paragraph or heading")
	case slices.ContainsFunc(*s.block, c.isOtherProgram):
		return skip("a flag, in a paragraph that names another program")
	}
	return missing(name, "no command of the module has this flag%s", nearest.Hint(name, c.flags.names))
}

// isAbout reports whether a heading above the span, or its paragraph, names the command.
func (c *checker) isAbout(s span, cmd string, mention *regexp.Regexp) bool {
	if slices.ContainsFunc(s.about, mention.MatchString) {
		return true
	}
	return slices.ContainsFunc(*s.block, func(text string) bool {
		first, rest, _ := strings.Cut(text, " ")
		return first == cmd || first == "go" && strings.Contains(rest+" ", "/"+cmd+" ")
	})
}

var program = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]*$`) })

// programs are those that a page may name without any argument.
var programs = []string{"go", "git", "gofmt", "make", "docker", "npm", "curl", "grep", "sed", "diff", "bash", "sh", "jq", "gh", "kubectl", "brew", "apt-get", "staticcheck"}

// isOtherProgram reports whether a span of the paragraph calls what is not of the module.
func (c *checker) isOtherProgram(text string) bool {
	first, rest, several := strings.Cut(text, " ")
	if c.commands.Named(first) || first == "go" && (strings.HasPrefix(rest, "run ") || strings.HasPrefix(rest, "tool ")) {
		return false
	}
	return slices.Contains(programs, first) || several && program().MatchString(first) && strings.Contains(" "+rest, " -")
}

// entry judges the name of a catalog entry. What merely looks like one is judged only
// where it is nearly the name of one, and the source does not know it.
func (c *checker) entry(text string) answer {
	best, distance := "", 3
	if len(text) < 8 {
		distance = 2
	}
	for name := range c.names {
		if !strings.ContainsAny(name, "_/:-") || variant(text, name) {
			continue
		}
		if d := nearest.Distance(text, name); d < distance || d == distance && best != "" && name < best {
			best, distance = name, d
		}
	}
	if best == "" {
		return skip("no catalog entry has a name like this")
	}
	for _, f := range c.mod.Files {
		if bytes.Contains(f.Src, []byte(text)) {
			return skip("no catalog entry, but the source knows the word")
		}
	}
	return missing(text, "no catalog entry has this name (did you mean %s?)", best)
}

// variant reports whether two names differ in a number, a whole short word, the signs
// between their words or a plural only, as names of one family do, and those of one thing
// in a URL, a shell or a table.
func variant(a, b string) bool {
	split := func(s string) []string {
		words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("_/:-", r) })
		for i, w := range words {
			words[i] = strings.TrimRight(w, "0123456789")
			if !strings.ContainsAny(s, "/:") {
				words[i] = strings.TrimSuffix(words[i], "s")
			}
		}
		return words
	}
	x, y := split(a), split(b)
	if len(x) != len(y) {
		return false
	}
	differs := false
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if max(len(x[i]), len(y[i])) <= 3 {
			return true
		}
		differs = true
	}
	return !differs
}
