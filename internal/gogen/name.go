package gogen

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentplan/sdk/internal/model"
)

// names are the identifiers of the entries of one kind.
type names struct {
	constants []string // of an entry's name, empty where it has none
	functions []string // that returns the entry
}

// newNames finds identifiers for entries. A name has a constant only if no other name
// of the kind would be the same identifier: a number would let a new entry silently
// change what a constant means.
func newNames(k kind, fixed map[string]bool, entries []*model.Entry) names {
	n := names{make([]string, len(entries)), make([]string, len(entries))}
	bases := make([]string, len(entries))
	claims := map[string]map[string]bool{} // identifier -> names
	for i, e := range entries {
		bases[i] = k.typ + camel(k.spelled(e))
		if claims[bases[i]] == nil {
			claims[bases[i]] = map[string]bool{}
		}
		claims[bases[i]][e.Name] = true
	}
	taken := map[string]bool{}
	for i, base := range bases {
		if k.named() && base != k.typ && !fixed[base] && len(claims[base]) == 1 {
			n.constants[i] = base
		}
		n.functions[i] = unique(lowerFirst(base), taken)
	}
	return n
}

// spelled is what the identifiers of an entry are made of.
func (k kind) spelled(e *model.Entry) string {
	switch {
	case k.kind == model.Package && e.Dir != ".":
		return e.Dir
	case k.kind == model.Untagged:
		return e.Dir + "." + e.Name
	}
	return e.Name
}

// fixedNames are the exported identifiers that the package has whatever its entries.
func fixedNames(kinds []kind) map[string]bool {
	fixed := map[string]bool{}
	for _, name := range sharedNames() {
		fixed[name] = true
	}
	for _, k := range kinds {
		for _, name := range []string{k.typ, k.nameType(), k.plural, k.finder()} {
			fixed[name] = true
		}
	}
	return fixed
}

// camel joins the runs of letters and digits of a name, each with its first letter in
// upper case.
func camel(s string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r, size := utf8.DecodeRuneInString(part)
		b.WriteRune(unicode.ToUpper(r))
		b.WriteString(part[size:])
	}
	return b.String()
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// unique returns the identifier, or the first one with a number behind it that is
// neither taken nor a keyword, and takes it.
func unique(ident string, taken map[string]bool) string {
	name := ident
	for i := 2; taken[name] || token.IsKeyword(name); i++ {
		name = ident + strconv.Itoa(i)
	}
	taken[name] = true
	return name
}
