// Package markdown yields one page as a syntax tree whose nodes know their lines in the
// file: a byte order mark, front matter and the kind of line ending make no difference.
package markdown

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Doc is one parsed page. It is read-only and safe for concurrent use.
type Doc struct {
	// Root is the document behind the front matter.
	Root ast.Node

	norm  []byte // the page with LF line endings and without a byte order mark
	base  int    // offset in norm of what Root covers
	at    []int  // offset of each line in norm
	lines []line // of the page as it is on disk
}

// line gives the offsets of one line on disk: its text is src[start:end], its line ending
// src[end:next].
type line struct{ start, end, next int }

// Parse reads a page with the tables, task lists and autolinks of GitHub.
func Parse(src []byte) *Doc {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	return parse(src, md.Parser())
}

// ParseBlocks reads the blocks of a page without what stands in its paragraphs, which is
// what takes the time.
func ParseBlocks(src []byte) *Doc {
	return parse(src, parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	))
}

func parse(src []byte, p parser.Parser) *Doc {
	d := &Doc{}
	d.split(src)
	d.base = len(d.norm)
	if n := d.frontMatter(); n < len(d.at) {
		d.base = d.at[n]
	}
	d.Root = p.Parse(text.NewReader(d.norm[d.base:]))
	return d
}

// split fills the lines: they end with LF, CRLF or CR.
func (d *Doc) split(src []byte) {
	pos := 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		pos = len("\ufeff")
	}
	d.norm = make([]byte, 0, len(src))
	for pos < len(src) {
		l := line{start: pos, end: len(src), next: len(src)}
		if n := bytes.IndexAny(src[pos:], "\r\n"); n >= 0 {
			l.end = pos + n
			l.next = l.end + 1
			if bytes.HasPrefix(src[l.end:], []byte("\r\n")) {
				l.next++
			}
		}
		d.lines = append(d.lines, l)
		d.at = append(d.at, len(d.norm))
		d.norm = append(d.norm, src[l.start:l.end]...)
		if l.next > l.end {
			d.norm = append(d.norm, '\n')
		}
		pos = l.next
	}
}

// key recognizes the first line of YAML front matter that starts with an empty line.
var key = regexp.MustCompile(`^["']?[\pL_][^:]*:(\s|$)`)

// frontMatter is the number of lines that YAML or TOML front matter takes.
func (d *Doc) frontMatter() int {
	if len(d.at) == 0 {
		return 0
	}
	fence := strings.TrimRight(d.LineText(1), " \t")
	if fence != "---" && fence != "+++" {
		return 0
	}
	first := ""
	for n := 2; n <= len(d.at); n++ {
		l := strings.TrimRight(d.LineText(n), " \t")
		if l == fence || fence == "---" && l == "..." {
			return n
		}
		if first == "" && l != "" {
			if first = l; n > 2 && fence == "---" && !key.MatchString(first) {
				return 0
			}
		}
	}
	return 0
}

// Line is the line, counted from 1, of an offset that a node of Root has.
func (d *Doc) Line(offset int) int {
	return sort.SearchInts(d.at, d.base+offset+1)
}

// LineText is the text of a line, counted from 1, without its line ending.
func (d *Doc) LineText(n int) string {
	end := len(d.norm)
	if n < len(d.at) {
		end = d.at[n]
	}
	return strings.TrimSuffix(string(d.norm[d.at[n-1]:end]), "\n")
}

// Before is what stands before an offset on its line, such as the indentation of a list
// or the > of a quote.
func (d *Doc) Before(offset int) string {
	return string(d.norm[d.at[d.Line(offset)-1] : d.base+offset])
}

// Value is the text of a segment of a node.
func (d *Doc) Value(seg text.Segment) []byte { return seg.Value(d.norm[d.base:]) }

// Source is the text that the offsets of nodes count in.
func (d *Doc) Source() []byte { return d.norm[d.base:] }

// Bytes are the offsets on disk at which a line, counted from 1, starts, ends and is
// followed by the next. One past the last line is an empty line at the end of the file.
func (d *Doc) Bytes(n int) (start, end, next int) {
	if n > len(d.lines) {
		last := 0
		if len(d.lines) > 0 {
			last = d.lines[len(d.lines)-1].next
		}
		return last, last, last
	}
	l := d.lines[n-1]
	return l.start, l.end, l.next
}
