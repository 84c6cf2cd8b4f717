package exec

import "sync"

// Kept has things that nobody uses, for who would make new ones. It is safe for
// concurrent use; the zero Kept has none.
type Kept[T any] struct {
	mu   sync.Mutex
	list []*T
}

// Take returns one of the things, nil where there is none.
func (k *Kept[T]) Take() *T {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := len(k.list) - 1
	if last < 0 {
		return nil
	}
	x := k.list[last]
	k.list[last] = nil
	k.list = k.list[:last]
	return x
}

// Keep gives a thing back, which is dropped where there are most already.
func (k *Kept[T]) Keep(x *T, most int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.list) < most {
		k.list = append(k.list, x)
	}
}
