// Package nearest yields the name that was most likely meant by one that does not exist.
package nearest

import (
	"slices"
	"strings"
)

// Of returns the candidate closest to name, or "" if none is close. Of equally close ones
// it is the one that begins most like name, then the first in the alphabet.
func Of(name string, candidates []string) string {
	best, distance := "", len([]rune(name))/3+2
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if far := len([]rune(c)) - len([]rune(name)); c == name || far > distance || -far > distance {
			continue
		}
		n := Distance(name, c)
		if strings.EqualFold(name, c) {
			n = min(n, 1)
		}
		if n < distance || n == distance && best != "" && common(name, c) > common(name, best) {
			best, distance = c, n
		}
	}
	return best
}

// common is the number of bytes that two strings begin with in common.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Hint asks in parentheses whether the candidate closest to name was meant. It is empty
// where none is close.
func Hint(name string, candidates []string) string {
	if best := Of(name, candidates); best != "" {
		return " (did you mean " + best + "?)"
	}
	return ""
}

// Distance is the number of letters to insert, remove or replace to make b of a.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
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
