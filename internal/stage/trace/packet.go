package trace

import (
	"math/bits"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// The slots of a ray before RayCommitted are a row of a packet each, and so are those of a hit.
var (
	_ [unsafe.Sizeof(ray.PacketRays{}) / 4]struct{} = [ir.RayCommitted * ray.PacketLanes]struct{}{}
	_ [unsafe.Sizeof(ray.PacketHits{}) / 4]struct{} = [ir.HitSlots * ray.PacketLanes]struct{}{}
)

// leastRays is the number of rays that are a packet.
const leastRays = 2

// begins reports whether all lanes from base on begin a traversal of the same structure at the same slot.
func (r *request) begins(c *exec.RayCall, base int, lanes uint32, structures ray.Table) bool {
	if bits.OnesCount32(lanes) < leastRays {
		return false
	}
	first := base + bits.TrailingZeros32(lanes)
	if c.Request[first] != ir.RayProceed {
		return false
	}
	slot := c.Slot[first]
	r.at(c, first, structures)
	low, high := uint32(r.number), uint32(r.number>>32)
	n := min(ray.PacketLanes, c.Stride-base)
	var different uint32
	slots, requests := c.Slot[base:][:n], c.Request[base:][:n]
	for i := range n {
		different |= ((slots[i] ^ slot) | (requests[i] ^ ir.RayProceed)) & -(lanes >> i & 1)
	}
	if different != 0 {
		return false
	}
	row := func(at int) []uint32 { return c.Memory[(int(slot)+at)*c.Stride+base:][:n] }
	started, ended, kind := row(ir.RayStarted), row(ir.RayEnded), row(ir.RayCommitted+ir.HitKind)
	lows, highs := row(ir.RayStructure), row(ir.RayStructure+1)
	for i := range n {
		different |= (started[i] | ended[i] | kind[i] | (lows[i] ^ low) | (highs[i] ^ high)) & -(lanes >> i & 1)
	}
	return different == 0
}

// proceedAll is proceed for the lanes from base on, which begin a traversal.
func (r *request) proceedAll(c *exec.RayCall, base int, lanes uint32) {
	memory := c.Memory[int(c.Slot[base+bits.TrailingZeros32(lanes)])*c.Stride+base:]
	p := &r.packet
	n := min(ray.PacketLanes, c.Stride-base)
	p.Rays.Load(memory, c.Stride, n)
	p.Lanes = lanes
	r.walker.NextAll(r.structure, p)
	set := func(slot int, lanes, x uint32) {
		for row := memory[slot*c.Stride:]; lanes != 0; lanes &= lanes - 1 {
			row[bits.TrailingZeros32(lanes)] = x
		}
	}
	h, undecided := &p.Hits, p.Found&^p.Decided
	h.Store(memory[ir.RayCommitted*c.Stride:], c.Stride, n, p.Decided)
	set(ir.RayCandidate+ir.HitKind, lanes&^undecided, ir.HitNone)
	set(ir.RayStarted, p.Found, 1)
	set(ir.RayEnded, lanes&^undecided, 1)
	if undecided == 0 {
		return
	}
	h.Store(memory[ir.RayCandidate*c.Stride:], c.Stride, n, undecided)
	h.StoreKeys(memory[ir.RayTrail*c.Stride:], c.Stride, n, undecided)
}
