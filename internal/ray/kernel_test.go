package ray

import (
	"fmt"
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
			var box wideBounds
			blocks[i].take(&x, 0, 1+r.IntN(4), &box)
		}
		v, w := nowhere, nowhere
		growBlocks(&v, blocks)
		growBlocksPortable(&w, blocks)
		if vec(v.lo[:3]) != vec(w.lo[:3]) || vec(v.hi[:3]) != vec(w.hi[:3]) {
			t.Fatalf("%v, portable %v", v, w)
		}
	}
}

// randomBatch returns a batch of triangles of 5 geometries, some of which are not active.
func randomBatch(r *rand.Rand) *batch {
	x := &batch{count: batchSize}
	copy(x.triangles[:], soup(r, batchSize, 0.3))
	for i := range x.count {
		lo, hi := x.triangles[i].bounds()
		copy(x.lo[i][:], lo[:])
		copy(x.hi[i][:], hi[:])
		x.geometry[i], x.primitive[i], x.ok[i] = r.Uint32N(5), r.Uint32N(1000), r.IntN(8) > 0
	}
	return x
}

// TestTake checks that the machine code gives a block the positions, the numbers and the box that the portable code gives it.
func TestTake(t *testing.T) {
	x := randomBatch(rand.New(rand.NewPCG(29, 30)))
	for count := 1; count <= 4; count++ {
		for at := range batchSize - count + 1 {
			var a, b block
			var v, w wideBounds
			a.take(x, at, count, &v)
			b.takePortable(x, at, count, &w)
			if a != b || vec(v.lo[:3]) != vec(w.lo[:3]) || vec(v.hi[:3]) != vec(w.hi[:3]) {
				t.Fatalf("%d triangles from %d on: %v in %v, portable %v in %v", count, at, a, v, b, w)
			}
		}
	}
}

// TestPoints checks that the machine code reads the middles of the active triangles of a batch as the portable code does.
func TestPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	starts := []int{0, 1000, 3000, 3000, 9000, 12000}
	for range 50 {
		x := randomBatch(r)
		x.count = 1 + r.IntN(batchSize)
		v, w := nowhere, nowhere
		var a, b [batchSize]point
		n, m := x.points(a[:], starts, &v), x.pointsPortable(b[:], starts, &w)
		if n != m || a != b || vec(v.lo[:3]) != vec(w.lo[:3]) || vec(v.hi[:3]) != vec(w.hi[:3]) {
			t.Fatalf("%d points %v in %v, portable %d %v in %v", n, a, v, m, b, w)
		}
	}
}

// TestMortonKeys checks that the machine code and the portable code give points the same Morton codes, which grow along each axis.
func TestMortonKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46))
	for range 100 {
		points := make([]point, 1+r.IntN(40))
		var from, scale [4]float32
		for k := range 3 {
			from[k] = []float32{0, -1, -math.MaxFloat32, 1e-40}[r.IntN(4)]
			scale[k] = []float32{0, 500, 1e38, 1e-38}[r.IntN(4)]
		}
		for i := range points {
			points[i].primitive = r.Uint32()
			for k := range 3 {
				points[i].middle[k] = []float32{r.Float32(), -r.Float32(), math.MaxFloat32, -math.MaxFloat32, 1e-40}[r.IntN(5)]
			}
		}
		a, b := make([]mortonKey, len(points)), make([]mortonKey, len(points))
		mortonKeys(a, points, &from, &scale)
		mortonKeysPortable(b, points, &from, &scale)
		if !slices.Equal(a, b) {
			t.Fatalf("keys %x, portable %x", a, b)
		}
	}
	for k, want := range []uint32{0x24924924, 0x12492492, 0x09249249} { // all bits of an axis
		p := []point{{}, {}}
		p[1].middle[k] = 2
		var keys [2]mortonKey
		mortonKeys(keys[:], p, &[4]float32{}, &[4]float32{512, 512, 512})
		if keys[0].code() != 0 || keys[1].code() != want {
			t.Errorf("axis %d has the codes %#x and %#x; must be 0 and %#x", k, keys[0].code(), keys[1].code(), want)
		}
	}
}

// TestSortKeys checks the order of keys for any number of goroutines. Equal codes keep their order.
func TestSortKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48))
	for _, n := range []int{1, 2, 1000, 50_000} {
		keys := make([]mortonKey, n)
		for i := range keys {
			keys[i] = mortonKey(r.Uint32N(1<<30)&r.Uint32())<<32 | mortonKey(i)
		}
		want := slices.Clone(keys)
		slices.Sort(want)
		for _, threads := range []int{1, 2, 5} {
			team := newTeam(threads, n)
			if got := sortKeys(slices.Clone(keys), make([]mortonKey, n), team); !slices.Equal(got, want) {
				t.Errorf("%d keys, %d goroutines: not sorted", n, threads)
			}
			team.close()
		}
	}
}

// TestRefitNode checks that the machine code and the portable code compute the same node.
func TestRefitNode(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 50))
	boxes := func(n int) []wideBounds {
		list := make([]wideBounds, n)
		for i := range list {
			if list[i] = nowhere; r.IntN(8) > 0 { // another box belongs to inactive triangles
				for k := range 3 {
					list[i].lo[k] = r.Float32()
					list[i].hi[k] = list[i].lo[k] + r.Float32()
				}
			}
		}
		return list
	}
	leaves, nodes := boxes(40), boxes(20)
	for range 500 {
		var children [width]ref
		for j := range children {
			switch r.IntN(3) {
			case 0:
				children[j] = emptyRef
			case 1:
				children[j] = leafOf(r.IntN(len(leaves)-maxLeafBlocks), 1+r.IntN(maxLeafBlocks))
			default:
				children[j] = ref(r.IntN(len(nodes)))
			}
		}
		var a, b node
		var v, w wideBounds
		refitNode(&a, &children, leaves, nodes, &v)
		refitNodePortable(&b, &children, leaves, nodes, &w)
		if a != b || vec(v.lo[:3]) != vec(w.lo[:3]) || vec(v.hi[:3]) != vec(w.hi[:3]) {
			t.Fatalf("%v in %v, portable %v in %v", a, v, b, w)
		}
	}
}

// TestPlace checks that the machine code and the portable code place instances at the same bits, also those of matrices with extreme
// values and without an inverse.
func TestPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	numbers := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e-40, -1e-40, 3e38, -3e38, 1e-20, 1e19, inf32, float32(math.NaN())}
	number := func(extreme int) float32 {
		if r.IntN(extreme) == 0 {
			return numbers[r.IntN(len(numbers))]
		}
		return r.Float32() - 0.5
	}
	active := 0
	for n := range 20_000 {
		extreme := []int{1, 2, 8, 1000}[n%4]
		bottom := &Structure{}
		for k := range 3 {
			for bottom.lo[k] = number(extreme); !isFinite(bottom.lo[k]); bottom.lo[k] = number(extreme) {
			}
			bottom.hi[k] = max(bottom.lo[k], r.Float32())
		}
		bottom.reach = reachOf(bottom.lo, bottom.hi)
		var a placed
		for k := range a.Transform {
			a.Transform[k] = number(extreme)
		}
		b := a
		var v, w placement
		if a.active, b.active = a.set(bottom, &v), b.setPortable(bottom, &w); a.active != b.active {
			t.Fatalf("matrix %v: active %v, portable %v", a.Transform, a.active, b.active)
		}
		if !a.active {
			continue
		}
		active++
		v.lo[3], v.hi[3], w.lo[3], w.hi[3] = 0, 0, 0, 0
		if x, y := fmt.Sprintf("%v %v", a.inverse, v), fmt.Sprintf("%v %v", b.inverse, w); x != y { // zeros have signs
			t.Fatalf("matrix %v of %v to %v: %s, portable %s", a.Transform, bottom.lo, bottom.hi, x, y)
		}
	}
	if active < 5000 {
		t.Errorf("%d instances are active; must be a quarter", active)
	}
}
