package source

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/settings"
)

var (
	foreseeTrees = flag.Int("foresee.trees", 30, "how many drawn modules the go command is asked about")
	foreseeSeed  = flag.Uint64("foresee.seed", 1, "where the drawing begins")
)

// drawn is a module with what is out of the ordinary about it, and its module cache.
type drawn struct {
	t     *testing.T
	root  string
	files map[string]string // of the module; a name ending in @ is a link
	mod   []string          // further lines of go.mod
	goal  string            // its go line
	path  string            // its module line
	need  map[string]string // required modules -> versions
	sum   []string          // lines of go.sum
	cache string
}

// cached puts a module into the module cache.
func (d *drawn) cached(modulePath, version, gomod string, files map[string]string) {
	d.t.Helper()
	dir := filepath.Join(d.cache, modulePath+"@"+version)
	beside := filepath.Join(d.cache, "cache", "download", modulePath, "@v", version)
	hash := sha256.Sum256([]byte(modulePath + version))
	zip := "h1:" + base64.StdEncoding.EncodeToString(hash[:])
	one := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", sha256.Sum256([]byte(gomod))))
	d.write(filepath.Join(dir, "go.mod"), gomod)
	for name, text := range files {
		d.write(filepath.Join(dir, name), text)
	}
	d.write(beside+".mod", gomod)
	d.write(beside+".info", `{"Version":"`+version+`"}`)
	d.write(beside+".ziphash", zip)
	d.sum = append(d.sum,
		modulePath+" "+version+" "+zip,
		modulePath+" "+version+"/go.mod h1:"+base64.StdEncoding.EncodeToString(one[:]))
}

func (d *drawn) write(name, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if link, ok := strings.CutSuffix(name, "@"); ok && !strings.Contains(filepath.Base(link), "@") {
		if err := os.Symlink(text, link); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// newDrawn is an ordinary module: packages, tests, constraints and requirements.
func newDrawn(t *testing.T) *drawn {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &drawn{
		t: t, root: filepath.Join(root, "m"), cache: filepath.Join(root, "cache"), path: "example.com/m", goal: "1.24",
		need: map[string]string{"example.com/a": "v1.2.0", "example.com/b": "v0.1.0", "example.com/deep/c/v2": "v2.0.1"},
		files: map[string]string{
			"doc.go":             "// Package m is.\npackage m\n",
			"m.go":               "package m\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/a\"\n\tsub \"example.com/a/sub\"\n)\n\nvar _ = fmt.Sprint(a.A, sub.S)\n",
			"m_test.go":          "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) {}\n",
			"x_test.go":          "package m_test\n\nimport _ \"example.com/nowhere\"\n",
			"m_windows.go":       "package m\n\nimport _ \"golang.org/x/none\"\n",
			"tool.go":            "//go:build ignore\n\npackage main\n\nimport _ \"example.com/elsewhere\"\n",
			"p/p.go":             "package p\n\nimport \"example.com/deep/c/v2/x\"\n\nvar P = x.X\n",
			"p/p_linux.go":       "package p\n",
			"p/new.go":           "//go:build go1.18 && !go1.99\n\npackage p\n",
			"internal/q/q.go":    "package q\n\nimport _ \"example.com/m/p\"\n",
			"cmd/run/main.go":    "package main\n\nimport _ \"example.com/m/internal/q\"\n\nfunc main() {}\n",
			"tests/only_test.go": "package tests\n",
			"away/a_plan9.go":    "package away\n",
			"testdata/bad.go":    "package\n",
			"docs/readme.md":     "text\n",
			"nested/go.mod":      "module example.com/m/nested\n",
			"nested/n.go":        "package nested\n\nimport \"C\"\n",
			"csource/only.c":     "int x;\n",
			"embedded/e.go":      "package embedded\n\nimport _ \"embed\"\n\n//go:embed e.go none.txt\nvar E string\n",
		},
	}
	d.cached("example.com/a", "v1.2.0", "module example.com/a\n\ngo 1.20\n\nrequire example.com/b v0.1.0\n", map[string]string{
		"a.go":              "package a\n\nimport _ \"example.com/b\"\n\nconst A = 1\n",
		"a_test.go":         "package a\n\nimport _ \"example.com/testing\"\n",
		"w_plan9.go":        "package a\n\nimport _ \"example.com/plan9\"\n",
		"g.go":              "// +build ignore\n\npackage a\n\nimport _ \"example.com/gen\"\n",
		"sub/internal/i.go": "package internal\n",
		"sub/s.go":          "package sub\n\nimport \"os\"\n\nvar S = os.Args\n",
		"c/c.go":            "package c\n\n/*\n#include <none.h>\n*/\nimport \"C\"\n\nimport _ \"example.com/cgo\"\n",
	})
	d.cached("example.com/b", "v0.1.0", "module example.com/b\n", map[string]string{"b.go": "package b\n\nimport _ \"example.com/a/sub\"\n"})
	d.cached("example.com/deep/c/v2", "v2.0.1", "module example.com/deep/c/v2\n\ngo 1.17\n\nrequire example.com/unused v1.0.0\n", map[string]string{
		"x/x.go": "package x\n\nconst X = 1\n",
	})
	return d
}

// oddity is something that a module may have. Where it is plain, the go command need not be
// asked.
type oddity struct {
	name  string
	plain bool
	add   func(d *drawn)
}

func withFile(name, text string) func(*drawn) {
	return func(d *drawn) { d.files[name] = text }
}

func modLine(text string) func(*drawn) {
	return func(d *drawn) { d.mod = append(d.mod, text) }
}

func variable(key, value string) func(*drawn) {
	return func(d *drawn) { d.t.Setenv(key, value) }
}

// unsum takes lines out of go.sum.
func unsum(what string) func(*drawn) {
	return func(d *drawn) {
		d.sum = slices.DeleteFunc(d.sum, func(line string) bool { return strings.HasPrefix(line, what) })
	}
}

// module puts one more module into the module cache, and perhaps into go.mod.
func requires(modulePath, version, gomod string, files map[string]string, direct bool) func(*drawn) {
	return func(d *drawn) {
		d.cached(modulePath, version, gomod, files)
		if direct {
			d.need[modulePath] = version
		}
	}
}

var oddities = []oddity{
	// Files.
	{"a case collision of files", false, withFile("p/P.go", "package p\n")},
	{"a case collision of directories", false, withFile("P/p.go", "package p\n")},
	{"two packages in a directory", false, withFile("p/other.go", "package other\n")},
	{"a test of another package", false, withFile("p/o_test.go", "package other\n")},
	{"tests of two packages", false, withFile("tests/b_test.go", "package b\n")},
	{"external tests alone", true, withFile("xtests/b_test.go", "package b_test\n")},
	{"another package behind a constraint", true, withFile("p/gen.go", "//go:build ignore\n\npackage main\n")},
	{"another package for another system", true, withFile("p/gen_windows.go", "package main\n")},
	{"a package named like tests", false, withFile("t/t.go", "package t_test\n")},
	{"documentation", false, withFile("p/doc.go", "package documentation\n")},
	{"no package clause", false, withFile("p/bad.go", "func f() {}\n")},
	{"no package clause in a test", false, withFile("p/bad_test.go", "func f() {}\n")},
	{"an empty file", false, withFile("p/empty.go", "")},
	{"an empty test", false, withFile("p/empty_test.go", "")},
	{"a bad body", false, withFile("p/bad.go", "package p\n\nfunc f() { x := }\n")},
	{"a bad body in a test", true, withFile("p/bad_test.go", "package p\n\nfunc f() { x := }\n")},
	{"a zero byte", false, withFile("p/bad.go", "package p\n\x00\n")},
	{"a zero byte in a test", false, withFile("p/bad_test.go", "package p\n\x00import \"a\"\n")},
	{"a byte order mark", true, withFile("p/mark.go", "\ufeffpackage p\n\nimport _ \"fmt\"\n")},
	{"an import of nothing", false, withFile("p/i.go", "package p\n\nimport _ \"\"\n")},
	{"a relative import", false, withFile("p/i.go", "package p\n\nimport _ \"./x\"\n")},
	{"an import with a space", false, withFile("p/i.go", "package p\n\nimport _ \"a b\"\n")},
	{"a strange import in a test", false, withFile("p/i_test.go", "package p\n\nimport _ \"a!b\"\n")},
	{"an import of a version", false, withFile("p/i.go", "package p\n\nimport _ \"example.com/a@v1\"\n")},
	{"a raw import", true, withFile("p/i.go", "package p\n\nimport _ `fmt`\n")},
	{"an import of a program", true, withFile("p/i.go", "package p\n\nimport _ \"example.com/m/cmd/run\"\n")},
	{"an import of itself", true, withFile("p/i.go", "package p\n\nimport _ \"example.com/m/p\"\n")},
	{"an import of internals", true, withFile("p/i.go", "package p\n\nimport _ \"example.com/a/sub/internal\"\n\nimport _ \"internal/abi\"\n")},
	{"an import of unsafe", true, withFile("p/i.go", "package p\n\nimport _ \"unsafe\"\n")},
	{"an import of nowhere", false, withFile("p/i.go", "package p\n\nimport _ \"example.com/nowhere\"\n")},
	{"an import of no package of a module", false, withFile("p/i.go", "package p\n\nimport _ \"example.com/a/none\"\n")},
	{"an import of no package of the library", false, withFile("p/i.go", "package p\n\nimport _ \"none\"\n")},
	{"an import of the module that is not there", false, withFile("p/i.go", "package p\n\nimport _ \"example.com/m/none\"\n")},
	{"an import of the nested module", false, withFile("p/i.go", "package p\n\nimport _ \"example.com/m/nested\"\n")},
	{"an import of test data", false, withFile("p/i.go", "package p\n\nimport _ \"example.com/m/testdata\"\n")},
	{"cgo", false, withFile("p/c.go", "package p\n\nimport \"C\"\n")},
	{"cgo with bad flags", false, withFile("p/c.go", "package p\n\n// #cgo FOO: bar\nimport \"C\"\n")},
	{"cgo in a test", false, withFile("p/c_test.go", "package p\n\nimport \"C\"\n")},
	{"a C file", false, withFile("p/x.c", "int x;\n")},
	{"a header", false, withFile("p/x.h", "\n")},
	{"a bad constraint in assembly", false, withFile("p/x.s", "//go:build (\n\n")},
	{"a bad constraint", false, withFile("p/b.go", "//go:build (\n\npackage p\n")},
	{"a bad constraint in a test", false, withFile("p/b_test.go", "//go:build (\n\npackage p\n")},
	{"two constraints", false, withFile("p/b.go", "//go:build linux\n//go:build amd64\n\npackage p\n")},
	{"an old constraint", true, withFile("p/b.go", "// +build !linux\n\npackage other\n")},
	{"a constraint beside the package clause", true, withFile("p/b.go", "//go:build linux\npackage p\n")},
	{"an experiment", false, withFile("p/b.go", "//go:build goexperiment.aliastypeparams\n\npackage p\n")},
	{"a feature of the processor", false, withFile("p/b.go", "//go:build amd64.v1\n\npackage p\n")},
	{"a release of the future", true, withFile("p/b.go", "//go:build go1.99\n\npackage other\n")},
	{"only for others", true, withFile("far/b.go", "//go:build windows\n\npackage far\n")},
	{"a binary", false, withFile("p/b.go", "//go:binary-only-package\n\npackage p\n")},
	{"a debug line", false, withFile("cmd/run/d.go", "//go:debug foo=1\n\npackage main\n")},
	{"a quoted pattern", false, withFile("embedded/q.go", "package embedded\n\nimport \"embed\"\n\n//go:embed \"a\nvar Q embed.FS\n")},
	{"a pattern of a test", true, withFile("embedded/q_test.go", "package embedded\n\nimport \"embed\"\n\n//go:embed no/where\nvar Q embed.FS\n")},
	{"a name with a space", false, withFile("p/a b.go", "package p\n")},
	{"a name with a dash in front", false, withFile("p/-b.go", "package p\n")},
	{"a name with a letter of its own", false, withFile("p/é.go", "package p\n")},
	{"a hidden file", false, withFile("p/_b.go", "package other\n")},
	{"a directory with a space", false, withFile("a b/b.go", "package b\n")},
	{"a directory with an at sign", false, withFile("a@b/b.go", "package b\n")},
	{"a directory with a letter of its own", false, withFile("é/b.go", "package b\n")},
	{"a directory with a dot behind", false, withFile("a./b.go", "package b\n")},
	{"a directory that Windows reserves", false, withFile("aux/b.go", "package b\n")},
	{"a directory with a dash in front", false, withFile("-a/b.go", "package b\n")},
	{"a directory with a tilde", false, withFile("a~1/b.go", "package b\n")},
	{"a directory with dots", true, withFile("a.b/c.d/b.go", "package b\n")},
	{"a hidden directory", true, withFile(".a/b.go", "package\n")},
	{"a directory of a go.mod", true, withFile("p/deep/go.mod/b.go", "package b\n")},
	{"a linked file", false, withFile("p/l.go@", "../m.go")},
	{"a broken link", false, withFile("p/l.go@", "../none.go")},
	{"a linked directory", true, withFile("linked@", "p")},
	{"vendored packages", false, withFile("vendor/example.com/a/a.go", "package a\n")},
	{"a vendored list", false, withFile("vendor/modules.txt", "# example.com/a v1.2.0\n## explicit\nexample.com/a\n")},
	{"vendored packages below", false, withFile("p/vendor/v.go", "package v\n")},
	{"a profile", true, withFile("cmd/run/default.pgo", "none\n")},

	// go.mod.
	{"a go line of the future", false, func(d *drawn) { d.goal = "1.99" }},
	{"an old go line", false, func(d *drawn) { d.goal = "1.16" }},
	{"a go line of a release", true, func(d *drawn) { d.goal = "1.24.1" }},
	{"an earlier go line than a requirement", false, func(d *drawn) { d.goal = "1.18" }},
	{"a toolchain line", true, modLine("toolchain " + "go1.25.0")},
	{"a toolchain line of the go line", false, modLine("toolchain go1.24")},
	{"a toolchain of the future", false, modLine("toolchain go1.99.0")},
	{"a toolchain by default", false, modLine("toolchain default")},
	{"an unknown line", false, modLine("frobnicate yes")},
	{"a bad line", false, modLine("require (")},
	{"a replaced module", false, modLine("replace example.com/a => ../a")},
	{"a replaced version", false, modLine("replace example.com/a v1.2.0 => example.com/b v0.1.0")},
	{"an excluded version", false, modLine("exclude example.com/a v1.2.0")},
	{"a retracted version", true, modLine("retract v1.0.0")},
	{"a retracted branch", false, modLine("retract main")},
	{"an ignored directory", false, modLine("ignore ./p")},
	{"a tool", true, modLine("tool example.com/a/cmd")},
	{"a bad tool", false, modLine("tool example.com/a@v1")},
	{"defaults of an earlier release", true, modLine("godebug default=go1.21")},
	{"defaults of the future", false, modLine("godebug default=go1.99")},
	{"a debug setting", false, modLine("godebug panicnil=1")},
	{"an unknown debug setting", false, modLine("godebug foo=1")},
	{"a requirement of a branch", false, modLine("require example.com/z master")},
	{"a requirement without a need", true, modLine("require example.com/z v1.0.0")},
	{"a requirement twice", false, modLine("require example.com/a v1.1.0")},
	{"a requirement of itself", false, modLine("require example.com/m v1.0.0")},
	{"a requirement of the wrong major version", false, modLine("require example.com/z v2.0.0")},
	{"a requirement of go", false, modLine("require go v1.20.0")},
	{"a path without a dot", true, func(d *drawn) { d.path = "app" }},
	{"a path of the library", false, func(d *drawn) { d.path = "net" }},
	{"a path that is a word", false, func(d *drawn) { d.path = "std" }},
	{"a path with a space", false, func(d *drawn) { d.path = `"example.com/a b"` }},
	{"a path in upper case", true, func(d *drawn) { d.path = "example.com/M" }},
	{"a path of a major version", true, func(d *drawn) { d.path = "example.com/m/v3" }},

	// Requirements.
	{"no sum of a module", false, unsum("example.com/a v1.2.0 ")},
	{"no sum of a go.mod", false, unsum("example.com/a v1.2.0/go.mod")},
	{"no sum of what is not needed", true, unsum("example.com/unused")},
	{"no sums", false, unsum("")},
	{"another sum", false, func(d *drawn) {
		unsum("example.com/a v1.2.0 ")(d)
		d.sum = append(d.sum, "example.com/a v1.2.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	}},
	{"a bad line of sums", false, func(d *drawn) { d.sum = append(d.sum, "example.com/a v1.2.0") }},
	{"a module that is not there", false, func(d *drawn) { d.remove("example.com/a@v1.2.0") }},
	{"a module that is there in part", false, func(d *drawn) {
		d.write(filepath.Join(d.cache, "cache/download/example.com/a/@v/v1.2.0.partial"), "")
	}},
	{"no ziphash", false, func(d *drawn) { d.remove("cache/download/example.com/a/@v/v1.2.0.ziphash") }},
	{"no go.mod of a module", false, func(d *drawn) { d.remove("cache/download/example.com/a/@v/v1.2.0.mod") }},
	{"a changed go.mod of a module", false, func(d *drawn) {
		d.write(filepath.Join(d.cache, "cache/download/example.com/a/@v/v1.2.0.mod"), "module example.com/a\n")
	}},
	{"a later version than required", false, func(d *drawn) {
		requires("example.com/need", "v1.0.0", "module example.com/need\n\ngo 1.20\n\nrequire example.com/b v0.2.0\n", map[string]string{"n.go": "package need\n"}, true)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/need\"\n"
	}},
	{"a later version of what is not needed", true, requires("example.com/need", "v1.0.0", "module example.com/need\n\ngo 1.20\n\nrequire example.com/b v0.2.0\n", map[string]string{"n.go": "package need\n"}, true)},
	{"a package of a module that is not required", false, func(d *drawn) {
		requires("example.com/need", "v1.0.0", "module example.com/need\n\ngo 1.20\n\nrequire example.com/far v1.0.0\n", map[string]string{"n.go": "package need\n\nimport _ \"example.com/far\"\n"}, true)(d)
		requires("example.com/far", "v1.0.0", "module example.com/far\n\ngo 1.20\n", map[string]string{"f.go": "package far\n"}, false)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/need\"\n"
	}},
	{"a direct import of a module that is not required", false, func(d *drawn) {
		requires("example.com/unused", "v1.0.0", "module example.com/unused\n\ngo 1.20\n", map[string]string{"u.go": "package unused\n"}, false)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/unused\"\n"
	}},
	{"a package in two modules", false, func(d *drawn) {
		requires("example.com/a/sub", "v1.0.0", "module example.com/a/sub\n\ngo 1.20\n", map[string]string{"s.go": "package sub\n"}, true)(d)
	}},
	{"a nested module that is required", true, func(d *drawn) {
		requires("example.com/a/nest", "v1.0.0", "module example.com/a/nest\n\ngo 1.20\n", map[string]string{"n.go": "package nest\n"}, true)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/a/nest\"\n"
	}},
	{"a module around", true, requires("example.com", "v1.0.0", "module example.com\n\ngo 1.20\n", map[string]string{"e.go": "package e\n"}, true)},
	{"a module around that has a package too", false, requires("example.com", "v1.0.0", "module example.com\n\ngo 1.20\n", map[string]string{"m/p/e.go": "package p\n"}, true)},
	{"a module around that is not there", false, modLine("require example.com v1.0.0")},
	{"a module that requires this one", true, func(d *drawn) {
		requires("example.com/back", "v1.0.0", "module example.com/back\n\ngo 1.20\n\nrequire example.com/m v1.9.0\n", map[string]string{"b.go": "package back\n\nimport _ \"example.com/m/p\"\n"}, true)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/back\"\n"
	}},
	{"a module of the future", false, func(d *drawn) {
		requires("example.com/future", "v1.0.0", "module example.com/future\n\ngo 1.99\n", map[string]string{"b.go": "package future\n"}, true)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/future\"\n"
	}},
	{"a module of the future that is not needed", true, requires("example.com/future", "v1.0.0", "module example.com/future\n\ngo 1.99\n", map[string]string{"b.go": "package future\n"}, true)},
	{"a module of another path", false, func(d *drawn) {
		requires("example.com/fork", "v1.0.0", "module example.com/origin\n", map[string]string{"b.go": "package fork\n"}, true)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/fork\"\n"
	}},
	{"a required package that does not parse", false, func(d *drawn) {
		requires("example.com/broken", "v1.0.0", "module example.com/broken\n\ngo 1.20\n", map[string]string{"b.go": "package broken\n\nimport fmt\n"}, true)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/broken\"\n"
	}},
	{"a long comment in a required package", true, func(d *drawn) {
		requires("example.com/long", "v1.0.0", "module example.com/long\n\ngo 1.20\n", map[string]string{"b.go": "/*" + strings.Repeat("long\n", 5000) + "*/ package long; import (_ \"os\"; . `fmt`)\n"}, true)(d)
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/long\"\n"
	}},

	// Settings and the environment.
	{"a build tag", true, withFile(".catalog.yaml", "tags: [extra]\n")},
	{"a build tag with a dot", false, withFile(".catalog.yaml", "tags: [goexperiment.foo]\n")},
	{"cgo is on", true, withFile(".catalog.yaml", "cgo: true\n")},
	{"cgo is on, and used", false, func(d *drawn) {
		d.files[".catalog.yaml"] = "cgo: true\n"
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/a/c\"\n"
	}},
	{"a package that uses cgo is imported", true, withFile("p/n.go", "package p\n\nimport _ \"example.com/a/c\"\n")},
	{"another platform", false, withFile(".catalog.yaml", "goos: windows\n")}, // m_windows.go
	{"generated Go", true, func(d *drawn) {
		d.files[".catalog.yaml"] = "gen: gen\n"
		d.files["gen/catalog/c.go"] = "package catalog\n\nimport _ \"example.com/m/p\"\n"
		d.files["p/n.go"] = "package p\n\nimport _ \"example.com/m/gen/catalog\"\n"
	}},
	{"generated Go that imports nowhere", false, func(d *drawn) {
		d.files[".catalog.yaml"] = "gen: gen\n"
		d.files["gen/catalog/c.go"] = "package catalog\n\nimport _ \"example.com/nowhere\"\n"
	}},
	{"generated Go that does not parse", false, func(d *drawn) {
		d.files[".catalog.yaml"] = "gen: gen\n"
		d.files["gen/catalog/c.go"] = "package\n"
	}},
	{"harmless flags", true, variable("GOFLAGS", "-buildvcs=false -trimpath '-tags=x'")},
	{"vendoring by flag", false, variable("GOFLAGS", "-mod=vendor")},
	{"an unknown flag", false, variable("GOFLAGS", "-frobnicate")},
	{"another go.mod", false, variable("GOFLAGS", "-modfile=other.mod")},
	{"a debug setting of the environment", false, variable("GODEBUG", "goindex=0")},
	{"a processor that is none", false, variable("GOAMD64", "v9")},
	{"a toolchain by name", false, variable("GOTOOLCHAIN", "go1.20.1")},
	{"a toolchain that is none", false, variable("GOTOOLCHAIN", "none")},
	{"toolchains as needed", true, variable("GOTOOLCHAIN", "auto")},
	{"modules off", true, variable("GO111MODULE", "off")},
	{"a workspace", true, variable("GOWORK", "/none/go.work")},
	{"a compiler that is relative", false, variable("CC", "./cc")},
	{"a compiler with quotes", false, variable("CC", "'cc")},
	{"a compiler with flags", true, variable("CC", "cc -O2")},
	{"a relative GOPATH", false, variable("GOPATH", "go")},
	{"no build cache", false, variable("GOCACHE", "off")},
	{"an experiment that is none", true, variable("GOEXPERIMENT", "")},
}

func (d *drawn) remove(name string) {
	if err := os.RemoveAll(filepath.Join(d.cache, filepath.FromSlash(name))); err != nil {
		d.t.Fatal(err)
	}
}

// load writes the module and begins to read it; the go command cannot be started.
func (d *drawn) load() (*Loading, error) {
	d.t.Helper()
	for _, key := range []string{"GOFLAGS", "GOTOOLCHAIN"} {
		if _, set := os.LookupEnv(key); !set {
			d.t.Setenv(key, "")
		}
	}
	d.t.Setenv("GOMODCACHE", d.cache)
	d.t.Setenv("GOPROXY", "off")
	gomod := "module " + d.path + "\n\ngo " + d.goal + "\n\n"
	for p, v := range d.need {
		gomod += "require " + p + " " + v + "\n"
	}
	d.write(filepath.Join(d.root, "go.mod"), gomod+strings.Join(d.mod, "\n")+"\n")
	d.write(filepath.Join(d.root, "go.sum"), strings.Join(d.sum, "\n")+"\n")
	modulePath := strings.Trim(d.path, `"`)
	for name, text := range d.files {
		d.write(filepath.Join(d.root, filepath.FromSlash(name)), strings.ReplaceAll(text, `"example.com/m/`, `"`+path.Clean(modulePath)+"/"))
	}
	s, err := settings.Load(settings.Flags{Dir: d.root, Disk: disk.New()})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(d.t.Context())
	cancel()
	return Start(ctx, s), nil
}

// needsRelease skips a test that takes the go command for that of a release.
func needsRelease(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(build.Default.GOROOT, "VERSION")); err != nil || runtime.GOOS == "windows" {
		t.Skip("the go command is not that of a release, or the names of files are not those of Unix")
	}
}

// Each oddity leaves doubt, or none.
func TestForesee(t *testing.T) {
	needsRelease(t)
	for _, o := range append([]oddity{{"nothing", true, func(*drawn) {}}}, oddities...) {
		t.Run(o.name, func(t *testing.T) {
			d := newDrawn(t)
			o.add(d)
			l, err := d.load()
			if err != nil {
				if o.plain {
					t.Fatal(err)
				}
				return
			}
			f, err := newForesight(l)
			if err == nil {
				_, err = f.foresee(l.listings[0].settings)
			}
			if (err == nil) != o.plain {
				t.Errorf("doubt: %v; want some: %v", err, !o.plain)
			}
			// The go command could not be asked any more.
			if guess := l.Guess(); guess != nil && l.Confirms(guess) != o.plain {
				t.Errorf("the guess is confirmed: %v; want %v", !o.plain, o.plain)
			}
		})
	}
}

// Where there is no doubt the go command lists what is guessed, and does not complain.
func TestForeseeAgainstGo(t *testing.T) {
	needsRelease(t)
	if testing.Short() {
		t.Skip("the go command takes its time")
	}
	certain := 0
	for i := range *foreseeTrees {
		r := rand.New(rand.NewPCG(*foreseeSeed, uint64(i)))
		var drawnOddities []oddity
		for range r.IntN(4) {
			drawnOddities = append(drawnOddities, oddities[r.IntN(len(oddities))])
		}
		if *foreseeTrees > len(oddities) && i < len(oddities) {
			drawnOddities = oddities[i : i+1]
		} else if i == 0 {
			drawnOddities = nil
		}
		var names []string
		for _, o := range drawnOddities {
			names = append(names, o.name)
		}
		t.Run(fmt.Sprint(i, names), func(t *testing.T) {
			if foreseeOne(t, drawnOddities) {
				certain++
			}
		})
	}
	t.Logf("%d of %d without doubt", certain, *foreseeTrees)
	if certain == 0 {
		t.Error("every module leaves doubt")
	}
}

// foreseeOne asks the go command about a module, if it need not be.
func foreseeOne(t *testing.T, oddities []oddity) (certain bool) {
	d := newDrawn(t)
	for _, o := range oddities {
		o.add(d)
	}
	l, err := d.load()
	if err != nil {
		return false
	}
	f, err := newForesight(l)
	if err != nil {
		return false
	}
	if _, err := f.foresee(l.listings[0].settings); err != nil {
		return false
	}
	guess := l.Guess()
	if guess == nil {
		return true
	}
	sameImports(t, guess[0])
	result, err := listPlain(t.Context(), l.listings[0].settings)
	if err != nil {
		t.Fatalf("the go command complains: %v", err)
	}
	if result.stdlib != f.stdlib() {
		t.Errorf("the standard library is in %s, and foreseen in %s", result.stdlib, f.stdlib())
	}
	if !lists(result, guess[0]) {
		t.Errorf("the go command lists\n%v\nand guessed is\n%v", result.packages, guess[0].Packages)
	}
	return true
}

// sameImports compares what is foreseen of the packages that a module imports with what
// the go command says of them.
func sameImports(t *testing.T, m *Module) {
	t.Helper()
	var paths []string
	for _, p := range m.Packages {
		for _, f := range p.Files {
			for _, spec := range f.AST.Imports {
				if dep := strings.Trim(spec.Path.Value, "`\""); !IsStandard(dep) && m.Lookup(dep) == nil {
					paths = append(paths, dep)
				}
			}
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	gm := m.Settings.Modules[0]
	foreseen, err := m.foreseen(gm, paths)
	if err != nil {
		return // a package of the module, or one without a name
	}
	got := map[string][]string{}
	for _, p := range foreseen {
		got[p.ImportPath+" "+p.Name] = p.files()
	}
	asked, err := goTool{s: m.Settings, dir: gm.Dir}.list(t.Context(), []string{"-deps=true", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Imports,ImportMap,Error"}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, p := range asked {
		if p.Error != nil {
			t.Errorf("the go command complains: %v", p.Error.Err)
		}
		if first, _, _ := strings.Cut(p.ImportPath, "/"); strings.Contains(first, ".") {
			want[p.ImportPath+" "+p.Name] = p.files()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("packages outside the module (-listed +foreseen):\n%s", diff)
	}
}
