package confirmed

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/atomicwrite"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/lock"
)

// Result is what a confirmation recorded.
type Result struct {
	Confirmed []string // sections, by the name in the lock file
	Removed   []string // entries of sections that are gone
	Skipped   []string // of a baseline: why pages are not in it
	Written   bool     // whether the lock file has other bytes now
}

// Confirm records that sections say the same in every language, and what the source
// promises that they describe. An argument is PATH#ANCHOR@TOKEN, or PATH@TOKEN for what
// stands before the first heading, with the page of any language and the token of the
// finding. With the token of a finding about a section that is gone, its entry is removed.
//
// It is all or nothing: where a token is not that of the section as it is, out gets
// findings that show its state and its token, and nothing is written. Failures are added
// for what cannot be done at all. Only the lock file is written, in one step.
func Confirm(ctx context.Context, in Input, args []string, out *finding.List) Result {
	s, ok := load(in, out)
	switch {
	case !ok:
		return Result{}
	case s.lock == nil:
		out.Fail(in.LockPath(), 0, "there is no lock file; make it for all sections with %s --baseline", in.Command)
		return Result{}
	}
	s.findPassages(in.judges)
	s.match()
	var passages, refused []*passage
	var removed []gone
	faults := len(out.Failures) + len(out.Findings)
	for _, arg := range args {
		name, given := splitArg(arg)
		p, g := s.lookup(name)
		if p == nil && g == nil && given != "" {
			if p, g = s.lookup(name + "@" + given); p != nil || g != nil {
				given = "" // a name with an @, without a token
			}
		}
		switch {
		case p == nil && g == nil:
			s.unknown(name, out)
		case g != nil && g.token() == given:
			removed = append(removed, *g)
		case g != nil:
			out.Add(in.LockPath(), g.line, finding.Translation, "%s; to take %s out of the lock file run %s", refusal(given), name, s.command(g.Name, g.token()))
		case p.token() != given:
			if !slices.Contains(refused, p) {
				refused = append(refused, p)
				s.refuse(p, name, given, out)
			}
		default:
			passages = append(passages, p)
		}
	}
	if len(refused) > 0 {
		j := &judge{state: s, out: out}
		j.judge(ctx, refused)
	}
	if len(out.Failures)+len(out.Findings) > faults {
		return Result{}
	}
	return s.record(ctx, passages, removed, out)
}

// splitArg parts an argument from its token.
func splitArg(arg string) (name, token string) {
	name = strings.TrimPrefix(filepath.ToSlash(arg), "./")
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return name, ""
}

func (s *state) unknown(name string, out *finding.List) {
	page, _, _ := strings.Cut(name, "#")
	for _, g := range s.in.Tree.Groups {
		for _, sd := range g.Sides {
			if why := s.skipped[g.Sides[0].Path]; sd.Path == page && why != "" {
				out.Fail(page, 0, "cannot confirm a section of this page: %s; mend that first", why)
				return
			}
		}
	}
	near := ""
	if n := s.nearest(name); n != "" && n != name {
		near = "; did you mean " + n + "?"
	}
	out.Fail("", 0, "there is no section %s%s; name one as the findings do, PATH#ANCHOR@TOKEN", name, near)
}

func refusal(given string) string {
	if given == "" {
		return "a confirmation needs the token of the bytes that it is about"
	}
	return "the token " + given + " is not that of the bytes as they are now"
}

// refuse says why a passage is not confirmed. The findings about its state follow, unless
// it is confirmed as it is.
func (s *state) refuse(p *passage, name, given string, out *finding.List) {
	at := p.sides[0]
	for _, sd := range p.sides {
		if p.in(sd).String() == name {
			at = sd
		}
	}
	rule := finding.Translation
	if len(p.sides) == 1 {
		rule = finding.Prose
	}
	if p.fresh() {
		out.Add(at.path, at.Line, rule, "%s; section %s is confirmed as it is, so there is nothing to do", refusal(given), name)
		return
	}
	out.Add(at.path, at.Line, rule, "%s; look at section %s again, then run %s", refusal(given), name, s.command(p.in(at), p.token()))
}

// fresh reports whether the passage is confirmed as it is.
func (p *passage) fresh() bool {
	if p.entry == nil && !p.accountable() {
		return true
	}
	return p.entry != nil && p.entry.Format() == p.current().Format()
}

// record writes the lock file with what was confirmed and removed.
func (s *state) record(ctx context.Context, passages []*passage, removed []gone, out *finding.List) Result {
	var r Result
	next := &lock.Lock{Entries: slices.Clone(s.lock.Entries), Conflicts: slices.Clone(s.lock.Conflicts)}
	for _, g := range removed {
		for _, e := range g.entries {
			next.Remove(e.Name)
		}
		r.Removed = append(r.Removed, g.String())
	}
	entries := s.renamed(next)
	for _, p := range passages {
		if p.entry != nil {
			next.Remove(p.entry.Name)
		}
		if !p.accountable() { // it described something once
			delete(entries, p.name)
			r.Removed = append(r.Removed, p.name.String())
			continue
		}
		entries[p.name] = p.current()
		r.Confirmed = append(r.Confirmed, p.name.String())
	}
	for name, e := range entries {
		if slices.ContainsFunc(s.gone, func(g gone) bool { return g.Name == name && g.Anchor != "" }) {
			r.Removed = append(r.Removed, name.String()) // its name has another owner now
		}
		next.Set(e)
	}
	slices.Sort(r.Confirmed)
	slices.Sort(r.Removed)
	r.Confirmed, r.Removed = slices.Compact(r.Confirmed), slices.Compact(r.Removed)
	r.Written = s.write(ctx, next, out)
	return r
}

// renamed takes the entries of passages with a former name out of the lock, and returns
// them under their present names.
func (s *state) renamed(next *lock.Lock) map[lock.Name]lock.Entry {
	out := map[lock.Name]lock.Entry{}
	for _, p := range s.passages {
		if p.entry != nil && p.entry.Name != p.name {
			next.Remove(p.entry.Name)
			e := *p.entry
			e.Name = p.name
			out[p.name] = e
		}
	}
	return out
}

// write replaces the lock file, unless somebody else has in the meantime.
func (s *state) write(ctx context.Context, next *lock.Lock, out *finding.List) bool {
	path := s.in.Settings.Abs(s.in.LockPath())
	text := next.Format()
	now, err := os.ReadFile(path)
	switch {
	case s.lock == nil && !errors.Is(err, fs.ErrNotExist), s.lock != nil && (err != nil || !bytes.Equal(now, s.raw)):
		out.Fail(s.in.LockPath(), 0, "the lock file was changed by somebody else just now; run the command again")
		return false
	case bytes.Equal(text, s.raw):
		return false
	}
	var batch atomicwrite.Batch
	batch.Write(path, text)
	if _, err := batch.Commit(ctx); err != nil {
		var target *atomicwrite.Error
		if errors.As(err, &target) {
			out.Fail(s.in.LockPath(), 0, "%s the lock file: %v; %s", target.Op, target.Err, target.Remedy)
		} else {
			out.Fail(s.in.LockPath(), 0, "write the lock file: %v; run the command again", err)
		}
		return false
	}
	return true
}

// Baseline makes the lock file: it records every section as it is. It refuses where there
// is a lock file already, since that would confirm what nobody looked at.
func Baseline(ctx context.Context, in Input, out *finding.List) Result {
	if _, err := os.Lstat(in.Settings.Abs(in.LockPath())); err == nil {
		out.Fail(in.LockPath(), 0, "there is a lock file already; confirm sections one by one with the commands that verify-catalog prints")
		return Result{}
	}
	s, ok := load(in, out)
	if !ok {
		return Result{}
	}
	s.findPassages(in.judges)
	var r Result
	var entries []lock.Entry
	for _, p := range s.passages {
		if p.accountable() {
			entries = append(entries, p.current())
			r.Confirmed = append(r.Confirmed, p.name.String())
		}
	}
	for _, why := range s.skipped {
		r.Skipped = append(r.Skipped, why)
	}
	slices.Sort(r.Skipped)
	r.Written = s.write(ctx, lock.New(entries), out)
	return r
}
