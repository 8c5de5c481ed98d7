package fence

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// excerpts tells which fences are parts of Go files of the tree. Those are compiled and
// tested where they come from, nested modules such as one of examples included, and may
// use what stands around them there.
type excerpts struct {
	mod   *source.Module
	files []string // texts, each after a newline; nil before the first use
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
	for _, f := range e.files {
		if strings.Contains(f, "\n"+text) {
			return true
		}
	}
	return false
}

func (e *excerpts) read() {
	e.files = []string{}
	add := func(src []byte) {
		e.files = append(e.files, "\n"+strings.ReplaceAll(string(src), "\r\n", "\n"))
	}
	known := map[string]bool{}
	for _, f := range e.mod.Files {
		known[f.Path] = true
		add(f.Src)
	}
	root := e.mod.Settings.Root
	// What cannot be read is no source of anything.
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
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
		if src, err := os.ReadFile(name); err == nil {
			add(src)
		}
		return nil
	})
}
