package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// openFile opens a session file wherever it lies and whatever its name is. A store wants
// its own layout of directories, so the file is shown to one through a link. Done gives
// up what that took.
func openFile(ctx context.Context, path string) (log session.Log, done func(), err error) {
	if info, err := os.Stat(path); err != nil {
		return nil, nil, err
	} else if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: not a file", path)
	}
	dir, err := os.MkdirTemp("", "inspect-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	header, err := readHeader(ctx, filepath.Join(dir, "header"), path)
	if err != nil {
		return nil, nil, named(err, path)
	}
	// Creating the session in a store of its own finds out where its file belongs.
	store, err := filelog.New(filepath.Join(dir, "session"), nil)
	if err != nil {
		return nil, nil, err
	}
	empty, err := store.Create(ctx, session.Header{ID: header.ID})
	if err != nil {
		return nil, nil, named(err, path)
	}
	place := empty.(*filelog.Log).Path()
	if err := os.Remove(place); err != nil {
		return nil, nil, err
	}
	if err := link(path, filepath.Dir(place)); err != nil {
		return nil, nil, err
	}
	log, err = store.Open(ctx, header.ID)
	if err != nil {
		return nil, nil, named(err, path)
	}
	return log, remove, nil
}

// readHeader returns the first line of the file.
func readHeader(ctx context.Context, dir, path string) (session.Header, error) {
	place := filepath.Join(dir, "project", "session")
	if err := os.MkdirAll(place, 0o700); err != nil {
		return session.Header{}, err
	}
	if err := link(path, place); err != nil {
		return session.Header{}, err
	}
	store, err := filelog.New(dir, nil)
	if err != nil {
		return session.Header{}, err
	}
	for header, err := range store.List(ctx) {
		if errors.Is(err, session.ErrVersion) {
			// The text names the link and the first line before it comes to the cause.
			_, cause, _ := strings.Cut(err.Error(), ":1: ")
			err = &session.CorruptError{Line: 1, Err: errors.New(cause)}
		}
		return header, err
	}
	return session.Header{}, errors.New("the file holds no session")
}

// link makes the file appear in a directory under the name that its form has there.
// Where the system allows no links it is copied.
func link(path, dir string) error {
	name := filepath.Join(dir, "session.jsonl")
	compressed, err := isZstd(path)
	if err != nil {
		return err
	}
	if compressed {
		name += ".zstd"
	}
	if abs, err := filepath.Abs(path); err == nil && os.Symlink(abs, name) == nil {
		return nil
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// isZstd reports whether the file begins like a compressed one.
func isZstd(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	var magic [4]byte
	if _, err := io.ReadFull(file, magic[:]); err != nil {
		return strings.HasSuffix(path, ".zstd"), nil
	}
	return magic == [4]byte{0x28, 0xb5, 0x2f, 0xfd}, nil
}

// named returns the error with the path that the user gave in place of that of the link.
func named(err error, path string) error {
	var corrupt *session.CorruptError
	if errors.As(err, &corrupt) {
		return &session.CorruptError{File: path, Line: corrupt.Line, Err: corrupt.Err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// newerBeside returns the file of a newer format in the same directory, "" if there is
// none.
func newerBeside(path string) string {
	if !strings.HasPrefix(filepath.Base(path), "session.jsonl") {
		return ""
	}
	newer, err := filepath.Glob(filepath.Join(filepath.Dir(path), "session.v*.jsonl*"))
	if err != nil || len(newer) == 0 {
		return ""
	}
	return newer[len(newer)-1]
}
