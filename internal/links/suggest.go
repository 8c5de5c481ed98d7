package links

import (
	"path"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/nearest"
)

// suggest is the remedy for a link to a path that does not exist: a name of the same
// directory that is near, or a page of the same name elsewhere.
func (c *checker) suggest(from, name string) string {
	dir := path.Dir(name)
	if c.files.exists(dir) {
		if near := nearestFile(path.Base(name), c.files.in(dir)); near != "" {
			return "did you mean " + markdown.Relative(from, path.Join(dir, near)) + "?"
		}
	}
	lang := ""
	if p := c.Pages.Page(from); p != nil {
		lang = p.Lang
	}
	for _, p := range c.Pages.All() {
		if path.Base(p.Path) == path.Base(name) && p.Lang == lang {
			return "did you mean " + markdown.Relative(from, p.Path) + "?"
		}
	}
	return "correct the path, or remove the link"
}

// nearestFile returns the name of a directory that is near another one: in other case,
// with another extension, or a slip away with the same extension.
func nearestFile(name string, names []string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	var stems []string
	for _, n := range names {
		other := strings.TrimSuffix(n, path.Ext(n))
		switch {
		case strings.EqualFold(n, name), other == stem:
			return n
		case path.Ext(n) == ext:
			stems = append(stems, other)
		}
	}
	if near := nearest.Of(stem, stems); near != "" {
		return near + ext
	}
	return ""
}

// loose judges text that has the form of a reference without a definition. It is a fault
// only where it was certainly meant as one.
func (c *checker) loose(p *markdown.Page, out *finding.List) {
	for _, l := range p.Doc.Loose(p.Doc.Root) {
		if _, defined := p.Doc.Definitions()[l.Label]; defined || p.Generated(l.Line) {
			continue
		}
		m, ok := c.Pages.Meant(p, l)
		switch {
		case !ok:
		case m.Page == p:
			out.Add(p.Path, l.Line, finding.Link, "the reference [%s] is not defined on this page; did you mean [%s]?", l.Label, m.Definition.Label)
		default:
			out.Add(p.Path, l.Line, finding.Link, "the reference [%s] is not defined on this page; define it, as %s:%d does", m.Definition.Label, m.Page.Path, m.Definition.Line)
		}
	}
}
