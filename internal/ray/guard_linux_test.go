package ray

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// guard is memory that ends at pages without access.
type guard struct{ areas [][]byte }

// place returns a copy of b that ends at such a page.
func (g *guard) place(t testing.TB, b []byte) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	n := (len(b) + page - 1) / page * page
	area, err := syscall.Mmap(-1, 0, n+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	g.areas = append(g.areas, area)
	if err := syscall.Mprotect(area[n:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	out := area[n-len(b) : n : n]
	copy(out, b)
	return out
}

// free frees all memory.
func (g *guard) free() {
	for _, a := range g.areas {
		syscall.Munmap(a)
	}
	g.areas = nil
}

// guarded returns a copy of a list that ends at such a page.
func guarded[T node | block | box | round](t testing.TB, g *guard, list []T) []T {
	t.Helper()
	if len(list) == 0 {
		return list
	}
	size := int(unsafe.Sizeof(list[0]))
	b := g.place(t, unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*size))
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(list))
}

// corruptInput returns a small bottom level of one of the kinds.
func corruptInput(r *rand.Rand, kind int) (in Input) {
	for range 2 {
		g := mesh(soup(r, 4+r.IntN(60), 0.5), GeometryFlags(r.IntN(2)))
		switch kind {
		case 1:
			g.Moves, g.Moved = true, mesh(soup(r, int(g.Primitives), 0.5), 0).Vertices
		case 2:
			g = Geometry{Kind: Boxes, Primitives: 20, BoxStride: 24}
			for range 20 {
				for range 3 {
					g.BoxData = append(g.BoxData, floats(r.Float32()-1)...)
				}
				for range 3 {
					g.BoxData = append(g.BoxData, floats(r.Float32())...)
				}
			}
		case 3:
			g = Geometry{Kind: Spheres, Primitives: 20, VertexFormat: float3, VertexStride: 12, Rounds: Rounds{RadiusFormat: float1, RadiusStride: 4}}
			for range 20 {
				g.Vertices = append(g.Vertices, floats(2*r.Float32()-1, 2*r.Float32()-1, 2*r.Float32()-1)...)
				g.Rounds.Radii = append(g.Rounds.Radii, floats(0.3*r.Float32())...)
			}
		}
		in.Geometries = append(in.Geometries, g)
	}
	return in
}

// corrupt changes some words of serialized data, most often near their old values or to ones that numbers of other words have.
func corrupt(r *rand.Rand, data []byte) {
	words := len(data) / 4
	for range 1 + r.IntN(6) {
		at := data[4*(6+r.IntN(words-6)):]
		x := binary.LittleEndian.Uint32(at)
		switch r.IntN(6) {
		case 0:
			x = r.Uint32()
		case 1:
			x += uint32(r.IntN(5)) - 2
		case 2:
			x = binary.LittleEndian.Uint32(data[4*r.IntN(words):])
		case 3:
			x = []uint32{0x7FC00000, 0x7F800000, 0xFF800000, 0, 0x80000000, 0x7F7FFFFF, 0xFFFFFFFF, 1}[r.IntN(8)]
		case 4:
			x ^= 1 << r.IntN(32)
		case 5:
			x = uint32(leafBit) | uint32(r.IntN(8))<<28 | uint32(r.IntN(64))
		}
		binary.LittleEndian.PutUint32(at, x)
	}
}

// TestCorruptTrees traces rays, alone and together, in bottom levels of corrupt serialized data that pass the checks, and updates them: no
// traversal reads beyond their lists or beyond the vertices, none lasts longer than there are primitives, and machine code finds the hits
// of portable code.
func TestCorruptTrees(t *testing.T) {
	n := 600
	if long() {
		n = 10_000
	}
	r := rand.New(rand.NewPCG(71, 72))
	passed := [4]int{}
	for i := range n {
		kind := i % len(passed)
		in := corruptInput(r, kind)
		s := build(t, in)
		data := make([]byte, s.SerializedSize())
		s.Serialize(data)
		corrupt(r, data)
		bad, err := Deserialize(data, nil)
		if err != nil {
			continue
		}
		passed[kind]++
		var g guard
		corruptTraces(t, r, &g, bad)
		for j := range in.Geometries {
			x := &in.Geometries[j]
			x.Vertices, x.Moved, x.BoxData = g.place(t, x.Vertices), g.place(t, x.Moved), g.place(t, x.BoxData)
			x.Rounds.Radii = g.place(t, x.Rounds.Radii)
		}
		if next, err := Update(&in, bad); err == nil {
			corruptTraces(t, r, &g, next)
		}
		g.free()
	}
	for kind, p := range passed {
		if p < n/16 {
			t.Errorf("kind %d: %d structures pass the checks", kind, p)
		}
	}
}

// corruptTraces traces rays in a bottom level.
func corruptTraces(t *testing.T, r *rand.Rand, g *guard, bad *Structure) {
	t.Helper()
	bad.nodes, bad.blocks, bad.moved = guarded(t, g, bad.nodes), guarded(t, g, bad.blocks), guarded(t, g, bad.moved)
	bad.boxes, bad.rounds = guarded(t, g, bad.boxes), guarded(t, g, bad.rounds)
	turned := [12]float32{0, 2, 0, 0.25, -1, 0, 0, 0, 0, 0, 0.5, 0}
	top := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 255, Bottom: bad}, {Transform: turned, Mask: 255, Bottom: bad}}})
	top.nodes = guarded(t, g, top.nodes)
	fast, slow := NewWalker(), NewWalker()
	slow.portable = true
	most := 2 * (4*len(bad.blocks) + len(bad.boxes) + len(bad.rounds))
	for range 4 {
		a := randomRay(r)
		a.Time = float32(r.IntN(3)) / 2
		b := a
		for count := 0; ; count++ {
			x, y := fast.Next(top, &a), slow.Next(top, &b)
			if x != y || fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%v %+v, portable %v %+v", x, a, y, b)
			}
			if !x {
				break
			}
			if count > most {
				t.Fatalf("more than %d candidates", most)
			}
		}
	}
	p := bundle(r, 0.5)
	fast.NextAll(top, &p)
	for i := range PacketLanes {
		if p.Lanes>>i&1 == 0 {
			continue
		}
		q := p.query(i)
		candidate := slow.Next(top, &q)
		want := q.Committed
		if candidate {
			want = q.Candidate
		}
		if found := (p.Found|p.Decided)>>i&1 != 0; found != (want.Kind != None) || found && fmt.Sprint(p.hit(i)) != fmt.Sprint(want) {
			t.Fatalf("ray %+v: together %+v; alone %+v", p.query(i), p.hit(i), want)
		}
	}
}
