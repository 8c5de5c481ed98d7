package markdown

import (
	"html"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Tag is one tag of raw HTML.
type Tag struct {
	Name    string // in lower case
	Closing bool
	Attrs   map[string]string // by names in lower case; the first of a name counts
	Offset  int               // of the tag in the HTML
	End     int               // of the text behind it
}

var (
	tagStart  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^</?[A-Za-z][^\s/>]*`) })
	attribute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>][^\s>]*)?)?`)
	})
)

// Tags reads the tags of a piece of HTML. Comments, declarations and what stands in
// script, style, textarea and title elements hold none, and a tag that does not end is
// none.
func Tags(s string) []Tag {
	var tags []Tag
	for pos := 0; ; {
		i := strings.IndexByte(s[pos:], '<')
		if i < 0 {
			return tags
		}
		pos += i
		rest := s[pos:]
		switch {
		case strings.HasPrefix(rest, "<!-->"), strings.HasPrefix(rest, "<!--->"):
			pos += strings.IndexByte(rest, '>') + 1
		case strings.HasPrefix(rest, "<!--"):
			pos += past(rest, "-->")
		case strings.HasPrefix(rest, "<!"), strings.HasPrefix(rest, "<?"):
			pos += past(rest, ">")
		default:
			tag, n := readTag(rest)
			if n == 0 {
				pos++
				continue
			}
			tag.Offset, tag.End = pos, pos+n
			tags = append(tags, tag)
			pos += n
			if !tag.Closing && isRawText(tag.Name) {
				pos += toClosing(s[pos:], tag.Name)
			}
		}
	}
}

// readTag reads the tag that s starts with and returns the number of its bytes, 0 where
// there is none.
func readTag(s string) (Tag, int) {
	start := tagStart().FindString(s)
	if start == "" {
		return Tag{}, 0
	}
	t := Tag{Attrs: map[string]string{}}
	t.Name = strings.ToLower(strings.TrimLeft(start, "</"))
	t.Closing = start[1] == '/'
	pos := len(start)
	for {
		m := attribute().FindStringSubmatch(s[pos:])
		if m == nil {
			break
		}
		pos += len(m[0])
		name, value := strings.ToLower(m[1]), m[2]
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : len(value)-1]
		}
		if _, ok := t.Attrs[name]; !ok {
			t.Attrs[name] = html.UnescapeString(value)
		}
	}
	rest := strings.TrimLeft(s[pos:], " \t\n\f/")
	if !strings.HasPrefix(rest, ">") {
		return Tag{}, 0
	}
	return t, len(s) - len(rest) + 1
}

func past(s, mark string) int {
	if i := strings.Index(s, mark); i >= 0 {
		return i + len(mark)
	}
	return len(s)
}

func isRawText(name string) bool {
	switch name {
	case "script", "style", "textarea", "title":
		return true
	}
	return false
}

func toClosing(s, name string) int {
	for i := range s {
		rest, ok := strings.CutPrefix(s[i:], "</")
		if ok && len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
			return i
		}
	}
	return len(s)
}

// HTML is the raw HTML of one block, or of one tag or comment in prose.
type HTML struct {
	Text  string
	doc   *Doc
	parts []part
}

// part says at which offset of the page the text of an HTML goes on.
type part struct{ offset, source int }

// Line returns the line of an offset of the text.
func (h HTML) Line(offset int) int {
	i := sort.Search(len(h.parts), func(i int) bool { return h.parts[i].offset > offset })
	return h.doc.Line(h.parts[i-1].source)
}

// HTML returns the raw HTML of a node; it is empty for a node of another kind.
func (d *Doc) HTML(n ast.Node) HTML {
	h := HTML{doc: d}
	var segments []text.Segment
	switch n := n.(type) {
	case *ast.RawHTML:
		segments = n.Segments.Sliced(0, n.Segments.Len())
	case *ast.HTMLBlock:
		segments = append(segments, n.Lines().Sliced(0, n.Lines().Len())...)
		if n.HasClosure() {
			segments = append(segments, n.ClosureLine)
		}
	}
	var b strings.Builder
	for _, s := range segments {
		h.parts = append(h.parts, part{b.Len(), s.Start})
		b.Write(d.Source[s.Start:s.Stop])
	}
	h.Text = b.String()
	return h
}
