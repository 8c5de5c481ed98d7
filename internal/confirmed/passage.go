package confirmed

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/lock"
	"github.com/agentplan/sdk/internal/nearest"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/section"
	"github.com/agentplan/sdk/internal/subject"
	"github.com/agentplan/sdk/internal/tree"
)

// passage is one section in all its languages.
type passage struct {
	name     lock.Name
	sides    []side
	marks    []mark
	topics   [][]int                     // the block that a mark is about, by side
	subjects map[string]*subject.Subject // those of its marks that resolve
	faults   []fault                     // of its marks

	entry    *lock.Entry // what was confirmed, under this or a former name
	conflict *lock.Conflict
}

// side is a passage in one language.
type side struct {
	*section.Section
	path  string
	lang  string
	alias string // the section's anchor in this language
}

// in is the passage's name by the page of one of its sides.
func (p *passage) in(s side) lock.Name { return lock.Name{Path: s.path, Anchor: p.name.Anchor} }

// accountable reports whether the passage needs a confirmation: it says something in more
// than one language, or says what source it describes.
func (p *passage) accountable() bool { return len(p.sides) > 1 || len(p.subjects) > 0 }

// current is the entry that a confirmation would record.
func (p *passage) current() lock.Entry {
	e := lock.Entry{Name: p.name, Texts: map[string]lock.Hash{}}
	for _, s := range p.sides {
		e.Texts[s.lang] = lock.Hash(s.Sum())
	}
	for name, sub := range p.subjects {
		if e.Subjects == nil {
			e.Subjects = map[string]lock.Hash{}
		}
		e.Subjects[name] = lock.Hash(sub.Sum)
	}
	return e
}

func (p *passage) token() string { return token(p.current().Format()) }

// changed are the sides whose text is not that of an entry; a language that the entry does
// not have is fresh.
func (p *passage) changed(e *lock.Entry) (edited, same, fresh []side) {
	for _, s := range p.sides {
		switch h, ok := e.Texts[s.lang]; {
		case !ok:
			fresh = append(fresh, s)
		case string(h) == s.Sum():
			same = append(same, s)
		default:
			edited = append(edited, s)
		}
	}
	return edited, same, fresh
}

// findPassages cuts the pages that are wanted, in parallel, and pairs their sections by
// their order.
func (s *state) findPassages(wanted func(page string) bool) {
	groups := s.in.Tree.Groups
	cuts := make([][][]*section.Section, len(groups))
	var fit []int
	for i, group := range groups {
		if page := group.Sides[0].Path; !wanted(page) {
			s.skipped[page] = "it is not to be judged"
			continue
		}
		if why := unfit(group); why != "" {
			s.skipped[group.Sides[0].Path] = why
			continue
		}
		cuts[i] = make([][]*section.Section, len(group.Sides))
		fit = append(fit, i)
	}
	parallel.Each(len(fit), func(n int) {
		i := fit[n]
		for k, sd := range groups[i].Sides {
			if sd.Page != nil {
				cuts[i][k] = section.Parse(sd.Page)
			}
		}
	})
	for i, group := range groups {
		if cuts[i] != nil {
			s.pairGroup(group, cuts[i])
		}
	}
}

// unfit tells why the pages of a group cannot be judged. A page that is missing in a
// later language is passed over.
func unfit(g *tree.Group) string {
	for i, sd := range g.Sides {
		switch {
		case sd.Missing() && i == 0:
			return sd.Path + " does not exist"
		case sd.Page == nil && !sd.Missing():
			return sd.Path + " cannot be read"
		case sd.Page != nil && len(sd.Page.Problems) > 0:
			return sd.Path + " has faulty markers"
		}
	}
	return ""
}

func (s *state) pairGroup(g *tree.Group, cuts [][]*section.Section) {
	first := cuts[0]
	for k, c := range cuts {
		if c != nil && len(c) != len(first) {
			s.skipped[g.Sides[0].Path] = g.Sides[0].Path + " and " + g.Sides[k].Path + " differ in the number of their headings"
			return
		}
	}
	names := section.Names(first)
	aliases := make([][]string, len(cuts))
	for k, c := range cuts {
		aliases[k] = section.Names(c)
	}
	for i := range first {
		p := &passage{name: lock.Name{Path: g.Sides[0].Path, Anchor: names[i]}}
		for k, c := range cuts {
			if c != nil {
				p.sides = append(p.sides, side{c[i], g.Sides[k].Path, g.Sides[k].Lang, aliases[k][i]})
			}
		}
		blank := func(sd side) bool { return sd.Blank() }
		if i == 0 && !slices.ContainsFunc(p.sides, func(sd side) bool { return !blank(sd) || len(sd.Abouts) > 0 }) {
			continue
		}
		s.readMarks(p)
		s.passages = append(s.passages, p)
	}
}

// lookup finds what an argument without its token names: a section by the page of any
// language, or what is gone by the name that the lock has.
func (s *state) lookup(arg string) (*passage, *gone) {
	for _, p := range s.passages {
		for _, sd := range p.sides {
			if p.in(sd).String() == arg {
				return p, nil
			}
		}
	}
	for i, g := range s.gone {
		if g.String() == arg {
			return nil, &s.gone[i]
		}
	}
	for _, p := range s.passages { // a reader of one language may know no other anchor
		for _, sd := range p.sides {
			if sd.path+"#"+sd.alias == arg {
				return p, nil
			}
		}
	}
	return nil, nil
}

// nearest is the name of the section that a name is most likely a slip for.
func (s *state) nearest(name string) string {
	page, anchor, _ := strings.Cut(name, "#")
	anchors := map[string][]string{} // by page
	for _, p := range s.passages {
		for _, sd := range p.sides {
			anchors[sd.path] = append(anchors[sd.path], p.name.Anchor)
		}
	}
	if anchors[page] == nil {
		if page = nearest.Of(page, slices.Sorted(maps.Keys(anchors))); page == "" {
			return ""
		}
	}
	if anchor == "" || slices.Contains(anchors[page], anchor) {
		return lock.Name{Path: page, Anchor: anchor}.String()
	}
	if anchor = nearest.Of(anchor, anchors[page]); anchor == "" {
		return ""
	}
	return lock.Name{Path: page, Anchor: anchor}.String()
}

// inPath is the passage's name by the page with a path.
func (p *passage) inPath(path string) lock.Name { return lock.Name{Path: path, Anchor: p.name.Anchor} }
