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

// header is how a file begins: up to its imports and a little more. It is good until the
// next call.
func (r *reader) header(name string) (src []byte, imports []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
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
			return nil, nil, err
		}
		imports, ok := Imports(r.buf[:n], whole)
		if ok {
			return r.buf[:n], imports, nil
		}
		if whole {
			return nil, nil, errHeader
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
}

// Imports returns the import paths of a file of which the beginning is given, or all of
// it. It is not ok where the text is no plain Go source, or does not reach beyond the
// imports.
func Imports(src []byte, whole bool) (paths []string, ok bool) {
	s := scan{src: bytes.TrimPrefix(src, []byte("\ufeff")), whole: whole}
	if s.word() != "package" || s.word() == "" {
		return nil, false
	}
	for s.space(); s.pos < len(s.src) && s.src[s.pos] == 'i'; s.space() {
		if s.word() != "import" {
			return nil, false
		}
		if s.space(); s.pos == len(s.src) || s.src[s.pos] != '(' {
			if !s.spec(&paths) {
				return nil, false
			}
			continue
		}
		s.pos++
		for s.space(); s.pos < len(s.src) && s.src[s.pos] != ')'; s.space() {
			if !s.spec(&paths) {
				return nil, false
			}
		}
		if s.pos == len(s.src) {
			return nil, false
		}
		s.pos++
	}
	return paths, !s.bad && (s.whole || s.pos+len("import") < len(s.src))
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
