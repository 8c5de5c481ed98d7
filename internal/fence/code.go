package fence

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/source"
)

// Report says what was checked. A fence that every language has counts once.
type Report struct {
	Go       int      // Go fences that had to compile
	Excerpts int      // those of them that are parts of Go files of the tree
	OptedOut []OptOut // Go fences that are not judged by their author's word
	Unjudged []OptOut // Go fences that cannot be judged
	Shell    int      // shell fences that are judged
	Commands int      // commands of the module in them

	ShellOptedOut []OptOut // shell fences that are not judged by their author's word
}

// OptOut is one fence that is not judged.
type OptOut struct {
	Path   string
	Line   int
	Reason string
}

// CheckCode reports the Go fences that do not compile against the module as it is and
// the shell fences that use commands, targets or flags of the module that do not exist.
//
// A Go fence is a whole file, or declarations, or statements, or declarations among
// statements. Each stands alone; one that does not compile alone may use what earlier
// fences of its page declare. A fence without imports gets those of the fences before
// it, the standard library, the module and its dependencies that it means. Variables that statements do not use are
// no fault, and statements may return anything. A fence that is a part of a Go file of the
// tree, word for word, is compiled with that file and may use what stands around it there.
//
// Where there are several builds, it is enough that a fence is right in one of them. A
// fence that is right in none has the faults of the build in which it has the fewest.
//
// The cache may be nil.
func (s *Set) CheckCode(ctx context.Context, mod *source.Module, cache *Cache, out *finding.List) *Report {
	if cache == nil {
		cache = &Cache{}
	}
	r := &Report{}
	first := s.checkBuild(ctx, mod, cache, r, out)
	for i, other := range mod.Builds() {
		if other != mod && first.faulty() {
			var again finding.List // what does not depend on the build is known
			first.improve(s.checkBuild(ctx, other, cache.build(i), &Report{}, &again))
		}
	}
	first.settle()
	s.checkShell(mod, r, out)
	return r
}

// checkBuild judges all Go fences as one build has them.
func (s *Set) checkBuild(ctx context.Context, mod *source.Module, cache *Cache, r *Report, out *finding.List) *codeCheck {
	cache.open(mod)
	c := &codeCheck{mod: mod, out: out, report: r, loader: newLoader(mod, cache)}
	for _, p := range s.pages {
		c.pages = append(c.pages, c.collect(p))
	}
	c.parse(c.pages)
	c.load(ctx, c.pages)
	c.check(c.pages)
	return c
}

// codeCheck is the work of one CheckCode for one build.
type codeCheck struct {
	pages   [][]*snippet
	results [][]result // of the snippets

	mod    *source.Module
	out    *finding.List
	report *Report
	loader *loader
}

const optOutRemedy = "write ```go ignore: REASON to opt out"

// collect finds the fences of a page that are to be checked, and settles the others.
func (c *codeCheck) collect(p *pageFences) []*snippet {
	var out []*snippet
	for _, b := range p.fences {
		if b.lang != "go" {
			continue
		}
		if _, ok := b.quoted(c.mod); ok {
			continue
		}
		reason, ignored := b.optOut()
		switch {
		case !ignored:
			out = append(out, &snippet{block: b})
			if !b.repeat {
				c.report.Go++
			}
		case b.repeat:
		case reason == "":
			c.out.Add(p.path, b.line, finding.Fence, "the fence opts out without a reason; write ```go ignore: REASON")
		default:
			c.report.OptedOut = append(c.report.OptedOut, OptOut{p.path, b.line, reason})
		}
	}
	return out
}

// parse parses all snippets, page by page: within a page their positions must ascend.
func (c *codeCheck) parse(pages [][]*snippet) {
	parallel.Each(len(pages), func(i int) {
		for _, s := range pages[i] {
			s.parse(c.mod.Fset, fmt.Sprintf("%s:%d", s.block.page.path, s.block.line))
		}
	})
}

// load reads what the fences import.
func (c *codeCheck) load(ctx context.Context, pages [][]*snippet) {
	var dir *directory
	for _, page := range pages {
		imported := map[string]string{}
		for _, s := range page {
			if s.err != nil {
				continue
			}
			if len(s.file.Imports) == 0 {
				if dir == nil {
					dir = newDirectory(c.loader)
				}
				dir.infer(s, imported)
			}
			for _, spec := range s.file.Imports {
				imported[importName(spec)] = strings.Trim(spec.Path.Value, "`\"")
			}
			c.want(s)
		}
	}
	c.loader.load(ctx)
	// The type checker asks for packages from several goroutines later on.
	for _, importPath := range slices.Sorted(maps.Keys(c.loader.parts)) {
		c.loader.typesOf(importPath)
	}
}

// want asks for the packages of a snippet, and for what it mentions of them.
func (c *codeCheck) want(s *snippet) {
	members := uses(s.file, s.free)
	ask := func(name, importPath string) {
		c.loader.want(importPath, "")
		for _, m := range members[name] {
			c.loader.want(importPath, m)
		}
	}
	for _, inf := range s.infer {
		for _, choice := range inf.choices {
			ask(inf.name, choice)
		}
	}
	for _, spec := range s.file.Imports {
		importPath := strings.Trim(spec.Path.Value, "`\"")
		switch {
		case spec.Name == nil:
			// Its name may not be what its path looks like.
			for name := range members {
				ask(name, importPath)
			}
			c.loader.want(importPath, "")
		case spec.Name.Name == ".":
			c.loader.want(importPath, "")
			for name := range s.free {
				c.loader.want(importPath, name)
			}
		default:
			ask(spec.Name.Name, importPath)
		}
	}
}

// check judges all snippets, pages in parallel.
func (c *codeCheck) check(pages [][]*snippet) {
	results := make([][]result, len(pages))
	c.results = results
	parallel.Each(len(pages), func(i int) {
		page := pages[i]
		results[i] = make([]result, len(page))
		for j, s := range page {
			if !s.block.repeat {
				results[i][j] = c.judge(page[:j+1])
			}
		}
	})
	for i, page := range pages {
		for j, s := range page {
			results[i][j].faults = c.explain(s, results[i][j].faults)
		}
	}
}

// faulty reports whether a snippet is not known to be right.
func (c *codeCheck) faulty() bool {
	return slices.ContainsFunc(c.results, func(page []result) bool { return slices.ContainsFunc(page, result.faulty) })
}

func (r result) faulty() bool { return len(r.faults) > 0 || r.failure != "" || r.unjudged != "" }

// improve takes over what another build says of snippets that are not right in this one,
// if that is less.
func (c *codeCheck) improve(other *codeCheck) {
	for i, page := range c.results {
		for j, r := range page {
			o := other.results[i][j]
			switch {
			case !r.faulty():
			case !o.faulty(), o.unjudged != "" && r.unjudged == "", r.unjudged == "" && o.failure == "" && o.less(r):
				page[j] = o
			}
		}
	}
}

// less reports whether there is less to say against a snippet: fewer names are unknown, or
// as many, and there are fewer other faults.
func (r result) less(o result) bool {
	undefined := func(r result) int {
		n := 0
		for _, f := range r.faults {
			if strings.HasPrefix(f.text, "undefined") {
				n++
			}
		}
		return n
	}
	return o.failure != "" || cmp.Or(undefined(r)-undefined(o), len(r.faults)-len(o.faults)) < 0
}

// settle adds the findings in order.
func (c *codeCheck) settle() {
	files := excerpts{mod: c.mod}
	var held map[string]bool
	if faulty := c.faultyTexts(); len(faulty) > 0 {
		held = files.held(faulty)
	}
	for i, page := range c.pages {
		for j, s := range page {
			r, b := c.results[i][j], s.block
			if r.hasFaults() && held[b.text] {
				c.report.Excerpts++
				continue
			}
			for k, f := range r.faults {
				if k == 0 {
					if file, line := files.nearly(b.text); file != "" {
						f.text += fmt.Sprintf(" (the fence is a part of %s but for its line %d)", file, line)
					}
				}
				c.out.Add(b.page.path, b.first+f.line-1, finding.Fence, "%s; mend the code, or %s", f.text, optOutRemedy)
			}
			if r.failure != "" {
				c.out.Add(b.page.path, b.line, finding.Fence, "%s, or %s", r.failure, optOutRemedy)
			}
			if r.unjudged != "" {
				c.report.Unjudged = append(c.report.Unjudged, OptOut{b.page.path, b.line, r.unjudged})
			}
		}
	}
}

// oneLine joins the lines of a type checker's message.
func oneLine(text string) string {
	return strings.NewReplacer("\n\thave ", ": have ", "\n\twant ", ", want ", "\n\t", ": ", "\n", " ").Replace(text)
}

// result is what is known of one snippet.
type result struct {
	faults   []fault
	unjudged string // why it cannot be judged
	failure  string // what kept it from being judged
}

// hasFaults reports whether the snippet alone does not compile or cannot be judged.
func (r result) hasFaults() bool { return len(r.faults) > 0 || r.unjudged != "" }

// faultyTexts are the texts of such snippets.
func (c *codeCheck) faultyTexts() []string {
	var out []string
	for i, page := range c.pages {
		for j, s := range page {
			if c.results[i][j].hasFaults() {
				out = append(out, s.block.text)
			}
		}
	}
	return out
}

// judge checks the last of some snippets of a page; the others come before it there.
func (c *codeCheck) judge(page []*snippet) result {
	s := page[len(page)-1]
	if s.err != nil {
		return result{faults: []fault{*s.err}}
	}
	if r, ok := c.judgeImports(s); !ok {
		return r
	}
	if s.onlyImports() {
		return result{}
	}
	for _, inf := range s.infer {
		if !slices.ContainsFunc(inf.choices, func(p string) bool { return c.loader.parts[p] != nil }) {
			return result{unjudged: "it uses " + inf.name + " of " + inf.choices[0] + ", which is not there"}
		}
	}
	alone := c.compile([]*snippet{s})
	if len(alone) == 0 {
		return result{}
	}
	if unit := withEarlier(page); len(unit) > 1 {
		together := c.compile(unit)
		if len(together) < len(alone) {
			alone = together
		}
	}
	return result{faults: alone}
}
