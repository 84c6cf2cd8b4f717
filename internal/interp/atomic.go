package interp

import (
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// atomic is every atom….T h, off, #imm, v: if in range, aligned and
// writable, and the lane is no helper, it stores the new value and yields the
// old one; else it does nothing and yields 0. Lanes ascending.
func (s *subgroup) atomic(in *inst) {
	dst, h, off, v, compare := s.reg(in.dst), s.reg(in.x), s.reg(in.y), s.reg(in.z), s.reg(in.w)
	size := uint64(in.key.Type.Size())
	for _, lane := range s.active() {
		dst[lane] = 0
		to := &s.w.handles[h[lane]]
		b := at(to.bytes, off[lane], in.key.Aux, size)
		if b == nil || (off[lane]+in.key.Aux)%size != 0 || uint64(uintptr(address(b)))%size != 0 ||
			to.readOnly || s.helper.Has(uint32(lane)) {
			continue
		}
		dst[lane] = update(b, func(old uint64) uint64 {
			return ir.Replacement(in.op, in.key, old, v[lane], compare[lane])
		})
	}
}

// update replaces the value that b holds by f of it, at once for all workers,
// and returns the old one. b is aligned to its length.
func update(b []byte, f func(uint64) uint64) uint64 {
	p := address(b)
	if len(b) == 8 {
		for {
			old := atomic.LoadUint64((*uint64)(p))
			if atomic.CompareAndSwapUint64((*uint64)(p), old, f(old)) {
				return old
			}
		}
	}
	// A narrower value is part of an aligned word, which it replaces.
	low := uintptr(p) & 3
	word := (*uint32)(unsafe.Add(p, -int(low)))
	shift := 8 * low
	mask := uint32(uint64(1)<<(8*len(b)) - 1)
	for {
		old := atomic.LoadUint32(word)
		part := old >> shift & mask
		to := old&^(mask<<shift) | uint32(f(uint64(part)))&mask<<shift
		if atomic.CompareAndSwapUint32(word, old, to) {
			return uint64(part)
		}
	}
}
