package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/baseline"
	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/symbol"
)

// summary says on one line how a run ended and what it looked at, so that silence is not
// mistaken for work. Rules are those that findings are limited to, if any.
func summary(r *catalog.Result, rules, looked []string) string {
	out := ""
	if r.Scope != nil {
		out = r.Scope.String() + ": "
	}
	out += fmt.Sprintf("%s on %s, %s", plural(r.Regions, "region"), plural(r.Pages, "page"), outcome(r))
	if len(rules) > 0 {
		out += " by " + strings.Join(rules, ", ")
	}
	if r.Scope != nil && r.Prose.Pages == 0 {
		return out
	}
	return out + "; checked " + strings.Join(looked, ", ") + accepted(r)
}

// accepted says how many findings the baseline lets pass, if any.
func accepted(r *catalog.Result) string {
	if len(r.Accepted) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s accepted in %s", plural(len(r.Accepted), "finding"), baseline.Path(r.Settings))
}

// outcome is what was found.
func outcome(r *catalog.Result) string {
	if n := len(r.Findings); n > 0 {
		return plural(n, "finding")
	}
	return "all fresh"
}

// checked lists what the rules were held against. What a tree has none of is left out.
func checked(r *catalog.Result) []string {
	out := []string{
		plural(r.Prose.Pages, "page") + " in " + plural(len(r.Settings.Langs), "language"),
		plural(len(r.Entries), "declaration") + " of " + plural(r.Packages, "package"),
	}
	add := func(n int, noun string) {
		if n > 0 {
			out = append(out, plural(n, noun))
		}
	}
	add(r.Prose.Links, "link")
	if s := r.Prose.Symbols; s != nil {
		add(len(s.References)-s.Count(symbol.NotJudged), "name")
	}
	if c := r.Prose.Code; c != nil {
		add(c.Go, "go fence")
		add(r.Prose.Declarations, "quoted declaration")
		add(c.Shell, "sh fence")
		if n := len(c.OptedOut); n > 0 {
			out = append(out, fmt.Sprintf("%d of %d go fences opt out", n, n+c.Go))
		}
		if n := len(c.ShellOptedOut); n > 0 {
			out = append(out, fmt.Sprintf("%d of %d sh fences opt out", n, n+c.Shell))
		}
	}
	if s := r.Prose.Sections; s.Adopted {
		add(s.Blocks, "about mark")
		out = append(out, sections(r))
	}
	return out
}

// sections counts the sections that need a confirmation, and says so where all have it.
func sections(r *catalog.Result) string {
	out := plural(r.Prose.Sections.Sections, "section")
	if !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
		return f.Rule == finding.Translation || f.Rule == finding.Prose
	}) {
		out += " confirmed"
	}
	return out
}
