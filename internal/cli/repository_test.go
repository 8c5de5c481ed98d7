package cli_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/testfile"
)

// TestRepositoryIsFresh is verify-catalog on this module: it names every stale file.
func TestRepositoryIsFresh(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := cli.Verify([]string{"--dir", moduleRoot(t)}, &stdout, &stderr); code != 0 {
		t.Errorf("verify-catalog: exit %d\n%s%s", code, &stdout, &stderr)
	}
}

// TestSameBytesEverywhere builds a catalog a hundred times, in two
// directories, with other numbers of processors and environments that name another
// build, and wants one result.
func TestSameBytesEverywhere(t *testing.T) {
	runs := 100
	if testing.Short() {
		runs = 8
	}
	dirs := []string{t.TempDir(), filepath.Join(t.TempDir(), "目录 with space")}
	for _, dir := range dirs {
		writeSample(t, dir)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	environments := []map[string]string{
		{},
		{"GOFLAGS": "-tags=other", "GOOS": "windows", "GOARCH": "arm64"},
		{"LC_ALL": "zh_CN.UTF-8", "CGO_ENABLED": "1", "GOEXPERIMENT": ""},
		{"GOFLAGS": "-mod=readonly -tags=other,more", "GOOS": "js", "GOARCH": "wasm", "GO111MODULE": "on"},
	}
	var want map[string]string
	for i := range runs {
		runtime.GOMAXPROCS(1 + i%8)
		for k, v := range environments[i%len(environments)] {
			t.Setenv(k, v)
		}
		got := buildAll(t, dirs[i%2])
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("run %d differs (-first +this):\n%s", i, diff)
		}
	}
}

func buildAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	s, err := settings.Load(settings.Flags{Dir: dir, Gen: "gen"})
	if err != nil {
		t.Fatal(err)
	}
	r := catalog.Build(t.Context(), s, catalog.Options{Judge: true})
	if len(r.Failures) > 0 {
		t.Fatal(r.Failures)
	}
	out := map[string]string{}
	for _, c := range r.Changes {
		out[c.Path] = string(c.Want)
	}
	for i, f := range r.Findings {
		out[fmt.Sprintf("finding %d", i)] = f.String() + f.Diff
	}
	return out
}

// writeSample writes a module whose catalog would vary with the platform, the tags, the
// order of files, or the order of a map, if anything let it.
func writeSample(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/sample\n\ngo 1.26\n",
		"a/common.go":     "// Package a is a sample.\npackage a\n\nimport \"io\"\n\n// S serves; see [Local] and [io.Reader].\n//\n//catalog:service s\ntype S interface {\n\tio.Reader\n\tio.Closer\n\n\t// Do does.\n\tDo(m Mode, l Local) error\n}\n\n// Mode is a mode.\n//\n//catalog:type\ntype Mode string\n",
		"a/z.go":          "package a\n\n// The last modes.\nconst (\n\tZ Mode = \"z\"\n)\n",
		"a/b.go":          "package a\n\n// The first modes.\nconst (\n\tA Mode = \"a\"\n\tB Mode = \"b\"\n)\n",
		"a/os_linux.go":   "package a\n\n// Local is of this platform.\n//\n//catalog:type\ntype Local struct {\n\t// FD is a descriptor.\n\tFD int\n}\n",
		"a/os_windows.go": "package a\n\n// Local is a handle.\ntype Local struct {\n\t// Handle is one.\n\tHandle uintptr\n}\n",
		"a/tag.go":        "//go:build other\n\npackage a\n\n// Other is never seen.\ntype Other int\n",
		"a/os_js.go":      "package a\n\n// Local is nothing.\ntype Local struct{}\n",
		"b/b.go":          "package b\n\nimport \"example.com/sample/a\"\n\n// T has a mode and more.\ntype T struct {\n\t// M is the mode.\n\tM a.Mode\n\ta.Local\n}\n\n// F makes one.\nfunc F(m ...a.Mode) (t *T, err error) { return nil, nil }\n",
	} {
		testfile.Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	for _, lang := range []string{"en", "zh"} {
		for _, page := range []struct{ name, selector string }{{"a", "a a#package"}, {"b", "b.*"}} {
			testfile.Write(t, filepath.Join(dir, "docs", lang, page.name+".md"),
				"# Page\n\n<!-- BEGIN GENERATED catalog "+page.selector+" -->\n<!-- END GENERATED catalog -->\n")
		}
	}
}
