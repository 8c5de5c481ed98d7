// Package confirmed judges whether the sections of a page still say what people confirmed
// them to say: the same in every language (rule translation), and what the source
// promises (rule prose). It also records new confirmations.
//
// What was confirmed is in the lock file. Without a lock file nothing is judged: the tree
// has not adopted the rules.
package confirmed

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/lock"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/subject"
	"github.com/agentplan/sdk/internal/tree"
)

// LockName is the name of the lock file in the docs directory.
const LockName = "sync.lock"

// Input is what a run works with.
type Input struct {
	Settings *settings.Settings
	Tree     *tree.Tree
	// Module may be nil where the source could not be read: then nothing is judged.
	Module *source.Module
	// Judges tells the pages, by that of the first language, whose sections are to be judged;
	// nil means all. It is asked about pages that are gone, too.
	Judges func(page string) bool
	// Command is the command line that records confirmations, without its arguments.
	Command string
}

// LockPath is the path of the lock file relative to the module root.
func (in Input) LockPath() string { return path.Join(in.Settings.Docs, LockName) }

// Summary counts what Check looked at.
type Summary struct {
	Adopted  bool // whether there is a lock file; without one the counts are 0
	Sections int  // that need a confirmation
	Blocks   int  // that say what source they describe; each language counts
}

// Check judges all sections and adds findings of the rules translation and prose to out.
// A lock file that cannot be read is a failure. Nothing is written.
func Check(ctx context.Context, in Input, out *finding.List) Summary {
	s, ok := load(in, out)
	if !ok || s.lock == nil {
		return Summary{}
	}
	s.findPassages(in.judges)
	s.match()
	if in.Judges != nil && s.doubtful() {
		// What the lock has under another name may be what is looked for.
		s, _ = load(in, out)
		s.findPassages(func(string) bool { return true })
		s.match()
		s.narrow()
	}
	j := &judge{state: s, out: out}
	j.judge(ctx, s.passages)
	j.orphans()
	sum := Summary{Adopted: true}
	for _, p := range s.passages {
		if p.accountable() {
			sum.Sections++
		}
		sum.Blocks += len(p.marks)
	}
	return sum
}

func (in Input) judges(page string) bool { return in.Judges == nil || in.Judges(page) }

// state is the lock file beside the tree as it is.
type state struct {
	in       Input
	resolver *subject.Resolver
	raw      []byte     // of the lock file
	lock     *lock.Lock // nil: there is none
	passages []*passage
	skipped  map[string]string // pages that cannot be judged, by the first language's path, and why
	gone     []gone
	dirs     map[string]bool // packages of the module
}

// gone is what the lock has of a section that is no longer there.
type gone struct {
	lock.Name
	line    int
	entries []lock.Entry
}

// load reads the lock file. The result is false where that cannot
// be done; out says why, unless the source is what is missing.
func load(in Input, out *finding.List) (*state, bool) {
	if in.Module == nil {
		return nil, false
	}
	s := &state{in: in, resolver: subject.NewResolver(in.Module), skipped: map[string]string{}, dirs: map[string]bool{}}
	for _, mod := range in.Module.Builds() {
		for _, p := range mod.Packages {
			s.dirs[p.Dir] = true
		}
	}
	var err error
	s.raw, err = in.Settings.Disk.ReadFile(in.Settings.Abs(in.LockPath()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		out.Fail(in.LockPath(), 0, "read the lock file: %v; make it a readable file", finding.Cause(err))
		return nil, false
	default:
		s.lock, err = lock.Parse(s.raw)
		var syntax *lock.SyntaxError
		if errors.As(err, &syntax) {
			out.Fail(in.LockPath(), syntax.Line, "%s", syntax.Message)
			return nil, false
		}
	}
	return s, true
}

// token is a short hash over what a confirmation would record.
func token(lines ...string) string {
	h := sha1.Sum([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(h[:6])
}

// command is the command line that confirms a section under one of its names.
func (s *state) command(name lock.Name, token string) string {
	return s.in.Command + " " + quoteArg(name.String()+"@"+token)
}

// quoteArg quotes an argument for a POSIX shell where it needs that.
func quoteArg(arg string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._/#@:+-,=", r)
	}
	if strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 && !strings.HasPrefix(arg, "#") {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
