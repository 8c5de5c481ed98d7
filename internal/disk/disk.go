// Package disk yields what a run reads from the file system, and remembers what it saw
// there: every file, every listing, and every path that was looked for and not found. A
// later run that finds all of it as it was would give the same result.
package disk

import (
	"crypto/sha256"
	"errors"
	"go/build"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Reader reads files. Nothing of a run may read a file by other means, but for those of
// which [Reader.Named] says that they need not be remembered.
//
// A nil Reader reads and remembers nothing. A Reader is safe for concurrent use.
type Reader struct {
	mu    sync.Mutex
	facts map[Question]Sum
	named []string
	vague string // why what was seen says too little
}

// New returns a Reader that remembers what it sees.
func New() *Reader { return &Reader{facts: map[Question]Sum{}} }

// Named says that the content of what lies below a directory is known by a name that is
// remembered already, such as the version of a Go release.
func (r *Reader) Named(dir string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	dir = filepath.Clean(dir) + string(filepath.Separator)
	if !slices.Contains(r.named, dir) {
		r.named = append(r.named, dir)
	}
}

// Knows reports whether what lies below a directory is known by a name.
func (r *Reader) Knows(dir string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.knows(dir + string(filepath.Separator))
}

func (r *Reader) knows(path string) bool {
	return slices.ContainsFunc(r.named, func(dir string) bool { return strings.HasPrefix(path, dir) })
}

// Vague says that the result depends on something that is not remembered, and why.
func (r *Reader) Vague(why string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.vague == "" {
		r.vague = why
	}
}

// remember records an answer. One that differs from an earlier answer to the same question
// makes what is remembered vague: the tree changed during the run.
func (r *Reader) remember(kind Kind, path string, sum Sum) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.knows(path) {
		return
	}
	q := Question{kind, path}
	if old, ok := r.facts[q]; ok && old != sum && r.vague == "" {
		r.vague = path + " changed during the run"
	}
	r.facts[q] = sum
}

// fail records an error: that nothing is there, or one that may not last.
func (r *Reader) fail(kind Kind, path string, err error) {
	if !absent(err) {
		r.Vague(err.Error())
		return
	}
	r.remember(kind, path, sumAbsent)
}

// absent reports whether an error says for certain that nothing is there.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound)
}

// ReadFile is [os.ReadFile].
func (r *Reader) ReadFile(name string) ([]byte, error) { return r.ReadInto(nil, name) }

// ReadInto is [Reader.ReadFile] for one who has memory for a file of this size: what is
// read may stand in buf, up to its capacity.
func (r *Reader) ReadInto(buf []byte, name string) ([]byte, error) {
	data, err := readFile(name, buf)
	if r == nil {
		return data, err
	}
	if err != nil {
		r.fail(Content, name, err)
		return data, err
	}
	r.remember(Content, name, sha256.Sum256(data))
	return data, nil
}

// ReadDir is [os.ReadDir].
func (r *Reader) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(name)
	if r == nil {
		return entries, err
	}
	if err != nil {
		r.fail(Listing, name, err)
		return entries, err
	}
	r.remember(Listing, name, sumListing(entries))
	return entries, nil
}

// Stat is [os.Stat]. What is remembered is whether there is a file or a directory; size,
// time and mode are not.
func (r *Reader) Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		r.fail(Existence, name, err)
		return info, err
	}
	r.remember(Existence, name, sumMode(info))
	return info, nil
}

// Lstat is [os.Lstat], and remembers as [Reader.Stat] does.
func (r *Reader) Lstat(name string) (fs.FileInfo, error) {
	info, err := os.Lstat(name)
	if err != nil {
		r.fail(Link, name, err)
		return info, err
	}
	r.remember(Link, name, sumMode(info))
	return info, nil
}

// EvalSymlinks is [filepath.EvalSymlinks].
func (r *Reader) EvalSymlinks(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		r.fail(Real, name, err)
		return real, err
	}
	r.remember(Real, name, sha256.Sum256([]byte(real)))
	return real, nil
}

// LookPath is [exec.LookPath].
func (r *Reader) LookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		r.fail(Program, name, err)
		return path, err
	}
	r.remember(Program, name, sha256.Sum256([]byte(path)))
	return path, nil
}

// Serve makes go/build read through r.
func (r *Reader) Serve(bc *build.Context) {
	bc.IsDir, bc.ReadDir, bc.OpenFile = r.IsDir, r.infos, r.open
}

// open returns a reader of a whole file.
func (r *Reader) open(name string) (io.ReadCloser, error) {
	data, err := r.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(strings.NewReader(string(data))), nil
}

// IsDir reports whether there is a directory of this name.
func (r *Reader) IsDir(name string) bool {
	info, err := r.Stat(name)
	return err == nil && info.IsDir()
}

// infos lists a directory as [Reader.ReadDir] does.
func (r *Reader) infos(name string) ([]fs.FileInfo, error) {
	entries, err := r.ReadDir(name)
	if err != nil {
		return nil, err
	}
	out := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			out = append(out, info)
		}
	}
	return out, nil
}
