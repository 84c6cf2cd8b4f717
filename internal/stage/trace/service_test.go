package trace

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/ray"
	_ "github.com/chiaro-gpu/chiaro/internal/testgc"
)

// TestLayout compares the slots of package ir with the fields of package ray.
func TestLayout(t *testing.T) {
	var q ray.Query
	var h ray.Hit
	for _, c := range []struct {
		name   string
		slot   uintptr
		offset uintptr
	}{
		{"origin", ir.RayOrigin, unsafe.Offsetof(q.Origin)},
		{"tmin", ir.RayTMin, unsafe.Offsetof(q.TMin)},
		{"direction", ir.RayDirection, unsafe.Offsetof(q.Direction)},
		{"tmax", ir.RayTMax, unsafe.Offsetof(q.TMax)},
		{"time", ir.RayTime, unsafe.Offsetof(q.Time)},
		{"flags", ir.RayFlags, unsafe.Offsetof(q.Flags)},
		{"mask", ir.RayMask, unsafe.Offsetof(q.Mask)},
		{"committed", ir.RayCommitted, unsafe.Offsetof(q.Committed)},
		{"candidate", ir.RayCandidate, unsafe.Offsetof(q.Candidate)},
		{"the hit's end", ir.HitSlots, unsafe.Sizeof(h)},
		{"kind", ir.HitKind, unsafe.Offsetof(h.Kind)},
		{"generated", ir.HitGenerated, unsafe.Offsetof(h.Generated)},
		{"t", ir.HitT, unsafe.Offsetof(h.T)},
		{"u", ir.HitU, unsafe.Offsetof(h.U)},
		{"v", ir.HitV, unsafe.Offsetof(h.V)},
		{"instance", ir.HitInstance, unsafe.Offsetof(h.Instance)},
		{"custom", ir.HitCustomIndex, unsafe.Offsetof(h.Custom)},
		{"record offset", ir.HitRecordOffset, unsafe.Offsetof(h.RecordOffset)},
		{"geometry", ir.HitGeometry, unsafe.Offsetof(h.Geometry)},
		{"primitive", ir.HitPrimitive, unsafe.Offsetof(h.Primitive)},
		{"hit kind", ir.HitShaderKind, unsafe.Offsetof(h.HitKind)},
		{"opaque", ir.HitOpaque, unsafe.Offsetof(h.Opaque)},
		{"place", ir.HitPlace, unsafe.Offsetof(h.Place)},
		{"triangles", ir.HitTriangle, uintptr(4 * ray.Triangles)},
		{"boxes", ir.HitBox, uintptr(4 * ray.Boxes)},
	} {
		if 4*c.slot != c.offset {
			t.Errorf("%s is slot %d; must be %d", c.name, c.slot, c.offset/4)
		}
	}
	q.Terminate()
	if w := (*words)(unsafe.Pointer(&q)); w[ir.RayEnded] != 1 {
		t.Errorf("RayEnded is not the slot of an ended query: %v", w)
	}
}

// one returns a call on the ray of lane 3 of four, at slot 2.
func one(request uint32) *exec.RayCall {
	c := &exec.RayCall{}
	c.Begin(make([]uint32, 4*(ir.RaySlots+2)), 4)
	c.Add(3, 1, ir.RaySlots+1, 1, uint64(request))
	return c
}

// A request about a hit that does not exist, and one that no program makes, answers with zeros in the slots of the answer
// and changes nothing else.
func TestServiceWithoutHit(t *testing.T) {
	s := NewService(nil)
	for request := range uint32(40) {
		c := one(request)
		at := func(slot int) *uint32 { return &c.Memory[(2+slot)*4+3] }
		for i := range ir.RayAnswerSlots {
			*at(ir.RayAnswer + i) = 7
		}
		before := append([]uint32(nil), c.Memory...)
		s.ServeRays(c)
		for i := range c.Memory {
			slot := i/4 - 2
			answer := i%4 == 3 && slot >= ir.RayAnswer && slot < ir.RaySlots
			switch {
			case request == ir.RayProceed && i%4 == 3 && slot == ir.RayEnded && c.Memory[i] == 1:
			case request != ir.RayProceed && answer && c.Memory[i] == 0:
			case c.Memory[i] != before[i], request != ir.RayProceed && answer:
				t.Errorf("request %d: word %d is %d", request, i, c.Memory[i])
			}
		}
	}
}

// A ray with any bits in its slots, such as a program with undefined behavior may make, ends.
func TestServiceOnAnyBits(t *testing.T) {
	bottom, err := ray.Build(&ray.Input{Geometries: []ray.Geometry{{Kind: ray.Boxes, Primitives: 1, BoxData: make([]byte, 24), BoxStride: 24}}})
	if err != nil {
		t.Fatal(err)
	}
	top, err := ray.Build(&ray.Input{Top: true, Instances: []ray.Instance{{Transform: [12]float32{0: 1, 5: 1, 10: 1}, Mask: 255, Reference: 1, Bottom: bottom}}})
	if err != nil {
		t.Fatal(err)
	}
	s := NewService(ray.Table{0: top, ^uint64(0): top})
	for _, bits := range []uint32{0, ^uint32(0), 1, 1 << 31, math.Float32bits(float32(math.Inf(1))), 0x7fc00000} {
		for request := range uint32(32) {
			c := one(request)
			for i := range c.Memory {
				c.Memory[i] = bits
			}
			s.ServeRays(c)
		}
	}
}

// TestServiceTogether checks that rays of one call leave the memory that calls of one ray each leave: also for lanes that
// are not active, for rays in other slots and structures, and for those that go on.
func TestServiceTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var vertices []byte
	for range 300 * 9 {
		vertices = binary.LittleEndian.AppendUint32(vertices, math.Float32bits(2*r.Float32()-1))
	}
	mesh := func(flags ray.GeometryFlags) ray.Geometry {
		return ray.Geometry{Kind: ray.Triangles, Flags: flags, Primitives: 300, Vertices: vertices, VertexFormat: 106, VertexStride: 12, MaxVertex: 899}
	}
	table := ray.Table{}
	for number, flags := range []ray.GeometryFlags{ray.GeometryOpaque, 0} {
		bottom, err := ray.Build(&ray.Input{Geometries: []ray.Geometry{mesh(flags)}})
		if err != nil {
			t.Fatal(err)
		}
		instance := ray.Instance{Transform: [12]float32{0: 1, 5: 1, 10: 1}, Mask: 255, Reference: 1, Bottom: bottom}
		if table[uint64(number)<<32], err = ray.Build(&ray.Input{Top: true, Instances: []ray.Instance{instance}}); err != nil {
			t.Fatal(err)
		}
	}
	s := NewService(table)
	for _, stride := range []int{4, 8, 16, 24, 32, 64} {
		for range 40 {
			c := &exec.RayCall{}
			c.Begin(make([]uint32, stride*(2*ir.RaySlots+3)), stride)
			for i := range c.Memory {
				c.Memory[i] = r.Uint32()
			}
			rare := func(lane int) bool { return r.IntN(3*stride) == lane }
			number := r.Uint32() & 1
			for lane := range stride {
				slot := uint64(1)
				if rare(lane) {
					slot += ir.RaySlots
				}
				set := func(at int, x uint32) { c.Memory[(2+int(slot)+at)*stride+lane] = x }
				for k := range 3 {
					set(ir.RayOrigin+k, math.Float32bits(float32(k)*0.1+0.05*r.Float32()-2))
					set(ir.RayDirection+k, math.Float32bits(1+0.05*r.Float32()))
				}
				set(ir.RayTMin, 0)
				set(ir.RayTMax, math.Float32bits(100))
				set(ir.RayFlags, 0)
				set(ir.RayMask, 255)
				set(ir.RayStructure, 0)
				set(ir.RayStructure+1, number)
				for _, at := range []int{ir.RayStarted, ir.RayEnded, ir.RayCommitted + ir.HitKind, ir.RayCandidate + ir.HitKind, ir.RayCommitted + ir.HitGenerated} {
					set(at, 0)
				}
				switch {
				case rare(lane):
					set(ir.RayStructure+1, 1-number)
				case rare(lane):
					set(ir.RayEnded, 1)
				case r.IntN(8) == 0:
					continue
				}
				c.Add(lane, 2, 2*ir.RaySlots+1, slot, ir.RayProceed)
			}
			want := append([]uint32(nil), c.Memory...)
			for range 3 {
				for lane := range c.Lanes.All {
					one := &exec.RayCall{}
					one.Begin(want, stride)
					one.Add(int(lane), c.Slot[lane], ir.RaySlots, 0, ir.RayProceed)
					s.ServeRays(one)
				}
				if s.ServeRays(c); !slices.Equal(c.Memory, want) {
					t.Fatalf("stride %d: the memory after a call differs from that after calls of one ray", stride)
				}
			}
		}
	}
}
