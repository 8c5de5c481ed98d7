package scope

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/history"
	"github.com/agentplan/sdk/internal/settings"
)

// Change is what differs between a revision and the working tree of a module.
type Change struct {
	settings *settings.Settings
	files    []*file
	by       map[string]*file
	dirs     map[string]bool // of the revision
}

// file is one file that changed.
type file struct {
	path     string // relative to the module root; it may begin with ../
	old      []byte // at the revision, of files whose text can matter
	had, has bool   // at the revision, and now
	opaque   bool   // no regular file, or one that git does not look at
}

// moved reports whether the file was added or removed.
func (f *file) moved() bool { return f.had != f.has }

// now is the text of the file in the working tree.
func (f *file) now(s *settings.Settings) ([]byte, error) {
	if !f.has {
		return nil, nil
	}
	return s.Disk.ReadFile(s.Abs(f.path))
}

// Read compares the working tree with a revision. Its error is a [finding.Failure].
func Read(ctx context.Context, s *settings.Settings, rev string) (*Change, error) {
	c, err := read(ctx, s, rev)
	if err != nil {
		return nil, finding.Failure{Message: fmt.Sprintf("compare with %s: %v; run without --changed to judge everything", rev, err)}
	}
	return c, nil
}

func read(ctx context.Context, s *settings.Settings, rev string) (c *Change, err error) {
	s.Disk.Vague("what git says of the working tree is not remembered")
	repo, err := history.Open(ctx, s.Root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	changes, err := repo.Changes(ctx, rev)
	if err != nil {
		return nil, err
	}
	c = &Change{settings: s, by: map[string]*file{}, dirs: changes.Dirs}
	for _, ch := range changes.Paths {
		f := &file{path: ch.Path, had: ch.Old != "", has: !ch.Gone, opaque: ch.Opaque}
		if f.had && c.matters(f.path) {
			if f.old, err = repo.Read(ctx, ch.Old); err != nil {
				return nil, err
			}
		}
		c.files = append(c.files, f)
		c.by[f.path] = f
	}
	return c, nil
}

// matters reports whether the text of a file decides what its change can touch.
func (c *Change) matters(name string) bool {
	return slices.Contains([]string{".go", ".md", ".lock"}, strings.ToLower(path.Ext(name)))
}

// Empty reports whether nothing has changed at all.
func (c *Change) Empty() bool { return len(c.files) == 0 }

// newNames are the names under which something appeared or vanished: files, and
// directories that came or went with them. What is beside a path that leads nowhere tells
// whether it is one of the module, so the directory is a name as well, with a slash.
func (c *Change) newNames() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range c.files {
		if !f.moved() {
			continue
		}
		out = append(out, path.Base(f.path), path.Dir(f.path)+"/")
		for dir := path.Dir(f.path); dir != "." && path.Base(dir) != ".." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if c.dirs[dir] != c.settings.Disk.IsDir(c.settings.Abs(dir)) {
				out = append(out, path.Base(dir), path.Dir(dir)+"/")
			}
		}
	}
	return out
}

// isMarkdown reports whether links can lead to places within a file.
func isMarkdown(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".markdown")
}
