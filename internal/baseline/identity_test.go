package baseline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
)

func TestSituation(t *testing.T) {
	for message, want := range map[string]string{
		"link to x.md: there is no docs/en/x.md; did you mean y.md?":                          "link to x.md: there is no docs/en/x.md",
		"link to x.md: there is no docs/en/x.md; correct the path, or remove the link":        "link to x.md: there is no docs/en/x.md",
		"p.Opn: there is no p.Opn (did you mean p.Open?); mend the name, or exempt it: <!-- ": "p.Opn: there is no p.Opn",
		"nothing where docs/en/x.md:12 has a list of 3 items; write both pages alike":         "nothing where docs/en/x.md:# has a list of 3 items",
		"p.F (p/f.go:3) changed since docs/en/x.md:10-12 was confirmed; bring":                "p.F (p/f.go:#) changed since docs/en/x.md:# was confirmed",
		"has other selectors here (line 12: a b); write":                                      "has other selectors here (line #: a b)",
		"a heading of level 2 and 3 more to line 9":                                           "a heading of level 2 and 3 more to line #",
		"it  has\ttwo 行 3": "it has two 行 3",
	} {
		if got := situation(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// A finding is the same on another line, and another one when its line reads otherwise,
// when it says something else, or when what it is about moves on.
func TestIdentity(t *testing.T) {
	s := &settings.Settings{Root: t.TempDir(), Docs: "docs"}
	for name, text := range map[string]string{
		"a.md": "one\n  two\r\nthree\n", "b.md": "\ufefftwo\n",
	} {
		if err := os.WriteFile(filepath.Join(s.Root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	id := func(f finding.Finding) string { return newIdentities(s).entry(f).ID }
	first := finding.Finding{Path: "a.md", Line: 2, Rule: finding.Link, Message: "x:2 is; do"}
	for name, tt := range map[string]struct {
		f    finding.Finding
		same bool
	}{
		"moved":             {finding.Finding{Path: "b.md", Line: 1, Rule: finding.Link, Message: "x:9 is; do that"}, true},
		"another line":      {finding.Finding{Path: "a.md", Line: 3, Rule: finding.Link, Message: "x:2 is; do"}, false},
		"no such line":      {finding.Finding{Path: "a.md", Line: 9, Rule: finding.Link, Message: "x:2 is; do"}, false},
		"no such file":      {finding.Finding{Path: "c.md", Line: 2, Rule: finding.Link, Message: "x:2 is; do"}, false},
		"another message":   {finding.Finding{Path: "a.md", Line: 2, Rule: finding.Link, Message: "y:2 is; do"}, false},
		"another content":   {finding.Finding{Path: "a.md", Line: 2, Rule: finding.Link, Message: "x:2 is; do", Content: "1"}, false},
		"another diff only": {finding.Finding{Path: "a.md", Line: 2, Rule: finding.Link, Message: "x:2 is; do", Diff: "@@"}, true},
	} {
		if got := id(tt.f) == id(first); got != tt.same {
			t.Errorf("%s: the same is %v", name, got)
		}
	}
}

// Of findings that cannot be told apart, as many are accepted as there were.
func TestCounts(t *testing.T) {
	s := &settings.Settings{Root: t.TempDir(), Docs: "docs"}
	same := func(n int) (out []finding.Finding) {
		for i := range n {
			out = append(out, finding.Finding{Path: "a.md", Line: i + 1, Rule: finding.Link, Message: "x"})
		}
		return out
	}
	b := Of(s, append(same(2), finding.Finding{Path: Path(s), Line: 1, Rule: finding.Baseline, Message: "x"}))
	if len(b.Entries) != 1 || b.Entries[0].Count != 2 {
		t.Fatalf("entries %v", b.Entries)
	}
	for n, want := range map[int]string{
		0: "docs/baseline.lock:0: baseline: a.md no longer has this finding of the rule link (x); run gen-catalog baseline, which takes it out",
		1: "docs/baseline.lock:0: baseline: a.md has this finding of the rule link only 1 of 2 times (x); run gen-catalog baseline, which counts again",
		2: "",
		3: "",
	} {
		fresh, accepted := b.Split(s, same(n))
		if len(fresh) != max(n-2, 0) || len(accepted) != min(n, 2) {
			t.Errorf("%d findings: %d new, %d accepted", n, len(fresh), len(accepted))
		}
		var out finding.List
		b.Check(s, accepted, func(Entry) bool { return true }, &out)
		got := ""
		for _, f := range out.Findings {
			got += f.String()
		}
		if got != want {
			t.Errorf("%d findings: %q, want %q", n, got, want)
		}
		out = finding.List{}
		b.Check(s, accepted, func(Entry) bool { return false }, &out)
		if len(out.Findings) > 0 {
			t.Errorf("%d findings: %v of what was not judged", n, out.Findings)
		}
	}
}
