package settings

import (
	"cmp"
	"errors"
	"fmt"
	"go/version"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/finding"
)

// GoModule is a Go module whose source is read.
type GoModule struct {
	Dir       string // relative to the root; "." is the root
	Path      string // module path
	GoVersion string // such as 1.26; empty where go.mod has none
	Tools     []string
	Ignored   []string         // the ignore lines: ./dir from the module's directory, dir at any depth
	Requires  []module.Version // as go.mod writes them
}

// Join is the import path of a directory, relative to the root, that lies in the module.
func (m *GoModule) Join(dir string) string {
	switch {
	case dir == m.Dir:
		return m.Path
	case m.Dir == ".":
		return path.Join(m.Path, dir)
	}
	return path.Join(m.Path, strings.TrimPrefix(dir, m.Dir+"/"))
}

// holds reports whether a directory, relative to the root, lies in the module's.
func (m *GoModule) holds(dir string) bool {
	return m.Dir == "." || dir == m.Dir || strings.HasPrefix(dir, m.Dir+"/")
}

// Owner is the innermost of the modules that a directory, relative to the root, lies in,
// or nil.
func (s *Settings) Owner(dir string) *GoModule {
	var out *GoModule
	for _, m := range s.Modules {
		if m.holds(dir) && (out == nil || len(m.Dir) > len(out.Dir) || out.Dir == ".") {
			out = m
		}
	}
	return out
}

// OwnDir is the directory, relative to the root, that an import path stands for. It is
// false for one that is of none of the modules.
func (s *Settings) OwnDir(importPath string) (dir string, ok bool) {
	var in *GoModule
	for _, m := range s.Modules {
		if (importPath == m.Path || strings.HasPrefix(importPath, m.Path+"/")) && (in == nil || len(m.Path) > len(in.Path)) {
			in = m
		}
	}
	if in == nil {
		return "", false
	}
	return path.Join(in.Dir, strings.TrimPrefix(importPath, in.Path)), true
}

// findRoot walks up from dir, or from the working directory, to the next directory with a
// go.mod, or with a settings file that names modules.
func findRoot(d *disk.Reader, dir string) (string, error) {
	start := dir
	if start == "" {
		start = "."
	}
	abs, err := filepath.Abs(start)
	if err != nil {
		return "", finding.Failure{Message: fmt.Sprintf("resolve --dir: %v", err)}
	}
	if info, err := d.Stat(abs); err != nil || !info.IsDir() {
		return "", finding.Failure{Message: fmt.Sprintf("--dir %s: no such directory; name the directory of a Go module", start)}
	}
	for at := abs; ; at = filepath.Dir(at) {
		if isFile(d, filepath.Join(at, "go.mod")) || namesModules(d, filepath.Join(at, FileName)) {
			// Without links, every path below it is spelled as the go command spells it.
			if real, err := d.EvalSymlinks(at); err == nil {
				return real, nil
			}
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", finding.Failure{Message: fmt.Sprintf("no go.mod in %s or above it; run inside a Go module, or name one with --dir", abs)}
		}
	}
}

func isFile(d *disk.Reader, name string) bool {
	info, err := d.Stat(name)
	return err == nil && !info.IsDir()
}

// namesModules reports whether a settings file makes its directory the root of a tree of
// modules, whether or not the directory is a module itself.
func namesModules(d *disk.Reader, name string) bool {
	data, err := d.ReadFile(name)
	if err != nil {
		return false
	}
	var keys map[string]yaml.Node
	if yaml.Unmarshal(data, &keys) != nil {
		return false
	}
	workspace := keys["workspace"]
	_, named := keys["modules"]
	return named || workspace.Tag == "!!bool" && workspace.Value == "true"
}

func (f *file) setModules(key, value *yaml.Node) error {
	const want = "modules: want a list of directories, such as [., tools]"
	if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
		return failAt(value, want)
	}
	seen := map[string]bool{}
	for _, item := range value.Content {
		item = resolveAlias(item)
		if item.Kind != yaml.ScalarNode || item.Value == "" {
			return failAt(item, want)
		}
		dir := path.Clean(filepath.ToSlash(item.Value))
		switch {
		case filepath.IsAbs(item.Value) || outside(dir):
			return failAt(item, "modules: %s is outside the root; name directories below it", item.Value)
		case seen[dir]:
			return failAt(item, "modules: %s is named twice; name each module once", item.Value)
		}
		seen[dir] = true
		f.modules = append(f.modules, place{dir, item.Line})
	}
	return nil
}

func outside(dir string) bool { return dir == ".." || strings.HasPrefix(dir, "../") || path.IsAbs(dir) }

// loadModules reads the go.mod of each module: those that the settings name, or those of
// go.work, or the one at the root.
func (f *file) loadModules() error {
	dirs := f.modules
	if f.workspace {
		used, err := f.readWorkspace()
		if err != nil {
			return err
		}
		for _, d := range dirs {
			if !slices.ContainsFunc(used, func(u place) bool { return u.text == d.text }) {
				return finding.Failure{Path: FileName, Line: d.line, Message: fmt.Sprintf("modules: go.work does not use %s; run go work use ./%s, or set workspace: false", d.text, d.text)}
			}
		}
		if dirs == nil {
			dirs = used
		}
	}
	if dirs == nil {
		dirs = []place{{text: "."}}
	}
	return f.readModules(dirs)
}

// readWorkspace reads go.work and returns the directories that it uses.
func (f *file) readWorkspace() ([]place, error) {
	const name = "go.work"
	f.s.Workspace = filepath.Join(f.s.Root, name)
	data, err := f.s.Disk.ReadFile(f.s.Workspace)
	if err != nil {
		return nil, finding.Failure{Path: FileName, Line: f.lines["workspace"], Message: fmt.Sprintf("workspace: read go.work: %v; write one beside this file (go work init), or list the modules instead", finding.Cause(err))}
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return nil, parseFailure(name, err)
	}
	f.s.follow(f.s.Root, work.Replace)
	var out []place
	for _, u := range work.Use {
		dir := path.Clean(filepath.ToSlash(u.Path))
		if filepath.IsAbs(u.Path) {
			dir = f.s.Rel(u.Path)
		}
		if outside(dir) || f.modules != nil {
			f.s.followUse(f.s.Abs(dir))
		}
		if outside(dir) {
			if f.modules == nil {
				return nil, finding.Failure{Path: name, Line: u.Syntax.Start.Line, Message: fmt.Sprintf("use %s is outside the root; list the modules that the pages are about under modules in %s", u.Path, FileName)}
			}
			continue
		}
		out = append(out, place{text: dir})
	}
	if len(out) == 0 {
		return nil, finding.Failure{Path: name, Message: "it uses no module below the root; add one (go work use DIR)"}
	}
	return out, nil
}

func (f *file) readModules(dirs []place) error {
	s := f.s
	for _, d := range dirs {
		m, err := readModule(s, d)
		if err != nil {
			return err
		}
		for _, other := range s.Modules {
			if other.Path == m.Path {
				return finding.Failure{Path: path.Join(m.Dir, "go.mod"), Message: fmt.Sprintf("module %s is that of %s already; give one of them another path", m.Path, path.Join(other.Dir, "go.mod"))}
			}
		}
		s.Modules = append(s.Modules, m)
		if m.Dir == "." {
			s.Module, s.GoVersion = m.Path, m.GoVersion
		}
	}
	slices.SortFunc(s.Modules, func(a, b *GoModule) int { return cmp.Compare(a.Dir, b.Dir) })
	if s.Module == "" {
		for _, m := range s.Modules {
			if version.Compare("go"+m.GoVersion, "go"+s.GoVersion) > 0 {
				s.GoVersion = m.GoVersion
			}
		}
	}
	return nil
}

// follow remembers where the replace lines of a go.mod or go.work in a directory lead.
func (s *Settings) follow(dir string, lines []*modfile.Replace) {
	for _, r := range lines {
		if r.New.Version != "" {
			continue
		}
		to := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		s.Elsewhere = append(s.Elsewhere, to)
	}
}

// followUse remembers a module of a workspace that is not read, and where it leads: its
// replace lines count for the workspace. What is wrong with it the go command says.
func (s *Settings) followUse(dir string) {
	s.Elsewhere = append(s.Elsewhere, dir)
	data, err := s.Disk.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return
	}
	if mod, err := modfile.Parse("go.mod", data, nil); err == nil {
		s.follow(dir, mod.Replace)
	}
}

// readModule reads one go.mod.
func readModule(s *Settings, at place) (*GoModule, error) {
	m := &GoModule{Dir: at.text}
	name := path.Join(m.Dir, "go.mod")
	data, err := s.Disk.ReadFile(s.Abs(name))
	switch {
	case err != nil && at.line > 0:
		return nil, finding.Failure{Path: FileName, Line: at.line, Message: fmt.Sprintf("modules: read %s: %v; name directories of Go modules", name, finding.Cause(err))}
	case err != nil:
		return nil, finding.Failure{Path: name, Message: "read: " + finding.Cause(err).Error()}
	}
	if real, err := s.Disk.EvalSymlinks(s.Abs(m.Dir)); err == nil && s.Rel(real) != m.Dir {
		return nil, finding.Failure{Path: FileName, Line: at.line, Message: fmt.Sprintf("modules: %s is a link to %s; name the directory itself, below the root", m.Dir, s.Rel(real))}
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		// What a newer go command understands is no fault to us.
		mod, err = modfile.ParseLax(name, data, nil)
	}
	if err != nil {
		return nil, parseFailure(name, err)
	}
	if mod.Module == nil {
		return nil, finding.Failure{Path: name, Message: "no module line; add one (go mod init)"}
	}
	m.Path = mod.Module.Mod.Path
	if mod.Go != nil {
		m.GoVersion = mod.Go.Version
	}
	for _, t := range mod.Tool {
		m.Tools = append(m.Tools, t.Path)
	}
	for _, ig := range mod.Ignore {
		m.Ignored = append(m.Ignored, strings.TrimSuffix(ig.Path, "/"))
	}
	s.follow(s.Abs(m.Dir), mod.Replace)
	for _, r := range mod.Require {
		m.Requires = append(m.Requires, r.Mod)
	}
	return m, nil
}

// parseFailure is a fault of go.mod or go.work.
func parseFailure(name string, err error) error {
	line := 0
	var list modfile.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		line = list[0].Pos.Line
		err = list[0].Err
	}
	return finding.Failure{Path: name, Line: line, Message: fmt.Sprintf("parse: %v; mend %s", err, path.Base(name))}
}
