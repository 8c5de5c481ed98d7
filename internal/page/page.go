// Package page finds the generated regions of a hand-written Markdown page and
// replaces what stands in them, leaving every other byte of the page alone.
//
// What is a marker and what is only text is decided on the syntax tree that
// goldmark builds, so code blocks, comments, front matter and prose may say
// whatever they like.
package page

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"
)

// A Page is one parsed page. It is read-only after [Parse] and then safe for
// concurrent use.
type Page struct {
	// Regions are the well-formed regions, in the order of the page.
	Regions []Region
	// Problems are the faults of markers, by line; at most one on a line. A page
	// with problems should not be written: its regions may not be the ones that
	// the author meant.
	Problems []Problem

	source  source
	whole   bool   // no body was left out when the page was parsed
	spans   []span // parallel to Regions
	ids     func() map[string]int
	outside func() *Text
}

// A Region is a pair of markers and what stands between them.
type Region struct {
	// Line is the line of the BEGIN marker, counted from 1.
	Line int
	// End is the line of the END marker, counted from 1.
	End int
	// Selectors are the words after "catalog". Parse does not judge them, and
	// there may be none.
	Selectors []string
	// Level is the heading level for entries of this region: one below the last
	// top-level Markdown heading before it that is not itself in a region, 2
	// where there is none, and 6 at most.
	Level int
}

// A Problem is one fault in the markers of a page.
type Problem struct {
	// Line is the line of the faulty marker, counted from 1.
	Line int
	// Message tells what is wrong and, after a colon, what to do about it.
	Message string
}

// span holds the marker lines of one region.
type span struct{ begin, end line }

// Parse reads one page. Faults of markers are not errors, they are
// [Page.Problems]; the only errors are about bytes that are not UTF-8. Errors do
// not know the path of the page.
func Parse(src []byte) (*Page, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	p := &Page{source: newSource(src)}
	if !p.read(findBodies(&p.source)) {
		p.read(nil)
	}
	return p, nil
}

// Release forgets the text of the page and reports whether it did: that of a page without
// a region is kept. Until [Page.Restore] only the fields of a released page may be used.
func (p *Page) Release() bool {
	if p.whole {
		return false
	}
	p.source.src = nil
	return true
}

// Restore gives a page that was released its text back, the same as it was parsed from.
func (p *Page) Restore(src []byte) { p.source.src = src }

// read parses the page without some bodies. The result is false where they cannot be left
// out: where it is not certain that their BEGIN is a marker, that they are no part of
// another region, in which their headings would count, or where inlines are looked at,
// which what a body defines may change.
func (p *Page) read(bodies []body) bool {
	t := newText(&p.source, bodies)
	var found *scan
	if len(bodies) == 0 {
		found = scanText(t)
	} else if found = scanWith(t, false); found.doubtful {
		return false
	}
	pairs, problems := match(found.markers)
	if !areRegions(bodies, pairs) {
		return false
	}
	p.whole = len(bodies) == 0
	p.Problems = problems
	p.spans = t.spans(&p.source, pairs)
	for _, pair := range pairs {
		p.Regions = append(p.Regions, Region{
			Line:      pair.begin.line + 1,
			End:       pair.end.line + 1,
			Selectors: pair.begin.selectors,
		})
	}
	p.setLevels(pairs, found.headings)
	p.ids = sync.OnceValue(func() map[string]int {
		if t.defines {
			return p.anchors(scanWith(newText(&p.source, nil), true).raw)
		}
		return p.anchors(scanWith(t, true).raw)
	})
	p.outside = sync.OnceValue(func() *Text {
		if len(bodies) == len(p.spans) {
			return t
		}
		return newText(&p.source, p.bodies())
	})
	return true
}

// areRegions reports whether there is a pair of markers around every body.
func areRegions(bodies []body, pairs []pair) bool {
	for _, b := range bodies {
		i, ok := slices.BinarySearchFunc(pairs, b.begin, func(p pair, line int) int { return cmp.Compare(p.begin.line, line) })
		if !ok || pairs[i].end.line != b.begin+b.lines+1 {
			return false
		}
	}
	return true
}

// FrontMatter returns the number of lines that YAML or TOML front matter takes at the start
// of the page.
func (p *Page) FrontMatter() int { return p.source.front }

// Outside returns the hand-written text of the page: all but what stands between the markers
// of its regions.
func (p *Page) Outside() *Text { return p.outside() }

// bodies returns what stands between the markers of all regions.
func (p *Page) bodies() []body {
	bodies := make([]body, len(p.spans))
	for i, s := range p.spans {
		r := p.Regions[i]
		bodies[i] = body{begin: r.Line - 1, lines: r.End - r.Line - 1, start: s.begin.next, end: s.end.start}
	}
	return bodies
}

// setLevels derives the level of each region from the headings before it.
// Pairs and headings are in document order.
func (p *Page) setLevels(pairs []pair, headings []heading) {
	level, next := 1, 0
	for i, pair := range pairs {
		for ; next < len(headings) && headings[next].order < pair.begin.order; next++ {
			level = headings[next].level
		}
		for next < len(headings) && headings[next].order < pair.end.order {
			next++
		}
		p.Regions[i].Level = min(level+1, 6)
	}
}

func (p *Page) anchors(raw []rawHTML) map[string]int {
	ids := make(map[string]int)
	for _, r := range raw {
		for _, id := range scanIDs(r.text) {
			line := r.lineAt(id.offset)
			if first, ok := ids[id.name]; (!ok || line+1 < first) && !p.inRegion(line) {
				ids[id.name] = line + 1
			}
		}
	}
	return ids
}

func (p *Page) inRegion(line int) bool {
	i := sort.Search(len(p.Regions), func(i int) bool { return p.Regions[i].End > line })
	return i < len(p.Regions) && p.Regions[i].Line <= line+1
}

// IDs returns the explicit anchors of the hand-written part of the page, each
// with the line of the first tag that defines it: every id attribute, and the
// name attribute of a elements. Ids inside regions are not among them. The caller
// must not change the map.
func (p *Page) IDs() map[string]int { return p.ids() }

// Body returns what stands between the markers of region i, with each line
// ending mapped to LF. It panics where there is no region i.
func (p *Page) Body(i int) string {
	s := p.spans[i]
	return string(normalize(p.source.src[s.begin.next:s.end.start]))
}

// Has reports whether region i has the body already: whether [Page.Splice] with it would
// change nothing there.
func (p *Page) Has(i int, body string) bool {
	have, eol := p.raw(i)
	if eol != "\n" || strings.Contains(body, "\r") || !strings.HasSuffix(body, "\n") {
		body = withEnding(body, eol)
	}
	return string(have) == body
}

// Bytes returns what stands between the markers of region i, and whether it is lines that
// end with LF, so that [Page.Has] is true of the same bytes. The caller must not change them.
func (p *Page) Bytes(i int) (body []byte, ok bool) {
	have, eol := p.raw(i)
	ok = eol == "\n" && bytes.HasSuffix(have, []byte("\n")) && bytes.IndexByte(have, '\r') < 0
	return have, ok
}

// raw returns what stands between the markers of region i, and what ends its BEGIN marker.
func (p *Page) raw(i int) (body []byte, eol string) {
	s := p.spans[i]
	return p.source.src[s.begin.next:s.end.start], p.source.ending(s.begin)
}

// Splice returns the page with the bodies of some regions replaced; the keys are
// indexes of [Page.Regions], and a key without a region is ignored. A body is
// put between the marker lines as it is, blank lines included, with its line
// endings changed to the one that ends the BEGIN marker; only a missing last
// line ending is added, since the END marker needs a line of its own. Every byte
// outside of these bodies stays as it was.
//
// A region with mixed line endings is evened out even when its text is the same; see
// [Page.Has].
func (p *Page) Splice(bodies map[int]string) []byte {
	var out bytes.Buffer
	src := p.source.src
	pos := 0
	for i, s := range p.spans {
		body, ok := bodies[i]
		if !ok {
			continue
		}
		out.Write(src[pos:s.begin.next])
		out.WriteString(withEnding(body, p.source.ending(s.begin)))
		pos = s.end.start
	}
	out.Write(src[pos:])
	return out.Bytes()
}

// withEnding ends every line of body with eol.
func withEnding(body, eol string) string {
	if strings.Contains(body, "\r") {
		body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body)
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	if eol == "\n" {
		return body
	}
	return strings.ReplaceAll(body, "\n", eol)
}
