package source

import (
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/agentplan/sdk/internal/parallel"
)

// CheckTypes makes the types of packages, and those that they are made of, several at a
// time. [Module.Types] makes what is missing then. It must not be called before
// [Module.NeedExternals].
func (m *Module) CheckTypes(packages []*Package) {
	g := m.importGraph(packages)
	if g == nil {
		return // one after the other is the way to go about a cycle
	}
	m.checking.Lock()
	defer m.checking.Unlock()
	ready := make(chan *Package, len(g.order))
	for _, p := range g.order {
		if g.open[p] == 0 {
			ready <- p
		}
	}
	var mu sync.Mutex
	left := len(g.order)
	done := func(p *Package) {
		mu.Lock()
		defer mu.Unlock()
		for _, q := range g.users[p] {
			if g.open[q]--; g.open[q] == 0 {
				ready <- q
			}
		}
		if left--; left == 0 {
			close(ready)
		}
	}
	var work parallel.Group
	for range min(runtime.GOMAXPROCS(0), left) {
		work.Go(func() {
			for p := range ready {
				func() {
					defer done(p) // also where it panics, or the others would wait for ever
					m.makeTypes(p, func(dep *Package) *checked { return dep.checked.Load() })
				}()
			}
		})
	}
	work.Wait()
}

// importGraph says which packages wait for which.
type importGraph struct {
	order []*Package              // each after those that it imports
	users map[*Package][]*Package // by what they import
	open  map[*Package]int        // how many imports of a package have no types yet
}

// importGraph finds all packages without types that some packages are made of. It is nil
// where they import each other in a cycle, and where there is nothing to do.
func (m *Module) importGraph(packages []*Package) *importGraph {
	g := &importGraph{users: map[*Package][]*Package{}, open: map[*Package]int{}}
	const (
		entered = iota + 1
		left
	)
	state := map[*Package]int{}
	var visit func(p *Package) bool
	visit = func(p *Package) bool {
		if p.checked.Load() != nil || state[p] == left {
			return true
		}
		if state[p] == entered {
			return false
		}
		state[p] = entered
		for _, dep := range m.importedBy(p) {
			if !visit(dep) {
				return false
			}
			if dep.checked.Load() == nil {
				g.users[dep] = append(g.users[dep], p)
				g.open[p]++
			}
		}
		state[p] = left
		g.order = append(g.order, p)
		return true
	}
	for _, p := range packages {
		if !visit(p) {
			return nil
		}
	}
	if len(g.order) == 0 {
		return nil
	}
	return g
}

// importedBy are the packages whose types those of p are made of, each once.
func (m *Module) importedBy(p *Package) []*Package {
	var out []*Package
	for _, f := range p.Files {
		if f.AST == nil {
			continue
		}
		for _, spec := range f.AST.Imports {
			importPath, err := strconv.Unquote(spec.Path.Value)
			if err != nil || importPath == "unsafe" {
				continue
			}
			if dep := m.resolve(p, importPath); dep != nil && !slices.Contains(out, dep) {
				out = append(out, dep)
			}
		}
	}
	return out
}
