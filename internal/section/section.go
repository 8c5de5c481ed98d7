// Package section yields the sections of a page: what a translator keeps in step and a
// confirmation is about.
//
// A section is a top-level heading with everything up to the next one, whatever their
// levels, or what stands before the first heading. Front matter belongs to none, and the
// bodies of generated regions and of quoted declarations are left out: only people change
// the bytes of a section.
package section

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"sort"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/slug"
)

// Section is one section of a page in one language.
type Section struct {
	// Heading is false for what stands before the first heading.
	Heading bool
	// Title is the text of the heading as a reader sees it.
	Title string
	// ID is the explicit anchor in the heading or right before it; mostly empty.
	ID string
	// Line is the line of the heading, else the first line that is not blank.
	Line int
	// Text is what people wrote, in a form that only they can change: lines end with
	// LF, without white space before it, without blank lines at both ends, without the
	// bodies of generated regions and without comments that tell what a block is about.
	Text string
	// Lines holds the line in the page of each line of Text.
	Lines []int
	// Blocks are the paragraphs, lists, tables, fences and other blocks below the
	// heading, in order. Comments are none.
	Blocks []Block
	// Abouts are the comments that start with the word about, in order.
	Abouts []About

	start, end int // indexes of its lines; end is behind the last one
}

// Block is one block of a section and the lines that it takes.
type Block struct{ Line, End int }

// About is a comment that says, or may be meant to say, what source a block describes.
type About struct {
	// Line is the line of the comment.
	Line int
	// Words are the words behind about.
	Words []string
	// Block is the index of the block that the comment stands before, and -1 where
	// Fault is set.
	Block int
	// Fault tells why the comment has no effect where it stands, with a remedy.
	Fault string
}

// Blank reports whether the section has no text at all.
func (s *Section) Blank() bool { return s.Text == "" }

// Sum is the hash by which git would know a file with the section's text.
func (s *Section) Sum() string { return BlobSum(s.Text) }

// BlobSum is the hash by which git knows a file with this content, in hexadecimal.
func BlobSum(text string) string {
	h := sha1.New()
	h.Write([]byte("blob " + strconv.Itoa(len(text)) + "\x00" + text))
	return hex.EncodeToString(h.Sum(nil))
}

// Parse returns the sections of a page. The first one stands before any heading; it is
// there even if it is blank.
func Parse(p *page.Page) []*Section {
	text := p.Outside()
	d := &document{page: p, text: text, src: bytes.TrimSuffix(text.Bytes(), []byte("\n")), markers: map[int]bool{}, quoted: map[int]bool{}}
	for _, r := range p.Regions {
		d.markers[r.Line-1], d.markers[r.End-1] = true, true
	}
	d.read()
	sections := d.cut()
	for _, s := range sections {
		d.fill(s)
	}
	return sections
}

// Names returns the anchors that sections are known by, from those of the language that
// gives them: the explicit anchor, or the one that GitHub makes of the heading, each
// once on a page, and "section" where nothing of the heading is left. The section before
// the first heading has the empty name.
func Names(sections []*Section) []string {
	var named slug.Page
	names := make([]string, len(sections))
	for i, s := range sections {
		if s.Heading && s.ID != "" {
			names[i] = named.Take(s.ID)
		}
	}
	for i, s := range sections {
		if s.Heading && s.ID == "" {
			names[i] = named.Take(cmp.Or(slug.Of(strings.TrimSpace(s.Title)), "section"))
		}
	}
	return names
}

// document is a page under the eyes of goldmark.
type document struct {
	page  *page.Page
	text  *page.Text // without the bodies of regions
	src   []byte     // what goldmark sees: the text without its last line ending
	nodes []node
	inner []inner // comments that are no child of the document

	markers map[int]bool // indexes of the lines that are markers of regions
	quoted  map[int]bool // indexes of the lines of declarations that fences quote
}

// node is a child of the document outside of region bodies.
type node struct {
	ast.Node
	line    int // index of its first line
	words   []string
	isAbout bool
}

// inner is a comment about something in a place where it has no effect.
type inner struct {
	line  int
	words []string
}

// lineAt returns the index of the line of an offset in src.
func (d *document) lineAt(offset int) int { return d.text.Line(offset) - 1 }

// line returns a line that is in no body, by its index.
func (d *document) line(i int) string { return string(d.text.At(i + 1)) }

// read parses the text. The blocks are enough for nearly every page, and inlines are what
// takes the time.
func (d *document) read() {
	if len(d.src) == 0 {
		return
	}
	root := parse(d.src, nil)
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		at := position(n)
		if at < 0 {
			continue
		}
		added := node{Node: n, line: d.lineAt(at)}
		added.words, added.isAbout = aboutWords(htmlText(n, d.src))
		d.nodes = append(d.nodes, added)
		d.quote(n)
	}
	if mayHoldInner(d.src) {
		d.readInner()
	}
}

// quote notes the lines of a fence that quotes a declaration, behind the one that names it:
// gen-catalog writes them, so like the body of a region they are nobody's to confirm.
func (d *document) quote(n ast.Node) {
	fence, ok := n.(*ast.FencedCodeBlock)
	if !ok || string(fence.Language(d.src)) != "go" || fence.Lines().Len() == 0 {
		return
	}
	lines := fence.Lines()
	first := lines.At(0)
	if !strings.HasPrefix(string(first.Value(d.src)), "// from ") {
		return
	}
	for i := 1; i < lines.Len(); i++ {
		d.quoted[d.lineAt(lines.At(i).Start)] = true
	}
}

// parse parses Markdown with tables: its blocks, and what inlines the parsers know.
func parse(src []byte, inlines []util.PrioritizedValue) ast.Node {
	transformers := append(parser.DefaultParagraphTransformers(), util.Prioritized(extension.NewTableParagraphTransformer(), 200))
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(transformers...),
	).Parse(gmtext.NewReader(src))
}

// position is the offset at which a block starts. That of a table may be the start of a
// paragraph right before it.
func position(n ast.Node) int {
	if n.Kind() == extast.KindTable && n.FirstChild() != nil && n.FirstChild().Pos() >= 0 {
		return n.FirstChild().Pos()
	}
	return n.Pos()
}

// mayHoldInner reports whether a comment about something does not start its line.
func mayHoldInner(src []byte) bool {
	for pos := 0; ; {
		i := bytes.Index(src[pos:], []byte("<!--"))
		if i < 0 {
			return false
		}
		pos += i
		atStart := pos == 0 || src[pos-1] == '\n'
		pos += len("<!--")
		if !atStart && bytes.HasPrefix(bytes.TrimLeft(src[pos:], " \t\n"), []byte("about")) {
			return true
		}
	}
}

// readInner finds comments about something that are no child of the document.
func (d *document) readInner() {
	// The walker never fails, so neither does the walk.
	_ = ast.Walk(parse(d.src, parser.DefaultInlineParsers()), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		text, at := "", 0
		switch n := n.(type) {
		case *ast.HTMLBlock:
			if n.Parent().Kind() == ast.KindDocument {
				return ast.WalkContinue, nil
			}
			text, at = htmlText(n, d.src), n.Pos()
		case *ast.RawHTML:
			text, at = string(n.Segments.Value(d.src)), n.Segments.At(0).Start
		}
		if words, ok := aboutWords(text); ok && at >= 0 {
			d.inner = append(d.inner, inner{d.lineAt(at), words})
		}
		return ast.WalkContinue, nil
	})
}

// body returns the index of the END marker of the region between whose markers a line
// stands. The result is false for other lines.
func (d *document) body(line int) (int, bool) {
	regions := d.page.Regions
	i := sort.Search(len(regions), func(i int) bool { return regions[i].End > line })
	if i < len(regions) && regions[i].Line < line+1 && line+1 < regions[i].End {
		return regions[i].End - 1, true
	}
	return 0, false
}

func (d *document) isMarker(line int) bool { return d.markers[line] }

// cut makes a section of each heading. One begins with the anchor right before its
// heading.
func (d *document) cut() []*Section {
	sections := []*Section{{start: d.page.FrontMatter()}}
	for i, n := range d.nodes {
		if _, ok := n.Node.(*ast.Heading); !ok {
			continue
		}
		raw := string(n.Lines().Value(d.src))
		s := &Section{Heading: true, Title: plainText(raw), Line: n.line + 1, start: n.line}
		before := i > 0 && isAnchor(d.nodes[i-1], d.src)
		if before {
			s.start = d.nodes[i-1].line
		}
		if before || strings.Contains(raw, "<") {
			s.ID = d.explicitID(s.start, n.line)
		}
		sections[len(sections)-1].end = s.start
		sections = append(sections, s)
	}
	sections[len(sections)-1].end = d.text.Lines()
	return sections
}

// explicitID is the anchor that lines define; the last one stands next to the heading.
func (d *document) explicitID(from, to int) string {
	best, line, column := "", -1, -1
	for id, l := range d.page.IDs() {
		if l--; l < from || l > to {
			continue
		}
		c := strings.Index(d.line(l), id)
		if l > line || l == line && (c > column || c == column && id > best) {
			best, line, column = id, l, c
		}
	}
	return best
}
