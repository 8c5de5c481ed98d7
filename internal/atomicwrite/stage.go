package atomicwrite

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// stage holds the temporary files of one commit until they are renamed.
type stage struct {
	beforeWrite func(path string) error
	pending     []pending
	dirs        []string // directories that were made, outermost first
}

// pending is a target with the temporary file that is to take its place; a removal
// has none.
type pending struct {
	target
	temp string
}

// add writes the temporary file of a target.
func (s *stage) add(t target) error {
	if t.remove {
		s.pending = append(s.pending, pending{target: t})
		return nil
	}
	if err := s.makeDir(filepath.Dir(t.real)); err != nil {
		return t.fail(err, "make its directory writable")
	}
	temp, err := s.write(t)
	if temp != "" {
		s.pending = append(s.pending, pending{t, temp})
	}
	if err != nil {
		return t.fail(err, "check the free space and the permissions of "+filepath.Dir(t.real))
	}
	return nil
}

// makeDir makes a directory and its missing parents, and remembers them.
func (s *stage) makeDir(dir string) error {
	err := os.Mkdir(dir, 0o755)
	if isMissing(err) {
		if err := s.makeDir(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o755)
	}
	switch {
	case err == nil:
		s.dirs = append(s.dirs, dir)
		return nil
	case errors.Is(err, fs.ErrExist):
		return nil
	}
	return err
}

// write writes the content of a target to a file beside it. The name of that file
// is returned also with an error, once it exists.
func (s *stage) write(t target) (temp string, err error) {
	if s.beforeWrite != nil {
		if err := s.beforeWrite(t.path); err != nil {
			return "", err
		}
	}
	mode := fs.FileMode(0o644)
	temp = filepath.Join(filepath.Dir(t.real), ".atomicwrite-"+rand.Text()+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(t.content); err != nil {
		return temp, err
	}
	if t.info != nil {
		keepOwner(f, t.info)
		mode = t.info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	}
	if err := f.Chmod(mode); err != nil {
		return temp, err
	}
	return temp, f.Sync()
}

// apply puts the temporary files in place and removes what is to be removed. It
// returns the number of targets done.
func (s *stage) apply() (int, error) {
	for i, p := range s.pending {
		var err error
		if p.remove {
			if err = os.Remove(p.real); isMissing(err) {
				err = nil
			}
		} else {
			err = os.Rename(p.temp, p.real)
		}
		if err != nil {
			s.pending = s.pending[i:]
			return i, p.fail(err, "check its permissions and run again")
		}
	}
	done := len(s.pending)
	s.pending, s.dirs = nil, nil
	return done, nil
}

// discard removes the temporary files that are not in place, and directories that
// were made and are empty.
func (s *stage) discard() {
	for _, p := range s.pending {
		if p.temp != "" {
			// What cannot be removed stays; the error that led here is the one to tell.
			_ = os.Remove(p.temp)
		}
	}
	for i := len(s.dirs) - 1; i >= 0; i-- {
		_ = os.Remove(s.dirs[i])
	}
}
