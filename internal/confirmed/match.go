package confirmed

import (
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/lock"
)

// match finds what the lock has of each passage. Names come from headings, so a passage
// whose name the lock does not know may be there under a former one: the bytes tell.
func (s *state) match() {
	m := matcher{entries: map[string][]*lock.Entry{}}
	for i := range s.lock.Entries {
		e := &s.lock.Entries[i]
		m.entries[e.Path] = append(m.entries[e.Path], e)
	}
	s.matchConflicts()
	pages := map[string][]*passage{}
	for _, p := range s.passages {
		if p.conflict == nil {
			pages[p.name.Path] = append(pages[p.name.Path], p)
		}
	}
	for path, list := range pages {
		m.page(path, list)
	}
	m.moved(s.passages, s.skipped)
	s.collectGone(m)
}

func (s *state) matchConflicts() {
	byName := map[lock.Name]*lock.Conflict{}
	for i := range s.lock.Conflicts {
		byName[s.lock.Conflicts[i].Name] = &s.lock.Conflicts[i]
	}
	for _, p := range s.passages {
		p.conflict = byName[p.name]
	}
}

// matcher holds the entries that no passage has yet, by path.
type matcher struct {
	entries map[string][]*lock.Entry
}

func (m *matcher) take(p *passage, e *lock.Entry) {
	p.entry = e
	m.entries[e.Path] = slices.DeleteFunc(m.entries[e.Path], func(x *lock.Entry) bool { return x == e })
}

// page matches the passages of one page, the surest ways first.
func (m *matcher) page(path string, list []*passage) {
	sameName := func(p *passage, e *lock.Entry) bool { return p.name == e.Name }
	for _, fits := range []func(*passage, *lock.Entry) bool{
		func(p *passage, e *lock.Entry) bool { return sameName(p, e) && unchanged(p, e) },
		unchanged,
		func(p *passage, e *lock.Entry) bool { return sameName(p, e) && akin(p, e) },
		akin,
		sameName,
	} {
		for _, p := range list {
			if p.entry != nil {
				continue
			}
			if i := slices.IndexFunc(m.entries[path], func(e *lock.Entry) bool { return fits(p, e) }); i >= 0 {
				m.take(p, m.entries[path][i])
			}
		}
	}
	// One name lost and one found: a heading that was changed in every language.
	var open []*passage
	for _, p := range list {
		if p.entry == nil && p.accountable() {
			open = append(open, p)
		}
	}
	if len(open) == 1 && len(m.entries[path]) == 1 && open[0].name.Anchor != "" && m.entries[path][0].Anchor != "" {
		m.take(open[0], m.entries[path][0])
	}
}

// moved matches passages with unchanged bytes from other pages: those of a page that was
// renamed.
func (m *matcher) moved(passages []*passage, skipped map[string]string) {
	left := map[lock.Hash][]*lock.Entry{}
	for path, list := range m.entries {
		if skipped[path] != "" {
			continue
		}
		for _, e := range list {
			for _, h := range e.Texts {
				left[h] = append(left[h], e)
			}
		}
	}
	for _, p := range passages {
		if p.entry != nil || p.conflict != nil {
			continue
		}
		found := slices.DeleteFunc(slices.Clone(left[lock.Hash(p.sides[0].Sum())]), func(e *lock.Entry) bool {
			return !slices.Contains(m.entries[e.Path], e) || !unchanged(p, e)
		})
		if len(found) > 0 {
			slices.SortFunc(found, func(a, b *lock.Entry) int { return strings.Compare(a.String(), b.String()) })
			m.take(p, found[0])
		}
	}
}

// unchanged reports whether an entry was made of the passage's bytes.
func unchanged(p *passage, e *lock.Entry) bool {
	edited, _, fresh := p.changed(e)
	return len(edited)+len(fresh) == 0
}

// akin reports whether at least one language has the bytes of an entry.
func akin(p *passage, e *lock.Entry) bool {
	_, same, _ := p.changed(e)
	return len(same) > 0
}

// collectGone lists what no passage has, the entries of a page without any passage as one.
func (s *state) collectGone(m matcher) {
	live := map[string]bool{}
	taken := map[lock.Name]bool{}
	for _, p := range s.passages {
		live[p.name.Path] = true
		if p.conflict != nil {
			taken[p.conflict.Name] = true
		}
	}
	index := map[lock.Name]int{}
	add := func(name lock.Name, line int, entries ...lock.Entry) {
		if s.skipped[name.Path] != "" {
			return
		}
		if !live[name.Path] {
			name.Anchor = ""
		}
		i, ok := index[name]
		if !ok {
			i = len(s.gone)
			index[name] = i
			s.gone = append(s.gone, gone{Name: name, line: line})
		}
		g := &s.gone[i]
		g.line = min(g.line, line)
		g.entries = append(g.entries, entries...)
	}
	for _, e := range s.lock.Entries {
		if slices.ContainsFunc(m.entries[e.Path], func(x *lock.Entry) bool { return x.Name == e.Name }) {
			add(e.Name, e.Line, e)
		}
	}
	for _, c := range s.lock.Conflicts {
		if !taken[c.Name] {
			add(c.Name, c.Line, c.Entries...)
		}
	}
}

// token is a hash over the entries that are to be removed.
func (g *gone) token() string {
	var lines []string
	for _, e := range g.entries {
		lines = append(lines, e.Format())
	}
	slices.Sort(lines)
	return token(lines...)
}

// doubtful reports whether passages of other pages decide what is to be said: where one has
// no entry, or an entry no passage, the two may belong together.
func (s *state) doubtful() bool {
	return len(s.gone) > 0 || slices.ContainsFunc(s.passages, func(p *passage) bool { return p.entry == nil && p.conflict == nil })
}

// narrow leaves what is to be judged. A passage without an entry stays: it may have had the
// one that now is another's.
func (s *state) narrow() {
	s.passages = slices.DeleteFunc(s.passages, func(p *passage) bool { return p.entry != nil && !s.in.judges(p.name.Path) })
	s.gone = slices.DeleteFunc(s.gone, func(g gone) bool { return !s.in.judges(g.Path) })
}
