// Package history yields former bytes of a module's files from git, where git is there.
// It only reads, and it starts git for as few calls as it can.
package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// Limits of one search. What is older is not found, which is no error.
const (
	maxCommits  = 5000 // of all files of one call of git
	maxVersions = 200  // of one file
	chunk       = 200  // files of one call of git
)

// Repo is the git repository that holds a directory. It is for use by one goroutine.
type Repo struct {
	dir     string
	blobs   *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	shallow bool
}

// Open looks for the repository that dir is in. Its error says in a few words why there
// is none to read from.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{dir: dir}
	out, err := r.git(ctx, "rev-parse", "--is-shallow-repository").Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("git is not installed")
	case errors.As(err, &exit) && bytes.Contains(exit.Stderr, []byte("not a git repository")):
		return nil, errors.New("the module is in no git repository")
	case err != nil:
		return nil, fmt.Errorf("git does not read the repository: %s", words(err))
	}
	r.shallow = strings.TrimSpace(string(out)) == "true"
	return r, nil
}

// Shallow reports whether the repository lacks older commits.
func (r *Repo) Shallow() bool { return r.shallow }

// words is the first line of what git said, or the error itself.
func words(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n"); line != "" {
			return line
		}
	}
	return err.Error()
}

func (r *Repo) git(ctx context.Context, args ...string) *exec.Cmd {
	args = append([]string{"--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.quotePath=false", "-c", "log.showSignature=false"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	// Reading must neither ask, nor fetch, nor refresh an index.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1")
	return cmd
}

// A walk goes through versions of some files.
type walk struct {
	open map[string]bool // files of which more is wanted
	seen map[string]map[string]bool
	take func(path, id string) (done bool)
}

// Walk calls take with the ids of the bytes that files had in commits, for each file the
// newest first and each once. It goes on with a file until take returns true, and stops
// when no file is left. Paths are relative to the directory of Open, with slashes.
func (r *Repo) Walk(ctx context.Context, paths []string, take func(path, id string) (done bool)) error {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for part := range slices.Chunk(slices.Compact(paths), chunk) {
		w := walk{open: map[string]bool{}, seen: map[string]map[string]bool{}, take: take}
		for _, p := range part {
			w.open[p] = true
			w.seen[p] = map[string]bool{}
		}
		if err := r.log(ctx, part, &w); err != nil {
			return fmt.Errorf("git log: %w", err)
		}
	}
	return nil
}

// log runs git for some files, for as long as the walk wants more.
func (r *Repo) log(ctx context.Context, paths []string, w *walk) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := r.git(ctx, append([]string{
		"log", "-z", "-m", "--raw", "--no-abbrev", "--no-renames", "--relative", "--full-history",
		"--format=", "--max-count=" + strconv.Itoa(maxCommits), "--",
	}, paths...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := w.read(bufio.NewReader(out))
	if len(w.open) == 0 {
		stop()
		_ = cmd.Wait() // it was stopped
		return nil
	}
	if err := cmd.Wait(); err != nil {
		if line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n"); line != "" {
			return errors.New(line)
		}
		return err
	}
	return readErr
}

// read reads records of the form ":MODE MODE ID ID STATUS NUL PATH NUL". The second id is
// that of the newer bytes.
func (w *walk) read(out *bufio.Reader) error {
	for len(w.open) > 0 {
		head, err := out.ReadString(0)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		record := strings.Fields(strings.Trim(head, "\x00\n"))
		if len(record) != 5 || record[0][0] != ':' {
			continue
		}
		path, err := out.ReadString(0)
		if err != nil {
			return err
		}
		path = strings.TrimSuffix(path, "\x00")
		// The older id counts too: its commit may be of no interest to git's simplified walk.
		w.version(path, record[3])
		w.version(path, record[2])
	}
	return nil
}

func (w *walk) version(path, id string) {
	if !w.open[path] || w.seen[path][id] || strings.Trim(id, "0") == "" {
		return
	}
	w.seen[path][id] = true
	if w.take(path, id) || len(w.seen[path]) >= maxVersions {
		delete(w.open, path)
	}
}

// Read returns the bytes of an id that Walk gave.
func (r *Repo) Read(ctx context.Context, id string) ([]byte, error) {
	if r.blobs == nil {
		if err := r.start(ctx); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
	}
	if _, err := io.WriteString(r.in, id+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := r.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	fields := strings.Fields(head)
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, fmt.Errorf("git cat-file: %s", strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	data := make([]byte, size+1) // with the line end behind it
	if _, err := io.ReadFull(r.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return data[:size], nil
}

func (r *Repo) start(ctx context.Context) error {
	cmd := r.git(ctx, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.blobs, r.in, r.out = cmd, in, bufio.NewReader(out)
	return nil
}

// Close ends what Read began. The repository is of no use afterwards.
func (r *Repo) Close() error {
	if r.blobs == nil {
		return nil
	}
	if err := r.in.Close(); err != nil {
		return err
	}
	return r.blobs.Wait()
}
