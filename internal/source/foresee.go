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
		if _, err := required.Read(s.Disk, release, s.Abs(gm.Dir), nil); err != nil {
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

// foresee reports why the go command may not list a build as it is guessed, or nil.
func (f *foresight) foresee(s *settings.Settings) error {
	if f.l.err != nil {
		return f.l.err
	}
	for _, tag := range s.Tags {
		if !plainTag().MatchString(tag) {
			return fmt.Errorf("the build tag is %s", tag)
		}
	}
	headers, err := f.headers()
	if err != nil {
		return err
	}
	tree, err := f.l.plainTree(s, headers)
	if err != nil {
		return err
	}
	for _, gm := range s.Modules {
		if err := tree.foresee(f, gm); err != nil {
			return err
		}
	}
	return nil
}

// stdlib is where the release has the standard library.
func (f *foresight) stdlib() string { return filepath.Join(f.release.Root, "src") }
