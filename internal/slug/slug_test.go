package slug

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func take(headings []string) []string {
	var page Page
	var out []string
	for _, h := range headings {
		out = append(out, page.Take(Of(h)))
	}
	return out
}

func TestTakeRepeated(t *testing.T) {
	tests := []struct {
		name     string
		in, want []string
	}{
		{"apart", []string{"A", "B"}, []string{"a", "b"}},
		{"twice", []string{"A", "A"}, []string{"a", "a-1"}},
		{"thrice", []string{"A", "a", "A!"}, []string{"a", "a-1", "a-2"}},
		{"taken before", []string{"A 1", "A", "A"}, []string{"a-1", "a", "a-2"}},
		{"taken between", []string{"A", "A 1", "A"}, []string{"a", "a-1", "a-2"}},
		{"taken after", []string{"A", "A", "A 1"}, []string{"a", "a-1", "a-1-1"}},
		{"Chinese", []string{"用法", "用法"}, []string{"用法", "用法-1"}},
		{"nothing left", []string{"🎉", "!"}, []string{"", "-1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, take(tt.in)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func FuzzTake(f *testing.F) {
	for _, s := range []string{"Plan", "计划 Mode", "⚙️", "a-1", "İ", "\xff", "a\nb"} {
		f.Add(s, "a 1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		in := []string{a, b, a, b, a}
		seen := map[string]bool{}
		for i, s := range take(in) {
			if seen[s] {
				t.Errorf("heading %d of %q has the fragment %q of an earlier one", i, in, s)
			}
			seen[s] = true
		}
		if s := Of(a); utf8.ValidString(a) && Of(s) != s {
			t.Errorf("Of(%q) = %q, and the slug of that is %q", a, s, Of(s))
		}
	})
}
