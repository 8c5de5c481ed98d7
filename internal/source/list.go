package source

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

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

// list asks the go command which files make up the packages. The mode is one that
// neither loads dependencies nor compiles anything.
//
// The package unsafe is listed too: its directory tells where the Go tree in use is.
func list(ctx context.Context, s *settings.Settings) listResult {
	cfg := GoConfig(ctx, s)
	cfg.Mode = packages.NeedName | packages.NeedFiles
	pkgs, err := packages.Load(cfg, "./...", "unsafe")
	if err != nil {
		return listResult{err: errors.New(goWords(err))}
	}
	var out listResult
	rel := relativeTo{s}
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
	return out
}

// GoConfig is how every call of the go command is made: for the configured platform and
// tags, outside any workspace, whatever the environment says.
func GoConfig(ctx context.Context, s *settings.Settings) *packages.Config {
	cgo := "0"
	if s.Cgo {
		cgo = "1"
	}
	env := append(os.Environ(),
		"GO111MODULE=on", "GOWORK=off", "GOOS="+s.GOOS, "GOARCH="+s.GOARCH, "CGO_ENABLED="+cgo,
		"GOFLAGS="+withoutBuild(os.Getenv("GOFLAGS")), "GOEXPERIMENT=", "GOPACKAGESDRIVER=off",
	)
	return &packages.Config{
		Context: ctx,
		Dir:     s.Root,
		Env:     env,
		// Named even when empty: the flags win over GOFLAGS in a go env file too.
		BuildFlags: []string{"-tags=" + strings.Join(s.Tags, ","), "-race=false", "-msan=false", "-asan=false"},
	}
}

// buildFlag matches the flags that decide which files a build sees; sanitizers are tags of
// a kind.
var buildFlag = regexp.MustCompile(`^--?(tags|race|msan|asan)(=|$)`)

func withoutBuild(goflags string) string {
	var kept []string
	for _, f := range strings.Fields(goflags) {
		if !buildFlag.MatchString(f) {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
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

var wrapping = regexp.MustCompile(`^err: [^:]*: stderr: `)

// goWords is what the go command said, without what was said about calling it.
func goWords(err error) string {
	return strings.TrimSpace(wrapping.ReplaceAllString(err.Error(), ""))
}

var errorPos = regexp.MustCompile(`^(.*?):(\d+)(?::\d+)?$`)

// listError translates an error of the go command. Some are none to us: a directory
// whose files the constraints all exclude, and syntax, which our own parse reports.
func (root relativeTo) listError(e packages.Error) (listError, bool) {
	if e.Kind == packages.ParseError ||
		strings.Contains(e.Msg, "build constraints exclude all Go files") ||
		strings.Contains(e.Msg, "no Go files") || strings.Contains(e.Msg, "no non-test Go files") {
		return listError{}, false
	}
	msg := strings.ReplaceAll(strings.TrimSpace(e.Msg), root.s.Root+string(filepath.Separator), "")
	le := listError{text: "go list: " + msg + "; mend the package"}
	if m := errorPos.FindStringSubmatch(e.Pos); m != nil {
		name := m[1]
		if !filepath.IsAbs(name) {
			name = filepath.Join(root.s.Root, name)
		}
		le.path = root.path(name)
		le.line, _ = strconv.Atoi(m[2])
	}
	return le, true
}
