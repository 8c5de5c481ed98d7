package skeleton

import (
	"fmt"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
)

// comparison compares the page b with the reference page a.
type comparison struct {
	settings     *settings.Settings
	pathA, pathB string
	stretches    []*stretch
	links        []pair // links that lead to the same page or file
	openA, openB int    // lines of code blocks without an end; 0 for none
	out          finding.List
}

// stretch is a run of nodes that one page has and the other has not, or has others.
type stretch struct {
	a, b []*node
	prev pair  // what stands before it
	next *node // what of b follows, if the two pages agree on that
	home *node // of b: what it lies in; nil for the page
	run  *run
}

// run is paragraphs in a row, with nothing else between them.
type run struct{ proseA, proseB int }

func (c *comparison) add(line int, format string, args ...any) {
	c.out.Add(c.pathB, max(line, 1), finding.Structure, "%s", fmt.Sprintf(format, args...))
}

// sequences compares what two pages hold in the same place. Within a list or table whose
// length differs, which has been said, what one page lacks is passed over.
func (c *comparison) sequences(a, b []*node, home *node, counted bool) {
	if same(a, b) {
		c.pairLinks(a, b)
		return
	}
	w := walk{comparison: c, home: home, counted: counted}
	var prev pair
	current := &run{}
	for _, p := range align(a, b) {
		current = current.next(p)
		w.step(step{p, prev, current})
		if p.a != nil {
			prev.a = p.a
		}
		if p.b != nil {
			prev.b = p.b
		}
	}
	w.flush(nil)
}

// step is one pair of an alignment and what comes before it.
type step struct {
	pair
	prev pair
	run  *run
}

// walk goes over an alignment and gathers the steps at which the pages differ until they
// agree again.
type walk struct {
	*comparison
	home    *node
	counted bool
	open    []step
}

func (w *walk) step(s step) {
	switch {
	case either(s.pair).kind == prose:
		if s.a != nil && s.b != nil {
			w.open = append(w.open, s)
		}
	case s.a == nil || s.b == nil:
		if !w.counted {
			w.open = append(w.open, s)
		}
	case s.a.key != s.b.key:
		w.open = append(w.open, s)
	default:
		w.flush(s.b)
		w.nodes(s.a, s.b)
	}
}

// flush makes stretches of the gathered steps. Where blocks are missing beside blocks of
// another form, all is one stretch: most often one mark that is missing turns all that
// follows into something else. Otherwise text that both pages have parts the stretches,
// and blocks of another form are judged one by one.
func (w *walk) flush(next *node) {
	gaps, changed := 0, 0
	for _, s := range w.open {
		switch {
		case s.a == nil || s.b == nil:
			gaps++
		case s.a.kind != prose:
			changed++
		}
	}
	var open *stretch
	for _, s := range w.open {
		switch {
		case s.a != nil && s.b != nil && s.a.kind == prose:
			if changed == 0 && open != nil {
				open.next = s.b
				open = nil
			}
			continue
		case gaps == 0:
			w.nodes(s.a, s.b)
			continue
		}
		if open == nil {
			open = &stretch{prev: s.prev, home: w.home, run: s.run}
			w.stretches = append(w.stretches, open)
		}
		if s.a != nil {
			open.a = append(open.a, s.a)
		}
		if s.b != nil {
			open.b = append(open.b, s.b)
		}
	}
	if open != nil {
		open.next = next
	}
	w.open = nil
}

// next returns the run that the nodes of a pair belong to, and counts them.
func (r *run) next(p pair) *run {
	if k := either(p).kind; k != prose && k != link && k != image {
		return &run{}
	}
	if p.a != nil && p.a.kind == prose {
		r.proseA++
	}
	if p.b != nil && p.b.kind == prose {
		r.proseB++
	}
	return r
}

// either returns the node that a pair has.
func either(p pair) *node {
	if p.a != nil {
		return p.a
	}
	return p.b
}

// same reports whether two sequences are the same skeleton.
func same(a, b []*node) bool {
	a, b = parts(a), parts(b)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].whole != b[i].whole {
			return false
		}
	}
	return true
}

// parts returns a sequence without prose.
func parts(seq []*node) []*node {
	var out []*node
	for _, n := range seq {
		if n.kind != prose {
			out = append(out, n)
		}
	}
	return out
}

// pairLinks notes the links of two sequences that are the same.
func (c *comparison) pairLinks(a, b []*node) {
	a, b = parts(a), parts(b)
	for i := range a {
		if a[i].kind == link {
			c.links = append(c.links, pair{a[i], b[i]})
		}
		c.pairLinks(a[i].kids, b[i].kids)
	}
}

// nodes compares two nodes that are the same part of the page.
func (c *comparison) nodes(a, b *node) {
	if a.whole == b.whole {
		c.pairLinks([]*node{a}, []*node{b})
		return
	}
	switch {
	case (a.kind == link || a.kind == image) && (c.gone(a) || c.gone(b)):
		return // the rule link says so
	case a.kind == code && a.key == b.key:
		c.code(a, b)
	case a.key != b.key && a.leadsAs(b):
		c.add(b.line, "%s as in %s:%d, which is not of this page's language", b.text, c.pathA, a.line)
	case a.key != b.key, a.count != b.count:
		c.add(b.line, "%s where %s:%d has %s%s", b.text, c.pathA, a.line, a.text, c.odd(a, b))
	}
	if a.kind != code {
		c.sequences(a.kids, b.kids, b, a.count != b.count)
	}
}

// leadsAs reports whether two links read alike, though they ought to lead to different
// pages.
func (n *node) leadsAs(o *node) bool {
	return (n.kind == link || n.kind == image) && n.kind == o.kind && n.text == o.text
}

// gone reports whether a link leads to a file that is not there.
func (c *comparison) gone(n *node) bool {
	if n.path == "" {
		return false
	}
	_, err := c.settings.Disk.Stat(c.settings.Abs(n.path))
	return err != nil
}

// odd names the first item or row that has no counterpart.
func (c *comparison) odd(a, b *node) string {
	if a.count == b.count {
		return ""
	}
	for _, p := range align(a.kids, b.kids) {
		switch {
		case p.b == nil:
			return fmt.Sprintf(" (nothing matches %s:%d)", c.pathA, p.a.line)
		case p.a == nil:
			return fmt.Sprintf(" (nothing matches line %d)", p.b.line)
		}
	}
	return ""
}

// code reports the first line of code that differs.
func (c *comparison) code(a, b *node) {
	i := 0
	for i < len(a.lines) && i < len(b.lines) && a.lines[i].text == b.lines[i].text {
		i++
	}
	switch {
	case i == len(b.lines):
		last := b.line
		if i > 0 {
			last = b.lines[i-1].line
		}
		c.add(last, "the code ends where %s:%d has %s", c.pathA, a.lines[i].line, excerpt(a.lines[i].text))
	case i == len(a.lines):
		last := a.line
		if i > 0 {
			last = a.lines[i-1].line
		}
		b.runs = true
		c.add(b.lines[i].line, "the code has %s where that of %s:%d ends", excerpt(b.lines[i].text), c.pathA, last)
	default:
		c.add(b.lines[i].line, "the code has %s where %s:%d has %s", excerpt(b.lines[i].text), c.pathA, a.lines[i].line, excerpt(a.lines[i].text))
	}
}

// excerpt is a line of code, cut to what a message can hold.
func excerpt(s string) string {
	const most = 60
	r := []rune(strings.TrimRight(s, " \t"))
	if len(r) == 0 {
		return "an empty line"
	}
	if len(r) > most {
		return "`" + string(r[:most]) + "…`"
	}
	return "`" + string(r) + "`"
}
