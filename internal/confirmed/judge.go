package confirmed

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
)

// judge makes findings of passages. What needs the history is collected first, so that
// git is asked once for all of them.
type judge struct {
	*state
	out *finding.List

	past    *past
	pending []pending
}

// pending is a finding whose difference comes from the history.
type pending struct {
	finding finding.Finding
	texts   []former // of sides that were edited
	sources []former // of declarations
}

func (j *judge) judge(ctx context.Context, passages []*passage) {
	j.past = newPast(j.in.Settings)
	for _, p := range passages {
		for _, f := range p.faults {
			j.out.Add(f.path, f.line, finding.Prose, "%s", f.message)
		}
		j.translation(p)
		j.prose(p)
	}
	j.past.search(ctx)
	for _, w := range j.pending {
		for _, f := range w.texts {
			w.finding.Diff += j.past.textDiff(f)
		}
		for _, f := range w.sources {
			w.finding.Diff += j.past.sourceDiff(f)
		}
		j.out.Findings = append(j.out.Findings, w.finding)
	}
	j.pending = nil
}

// translation reports a passage whose languages are not confirmed to say the same.
func (j *judge) translation(p *passage) {
	if len(p.sides) < 2 {
		return
	}
	switch {
	case p.conflict != nil:
		j.add(p, p.sides[0], finding.Translation, fmt.Sprintf("section %s is in a merge conflict (%s:%d), so it is not confirmed; make %s say the same", title(p), j.in.LockPath(), p.conflict.Line, places(p.sides)), nil)
		return
	case p.entry == nil:
		j.add(p, p.sides[0], finding.Translation, fmt.Sprintf("section %s is not confirmed yet; make %s say the same", title(p), places(p.sides)), nil)
		return
	}
	edited, same, fresh := p.changed(p.entry)
	var texts []former
	for _, s := range edited {
		f := former{side: s, want: string(p.entry.Texts[s.lang])}
		j.past.wantText(f)
		texts = append(texts, f)
	}
	followers := append(same, fresh...)
	switch {
	case len(edited) == 0:
		for _, s := range fresh {
			j.add(p, s, finding.Translation, fmt.Sprintf("section %s is not confirmed yet in this language; make %s:%d say the same as %s", title(p), s.path, s.Line, places(same)), nil)
		}
	case len(followers) == 0:
		for _, s := range edited {
			j.add(p, s, finding.Translation, fmt.Sprintf("section %s was edited in %s since it was confirmed; make them say the same", title(p), places(edited)), texts)
		}
	default:
		for _, s := range followers {
			j.add(p, s, finding.Translation, fmt.Sprintf("section %s was edited in %s since it was confirmed; let %s:%d follow", title(p), places(edited), s.path, s.Line), texts)
		}
	}
}

// add records a finding at the heading of a side; the command that settles it ends it.
func (j *judge) add(p *passage, s side, rule finding.Rule, message string, texts []former) {
	j.pending = append(j.pending, pending{
		finding: finding.Finding{
			Path: s.path, Line: s.Line, Rule: rule,
			Message: message + ", then run " + j.command(p.in(s), p.token()),
			Content: p.token(),
		},
		texts: texts,
	})
}

// title names a passage within its page.
func title(p *passage) string {
	if p.name.Anchor == "" {
		return "before the first heading"
	}
	return p.name.Anchor
}

// places lists where a passage stands in some languages.
func places(sides []side) string {
	var list []string
	for _, s := range sides {
		list = append(list, fmt.Sprintf("%s:%d", s.path, s.Line))
	}
	return and(list)
}

// and joins a list for a sentence.
func and(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// orphans reports what the lock has of sections that are gone.
func (j *judge) orphans() {
	for _, g := range j.gone {
		rule := finding.Prose
		for _, e := range g.entries {
			if len(e.Texts) > 1 && len(j.in.Settings.Langs) > 1 {
				rule = finding.Translation
			}
		}
		what := "there is no section " + g.String()
		if near := j.nearest(g.String()); near != "" && near != g.String() {
			what += " (did you mean " + near + "?)"
		}
		j.out.Add(j.in.LockPath(), g.line, rule, "%s; if it is gone for good, take it out of the lock file: run %s", what, j.command(g.Name, g.token()))
	}
}
