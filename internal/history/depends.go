package history

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentplan/sdk/internal/disk"
)

// Remember remembers in d what git says about the history of dir depends on: where the
// repository is, which commit it is at, and how it is configured. Where that cannot be
// told by a few files, d becomes vague. Called before and after git was asked, it makes d
// vague also where the repository moved on meanwhile.
func Remember(d *disk.Reader, dir string) {
	if d == nil {
		return
	}
	if _, err := d.LookPath("git"); err != nil {
		return
	}
	if os.Getenv("GIT_DIR") != "" || os.Getenv("GIT_COMMON_DIR") != "" || os.Getenv("GIT_OBJECT_DIRECTORY") != "" {
		d.Vague("the environment says where the git repository is")
		return
	}
	for _, name := range userConfigs() {
		config(d, name)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := d.Lstat(filepath.Join(at, ".git")); err == nil {
			repository(d, at, info.IsDir())
			return
		}
		if at == filepath.Dir(at) {
			return
		}
	}
}

// userConfigs are the configuration files of the user and the system.
func userConfigs() []string {
	names := []string{"/etc/gitconfig"}
	home, err := os.UserHomeDir()
	if err != nil {
		return names
	}
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" {
		xdg = filepath.Join(home, ".config")
	}
	return append(names, filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"))
}

// config remembers a configuration file. One that may include others, or that says that
// the repository is of a kind not known here, makes d vague.
func config(d *disk.Reader, name string) {
	data, err := d.ReadFile(name)
	if err != nil {
		return
	}
	text := bytes.ToLower(data)
	for _, word := range []string{"include", "reftable", "promisor", "partialclone"} {
		if bytes.Contains(text, []byte(word)) {
			d.Vague("git is configured by more than " + name)
		}
	}
}

// repository remembers the state of the repository at a directory.
func repository(d *disk.Reader, at string, isDir bool) {
	dir := filepath.Join(at, ".git")
	if !isDir { // of another worktree, or of a submodule
		data, err := d.ReadFile(dir)
		to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
		if err != nil || !ok {
			d.Vague(dir + " is no git repository")
			return
		}
		dir = from(at, to)
	}
	common := dir
	if data, err := d.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		common = from(dir, strings.TrimSpace(string(data)))
	}
	config(d, filepath.Join(common, "config"))
	config(d, filepath.Join(dir, "config.worktree"))
	for _, name := range []string{"packed-refs", "shallow", "info/grafts", "objects/info/alternates"} {
		_, _ = d.ReadFile(filepath.Join(common, filepath.FromSlash(name))) // an error is remembered
	}
	head, err := d.ReadFile(filepath.Join(dir, "HEAD"))
	if err != nil {
		return
	}
	ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	if !ok {
		return
	}
	id, err := d.ReadFile(filepath.Join(common, filepath.FromSlash(ref)))
	if err == nil && bytes.HasPrefix(id, []byte("ref:")) {
		d.Vague(ref + " stands for another ref")
	}
}

// from is a path that may be relative to a directory.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}
