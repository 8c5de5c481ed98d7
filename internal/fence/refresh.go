package fence

import (
	"bytes"
	"strings"

	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/source"
)

// Refresh returns the page with every stale fence that quotes a declaration brought up to
// date. Only the lines of text of those fences change; their indentation and line endings
// are kept. What cannot be mended, because the name does not exist or the text cannot
// stand in that fence, stays as it is. The regions are those of the page. Where nothing
// changes, src itself is returned.
func Refresh(mod *source.Module, src []byte, regions []page.Region) []byte {
	p := &pageFences{}
	p.read(src, regions)
	// From the last to the first, so that a change moves none of those still to come.
	for i := len(p.fences) - 1; i >= 0; i-- {
		b := p.fences[i]
		name, ok := b.quoted(mod)
		if !ok {
			continue
		}
		want, err := declaration(mod, name)
		if err != nil || b.quotedText() == want {
			continue
		}
		mended := p.replace(src, b, want)
		if holds(mended, b.line, want) {
			src = mended
		}
	}
	return src
}

// replace exchanges the lines of a fence behind its first one.
func (p *pageFences) replace(src []byte, b *block, want string) []byte {
	prefix := p.doc.Before(b.from)
	_, end, next := p.doc.Bytes(b.first)
	_, lastEnd, last := p.doc.Bytes(b.first + strings.Count(b.text, "\n") - 1)
	eol := string(src[end:next])
	var text strings.Builder
	if eol == "" { // the page ends here
		_, lineEnd, lineNext := p.doc.Bytes(b.line)
		eol = string(src[lineEnd:lineNext])
		text.WriteString(eol)
	}
	for line := range strings.Lines(want) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			text.WriteString(strings.TrimRight(prefix, " \t"))
		} else {
			text.WriteString(prefix + line)
		}
		text.WriteString(eol)
	}
	inner := text.String()
	if last == lastEnd {
		inner = strings.TrimSuffix(inner, eol)
	}
	return bytes.Join([][]byte{src[:next], []byte(inner), src[last:]}, nil)
}

// holds reports whether the fence that opens on the line of the page has the text.
func holds(src []byte, line int, want string) bool {
	p := &pageFences{}
	p.read(src, nil)
	for _, b := range p.fences {
		if b.line == line {
			return b.quotedText() == want
		}
	}
	return false
}
