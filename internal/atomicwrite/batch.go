// Package atomicwrite changes a set of files so that each of them is whole at any
// time, old or new, and so that nothing is changed when it can be known beforehand
// that something cannot be.
//
// All new content is first written to temporary files beside its targets. Only
// when every one of them is complete are they renamed to their targets.
package atomicwrite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// An Error tells why one target cannot be changed.
type Error struct {
	// Op is "write" or "remove".
	Op string
	// Path is the target as it was given to the batch.
	Path string
	// Err is the cause.
	Err error
	// Remedy says what to do about it.
	Remedy string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %v: %s", e.Op, e.Path, e.Err, e.Remedy)
}

func (e *Error) Unwrap() error { return e.Err }

// A Batch is a set of files to be written or removed. The zero value is empty and
// ready for use. The methods of a batch must not be called concurrently; different
// batches may work on the same files at the same time, and each file is then
// whole, from one of them.
type Batch struct {
	ops map[string]op

	// beforeWrite, where set, is called before each temporary file is written.
	beforeWrite func(path string) error
}

// op is what is to be done to one path.
type op struct {
	path    string
	content []byte
	remove  bool
}

func (o op) verb() string {
	if o.remove {
		return "remove"
	}
	return "write"
}

func (o op) fail(err error, remedy string) *Error {
	return &Error{Op: o.verb(), Path: o.path, Err: cause(err), Remedy: remedy}
}

// cause returns what is behind an error that repeats its path.
func cause(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// Write adds a file to the batch. Where path is a symbolic link, the file that it
// leads to is written. A new file gets mode 0644, whatever the umask, and
// missing directories 0755 less the umask; an existing file keeps its mode. A file
// that has that content already is not touched. The batch keeps content without copying it.
//
// The last call of Write or Remove for a path counts.
func (b *Batch) Write(path string, content []byte) {
	b.add(op{path: path, content: content})
}

// Remove adds the removal of a file to the batch. Where path is a symbolic link,
// the link is removed. A file that does not exist is no error.
func (b *Batch) Remove(path string) {
	b.add(op{path: path, remove: true})
}

func (b *Batch) add(o op) {
	if b.ops == nil {
		b.ops = make(map[string]op)
	}
	b.ops[filepath.Clean(o.path)] = o
}

// Check tests every file that would change and returns all reasons why one cannot
// be, each an [*Error], sorted by path. A file without the owner's write bit counts
// as one of them, whoever asks. Check changes nothing.
func (b *Batch) Check() []error {
	_, errs := b.plan()
	return errs
}

// Commit makes the changes, and returns how many files it wrote and removed. It
// checks first; when something is found then, or goes wrong while the temporary
// files are written, or ctx is done before the last of them is, then no file is
// changed and no temporary file or new directory stays. After that ctx no longer
// counts, and an error can come from a rename or removal only: files before it, in
// the order of their paths, are changed then, the others are not.
func (b *Batch) Commit(ctx context.Context) (written int, err error) {
	targets, errs := b.plan()
	if len(errs) > 0 {
		return 0, errors.Join(errs...)
	}
	s := stage{beforeWrite: b.beforeWrite}
	defer s.discard()
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := s.add(t); err != nil {
			return 0, err
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return s.apply()
}
