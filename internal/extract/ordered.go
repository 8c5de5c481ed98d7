package extract

import "slices"

// ordered joins lists that have items in common into one that keeps the order of each as
// far as can be. What only a later list has goes before the item that it precedes there.
type ordered[K comparable, V any] struct {
	keys []K
	vals map[K]V
	in   map[K]set
}

func newOrdered[K comparable, V any]() *ordered[K, V] {
	return &ordered[K, V]{vals: map[K]V{}, in: map[K]set{}}
}

// add adds the list of one build.
func (o *ordered[K, V]) add(build int, keys []K, vals []V) {
	var fresh []K
	place := func(at int) {
		o.keys = slices.Insert(o.keys, at, fresh...)
		fresh = nil
	}
	for i, key := range keys {
		if _, known := o.vals[key]; !known {
			fresh = append(fresh, key)
			o.vals[key] = vals[i]
		} else if at := slices.Index(o.keys, key); at >= 0 {
			place(at)
		}
		o.in[key] = o.in[key].with(build)
	}
	place(len(o.keys))
}
