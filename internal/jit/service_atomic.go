package jit

import (
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// atomic returns the old value and stores the new one, in ascending order of lanes. If the address
// is out of range, misaligned or read-only it returns 0 and stores nothing. The order of lanes is
// arbitrary in Vulkan; the ascending order makes the old values deterministic within a subgroup.
// Out-of-range atomics return undefined values in Vulkan (robustBufferAccess2), and 0 here.
func (c *serviceCall) atomic() {
	size := uint64(c.site.Key.Type.Size())
	for lane := range c.active.All {
		b, h := c.accessed(lane)
		aligned := (c.use(1, lane)+c.site.Key.Aux)%size == 0
		if b == nil || !aligned || h.readOnly || c.isHelper(lane) || uint64(addressOf(b))%size != 0 {
			c.define(lane, 0)
			continue
		}
		c.define(lane, exchange(b, func(old uint64) uint64 { return c.replacement(lane, old) }))
	}
}

// replacement returns the value that a lane's atomic stores if it finds old. The operands are
// handle, offset, value, and for a compare-exchange the comparator.
func (c *serviceCall) replacement(lane int, old uint64) uint64 {
	compare := uint64(0)
	if c.site.IR == ir.AtomCmpXchg {
		compare = c.use(3, lane)
	}
	return ir.Replacement(c.site.IR, c.site.Key, old, c.use(2, lane), compare)
}

// exchange atomically replaces an aligned value of 1, 2, 4 or 8 bytes by f of it, and returns the
// old one. f runs again if another worker has changed the word in between, so it must be pure.
func exchange(b []byte, f func(uint64) uint64) uint64 {
	p := unsafe.Pointer(unsafe.SliceData(b))
	if len(b) == 8 {
		for {
			old := atomic.LoadUint64((*uint64)(p))
			if atomic.CompareAndSwapUint64((*uint64)(p), old, f(old)) {
				return old
			}
		}
	}
	// A narrower value is exchanged together with the aligned word around it. The access stays in
	// mapped memory: a buffer is aligned to 4, and memory after its end is on the same page.
	low := uintptr(p) % 4
	word := (*uint32)(unsafe.Add(p, -int(low)))
	mask := uint32(uint64(1)<<(8*len(b)) - 1)
	for {
		old := atomic.LoadUint32(word)
		value := old >> (8 * low) & mask
		next := old&^(mask<<(8*low)) | uint32(f(uint64(value)))&mask<<(8*low)
		if atomic.CompareAndSwapUint32(word, old, next) {
			return uint64(value)
		}
	}
}
