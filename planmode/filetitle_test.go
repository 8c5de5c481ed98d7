package planmode

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestFileTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Add a greeting":                          "Add-a-greeting",
		"  /../etc/passwd ":                       "etc-passwd",
		"C:\\x|y*z?<q>\"":                         "C-x-y-z-q",
		"naïve e\u0301te\u0301":                   "naïve-e\u0301te\u0301",
		"ตารางงาน":                                "ตารางงาน",
		"हिन्दी में":                              "हिन्दी-में",
		"می\u200cخواهم":                           "میخواهم",
		"\u3164\u202e\ufe0f":                      "",
		"❤\ufe0f":                                 "❤",
		"---":                                     "",
		"trailing dot.":                           "trailing-dot",
		strings.Repeat("计", 40):                   strings.Repeat("计", 26),
		strings.Repeat("ab ", 40):                 strings.TrimRight(strings.Repeat("ab-", 27)[:80], "-"),
		"a" + strings.Repeat("\u0301", 100) + "b": "",
	} {
		if got := fileTitle(title); got != want {
			t.Errorf("%q gives %q, want %q", title, got, want)
		}
	}
}

func FuzzFileTitle(f *testing.F) {
	for _, seed := range []string{"Add a greeting", "计划", "a\u0301\u0301", "\xff/\\", "..", "CON", "🏳️‍🌈"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, title string) {
		got := fileTitle(title)
		if len(got) > maxFileTitle || !utf8.ValidString(got) {
			t.Errorf("%q gives %q", title, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool {
			return r != '-' && !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So)
		}) || strings.ContainsAny(got, `<>:"/\|?*. `) || strings.Contains(got, "--") || strings.Trim(got, "-") != got {
			t.Errorf("%q gives %q, which is not safe", title, got)
		}
	})
}
