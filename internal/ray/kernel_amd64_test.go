package ray

import (
	"math"
	"testing"
	"unsafe"
)

// TestKernelConstants checks the constants and the fields that only the machine code uses.
func TestKernelConstants(t *testing.T) {
	if least, most := math.Float32bits(1.0/extreme), math.Float32bits(extreme); leastDirectionBits != least || mostDirectionBits != most {
		t.Errorf("the bits of the extreme directions are %#x and %#x; must be %#x and %#x", leastDirectionBits, mostDirectionBits, least, most)
	}
	if bits := math.Float32bits(farthest); farthestBits != bits {
		t.Errorf("the bits of the farthest reach are %#x; must be %#x", farthestBits, bits)
	}
	if size := unsafe.Sizeof(session{}.near); size != 32 { // a vector of AVX2
		t.Errorf("the distances of children have %d bytes; must have 32", size)
	}
	if size := unsafe.Sizeof(session{}.edges); size != 3*16 { // three vectors of four triangles
		t.Errorf("the edge functions have %d bytes; must have %d", size, 3*16)
	}
	if size := unsafe.Sizeof(session{}.now); size != blockSize {
		t.Errorf("the block that is tested has %d bytes; must have %d", size, blockSize)
	}
}

// TestPacketLayout checks the sizes of the fields that only the machine code of packets uses: two vectors of AVX2, or one for
// each child of a node.
func TestPacketLayout(t *testing.T) {
	var s packetSession
	for _, c := range []struct {
		name       string
		size, want uintptr
	}{
		{"near offset", unsafe.Sizeof(s.nearOffset), 3 * 64},
		{"far scale", unsafe.Sizeof(s.farScale), 3 * 64},
		{"far offset", unsafe.Sizeof(s.farOffset), 3 * 64},
		{"near scale", unsafe.Sizeof(s.nearScale), 3 * 64},
		{"origin", unsafe.Sizeof(s.origin), 3 * 64},
		{"direction", unsafe.Sizeof(s.direction), 3 * 64},
		{"shear", unsafe.Sizeof(s.shear), 3 * 64},
		{"grow", unsafe.Sizeof(s.grow), 64},
		{"second", unsafe.Sizeof(s.second), 64},
		{"third", unsafe.Sizeof(s.third), 64},
		{"place", unsafe.Sizeof(s.place), 64},
		{"instance", unsafe.Sizeof(s.instance), 64},
		{"distances", unsafe.Sizeof(s.distances), 4 * width},
		{"boxes", unsafe.Sizeof(s.boxes), 3 * 64},
		{"first", unsafe.Sizeof(s.first), 8},
		{"rest", unsafe.Sizeof(s.rest), 4},
		{"an entry of the stack", unsafe.Sizeof(packetEntry{}), 16},
		{"a triangle of a batch", unsafe.Sizeof(batch{}.triangles[0]), triangleSize},
		{"the addresses of a triangle", unsafe.Sizeof(batch{}.addresses[0]), 24},
	} {
		if c.size != c.want {
			t.Errorf("%s has %d bytes; must have %d", c.name, c.size, c.want)
		}
	}
	if size := unsafe.Sizeof(packetEntry{}.lanes); size != 8 {
		t.Errorf("the rays of an entry have %d bytes; must have 8", size)
	}
}

// TestWalkerRests checks that a walker refers to no structure after a traversal, of a ray alone or of a packet.
func TestWalkerRests(t *testing.T) {
	if !hasKernel {
		t.Skip("this test covers only the AVX2 code path, which this processor cannot run")
	}
	s := scene(t, mesh(tiles(8), GeometryOpaque), mesh(tiles(4), GeometryOpaque))
	w := NewWalker()
	p := Packet{Lanes: 1<<PacketLanes - 1}
	for i := range PacketLanes {
		p.Rays.Origin[0][i], p.Rays.Origin[2][i], p.Rays.Direction[2][i] = float32(i)/160, -2, 1
		p.Rays.TMax[i], p.Rays.Mask[i] = 100, 0xFF
	}
	rests := func(name string) {
		t.Helper()
		for _, x := range []*session{&w.upper, &w.lower} {
			if x.nodes != nil || x.blocks != nil || x.moved != nil {
				t.Errorf("%s: a session keeps a structure", name)
			}
		}
		if w.top != nil || w.q != nil {
			t.Errorf("%s: the walker keeps a structure", name)
		}
	}
	q := p.query(0)
	if w.Next(s, &q); q.Committed.Kind == None {
		t.Error("no hit")
	}
	rests("a ray alone")
	if w.NextAll(s, &p); p.Found != p.Lanes {
		t.Errorf("rays %#x hit", p.Found)
	}
	rests("a packet")
	for _, x := range []*packetSession{&w.packet.upper, &w.packet.lower} {
		if x.nodes != nil || x.blocks != nil {
			t.Error("a session of a packet keeps a structure")
		}
	}
}
