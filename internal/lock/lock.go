// Package lock yields the lock file: which bytes of a section were last confirmed to say
// the same in every language, and what the source was that they describe.
package lock

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Hash is the name that git gives to some bytes: 40 hexadecimal digits in lower case.
type Hash string

// valid reports whether h has the form of a hash.
func (h Hash) valid() bool {
	return len(h) == 40 && strings.Trim(string(h), "0123456789abcdef") == ""
}

// Name names a section.
type Name struct {
	Path   string // of the first language's page
	Anchor string // empty: what stands before the first heading
}

// String is the name as people write it.
func (n Name) String() string {
	if n.Anchor == "" {
		return n.Path
	}
	return n.Path + "#" + n.Anchor
}

func (n Name) compare(o Name) int {
	return cmp.Or(strings.Compare(n.Path, o.Path), strings.Compare(n.Anchor, o.Anchor))
}

// Entry is what was confirmed of one section.
type Entry struct {
	Name
	// Texts holds the hash of the section's text for each language. A page that serves
	// every language has the empty one.
	Texts map[string]Hash
	// Subjects holds the fingerprint of each declaration that the section describes.
	Subjects map[string]Hash
	// Line is the line in the file that the entry was read from.
	Line int
}

// same reports whether two entries say the same.
func (e Entry) same(o Entry) bool {
	return e.Name == o.Name && maps.Equal(e.Texts, o.Texts) && maps.Equal(e.Subjects, o.Subjects)
}

// Conflict is a section for which a merge left more than one entry, or an entry that only
// one side of a merge conflict has. None of them counts as confirmed.
type Conflict struct {
	Name
	Line    int     // of the first of its entries
	Entries []Entry // all different; at least one
}

// Lock is the content of a lock file. Entries and conflicts are sorted by name, and no
// name is in it twice.
type Lock struct {
	Entries   []Entry
	Conflicts []Conflict
}

// New returns a lock with the entries, whose names are all different.
func New(entries []Entry) *Lock {
	l := &Lock{Entries: slices.Clone(entries)}
	slices.SortFunc(l.Entries, func(a, b Entry) int { return a.compare(b.Name) })
	return l
}

// Set puts an entry in the place of what the lock has under its name, conflict or not.
func (l *Lock) Set(e Entry) {
	l.Remove(e.Name)
	i, _ := slices.BinarySearchFunc(l.Entries, e.Name, func(x Entry, n Name) int { return x.compare(n) })
	l.Entries = slices.Insert(l.Entries, i, e)
}

// Remove takes away what the lock has under a name.
func (l *Lock) Remove(n Name) {
	l.Entries = slices.DeleteFunc(l.Entries, func(e Entry) bool { return e.Name == n })
	l.Conflicts = slices.DeleteFunc(l.Conflicts, func(c Conflict) bool { return c.Name == n })
}

const header = `# Which bytes of each section were last confirmed to say the same in every language,
# and which source they describe. Written by "gen-catalog confirm"; keep it in git.
# After a merge conflict leave the file as it is, markers included, and run
# verify-catalog: it names each section that is in conflict with the command that
# settles it. A section that is in conflict does not count as confirmed.
`

// Format returns the text of a lock file. Entries are separated by blank lines, so that
// git merges changes of neighbours. Conflicts are written as git writes them.
func (l *Lock) Format() []byte {
	var b strings.Builder
	b.WriteString(header)
	entries, conflicts := l.Entries, l.Conflicts
	for len(entries)+len(conflicts) > 0 {
		b.WriteByte('\n')
		if len(conflicts) == 0 || len(entries) > 0 && entries[0].compare(conflicts[0].Name) < 0 {
			b.WriteString(entries[0].Format() + "\n")
			entries = entries[1:]
			continue
		}
		c := conflicts[0]
		conflicts = conflicts[1:]
		b.WriteString("<<<<<<< ours\n" + c.Entries[0].Format() + "\n=======\n")
		for _, e := range c.Entries[1:] {
			b.WriteString(e.Format() + "\n")
		}
		b.WriteString(">>>>>>> theirs\n")
	}
	return []byte(b.String())
}

// everyLanguage stands for the empty language.
const everyLanguage = "*"

// Format returns the entry's line without its end.
func (e Entry) Format() string {
	var b strings.Builder
	b.WriteString(escape(e.Path, "#"))
	if e.Anchor != "" {
		b.WriteString("#" + escape(e.Anchor, ""))
	}
	for _, lang := range slices.Sorted(maps.Keys(e.Texts)) {
		b.WriteString(" " + escape(cmp.Or(lang, everyLanguage), "") + "=" + string(e.Texts[lang]))
	}
	if len(e.Subjects) > 0 {
		b.WriteString(" about")
	}
	for _, name := range slices.Sorted(maps.Keys(e.Subjects)) {
		b.WriteString(" " + escape(name, "") + "=" + string(e.Subjects[name]))
	}
	return b.String()
}

// escape writes bytes that mean something to a lock file, or to who reads it line by
// line, as percent and two digits.
func escape(s, more string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte("%<>|"+more, c) >= 0 || c == '=' && strings.Trim(s, "=") == "" {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
