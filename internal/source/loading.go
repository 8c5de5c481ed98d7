package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"go/build"
	"go/token"
	"path/filepath"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/gotool"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
)

// Loading is a tree that is being read. The files are parsed while the go command lists
// them; a [Loading.Guess] can be worked with before it has.
type Loading struct {
	settings *settings.Settings
	fset     *token.FileSet
	walked
	err error // of reading the tree

	tool   *gotool.Tool // nil where what is read is not remembered
	goroot string       // the Go tree that the standard library is guessed to be of

	listings []*listing // by build
	stop     func()     // keeps the go command from going on
}

// listing is what the go command says for one build.
type listing struct {
	settings *settings.Settings
	kept     *confirmation // of an earlier run
	known    *confirmation // the same, if it was for the same inputs

	required func() (requirements, error) // nil where nothing is foreseen

	ask   func() (listResult, error)
	plain func() (listResult, error) // in a few words
	whole func() listResult          // all of it
}

// errForeseen is the answer of the go command, unasked, that it lists what is guessed.
var errForeseen = errors.New("the go command was not asked")

// newListing begins to ask the go command, unless an earlier run may have done so.
func newListing(ctx context.Context, s *settings.Settings) *listing {
	in := &listing{settings: s, kept: recallConfirmation(s)}
	in.ask = func() (listResult, error) { return listPlain(ctx, s) }
	in.whole = sync.OnceValue(func() listResult {
		if result, err := in.plain(); err == nil {
			return result
		}
		return list(ctx, s)
	})
	return in
}

// Start begins to read the tree.
func Start(ctx context.Context, s *settings.Settings) *Loading {
	ctx, stop := context.WithCancel(ctx)
	l := &Loading{settings: s, fset: token.NewFileSet(), stop: stop}
	if l.err = checkModuleFiles(s); l.err != nil {
		stop()
		return l
	}
	for _, b := range s.Builds {
		l.listings = append(l.listings, newListing(ctx, s.For(b)))
	}
	foresight := sync.OnceValues(func() (*foresight, error) { return newForesight(l) })
	for _, in := range l.listings {
		if in.kept != nil {
			continue
		}
		if _, doubt := foresight(); doubt != nil {
			in.plain = ahead(in.ask)
		}
	}
	l.walked, l.err = parseTree(s, l.fset)
	if s.Disk != nil {
		noteModules(s.Disk, s)
		for _, name := range l.foreign {
			_, _ = s.Disk.ReadFile(s.Abs(name)) // an error is remembered
		}
	}
	tool := gotool.Find(s.Disk)
	l.goroot = cmp.Or(tool.Root(), build.Default.GOROOT)
	if s.Disk != nil {
		l.tool = tool
	}
	var inputs [sha256.Size]byte
	ok, asked := false, false
	for _, in := range l.listings {
		if in.plain != nil {
			continue
		}
		if in.kept != nil && !asked {
			inputs, ok = l.inputs()
			asked = true
		}
		if in.kept != nil && ok && l.err == nil && inputs == in.kept.inputs {
			in.known = in.kept
			in.plain = sync.OnceValues(in.ask)
			continue
		}
		in.required = ahead(func() (requirements, error) {
			f, doubt := foresight()
			if doubt != nil {
				return nil, doubt
			}
			return f.foresee(in.settings)
		})
		in.plain = ahead(func() (listResult, error) {
			if _, doubt := in.required(); doubt != nil {
				return in.ask()
			}
			f, _ := foresight() // there is no doubt
			return listResult{stdlib: f.stdlib()}, errForeseen
		})
	}
	if l.err != nil {
		l.stop()
		for _, in := range l.listings {
			_, _ = in.plain() // nobody asks for what was cut short
		}
	}
	return l
}

// ahead begins to make a value and returns how to wait for it.
func ahead[T any](make func() (T, error)) func() (T, error) {
	var value T
	var err error
	done := new(parallel.Group)
	done.Go(func() { value, err = make() })
	return func() (T, error) {
		done.Wait()
		return value, err
	}
}

// module is an empty module with files of its own that share their syntax trees.
func (l *Loading) module(s *settings.Settings, stdlib string) *Module {
	m := &Module{
		Settings: s,
		Fset:     l.fset,
		byDir:    map[string]*Package{},
		byPath:   map[string]*Package{},
		std:      newStandard(s, stdlib),
		common:   newExternals(nil),
		ext:      map[*settings.GoModule]*externals{},
		begun:    map[*Package]bool{},
	}
	for _, gm := range l.settings.Modules {
		m.ext[gm] = newExternals(gm)
	}
	if l.tool != nil && stdlib != "" {
		l.tool.Release(filepath.Dir(stdlib))
	}
	for _, f := range l.files {
		m.Files = append(m.Files, &File{Path: f.Path, Src: f.Src, AST: f.AST, Constrained: f.Constrained, err: f.err, bodiless: f.bodiless})
	}
	return m
}

// Builds waits for the go command and makes what it lists. What keeps the sources from
// being read is recorded in out as failures; a usable result comes back all the same, or
// nil where there is nothing to work with.
func (l *Loading) Builds(out *finding.List) Builds {
	if l.err != nil {
		if f, ok := errors.AsType[finding.Failure](l.err); ok {
			out.Fail(f.Path, 0, "%s", f.Message)
		} else {
			out.Fail("", 0, "read the module: %v", l.err)
		}
		return nil
	}
	var all Builds
	for _, in := range l.listings {
		m := l.build(in, out)
		if m == nil {
			return nil
		}
		all = append(all, m)
	}
	return all.join()
}

// Module is the first of [Loading.Builds].
func (l *Loading) Module(out *finding.List) *Module {
	all := l.Builds(out)
	if all == nil {
		return nil
	}
	return all[0]
}

// build makes what the go command lists for one build.
func (l *Loading) build(in *listing, out *finding.List) *Module {
	l.settings.Disk.Vague("the go command sees more in the module than its files show")
	result := in.whole()
	if result.err != nil {
		text := result.err.Error()
		if l.settings.Several() {
			text = in.settings.GOOS + "/" + in.settings.GOARCH + ": " + text
		}
		out.Fail("", 0, "list packages: %s", text)
		return nil
	}
	m := l.module(in.settings, result.stdlib)
	m.join(result, out)
	m.reportSyntax(out)
	return m
}
