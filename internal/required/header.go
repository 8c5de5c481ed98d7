package required

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// errHeader is what is wrong with a file whose imports cannot be told by a glance.
var errHeader = errors.New("the imports cannot be told")

// reader reads how Go files begin, into memory that it uses again.
type reader struct{ buf []byte }

// header is how a file begins: up to its imports and a little more. Its text is good until
// the next call.
func (r *reader) header(name string) (src []byte, h Header, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, h, err
	}
	defer f.Close()
	if r.buf == nil {
		r.buf = make([]byte, 8<<10)
	}
	for n := 0; ; {
		m, err := io.ReadFull(f, r.buf[n:])
		n += m
		whole := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !whole {
			return nil, h, err
		}
		h, ok := Scan(r.buf[:n], whole)
		if ok {
			return r.buf[:n], h, nil
		}
		if whole {
			return nil, h, errHeader
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
}

// Header is what a Go file says before its declarations.
type Header struct {
	Package string   // the name of its package clause
	Imports []string // import paths
}

// Scan reads the header of a file of which the beginning is given, or all of it. It is not
// ok where the text is no plain Go source, or does not reach beyond the imports.
func Scan(src []byte, whole bool) (h Header, ok bool) {
	s := scan{src: bytes.TrimPrefix(src, []byte("\ufeff")), whole: whole}
	if s.word() != "package" {
		return h, false
	}
	if h.Package = s.word(); h.Package == "" {
		return h, false
	}
	for s.space(); s.pos < len(s.src) && s.src[s.pos] == 'i'; s.space() {
		if s.word() != "import" {
			return h, false
		}
		if s.space(); s.pos == len(s.src) || s.src[s.pos] != '(' {
			if !s.spec(&h.Imports) {
				return h, false
			}
			continue
		}
		s.pos++
		for s.space(); s.pos < len(s.src) && s.src[s.pos] != ')'; s.space() {
			if !s.spec(&h.Imports) {
				return h, false
			}
		}
		if s.pos == len(s.src) {
			return h, false
		}
		s.pos++
	}
	return h, !s.bad && (s.whole || s.pos+len("import") < len(s.src))
}

// scan goes through the beginning of a Go file.
type scan struct {
	src   []byte
	pos   int
	whole bool
	bad   bool // a comment does not end
}

// space passes over white space, semicolons and comments.
func (s *scan) space() {
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n;"), rest[0]) >= 0:
			s.pos++
		case bytes.HasPrefix(rest, []byte("//")):
			s.past(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			s.past(rest, "*/")
		default:
			return
		}
	}
}

// past passes over a comment.
func (s *scan) past(rest []byte, end string) {
	if i := bytes.Index(rest[2:], []byte(end)); i >= 0 {
		s.pos += 2 + i + len(end)
		return
	}
	s.bad = s.bad || !s.whole || end != "\n"
	s.pos = len(s.src)
}

// word is the next word, or "".
func (s *scan) word() string {
	s.space()
	from := s.pos
	for s.pos < len(s.src) && isWord(s.src[s.pos]) {
		s.pos++
	}
	return string(s.src[from:s.pos])
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// spec passes over one import and adds its path.
func (s *scan) spec(paths *[]string) bool {
	s.space()
	if s.pos < len(s.src) && s.src[s.pos] == '.' {
		s.pos++
	} else {
		s.word()
	}
	s.space()
	if s.pos == len(s.src) {
		return false
	}
	quote := s.src[s.pos]
	if quote != '"' && quote != '`' {
		return false
	}
	i := bytes.IndexByte(s.src[s.pos+1:], quote)
	if i < 0 {
		return false
	}
	path := s.src[s.pos+1 : s.pos+1+i]
	if bytes.ContainsAny(path, "\\\r\n") {
		return false
	}
	*paths = append(*paths, string(path))
	s.pos += i + 2
	return true
}
