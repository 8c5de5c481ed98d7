package confirmed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/section"
	"github.com/agentplan/sdk/internal/subject"
)

// mark is a comment that says what source a block describes.
type mark struct {
	path  string
	line  int
	block int // index of the block in its section
	topic int // what it marks, in every language: an index of passage.topics
	names []string
}

// fault is a comment that was surely meant to be a mark, and why it is none.
type fault struct {
	path    string
	line    int
	message string
}

// readMarks reads the comments of a passage and resolves their names.
func (s *state) readMarks(p *passage) {
	for _, sd := range p.sides {
		for _, a := range sd.Abouts {
			message, ok := s.judgeComment(a)
			if !ok {
				continue
			}
			if message != "" {
				p.faults = append(p.faults, fault{sd.path, a.Line, message})
				continue
			}
			m := mark{path: sd.path, line: a.Line, block: a.Block}
			for _, name := range a.Words {
				subjects, err := s.resolver.All(name)
				if err != nil {
					p.faults = append(p.faults, fault{sd.path, a.Line, fmt.Sprintf("%v; mend the name in the comment, or take it out", err)})
					continue
				}
				for _, sub := range subjects {
					if p.subjects == nil {
						p.subjects = map[string]*subject.Subject{}
					}
					p.subjects[sub.Name] = sub
					if !slices.Contains(m.names, sub.Name) {
						m.names = append(m.names, sub.Name)
					}
				}
			}
			if len(m.names) > 0 {
				p.marks = append(p.marks, m)
			}
		}
	}
	p.pairMarks()
}

// pairMarks finds out which blocks of the languages the marks are about. Where every
// language that has marks has the same ones in the same order, they are paired; elsewhere
// a mark is about the block of the same index in each language.
func (p *passage) pairMarks() {
	bySide := make([][]int, len(p.sides))
	ref := -1
	for i, m := range p.marks {
		side := slices.IndexFunc(p.sides, func(s side) bool { return s.path == m.path })
		bySide[side] = append(bySide[side], i)
		if ref < 0 {
			ref = side
		}
	}
	if ref < 0 {
		return
	}
	same := func(side int) bool {
		return len(bySide[side]) == 0 || slices.EqualFunc(bySide[side], bySide[ref], func(a, b int) bool {
			return slices.Equal(p.marks[a].names, p.marks[b].names)
		})
	}
	aligned := true
	for side := range p.sides {
		aligned = aligned && same(side)
	}
	topics := map[int]int{} // by block, where the marks are not aligned
	for side := range p.sides {
		for k, i := range bySide[side] {
			m := &p.marks[i]
			if !aligned {
				t, ok := topics[m.block]
				if !ok {
					t = len(p.topics)
					topics[m.block] = t
					p.topics = append(p.topics, slices.Repeat([]int{m.block}, len(p.sides)))
				}
				m.topic = t
				continue
			}
			if k == len(p.topics) {
				p.topics = append(p.topics, slices.Repeat([]int{m.block}, len(p.sides)))
			}
			m.topic = k
			p.topics[k][side] = m.block
		}
	}
}

// judgeComment tells a mark from a comment for people, and says what is wrong with it.
// A comment is a mark if its first word can only be a name, or is one without its end.
func (s *state) judgeComment(a section.About) (message string, ok bool) {
	const form = "write <!-- about DIR.Name DIR.Type.Member DIR.Type.* DIR#package --> before the block that describes them"
	switch {
	case len(a.Words) == 0:
		return "the comment names no declaration; " + form, true
	case !subject.IsName(a.Words[0]) && !(s.almostName(a.Words[0]) && (len(a.Words) == 1 || subject.IsName(a.Words[1]))):
		return "", false
	}
	for _, w := range a.Words {
		if !subject.IsName(w) {
			return fmt.Sprintf("%q names no declaration: a name is an exported one behind its directory, or a directory before #package, separated by spaces; %s", w, form), true
		}
	}
	if a.Fault != "" {
		return "the comment has no effect: " + a.Fault, true
	}
	return "", true
}

// almostName reports whether a word is a package directory alone, or before something
// that is no exported name.
func (s *state) almostName(word string) bool {
	if trimmed := strings.TrimRight(word, ",;:."); trimmed != word && subject.IsName(trimmed) {
		return true
	}
	dir, _, _ := strings.Cut(word, "#")
	for dir != "" {
		if s.dirs[dir] {
			return true
		}
		i := strings.LastIndexByte(dir, '.')
		dir = dir[:max(i, 0)]
	}
	return false
}
