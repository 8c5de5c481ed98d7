package source

import (
	"bytes"
	"go/ast"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// Verbatim returns the source between two positions of the file as it was written,
// after the doc comment, if there is one. Taken away are carriage returns, comment
// directives of any tool with the bare // line that only led to them, and the
// indentation of the first line; nothing else.
func (m *Module) Verbatim(f *File, doc *ast.CommentGroup, pos, end token.Pos) string {
	var out string
	if doc != nil {
		if out = m.cut(f, doc.Pos(), doc.End()); out != "" {
			out += "\n"
		}
	}
	return out + m.cut(f, pos, end)
}

// VerbatimDoc returns a doc comment alone, by the same rules.
func (m *Module) VerbatimDoc(f *File, doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	return m.cut(f, doc.Pos(), doc.End())
}

func (m *Module) cut(f *File, pos, end token.Pos) string {
	tf := m.Fset.File(pos)
	from, to := tf.Offset(pos), tf.Offset(min(end, f.AST.FileEnd))
	lineStart := bytes.LastIndexByte(f.Src[:from], '\n') + 1
	indent := f.Src[lineStart:from]
	if len(bytes.TrimSpace(indent)) > 0 {
		indent = nil
	}
	return cutText(f.Src[from:to], string(indent))
}

// line is one line of a cut with what the scanner knows of it.
type line struct {
	text      string
	inString  bool // it starts inside a raw string: its white space is content
	comment   bool // it is a // comment and nothing else
	directive bool // it is a comment directive and nothing else
}

// cutText applies the rules of Verbatim to a piece of source.
func cutText(src []byte, indent string) string {
	lines := markLines(src)
	var kept []string
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if l.directive {
			last := i
			for last+1 < len(lines) && lines[last+1].directive {
				last++
			}
			if atEnd := last+1 == len(lines) || !lines[last+1].comment || bare(lines[last+1].text); atEnd {
				for len(kept) > 0 && bare(kept[len(kept)-1]) {
					kept = kept[:len(kept)-1]
				}
			}
			i = last
			continue
		}
		text := l.text
		if i > 0 && !l.inString {
			text = strings.TrimPrefix(text, indent)
		}
		kept = append(kept, text)
	}
	return strings.Join(kept, "\n")
}

func bare(text string) bool { return strings.TrimSpace(text) == "//" }

// keepReturns gives block comments the text that they have in the file, carriage returns
// included. The parser drops those, and takes a comment to end as many bytes too early.
func (f *File) keepReturns(fset *token.FileSet) {
	if bytes.IndexByte(f.Src, '\r') < 0 {
		return
	}
	for _, g := range f.AST.Comments {
		for _, c := range g.List {
			if !strings.HasPrefix(c.Text, "/*") {
				continue
			}
			text := f.Src[fset.File(c.Slash).Offset(c.Slash):]
			if end := bytes.Index(text[2:], []byte("*/")); end >= 0 {
				c.Text = string(text[:2+end+2])
			}
		}
	}
}

var mayHoldDirective = regexp.MustCompile(`//[a-z0-9]+:[a-z0-9]`)

// markLines splits source into lines without line ends. A directive behind code is cut
// off here, with the white space before it.
func markLines(src []byte) []line {
	src = bytes.ReplaceAll(src, []byte("\r"), nil)
	parts := strings.Split(string(src), "\n")
	lines := make([]line, len(parts))
	for i, p := range parts {
		lines[i].text = p
	}
	if !bytes.Contains(src, []byte("`")) && !mayHoldDirective.Match(src) {
		return lines // nothing for the scanner to tell
	}
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return lines
		}
		at := file.PositionFor(pos, false)
		switch {
		case tok == token.STRING && lit[0] == '`':
			for i := range strings.Count(lit, "\n") {
				lines[at.Line+i].inString = true
			}
		case tok == token.COMMENT && strings.HasPrefix(lit, "//"):
			l := &lines[at.Line-1]
			before := l.text[:at.Column-1]
			alone := strings.TrimSpace(before) == ""
			l.comment = alone
			if IsDirective(lit) {
				l.directive = alone
				if !alone {
					l.text = strings.TrimRight(before, " \t")
				}
			}
		}
	}
}

// IsDirective reports whether a // comment is a directive of some tool by Go's rule: no
// space, a word of lower-case letters and digits, a colon and more.
func IsDirective(text string) bool {
	rest, ok := strings.CutPrefix(text, "//")
	if !ok {
		return false
	}
	word, after, ok := strings.Cut(rest, ":")
	if !ok || word == "" || after == "" || !lowerAlnum(rune(after[0])) {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool { return !lowerAlnum(r) }) < 0
}

func lowerAlnum(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }
