package symbol

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/nearest"
)

var (
	version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v\d+(\.|$)`) })
	forge   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(-|actions|archive|blame|blob|branches|commits?|compare|discussions|graphs|issues|labels|merge_requests|milestones?|packages|projects|pulls?|pulse|raw|releases|security|settings|tags?|tree|wiki)(/|$)`)
	})
)

// uncertain says why a path that does not exist may be no path of the module all the same:
// a program makes files below a directory that is called like a package, branches, tags
// and images have slashes, and readers have directories of their own. It is empty where
// the path is one that the module had or was to have; near is then the path that was most
// likely meant, if any.
func (c *checker) uncertain(rel string, imported bool) (why, near string) {
	elements := strings.Split(rel, "/")
	if slices.Contains(elements, "testdata") && path.Ext(rel) != ".go" {
		return "a path in test data, which a test may make", ""
	}
	if slices.ContainsFunc(elements, version().MatchString) {
		return "a path with a version", ""
	}
	if imported {
		if forge().MatchString(rel) {
			return "a page of the repository's website", ""
		}
		return "", ""
	}
	// What exists of the path, and what is left of it.
	n := 1
	for n < len(elements)-1 && c.isDir(path.Join(elements[:n+1]...)) {
		n++
	}
	parent, rest := path.Join(elements[:n]...), elements[n:]
	entries, err := c.mod.Settings.Disk.ReadDir(c.mod.Settings.Abs(parent))
	if err != nil {
		return "a path through what is no directory", ""
	}
	if near := c.misspelled(parent, rest, entries); near != "" {
		return "", near
	}
	ext := path.Ext(rel)
	if len(rest) > 1 {
		if ext == ".go" && c.mod.AnyPackage(parent) != nil {
			return "", ""
		}
		return "a path through a directory that " + parent + " does not have, which a program may make", ""
	}
	switch {
	case strings.HasPrefix(rest[0], "."):
		return "a hidden file, which a program may make", ""
	case ext == ".go" || qualified().MatchString(rel): // Go's own
		return "", ""
	case ext == "" && !slices.ContainsFunc(entries, fs.DirEntry.IsDir):
		return "no path for certain: " + parent + " has no directories", ""
	case ext != "" && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ext }):
		return "a file that a program may make: " + parent + " has none that ends in " + ext, ""
	}
	return "", ""
}

// misspelled returns the path with the name of a sibling in place of the first element
// that does not exist, where both are nearly the same and that path exists.
func (c *checker) misspelled(parent string, rest []string, entries []fs.DirEntry) string {
	for _, e := range entries {
		far := nearest.Distance(rest[0], e.Name())
		if far > 2 || far > len(rest[0])/3 {
			continue
		}
		if near := path.Join(append([]string{parent, e.Name()}, rest[1:]...)...); c.exists(near) {
			return near
		}
	}
	return ""
}

// siblings are the paths beside one that does not exist, or beside the first of its
// directories that does not.
func (c *checker) siblings(rel string) []string {
	dir := path.Dir(rel)
	for dir != "." && !c.isDir(dir) {
		rel, dir = dir, path.Dir(dir)
	}
	entries, err := c.mod.Settings.Disk.ReadDir(c.mod.Settings.Abs(dir))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		out = append(out, path.Join(dir, e.Name()))
	}
	return out
}
