package platform

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The list is that of the go command, where this is of the list's release.
func TestPairsOfGo(t *testing.T) {
	pairs, release := Pairs()
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		t.Fatalf("run go env: %v", err)
	}
	if v := strings.TrimSpace(string(version)); v != release && !strings.HasPrefix(v, release+".") {
		t.Skipf("the list is of %s, the go command of %s", release, v)
	}
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatalf("run go tool dist list: %v", err)
	}
	if diff := cmp.Diff(strings.Fields(string(out)), pairs); diff != "" {
		t.Errorf("run go generate ./internal/platform (-go +list):\n%s", diff)
	}
	if !slices.IsSorted(pairs) {
		t.Error("the list is not sorted")
	}
}

func TestSupported(t *testing.T) {
	for _, tt := range []struct {
		goos, goarch string
		want         bool
	}{
		{runtime.GOOS, runtime.GOARCH, true},
		{"linux", "s390x", true},
		{"foo", "amd64", false},
		{"linux", "bar", false},
		{"amd", "64", false},
		{"linux/amd64", "", false},
	} {
		if got := Supported(tt.goos, tt.goarch); got != tt.want {
			t.Errorf("Supported(%q, %q) = %v", tt.goos, tt.goarch, got)
		}
	}
	if _, release := Pairs(); !newer(runtime.Version(), release) && Supported("windows", "s390x") {
		t.Error("windows/s390x is supported")
	}
}

func TestNewer(t *testing.T) {
	for v, want := range map[string]bool{
		"go1.26": false, "go1.26.3": false, "go1.25.9": false, "go1.27rc1": true, "go1.27": true, "go1.30.1": true, "devel +abc": false,
	} {
		if got := newer(v, "go1.26"); got != want {
			t.Errorf("newer(%q, go1.26) = %v", v, got)
		}
	}
}

func TestIsWord(t *testing.T) {
	for word, want := range map[string]bool{
		"linux": true, "amd64": true, "sparc64": true, "zos": true,
		"": false, "unix": false, "test": false, "Linux": false, "x86": false,
	} {
		if got := IsWord(word); got != want {
			t.Errorf("IsWord(%q) = %v", word, got)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, tt := range []struct{ goos, goarch, want string }{
		{"windows", "s390x", "windows/386"},
		{"windows", "amd46", "windows/amd64"},
		{"windows", "arm", "windows/arm64"},
		{"linus", "arm64", "linux/arm64"},
		{"Linux", "AMD64", "linux/amd64"},
		{"macos", "aarch64", "darwin/arm64"},
		{"osx", "x86_64", "darwin/amd64"},
		{"win", "x64", "windows/amd64"},
		{"js", "amd64", "js/wasm"},
		{"wasi", "wasm", "wasip1/wasm"},
		{"darwin", "386", "darwin/amd64"},
		{"kubernetes", "bar", "linux/amd64"},
		{"", "", "linux/amd64"},
	} {
		got := Nearest(tt.goos, tt.goarch)
		if got != tt.want {
			t.Errorf("Nearest(%q, %q) = %s, want %s", tt.goos, tt.goarch, got, tt.want)
		}
		if goos, goarch, _ := strings.Cut(got, "/"); !Supported(goos, goarch) {
			t.Errorf("Nearest(%q, %q) = %s, which is not supported", tt.goos, tt.goarch, got)
		}
	}
}

func TestLimits(t *testing.T) {
	for base, want := range map[string]bool{
		"a_linux.go": true, "a_amd64.go": true, "a_linux_arm64.go": true, "linux.go": false, "a.go": false, "a_unix.go": false,
	} {
		if got := Limits(base); got != want {
			t.Errorf("Limits(%q) = %v, want %v", base, got, want)
		}
	}
}
