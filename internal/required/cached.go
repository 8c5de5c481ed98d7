package required

import (
	"bytes"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// cached is a required module in the module cache.
type cached struct {
	dir string
	err error // why the go command may not take it as it is
}

// cached looks for a required module in the module cache, once.
func (r *Modules) cached(m module.Version) (string, error) {
	c := r.known[m.Path]
	if c == nil {
		c = &cached{}
		c.dir, c.err = r.look(m)
		r.known[m.Path] = c
	}
	return c.dir, c.err
}

// look goes by DownloadDir and checkMod of cmd/go/internal/modfetch. What it reads is named
// by the version, for which go.sum vouches, and need not be remembered.
func (r *Modules) look(m module.Version) (string, error) {
	at, v, err := escape(m)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(r.cache, filepath.FromSlash(at)+"@"+v)
	if info, err := os.Stat(dir); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory", dir)
	}
	beside, err := r.beside(m)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(beside + "partial"); !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s may not be whole", dir)
	}
	sum, err := os.ReadFile(beside + "ziphash")
	if err != nil {
		return "", err
	}
	if err := r.sums.check(m, string(bytes.TrimSpace(sum))); err != nil {
		return "", err
	}
	mod, err := r.goMod(m)
	if err != nil {
		return "", err
	}
	return dir, r.checkNeeds(m, mod)
}

// escape is how the module cache spells a module.
func escape(m module.Version) (path, version string, err error) {
	if path, err = module.EscapePath(m.Path); err != nil {
		return "", "", err
	}
	version, err = module.EscapeVersion(m.Version)
	return path, version, err
}

// beside is how the names of the files that tell of a cached module begin.
func (r *Modules) beside(m module.Version) (string, error) {
	at, v, err := escape(m)
	return filepath.Join(r.cache, "cache", "download", filepath.FromSlash(at), "@v", v+"."), err
}

// goMod reads the go.mod of a required module from the module cache (goModSummary of
// modload).
func (r *Modules) goMod(m module.Version) (*modfile.File, error) {
	beside, err := r.beside(m)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(beside + "mod")
	if err != nil {
		return nil, err
	}
	if err := r.sums.check(module.Version{Path: m.Path, Version: m.Version + "/go.mod"}, sumOfGoMod(data)); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte("//vgo 0.0.")) {
		return nil, fmt.Errorf("the go.mod of %s is of an old form", m.Path)
	}
	mod, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	if mod.Module == nil || mod.Module.Mod.Path != m.Path {
		return nil, fmt.Errorf("the go.mod of %s is of another module", m.Path)
	}
	return mod, nil
}

// checkNeeds reports whether the go.mod of a required module asks for more than there is
// (spotCheckRoots of modload). One that requires the module itself makes the go command
// load the module graph.
func (r *Modules) checkNeeds(m module.Version, mod *modfile.File) error {
	if mod.Go != nil && version.Compare("go"+mod.Go.Version, r.goLine) > 0 {
		return fmt.Errorf("%s needs a later release than go.mod says", m.Path)
	}
	for _, req := range mod.Require {
		v, ok := r.require[req.Mod.Path]
		switch {
		case req.Mod.Path == r.Path:
			r.circular = true
		case req.Mod.Path == "go" || req.Mod.Path == "toolchain":
			return fmt.Errorf("%s requires %s", m.Path, req.Mod.Path)
		case ok && semver.Compare(v, req.Mod.Version) < 0:
			return fmt.Errorf("%s requires %s in a later version than go.mod", m.Path, req.Mod.Path)
		}
	}
	return nil
}

// checkGraph reports whether the module graph asks for more than there is: the requirements
// of the required modules, and of those that are not pruned all there is behind them
// (readModGraph of modload).
func (r *Modules) checkGraph() error {
	type node struct {
		module.Version
		unpruned bool
	}
	var todo []node
	for p, v := range r.require {
		todo = append(todo, node{module.Version{Path: p, Version: v}, false})
	}
	seen := map[node]bool{}
	for len(todo) > 0 {
		last := len(todo) - 1
		n := todo[last]
		todo = todo[:last]
		if seen[n] {
			continue
		}
		seen[n] = true
		mod, err := r.goMod(n.Version)
		if err != nil {
			return err
		}
		if err := r.checkNeeds(n.Version, mod); err != nil {
			return err
		}
		if !n.unpruned && mod.Go != nil && version.Compare("go"+mod.Go.Version, minGo) >= 0 {
			continue
		}
		for _, req := range mod.Require {
			if req.Mod.Path == r.Path {
				return fmt.Errorf("%s leads back to %s", n.Path, r.Path)
			}
			todo = append(todo, node{req.Mod, true})
		}
	}
	return nil
}
