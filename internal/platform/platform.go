// Package platform yields the pairs of operating system and processor that Go builds for.
package platform

import (
	_ "embed"
	"go/build"
	"go/version"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/nearest"
)

// list is what go tool dist list prints, behind a line with the release that printed it.
//
//go:generate sh -c "{ go env GOVERSION | grep -oE '^go1\\.[0-9]+'; go tool dist list; } > list.txt"
//go:embed list.txt
var list string

// Pairs are all pairs, each as GOOS/GOARCH, sorted, and the Go release that has them.
func Pairs() (pairs []string, release string) {
	lines := strings.Fields(list)
	return lines[1:], lines[0]
}

// Supported reports whether Go builds for a pair. What this program does not know may be a
// pair of the newer release that it was built with: then its words decide.
func Supported(goos, goarch string) bool {
	pairs, release := Pairs()
	if slices.Contains(pairs, goos+"/"+goarch) {
		return true
	}
	return newer(runtime.Version(), release) && IsWord(goos) && IsWord(goarch)
}

// newer reports whether a Go version is of a later release than another.
func newer(v, release string) bool { return version.Compare(version.Lang(v), release) > 0 }

// IsWord reports whether a word is the name of an operating system or of a processor, as
// at the end of a file's name.
func IsWord(word string) bool { return Limits("x_" + word + ".go") }

// Limits reports whether the name of a file alone limits the build, as that of x_windows.go
// does: whether a platform of no name would not take it.
func Limits(base string) bool {
	nowhere := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("package p\n")), nil
		},
	}
	match, err := nowhere.MatchFile(".", base)
	return err == nil && !match
}

// IsSystem reports whether Go builds for an operating system at all.
func IsSystem(goos string) bool {
	pairs, _ := Pairs()
	return slices.ContainsFunc(pairs, func(p string) bool { return strings.HasPrefix(p, goos+"/") })
}

// Nearest is the pair that was most likely meant by one that is not supported: one of the
// same operating system, if there is such a system.
func Nearest(goos, goarch string) string {
	pairs, _ := Pairs()
	goos, goarch = meant(goos), meant(goarch)
	if !IsSystem(goos) {
		goos = nearest.Of(goos, systems(pairs))
	}
	best, distance := "linux/amd64", -1
	for _, p := range pairs {
		system, processor, _ := strings.Cut(p, "/")
		if system != goos {
			continue
		}
		if n := nearest.Distance(goarch, processor); distance < 0 || n < distance {
			best, distance = p, n
		}
	}
	return best
}

func systems(pairs []string) []string {
	var out []string
	for _, p := range pairs {
		goos, _, _ := strings.Cut(p, "/")
		out = append(out, goos)
	}
	return slices.Compact(out)
}

// meant is the word of Go for what others call an operating system or a processor.
func meant(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	for _, names := range [][]string{
		{"darwin", "macos", "osx", "mac"},
		{"windows", "win", "win32", "win64"},
		{"wasip1", "wasi"},
		{"amd64", "x86_64", "x86-64", "x64", "x86"},
		{"386", "i386", "i686"},
		{"arm64", "aarch64", "armv8"},
		{"wasm", "wasm32"},
	} {
		if slices.Contains(names, word) {
			return names[0]
		}
	}
	return word
}
