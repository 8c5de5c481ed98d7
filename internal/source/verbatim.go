package source

import (
	"bytes"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Verbatim returns the source between two positions of the file as it was written,
// after the doc comment, if there is one. Taken away are carriage returns, comment
// directives of any tool with the bare // line that only led to them, and the
// indentation of the first line; nothing else. The result may be memory of f.Src, and
// must not be changed.
func (m *Module) Verbatim(f *File, doc *ast.CommentGroup, pos, end token.Pos) []byte {
	tf := m.Fset.File(pos)
	offset := func(pos token.Pos) int { return tf.Offset(min(pos, f.AST.FileEnd)) }
	code := extent{offset(pos), offset(end)}
	if doc == nil {
		return f.cut(code)
	}
	comment := extent{offset(doc.Pos()), offset(doc.End())}
	head, body := f.cut(comment), f.cut(code)
	switch {
	case len(head) == 0:
		return body
	case len(head) == comment.len() && len(body) == code.len() && comment.to < code.from && string(f.Src[comment.to:code.from]) == "\n":
		return f.Src[comment.from:code.to:code.to]
	}
	return slices.Concat(head, []byte("\n"), body)
}

// extent is a part of a file by offsets.
type extent struct{ from, to int }

func (e extent) len() int { return e.to - e.from }

// cut applies the rules of Verbatim to a part of the file. What nothing is taken from is
// not copied.
func (f *File) cut(e extent) []byte {
	src := f.Src[e.from:e.to:e.to]
	indent := f.Src[bytes.LastIndexByte(f.Src[:e.from], '\n')+1 : e.from]
	if len(bytes.TrimSpace(indent)) > 0 {
		indent = nil
	}
	switch {
	case bytes.IndexByte(src, '\r') >= 0 || mayHoldDirective(src):
	case len(indent) == 0 || bytes.IndexByte(src, '\n') < 0:
		return src
	case bytes.IndexByte(src, '`') < 0:
		return bytes.ReplaceAll(src, append([]byte("\n"), indent...), []byte("\n"))
	}
	return []byte(cutText(src, string(indent)))
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

// mayHoldDirective reports whether source has what a comment directive begins with.
func mayHoldDirective(src []byte) bool {
	for {
		i := bytes.Index(src, []byte("//"))
		if i < 0 {
			return false
		}
		src = src[i+1:]
		n := 1
		for n < len(src) && lowerAlnum(rune(src[n])) {
			n++
		}
		if n > 1 && n+1 < len(src) && src[n] == ':' && lowerAlnum(rune(src[n+1])) {
			return true
		}
	}
}

// markLines splits source into lines without line ends. A directive behind code is cut
// off here, with the white space before it.
func markLines(src []byte) []line {
	src = bytes.ReplaceAll(src, []byte("\r"), nil)
	parts := strings.Split(string(src), "\n")
	lines := make([]line, len(parts))
	for i, p := range parts {
		lines[i].text = p
	}
	if !bytes.Contains(src, []byte("`")) && !mayHoldDirective(src) {
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
