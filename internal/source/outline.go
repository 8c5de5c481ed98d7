package source

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
)

// ParseOutline parses a file whose function bodies are of no interest, and are empty in
// the result: a third of the time and of the memory of a whole parse. The bodies in src
// are overwritten with white space, so positions stay. What does not parse is missing
// from the result, which is nil where not even the package clause does.
func ParseOutline(fset *token.FileSet, name string, src []byte, mode parser.Mode) *ast.File {
	blankBodies(src)
	f, _ := parser.ParseFile(fset, name, src, mode|parser.SkipObjectResolution)
	return f
}

// blankBodies overwrites the bodies of the functions that are declared at the start of a
// line. Source that does not end where a body should stays as it is from there.
func blankBodies(src []byte) {
	s := outline{src: src}
	for s.pos < len(src) {
		if (s.pos == 0 || src[s.pos-1] == '\n') && bytes.HasPrefix(src[s.pos:], []byte("func ")) {
			if !s.blankFunc() {
				return
			}
			continue
		}
		s.skip()
	}
}

// outline walks over Go source by its brackets alone.
type outline struct {
	src []byte
	pos int
}

// blankFunc passes over a function declaration and blanks its body.
func (s *outline) blankFunc() bool {
	depth := 0
	s.pos += len("func ")
	for word := ""; s.pos < len(s.src); {
		switch c := s.src[s.pos]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == '\n' && depth == 0:
			return true // it has no body
		case c == '{':
			from := s.pos + 1
			if !s.skipBraces() {
				return false
			}
			if depth == 0 && word != "struct" && word != "interface" {
				blank(s.src[from : s.pos-1])
				return true
			}
			word = ""
			continue
		case isLetter(c):
			start := s.pos
			for s.pos < len(s.src) && isLetter(s.src[s.pos]) {
				s.pos++
			}
			word = string(s.src[start:s.pos])
			continue
		}
		if c := s.src[s.pos]; c != ' ' && c != '\t' && c != '\n' {
			word = ""
		}
		s.skip()
	}
	return false
}

// skipBraces passes over what a brace opens, and its end.
func (s *outline) skipBraces() bool {
	depth := 0
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				s.pos++
				return true
			}
		}
		s.skip()
	}
	return false
}

// skip passes over one byte, or over a literal or comment whole.
func (s *outline) skip() {
	rest := s.src[s.pos:]
	switch rest[0] {
	case '`':
		s.to(rest, 1, "`")
	case '"', '\'':
		for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == rest[0] {
				s.pos += i + 1
				return
			}
		}
		s.pos++
	case '/':
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			if s.to(rest, 2, "\n"); s.src[s.pos-1] == '\n' {
				s.pos-- // the line ends, or the function has no body
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			s.to(rest, 2, "*/")
		default:
			s.pos++
		}
	default:
		s.pos++
	}
}

// to passes over everything up to the end of a text, or to the end of the source.
func (s *outline) to(rest []byte, from int, end string) {
	if i := bytes.Index(rest[from:], []byte(end)); i >= 0 {
		s.pos += from + i + len(end)
	} else {
		s.pos = len(s.src)
	}
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || '0' <= c && c <= '9' || c >= 0x80
}

func blank(body []byte) {
	for i, c := range body {
		if c != '\n' {
			body[i] = ' '
		}
	}
}
