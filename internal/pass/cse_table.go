package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// exprTable is a scoped hash table with chaining. Its entries are a log: lookups find the latest
// entry first, and leaving a scope removes entries from the end. A scope is the range of entries
// since a mark, so that leaving it costs only its own entries, and no scope allocates a table of its
// own.
type exprTable struct {
	heads []int32 // by bucket: 1 + the index of its latest entry in log, or 0
	log   []exprEntry
}

// exprEntry is a value with its key. next is the bucket's entry before it, coded as
// in heads.
type exprEntry struct {
	key  exprKey
	v    ir.V
	next int32
}

// newExprTable returns a table for up to many values.
func newExprTable(r *arena, many int) exprTable {
	n := 16
	for n < many {
		n *= 2
	}
	return exprTable{heads: r.numbers.Alloc(n), log: r.exprs.Alloc(many)[:0]}
}

// maxProbes limits the comparisons of one lookup. Longer chains occur only in input
// that is made to collide; a value that is not found is just computed again.
const maxProbes = 64

// find returns the value of a key, or 0.
func (t *exprTable) find(k *exprKey) ir.V {
	i := t.heads[t.bucket(k)]
	for n := 0; i != 0 && n < maxProbes; n++ {
		e := &t.log[i-1]
		if e.key == *k {
			return e.v
		}
		i = e.next
	}
	return 0
}

// enter adds a value to the innermost scope.
func (t *exprTable) enter(k *exprKey, v ir.V) {
	at := &t.heads[t.bucket(k)]
	t.log = append(t.log, exprEntry{*k, v, *at})
	*at = int32(len(t.log))
}

// back removes the entries from index mark on.
func (t *exprTable) back(mark int) {
	for i := len(t.log) - 1; i >= mark; i-- {
		t.heads[t.bucket(&t.log[i].key)] = t.log[i].next
	}
	t.log = t.log[:mark]
}

// bucket returns the index of a key in heads: multiplicative (Fibonacci) hashing. The upper bits of
// a product depend on all bits of the factor, the lowest one only on the lowest; hence the shift by
// 32.
func (t *exprTable) bucket(k *exprKey) int {
	const golden = 0x9e3779b97f4a7c15
	h := uint64(k.op)<<16 ^ uint64(k.t)<<8 ^ uint64(k.flags)<<32
	for _, x := range [...]uint64{uint64(uint32(k.args[0])) | uint64(uint32(k.args[1]))<<32, uint64(uint32(k.args[2])) ^ k.epoch<<24, k.aux} {
		h = (h ^ x) * golden
		h ^= h >> 29
	}
	return int(h >> 32 & uint64(len(t.heads)-1))
}
