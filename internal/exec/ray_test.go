package exec

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestRayCallReused: each call has the slots and requests of its own rays, after calls with others and with fewer lanes.
func TestRayCallReused(t *testing.T) {
	c := &RayCall{}
	all := func(stride int, slot, request uint64) {
		t.Helper()
		c.Begin(nil, stride)
		c.AddAll(FirstLanes(uint32(stride)), 10, 10*ir.RaySlots, slot, request)
		if !c.Uniform {
			t.Error("the call is not uniform")
		}
		for lane := range stride {
			if c.Slot[lane] != 10+uint32(slot) || c.Request[lane] != uint32(request) {
				t.Fatalf("lane %d of %d has slot %d and request %d; must have %d and %d", lane, stride, c.Slot[lane], c.Request[lane], 10+slot, request)
			}
		}
	}
	all(16, 1, 2)
	all(16, 1, 2)
	all(64, 1, 2) // more lanes
	all(16, 3, 2)
	all(64, 3, 2)
	all(64, 3, 4)
	c.Begin(nil, 64)
	c.Add(5, 0, ir.RaySlots, 0, 9)
	if c.Uniform || c.Slot[5] != 0 || c.Request[5] != 9 {
		t.Errorf("slot %d, request %d, uniform %v; must be 0, 9 and false", c.Slot[5], c.Request[5], c.Uniform)
	}
	all(64, 3, 4)
	c.Begin(nil, 64)
	c.Vary()
	c.Slot[7] = 1
	all(64, 3, 4)
}
