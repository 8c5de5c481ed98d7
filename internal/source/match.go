package source

import (
	"bytes"
	"go/build"
	"io"
	"strings"

	"github.com/agentplan/sdk/internal/settings"
)

// matcher decides which files the configured build sees, by the rules of go/build. It is
// for use by one goroutine at a time.
type matcher struct {
	build build.Context
	known map[[2]string]bool
}

func newMatcher(s *settings.Settings) *matcher {
	bc := build.Default
	bc.GOOS, bc.GOARCH, bc.CgoEnabled, bc.BuildTags = s.GOOS, s.GOARCH, s.Cgo, s.Tags
	return &matcher{build: bc, known: map[[2]string]bool{}}
}

// match reports whether the name and the constraints of a file let the build see it. The
// import of C is the caller's to judge. What go/build cannot read is an error.
func (m *matcher) match(base string, src []byte) (bool, error) {
	_, suffix, _ := strings.Cut(base, "_")
	suffix, _, _ = strings.Cut(suffix, ".")
	head := constraints(src)
	key := [2]string{suffix, string(head)}
	if match, ok := m.known[key]; ok {
		return match, nil
	}
	m.build.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(head), strings.NewReader("\npackage p\n"))), nil
	}
	match, err := m.build.MatchFile(".", "x_"+suffix+".go")
	if err == nil {
		m.known[key] = match
	}
	return match, err
}

// constraints is the source before the package clause if it may hold build constraints.
func constraints(src []byte) []byte {
	end := packageClause(src)
	if !bytes.Contains(src[:end], []byte("build")) {
		return nil
	}
	return src[:end]
}

// packageClause is where the first word of the source stands that is in no comment.
func packageClause(src []byte) int {
	pos := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	for pos < len(src) {
		rest := src[pos:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			pos++
		case bytes.HasPrefix(rest, []byte("//")):
			pos += endOf(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			pos += endOf(rest, "*/")
		default:
			return pos
		}
	}
	return pos
}

// endOf is where a text ends for the first time, or the end of the source.
func endOf(src []byte, text string) int {
	if i := bytes.Index(src, []byte(text)); i >= 0 {
		return i + len(text)
	}
	return len(src)
}
