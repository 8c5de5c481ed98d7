package fence

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// excerpts tells which fences are parts of Go files of the tree. Those are compiled and
// tested where they come from, nested modules such as one of examples included, and may
// use what stands around them there.
type excerpts struct {
	mod   *source.Module
	files [][]byte // texts with line ends as fences have them; nil before the first use
}

// hold reports whether a file has these lines, one after the other, at the start of a
// declaration.
func (e *excerpts) hold(text string) bool {
	if strings.TrimSpace(text) == "" || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") {
		return false
	}
	if e.files == nil {
		e.read()
	}
	want := []byte(text)
	return slices.ContainsFunc(e.files, func(src []byte) bool { return holdsLines(src, want) })
}

// maxProbe is how many bytes are looked for at once: a length at which the search is fast.
const maxProbe = 48

// holdsLines reports whether a text has the wanted one at the start of a line.
func holdsLines(src, want []byte) bool {
	if bytes.HasPrefix(src, want) {
		return true
	}
	probe := append([]byte("\n"), want[:min(len(want), maxProbe)]...)
	for {
		i := bytes.Index(src, probe)
		if i < 0 {
			return false
		}
		if src = src[i+1:]; bytes.HasPrefix(src, want) {
			return true
		}
	}
}

func (e *excerpts) read() {
	e.files = [][]byte{}
	add := func(src []byte) {
		if bytes.IndexByte(src, '\r') >= 0 {
			src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
		}
		e.files = append(e.files, src)
	}
	known := map[string]bool{}
	for _, f := range e.mod.Files {
		known[f.Path] = true
		add(f.Src)
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
			add(src)
		}
		return nil
	})
}
