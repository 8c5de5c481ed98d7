package planmode

import (
	"cmp"
	"crypto/sha256"
	"slices"
)

// outcomes holds how the reviews of a session ended, by their ids, and which of them the
// model has to be told of. It is a trie over the hashes of the ids. A change copies the way
// to what it changes and leaves every older value as it is, so that its cost grows with the
// logarithm of the count.
type outcomes struct {
	root  *outcomeNode
	count int // of the reviews that ended
	owed  int // of those that no call carries to the model
}

// outcome is how a review ended.
type outcome struct {
	Settlement
	plan  string // the text under review, "" once the model was told
	order int    // how many reviews ended before
	owed  bool   // no call carries it to the model
}

// outcomeNode holds an outcome; those below have hashes that begin with the same bits.
type outcomeNode struct {
	*outcome
	below [4]*outcomeNode
}

// branch returns the place below a node of that depth at which a hash goes on.
func branch(hash *[sha256.Size]byte, depth int) byte {
	return hash[depth/4] >> (depth % 4 * 2) & 3
}

// find returns the outcome of the review, nil if it has not ended.
func (m outcomes) find(reviewID string) *outcome {
	if m.root == nil {
		return nil
	}
	hash := sha256.Sum256([]byte(reviewID))
	for n, depth := m.root, 0; n != nil; depth++ {
		if n.ReviewID == reviewID {
			return n.outcome
		}
		n = n.below[branch(&hash, depth)]
	}
	return nil
}

// with returns the outcomes with o in them, in place of an older one of its review.
func (m outcomes) with(o outcome) outcomes {
	o.order = m.count
	if old := m.find(o.ReviewID); old != nil {
		o.order = old.order
		m.owed -= oneIf(old.owed)
	} else {
		m.count++
	}
	m.owed += oneIf(o.owed)
	hash := sha256.Sum256([]byte(o.ReviewID))
	m.root = m.root.with(&o, &hash, 0)
	return m
}

func (n *outcomeNode) with(o *outcome, hash *[sha256.Size]byte, depth int) *outcomeNode {
	if n == nil {
		return &outcomeNode{outcome: o}
	}
	changed := *n
	if n.ReviewID == o.ReviewID {
		changed.outcome = o
		return &changed
	}
	i := branch(hash, depth)
	changed.below[i] = n.below[i].with(o, hash, depth+1)
	return &changed
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// marked returns the outcomes with that of the review owed to the model, or not.
func (m outcomes) marked(reviewID string, owed bool) outcomes {
	old := m.find(reviewID)
	if old == nil {
		return m
	}
	o := *old
	if o.owed = owed; !owed {
		o.plan = ""
	}
	return m.with(o)
}

// lightened returns the outcomes without the texts of plans in that of the review.
func (m outcomes) lightened(reviewID string) outcomes {
	old := m.find(reviewID)
	if old == nil || old.plan == "" && old.Plan == "" {
		return m
	}
	o := *old
	o.plan, o.Plan = "", ""
	return m.with(o)
}

// due returns the outcomes that are owed, oldest first.
func (m outcomes) due() []*outcome {
	out := make([]*outcome, 0, m.owed)
	var walk func(n *outcomeNode)
	walk = func(n *outcomeNode) {
		if n == nil {
			return
		}
		if n.owed {
			out = append(out, n.outcome)
		}
		for _, below := range n.below {
			walk(below)
		}
	}
	if m.owed > 0 {
		walk(m.root)
	}
	slices.SortFunc(out, func(a, b *outcome) int { return cmp.Compare(a.order, b.order) })
	return out
}
