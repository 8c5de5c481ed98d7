package baseline

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/finding"
)

const id1, id2 = "0123456789abcdef", "fedcba9876543210"

func TestRoundTrip(t *testing.T) {
	want := &Baseline{Entries: []Entry{
		{Path: "#odd", Rule: finding.Link, ID: id1, Count: 2, Message: "m"},
		{Path: "<<<<<<<", Rule: finding.Link, ID: id1, Count: 1, Message: "m"},
		{Path: "docs/en/a b.md", Rule: finding.Symbol, ID: id1, Count: 1, Message: "p.X: there is none"},
		{Path: "docs/en/a\n\".md", Rule: finding.Symbol, ID: id1, Count: 12},
		{Path: "docs/zh/指南.md", Rule: finding.Anchor, ID: id1, Count: 1, Message: "指南  # 二"},
		{Path: "docs/zh/指南.md", Rule: finding.Anchor, ID: id2, Count: 1, Message: "指南  # 二"},
	}}
	want.Entries = once(want.Entries)
	text := want.Format()
	for name, form := range map[string]string{
		"as it is": string(text),
		"CRLF":     strings.ReplaceAll(string(text), "\n", "\r\n"),
		"BOM":      "\ufeff" + string(text),
	} {
		got, err := Parse([]byte(form))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range got.Entries {
			got.Entries[i].Line = 0
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What one side of a merge has taken out is mended, also where the conflict has the lines
// of both together.
func TestConflict(t *testing.T) {
	a, a2, b, c := "a link "+id1+" 1 m\n", "a link "+id1+" 2 m\n", "b link "+id1+" 1 m\n", "c link "+id1+" 1 m\n"
	for name, tt := range map[string]struct{ text, want string }{
		"both took one out":  {"<<<<<<< HEAD\n" + a + "=======\n" + b + ">>>>>>> x\n" + c, c},
		"one counted anew":   {"<<<<<<< HEAD\n" + a2 + b + "=======\n" + a + b + ">>>>>>> x\n", a + b},
		"with the base":      {"<<<<<<< HEAD\n" + a + "||||||| 123\n" + a + b + c + "=======\n" + a + c + ">>>>>>> x\n", a},
		"union of both":      {a2 + "\n" + a + b, a + b},
		"both the same":      {"<<<<<<< HEAD\n" + a + "=======\n" + a + ">>>>>>> x\n", a},
		"two conflicts, two": {"<<<<<<< HEAD\n" + a + "=======\n>>>>>>> x\n" + b + "<<<<<<< HEAD\n=======\n" + c + ">>>>>>> x\n", b},
	} {
		got, err := Parse([]byte(tt.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if marked := strings.Contains(tt.text, "<<<"); marked != (got.Conflict > 0) {
			t.Errorf("%s: conflict on line %d", name, got.Conflict)
		}
		want := header + "\n" + strings.ReplaceAll(strings.TrimSuffix(tt.want, "\n"), "\n", "\n\n") + "\n"
		if diff := cmp.Diff(want, string(got.Format())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSyntax(t *testing.T) {
	for text, line := range map[string]int{
		"a":                               1,
		"# x\n\na link":                   3,
		"a link " + id1:                   1,
		"a link " + id1 + " 0 m":          1,
		"a link " + id1 + " 01 m":         1,
		"a link " + id1 + " -1 m":         1,
		"a link " + id1[1:] + " 1 m":      1,
		"a link " + id1[1:] + "X 1 m":     1,
		"a lynk " + id1 + " 1 m":          1,
		`"a` + " link " + id1 + " 1 m":    1,
		`"a"link ` + id1 + " 1 m":         1,
		"=======":                         1,
		"\n<<<<<<< a\n":                   2,
		"<<<<<<< a\n=======\n<<<<<<< b":   3,
		"a link " + id1 + " 1 m\n>>>>>>>": 2,
	} {
		_, err := Parse([]byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != line || !strings.Contains(syntax.Message, "; ") {
			t.Errorf("%q: %v, want an error with a remedy on line %d", text, err, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a link " + id1 + " 1 m\n"))
	f.Add([]byte("\"a b\" link " + id1 + " 1\n\n<<<<<<< x\n=======\n>>>>>>> y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Parse(data)
		if err != nil {
			return
		}
		again, err := Parse(b.Format())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.Format())
		}
		if diff := cmp.Diff(string(b.Format()), string(again.Format())); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	})
}
