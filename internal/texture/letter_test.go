package texture_test

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestReferenceSwizzle compares depths through views with a swizzle: the result of the comparison replaces the
// depth and is swizzled like it; the first component is the result, of a gather each texel's first component
// (Vulkan §"Component Swizzle").
func TestReferenceSwizzle(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "D32_SFLOAT", Dim: ir.Dim2D, Width: 2, Height: 1})
	m.Store(texture.Coord{}, [4]uint64{f32(0.25)})
	m.Store(texture.Coord{X: 1}, [4]uint64{f32(0.75)})
	s, _ := texture.NewSampler(texture.SamplerDesc{Compare: true, CompareOp: enum.CompareOpLess, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}})
	for _, c := range []struct {
		swizzle enum.Swizzle
		want    [2]float64 // of the texels, compared with 1/2
	}{
		{enum.SwizzleIdentity, [2]float64{0, 1}}, {enum.SwizzleR, [2]float64{0, 1}}, {enum.SwizzleZero, [2]float64{0, 0}}, {enum.SwizzleOne, [2]float64{1, 1}},
		{enum.SwizzleG, [2]float64{0, 0}}, {enum.SwizzleB, [2]float64{0, 0}}, {enum.SwizzleA, [2]float64{1, 1}},
	} {
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Swizzle: [4]enum.Swizzle{c.swizzle, enum.SwizzleR}})
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureDref | ir.TextureLod}
		for i, got := range call(t, x, v, s, [][]uint64{{0, 0, f32(0.25), f32(0.5), f32(0.5), 0}, {0, 0, f32(0.75), f32(0.5), f32(0.5), 0}}) {
			if number(got[0]) != c.want[i] {
				t.Errorf("swizzle %d: texel %d compares as %g; must be %g", c.swizzle, i, number(got[0]), c.want[i])
			}
		}
		x = ir.Texture{Op: ir.TextureGather, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureDref}
		got := call(t, x, v, s, [][]uint64{{0, 0, f32(0.5), f32(0.5), f32(0.5)}})[0]
		for i, texel := range []int{0, 1, 1, 0} {
			if number(got[i]) != c.want[texel] {
				t.Errorf("swizzle %d: component %d of a gather is %g; must be %g", c.swizzle, i, number(got[i]), c.want[texel])
			}
		}
	}
}

// TestBorderOfWideIntegers shows borders of integers of 64 bits: the 32 bits of the
// color are widened as the format has its sign.
func TestBorderOfWideIntegers(t *testing.T) {
	edge := [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeClampToBorder}
	s, _ := texture.NewSampler(texture.SamplerDesc{Address: edge, Border: [4]uint32{1<<32 - 2, 5, 1<<32 - 1, 7}})
	for name, want := range map[string][4]uint64{
		"R64_UINT":          {1<<32 - 2, 0, 0, 1},
		"R64_SINT":          {1<<64 - 2, 0, 0, 1},
		"R64G64B64A64_UINT": {1<<32 - 2, 5, 1<<32 - 1, 7},
		"R64G64B64A64_SINT": {1<<64 - 2, 5, 1<<64 - 1, 7},
	} {
		m, _ := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 2, Height: 2})
		v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.I64, Operands: ir.TextureLod}
		if got := call(t, x, v, s, [][]uint64{{0, 0, f32(-0.5), f32(0.5), 0}})[0]; [4]uint64(got) != want {
			t.Errorf("%s: the border is %x; must be %x", name, got, want)
		}
	}
}

// TestMinLodOfReads reads and writes texels without a level through views with a least LOD: they address the
// view's first level, which does not exist below the least LOD (Vulkan §"Image Level Selection" of integer
// coordinates, with robustImageAccess2).
func TestMinLodOfReads(t *testing.T) {
	for _, c := range []struct {
		least float32
		there bool
	}{{0, true}, {0.75, true}, {1, false}, {1.5, false}} {
		m, _ := texture.NewImage(texture.Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 4, Height: 4, Levels: 3})
		m.Store(texture.Coord{X: 1}, [4]uint64{6})
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, MinLod: c.least})
		if err != nil {
			t.Fatal(err)
		}
		want := uint64(0)
		if c.there {
			want = 6
		}
		for _, op := range []ir.TextureOp{ir.TextureRead, ir.TextureFetch} {
			x := ir.Texture{Op: op, Dim: ir.Dim2D, Type: ir.I32, Sampler: -1}
			if got := call(t, x, v, nil, [][]uint64{{0, 1, 0}})[0][0]; got != want {
				t.Errorf("least level %g: %s gives %d; must be %d", c.least, op, got, want)
			}
		}
		call(t, ir.Texture{Op: ir.TextureWrite, Dim: ir.Dim2D, Type: ir.I32, Sampler: -1}, v, nil, [][]uint64{{0, 1, 0, 9, 9, 9, 9}})
		if got := m.Load(texture.Coord{X: 1})[0]; (got == 9) != c.there {
			t.Errorf("least level %g: the texel written is %d", c.least, got)
		}
	}
}

// TestInfiniteTexels filters an infinite texel with finite ones: with weight 0 as the second texel, with a weight
// between, and with all of it (docs/undefined.md).
func TestInfiniteTexels(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim1D, Width: 2})
	m.Store(texture.Coord{}, [4]uint64{f32(1)})
	m.Store(texture.Coord{X: 1}, [4]uint64{f32(math.Inf(1))})
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim1D})
	edge := texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge}}
	s, _ := texture.NewSampler(edge)
	x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim1D, Type: ir.F32, Operands: ir.TextureLod}
	nan := uint64(0x7fc00000)
	for i, got := range call(t, x, v, s, [][]uint64{{0, 0, f32(0.125), 0}, {0, 0, f32(0.25), 0}, {0, 0, f32(0.5), 0}, {0, 0, f32(0.75), 0}}) {
		if want := []uint64{f32(1), nan, f32(math.Inf(1)), nan}[i]; got[0] != want {
			t.Errorf("place %d: %x; must be %x", i, got[0], want)
		}
	}
	m.Store(texture.Coord{X: 1}, [4]uint64{f32(1)})
	m.Store(texture.Coord{}, [4]uint64{f32(math.Inf(1))})
	for i, got := range call(t, x, v, s, [][]uint64{{0, 0, f32(0.5), 0}, {0, 0, f32(0.75), 0}}) {
		if want := []uint64{nan, f32(1)}[i]; got[0] != want {
			t.Errorf("place %d, the first infinite: %x; must be %x", i, got[0], want)
		}
	}
}
