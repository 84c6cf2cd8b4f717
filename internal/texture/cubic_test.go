package texture_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// cubicKernel is the weight of a texel at a distance, by the two parameters of
// Mitchell's and Netravali's family, of which all four weights are members.
func cubicKernel(w enum.CubicWeights, x float64) float64 {
	b, c := 0.0, 0.5
	switch w {
	case enum.CubicWeightsZeroTangentCardinal:
		c = 0
	case enum.CubicWeightsBSpline:
		b, c = 1, 0
	case enum.CubicWeightsMitchellNetravali:
		b, c = 1.0/3, 1.0/3
	}
	switch x = math.Abs(x); {
	case x < 1:
		return ((12-9*b-6*c)*x*x*x + (12*b+6*c-18)*x*x + 6 - 2*b) / 6
	case x < 2:
		return ((-b-6*c)*x*x*x + (6*b+30*c)*x*x + (-12*b-48*c)*x + 8*b + 24*c) / 6
	}
	return 0
}

// cubicModel reduces the texels around a place in texels, which texel reads.
func cubicModel(d texture.SamplerDesc, at []float64, texel func(at []int) float64) float64 {
	sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
	var walk func(i int, place []int, weight float64)
	walk = func(i int, place []int, weight float64) {
		if i == len(at) {
			v := texel(place)
			sum, least, most = sum+weight*v, min(least, v), max(most, v)
			return
		}
		x := math.RoundToEven((at[i]-0.5)*256) / 256
		whole := math.Floor(x)
		part := x - whole
		for k := -1; k <= 2; k++ {
			if n := cubicKernel(d.Cubic, part-float64(k)); math.Abs(n) > 1e-12 { // else it is zero but for rounding
				walk(i+1, append(place, int(whole)+k), weight*n)
			}
		}
	}
	walk(0, nil, 1)
	switch d.Reduction {
	case enum.ReductionMin:
		return least
	case enum.ReductionMax:
		return most
	case enum.ReductionWeightedAverageRangeclamp:
		return min(max(sum, least), most)
	}
	return sum
}

// drawCubic draws a cubic sampler.
func drawCubic(r *rand.Rand) texture.SamplerDesc {
	d := texture.SamplerDesc{Mag: enum.FilterCubic, Min: enum.FilterCubic, MaxLod: 1, Cubic: enum.CubicWeights(r.Intn(4)), Reduction: []enum.Reduction{enum.ReductionWeightedAverage, enum.ReductionMin, enum.ReductionMax, enum.ReductionWeightedAverageRangeclamp}[r.Intn(4)],
		Border: [4]uint32{math.Float32bits(0.25), 0, 0, 0}}
	for i := range d.Address {
		d.Address[i] = enum.AddressMode(r.Intn(5))
	}
	return d
}

// TestCubicModel samples images of one to three dimensions with all weights,
// reductions and address modes and compares with the specification's sum (Vulkan
// §"Texel Cubic Filtering").
func TestCubicModel(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewSource(int64(seed)))
		dim := []ir.Dim{ir.Dim1D, ir.Dim2D, ir.Dim3D}[seed%3]
		size := [3]int{1, 1, 1}
		for i := range dim.Axes() {
			size[i] = 1 + r.Intn(9)
		}
		m, err := texture.NewImage(texture.Desc{Format: "R16_UNORM", Dim: dim, Width: size[0], Height: size[1], Depth: size[2]})
		if err != nil {
			t.Fatal(err)
		}
		fill(m, r)
		v, err := texture.NewView(m, texture.ViewDesc{Dim: dim})
		if err != nil {
			t.Fatal(err)
		}
		d := drawCubic(r)
		s, err := texture.NewSampler(d)
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureSample, Dim: dim, Type: ir.F32}
		if r.Intn(2) == 0 {
			x.Operands = ir.TextureOffset
		}
		var args [][]uint64
		var want []float64
		for range 32 {
			list, place := []uint64{0, 0}, make([]float64, dim.Axes())
			for i := range place {
				n := float64(size[i])
				u := float32((float64(r.Intn(size[i]*3*256))-n*256+0.25*float64(r.Intn(2)))/256/n + 0)
				place[i] = float64(u) * n
				list = append(list, uint64(math.Float32bits(u)))
			}
			if x.Has(ir.TextureOffset) {
				for i := range place {
					o := r.Intn(16) - 8
					place[i] += float64(o)
					list = append(list, uint64(uint32(int32(o))))
				}
			}
			args = append(args, list)
			want = append(want, cubicModel(d, place, func(at []int) float64 {
				var p [3]int
				for i := range at {
					if p[i] = wrap(d.Address[i], at[i], size[i]); p[i] < 0 || p[i] >= size[i] {
						return 0.25
					}
				}
				return number(m.Load(texture.Coord{X: p[0], Y: p[1], Z: p[2]})[0])
			}))
		}
		// a coordinate that rounds to another 256th moves the sum by no more than this
		const near = 0.02
		for i, got := range call(t, x, v, s, args) {
			if g := number(got[0]); math.Abs(g-want[i]) > near || d.Reduction != enum.ReductionWeightedAverage && d.Reduction != enum.ReductionWeightedAverageRangeclamp && math.Abs(g-want[i]) > 1e-5 {
				t.Fatalf("seed %d, %s %v, %+v: call %d gives %v; must be %v", seed, dim, size, d, i, g, want[i])
			}
		}
	}
}

// folded returns the texel of a cube that is up to two beyond one edge of a face:
// rows go on over the edge as on a box that is unfolded.
func folded(m *texture.Image, face, i, j int) float64 {
	w := float64(m.Width)
	s, u := float64(2*i+1)-w, float64(2*j+1)-w
	nx, ny, nz := direction(face, 0, 0)
	sx, sy, sz := direction(face, 1, 0)
	tx, ty, tz := direction(face, 0, 1)
	depth := w
	over := func(x *float64) {
		if e := math.Abs(*x) - w; e > 0 {
			*x, depth = math.Copysign(w, *x), max(w-e, 1-w)
		}
	}
	over(&s)
	over(&u)
	at := func(n, s1, t1 float64) float64 { return n*depth + (s1-n)*s + (t1-n)*u }
	f, a, b := faceOf(at(nx, sx, tx), at(ny, sy, ty), at(nz, sz, tz))
	return number(m.Load(texture.Coord{X: int(a * w), Y: int(b * w), Layer: f})[0])
}

// TestCubicCube filters cubes across their edges; a texel beyond two edges is the
// mean of the three that are nearest (Vulkan §"Cube Map Edge Handling").
func TestCubicCube(t *testing.T) {
	for seed := range 24 {
		r := rand.New(rand.NewSource(int64(seed)))
		w := 1 + r.Intn(6)
		m, err := texture.NewImage(texture.Desc{Format: "R16_UNORM", Dim: ir.Dim2D, Width: w, Height: w, Layers: 6})
		if err != nil {
			t.Fatal(err)
		}
		fill(m, r)
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.DimCube})
		if err != nil {
			t.Fatal(err)
		}
		d := drawCubic(r)
		s, err := texture.NewSampler(d)
		if err != nil {
			t.Fatal(err)
		}
		var args [][]uint64
		var want []float64
		for range 48 {
			face := r.Intn(6)
			n, k := r.Intn(w*256), r.Intn(w*256)
			x, y, z := direction(face, 2*(float64(n)+0.3)/256/float64(w)-1, 2*(float64(k)+0.3)/256/float64(w)-1)
			args = append(args, []uint64{0, 0, f32(x), f32(y), f32(z)})
			f, a, b := faceOf(float64(float32(x)), float64(float32(y)), float64(float32(z)))
			want = append(want, cubicModel(d, []float64{a * float64(w), b * float64(w)}, func(at []int) float64 {
				in := [2]int{min(max(at[0], 0), w-1), min(max(at[1], 0), w-1)}
				if in[0] != at[0] && in[1] != at[1] {
					return (folded(m, f, in[0], in[1]) + folded(m, f, at[0], in[1]) + folded(m, f, in[0], at[1])) / 3
				}
				return folded(m, f, at[0], at[1])
			}))
		}
		for i, got := range call(t, ir.Texture{Op: ir.TextureSample, Dim: ir.DimCube, Type: ir.F32}, v, s, args) {
			if g := number(got[0]); math.Abs(g-want[i]) > 1e-5 {
				t.Fatalf("seed %d, %d texels, %+v: call %d gives %v; must be %v", seed, w, d, i, g, want[i])
			}
		}
	}
}

// TestNonSeamless samples cubes with separately filtered faces: the results equal a view of the face alone
// through the same sampler, with addressing modes and border (VK_EXT_non_seamless_cube_map).
func TestNonSeamless(t *testing.T) {
	for seed := range 16 {
		r := rand.New(rand.NewSource(int64(seed)))
		w := 1 + r.Intn(5)
		m, err := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: w, Height: w, Layers: 6})
		if err != nil {
			t.Fatal(err)
		}
		fill(m, r)
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.DimCube})
		if err != nil {
			t.Fatal(err)
		}
		d := drawCubic(r)
		if d.Mag = []enum.Filter{enum.FilterNearest, enum.FilterLinear, enum.FilterCubic}[r.Intn(3)]; d.Mag != enum.FilterCubic {
			d.Reduction, d.Cubic = enum.Reduction(r.Intn(3)), 0
		}
		d.Min, d.NonSeamless = d.Mag, true
		s, err := texture.NewSampler(d)
		if err != nil {
			t.Fatal(err)
		}
		face := r.Intn(6)
		alone, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: face, Layers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var cube, flat [][]uint64
		for range 48 {
			a, b := (float64(r.Intn(w*256))+0.3)/256/float64(w), (float64(r.Intn(w*256))+0.3)/256/float64(w)
			x, y, z := direction(face, 2*a-1, 2*b-1)
			cube = append(cube, []uint64{0, 0, f32(x), f32(y), f32(z)})
			flat = append(flat, []uint64{0, 0, f32(a), f32(b)})
		}
		want := call(t, ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32}, alone, s, flat)
		for i, got := range call(t, ir.Texture{Op: ir.TextureSample, Dim: ir.DimCube, Type: ir.F32}, v, s, cube) {
			for k := range got {
				if math.Abs(number(got[k])-number(want[i][k])) > 1e-5 {
					t.Fatalf("seed %d, %d texels, face %d, %+v: component %d of call %d is %g; that of the face alone is %g", seed, w, face, d, k, i, number(got[k]), number(want[i][k]))
				}
			}
		}
	}
}
