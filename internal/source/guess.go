package source

import (
	"errors"
	"path"
	"path/filepath"
	"slices"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
)

// Guess makes the builds from the files alone, by the rules that go/build has for build
// constraints, without waiting for the go command. It is nil where the files leave doubt,
// and of no use before [Loading.Confirms] has agreed to it.
func (l *Loading) Guess() Builds {
	if l.err != nil {
		return nil
	}
	var all Builds
	for _, in := range l.listings {
		m := l.guess(in.settings)
		if m == nil {
			return nil
		}
		m.required = in.required
		all = append(all, m)
	}
	return all.join()
}

func (l *Loading) guess(s *settings.Settings) *Module {
	m := l.module(s, filepath.Join(l.goroot, "src"))
	build := newMatcher(s)
	dirs := map[string]*listedPackage{}
	for _, f := range m.Files {
		if f.IsTest() {
			continue
		}
		match, err := build.match(path.Base(f.Path), f.Src)
		if err != nil || f.err != nil {
			return nil
		}
		if !match || usesCgo(f.AST) && !s.Cgo || f.AST.Name.Name == "documentation" {
			continue
		}
		dir := path.Dir(f.Path)
		p := dirs[dir]
		if p == nil {
			p = &listedPackage{path: s.Owner(dir).Join(dir), name: f.AST.Name.Name, dir: dir}
			dirs[dir] = p
		}
		if p.name != f.AST.Name.Name {
			return nil
		}
		p.files = append(p.files, f.Path)
	}
	var result listResult
	for _, p := range dirs {
		result.packages = append(result.packages, *p)
	}
	var none finding.List // everything listed is among the files
	m.join(result, &none)
	return m
}

// Confirms reports whether the go command lists every build just as it was guessed, with
// nothing to complain about: where that is not foreseen, it waits for its answer.
func (l *Loading) Confirms(all Builds) bool {
	for i, in := range l.listings {
		if !l.confirms(in, all[i]) {
			return false
		}
	}
	return true
}

func (l *Loading) confirms(in *listing, m *Module) bool {
	if in.known != nil {
		return !m.std.used || m.std.src == in.known.stdlib
	}
	result, err := in.plain()
	foreseen := errors.Is(err, errForeseen)
	if err != nil && !foreseen || m.std.used && m.std.src != result.stdlib {
		return false
	}
	if !foreseen && !lists(result, m) {
		return false
	}
	if in.settings.Cache != nil {
		if inputs, ok := l.inputs(); ok {
			(&confirmation{inputs, result.stdlib}).keep(in.settings)
		}
	}
	return true
}

// lists reports whether the go command lists a build just as it was guessed.
func lists(result listResult, m *Module) bool {
	n := 0
	for _, lp := range result.packages {
		if m.inGen(lp.dir) {
			continue
		}
		if len(lp.files) == 0 {
			if len(lp.errors) > 0 {
				return false
			}
			continue
		}
		n++
		p := m.byDir[lp.dir]
		if p == nil || p.Path != lp.path || p.Name != lp.name || len(p.Files) != len(lp.files) {
			return false
		}
		for _, f := range p.Files {
			if !slices.Contains(lp.files, f.Path) {
				return false
			}
		}
	}
	return n == len(m.Packages)
}
