// Package gotool yields what the answers of the go command depend on besides the module
// that it is asked about: the program, the Go tree, the environment and its files.
package gotool

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/disk"
)

// Environment returns the environment variables that decide what the go command says, each
// as KEY=value, sorted.
func Environment() []string {
	var out []string
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			key = strings.ToUpper(key)
		}
		switch {
		case strings.HasPrefix(key, "GO"), strings.HasPrefix(key, "CGO_"):
		case slices.Contains([]string{"PATH", "PATHEXT", "HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "NETRC"}, key):
		default:
			continue
		}
		out = append(out, kv)
	}
	slices.Sort(out)
	return out
}

// Tool is the go command of the environment.
type Tool struct {
	disk    *disk.Reader
	conf    map[string]string // of the files of go env, by the variable
	program string            // without links
	root    string            // its Go tree, if that is one of a release
}

// Find looks for the go command, and remembers in d all that decides what it says: which
// program it is and of which release, and what the files of go env hold. What d cannot
// remember makes it vague.
func Find(d *disk.Reader) *Tool {
	t := &Tool{disk: d, conf: map[string]string{}}
	program, err := d.LookPath("go")
	if err != nil {
		return t
	}
	if real, err := d.EvalSymlinks(program); err == nil {
		// A script that chooses among several releases is no part of a Go tree.
		root := filepath.Dir(filepath.Dir(real))
		t.program = real
		if t.Release(root) {
			t.root = root
		} else {
			d.Vague(program + " is not the go command of a release")
		}
		t.readConf(filepath.Join(root, "go.env"))
	}
	if name := os.Getenv("GOENV"); name != "" && name != "off" {
		t.readConf(name)
	} else if dir, err := os.UserConfigDir(); err == nil && name == "" {
		t.readConf(filepath.Join(dir, "go", "env"))
	}
	if flags := t.Env("GOFLAGS"); strings.Contains(flags, "-modfile") || strings.Contains(flags, "-overlay") {
		d.Vague("GOFLAGS names another file: " + flags)
	}
	if strings.Contains(t.Env("GOTOOLCHAIN"), "path") {
		d.Vague("GOTOOLCHAIN searches the path")
	}
	return t
}

// Release remembers the release of a Go tree, whose sources are then known by it, and
// reports whether it has one.
func (t *Tool) Release(root string) bool {
	version, err := t.disk.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil || !strings.HasPrefix(string(version), "go1") {
		return false
	}
	t.disk.Named(filepath.Join(root, "src"))
	return true
}

// Root is the Go tree that the go command works with, as far as that can be told, or "".
func (t *Tool) Root() string {
	root := t.root
	if v := t.Env("GOROOT"); v != "" {
		root = v
	}
	if root == "" || !t.disk.IsDir(filepath.Join(root, "src")) {
		return ""
	}
	return root
}

// readConf reads a file of go env; a later one counts more.
func (t *Tool) readConf(name string) {
	data, err := t.disk.ReadFile(name)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			t.conf[key] = value
		}
	}
}

// Env is the value that the go command has for a variable, or "" for its default.
func (t *Tool) Env(key string) string {
	if v := os.Getenv(key); v != "" {
		return v
	}
	return t.conf[key]
}

// ModCache is the directory of the module cache, or "".
func (t *Tool) ModCache() string {
	if dir := t.Env("GOMODCACHE"); dir != "" {
		return dir
	}
	gopath, _, _ := strings.Cut(t.Env("GOPATH"), string(filepath.ListSeparator))
	if gopath == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		gopath = filepath.Join(home, "go")
	}
	return filepath.Join(gopath, "pkg", "mod")
}

// Dependency remembers where a package outside the module comes from. A directory of the
// module cache is known by its name, as go.sum vouches for its content; of any other
// directory the files count, and the go.mod above it.
func (t *Tool) Dependency(dir string) {
	if dir == "" || t.disk.Knows(dir) {
		return
	}
	if root, ok := t.moduleDir(dir); ok {
		if _, err := t.disk.Stat(root); err == nil {
			t.disk.Named(root)
			return
		}
	}
	entries, err := t.disk.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".go" && !e.IsDir() {
			_, _ = t.disk.ReadFile(filepath.Join(dir, e.Name())) // an error is remembered too
		}
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := t.disk.ReadFile(filepath.Join(at, "go.mod")); err == nil || at == filepath.Dir(at) {
			return
		}
	}
}

// moduleDir is the directory of the module in the module cache that dir belongs to.
func (t *Tool) moduleDir(dir string) (string, bool) {
	cache := t.ModCache()
	rel, ok := strings.CutPrefix(dir, cache+string(filepath.Separator))
	if cache == "" || !ok {
		return "", false
	}
	i := strings.IndexByte(rel, '@')
	if i < 0 {
		return "", false
	}
	if n := strings.IndexByte(rel[i:], filepath.Separator); n >= 0 {
		rel = rel[:i+n]
	}
	return filepath.Join(cache, rel), true
}
