package planmode

import "sync"

// bell wakes all who wait for it at once.
type bell struct {
	mu   sync.Mutex
	rang chan struct{} // nil while nobody listens
}

// listen returns a channel that the next ring closes.
func (b *bell) listen() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rang == nil {
		b.rang = make(chan struct{})
	}
	return b.rang
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rang != nil {
		close(b.rang)
		b.rang = nil
	}
}
