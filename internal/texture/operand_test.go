package texture_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

func f32(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }

func number(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }

// graded returns a view of an image of 32×16 texels with the value l in all of level l.
func graded(t *testing.T) *texture.View {
	m, err := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 32, Height: 16, Levels: 5})
	if err != nil {
		t.Fatal(err)
	}
	for l := range 5 {
		w, h, _ := m.LevelExtent(l)
		for n := range w * h {
			m.Store(texture.Coord{X: n % w, Y: n / w, Level: l}, [4]uint64{f32(float64(l))})
		}
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestGradients compares the level of detail of a sample, and of the query, with the lengths of the derivatives in
// texels (Vulkan §"Scale Factor Operation", §"Level-of-Detail Operation").
func TestGradients(t *testing.T) {
	v := graded(t)
	for _, c := range []struct {
		dx, dy [2]float64 // texels
		bias   float64
		min    float64 // of the shader
		d      texture.SamplerDesc
		lambda float64 // as computed
		level  float64 // read
	}{
		{dx: [2]float64{4, 0}, dy: [2]float64{0, 1}, d: texture.SamplerDesc{MaxLod: 9, MipLinear: true}, lambda: 2, level: 2},
		{dx: [2]float64{3, 4}, dy: [2]float64{0, 1}, d: texture.SamplerDesc{MaxLod: 9, MipLinear: true}, lambda: math.Log2(5), level: math.Log2(5)},
		{dx: [2]float64{1, 0}, dy: [2]float64{6, 8}, d: texture.SamplerDesc{MaxLod: 9}, lambda: math.Log2(10), level: 3},
		{dx: [2]float64{0.25, 0}, dy: [2]float64{0, 0.5}, d: texture.SamplerDesc{MaxLod: 9, MipLinear: true}, lambda: -1, level: 0},
		{dx: [2]float64{64, 0}, dy: [2]float64{0, 0.5}, d: texture.SamplerDesc{MaxLod: 99, MipLinear: true}, lambda: 6, level: 4},
		{dx: [2]float64{8, 0}, dy: [2]float64{0, 1}, d: texture.SamplerDesc{MaxLod: 1.5, MipLinear: true}, lambda: 3, level: 1.5},
		{dx: [2]float64{1, 0}, dy: [2]float64{0, 1}, d: texture.SamplerDesc{MinLod: 2.25, MaxLod: 9, MipLinear: true}, lambda: 0, level: 2.25},
		{dx: [2]float64{2, 0}, dy: [2]float64{0, 2}, bias: 1.5, d: texture.SamplerDesc{LodBias: -0.25, MaxLod: 9, MipLinear: true}, lambda: 2.25, level: 2.25},
		{dx: [2]float64{1, 0}, dy: [2]float64{0, 1}, min: 3, d: texture.SamplerDesc{MaxLod: 9}, lambda: 0, level: 3},
		{dx: [2]float64{16, 0}, dy: [2]float64{0, 4}, d: texture.SamplerDesc{Anisotropy: 16, MaxLod: 9, MipLinear: true}, lambda: 2, level: 2},
		{dx: [2]float64{16, 0}, dy: [2]float64{0, 4}, d: texture.SamplerDesc{Anisotropy: 2, MaxLod: 9, MipLinear: true}, lambda: 3, level: 3},
		{dx: [2]float64{0, 0}, dy: [2]float64{0, 4}, d: texture.SamplerDesc{Anisotropy: 16, MaxLod: 9, MipLinear: true}, lambda: -2, level: 0},
		{dx: [2]float64{2, 0}, dy: [2]float64{0, 2}, d: texture.SamplerDesc{LodBias: 100, MaxLod: 99}, lambda: 17, level: 4},
	} {
		s, err := texture.NewSampler(c.d)
		if err != nil {
			t.Fatal(err)
		}
		args := []uint64{0, 0, f32(0.3), f32(0.4)}
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureGrad}
		if c.bias != 0 {
			args, x.Operands = append(args, f32(c.bias)), x.Operands|ir.TextureBias
		}
		args = append(args, f32(c.dx[0]/32), f32(c.dx[1]/16), f32(c.dy[0]/32), f32(c.dy[1]/16))
		query := append([]uint64(nil), args...)
		if c.min != 0 {
			args, x.Operands = append(args, f32(c.min)), x.Operands|ir.TextureMinLod
		}
		got := call(t, x, v, s, [][]uint64{args})[0]
		if g := number(got[0]); math.Abs(g-c.level) > 1.0/500 {
			t.Errorf("%+v: samples level %g", c, g)
		}
		if c.min == 0 {
			x.Op = ir.TextureQueryLod
			got := call(t, x, v, s, [][]uint64{query})[0]
			if g, l := number(got[0]), number(got[1]); math.Abs(g-c.level) > 1.0/500 || math.Abs(l-c.lambda) > 1e-5 {
				t.Errorf("%+v: the query gives level %g, level of detail %g", c, g, l)
			}
		}
	}
}

// TestAnisotropy averages samples along the longer derivative, at the places that
// the specification's sum names (Vulkan §"Texel Anisotropic Filtering").
func TestAnisotropy(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 64, Height: 1})
	for i := range 64 {
		m.Store(texture.Coord{X: i}, [4]uint64{f32(float64(i * i))})
	}
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	for _, c := range []struct {
		most   float32
		length float64 // texels along x; 1 along y
	}{{16, 1}, {16, 3}, {16, 7.5}, {4, 12}, {2, 64}} {
		s, _ := texture.NewSampler(texture.SamplerDesc{Anisotropy: c.most, MaxLod: 9})
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureGrad}
		u := 0.5
		got := call(t, x, v, s, [][]uint64{{0, 0, f32(u), f32(0.5), f32(c.length / 64), 0, 0, f32(1)}})[0]
		n := math.Ceil(min(c.length, float64(c.most)))
		sum := 0.0
		for i := 1.0; i <= n; i++ {
			p := min(max(int(math.Floor((u+c.length/64*(i/(n+1)-0.5))*64)), 0), 63)
			sum += float64(p * p)
		}
		if g := number(got[0]); math.Abs(g-sum/n) > 1e-3*(1+sum/n) {
			t.Errorf("%+v: %g; must be %g, the mean of %g", c, g, sum/n, n)
		}
	}
}

// TestAnisotropicFilters samples with each filter and mipmap mode, with anisotropy: the result is the mean of samples without anisotropy at
// the places of the specification's sum, with the level of detail of the major axis divided by the ratio (Vulkan §"Texel Anisotropic
// Filtering", §"Scale Factor Operation").
func TestAnisotropicFilters(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 64, Height: 64, Levels: 7})
	random := rand.New(rand.NewSource(9))
	for level := range 7 {
		for i := range (64 >> level) * (64 >> level) {
			m.Store(texture.Coord{X: i % (64 >> level), Y: i / (64 >> level), Level: level}, [4]uint64{f32(100 * random.Float64())})
		}
	}
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureGrad}
	for n := range 200 {
		filters := [...]enum.Filter{enum.FilterNearest, enum.FilterLinear, enum.FilterCubic}
		d := texture.SamplerDesc{Mag: filters[n%3], Min: filters[n/3%3], MipLinear: n/9%2 == 1, MaxLod: 9, Reduction: enum.Reduction(n / 18 % 3)}
		if d.Mag == enum.FilterCubic || d.Min == enum.FilterCubic {
			d.Reduction = enum.ReductionWeightedAverage
		}
		most := []float64{2, 4, 7, 16}[n/2%4]
		u, w := random.Float64(), random.Float64()
		length := math.Exp2(7*random.Float64() - 1) // texels of the major axis
		minor := length / (1 + 20*random.Float64())
		angle := 2 * math.Pi * random.Float64()
		major, other := [2]float64{length * math.Cos(angle) / 64, length * math.Sin(angle) / 64}, [2]float64{-minor * math.Sin(angle) / 64, minor * math.Cos(angle) / 64}
		ratio := min(length/minor, most)
		count := math.Ceil(ratio)
		level := math.Log2(length / ratio)
		if near := ratio - math.Round(ratio); math.Abs(near) < 1e-3 || math.Abs(level-math.Floor(level)-0.5) < 0.01 || math.Abs(level) < 0.01 {
			continue // the number of probes, the level or the filter can be on the other side of the bound
		}
		aniso := d
		aniso.Anisotropy = float32(most)
		s, _ := texture.NewSampler(aniso)
		got := number(call(t, x, v, s, [][]uint64{{0, 0, f32(u), f32(w), f32(major[0]), f32(major[1]), f32(other[0]), f32(other[1])}})[0][0])
		plain, _ := texture.NewSampler(d)
		side := math.Exp2(level) / 64 // the derivatives of one sample of this level
		var probes [][]uint64
		for i := 1.0; i <= count; i++ {
			at := i/(count+1) - 0.5
			probes = append(probes, []uint64{0, 0, f32(u + at*major[0]), f32(w + at*major[1]), f32(side), 0, 0, f32(side)})
		}
		want, greatest, least := 0.0, math.Inf(-1), math.Inf(1)
		for _, p := range call(t, x, v, plain, probes) {
			want, greatest, least = want+number(p[0])/count, max(greatest, number(p[0])), min(least, number(p[0]))
		}
		switch d.Reduction {
		case enum.ReductionMin:
			want = least
		case enum.ReductionMax:
			want = greatest
		}
		if math.Abs(got-want) > 1 {
			t.Errorf("%+v, ratio %g, level %g: %g; must be %g, of %g samples", d, ratio, level, got, want, count)
		}
	}
}

// TestGather gathers a component: (i0,j1), (i1,j1), (i1,j0), (i0,j0), with an
// offset, with four of them, and through a swizzle.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	m, _ := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UINT", Dim: ir.Dim2D, Width: 8, Height: 8})
	fill(m, r)
	at := func(x, y, k int) uint64 { return m.Load(texture.Coord{X: x & 7, Y: y & 7})[k] }
	s, _ := texture.NewSampler(texture.SamplerDesc{MaxLod: 9})
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	u := []uint64{0, 0, f32(3.3 / 8), f32(5.9 / 8)} // i0 is 2, j0 is 5
	x := ir.Texture{Op: ir.TextureGather, Dim: ir.Dim2D, Type: ir.I32, Component: 2}
	expect := func(what string, got []uint64, want [4]uint64) {
		t.Helper()
		if [4]uint64(got) != want {
			t.Errorf("%s: %d; must be %d", what, got, want)
		}
	}
	expect("plain", call(t, x, v, s, [][]uint64{u})[0], [4]uint64{at(2, 6, 2), at(3, 6, 2), at(3, 5, 2), at(2, 5, 2)})
	x.Operands = ir.TextureOffset
	neg := func(n int32) uint64 { return uint64(uint32(n)) }
	expect("offset", call(t, x, v, s, [][]uint64{append(u[:4:4], neg(-5), 4)})[0], [4]uint64{at(-3, 10, 2), at(-2, 10, 2), at(-2, 9, 2), at(-3, 9, 2)})
	x.Operands = ir.TextureOffsets
	expect("offsets", call(t, x, v, s, [][]uint64{append(u[:4:4], 1, 2, neg(-1), 0, 4, 5, neg(-8), neg(-8))})[0],
		[4]uint64{at(3, 7, 2), at(1, 5, 2), at(6, 10, 2), at(-6, -3, 2)})
	x.Operands, x.Component = 0, 0
	swizzled, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Swizzle: [4]enum.Swizzle{enum.SwizzleA, enum.SwizzleOne, enum.SwizzleZero, enum.SwizzleR}})
	expect("swizzle", call(t, x, swizzled, s, [][]uint64{u})[0], [4]uint64{at(2, 6, 3), at(3, 6, 3), at(3, 5, 3), at(2, 5, 3)})
	x.Component = 1
	expect("one", call(t, x, swizzled, s, [][]uint64{u})[0], [4]uint64{1, 1, 1, 1})
}

// TestGatherRounding gathers near the middle of texel 3: coordinates have 256 steps in a texel, so that one that
// is closer to the middle than half a step selects it.
func TestGatherRounding(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 8, Height: 1})
	for x := range 8 {
		m.Store(texture.Coord{X: x}, [4]uint64{uint64(x)})
	}
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	x := ir.Texture{Op: ir.TextureGather, Dim: ir.Dim2D, Type: ir.I32}
	for _, mode := range []enum.AddressMode{enum.AddressModeRepeat, enum.AddressModeClampToEdge, enum.AddressModeMirroredRepeat} {
		s, _ := texture.NewSampler(texture.SamplerDesc{MaxLod: 9, Address: [3]enum.AddressMode{mode, mode, mode}})
		for _, c := range []struct {
			below float64 // distance from the middle of texel 3, in texels
			first uint64
		}{{0, 3}, {0.9 / 512, 3}, {1.1 / 512, 2}, {0.5, 2}, {-0.9 / 512, 3}} {
			u := float32((3.5 - c.below) / 8)
			if got := call(t, x, v, s, [][]uint64{{0, 0, f32(float64(u)), f32(0.5)}})[0]; got[3] != c.first {
				t.Errorf("%v, %g below the middle: the first texel is %d; must be %d", mode, c.below, got[3], c.first)
			}
		}
	}
}

// TestGatherModes gathers in all address modes near and far outside of the image, with
// and without offsets, by the specification's rule: (i0,j0) is the texel below the
// place, and each is wrapped by itself.
func TestGatherModes(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R16_UINT", Dim: ir.Dim2D, Width: 5, Height: 3})
	fill(m, rand.New(rand.NewSource(4)))
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	const border = 77
	for mode := range enum.AddressMode(5) {
		s, _ := texture.NewSampler(texture.SamplerDesc{Address: [3]enum.AddressMode{mode, mode, mode}, Border: [4]uint32{border}, MaxLod: 1})
		r := rand.New(rand.NewSource(int64(mode)))
		for _, operands := range []ir.TextureOperands{0, ir.TextureOffset, ir.TextureOffsets} {
			x := ir.Texture{Op: ir.TextureGather, Dim: ir.Dim2D, Type: ir.I32, Operands: operands}
			var args [][]uint64
			var want [][4]uint64
			for range 48 {
				i, j := r.Intn(40)-20, r.Intn(30)-15
				list := []uint64{0, 0, f32((float64(i) + 0.8) / 5), f32((float64(j) + 0.8) / 3)} // i0 and j0 are i and j
				places := [4][2]int{{i, j + 1}, {i + 1, j + 1}, {i + 1, j}, {i, j}}
				offset := func() int {
					n := r.Intn(16) - 8
					list = append(list, uint64(uint32(int32(n))))
					return n
				}
				switch operands {
				case ir.TextureOffset:
					dx, dy := offset(), offset()
					for k := range places {
						places[k][0], places[k][1] = places[k][0]+dx, places[k][1]+dy
					}
				case ir.TextureOffsets:
					for k := range places {
						places[k] = [2]int{i + offset(), j + offset()}
					}
				}
				var texels [4]uint64
				for k, p := range places {
					a, b := wrap(mode, p[0], 5), wrap(mode, p[1], 3)
					if texels[k] = border; a >= 0 && a < 5 && b >= 0 && b < 3 {
						texels[k] = m.Load(texture.Coord{X: a, Y: b})[0]
					}
				}
				args, want = append(args, list), append(want, texels)
			}
			for i, got := range call(t, x, v, s, args) {
				if [4]uint64(got) != want[i] {
					t.Errorf("mode %d, operands %d, at %g, %g: %d; must be %d", mode, operands, 5*number(args[i][2]), 3*number(args[i][3]), got, want[i])
				}
			}
		}
	}
}

// TestGatherCubeOfIntegers gathers integers at a corner of a cube, which lacks one of the four texels: the face's
// own texel replaces it.
func TestGatherCubeOfIntegers(t *testing.T) {
	for _, name := range []string{"R32_UINT", "R64_SINT"} {
		m, _ := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 1, Layers: 6})
		for i := range 6 {
			m.Store(texture.Coord{Layer: i}, [4]uint64{uint64(10 + i)})
		}
		v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.DimCube})
		s, _ := texture.NewSampler(texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, MaxLod: 1})
		x := ir.Texture{Op: ir.TextureGather, Dim: ir.DimCube, Type: kind(name, 0)}
		// the face +z, right and below of its middle: to the right is +x, below −y
		got := call(t, x, v, s, [][]uint64{{0, 0, f32(0.5), f32(-0.5), f32(1)}})[0]
		if want := [4]uint64{13, 14, 10, 14}; [4]uint64(got) != want {
			t.Errorf("%s: %d; must be %d", name, got, want)
		}
	}
}

// TestCubic compares the weights with interpolating and with constant data: all
// kernels reproduce a constant, and Catmull–Rom goes through the texels.
func TestCubic(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 8, Height: 8})
	flat, _ := texture.NewImage(m.Desc)
	for i := range 64 {
		at := texture.Coord{X: i % 8, Y: i / 8}
		m.Store(at, [4]uint64{f32(float64((i*37)%64) / 8)})
		flat.Store(at, [4]uint64{f32(3)})
	}
	x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32}
	for _, w := range []enum.CubicWeights{enum.CubicWeightsCatmullRom, enum.CubicWeightsZeroTangentCardinal, enum.CubicWeightsBSpline, enum.CubicWeightsMitchellNetravali} {
		s, _ := texture.NewSampler(texture.SamplerDesc{Mag: enum.FilterCubic, Min: enum.FilterCubic, Cubic: w, MaxLod: 0.25})
		v, _ := texture.NewView(flat, texture.ViewDesc{Dim: ir.Dim2D})
		for _, got := range call(t, x, v, s, [][]uint64{{0, 0, f32(0.1), f32(0.7)}, {0, 0, f32(-3.21), f32(11.77)}}) {
			if g := number(got[0]); math.Abs(g-3) > 1e-5 {
				t.Errorf("weights %d: %g of a constant 3", w, g)
			}
		}
		v, _ = texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		g := number(call(t, x, v, s, [][]uint64{{0, 0, f32(2.5 / 8), f32(5.5 / 8)}})[0][0])
		at := func(x, y int) float64 { return number(m.Load(texture.Coord{X: x, Y: y})[0]) }
		want := at(2, 5)
		if w >= enum.CubicWeightsBSpline {
			k := [3]float64{1.0 / 6, 4.0 / 6, 1.0 / 6}
			if w == enum.CubicWeightsMitchellNetravali {
				k = [3]float64{1.0 / 18, 16.0 / 18, 1.0 / 18}
			}
			want = 0
			for j := range 3 {
				for i := range 3 {
					want += k[i] * k[j] * at(1+i, 4+j)
				}
			}
		}
		if math.Abs(g-want) > 1e-5 {
			t.Errorf("weights %d: %g at a texel; must be %g", w, g, want)
		}
	}
}
