package lock

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplan/sdk/internal/conflict"
)

// SyntaxError is a line that does not belong into a lock file.
type SyntaxError struct {
	Line    int
	Message string // with a remedy
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// parser reads one file. In a merge conflict entries are kept apart by their side.
type parser struct {
	conflict conflict.Reader
	names    []Name
	settled  map[Name][]Entry
	disputed map[Name][]Entry
	sides    [conflict.Theirs + 1][]Entry // of the current conflict
}

// Parse reads a lock file. Its error is a [*SyntaxError]. Merge conflicts are no errors.
func Parse(data []byte) (*Lock, error) {
	p := &parser{settled: map[Name][]Entry{}, disputed: map[Name][]Entry{}}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(i+1, strings.TrimRight(line, "\r")); err != nil {
			return nil, err
		}
	}
	if err := p.conflict.End(); err != nil {
		return nil, &SyntaxError{p.conflict.Opened(), err.Error()}
	}
	return p.lock(), nil
}

func (p *parser) line(n int, line string) error {
	marker, err := p.conflict.Line(n, line)
	switch {
	case err != nil:
		return &SyntaxError{n, err.Error()}
	case marker:
		if p.conflict.Side() == conflict.Outside {
			p.endConflict()
		}
		return nil
	case line == "", line[0] == '#':
		return nil
	}
	e, err := parseEntry(line)
	if err != nil {
		return &SyntaxError{n, fmt.Sprintf("%v; restore the line from git, or remove it and confirm the section again", err)}
	}
	e.Line = n
	if at := p.conflict.Side(); at != conflict.Outside {
		p.sides[at] = append(p.sides[at], e)
		return nil
	}
	p.note(e.Name)
	p.settled[e.Name] = append(p.settled[e.Name], e)
	return nil
}

// note keeps the names in the order in which they are first met.
func (p *parser) note(name Name) {
	if len(p.settled[name])+len(p.disputed[name]) == 0 {
		p.names = append(p.names, name)
	}
}

// endConflict sorts what the sides of a conflict have. Entries that both have are none of
// it.
func (p *parser) endConflict() {
	for _, at := range []conflict.Side{conflict.Ours, conflict.Theirs} {
		other := p.sides[conflict.Ours+conflict.Theirs-at]
		for _, e := range p.sides[at] {
			if slices.ContainsFunc(other, e.same) {
				p.note(e.Name)
				p.settled[e.Name] = append(p.settled[e.Name], e)
				continue
			}
			p.dispute(e)
		}
	}
	p.sides = [conflict.Theirs + 1][]Entry{}
}

func (p *parser) dispute(e Entry) {
	p.note(e.Name)
	p.disputed[e.Name] = append(p.disputed[e.Name], e)
}

// lock makes the result. Entries of one name that differ are a conflict as well.
func (p *parser) lock() *Lock {
	l := &Lock{}
	slices.SortFunc(p.names, Name.compare)
	for _, name := range p.names {
		list := distinct(slices.Concat(p.settled[name], p.disputed[name]))
		if len(list) == 1 && len(p.settled[name]) > 0 {
			l.Entries = append(l.Entries, list[0])
		} else {
			l.Conflicts = append(l.Conflicts, Conflict{Name: name, Line: list[0].Line, Entries: list})
		}
	}
	return l
}

// distinct keeps the first of entries that say the same.
func distinct(list []Entry) []Entry {
	var out []Entry
	for _, e := range list {
		if !slices.ContainsFunc(out, e.same) {
			out = append(out, e)
		}
	}
	return out
}

func parseEntry(line string) (Entry, error) {
	fields := strings.Split(line, " ")
	path, anchor, marked := strings.Cut(fields[0], "#")
	e := Entry{Name: Name{unescape(path), unescape(anchor)}}
	if path == "" || marked && anchor == "" {
		return e, fmt.Errorf("%q names no section", fields[0])
	}
	into := &e.Texts
	for _, f := range fields[1:] {
		if f == "about" && into == &e.Texts {
			into = &e.Subjects
			continue
		}
		i := strings.LastIndexByte(f, '=')
		if i <= 0 {
			return e, fmt.Errorf("%q is not NAME=HASH", f)
		}
		name, hash := unescape(f[:i]), Hash(f[i+1:])
		if name == everyLanguage && into == &e.Texts {
			name = ""
		}
		if _, twice := (*into)[name]; twice {
			return e, fmt.Errorf("%s stands twice in the line", f[:i])
		}
		if !hash.valid() {
			return e, fmt.Errorf("%q is no hash of 40 hexadecimal digits", f[i+1:])
		}
		if *into == nil {
			*into = map[string]Hash{}
		}
		(*into)[name] = hash
	}
	if into == &e.Subjects && e.Subjects == nil {
		return e, fmt.Errorf("no declaration behind about")
	}
	if e.Texts == nil {
		return e, fmt.Errorf("no language in the line")
	}
	return e, nil
}

func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
