package filelog

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestProjectDir(t *testing.T) {
	for cwd, want := range map[string]string{
		"":                             "_no-cwd",
		"/":                            "--root--",
		"/home/u/proj":                 "--home-u-proj--",
		`C:\Users\me`:                  "--C-Users-me--",
		"//a///b:c":                    "--a-b-c--",
		"/-a":                          "--a--",
		"/a b/~":                       "--a~0020b-~007E--",
		"/计划":                          "--~8BA1~5212--",
		"/🙂":                           "--~D83D~DE42--",
		"/a.b_c-d":                     "--a.b_c-d--",
		"/" + strings.Repeat("x", 300): "--" + strings.Repeat("x", 251) + "--",
	} {
		if got := projectDir(cwd); got != want {
			t.Errorf("projectDir(%q) = %q, want %q", cwd, got, want)
		}
	}
}

func TestSessionDir(t *testing.T) {
	for id, want := range map[string]string{
		"sess-1":  "sess-1",
		".":       "~002E",
		"..":      "~002E~002E",
		"...":     "...",
		"a/b":     "a~002Fb",
		`a\b`:     "a~005Cb",
		"a~002Fb": "a~007E002Fb",
		"🙂":       "~D83D~DE42",
	} {
		if got, err := sessionDir(id); err != nil || got != want {
			t.Errorf("sessionDir(%q) = %q, %v; want %q", id, got, err, want)
		}
	}
	for _, id := range []string{"", "\xff", strings.Repeat("x", 256)} {
		if got, err := sessionDir(id); err == nil {
			t.Errorf("sessionDir(%q) = %q, want an error", id, got)
		}
	}
}

func TestSessionDirIsInjective(t *testing.T) {
	names := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringOfN(rapid.RuneFrom([]rune(`.~/\:aA0 02EF计🙂`)), 1, 8, -1).Draw(t, "id")
		name, err := sessionDir(id)
		if err != nil {
			t.Fatal(err)
		}
		if name == "." || name == ".." || strings.ContainsAny(name, `/\:`) {
			t.Fatalf("sessionDir(%q) = %q is no name for a directory", id, name)
		}
		if other, taken := names[name]; taken && other != id {
			t.Fatalf("%q and %q are both %q", id, other, name)
		}
		names[name] = id
	})
}
