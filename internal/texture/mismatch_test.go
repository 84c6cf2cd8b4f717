package texture_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestCompareMismatch samples with and without a reference through samplers with and without comparison, from
// formats of each numeric class: cases that the specification leaves undefined and this package defines.
func TestCompareMismatch(t *testing.T) {
	at := []uint64{0, 0, f32(0.5), f32(0.5)}
	for _, c := range []struct {
		format  string
		kind    ir.Type
		compare bool
		dref    bool
		want    uint64
	}{
		{"D32_SFLOAT", ir.F32, true, true, f32(1)},
		{"D32_SFLOAT", ir.F32, true, false, f32(0.75)},
		{"D32_SFLOAT", ir.F32, false, true, 0},
		{"R32_SFLOAT", ir.F32, true, true, f32(1)},
		{"R32_UINT", ir.I32, true, false, 7},
		{"R32_UINT", ir.F32, true, true, 0},
		{"R32_UINT", ir.F32, false, true, 0},
		{"R64_SINT", ir.F32, true, true, 0},
		{"S8_UINT", ir.F32, true, true, 0},
	} {
		m, err := texture.NewImage(texture.Desc{Format: c.format, Dim: ir.Dim2D, Width: 2, Height: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			value := f32(0.75)
			if c.want == 7 {
				value = 7
			}
			m.Store(texture.Coord{X: i & 1, Y: i >> 1}, [4]uint64{value})
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		if err != nil {
			t.Fatal(err)
		}
		for _, filter := range []enum.Filter{enum.FilterNearest, enum.FilterLinear, enum.FilterCubic} {
			s, err := texture.NewSampler(texture.SamplerDesc{Mag: filter, Min: filter, Compare: c.compare, CompareOp: enum.CompareOpLess, MaxLod: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, op := range []ir.TextureOp{ir.TextureSample, ir.TextureGather} {
				x, args := ir.Texture{Op: op, Dim: ir.Dim2D, Type: c.kind}, at
				if c.dref {
					x.Operands, args = ir.TextureDref, append(at[:4:4], f32(0.5))
				}
				if got := call(t, x, v, s, [][]uint64{args})[0][0]; got != c.want {
					t.Errorf("%s, filter %d, %s, the sampler compares %t, with a reference %t: %x; must be %x", c.format, filter, op, c.compare, c.dref, got, c.want)
				}
			}
		}
	}
}

// TestKindMismatch reads and writes texels as numbers of another kind than the
// format has: the bits stay, and scaled integers are integers.
func TestKindMismatch(t *testing.T) {
	for _, c := range []struct {
		format       string
		stored       uint64 // as format.Codec has it
		kind         ir.Type
		read         uint64
		write, after uint64
	}{
		{"R32_SFLOAT", f32(1.5), ir.I32, f32(1.5), f32(2.5), f32(2.5)},
		{"R8_UNORM", f32(1), ir.I32, f32(1), f32(0), 0},
		{"R32_UINT", f32(1.5), ir.F32, f32(1.5), f32(2.5), f32(2.5)},
		{"R16_SINT", 0xfffffffe, ir.I64, 1<<64 - 2, 1<<40 | 3, 3},
		{"R16_UINT", 0xfffe, ir.I64, 0xfffe, 1<<40 | 3, 3},
		{"R64_UINT", 1<<40 | 5, ir.I32, 5, 7, 7},
		{"R64_SINT", 1<<40 | 5, ir.F32, 5, f32(1), f32(1)},
		{"R8_SSCALED", f32(-3), ir.I32, 0xfffffffd, 0xfffffff9, f32(-7)},
		{"R8_USCALED", f32(200), ir.I32, 200, 7, f32(7)},
		{"R16_SSCALED", f32(-3), ir.I64, 1<<64 - 3, 1<<40 | 3, f32(3)},
		{"R16_USCALED", f32(50000), ir.I64, 50000, 1<<40 | 3, f32(3)},
	} {
		m, err := texture.NewImage(texture.Desc{Format: c.format, Dim: ir.Dim1D, Width: 1})
		if err != nil {
			t.Fatal(err)
		}
		m.Store(texture.Coord{}, [4]uint64{c.stored})
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim1D})
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureRead, Dim: ir.Dim1D, Type: c.kind, Sampler: -1}
		if got := call(t, x, v, nil, [][]uint64{{0, 0}})[0][0]; got != c.read {
			t.Errorf("%s read as %s: %x; must be %x", c.format, c.kind, got, c.read)
		}
		x.Op = ir.TextureWrite
		call(t, x, v, nil, [][]uint64{{0, 0, c.write, 0, 0, 0}})
		if got := m.Load(texture.Coord{})[0]; got != c.after {
			t.Errorf("%x written to %s as %s: %x; must be %x", c.write, c.format, c.kind, got, c.after)
		}
	}
}

// TestViewMinLod reads through views with a least LOD: samples and queries read no level below it, fetches from
// its whole part on, gathers only if that is the base level (VK_EXT_image_view_min_lod, with
// robustImageAccess2).
func TestViewMinLod(t *testing.T) {
	m, err := texture.NewImage(texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 16, Height: 16, Levels: 5})
	if err != nil {
		t.Fatal(err)
	}
	for l := range 5 {
		for n := range 256 >> (2 * l) {
			m.Store(texture.Coord{X: n % (16 >> l), Y: n / (16 >> l), Level: l}, [4]uint64{f32(float64(l + 1))})
		}
	}
	s, err := texture.NewSampler(texture.SamplerDesc{MaxLod: 9, MipLinear: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		base, levels int
		least        float32
		sample, lod0 float64 // of level of detail 0
		fetched      [4]float64
		gather       float64
	}{
		{0, 5, 0, 1, 0, [4]float64{1, 2, 3, 4}, 1},
		{0, 5, 0.5, 1.5, 0.5, [4]float64{1, 2, 3, 4}, 1},
		{0, 5, 2.25, 3.25, 2.25, [4]float64{0, 0, 3, 4}, 0},
		{1, 4, 1, 2, 0, [4]float64{2, 3, 4, 5}, 2},
		{1, 4, 2.5, 3.5, 1.5, [4]float64{0, 3, 4, 5}, 0},
		{1, 4, 0.5, 2, 0, [4]float64{2, 3, 4, 5}, 2},
		{2, 1, 2, 3, 0, [4]float64{3, 0, 0, 0}, 3},
	} {
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, BaseLevel: c.base, Levels: c.levels, MinLod: c.least})
		if err != nil {
			t.Fatal(err)
		}
		at := []uint64{0, 0, f32(0.5), f32(0.5)}
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod}
		if got := number(call(t, x, v, s, [][]uint64{append(at[:4:4], 0)})[0][0]); got != c.sample {
			t.Errorf("%+v: a sample gives %g", c, got)
		}
		x = ir.Texture{Op: ir.TextureQueryLod, Dim: ir.Dim2D, Type: ir.F32}
		if got := number(call(t, x, v, s, [][]uint64{at})[0][0]); got != c.lod0 {
			t.Errorf("%+v: a query gives level %g", c, got)
		}
		x.Op = ir.TextureGather
		if got := number(call(t, x, v, s, [][]uint64{at})[0][2]); got != c.gather {
			t.Errorf("%+v: a gather gives %g", c, got)
		}
		x = ir.Texture{Op: ir.TextureFetch, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod, Sampler: -1}
		for l, want := range c.fetched {
			if got := number(call(t, x, v, nil, [][]uint64{{0, 0, 0, uint64(l)}})[0][0]); got != want {
				t.Errorf("%+v: a fetch from level %d gives %g", c, l, got)
			}
		}
	}
}
