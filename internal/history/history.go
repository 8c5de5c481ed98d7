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
	"path/filepath"
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

// Versions returns for each file the ids of the bytes that it had in commits, newest
// first, each once. Paths are relative to the directory of the repository's Open, with
// slashes. Files without any are not in the result.
func (r *Repo) Versions(ctx context.Context, paths []string) (map[string][]string, error) {
	versions := map[string][]string{}
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for part := range slices.Chunk(slices.Compact(paths), chunk) {
		args := append([]string{
			"log", "-z", "-m", "--raw", "--no-abbrev", "--no-renames", "--relative", "--full-history",
			"--format=", "--max-count=" + strconv.Itoa(maxCommits), "--",
		}, part...)
		out, err := r.git(ctx, args...).Output()
		if err != nil {
			return nil, fmt.Errorf("git log: %s", words(err))
		}
		readRaw(string(out), versions)
	}
	return versions, nil
}

// readRaw reads records of the form ":MODE MODE ID ID STATUS NUL PATH NUL". The second id
// is that of the newer bytes.
func readRaw(out string, versions map[string][]string) {
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i++ {
		record := strings.Fields(strings.TrimSpace(fields[i]))
		if len(record) != 5 || record[0][0] != ':' {
			continue
		}
		i++
		path := filepath.ToSlash(fields[i])
		// The older id is there too where a file was changed before the oldest commit.
		for _, id := range []string{record[3], record[2]} {
			if strings.Trim(id, "0") == "" || len(versions[path]) >= maxVersions {
				continue
			}
			if !slices.Contains(versions[path], id) {
				versions[path] = append(versions[path], id)
			}
		}
	}
}

// Read returns the bytes of an id that Versions gave.
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
