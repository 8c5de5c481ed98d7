package catalog

import (
	"github.com/agentplan/sdk/internal/source"
)

// nearest names the exported declaration whose name is closest to one that is not there,
// if any is close.
func (b *build) nearest(decls []*source.Decl, name string) string {
	best, distance := "", len([]rune(name))/3+2
	for _, d := range decls {
		if d.Kind == source.MethodDecl {
			continue
		}
		for _, id := range d.Names {
			if n := editDistance(name, id.Name); id.IsExported() && n < distance {
				best, distance = id.Name, n
			}
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// editDistance is the number of letters to insert, remove or replace.
func editDistance(a, b string) int {
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
