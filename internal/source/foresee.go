package source

import (
	"errors"
	"fmt"
	"go/ast"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/gotool"
	"github.com/agentplan/sdk/internal/required"
	"github.com/agentplan/sdk/internal/settings"
)

// A foresight tells, before the go command is started, whether it would list the modules
// as [Loading.Guess] makes them, with nothing to complain about. It is certain where all
// that the answer depends on is plain; whatever is out of the ordinary leaves doubt, and
// then the go command is asked.
//
// What the answer depends on: the release of the go command and its environment
// ([gotool.Tool.Plain]), the flags that every call has, the go.mod of each module and what
// its packages need of other modules ([required.Modules]), and the names and the first
// lines of the Go files.
//
// It is for the files of one tree, and safe for use by several builds at once.
type foresight struct {
	l       *Loading
	release gotool.Release
	headers func() (map[*File]*ast.File, error) // of all files, if they are plain
}

// newForesight looks at what needs no file of the tree. Its error says what leaves doubt.
func newForesight(l *Loading) (*foresight, error) {
	s := l.settings
	if s.Workspace != "" {
		return nil, errors.New("there is a workspace")
	}
	for _, f := range flagField().FindAllString(withoutBuild(goFlags(s.Disk)), -1) {
		if !harmlessFlag().MatchString(f) {
			return nil, fmt.Errorf("GOFLAGS has %s", f)
		}
	}
	release, err := gotool.Find(disk.New()).Plain()
	if err != nil {
		return nil, err
	}
	for _, gm := range s.Modules {
		// Most of what leaves doubt shows here; the rest has to wait for the walk.
		if _, err := required.Read(s.Disk, release, s.Abs(gm.Dir), required.View{}); err != nil {
			return nil, err
		}
	}
	return &foresight{l: l, release: release, headers: sync.OnceValues(l.plainFiles)}, nil
}

// harmlessFlag matches the flags of GOFLAGS that have no part in a list of files.
var harmlessFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^--?(?:buildvcs|trimpath|modcacherw|mod=readonly|v)(?:=(?:true|false|auto))?$`)
})

// plainTag matches the build tags that are only that.
var plainTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_]+$`) })

// requirements are what the modules of a tree require, as one build sees it.
type requirements map[*settings.GoModule]*required.Modules

// foresee returns what the modules require, if the go command lists the build as it is
// guessed. Otherwise the error says what leaves doubt.
func (f *foresight) foresee(s *settings.Settings) (requirements, error) {
	if f.l.err != nil {
		return nil, f.l.err
	}
	for _, tag := range s.Tags {
		if !plainTag().MatchString(tag) {
			return nil, fmt.Errorf("the build tag is %s", tag)
		}
	}
	headers, err := f.headers()
	if err != nil {
		return nil, err
	}
	tree, err := f.l.plainTree(s, headers)
	if err != nil {
		return nil, err
	}
	out := requirements{}
	for _, gm := range s.Modules {
		if out[gm], err = tree.modules(f, gm); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// foreseen returns what go list -deps says of packages outside the module and the standard
// library, and of all such packages that they import. An error says what leaves doubt.
func (m *Module) foreseen(gm *settings.GoModule, importPaths []string) ([]*plainPackage, error) {
	if m.required == nil {
		return nil, errors.New("nothing is foreseen")
	}
	all, err := m.required()
	if err != nil {
		return nil, err
	}
	listed, err := all[gm].List(importPaths)
	if err != nil {
		return nil, err
	}
	out := make([]*plainPackage, 0, len(listed))
	for _, p := range listed {
		out = append(out, &plainPackage{ImportPath: p.ImportPath, Name: p.Name, Dir: p.Dir, GoFiles: p.Files, Imports: p.Imports})
	}
	return out, nil
}

// stdlib is where the release has the standard library.
func (f *foresight) stdlib() string { return filepath.Join(f.release.Root, "src") }
