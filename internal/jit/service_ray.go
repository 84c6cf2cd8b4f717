package jit

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// ray serves the rays of the active lanes at slots of a variable.
func (c *serviceCall) ray() {
	base, slots := c.variable()
	c.serveRays(uint32(base), uint32(slots))
}

// indirectRay serves the rays of the active lanes at addresses.
func (c *serviceCall) indirectRay() { c.serveRays(0, c.variant.source.PrivateSlots()) }

// serveRays calls the service once for the whole strip.
func (c *serviceCall) serveRays(base, limit uint32) {
	rays := &c.rays
	rays.Begin(c.private(), int(c.variant.code.Record.Lanes))
	rays.Wide = c.form().Lanes == 16
	parts := len(c.site.Masks)
	slot, one := uniform(c.site.Uses[:parts])
	request, same := uniform(c.site.Uses[parts:])
	if one && same {
		rays.AddAll(c.active, base, limit, slot, request)
		c.job.Rays.ServeRays(rays)
		return
	}
	rays.Vary()
	c.words(0, &rays.Slot)
	c.words(1, &rays.Request)
	for lane := range c.active.All {
		rays.Add(lane, base, limit, uint64(rays.Slot[lane]), uint64(rays.Request[lane]))
	}
	c.job.Rays.ServeRays(rays)
}

// uniform returns the number that all parts of an operand are, if they are the same constant.
func uniform(parts []target.Location) (x uint64, ok bool) {
	for i := range parts {
		if r := &parts[i]; !r.Const || r.Step != 0 || r.Bits != parts[0].Bits {
			return 0, false
		}
	}
	return uint64(uint32(parts[0].Bits)), true
}

// words sets the words of the i-th operand, which has 32 bits, in all lanes.
func (c *serviceCall) words(i int, to *[128]uint32) {
	lanes, parts := c.form().Lanes, len(c.site.Masks)
	for part, r := range c.site.Uses[i*parts : (i+1)*parts] {
		at := to[c.firstLane+part*lanes:][:lanes]
		if r.Const {
			for lane := range at {
				at[lane] = uint32(r.Bits) + r.Step*uint32(lane)
			}
			continue
		}
		b := c.register(r)[:4*lanes] // a register of one number has fewer bytes and panics
		copy(at, unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), lanes))
	}
}
