package page

import (
	"bytes"
	"maps"
	"regexp"
	"sync"
)

// Generated is what a scan of the lines between the markers of a page tells of it.
type Generated struct {
	// IDs are explicit anchors that are certainly there.
	IDs map[string]bool
	// All says that there are no others, and no definitions.
	All bool
	// Defines says that there may be definitions of references, with which the hand-written
	// text may mean something else than without them.
	Defines bool
}

// Generated scans what stands between the markers. It takes a small part of the time that a
// parse takes.
func (p *Page) Generated() Generated {
	g := Generated{IDs: map[string]bool{}, All: true}
	for _, b := range p.bodies() {
		found := idScan{ids: map[string]bool{}, start: true}
		scan := bodyScan{source: &p.source, visit: found.line}
		end, ok := scan.run(b.start)
		if !ok || end != b.end {
			g.All, g.Defines = false, true
			continue
		}
		found.line(nil)
		maps.Copy(g.IDs, found.ids)
		g.All = g.All && !found.others && !scan.defines
		g.Defines = g.Defines || scan.defines
	}
	return g
}

// idScan collects explicit anchors from the lines of a body that are in no fence.
type idScan struct {
	ids    map[string]bool
	others bool   // there may be anchors that are not among ids
	start  bool   // the next line starts a child of the document
	run    []byte // the lines since the last blank one, but for anchors
}

// setsID matches what a tag with an explicit anchor has.
var setsID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(id|name)\s*=`) })

func (s *idScan) line(text []byte) {
	switch {
	case len(bytes.Trim(text, " \t")) == 0:
		if bytes.IndexByte(s.run, '<') >= 0 && bytes.IndexByte(s.run, '=') >= 0 && setsID().Match(s.run) {
			s.others = true
		}
		s.run, s.start = s.run[:0], true
	case s.start && s.anchors(text):
		s.start = false
	default:
		s.start = false
		if inContainer(text) && bytes.IndexByte(text, '<') >= 0 {
			s.others = true // what it belongs to may go on behind a blank line
		}
		s.run = append(append(s.run, text...), '\n')
	}
}

// anchors reads a line of nothing but empty elements with an id, as regions have before
// each entry.
func (s *idScan) anchors(text []byte) bool {
	var ids []string
	for len(text) > 0 {
		rest, ok := bytes.CutPrefix(text, []byte("<a id=\""))
		id, rest, closed := bytes.Cut(rest, []byte("\"></a>"))
		if !ok || !closed || len(id) == 0 || bytes.ContainsAny(id, "\"<>&`\\") {
			return false
		}
		ids = append(ids, string(id))
		text = rest
	}
	for _, id := range ids {
		s.ids[id] = true
	}
	return true
}
