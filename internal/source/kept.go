package source

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/gotool"
	"github.com/agentplan/sdk/internal/settings"
)

// A confirmation is kept where the go command listed a module as it was guessed: it says
// that it would do so again for the same inputs, and where the standard library is.
type confirmation struct {
	inputs [sha256.Size]byte
	stdlib string
}

// key is the key of what the go command says to some question.
func (t goTool) key(question ...string) cache.Key {
	s := t.s
	parts := []string{"go", s.Root, t.dir, s.Workspace, s.Gen, fmt.Sprint(s.Build)}
	for _, gm := range s.Modules {
		parts = append(parts, gm.Dir)
	}
	return s.Cache.Key(slices.Concat(parts, []string{"environment"}, gotool.Environment(), question)...)
}

func confirmationKey(s *settings.Settings) cache.Key { return goTool{s: s}.key("list ./...") }

// recallConfirmation returns the confirmation that the cache has for a module.
func recallConfirmation(s *settings.Settings) *confirmation {
	data, ok := s.Cache.Get(confirmationKey(s))
	if !ok || len(data) < sha256.Size {
		return nil
	}
	c := &confirmation{stdlib: string(data[sha256.Size:])}
	copy(c.inputs[:], data)
	return c
}

// keep puts the confirmation into the cache. That it may not be kept is no loss.
func (c *confirmation) keep(s *settings.Settings) {
	_ = s.Cache.Put(confirmationKey(s), append(c.inputs[:], c.stdlib...))
}

// inputs is a hash over all that the go command's list of the module depends on: the
// names of its files and how they begin, go.mod and what belongs to it, also of modules
// that it leads to on this disk, and the go command itself. It is false where there is no telling.
func (l *Loading) inputs() (sum [sha256.Size]byte, ok bool) {
	s := l.settings
	d := disk.New()
	gotool.Find(d)
	noteModules(d, s)
	for _, name := range l.foreign {
		_, _ = d.ReadFile(s.Abs(name)) // an error is remembered
	}
	trace, err := d.Trace()
	if err != nil {
		return sum, false
	}
	h := sha256.New()
	h.Write(trace.Append(nil))
	for _, f := range l.files {
		head := sha256.Sum256(f.Src[:headerEnd(f.Src)])
		fmt.Fprintf(h, "%d:%s%s", len(f.Path), f.Path, head[:])
	}
	h.Sum(sum[:0])
	return sum, true
}

// noteModules remembers the files that say what the modules require, and whether there is
// a directory of vendored packages: an empty one counts as well.
func noteModules(d *disk.Reader, s *settings.Settings) {
	for _, name := range moduleFiles(s) {
		if dir := filepath.Dir(name); filepath.Base(dir) == "vendor" {
			d.IsDir(dir)
		}
		_, _ = d.ReadFile(name) // an error is remembered
	}
}

// moduleFiles are the files, there or not, that the go command reads besides packages.
func moduleFiles(s *settings.Settings) []string {
	var out []string
	add := func(dir string, names ...string) {
		for _, name := range names {
			out = append(out, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	for _, gm := range s.Modules {
		add(s.Abs(gm.Dir), "go.mod", "go.sum", "vendor/modules.txt")
	}
	if s.Workspace != "" {
		add(filepath.Dir(s.Workspace), filepath.Base(s.Workspace), filepath.Base(s.Workspace)+".sum", "vendor/modules.txt")
	}
	for _, dir := range s.Elsewhere {
		add(dir, "go.mod", "go.sum")
	}
	return out
}

// checkModuleFiles finds fault with a file that the go command would wait to read.
func checkModuleFiles(s *settings.Settings) error {
	for _, name := range moduleFiles(s) {
		if info, err := s.Disk.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			s.Disk.Vague(name + " is no regular file")
			return finding.Failure{Path: s.Rel(name), Message: notRegular}
		}
	}
	return nil
}

// IsForeign reports whether the go command cares for a file that is not Go.
func IsForeign(name string) bool {
	return slices.Contains([]string{
		".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90",
		".s", ".S", ".sx", ".swig", ".swigcxx", ".syso",
	}, filepath.Ext(name))
}

// headerEnd is where the part of a Go file ends by which the go command sorts it into a
// package: behind the last import, or at the end of a file that embeds others or whose
// beginning is strange.
func headerEnd(src []byte) int {
	s := outline{src: src, pos: packageClause(src)}
	if !bytes.HasPrefix(src[s.pos:], []byte("package")) {
		return len(src)
	}
	end := s.pos + endOf(src[s.pos:], "\n")
	s.pos = end
	for {
		s.pos += packageClause(src[s.pos:])
		rest := src[s.pos:]
		if !bytes.HasPrefix(rest, []byte("import")) {
			break
		}
		s.pos += len("import")
		s.skipImport()
		end = s.pos
	}
	if bytes.Contains(src[:end], []byte(`"embed"`)) || bytes.Contains(src[:end], []byte("`embed`")) {
		return len(src)
	}
	return end
}

// skipImport passes over what follows the word import: to the end of the line, or of the
// parentheses.
func (s *outline) skipImport() {
	depth := 0
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '(':
			depth++
		case ')':
			depth--
		case '\n', ';':
			if depth <= 0 {
				s.pos++
				return
			}
		}
		s.skip()
	}
}
