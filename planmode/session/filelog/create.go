package filelog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// Create makes the file of a session, with its header, in the directory of the project
// h.Cwd. It is on disk when Create returns.
func (s *Store) Create(ctx context.Context, h session.Header) (session.Log, error) {
	log, err := s.create(ctx, h, func(*textWriter) error { return nil })
	if err != nil {
		return nil, fmt.Errorf("create session %q: %w", h.ID, err)
	}
	return log, nil
}

// create makes a session file of the header and what fill writes. The file appears
// whole or not at all.
func (s *Store) create(ctx context.Context, h session.Header, fill func(*textWriter) error) (*Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if h.CreatedAt.IsZero() {
		h.CreatedAt = time.Now()
	}
	header, err := h.MarshalJSON()
	if err != nil {
		return nil, err
	}
	name, err := sessionDir(h.ID)
	if err != nil {
		return nil, err
	}
	if err := s.free(h.ID); err != nil {
		return nil, err
	}
	dir := filepath.Join(s.dir, projectDir(h.Cwd), name)
	if err := makeDirs(dir); err != nil {
		return nil, err
	}
	unlock, err := lockDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.free(h.ID); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, rawName)
	if s.set.compress {
		path = filepath.Join(dir, zstdName)
	}
	err = s.publish(path, func(w *textWriter) error {
		if err := w.line(header); err != nil {
			return err
		}
		if err := w.flush(); err != nil { // the first frame is the header alone
			return err
		}
		return fill(w)
	})
	if err != nil {
		return nil, err
	}
	log := s.openLog(h.ID, path)
	_, err = log.look(ctx)
	return log, err
}

// free reports whether the id can be given to a new session.
func (s *Store) free(id string) error {
	path, err := s.find(id)
	var newer *VersionError
	switch {
	case errors.Is(err, session.ErrNotExist):
		return nil
	case errors.As(err, &newer):
		return fmt.Errorf("%w: %s", session.ErrExist, newer.File)
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: %s", session.ErrExist, path)
}

// makeDirs makes dir and what leads to it, durably.
func makeDirs(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(parent)
}

// publish writes a file beside path and gives it that name once it is on disk. It never
// replaces a file.
func (s *Store) publish(path string, fill func(*textWriter) error) (err error) {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, ".new-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		// Once it is linked the file lives on under its own name.
		if removeErr := os.Remove(file.Name()); err == nil {
			err = removeErr
		}
		if err == nil {
			err = syncDir(dir)
		}
	}()
	w := &textWriter{out: bufio.NewWriterSize(file, 1<<16)}
	if compressed(path) {
		w.codec = s.codec
	}
	err = fill(w)
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		err = s.disk.sync(file)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Link(file.Name(), path)
	}
	if errors.Is(err, os.ErrExist) {
		err = fmt.Errorf("%w: %w", session.ErrExist, err)
	}
	return err
}

// frameText is how much text of a new file goes into one frame.
const frameText = 1 << 20

// textWriter writes lines to a new session file.
type textWriter struct {
	out   *bufio.Writer
	codec *codec // nil in a plain file
	text  []byte
}

// line adds a line, which is given without its end.
func (w *textWriter) line(line []byte) error {
	w.text = append(append(w.text, line...), '\n')
	if len(w.text) < frameText {
		return nil
	}
	return w.flush()
}

// flush ends the frame.
func (w *textWriter) flush() error {
	if len(w.text) == 0 {
		return nil
	}
	b := w.text
	if w.codec != nil {
		b = w.codec.frame(b)
	}
	_, err := w.out.Write(b)
	w.text = w.text[:0]
	return err
}
