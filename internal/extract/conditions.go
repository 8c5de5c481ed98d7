package extract

import (
	"go/build/constraint"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
)

// set is a set of builds, by their indexes.
type set string

func (s set) has(build int) bool { return strings.IndexByte(string(s), byte(build)) >= 0 }

func (s set) with(build int) set {
	if s.has(build) {
		return s
	}
	b := append([]byte(s), byte(build))
	slices.Sort(b)
	return set(b)
}

// condition asks for the constraint of what a set of builds has, from that of its file.
type condition struct {
	in         set
	constraint string
}

func newMerger(builds source.Builds) *merger {
	return &merger{builds: builds, known: map[condition]string{}}
}

// constraint writes which builds have something: as the first of some constraints that
// exactly they satisfy, or else by what sets the builds apart.
func (m *merger) constraint(in set, given ...string) string {
	for _, expr := range given {
		if expr == "" {
			continue
		}
		key := condition{in, expr}
		out, ok := m.known[key]
		if !ok {
			if m.satisfy(expr) == in {
				out = expr
			}
			m.known[key] = out
		}
		if out != "" {
			return out
		}
	}
	return m.byName(in)
}

// byName writes a set of builds by what sets them apart: in one word if that will do, by
// their systems, or build by build.
func (m *merger) byName(in set) string {
	var words, systems, each []string
	for i, mod := range m.builds {
		if !in.has(i) {
			continue
		}
		b := mod.Settings.Build
		words = appendNew(words, m.terms(b)...)
		systems = appendNew(systems, b.GOOS)
		each = append(each, "("+strings.Join(m.terms(b), " && ")+")")
	}
	for _, expr := range append(words, strings.Join(systems, " || ")) {
		if m.satisfy(expr) == in {
			return expr
		}
	}
	return normal(strings.Join(each, " || "))
}

// normal writes an expression as //go:build lines do.
func normal(expr string) string {
	e, err := constraint.Parse("//go:build " + expr)
	if err != nil {
		panic("extract: constraint " + expr + ": " + err.Error())
	}
	return e.String()
}

// satisfy are the builds that satisfy a constraint.
func (m *merger) satisfy(expr string) set {
	var out set
	for i, mod := range m.builds {
		if mod.Satisfies(expr) {
			out = out.with(i)
		}
	}
	return out
}

// terms are constraints that of the builds only b satisfies all of: what not all have alike.
func (m *merger) terms(b settings.Build) []string {
	differ := func(f func(settings.Build) bool) bool {
		return slices.ContainsFunc(m.builds, func(mod *source.Module) bool { return f(mod.Settings.Build) })
	}
	var terms []string
	if differ(func(o settings.Build) bool { return o.GOOS != b.GOOS }) {
		terms = append(terms, b.GOOS)
	}
	if differ(func(o settings.Build) bool { return o.GOARCH != b.GOARCH }) {
		terms = append(terms, b.GOARCH)
	}
	var tags []string
	for _, mod := range m.builds {
		tags = append(tags, mod.Settings.Tags...)
	}
	slices.Sort(tags)
	for _, tag := range slices.Compact(tags) {
		has := slices.Contains(b.Tags, tag)
		if differ(func(o settings.Build) bool { return slices.Contains(o.Tags, tag) != has }) {
			terms = append(terms, not(has)+tag)
		}
	}
	if differ(func(o settings.Build) bool { return o.Cgo != b.Cgo }) {
		terms = append(terms, not(b.Cgo)+"cgo")
	}
	return terms
}

func not(has bool) string {
	if has {
		return ""
	}
	return "!"
}
