package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// RayService serves the requests of programs on rays (ir.Ray, ir.RayI). Several workers may call it at once. It must be
// comparable.
type RayService interface {
	// ServeRays serves the request of each ray of the call. It accesses the slots of these rays only.
	ServeRays(c *RayCall)
}

// RayCall is one operation of the active lanes of a subgroup or a strip. An engine reuses it for all calls of a worker.
type RayCall struct {
	Memory []uint32 // the private memory: slot s of lane l is Memory[s·Stride+l]
	Stride int
	Lanes  Lanes // the active lanes with a ray inside the private memory

	Slot    [128]uint32 // by lane: the first slot of its ray
	Request [128]uint32 // by lane
}

// Begin sets the memory of the next call, in which no lane has a ray yet.
func (c *RayCall) Begin(memory []uint32, stride int) {
	c.Memory, c.Stride, c.Lanes = memory, stride, Lanes{}
}

// Add adds the ray of a lane at a slot of the limit slots from base on, unless it does not fit there.
func (c *RayCall) Add(lane int, base, limit uint32, slot, request uint64) {
	if slot+ir.RaySlots > uint64(limit) {
		return
	}
	c.Lanes[lane>>6] |= 1 << (lane & 63)
	c.Slot[lane], c.Request[lane] = base+uint32(slot), uint32(request)
}
