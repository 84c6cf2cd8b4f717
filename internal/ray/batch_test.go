package ray

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBatch checks that a batch has the triangles that the readers read one by one: of all index sizes and strides, up to the
// end of the memory and beyond it, with positions that are not finite, and transformed ones.
func TestBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	active := 0
	for range 300 {
		var geometries []Geometry
		for range 1 + r.IntN(3) {
			g := Geometry{Kind: Triangles, VertexFormat: float3, VertexStride: uint64(4 * r.IntN(6)), IndexSize: []int{0, 1, 2, 4}[r.IntN(4)],
				MaxVertex: uint32(r.IntN(40)), FirstVertex: uint32(r.IntN(3)), Primitives: 20}
			if r.IntN(8) == 0 {
				g.FirstVertex = math.MaxUint32
			}
			if r.IntN(4) == 0 {
				g.Transform = &[12]float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}
			}
			for range r.IntN(120) {
				x := r.Float32()
				if r.IntN(100) == 0 {
					x = []float32{inf32, -inf32, float32(math.NaN())}[r.IntN(3)]
				}
				g.Vertices = binary.LittleEndian.AppendUint32(g.Vertices, math.Float32bits(x))
			}
			for range r.IntN(80) {
				switch g.IndexSize {
				case 1:
					g.Indices = append(g.Indices, byte(r.IntN(40)))
				case 2:
					g.Indices = binary.LittleEndian.AppendUint16(g.Indices, uint16(r.IntN(40)))
				case 4:
					g.Indices = binary.LittleEndian.AppendUint32(g.Indices, uint32(r.IntN(40)))
				}
			}
			geometries = append(geometries, g)
		}
		readers := newReaders(geometries)
		var x batch
		for range 1 + r.IntN(batchSize) {
			x.add(uint32(r.IntN(len(geometries))), uint32(r.IntN(22)))
		}
		x.read(readers)
		var items [batchSize]item
		n := x.items(items[:])
		for i := range x.count {
			want, ok := readers[x.geometry[i]].triangle(x.primitive[i])
			if x.ok[i] != ok || ok && x.triangles[i] != want {
				t.Fatalf("triangle %d of %+v: %v (%v), want %v (%v)", x.primitive[i], geometries[x.geometry[i]], x.triangles[i], x.ok[i], want, ok)
			}
			if ok {
				lo, hi := want.bounds()
				if (items[0] != item{lo, x.geometry[i], hi, x.primitive[i]}) {
					t.Fatalf("item %+v of %v", items[0], want)
				}
				copy(items[:], items[1:])
				active++
				n--
			}
		}
		if n != 0 {
			t.Fatalf("%d items without a triangle", n)
		}
	}
	if active < 500 {
		t.Errorf("%d active triangles", active)
	}
}
