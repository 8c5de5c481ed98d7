package gotool

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"go/build"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Release is a go command of which it is known what it would say.
type Release struct {
	Root    string // its Go tree
	Version string // such as go1.26.8
	Cache   string // the directory of the module cache
}

// Plain returns the release of the go command, if that alone decides what it makes of a
// module and its module cache: it is the program of a release whose rules are those of
// the go/build that this program is compiled with, and nothing of the environment and the
// files of go env makes it do anything out of the ordinary or fail. Otherwise the error
// says what leaves doubt.
//
// What counts are the variables that the program is started with; those that every call
// of it sets (GO111MODULE, GOWORK, GOOS, GOARCH, CGO_ENABLED, GOFLAGS) are the caller's.
func (t *Tool) Plain() (Release, error) {
	r := Release{Root: t.root, Cache: t.ModCache()}
	if t.root == "" {
		return r, errors.New("find the go command: it is not that of a release")
	}
	var err error
	if r.Version, err = t.release(); err != nil {
		return r, err
	}
	for _, check := range []func(Release) error{t.checkToolchain, t.checkUnset, t.checkPaths, t.checkCompilers} {
		if err := check(r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// release is the version of the program. The file VERSION of the Go tree must agree, as
// the program may be a script or of another machine.
func (t *Tool) release() (string, error) {
	text, err := t.disk.ReadFile(filepath.Join(t.root, "VERSION"))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	v := strings.TrimSpace(line)
	ours := build.Default.ReleaseTags[len(build.Default.ReleaseTags)-1]
	if !version.IsValid(v) || version.Lang(v) != ours {
		return "", fmt.Errorf("the go command is of release %s, and its rules may not be those of %s", v, ours)
	}
	info, err := buildinfo.ReadFile(t.program)
	if err != nil {
		return "", fmt.Errorf("the go command is no program of Go: %w", err)
	}
	made := map[string]string{}
	for _, s := range info.Settings {
		made[s.Key] = s.Value
	}
	if info.Path != "cmd/go" || info.GoVersion != v || made["GOOS"] != runtime.GOOS || made["GOARCH"] != runtime.GOARCH {
		return "", fmt.Errorf("the go command is not that of release %s", v)
	}
	// Without these directories cmd/go/internal/cfg looks for its Go tree elsewhere.
	if !t.disk.IsDir(filepath.Join(t.root, "pkg", "tool")) || !t.disk.IsDir(filepath.Join(t.root, "src", "unsafe")) {
		return "", errors.New("the Go tree of the go command is not whole")
	}
	return v, nil
}

// checkToolchain refuses what cmd/go/internal/toolchain.Select may switch for. That go.mod
// is content with the release is for others to see.
func (t *Tool) checkToolchain(Release) error {
	if v := t.Env("GOTOOLCHAIN"); !slices.Contains([]string{"", "auto", "local", "local+auto"}, v) {
		return fmt.Errorf("GOTOOLCHAIN is %s", v)
	}
	return nil
}

// checkUnset refuses variables by which the rules change, or for whose values
// internal/buildcfg may fail.
func (t *Tool) checkUnset(Release) error {
	for _, key := range []string{
		"GODEBUG", "GOEXPERIMENT", "GOCACHEPROG", "GOTOOLCHAIN_INTERNAL_SWITCH_VERSION",
		"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	} {
		if v := t.Env(key); v != "" {
			return fmt.Errorf("%s is %s", key, v)
		}
	}
	if v := t.Env("GOFIPS140"); v != "" && v != "off" {
		return fmt.Errorf("GOFIPS140 is %s", v)
	}
	return nil
}

// checkPaths refuses directories for which the go command fails (main of cmd/go, and
// cmd/go/internal/cache and modfetch).
func (t *Tool) checkPaths(r Release) error {
	if v := t.Env("GOROOT"); v != "" && filepath.Clean(v) != r.Root {
		return fmt.Errorf("GOROOT is %s", v)
	}
	if !filepath.IsAbs(r.Cache) || strings.HasPrefix(r.Cache, r.Root+string(filepath.Separator)) {
		return errors.New("there is no directory for the module cache")
	}
	if paths := t.Env("GOPATH"); paths != "" {
		for _, p := range filepath.SplitList(paths) {
			if !filepath.IsAbs(p) || filepath.Clean(p) == r.Root {
				return fmt.Errorf("GOPATH is %s", paths)
			}
		}
	}
	cache := t.Env("GOCACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		cache = filepath.Join(dir, "go-build")
	}
	// Where it has to be made first, that may fail.
	if !filepath.IsAbs(cache) || !t.disk.IsDir(cache) {
		return fmt.Errorf("the build cache %s is no directory", cache)
	}
	return nil
}

// checkCompilers refuses names of compilers that cmd/go/internal/work.BuildInit may not
// take, though nothing is compiled.
func (t *Tool) checkCompilers(Release) error {
	for _, key := range []string{"CC", "CXX", "FC"} {
		v := t.Env(key)
		name, _, _ := strings.Cut(strings.TrimSpace(v), " ")
		if strings.ContainsAny(v, "'\"\t\r\n") || name != "" && !filepath.IsAbs(name) && name != filepath.Base(name) {
			return fmt.Errorf("%s is %s", key, v)
		}
	}
	return nil
}
