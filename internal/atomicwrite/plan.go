package atomicwrite

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// target is one file that is going to change.
type target struct {
	op
	real string      // the path behind all links
	info fs.FileInfo // nil for a new file
}

var (
	errDirectory   = errors.New("it is a directory")
	errNotRegular  = errors.New("it is not a regular file")
	errReadOnly    = errors.New("it is read-only")
	errDangling    = errors.New("it is a link that leads nowhere")
	errUnlikeTwin  = errors.New("it is the same file as another target, with other content")
	errFileInPath  = errors.New("a file is in the place of its directory")
	errDirReadOnly = errors.New("its directory is read-only")
)

// plan resolves the operations to the files that would change, sorted by path,
// and tests each. Errors are sorted by path too.
func (b *Batch) plan() ([]target, []error) {
	var targets []target
	var errs []error
	seen := make(map[string]target)
	for _, path := range slices.Sorted(maps.Keys(b.ops)) {
		t, err := inspect(b.ops[path])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		twin, ok := seen[t.real]
		if !ok {
			seen[t.real] = t
		}
		switch {
		case ok && (t.remove != twin.remove || !bytes.Equal(t.content, twin.content)):
			errs = append(errs, t.fail(errUnlikeTwin, "make it a file of its own, or drop "+twin.path))
		case ok, t.unchanged():
		default:
			if err := t.check(); err != nil {
				errs = append(errs, err)
				continue
			}
			targets = append(targets, t)
		}
	}
	for _, t := range targets {
		if parent, ok := writtenParent(t, seen); ok {
			errs = append(errs, t.fail(errFileInPath, "drop "+parent.path+" or write elsewhere"))
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int { return cmp.Compare(pathOf(a), pathOf(b)) })
	return targets, errs
}

func pathOf(err error) string {
	e, _ := errors.AsType[*Error](err)
	return filepath.Clean(e.Path)
}

// writtenParent returns the target that is to be a file where t needs a directory.
func writtenParent(t target, all map[string]target) (target, bool) {
	for dir := filepath.Dir(t.real); ; dir = filepath.Dir(dir) {
		if p, ok := all[dir]; ok && !p.remove && !t.remove {
			return p, true
		}
		if dir == filepath.Dir(dir) {
			return target{}, false
		}
	}
}

// inspect finds the file that an operation is about. Errors are of type *Error.
func inspect(o op) (target, error) {
	real, err := resolve(o)
	if err != nil {
		return target{}, err
	}
	info, err := os.Lstat(real)
	if err != nil && !isMissing(err) {
		return target{}, o.fail(err, "make it accessible")
	}
	return target{op: o, real: real, info: info}, nil
}

// resolve returns the absolute path behind all links, including those in the parts
// of a path that exist already. Of a file to be removed the last part stays a link.
func resolve(o op) (string, error) {
	path, err := filepath.Abs(o.path)
	if err != nil {
		return "", o.fail(err, "use an absolute path")
	}
	rest := ""
	if o.remove {
		path, rest = filepath.Dir(path), filepath.Base(path)
	}
	for {
		_, err := os.Lstat(path)
		if err == nil {
			break
		}
		if parent := filepath.Dir(path); isMissing(err) && parent != path {
			path, rest = parent, filepath.Join(filepath.Base(path), rest)
			continue
		}
		return "", o.fail(err, "make "+path+" accessible")
	}
	real, err := filepath.EvalSymlinks(path)
	switch {
	case isMissing(err):
		return "", o.fail(errDangling, "make the link "+path+" lead to a file, or remove it")
	case err != nil:
		return "", o.fail(err, "mend the link "+path)
	}
	return filepath.Join(real, rest), nil
}

// unchanged reports whether the target is already as it should be. A file that
// cannot be read is not; what to say about it is left to check.
func (t target) unchanged() bool {
	if t.info == nil {
		return t.remove
	}
	if t.remove || !t.info.Mode().IsRegular() || t.info.Size() != int64(len(t.content)) {
		return false
	}
	old, err := os.ReadFile(t.real)
	return err == nil && bytes.Equal(old, t.content)
}

// check tests whether the target can be changed. Errors are of type *Error.
func (t target) check() error {
	if t.info != nil {
		if err := t.checkFile(); err != nil {
			return err
		}
	}
	dir := filepath.Dir(t.real)
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return t.fail(errFileInPath, "remove the file "+dir)
		case err == nil:
			if info.Mode()&0o200 == 0 && !writableAttributeOnly || !accessible(dir) {
				return t.fail(errDirReadOnly, "make "+dir+" writable")
			}
			return nil
		case !isMissing(err) || dir == filepath.Dir(dir):
			return t.fail(err, "make "+dir+" accessible")
		}
		dir = filepath.Dir(dir)
	}
}

func (t target) checkFile() error {
	mode := t.info.Mode()
	switch {
	case mode.IsDir():
		return t.fail(errDirectory, "move the directory away")
	case t.remove && mode&fs.ModeSymlink != 0:
		return nil
	case !mode.IsRegular():
		return t.fail(errNotRegular, "move it away")
	case mode&0o200 == 0:
		return t.fail(errReadOnly, fmt.Sprintf("make it writable (its mode is %04o)", mode.Perm()))
	}
	f, err := os.OpenFile(t.real, os.O_WRONLY, 0)
	if err != nil {
		return t.fail(err, "make it writable")
	}
	return f.Close()
}

// isMissing reports whether an error says that there is no such file. A path below
// a file is missing too.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
