package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Change is one path that differs between a revision and the working tree.
type Change struct {
	Path string // relative to the directory of Open, with slashes; it may begin with ../
	Old  string // the id of its bytes at the revision, for Read; empty where there was no file
	Gone bool   // it is not in the working tree

	// Opaque says that more may have changed than the bytes of a file: a symbolic link, a
	// submodule, another repository, or a file that git was told not to look at.
	Opaque bool
}

// Changes are all paths of a repository that differ between a revision and the working
// tree, sorted.
type Changes struct {
	Paths []Change
	Dirs  map[string]bool // the directories at the revision, relative to the directory of Open
}

// Changes compares the working tree with a revision, as git diff REV does: what the index
// holds does not matter, but to tell which files are tracked. Files that git does not
// track, those that it ignores too, count as changed: the revision does not have them. A
// file that is reached through a symbolic link of the repository is listed under both
// paths.
func (r *Repo) Changes(ctx context.Context, rev string) (*Changes, error) {
	id, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}").Output()
	if err != nil {
		hint := "name a commit, a branch or a tag of this repository"
		if r.shallow {
			hint = "the clone is shallow, so it may lack it; get it with git fetch --unshallow, or fetch the revision"
		}
		return nil, fmt.Errorf("unknown revision %q: %s", rev, hint)
	}
	commit := strings.TrimSpace(string(id))
	c := comparison{repo: r, at: map[string]int{}}
	if err := c.place(ctx); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, string) error{c.tracked, c.untracked, c.index, c.tree} {
		if err := step(ctx, commit); err != nil {
			return nil, err
		}
	}
	c.throughLinks()
	slices.SortFunc(c.out.Paths, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return &c.out, nil
}

// comparison is the work of one Changes.
type comparison struct {
	repo   *Repo
	top    string // the root of the working tree
	prefix string // of the directory of Open in it, with a slash at the end, or empty
	links  []string
	at     map[string]int
	out    Changes
}

// place finds the working tree.
func (c *comparison) place(ctx context.Context) error {
	out, err := c.run(ctx, "", "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return err
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 2 {
		return errors.New("git rev-parse: the repository has no working tree")
	}
	c.top, c.prefix = filepath.FromSlash(strings.TrimSuffix(lines[0], "\r")), strings.TrimSuffix(lines[1], "\r")
	return nil
}

func (c *comparison) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	// A monitor that says what has changed may be wrong; the files are not.
	cmd := c.repo.git(ctx, append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	if dir != "" {
		cmd.Dir = dir
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %s", args[0], words(err))
	}
	return out, nil
}

// rel turns a path of the repository into one relative to the directory of Open.
func (c *comparison) rel(name string) string {
	if rest, ok := strings.CutPrefix(name, c.prefix); ok {
		return rest
	}
	up := ""
	for dir := path.Dir(path.Clean(c.prefix)); ; dir = path.Dir(dir) {
		up += "../"
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			return up + rest
		}
		if dir == "." {
			return up + name
		}
	}
}

func (c *comparison) add(ch Change) {
	i, ok := c.at[ch.Path]
	if !ok {
		c.at[ch.Path] = len(c.out.Paths)
		c.out.Paths = append(c.out.Paths, ch)
		return
	}
	// Git said both: that the file is another one, and that it is not tracked or merged.
	have := &c.out.Paths[i]
	if have.Old == "" {
		have.Old = ch.Old
	}
	have.Opaque = have.Opaque || ch.Opaque
}

// fill says of a change what the disk says.
func (c *comparison) fill(name string, ch Change) Change {
	info, err := os.Lstat(filepath.Join(c.top, filepath.FromSlash(name)))
	ch.Path = c.rel(name)
	ch.Gone = err != nil
	ch.Opaque = ch.Opaque || err == nil && !info.Mode().IsRegular()
	return ch
}

// tracked reads the records of git diff: ":MODE MODE ID ID STATUS NUL PATH NUL".
func (c *comparison) tracked(ctx context.Context, commit string) error {
	out, err := c.run(ctx, c.top, "diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative",
		"--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "--end-of-options", commit, "--")
	if err != nil {
		return err
	}
	records := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(records); i += 2 {
		fields := strings.Fields(records[i])
		if len(fields) != 5 {
			return fmt.Errorf("git diff: unknown record %q", records[i])
		}
		ch := Change{Opaque: fields[4] == "U"}
		switch mode := strings.TrimPrefix(fields[0], ":"); mode {
		case "000000":
		case "100644", "100755", "100664":
			ch.Old = fields[2]
		default:
			ch.Opaque = true
		}
		c.add(c.fill(records[i+1], ch))
	}
	return nil
}

// untracked lists what the index does not have. Dependencies of docs sites are passed
// over.
func (c *comparison) untracked(ctx context.Context, _ string) error {
	out, err := c.run(ctx, c.top, "ls-files", "-z", "--others", "--exclude=node_modules")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			c.add(c.fill(strings.TrimSuffix(name, "/"), Change{Opaque: strings.HasSuffix(name, "/")}))
		}
	}
	return nil
}

// index finds the symbolic links, and the files whose changes git does not show because
// it was told so.
func (c *comparison) index(ctx context.Context, _ string) error {
	out, err := c.run(ctx, c.top, "ls-files", "-z", "-v", "--stage")
	if err != nil {
		return err
	}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		head, name, ok := strings.Cut(string(record), "\t")
		if !ok || len(head) < 8 {
			continue
		}
		if tag := head[0]; tag == 'S' || 'a' <= tag && tag <= 'z' {
			c.add(c.fill(name, Change{Opaque: true}))
		}
		if strings.HasPrefix(head[2:], "120000 ") {
			c.links = append(c.links, name)
		}
	}
	return nil
}

// tree lists the directories that the revision has.
func (c *comparison) tree(ctx context.Context, commit string) error {
	out, err := c.run(ctx, c.top, "ls-tree", "-z", "-r", "-d", "--name-only", "--full-tree", commit)
	if err != nil {
		return err
	}
	c.out.Dirs = map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			c.out.Dirs[c.rel(name)] = true
		}
	}
	return nil
}

// throughLinks adds the changed files that a symbolic link leads to under its own path.
func (c *comparison) throughLinks() {
	top, err := filepath.EvalSymlinks(c.top)
	if err != nil {
		return
	}
	changed := slices.Clone(c.out.Paths)
	for _, link := range c.links {
		abs := filepath.Join(top, filepath.FromSlash(link))
		target, err := filepath.EvalSymlinks(abs)
		if err != nil { // it leads to nothing, perhaps since the change
			text, _ := os.Readlink(abs)
			if target = filepath.FromSlash(text); !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(abs), target)
			}
		}
		rel, err := filepath.Rel(top, target)
		if err != nil {
			continue
		}
		to := c.rel(filepath.ToSlash(rel))
		for _, ch := range changed {
			if ch.Path == to {
				ch.Path = c.rel(link)
				c.add(ch)
			} else if rest, ok := strings.CutPrefix(ch.Path, to+"/"); ok {
				ch.Path = c.rel(link) + "/" + rest
				c.add(ch)
			}
		}
	}
}
