package skeleton

import "math"

// pair is a node of one page beside that of another; one of the two may be nil.
type pair struct{ a, b *node }

// The costs of an alignment. Two nodes that differ are paired only where that is cheaper
// than to say that each page lacks the other's.
const (
	never     = math.MaxInt64
	gapCost   = 100_000
	proseCost = 15 // prose of which the other page has less
	tieCost   = 20 // what unlike hints cost
)

func (n *node) gapCost() int64 {
	switch n.kind {
	case prose:
		return proseCost
	case region, switcher:
		return gapCost * 9 / 10 // these move, rather than what they move over
	}
	return gapCost
}

// pairCost is what it costs to say that two nodes are the same part of the page.
func pairCost(a, b *node) int64 {
	if a.kind != b.kind {
		return never
	}
	var tie int64
	if a.body != nil && b.body != nil {
		tie = a.hints().unlike(b.hints(), tieCost)
	}
	if a.whole == b.whole {
		return tie
	}
	switch a.kind {
	case region:
		return never
	case row:
		if a.key != b.key {
			return never // a table has one header
		}
		return 50_000 + tie
	case heading, list:
		if a.key == b.key {
			return 60_000 + tie
		}
		return 110_000 + tie
	case item, quote:
		return 50_000 + tie
	case table:
		return 90_000 + tie
	case code:
		if a.info == b.info {
			return 80_000 + tie
		}
		return 120_000 + tie
	case tag, link, image:
		return 130_000
	}
	return tie
}

// maxCells bounds the work of one alignment.
const maxCells = 4_000_000

// align aligns two sequences at the least cost. Sequences that are too long for that are
// aligned as far as they are equal at both ends.
func align(a, b []*node) []pair {
	var head, tail []pair
	if (len(a)+1)*(len(b)+1) > maxCells {
		for len(a) > 0 && len(b) > 0 && a[0].kind == b[0].kind && a[0].whole == b[0].whole {
			head = append(head, pair{a[0], b[0]})
			a, b = a[1:], b[1:]
		}
		for len(a) > 0 && len(b) > 0 && a[len(a)-1].kind == b[len(b)-1].kind && a[len(a)-1].whole == b[len(b)-1].whole {
			tail = append(tail, pair{a[len(a)-1], b[len(b)-1]})
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
	}
	var middle []pair
	if (len(a)+1)*(len(b)+1) > maxCells {
		for _, n := range a {
			middle = append(middle, pair{n, nil})
		}
		for _, n := range b {
			middle = append(middle, pair{nil, n})
		}
	} else {
		middle = cheapest(a, b)
	}
	out := append(head, middle...)
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

// cheapest computes cost[i][j], the least cost to align a[i:] with b[j:], and reads the
// alignment from it.
func cheapest(a, b []*node) []pair {
	width := len(b) + 1
	cost := make([]int64, (len(a)+1)*width)
	pairs := make([]int64, (len(a)+1)*width)
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			at := i*width + j
			var best int64 = math.MaxInt64
			if i == len(a) && j == len(b) {
				best = 0
			}
			if i < len(a) && j < len(b) {
				if pairs[at] = pairCost(a[i], b[j]); pairs[at] < never {
					best = pairs[at] + cost[at+width+1]
				}
			}
			if i < len(a) {
				best = min(best, a[i].gapCost()+cost[at+width])
			}
			if j < len(b) {
				best = min(best, b[j].gapCost()+cost[at+1])
			}
			cost[at] = best
		}
	}
	var out []pair
	for i, j := 0, 0; i < len(a) || j < len(b); {
		at := i*width + j
		switch {
		case i < len(a) && j < len(b) && pairs[at] < never && cost[at] == pairs[at]+cost[at+width+1]:
			out = append(out, pair{a[i], b[j]})
			i, j = i+1, j+1
		case i < len(a) && cost[at] == a[i].gapCost()+cost[at+width]:
			out = append(out, pair{a[i], nil})
			i++
		default:
			out = append(out, pair{nil, b[j]})
			j++
		}
	}
	return out
}
