package links

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/disk"
)

// files answers which paths exist, by the names that directories list: a name in other
// case is another name, on every system, as it is for who clones the repository.
type files struct {
	disk *disk.Reader
	root string

	mu      sync.Mutex
	listing map[string][]string
}

// in returns the names in a directory of the module, sorted; nil where it cannot be read.
func (f *files) in(dir string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	names, ok := f.listing[dir]
	if !ok {
		entries, _ := f.disk.ReadDir(filepath.Join(f.root, filepath.FromSlash(dir)))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		f.listing[dir] = names
	}
	return names
}

// exists reports whether a clean path relative to the module root is a file or directory.
func (f *files) exists(name string) bool {
	if name == "." {
		return true
	}
	dir := path.Dir(name)
	_, found := slices.BinarySearch(f.in(dir), path.Base(name))
	return found && (dir == "." || f.exists(dir))
}

// isDir reports whether an existing path is a directory.
func (f *files) isDir(name string) bool {
	info, err := f.disk.Stat(filepath.Join(f.root, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// outside judges a path that leads out of the module: it is good where it stays in a
// repository around the module and exists there.
func (f *files) outside(name string) bool {
	abs := filepath.Join(f.root, filepath.FromSlash(name))
	if _, err := f.disk.Stat(abs); err != nil {
		return false
	}
	for at := filepath.Dir(f.root); ; at = filepath.Dir(at) {
		if _, err := f.disk.Lstat(filepath.Join(at, ".git")); err == nil {
			rel, err := filepath.Rel(at, abs)
			return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// isForge reports whether a path out of a repository is one of the pages that GitHub
// shows beside the files, such as ../../issues.
func isForge(name string) bool {
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	first, _, _ := strings.Cut(name, "/")
	switch first {
	case "issues", "pull", "pulls", "discussions", "wiki", "releases", "actions", "compare", "commit", "commits",
		"tree", "blob", "raw", "security", "projects", "graphs", "labels", "milestones", "milestone", "stargazers",
		"network", "workflows", "blame", "branches", "tags", "contributors", "packages":
		return true
	}
	return false
}
