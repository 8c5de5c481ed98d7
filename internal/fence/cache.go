package fence

import (
	"fmt"
	"go/token"
	"path"

	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/source"
)

// Cache keeps the syntax of what fences import from outside the module, from one
// [Set.CheckCode] to the next: a command that stays, and checks again after each edit,
// reads it once. Its zero value is empty and ready. A change of go.mod, go.sum or the
// configured build empties it. It is for use by one goroutine at a time.
type Cache struct {
	key      string
	packages map[string]*source.Package
	files    map[*source.Package]*token.FileSet // that the packages were parsed into
	listed   map[string]*packages.Package
	others   []*Cache // of the other builds, by their index
}

// build is the cache for a build, by its index.
func (c *Cache) build(i int) *Cache {
	if i == 0 {
		return c
	}
	for len(c.others) <= i {
		c.others = append(c.others, &Cache{})
	}
	return c.others[i]
}

// open makes the cache ready for a module.
func (c *Cache) open(mod *source.Module) {
	s := mod.Settings
	key := fmt.Sprintf("%q %q %q %q %v", s.Root, s.GOOS, s.GOARCH, s.Tags, s.Cgo)
	names := []string{"go.work", "go.work.sum"}
	for _, gm := range s.Modules {
		names = append(names, path.Join(gm.Dir, "go.mod"), path.Join(gm.Dir, "go.sum"))
	}
	for _, name := range names {
		data, err := s.Disk.ReadFile(s.Abs(name))
		key += fmt.Sprintf(" %q %v", data, err)
	}
	if c.key != key {
		*c = Cache{
			others:   c.others,
			key:      key,
			packages: map[string]*source.Package{},
			files:    map[*source.Package]*token.FileSet{},
			listed:   map[string]*packages.Package{},
		}
	}
}

// get returns a package, read with the function where it is not in the cache. It may be
// nil.
func (c *Cache) get(mod *source.Module, importPath string, read func() *source.Package) *source.Package {
	if p := c.packages[importPath]; p != nil {
		return p
	}
	p := read()
	if p != nil {
		c.packages[importPath] = p
		c.files[p] = mod.Fset
	}
	return p
}

// fileSet is the file set that knows the positions of a package.
func (c *Cache) fileSet(mod *source.Module, p *source.Package) *token.FileSet {
	if fset := c.files[p]; fset != nil {
		return fset
	}
	return mod.Fset
}
