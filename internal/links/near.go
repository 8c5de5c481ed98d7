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

// nearest returns the candidate that differs least from a name, or "" where none is near.
// Of equals the first wins.
func nearest(name string, candidates []string) string {
	best, distance := "", len([]rune(name))/3+2
	for _, c := range candidates {
		if strings.EqualFold(c, name) {
			return c
		}
		if n := editDistance(name, c, distance); n < distance {
			best, distance = c, n
		}
	}
	return best
}

// editDistance is the number of letters to insert, remove or replace, or at least limit
// where it is not below that.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit {
		return limit
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], min(cost, 1+row[j], 1+row[j+1])
		}
	}
	return row[len(y)]
}
