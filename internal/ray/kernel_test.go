package ray

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKernel checks that the machine code and the portable code have the same results: all candidates of rays with
// all kinds of flags, in scenes with several instances, and the prepared rays.
func TestKernel(t *testing.T) {
	if !hasKernel {
		t.Skip("the machine code needs AVX2, FMA and BMI1 on amd64")
	}
	n := 3000
	if long() {
		n = 500_000
	}
	r := rand.New(rand.NewPCG(21, 22))
	s, one := kernelScene(t, r)
	fast, slow := NewWalker(), NewWalker()
	slow.portable = true
	for range n {
		q := randomRay(r)
		q.Time = float32(r.IntN(3)) / 2
		for bit := range 10 {
			if r.IntN(8) == 0 {
				q.Flags |= 1 << bit
			}
		}
		if r.IntN(16) == 0 {
			k := r.IntN(3)
			q.Direction[k] *= float32(math.Ldexp(1, r.IntN(200)-100))
			q.Origin[r.IntN(3)] *= float32(math.Ldexp(1, r.IntN(200)-150))
		}
		top := s
		if r.IntN(4) == 0 {
			top = one
		}
		a, b := q, q
		for {
			x, y := fast.Next(top, &a), slow.Next(top, &b)
			if x != y || a != b {
				t.Fatalf("ray %+v: %v %+v, portable %v %+v", q, x, a, y, b)
			}
			if !x {
				break
			}
			if a.Candidate.Kind == Triangles && r.IntN(8) == 0 {
				a.Confirm()
				b.Confirm()
			}
		}
	}
}

// kernelScene returns a scene with several instances, and one with its first instance only.
func kernelScene(t testing.TB, r *rand.Rand) (s, one *Structure) {
	bottoms := []*Structure{
		build(t, Input{Geometries: []Geometry{mesh(soup(r, 200, 0.3), GeometryOpaque), mesh(soup(r, 100, 0.3), 0)}}),
		build(t, Input{Geometries: []Geometry{mesh(ball(4, vec{}, 1), GeometryOpaque)}}),
		build(t, Input{Geometries: []Geometry{{Kind: Boxes, Primitives: 1, BoxData: floats(-1, -1, -1, 1, 1, 1), BoxStride: 24}}}),
		build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(0.5), facing(0.5), facing(0.5)}, 0)}}),
		build(t, Input{Geometries: []Geometry{{Kind: Spheres, Flags: GeometryOpaque, Primitives: 1, VertexFormat: float3, VertexStride: 12,
			Vertices: floats(0.25, 0, 0), Rounds: Rounds{Radii: floats(0.5), RadiusFormat: 100, RadiusStride: 4}}}}),
		build(t, Input{Geometries: []Geometry{movingMesh(soup(r, 100, 0.3), soup(r, 100, 0.3))}}),
	}
	veiled := mesh(soup(r, 100, 0.3), 0)
	veiled.Opacity = &Opacity{Map: fourPart(t)}
	bottoms = append(bottoms, build(t, Input{Geometries: []Geometry{veiled}}))
	var in Input
	in.Top = true
	for range 20 {
		i := Instance{Mask: uint8(1 + r.IntN(3)), Flags: InstanceFlags(r.IntN(16)), Bottom: bottoms[r.IntN(len(bottoms))]}
		for k := range i.Transform {
			i.Transform[k] = r.Float32() - 0.5
		}
		if r.IntN(3) == 0 {
			i.Transform = identity
		}
		if r.IntN(6) == 0 {
			i.Motion = &InstanceMotion{Matrix: i.Transform}
			i.Motion.Matrix[3]++
		}
		in.Instances = append(in.Instances, i)
	}
	return build(t, in), build(t, Input{Top: true, Instances: in.Instances[:1]})
}

// TestBinning checks that the machine code of builds has the results of the portable code.
func TestBinning(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for n := 1; n < 60; n++ {
		items := make([]item, n)
		for i := range items {
			p := soup(r, 1, 0.3)[0]
			items[i].lo, items[i].hi = p.bounds()
			if n%10 == 0 {
				items[i].lo[1], items[i].hi[1] = -3e38, 3e38
				items[i].hi[2], items[i].lo[2] = 2, 2
			}
			items[i].geometry, items[i].primitive = r.Uint32(), r.Uint32()
		}
		a, b := middles(items), middlesPortable(items)
		var x, y binning
		x.init(&a, n)
		y.init(&b, n)
		x.add(items)
		y.addPortable(items)
		for k := range 3 {
			if a.lo[k] != b.lo[k] || a.hi[k] != b.hi[k] {
				t.Fatalf("middles %v, portable %v", a, b)
			}
			var left, right, l, r [bins + 1]float32
			x.areas(k, &left, &right)
			y.areasPortable(k, &l, &r)
			if x.scale[k] != 0 && (left != l || right != r) {
				t.Fatalf("areas %v %v, portable %v %v", left, right, l, r)
			}
			for i := range x.last[0] + 1 {
				v, w := &x.box[k][i], &y.box[k][i]
				if x.count[k][i] != y.count[k][i] || vec(v.lo[:3]) != vec(w.lo[:3]) || vec(v.hi[:3]) != vec(w.hi[:3]) {
					t.Fatalf("axis %d, bin %d: %v %v, portable %v %v", k, i, x.count[k][i], v, y.count[k][i], w)
				}
			}
		}
		s, ok := x.best(n%2 == 0)
		if !ok {
			continue
		}
		other := slices.Clone(items)
		if i, j := x.partition(items, s), y.partitionPortable(other, s); i != j || i == 0 || i == n || !slices.Equal(items, other) {
			t.Fatalf("partition at %d, portable %d", i, j)
		}
	}
}

// TestGrowBlocks checks the box of blocks, with NaN positions among them.
func TestGrowBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for n := 1; n < 9; n++ {
		blocks := make([]block, n)
		for i := range blocks {
			p := [4]triangle(soup(r, 4, 0.3))
			p[r.IntN(4)][r.IntN(3)][r.IntN(3)] = float32(math.NaN())
			var x batch
			copy(x.triangles[:], p[:])
			blocks[i].take(&x, 0, 1+r.IntN(4))
		}
		v, w := nowhere, nowhere
		growBlocks(&v, blocks)
		growBlocksPortable(&w, blocks)
		if vec(v.lo[:3]) != vec(w.lo[:3]) || vec(v.hi[:3]) != vec(w.hi[:3]) {
			t.Fatalf("%v, portable %v", v, w)
		}
	}
}

// TestTake checks that the machine code gives a block the positions that the portable code gives it.
func TestTake(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	var x batch
	copy(x.triangles[:], soup(r, batchSize, 0.3))
	for count := 1; count <= 4; count++ {
		for at := range batchSize - 3 {
			var a, b block
			a.take(&x, at, count)
			b.takePortable(&x.triangles, at, count)
			if a.vertices != b.vertices {
				t.Fatalf("%d triangles from %d on: %v, portable %v", count, at, a.vertices, b.vertices)
			}
		}
	}
}
