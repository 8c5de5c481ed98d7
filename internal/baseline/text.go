package baseline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentplan/sdk/internal/conflict"
	"github.com/agentplan/sdk/internal/finding"
)

const header = `# Findings of verify-catalog that are accepted for now: where, of which rule, a hash of
# what it is about, how often, and what it says. Written by "gen-catalog baseline", which
# takes out what no longer occurs and adds nothing; keep it in git. After a merge conflict
# leave the file as it is, markers included, and run that command: what both sides accept
# stays.
`

// Format returns the text of the file. Entries are separated by blank lines, so that git
// merges changes of neighbours.
func (b *Baseline) Format() []byte {
	var out strings.Builder
	out.WriteString(header)
	for _, e := range b.Entries {
		fmt.Fprintf(&out, "\n%s %s %s %d %s\n", quote(e.Path), e.Rule, e.ID, e.Count, e.Message)
	}
	return []byte(out.String())
}

// quote writes a path so that the next space ends it, and so that it can be neither a
// comment nor a marker.
func quote(path string) string {
	plain := func(r rune) bool { return r > ' ' && r != '"' && r != unicode.ReplacementChar && unicode.IsPrint(r) }
	if strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }) || strings.ContainsRune("#<=>|", rune(path[0])) {
		return strconv.Quote(path)
	}
	return path
}

// SyntaxError is a line that does not belong into the file.
type SyntaxError struct {
	Line    int
	Message string // with a remedy
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Parse reads the text of a file. Its error is a [*SyntaxError]. Merge conflicts are no
// errors: what both sides have is accepted, since what one side has taken out is mended.
func Parse(data []byte) (*Baseline, error) {
	b := &Baseline{}
	var r conflict.Reader
	var sides [conflict.Theirs + 1][]Entry
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimRight(line, "\r")
		marker, err := r.Line(i+1, line)
		switch {
		case err != nil:
			return nil, &SyntaxError{i + 1, err.Error()}
		case marker:
			if r.Side() == conflict.Outside {
				b.Entries = append(b.Entries, common(sides[conflict.Ours], sides[conflict.Theirs])...)
				sides = [conflict.Theirs + 1][]Entry{}
			}
			continue
		case line == "", line[0] == '#':
			continue
		}
		e, err := parseEntry(line)
		if err != nil {
			return nil, &SyntaxError{i + 1, fmt.Sprintf("%v; restore the line from git, or take it out", err)}
		}
		e.Line = i + 1
		if at := r.Side(); at != conflict.Outside {
			sides[at] = append(sides[at], e)
		} else {
			b.Entries = append(b.Entries, e)
		}
	}
	if err := r.End(); err != nil {
		return nil, &SyntaxError{r.Opened(), err.Error()}
	}
	b.Conflict = r.Opened()
	b.Entries = once(b.Entries)
	return b, nil
}

// common is what two sides of a conflict both accept.
func common(ours, theirs []Entry) []Entry {
	var out []Entry
	for _, e := range ours {
		if i := slices.IndexFunc(theirs, func(t Entry) bool { return t.key() == e.key() }); i >= 0 {
			e.Count = min(e.Count, theirs[i].Count)
			out = append(out, e)
		}
	}
	return out
}

// once sorts entries and keeps one for each finding, the one that accepts least.
func once(list []Entry) []Entry {
	slices.SortStableFunc(list, func(a, b Entry) int { return a.Count - b.Count })
	seen := map[key]bool{}
	list = slices.DeleteFunc(list, func(e Entry) bool {
		had := seen[e.key()]
		seen[e.key()] = true
		return had
	})
	slices.SortFunc(list, Entry.compare)
	return list
}

func parseEntry(line string) (Entry, error) {
	var e Entry
	quoted, err := strconv.QuotedPrefix(line)
	switch {
	case err == nil:
		if e.Path, err = strconv.Unquote(quoted); err != nil {
			return e, fmt.Errorf("%s is no path", quoted)
		}
	case line[0] != '"':
		quoted, _, _ = strings.Cut(line, " ")
		e.Path = quoted
	}
	fields := strings.SplitN(line[len(quoted):], " ", 5)
	if e.Path == "" || len(fields) < 4 || fields[0] != "" {
		return e, fmt.Errorf("not PATH RULE HASH COUNT MESSAGE")
	}
	e.Rule, e.ID = finding.Rule(fields[1]), fields[2]
	if !slices.Contains(finding.Rules(), e.Rule) {
		return e, fmt.Errorf("there is no rule %s in this version", e.Rule)
	}
	if len(e.ID) != idLength || strings.Trim(e.ID, "0123456789abcdef") != "" {
		return e, fmt.Errorf("%q is no hash of %d hexadecimal digits", e.ID, idLength)
	}
	n, err := strconv.Atoi(fields[3])
	if err != nil || n < 1 || strconv.Itoa(n) != fields[3] {
		return e, fmt.Errorf("%q is no count", fields[3])
	}
	e.Count = n
	if len(fields) == 5 {
		e.Message = fields[4]
	}
	return e, nil
}
