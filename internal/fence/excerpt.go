package fence

import (
	"bytes"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/agentplan/sdk/internal/source"
)

// excerpts tells which fences are parts of Go files of the tree. Those are compiled and
// tested where they come from, nested modules such as one of examples included, and may
// use what stands around them there.
type excerpts struct {
	mod   *source.Module
	files []sourceText // nil before the first use
}

// sourceText is a Go file with line ends as fences have them.
type sourceText struct {
	path string
	text []byte
}

// held returns those of some texts whose lines a file has, one after the other, at the
// start of a declaration.
func (e *excerpts) held(texts []string) map[string]bool {
	out := map[string]bool{}
	var wanted [256][]string // by the first byte
	for _, text := range texts {
		if strings.TrimSpace(text) != "" && text[0] != ' ' && text[0] != '\t' {
			wanted[text[0]] = append(wanted[text[0]], text)
		}
	}
	for _, f := range e.all() {
		for rest := f.text; len(rest) > 0; {
			for _, text := range wanted[rest[0]] {
				if len(rest) >= len(text) && string(rest[:len(text)]) == text {
					out[text] = true
				}
			}
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				break
			}
			rest = rest[i+1:]
		}
	}
	return out
}

// The share of lines that make a fence nearly a part of a file, and how many there must
// be: a few lines of any program are like those of another.
const (
	nearlyLines = 4
	nearlyShare = 0.7
)

// nearly names the file that a fence is a part of but for some lines, and the first line
// of the fence that the file does not have, counted from 1. Lines without a letter count
// for nothing. The path is empty where there is no such file.
func (e *excerpts) nearly(text string) (path string, line int) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	says := func(l string) bool { return strings.ContainsFunc(l, unicode.IsLetter) }
	total := 0
	for _, l := range lines {
		if says(l) {
			total++
		}
	}
	best := max(nearlyLines, int(math.Ceil(nearlyShare*float64(total))))
	for _, f := range e.all() {
		has := map[string]bool{}
		for l := range bytes.Lines(f.text) {
			has[string(bytes.TrimSpace(l))] = true
		}
		n, first := 0, 0
		for i, l := range lines {
			switch {
			case !says(l):
			case has[strings.TrimSpace(l)]:
				n++
			case first == 0:
				first = i + 1
			}
		}
		if n >= best && first > 0 && (path == "" || n > best) {
			best, path, line = n, f.path, first
		}
	}
	return path, line
}

// all are the Go files of the tree.
func (e *excerpts) all() []sourceText {
	if e.files == nil {
		e.read()
	}
	return e.files
}

func (e *excerpts) read() {
	e.files = []sourceText{}
	add := func(path string, src []byte) {
		if bytes.IndexByte(src, '\r') >= 0 {
			src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		}
		e.files = append(e.files, sourceText{path, src})
	}
	known := map[string]bool{}
	for _, f := range e.mod.Files {
		known[f.Path] = true
		add(f.Path, f.Src)
	}
	root := e.mod.Settings.Root
	// What cannot be read is no source of anything.
	_ = e.mod.Settings.Disk.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case err != nil:
			return nil
		case d.IsDir():
			if name != root && (base == "vendor" || base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(base, ".go") || known[e.mod.Settings.Rel(name)]:
			return nil
		}
		if src, err := e.mod.Settings.Disk.ReadFile(name); err == nil {
			add(e.mod.Settings.Rel(name), src)
		}
		return nil
	})
}
