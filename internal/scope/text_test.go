package scope

import "testing"

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"guide.md", "[x](guide.md)", true},
		{"guide.md", "[x](../en/guide.md#y)", true},
		{"guide.md", "见guide.md", true},
		{"guide.md", "[x](style-guide.md)", false},
		{"guide.md", "[x](styleguide.md) and [y](guide.md)", true},
		{"guide.md", "[x](my_guide.md)", false},
		{"a b.md", unescaped("[x](a%20b.md)"), true},
		{"a_b.md", unescaped(`[x](a\_b.md)`), true},
		{"a&b.md", unescaped("[x](a&amp;b.md)"), true},
		{"指南.md", unescaped("[x](%E6%8C%87%E5%8D%97.md)"), true},
		{"100%.md", unescaped("[x](100%.md) 5%"), true},
		{"a.md", unescaped("100%zz [x](%61.md)"), true},
	} {
		if got := (names{tt.name}).in(tt.text); got != tt.want {
			t.Errorf("%q in %q: %v", tt.name, tt.text, got)
		}
	}
}

func TestHasWord(t *testing.T) {
	words := map[string]bool{"Store": true}
	for text, want := range map[string]bool{
		"`Store.Get`": true, "*Store": true, "Stores": false, "myStore": false, "Store_": false, "(Store)": true, "": false,
	} {
		if got := hasWord(text, words); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
