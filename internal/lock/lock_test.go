package lock_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplan/sdk/internal/lock"
)

const (
	h1 = lock.Hash("1111111111111111111111111111111111111111")
	h2 = lock.Hash("2222222222222222222222222222222222222222")
	h3 = lock.Hash("abcdef0123456789abcdef0123456789abcdef01")
)

var ignoreLines = cmpopts.IgnoreFields(lock.Entry{}, "Line")

func entry(path, anchor string, en, zh lock.Hash) lock.Entry {
	return lock.Entry{Name: lock.Name{Path: path, Anchor: anchor}, Texts: map[string]lock.Hash{"en": en, "zh": zh}}
}

func conflict(entries ...lock.Entry) lock.Conflict {
	return lock.Conflict{Name: entries[0].Name, Entries: entries}
}

func TestRoundTrip(t *testing.T) {
	single := lock.Entry{Name: lock.Name{Path: "NOTES.md", Anchor: "a"}, Texts: map[string]lock.Hash{"": h1}}
	about := entry("docs/en/x.md", "set", h1, h2)
	about.Subjects = map[string]lock.Hash{"planmode.Service.Set": h3, "..Root": h1, "a b.C": h2}
	for _, tc := range []struct {
		name string
		lock lock.Lock
	}{
		{"empty", lock.Lock{}},
		{"entries", lock.Lock{Entries: []lock.Entry{single, entry("docs/en/x.md", "", h1, h2), about}}},
		{"odd names", lock.Lock{Entries: []lock.Entry{
			entry("#x.md", "a=b", h1, h2), entry("<<<<<<<", "x", h1, h2), entry("=======", "", h1, h2),
			entry("a b\n.md", "权威 #%20", h1, h2),
			{Name: lock.Name{Path: "c.md"}, Texts: map[string]lock.Hash{"about": h1, "zh.Hans": h2, "a=b": h3}},
		}}},
		{"conflicts", lock.Lock{
			Entries:   []lock.Entry{entry("b.md", "", h1, h1)},
			Conflicts: []lock.Conflict{conflict(entry("a.md", "", h1, h2), entry("a.md", "", h2, h2), entry("a.md", "", h3, h2)), conflict(entry("c.md", "x", h1, h2))},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := tc.lock.Format()
			got, err := lock.Parse(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if d := cmp.Diff(&tc.lock, got, ignoreLines, cmpopts.IgnoreFields(lock.Conflict{}, "Line"), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s\n%s", d, text)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	l := lock.Lock{}
	l.Set(entry("docs/en/b.md", "x", h1, h2))
	l.Set(entry("docs/en/a.md", "z", h1, h2))
	l.Set(entry("docs/en/a.md", "", h1, h2))
	l.Set(entry("docs/en/b.md", "x", h2, h2))
	l.Remove(lock.Name{Path: "docs/en/a.md", Anchor: "none"})
	var got []string
	for line := range strings.Lines(string(l.Format())) {
		if line[0] != '#' {
			got = append(got, line)
		}
	}
	want := []string{
		"\n", "docs/en/a.md en=" + string(h1) + " zh=" + string(h2) + "\n",
		"\n", "docs/en/a.md#z en=" + string(h1) + " zh=" + string(h2) + "\n",
		"\n", "docs/en/b.md#x en=" + string(h2) + " zh=" + string(h2) + "\n",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestParseConflicts(t *testing.T) {
	a1, a2 := entry("a.md", "", h1, h2), entry("a.md", "", h2, h2)
	b, c := entry("b.md", "", h1, h2), entry("c.md", "", h1, h2)
	lines := func(entries ...lock.Entry) string {
		var s []string
		for _, e := range entries {
			s = append(s, e.Format()+"\n")
		}
		return strings.Join(s, "\n")
	}
	for _, tc := range []struct {
		name, text string
		want       *lock.Lock
	}{
		{"the same section", "<<<<<<< HEAD\n" + lines(a1) + "=======\n" + lines(a2) + ">>>>>>> other\n\n" + lines(b),
			&lock.Lock{Entries: []lock.Entry{b}, Conflicts: []lock.Conflict{conflict(a1, a2)}}},
		{"with its base, CRLF", strings.ReplaceAll("<<<<<<< HEAD\n"+lines(a1)+"||||||| 1234567\n"+lines(c)+"=======\n"+lines(a2)+">>>>>>>\n", "\n", "\r\n"),
			&lock.Lock{Conflicts: []lock.Conflict{conflict(a1, a2)}}},
		{"what both sides have", "<<<<<<< HEAD\n" + lines(a1, b) + "=======\n" + lines(a2, b) + ">>>>>>> other\n",
			&lock.Lock{Entries: []lock.Entry{b}, Conflicts: []lock.Conflict{conflict(a1, a2)}}},
		{"what one side has", "<<<<<<< HEAD\n" + lines(b) + "=======\n" + lines(c) + ">>>>>>> other\n",
			&lock.Lock{Conflicts: []lock.Conflict{conflict(b), conflict(c)}}},
		{"a union merge", lines(a1, a2, b, b),
			&lock.Lock{Entries: []lock.Entry{b}, Conflicts: []lock.Conflict{conflict(a1, a2)}}},
		{"settled elsewhere", lines(a1) + "<<<<<<< HEAD\n=======\n" + lines(a1) + ">>>>>>> other\n",
			&lock.Lock{Entries: []lock.Entry{a1}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := lock.Parse([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got, ignoreLines, cmpopts.IgnoreFields(lock.Conflict{}, "Line")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	good := "a.md en=" + string(h1)
	for _, tc := range []struct {
		text string
		line int
	}{
		{"# comment\n\nwords without a hash\n", 3},
		{good + "\n\na.md\n", 3},
		{good + "0\n", 1},
		{"a.md en=" + strings.ToUpper(string(h3)) + "\n", 1},
		{good + " en=" + string(h2) + "\n", 1},
		{good + "  zh=" + string(h2) + "\n", 1},
		{good + " about\n", 1},
		{"a.md about p.X=" + string(h1) + "\n", 1},
		{"#\n" + "a.md# en=" + string(h1) + "\n", 2},
		{" en=" + string(h1) + "\n", 1},
		{good + "\n<<<<<<< ours\n" + good + "\n", 2},
		{good + "\n=======\n", 2},
		{">>>>>>> theirs\n", 1},
		{"<<<<<<< a\n<<<<<<< b\n", 2},
	} {
		_, err := lock.Parse([]byte(tc.text))
		var syntax *lock.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error %v", tc.text, err)
			continue
		}
		if syntax.Line != tc.line || !strings.Contains(syntax.Message, ";") {
			t.Errorf("%q: line %d, want %d: %s", tc.text, syntax.Line, tc.line, syntax.Message)
		}
	}
}

func FuzzParse(f *testing.F) {
	e := entry("docs/en/x.md", "a%20b", h1, h2)
	e.Subjects = map[string]lock.Hash{"p.X": h3}
	f.Add(e.Format())
	f.Add("<<<<<<< a\n" + e.Format() + "\n||||||| b\n=======\n" + entry("x", "", h1, h2).Format() + "\n>>>>>>> c\n")
	f.Add("%3d=======#% *=" + string(h1))
	f.Fuzz(func(t *testing.T, text string) {
		first, err := lock.Parse([]byte(text))
		if err != nil {
			return
		}
		formatted := first.Format()
		again, err := lock.Parse(formatted)
		if err != nil {
			t.Fatalf("%v\n%s", err, formatted)
		}
		if d := cmp.Diff(first, again, ignoreLines, cmpopts.IgnoreFields(lock.Conflict{}, "Line"), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s\n%s", d, formatted)
		}
		if d := cmp.Diff(string(formatted), string(again.Format())); d != "" {
			t.Error(d)
		}
	})
}
