package filelog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentplan/sdk/planmode/session"
)

// Store is a directory of session files: a [session.Store].
type Store struct {
	dir   string
	set   settings
	codec *codec
	disk  disk
	hub   hub
}

var _ session.Store = (*Store)(nil)

// New returns the store of the sessions under dir, which need not exist yet. Nil opts
// are the defaults. Several stores, also of other programs, may share a directory.
func New(dir string, opts *Options) (*Store, error) {
	if dir == "" {
		return nil, errors.New("open session store: directory is empty")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open session store: %w", err)
	}
	return &Store{dir: abs, set: newSettings(opts), codec: &codec{}, disk: osDisk()}, nil
}

// pieces reads a session file from an offset on, to where it ends now. What comes later is
// left to the next look: if a torn tail were cut off and written over meanwhile, the
// beginning of one line would be read together with the end of another.
func (s *Store) pieces(file *os.File, offset int64) pieces {
	size := int64(math.MaxInt64)
	rest := int64(rawPieceSize)
	if info, err := file.Stat(); err == nil {
		size, rest = info.Size(), info.Size()-offset
	}
	bounded := io.NewSectionReader(file, 0, size)
	if compressed(file.Name()) {
		return newZstdPieces(s.codec, bounded, offset, rest)
	}
	return newRawPieces(bounded, offset, rest)
}

func compressed(path string) bool { return strings.HasSuffix(path, ".zstd") }

// Open reads and checks the whole file of the session and returns its log.
//
// The error wraps [session.ErrNotExist] if there is no such session, is a
// [*session.CorruptError] if the file is damaged or holds what the original's reader
// refuses, and a [*VersionError] if a newer format has taken the session over. A tail
// that a crash left is passed over here and cut off by the next append.
func (s *Store) Open(ctx context.Context, id string) (session.Log, error) {
	log, err := s.open(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open session %q: %w", id, err)
	}
	return log, nil
}

func (s *Store) open(ctx context.Context, id string) (*Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, err := s.find(id)
	if err != nil {
		return nil, err
	}
	log := s.openLog(id, path)
	if _, err := log.look(ctx); err != nil {
		return nil, err
	}
	return log, nil
}

// find returns the path of the live file of a session, in whichever project it is.
func (s *Store) find(id string) (string, error) {
	name, err := sessionDir(id)
	if err != nil {
		return "", err
	}
	projects, err := s.projects()
	if err != nil {
		return "", err
	}
	found := ""
	for _, project := range projects {
		path, err := liveFile(filepath.Join(project, name))
		if errors.Is(err, session.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if found != "" {
			return "", fmt.Errorf("both %s and %s: cannot tell which is meant", found, path)
		}
		found = path
	}
	if found == "" {
		return "", session.ErrNotExist
	}
	return found, nil
}

// projects returns the paths of the directories that may hold sessions.
func (s *Store) projects() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, entry := range entries {
		if entry.IsDir() || entry.Type()&fs.ModeSymlink != 0 {
			paths = append(paths, filepath.Join(s.dir, entry.Name()))
		}
	}
	return paths, nil
}

// List yields the header of each session, project by project, and reads no more of the
// files. An error about one session names its file.
func (s *Store) List(ctx context.Context) iter.Seq2[session.Header, error] {
	return func(yield func(session.Header, error) bool) {
		projects, err := s.projects()
		if err != nil {
			yield(session.Header{}, fmt.Errorf("list sessions: %w", err))
			return
		}
		for _, project := range projects {
			if !s.listProject(ctx, project, yield) {
				return
			}
		}
	}
}

func (s *Store) listProject(ctx context.Context, project string, yield func(session.Header, error) bool) bool {
	entries, err := os.ReadDir(project)
	if err != nil {
		return yield(session.Header{}, fmt.Errorf("list sessions: %w", err))
	}
	for _, entry := range entries {
		if !entry.IsDir() && entry.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			yield(session.Header{}, fmt.Errorf("list sessions: %w", err))
			return false
		}
		path, err := liveFile(filepath.Join(project, entry.Name()))
		if errors.Is(err, session.ErrNotExist) {
			continue
		}
		var header session.Header
		if err == nil {
			header, err = s.readHeader(ctx, path)
		}
		if err != nil {
			err = fmt.Errorf("list sessions: %w", err)
		}
		if !yield(header, err) {
			return false
		}
	}
	return true
}

// readHeader reads the first line of a session file.
func (s *Store) readHeader(ctx context.Context, path string) (session.Header, error) {
	file, err := os.Open(path)
	if err != nil {
		return session.Header{}, err
	}
	defer file.Close()
	src := s.pieces(file, 0)
	p, err := src.next()
	if err != nil && err != io.EOF {
		return session.Header{}, err
	}
	pass := scan{path: path}
	line, _, whole := strings.Cut(string(p.text), "\n")
	if !whole {
		if p.fault == nil {
			p.fault = errors.New("the header is missing")
		}
		return session.Header{}, pass.corrupt(p.fault)
	}
	_, _, err = pass.line([]byte(line))
	return pass.header, err
}
