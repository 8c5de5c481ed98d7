// Package page finds the generated regions of a hand-written Markdown page and
// replaces what stands in them, leaving every other byte of the page alone.
//
// What is a marker and what is only text is decided on the syntax tree that
// goldmark builds, so code blocks, comments, front matter and prose may say
// whatever they like.
package page

import (
	"bytes"
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

	text  text
	spans []span // parallel to Regions
	ids   func() map[string]int
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

// span holds the indexes of the marker lines of one region.
type span struct{ begin, end int }

// holds reports whether a line lies on or between the markers.
func (s span) holds(line int) bool { return s.begin <= line && line <= s.end }

// Parse reads one page. Faults of markers are not errors, they are
// [Page.Problems]; the only errors are about bytes that are not UTF-8. Errors do
// not know the path of the page.
func Parse(src []byte) (*Page, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	p := &Page{text: newText(src)}
	found := scanText(p.text)
	pairs, problems := match(found.markers)
	p.Problems = problems
	for _, pair := range pairs {
		p.spans = append(p.spans, span{pair.begin.line, pair.end.line})
		p.Regions = append(p.Regions, Region{
			Line:      pair.begin.line + 1,
			End:       pair.end.line + 1,
			Selectors: pair.begin.selectors,
		})
	}
	p.setLevels(pairs, found.headings)
	p.ids = sync.OnceValue(func() map[string]int {
		return p.anchors(scanWith(p.text, true).raw)
	})
	return p, nil
}

// FrontMatter returns the number of lines that YAML or TOML front matter takes at the start
// of the page.
func (p *Page) FrontMatter() int { return p.text.frontMatter() }

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
	i := sort.Search(len(p.spans), func(i int) bool { return p.spans[i].end >= line })
	return i < len(p.spans) && p.spans[i].holds(line)
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
	return string(p.text.norm[p.text.at[s.begin+1]:p.text.at[s.end]])
}

// Has reports whether region i has the body already: whether [Page.Splice] with it would
// change nothing there.
func (p *Page) Has(i int, body string) bool {
	s := p.spans[i]
	begin := p.text.lines[s.begin]
	have := p.text.src[begin.next:p.text.lines[s.end].start]
	return string(have) == withEnding(body, string(p.text.src[begin.end:begin.next]))
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
	src, lines := p.text.src, p.text.lines
	pos := 0
	for i, s := range p.spans {
		body, ok := bodies[i]
		if !ok {
			continue
		}
		begin := lines[s.begin]
		out.Write(src[pos:begin.next])
		out.WriteString(withEnding(body, string(src[begin.end:begin.next])))
		pos = lines[s.end].start
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
