// Package finding yields what a run has to say about a tree: findings, which are
// values with a place, a rule and a remedy, and failures, which kept the run from
// being done at all.
package finding

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Rule names one kind of finding. The names are part of the commands' interface.
type Rule string

// The rules of verify-catalog, in the order in which the manual lists them.
const (
	RegionStale   Rule = "region-stale"
	RegionMissing Rule = "region-missing"
	PageMissing   Rule = "page-missing"
	Marker        Rule = "marker"
	Selector      Rule = "selector"
	Unowned       Rule = "unowned"
	OwnedTwice    Rule = "owned-twice"
	Directive     Rule = "directive"
	DocMissing    Rule = "doc-missing"
	DocLink       Rule = "doc-link"
	GenStale      Rule = "gen-stale"

	Structure   Rule = "structure"
	Translation Rule = "translation"
	Prose       Rule = "prose"
	Symbol      Rule = "symbol"
	Declaration Rule = "declaration"
	Fence       Rule = "fence"
	Link        Rule = "link"
	Anchor      Rule = "anchor"

	Baseline Rule = "baseline"
)

// Rules lists the rules in the order in which the manual lists them.
func Rules() []Rule {
	return []Rule{
		RegionStale, RegionMissing, PageMissing, Marker, Selector, Unowned, OwnedTwice, Directive, DocMissing, DocLink, GenStale,
		Structure, Translation, Prose, Symbol, Declaration, Fence, Link, Anchor, Baseline,
	}
}

// Finding is one fault of the tree. Message ends with the remedy.
type Finding struct {
	Path    string `json:"path"` // relative to the module root, with slashes
	Line    int    `json:"line"` // counted from 1
	Rule    Rule   `json:"rule"`
	Message string `json:"message"`
	Diff    string `json:"diff,omitempty"` // a unified diff, for stale bytes
	Mended  bool   `json:"-"`              // gen-catalog mends it by writing the page
	// Content is a hash of what the finding is about where that is more than its message
	// and its line tell: with another content it is another finding. It may be empty.
	Content string `json:"-"`
}

// Content is the hash of the parts that a finding is about.
func Content(parts ...string) string {
	h := sha1.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// String is the finding's one line, without its diff.
func (f Finding) String() string {
	return oneLine(fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, f.Rule, f.Message))
}

// Compare orders findings by path, line, rule and message.
func (f Finding) Compare(g Finding) int {
	return cmp.Or(
		cmp.Compare(f.Path, g.Path),
		cmp.Compare(f.Line, g.Line),
		cmp.Compare(f.Rule, g.Rule),
		cmp.Compare(f.Message, g.Message),
	)
}

// Failure is a reason why a run could not be done: the commands exit with 2.
// Line is 0 where the whole path is meant, Path is empty where no file is.
type Failure struct {
	Path    string
	Line    int
	Message string
}

// Error is the failure's one line.
func (f Failure) Error() string {
	switch {
	case f.Path == "":
		return f.Message
	case f.Line == 0:
		return oneLine(f.Path) + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", oneLine(f.Path), f.Line, f.Message)
}

// oneLine writes control characters as Go does in a string, so that no file name breaks a
// line or speaks to a terminal.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Cause is an I/O error without the path, which a finding or failure names already.
func Cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// List collects the findings and failures of one run. It is not safe for concurrent
// use.
type List struct {
	Findings []Finding
	Failures []Failure
}

// Add records a finding.
func (l *List) Add(path string, line int, rule Rule, format string, args ...any) {
	l.Findings = append(l.Findings, Finding{Path: path, Line: line, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// Fail records a failure.
func (l *List) Fail(path string, line int, format string, args ...any) {
	l.Failures = append(l.Failures, Failure{Path: path, Line: line, Message: fmt.Sprintf(format, args...)})
}

// Sort orders both lists and drops what was recorded twice.
func (l *List) Sort() {
	slices.SortFunc(l.Findings, Finding.Compare)
	l.Findings = slices.CompactFunc(l.Findings, func(a, b Finding) bool { return a == b })
	slices.SortFunc(l.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
	})
	l.Failures = slices.Compact(l.Failures)
}
