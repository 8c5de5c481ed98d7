package page

import (
	"html"
	"strings"
)

// id is an anchor and the offset of the tag that defines it.
type id struct {
	name   string
	offset int
}

// scanIDs returns the anchors that start tags in a piece of HTML define. Comments,
// declarations, closing tags and the content of script, style, textarea and title
// elements define none, nor does a tag that is never closed.
func scanIDs(s string) []id {
	var ids []id
	for pos := 0; ; {
		i := strings.IndexByte(s[pos:], '<')
		if i < 0 {
			return ids
		}
		pos += i
		rest := s[pos:]
		switch {
		case strings.HasPrefix(rest, "<!--"):
			pos += skipComment(rest)
		case strings.HasPrefix(rest, "<!"), strings.HasPrefix(rest, "<?"):
			pos += skipPast(rest, ">")
		case len(rest) > 1 && isLetter(rest[1]):
			t, n, ok := scanTag(rest)
			if !ok {
				return ids
			}
			for _, name := range t.anchors() {
				ids = append(ids, id{name, pos})
			}
			pos += n
			if t.isRawText() {
				pos += skipToClosing(s[pos:], t.name)
			}
		case len(rest) > 2 && rest[1] == '/' && isLetter(rest[2]):
			_, n, ok := scanTag("<" + rest[2:])
			if !ok {
				return ids
			}
			pos += n + 1
		default:
			pos++
		}
	}
}

// tag is a start tag; its name and attribute names are in lower case.
type tag struct {
	name  string
	attrs map[string]string
}

func (t tag) anchors() []string {
	var names []string
	if v := t.attrs["id"]; v != "" {
		names = append(names, v)
	}
	if v := t.attrs["name"]; v != "" && t.name == "a" && v != t.attrs["id"] {
		names = append(names, v)
	}
	return names
}

func (t tag) isRawText() bool {
	switch t.name {
	case "script", "style", "textarea", "title":
		return true
	}
	return false
}

// scanTag reads the tag that s starts with and returns the number of its bytes.
// The result is false when the tag does not end.
func scanTag(s string) (tag, int, bool) {
	c := cursor{s: s, pos: 1}
	t := tag{name: strings.ToLower(c.until(" \t\n\f/>")), attrs: make(map[string]string)}
	for {
		c.skip(" \t\n\f/")
		if c.done() {
			return tag{}, 0, false
		}
		if c.accept('>') {
			return t, c.pos, true
		}
		start := c.pos
		c.accept('=') // at this place it is the first letter of a name
		c.until(" \t\n\f/>=")
		name := strings.ToLower(s[start:c.pos])
		value, ok := c.value()
		if !ok {
			return tag{}, 0, false
		}
		if _, ok := t.attrs[name]; !ok {
			t.attrs[name] = html.UnescapeString(value)
		}
	}
}

// cursor is a position in a string.
type cursor struct {
	s   string
	pos int
}

func (c *cursor) done() bool { return c.pos >= len(c.s) }

func (c *cursor) accept(b byte) bool {
	if c.done() || c.s[c.pos] != b {
		return false
	}
	c.pos++
	return true
}

func (c *cursor) skip(set string) {
	for !c.done() && strings.IndexByte(set, c.s[c.pos]) >= 0 {
		c.pos++
	}
}

func (c *cursor) until(set string) string {
	start := c.pos
	for !c.done() && strings.IndexByte(set, c.s[c.pos]) < 0 {
		c.pos++
	}
	return c.s[start:c.pos]
}

// value reads an attribute value with its equals sign, if there is one. The
// result is false when a quote is not closed.
func (c *cursor) value() (string, bool) {
	const space = " \t\n\f"
	c.skip(space)
	if !c.accept('=') {
		return "", true
	}
	c.skip(space)
	for _, q := range []byte{'"', '\''} {
		if c.accept(q) {
			v := c.until(string(q))
			return v, c.accept(q)
		}
	}
	return c.until(space + ">"), true
}

func skipComment(s string) int {
	for _, short := range []string{"<!-->", "<!--->"} {
		if strings.HasPrefix(s, short) {
			return len(short)
		}
	}
	return skipPast(s, "-->")
}

// skipPast returns the offset behind the first mark in s, or the end of s.
func skipPast(s, mark string) int {
	if i := strings.Index(s, mark); i >= 0 {
		return i + len(mark)
	}
	return len(s)
}

// skipToClosing returns the offset of the closing tag of a raw text element, or
// the end of s.
func skipToClosing(s, name string) int {
	for i := range s {
		rest, ok := strings.CutPrefix(s[i:], "</")
		if ok && len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
			return i
		}
	}
	return len(s)
}

func isLetter(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z'
}
