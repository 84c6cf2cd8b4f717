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
	Uniform bool        // all lanes have the same slot and the same request
	alike   int         // the number of lanes with the slot and the request of lane 0, of the last AddAll

	// Wide: the program uses vectors of 16 numbers. The service may use them too; its results are the same.
	Wide bool

	Scratch RayScratch // memory of the service, which it finds again at the next call of the same worker; nil at first
}

// RayScratch is memory of a RayService. It holds no structure between calls.
type RayScratch interface {
	// Release returns the memory for reuse.
	Release()
}

// Release ends the use of the call by a worker.
func (c *RayCall) Release() {
	c.Memory = nil
	if c.Scratch != nil {
		c.Scratch.Release()
		c.Scratch = nil
	}
}

// Begin sets the memory of the next call, in which no lane has a ray yet.
func (c *RayCall) Begin(memory []uint32, stride int) {
	c.Memory, c.Stride, c.Lanes, c.Uniform = memory, stride, Lanes{}, false
}

// Vary ends the use of the slots and requests of the last AddAll. A caller that sets them itself calls it first.
func (c *RayCall) Vary() { c.alike = 0 }

// Add adds the ray of a lane at a slot of the limit slots from base on, unless it does not fit there.
func (c *RayCall) Add(lane int, base, limit uint32, slot, request uint64) {
	if slot+ir.RaySlots > uint64(limit) {
		return
	}
	c.alike = 0
	c.Lanes[lane>>6] |= 1 << (lane & 63)
	c.Slot[lane], c.Request[lane] = base+uint32(slot), uint32(request)
}

// AddAll adds the rays of lanes, the only ones of the call, at the same slot and with the same request.
func (c *RayCall) AddAll(lanes Lanes, base, limit uint32, slot, request uint64) {
	if slot+ir.RaySlots > uint64(limit) {
		return
	}
	c.Lanes, c.Uniform = lanes, true
	at, which := base+uint32(slot), uint32(request)
	if c.alike >= c.Stride && c.Slot[0] == at && c.Request[0] == which { // most programs have few rays
		return
	}
	c.alike = c.Stride
	for lane := range c.Stride {
		c.Slot[lane], c.Request[lane] = at, which
	}
}
