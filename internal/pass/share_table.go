package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// shareTable finds values by what they depend on. It is a log of what was entered: what
// was entered last is found first, and is forgotten first.
type shareTable struct {
	heads []int32 // by hash: the last in the log, from 1 on
	log   []shared
}

// shared is a value, and the one before it in the log whose hash has the same place.
type shared struct {
	key  shareKey
	v    ir.V
	next int32
}

// newShareTable returns a table for about so many values.
func newShareTable(r *room, many int) shareTable {
	n := 16
	for n < many {
		n *= 2
	}
	return shareTable{heads: r.numbers.Alloc(n), log: r.shared.Alloc(many)[:0]}
}

// maxShared bounds how many values find compares: more are in one place only where
// somebody chose them so, and one that is not found is computed again.
const maxShared = 64

// find returns the value that was entered for a key, or 0.
func (t *shareTable) find(k *shareKey) ir.V {
	i := t.heads[t.place(k)]
	for n := 0; i != 0 && n < maxShared; n++ {
		e := &t.log[i-1]
		if e.key == *k {
			return e.v
		}
		i = e.next
	}
	return 0
}

func (t *shareTable) enter(k *shareKey, v ir.V) {
	at := &t.heads[t.place(k)]
	t.log = append(t.log, shared{*k, v, *at})
	*at = int32(len(t.log))
}

// back forgets what was entered since the log had the given length.
func (t *shareTable) back(mark int) {
	for i := len(t.log) - 1; i >= mark; i-- {
		t.heads[t.place(&t.log[i].key)] = t.log[i].next
	}
	t.log = t.log[:mark]
}

// place is where the list begins that a key is in.
func (t *shareTable) place(k *shareKey) int {
	const golden = 0x9e3779b97f4a7c15
	h := uint64(k.op)<<16 ^ uint64(k.t)<<8 ^ uint64(k.flags)<<32
	for _, x := range [...]uint64{uint64(uint32(k.args[0])) | uint64(uint32(k.args[1]))<<32, uint64(uint32(k.args[2])) ^ k.epoch<<24, k.aux} {
		h = (h ^ x) * golden
		h ^= h >> 29
	}
	return int(h >> 32 & uint64(len(t.heads)-1))
}
