package extract

import "sync"

// memo remembers what was made, by what it was made of. Its zero value is ready for
// concurrent use.
type memo[K comparable, V any] struct{ values sync.Map }

// get returns the value of a key, which is made unless it is known. Where several
// goroutines make it at the same time, that of the first counts for all.
func (m *memo[K, V]) get(key K, make func() V) V {
	v, ok := m.values.Load(key)
	if !ok {
		v, _ = m.values.LoadOrStore(key, make())
	}
	return v.(V)
}
