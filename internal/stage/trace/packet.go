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

// begins reports whether all lanes from base on begin a traversal of the same structure at the same slot. It sets the rows of the
// rays.
func (r *request) begins(c *exec.RayCall, base int, lanes uint32, structures ray.Table) bool {
	if bits.OnesCount32(lanes) < leastRays {
		return false
	}
	first := base + bits.TrailingZeros32(lanes)
	if c.Request[first] != ir.RayProceed {
		return false
	}
	slot := c.Slot[first]
	n := min(ray.PacketLanes, c.Stride-base)
	if !c.Uniform {
		var different uint32
		slots, requests := c.Slot[base:][:n], c.Request[base:][:n]
		for i := range n {
			different |= ((slots[i] ^ slot) | (requests[i] ^ ir.RayProceed)) & -(lanes >> i & 1)
		}
		if different != 0 {
			return false
		}
	}
	r.at(c, first, structures)
	r.rows = ray.Rows{Memory: c.Memory[int(slot)*c.Stride+base:], Stride: c.Stride, Lanes: n}
	return r.rows.Begin(lanes, r.number)
}

// proceedAll is proceed for lanes of the rows, which begin a traversal.
func (r *request) proceedAll(lanes uint32) {
	rows, p := &r.rows, &r.packet
	rows.Load(&p.Rays)
	p.Lanes = lanes
	r.walker.NextAll(r.structure, p)
	undecided := p.Found &^ p.Decided
	rows.Store(ir.RayCommitted, &p.Hits, p.Decided)
	rows.Fill(ir.RayCandidate+ir.HitKind, ir.HitNone, lanes&^undecided)
	rows.Fill(ir.RayStarted, 1, p.Found)
	rows.Fill(ir.RayEnded, 1, lanes&^undecided)
	if undecided != 0 {
		rows.Store(ir.RayCandidate, &p.Hits, undecided)
		rows.StoreKeys(ir.RayTrail, &p.Hits, undecided)
	}
}
