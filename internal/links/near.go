package links

import (
	"cmp"
	"slices"
	"strings"
)

// sortedByLine returns the keys of a map from names to lines by line, then by name.
func sortedByLine(m map[string]int) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(m[a], m[b]), strings.Compare(a, b)) })
	return names
}
