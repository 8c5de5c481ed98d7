package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	beginWords = "BEGIN GENERATED catalog"
	endWords   = "END GENERATED catalog"
)

// marker is one line that is, or was surely meant to be, a marker of ours.
type marker struct {
	line      int // index of the line
	order     int // position among the markers and headings of the document
	end       bool
	selectors []string
	fault     string // why it does not count; empty for a good marker
	block     any    // identity of the block that swallows it, nil for a child of the document
}

// String returns the marker as it should be written.
func (m marker) String() string {
	if m.end {
		return "<!-- " + endWords + " -->"
	}
	words := append([]string{beginWords}, m.selectors...)
	if len(words) == 1 {
		words = append(words, "SELECTOR")
	}
	return "<!-- " + strings.Join(words, " ") + " -->"
}

// Runes that people and editors put where the delimiters of a comment belong.
const (
	dashes    = "-–—"
	invisible = "\ufeff\u200b"
)

// readMarker reads a line as a marker. The second result is false for lines that
// have nothing to do with us. The fault of the result covers the text of the line
// only, not where in the document it stands.
func readMarker(s string) (marker, bool) {
	trimmed := strings.TrimRightFunc(s, unicode.IsSpace)
	indented := strings.TrimLeft(trimmed, " \t")
	if m, ok := readExact(indented); ok {
		if indented != trimmed {
			m.fault = "indented marker: let the line start with " + quote(m)
		}
		return m, true
	}
	inner, behind, ok := readComment(indented)
	if !ok {
		return marker{}, false
	}
	m, ok := readWords(strings.Fields(inner))
	if !ok {
		return marker{}, false
	}
	exact, isExact := readExact(strings.TrimSuffix(indented, behind))
	switch {
	case isExact && behind != "":
		m = exact
		m.fault = "text behind a marker: leave " + quote(m) + " alone on its line"
	case m.end && len(m.selectors) > 0:
		m.fault = "words after END GENERATED catalog: write " + quote(m) + " alone on its line"
	default:
		m.fault = "misspelled marker: write " + quote(m) + " alone on its line"
	}
	return m, true
}

func quote(m marker) string { return `"` + m.String() + `"` }

// readExact reads a marker that is written as it should be.
func readExact(s string) (marker, bool) {
	inner, ok := strings.CutPrefix(s, "<!-- ")
	if !ok || strings.Index(inner, "-->") != len(inner)-len("-->") {
		return marker{}, false
	}
	inner = strings.TrimSuffix(inner, "-->")
	words := strings.Fields(inner)
	if inner != strings.Join(words, " ")+" " {
		return marker{}, false
	}
	inner = strings.TrimSuffix(inner, " ")
	switch {
	case inner == endWords:
		return marker{end: true}, true
	case inner == beginWords || strings.HasPrefix(inner, beginWords+" "):
		return marker{selectors: words[3:]}, true
	}
	return marker{}, false
}

// readComment splits a line into what stands inside of an HTML comment, however
// badly delimited, and what follows behind it. It wants one of the delimiters to
// be recognizable.
func readComment(s string) (inner, behind string, ok bool) {
	isDelim := func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<!>"+dashes+invisible, r)
	}
	rest := strings.TrimLeftFunc(s, isDelim)
	opened := opens(s[:len(s)-len(rest)])
	closed := false
	inner = rest
	if i := strings.Index(rest, "-->"); i >= 0 {
		inner, behind = rest[:i], rest[i+len("-->"):]
		closed = true
	}
	trimmed := strings.TrimRightFunc(inner, isDelim)
	closed = closed || closes(inner[len(trimmed):])
	if !opened && (!closed || behind != "") {
		return "", "", false
	}
	return trimmed, behind, true
}

// opens reports whether a run of delimiter runes has "<" and then "!" or a dash.
func opens(run string) bool {
	_, after, ok := strings.Cut(withoutSpace(run), "<")
	r, _ := utf8.DecodeRuneInString(after)
	return ok && after != "" && strings.ContainsRune("!"+dashes, r)
}

// closes reports whether a run of delimiter runes has a dash and then ">".
func closes(run string) bool {
	before, _, ok := strings.Cut(withoutSpace(run), ">")
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, "!"))
	return ok && before != "" && strings.ContainsRune(dashes, r)
}

func withoutSpace(s string) string { return strings.Join(strings.Fields(s), "") }

// readWords recognizes the three words of a marker at the start of words: in any
// case, with spaces lost or added, and with at most one slip of the keyboard in
// all of them. Two slips make another word, which may well be that of another tool.
func readWords(words []string) (marker, bool) {
	best, m := 2, marker{}
	joined := ""
	for i, w := range words[:min(len(words), 4)] {
		joined += strings.ToLower(w)
		for _, want := range []struct {
			words string
			end   bool
		}{{beginWords, false}, {endWords, true}} {
			d := slips(joined, strings.ToLower(withoutSpace(want.words)))
			if d < best {
				best = d
				m = marker{end: want.end, selectors: words[i+1:]}
			}
		}
	}
	return m, best < 2
}

// slips returns 0 for equal strings, 1 when one inserted, missing, replaced or
// exchanged letter makes them equal, and 2 for all others.
func slips(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	x, y = x[i:], y[i:]
	switch {
	case len(y) == 0:
		return 0
	case len(x)+1 == len(y) && string(x) == string(y[1:]),
		len(x) == len(y) && string(x[1:]) == string(y[1:]),
		len(x) == len(y) && len(x) > 1 && x[0] == y[1] && x[1] == y[0] && string(x[2:]) == string(y[2:]):
		return 1
	}
	return 2
}
