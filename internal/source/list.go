package source

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
)

// listResult is what the go command says of a set of packages.
type listResult struct {
	packages []listedPackage
	stdlib   string // the src directory of the Go tree
	err      error
}

type listedPackage struct {
	path, name, dir string
	files, ignored  []string
	errors          []listError
}

type listError struct {
	path string
	line int
	text string
}

// list asks the go command which files make up the packages of all modules. The mode is
// one that neither loads dependencies nor compiles anything.
func list(ctx context.Context, s *settings.Settings) listResult {
	out, err := eachCall(s, func(t goTool, patterns []string) (listResult, error) { return listIn(ctx, t, patterns) })
	out.err = err
	return out
}

// eachCall makes the calls of the go command that list the packages of all modules, one
// for each module or, with a workspace, one for all, and joins what they say.
func eachCall(s *settings.Settings, call func(t goTool, patterns []string) (listResult, error)) (listResult, error) {
	if s.Workspace != "" {
		var patterns []string
		for _, gm := range s.Modules {
			patterns = append(patterns, "./"+path.Join(gm.Dir, "..."))
		}
		return call(goTool{s: s, dir: "."}, patterns)
	}
	results := make([]listResult, len(s.Modules))
	errs := make([]error, len(s.Modules))
	parallel.Each(len(s.Modules), func(i int) {
		results[i], errs[i] = call(goTool{s: s, dir: s.Modules[i].Dir}, []string{"./..."})
	})
	out := results[0]
	for _, r := range results[1:] {
		out.packages = append(out.packages, r.packages...)
	}
	return out, cmp.Or(errs...)
}

// listIn makes one call of the go command.
//
// The package unsafe is listed too: its directory tells where the Go tree in use is.
func listIn(ctx context.Context, t goTool, patterns []string) (listResult, error) {
	pkgs, err := t.load(ctx, packages.NeedName|packages.NeedFiles, append(patterns, "unsafe"))
	if err != nil {
		text := goWords(err)
		if t.dir != "." {
			text = "in " + t.dir + ": " + text
		}
		return listResult{}, errors.New(text)
	}
	var out listResult
	rel := relativeTo{t.s}
	for _, p := range pkgs {
		if p.PkgPath == "unsafe" {
			if len(p.GoFiles) > 0 {
				out.stdlib = filepath.Dir(filepath.Dir(p.GoFiles[0]))
			}
			continue
		}
		lp := listedPackage{path: p.PkgPath, name: p.Name}
		lp.files = rel.all(p.GoFiles)
		lp.ignored = rel.all(p.IgnoredFiles)
		if len(lp.files) > 0 {
			lp.dir = path.Dir(lp.files[0])
		}
		for _, e := range p.Errors {
			if le, ok := rel.listError(e); ok {
				if le.path == "" && len(lp.files) > 0 {
					le.path = lp.files[0]
				}
				lp.errors = append(lp.errors, le)
			}
		}
		out.packages = append(out.packages, lp)
	}
	return out, nil
}

// goTool is the go command as it is called in one directory of the tree.
type goTool struct {
	s   *settings.Settings
	dir string // relative to the root
}

// load calls the go command. Where go.mod suggests a toolchain that cannot be had, the one
// that is there has to do.
func (t goTool) load(ctx context.Context, mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	cfg := t.config(ctx)
	cfg.Mode = mode
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil && strings.Contains(err.Error(), "toolchain not available") {
		cfg.Env = append(cfg.Env, "GOTOOLCHAIN=local")
		pkgs, err = packages.Load(cfg, patterns...)
	}
	return pkgs, err
}

func (t goTool) config(ctx context.Context) *packages.Config {
	s := t.s
	cgo, work := "0", "off"
	if s.Cgo {
		cgo = "1"
	}
	if s.Workspace != "" {
		work = s.Workspace
	}
	env := append(os.Environ(),
		"GO111MODULE=on", "GOWORK="+work, "GOOS="+s.GOOS, "GOARCH="+s.GOARCH, "CGO_ENABLED="+cgo,
		"GOFLAGS="+withoutBuild(goFlags(s.Disk)), "GOEXPERIMENT=", "GOPACKAGESDRIVER=off",
	)
	return &packages.Config{
		Context: ctx,
		Dir:     s.Abs(t.dir),
		Env:     env,
		// Named even when empty: they win over everything.
		BuildFlags: []string{"-tags=" + strings.Join(s.Tags, ","), "-race=false", "-msan=false", "-asan=false"},
	}
}

// goFlags is the value of GOFLAGS: of the environment or, where that has none, of the go
// env file.
func goFlags(d *disk.Reader) string {
	if v := os.Getenv("GOFLAGS"); v != "" {
		return v
	}
	name := os.Getenv("GOENV")
	if name == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		name = filepath.Join(dir, "go", "env")
	}
	data, err := d.ReadFile(name) // GOENV=off names no file either
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "GOFLAGS="); ok {
			return v
		}
	}
	return ""
}

// buildFlag matches the flags that decide which files a build sees, sanitizers are tags of
// a kind, and the one that lets the go command write go.mod.
var buildFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^['"]?--?(?:(?:tags|race|msan|asan)(?:['"]?$|=)|mod=mod['"]?$)`)
})

// flagField is one flag of GOFLAGS, which may stand in quotes.
var flagField = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`) })

// withoutBuild is GOFLAGS without such flags. It is never empty: of an empty one the go
// command would look into its env file.
func withoutBuild(goflags string) string {
	kept := " "
	for _, f := range flagField().FindAllString(goflags, -1) {
		if !buildFlag().MatchString(f) {
			kept += f + " "
		}
	}
	return kept
}

// relativeTo makes absolute paths of the go command relative to the module root, also
// where the two spell the root differently because of a link.
type relativeTo struct{ s *settings.Settings }

func (root relativeTo) path(name string) string {
	rel, err := filepath.Rel(root.s.Root, name)
	if err != nil || strings.HasPrefix(rel, "..") {
		real, err1 := root.s.Disk.EvalSymlinks(root.s.Root)
		dir, err2 := root.s.Disk.EvalSymlinks(filepath.Dir(name))
		if err1 == nil && err2 == nil {
			if r, err := filepath.Rel(real, filepath.Join(dir, filepath.Base(name))); err == nil {
				rel = r
			}
		}
	}
	return filepath.ToSlash(rel)
}

func (root relativeTo) all(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if strings.HasSuffix(n, ".go") {
			out = append(out, root.path(n))
		}
	}
	return out
}

var wrapping = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^err: [^:]*: stderr: `) })

// goWords is what the go command said, without what was said about calling it.
func goWords(err error) string {
	return strings.TrimSpace(wrapping().ReplaceAllString(err.Error(), ""))
}

var errorPos = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?):(\d+)(?::\d+)?$`) })

// listError translates an error of the go command. Some are none to us: a directory
// whose files the constraints all exclude, and syntax, which our own parse reports.
func (root relativeTo) listError(e packages.Error) (listError, bool) {
	if e.Kind == packages.ParseError ||
		strings.Contains(e.Msg, "build constraints exclude all Go files") ||
		strings.Contains(e.Msg, "no Go files") || strings.Contains(e.Msg, "no non-test Go files") {
		return listError{}, false
	}
	msg := strings.ReplaceAll(strings.TrimSpace(e.Msg), root.s.Root+string(filepath.Separator), "")
	le := listError{text: "go list: " + msg}
	if m := errorPos().FindStringSubmatch(e.Pos); m != nil {
		name := m[1]
		if !filepath.IsAbs(name) {
			name = filepath.Join(root.s.Root, name)
		}
		le.path = root.path(name)
		le.line, _ = strconv.Atoi(m[2])
	}
	return le, true
}
