package fence

import (
	"bytes"
	"strings"

	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/source"
)

// Refresh returns the page with every stale fence that quotes a declaration brought up to
// date. Only the lines of text of those fences change; their indentation and line endings
// are kept. What cannot be mended, because the name does not exist or the text cannot
// stand in that fence, stays as it is, and so does all that is generated. Where nothing
// changes, src itself is returned.
//
// The page is parsed anew, so its bytes may be those that the regions were just written
// to. A page that is not UTF-8, or whose markers are at fault, is not touched.
func Refresh(mod *source.Module, src []byte) []byte {
	if !bytes.Contains(src, []byte(fromPrefix)) {
		return src
	}
	regions, err := page.Parse(src)
	if err != nil || len(regions.Problems) > 0 {
		return src
	}
	p := &pageFences{doc: markdown.Parse(src)}
	p.find(func(line int) bool {
		for _, r := range regions.Regions {
			if r.Line <= line && line <= r.End {
				return true
			}
		}
		return false
	})
	// From the last to the first, so that a change moves none of those still to come.
	for i := len(p.fences) - 1; i >= 0; i-- {
		b := p.fences[i]
		name, ok := b.quoted(mod)
		if !ok {
			continue
		}
		want, err := declarationLike(mod, name, b.quotedText())
		if err != nil || b.quotedText() == want {
			continue
		}
		if mended := p.replace(src, b, want); holds(mended, b.line, want) {
			src = mended
		}
	}
	return src
}

// replace exchanges the lines of a fence behind its first one.
func (p *pageFences) replace(src []byte, b *block, want string) []byte {
	lines := rawLines(src)
	opening, first := lines[b.line-1], lines[b.first-1]
	last := lines[b.first-2+strings.Count(b.text, "\n")]
	lineStart := bytes.LastIndexByte(p.doc.Source[:b.from], '\n') + 1
	prefix := string(p.doc.Source[lineStart:b.from])
	eol := string(src[first.end:first.next])
	var text strings.Builder
	if eol == "" { // the page ends here
		eol = string(src[opening.end:opening.next])
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
	if last.next == last.end {
		inner = strings.TrimSuffix(inner, eol)
	}
	return bytes.Join([][]byte{src[:first.next], []byte(inner), src[last.next:]}, nil)
}

// rawLine gives the offsets of a line on disk: where its text starts and ends, and where
// the next line starts.
type rawLine struct{ start, end, next int }

// rawLines splits a page at LF, CRLF and lone CR.
func rawLines(src []byte) []rawLine {
	var out []rawLine
	for pos := 0; pos < len(src); {
		l := rawLine{start: pos, end: len(src), next: len(src)}
		if n := bytes.IndexAny(src[pos:], "\r\n"); n >= 0 {
			l.end = pos + n
			l.next = l.end + 1
			if bytes.HasPrefix(src[l.end:], []byte("\r\n")) {
				l.next++
			}
		}
		out = append(out, l)
		pos = l.next
	}
	return out
}

// holds reports whether the fence that opens on the line of the page has the text.
func holds(src []byte, line int, want string) bool {
	p := &pageFences{doc: markdown.Parse(src)}
	p.find(func(n int) bool { return n != line })
	return len(p.fences) == 1 && p.fences[0].quotedText() == want
}
