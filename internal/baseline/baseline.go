// Package baseline yields the findings of a tree that its people have accepted: a file
// that lets them pass and no new ones, and that only shrinks.
//
// A finding is known by its rule, its path, what it says, and the text of its line, but
// not by the number of its line; so it is the same finding when something else on the page
// changes, and another one when somebody works on what it is about.
package baseline

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
)

// FileName is the name of the file in the docs directory.
const FileName = "baseline.lock"

// Path is the path of the file relative to the module root.
func Path(s *settings.Settings) string { return path.Join(s.Docs, FileName) }

// Entry is a finding that is accepted, as often as Count says.
type Entry struct {
	Path    string
	Rule    finding.Rule
	ID      string // of the finding, see identify
	Count   int    // at least 1
	Message string // the situation, for those who read the file
	Line    int    // in the file that it was read from
}

type key struct {
	path string
	rule finding.Rule
	id   string
}

func (e Entry) key() key { return key{e.Path, e.Rule, e.ID} }

func (e Entry) compare(o Entry) int {
	return cmp.Or(strings.Compare(e.Path, o.Path), strings.Compare(string(e.Rule), string(o.Rule)),
		strings.Compare(e.Message, o.Message), strings.Compare(e.ID, o.ID))
}

// Baseline is the content of a file. Its entries are sorted, and no finding has two.
type Baseline struct {
	Entries  []Entry
	Conflict int // line of the last merge conflict in the file; 0: there is none
}

// Read reads the file of a module. It returns nil where there is none. Its error is a
// [finding.Failure].
func Read(s *settings.Settings) (*Baseline, error) {
	data, err := s.Disk.ReadFile(s.Abs(Path(s)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, finding.Failure{Path: Path(s), Message: fmt.Sprintf("read the baseline: %v; make it a readable file", finding.Cause(err))}
	}
	b, err := Parse(data)
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return nil, finding.Failure{Path: Path(s), Line: syntax.Line, Message: syntax.Message}
	}
	return b, err
}

// Of returns the baseline that accepts findings of a module. Those of the rule baseline
// cannot be accepted.
func Of(s *settings.Settings, findings []finding.Finding) *Baseline {
	ids := newIdentities(s)
	at := map[key]int{}
	b := &Baseline{}
	for _, f := range findings {
		if f.Rule == finding.Baseline {
			continue
		}
		e := ids.entry(f)
		if i, ok := at[e.key()]; ok {
			b.Entries[i].Count++
			continue
		}
		at[e.key()] = len(b.Entries)
		b.Entries = append(b.Entries, e)
	}
	slices.SortFunc(b.Entries, Entry.compare)
	return b
}

// Split parts the findings of a module, which are sorted, into those that are new and
// those that are accepted.
func (b *Baseline) Split(s *settings.Settings, findings []finding.Finding) (fresh, accepted []finding.Finding) {
	ids := newIdentities(s)
	left := map[key]int{}
	for _, e := range b.Entries {
		left[e.key()] = e.Count
	}
	for _, f := range findings {
		k := ids.entry(f).key()
		if left[k] == 0 {
			fresh = append(fresh, f)
			continue
		}
		left[k]--
		accepted = append(accepted, f)
	}
	return fresh, accepted
}

// Check reports the entries that accept more than there is, so that the file shrinks, and
// a merge conflict. accepted are all findings that the baseline accepts now; judged tells
// for which entries that is known.
func (b *Baseline) Check(s *settings.Settings, accepted []finding.Finding, judged func(Entry) bool, out *finding.List) {
	command := s.GenCommand("baseline")
	if b.Conflict > 0 {
		out.Add(Path(s), b.Conflict, finding.Baseline, "a merge conflict: what both sides accept is accepted; leave it as it is and run %s, which writes that", command)
	}
	have := map[key]int{}
	for _, e := range Of(s, accepted).Entries {
		have[e.key()] = e.Count
	}
	for _, e := range b.Entries {
		switch n := have[e.key()]; {
		case n == e.Count || !judged(e):
		case n == 0:
			out.Add(Path(s), e.Line, finding.Baseline, "%s no longer has this finding of the rule %s (%s); run %s, which takes it out", e.Path, e.Rule, e.Message, command)
		default:
			out.Add(Path(s), e.Line, finding.Baseline, "%s has this finding of the rule %s only %d of %d times (%s); run %s, which counts again", e.Path, e.Rule, n, e.Count, e.Message, command)
		}
	}
}
