// Package symbol yields the references to a module that stand as inline code in the prose
// of its pages, and reports those that lead nowhere.
//
// What cannot be resolved for certain is not judged: a false alarm costs more than a
// fault that is missed. The report says of each reference what became of it.
package symbol

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agentplan/sdk/internal/fence/command"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// Verdict is what became of a reference.
type Verdict string

// The verdicts.
const (
	Exists    Verdict = "exists"
	Missing   Verdict = "missing"
	Exempt    Verdict = "exempt" // missing, and the page says why
	NotJudged Verdict = "not judged"
)

// Reference is one piece of inline code.
type Reference struct {
	Path    string
	Line    int
	Text    string // as on the page
	Verdict Verdict
	Why     string // what it was taken for, or why it was not judged
}

// Report is what was judged and what was not, sorted by path and line.
type Report struct {
	References []Reference
}

// Count returns how many references have a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, ref := range r.References {
		if ref.Verdict == v {
			n++
		}
	}
	return n
}

// Check judges the inline code of all pages outside of generated regions. Entries are
// those of the catalog. A page exempts a name from being judged with a comment:
//
//	<!-- symbol-ok planmode.Old: removed in v2, named in the history -->
//
// An exemption without a reason is a finding, and so is one that exempts nothing. A name
// that one of the configured builds has exists.
func Check(mod *source.Module, pages *markdown.Set, entries []*model.Entry, out *finding.List) *Report {
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name] = true
	}
	c := newChecker(mod, names)
	c.out, c.report = out, &Report{}
	for _, other := range mod.Builds() {
		if other != mod {
			c.others = append(c.others, newChecker(other, names))
		}
	}
	for _, p := range readPages(pages) {
		c.page(p)
	}
	slices.SortStableFunc(c.report.References, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return c.report
}

// checker is the work of one Check for one build.
type checker struct {
	mod      *source.Module
	others   []*checker // of the other builds
	commands *command.Commands
	names    map[string]bool              // of catalog entries
	types    map[string][]*source.Package // exported type -> packages that declare it
	packages map[string][]*source.Package // package name -> packages
	foreign  map[string]bool              // names of packages that the module does not have, nil before the first use
	flags    *flagNames                   // nil before the first use
	found    map[string]answer            // what exists whatever page says it, by text and the packages of the page
	out      *finding.List
	report   *Report
}

func newChecker(mod *source.Module, names map[string]bool) *checker {
	c := &checker{
		mod:      mod,
		commands: command.New(mod),
		names:    names,
		types:    map[string][]*source.Package{},
		packages: map[string][]*source.Package{},
		found:    map[string]answer{},
	}
	c.index()
	return c
}

// judgeAll is the answer of the build that knows most of a span.
func (c *checker) judgeAll(p *page, s span) answer {
	a := c.judge(p, s)
	for _, other := range c.others {
		if a.verdict == Exists {
			break
		}
		if b := other.judge(p, s); b.verdict == Exists || a.verdict == Missing {
			a = b
		}
	}
	return a
}

// answer is what is known of one reference.
type answer struct {
	verdict Verdict
	name    string // what does not exist, as a page exempts it
	message string // what is wrong, or why nothing is said
	local   bool   // it exists for this page
}

func exists(what string) answer { return answer{verdict: Exists, message: what} }

func skip(why string, args ...any) answer {
	return answer{verdict: NotJudged, message: fmt.Sprintf(why, args...)}
}

func missing(name, format string, args ...any) answer {
	return answer{verdict: Missing, name: name, message: fmt.Sprintf(format, args...)}
}

// index finds the packages and exported types of the module by name.
func (c *checker) index() {
	for _, p := range c.mod.Packages {
		if p.Name == "main" {
			continue
		}
		c.packages[p.Name] = append(c.packages[p.Name], p)
		for _, d := range p.Decls() {
			if d.Kind == source.TypeDecl && d.Name().IsExported() {
				c.types[d.Name().Name] = append(c.types[d.Name().Name], p)
			}
		}
	}
}

// page judges the references of a page, each name once a line.
func (c *checker) page(p *page) {
	used := make([]bool, len(p.exemptions))
	type place struct {
		line int
		name string
	}
	seen := map[place]bool{}
	for _, s := range p.spans {
		a := c.judgeAll(p, s)
		if a.verdict == Missing {
			for i, e := range p.exemptions {
				if e.name == a.name || e.name == s.text {
					used[i] = true
					a.verdict, a.message = Exempt, e.reason
				}
			}
		}
		if at := (place{s.line, a.name}); a.verdict == Missing && !seen[at] {
			seen[at] = true
			c.out.Add(p.path, s.line, finding.Symbol, "%s: %s; mend the name, or exempt it: <!-- symbol-ok %s: REASON -->", s.text, a.message, a.name)
		}
		c.report.References = append(c.report.References, Reference{p.path, s.line, s.text, a.verdict, a.message})
	}
	for i, e := range p.exemptions {
		switch {
		case e.reason == "":
			c.out.Add(p.path, e.line, finding.Symbol, "an exemption without a reason; write <!-- symbol-ok NAME: REASON -->")
		case !used[i]:
			c.out.Add(p.path, e.line, finding.Symbol, "%s needs no exemption: no code of the page that is judged names it, or it exists; remove the comment", e.name)
		}
	}
}
