package ptxlower

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// testImages are the views that the tests of textures and surfaces use, by their numbers in handles.
type testImages struct {
	views  []*texture.View
	images []*texture.Image
}

// add adds an image whose texels value gives, and returns the number of its view.
func (x *testImages) add(t *testing.T, d texture.Desc, v texture.ViewDesc, value func(at texture.Coord) [4]uint64) uint32 {
	t.Helper()
	m, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	v.Dim = max(v.Dim, d.Dim)
	view, err := texture.NewView(m, v)
	if err != nil {
		t.Fatal(err)
	}
	aspect := m.FirstAspect()
	for level := range max(d.Levels, 1) {
		w, h, depth, _ := m.AspectExtent(aspect, level)
		for layer := range max(d.Layers, 1) {
			for sample := range max(d.Samples, 1) {
				for i := range w * h * depth {
					at := texture.Coord{Aspect: aspect, X: i % w, Y: i / w % h, Z: i / w / h, Level: level, Layer: layer, Sample: sample}
					m.Store(at, value(at))
				}
			}
		}
	}
	x.views, x.images = append(x.views, view), append(x.images, m)
	return uint32(len(x.views))
}

// list returns the views with the null view first.
func (x *testImages) list() []*texture.View { return append([]*texture.View{nil}, x.views...) }

func bitsOf(f float32) uint64 { return uint64(math.Float32bits(f)) }

// testSamplers are the samplers 1 to 3: nearest and clamped to the edge, linear without normalized coordinates, and one that compares.
func testSamplers(t *testing.T) []*texture.Sampler {
	edge := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
	list := []*texture.Sampler{nil}
	for _, d := range []texture.SamplerDesc{
		{Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeRepeat, enum.AddressModeClampToBorder}, MaxLod: 16},
		{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: edge, Unnormalized: true},
		{Address: edge, Compare: true, CompareOp: enum.CompareOpLess},
	} {
		s, err := texture.NewSampler(d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// textureRow is an instruction, the number of its view, and the words of %r0 to %r3 after it.
type textureRow struct {
	text    string
	view    uint32
	sampler uint32
	want    [4]any // float32, int or uint32
}

// wordOf returns the bits of an expected value.
func wordOf(x any) uint32 {
	switch x := x.(type) {
	case float64:
		return math.Float32bits(float32(x))
	case int:
		return uint32(x)
	case uint32:
		return x
	}
	return 0
}

// textureKernel is a kernel with one instruction on the handle %h, or on the variables of the module.
func textureKernel(text, head string) string {
	return ".version 8.0\n.target sm_80\n.address_size 64\n" + head + `
.entry k(.param .u64 o, .param .u64 t, .param .texref p)
{
.reg .pred %p;
.reg .b16 %h<4>;
.reg .b32 %r<4>;
.reg .b64 %rd<2>, %t, %o;
.reg .f32 %f0;
ld.param.u64 %o, [o];
ld.param.u64 %t, [t];
ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%o];
` + text + `
st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};
ret;
}
`
}

// runTexture runs a kernel on all engines, and compares the words of its output.
func runTexture(t *testing.T, name, src string, l launch, handle uint64, want [4]any) {
	t.Helper()
	m := parse(t, src)
	for _, e := range engines {
		out := words(0x01020304, 0x11121314, 0x21222324, 0x31323334)
		l.kernel, l.grid, l.block, l.args = "k", [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, []any{out, handle, handle}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Errorf("%s on the %s: %v", name, e.name, err)
			return
		}
		for i, w := range want {
			if got := word(out[4*i:]); w != nil && got != wordOf(w) {
				t.Errorf("%s on the %s: %%r%d is %#x; must be %#x", name, e.name, i, got, wordOf(w))
			}
		}
	}
}

// TestTextures runs lookups and queries, with the results of the ISA's chapter on textures.
func TestTextures(t *testing.T) {
	x := &testImages{}
	plane := x.add(t, texture.Desc{Format: "R32G32B32A32_SFLOAT", Dim: ir.Dim2D, Width: 4, Height: 2}, texture.ViewDesc{}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{bitsOf(float32(at.X)), bitsOf(float32(at.Y)), bitsOf(float32(10*at.X + at.Y)), bitsOf(0.5)}
	})
	line := x.add(t, texture.Desc{Format: "R32_UINT", Dim: ir.Dim1D, Width: 8}, texture.ViewDesc{}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{uint64(100 + at.X)}
	})
	volume := x.add(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim3D, Width: 2, Height: 2, Depth: 2}, texture.ViewDesc{}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{bitsOf(float32(at.X + 2*at.Y + 4*at.Z))}
	})
	layers := x.add(t, texture.Desc{Format: "R32_SINT", Dim: ir.Dim2D, Width: 2, Height: 2, Layers: 2}, texture.ViewDesc{Arrayed: true}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{uint64(uint32(-(1 + at.X + 2*at.Y + 4*at.Layer)))}
	})
	lines := x.add(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim1D, Width: 2, Layers: 3}, texture.ViewDesc{Arrayed: true}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{bitsOf(float32(at.X + 10*at.Layer))}
	})
	cube := x.add(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 1, Height: 1, Layers: 6}, texture.ViewDesc{Dim: ir.DimCube}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{bitsOf(float32(at.Layer))}
	})
	none := func(texture.Coord) [4]uint64 { return [4]uint64{} }
	cubes := x.add(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 1, Height: 1, Layers: 12}, texture.ViewDesc{Dim: ir.DimCube, Arrayed: true}, none)
	single := x.add(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 1, Height: 1, Layers: 1}, texture.ViewDesc{Arrayed: true}, none)
	mips := x.add(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 4, Height: 4, Levels: 3}, texture.ViewDesc{}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{bitsOf(float32(10*at.Level + at.X))}
	})
	samples := x.add(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 2, Height: 1, Samples: 4}, texture.ViewDesc{}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{bitsOf(float32(10*at.X + at.Sample))}
	})
	depth := x.add(t, texture.Desc{Format: "D32_SFLOAT", Dim: ir.Dim2D, Width: 2, Height: 2}, texture.ViewDesc{Aspect: format.Depth}, func(texture.Coord) [4]uint64 {
		return [4]uint64{bitsOf(0.5)}
	})
	const d = "{%r0, %r1, %r2, %r3}, "
	rows := []textureRow{
		{"tex.2d.v4.f32.f32 " + d + "[%t, {0f3F200000, 0f3F400000}];", plane, 1, [4]any{2.0, 1.0, 21.0, 0.5}},
		{"tex.2d.v4.f32.f32 " + d + "[%t, {0f3F200000, 0f3F400000, %f0, %f0}];", plane, 1, [4]any{2.0, 1.0, 21.0, 0.5}},
		{"tex.2d.v4.f32.f32 " + d + "[%t, {0f40000000, 0f3F800000}];", plane, 2, [4]any{1.5, 0.5, 15.5, 0.5}}, // the mean of four texels
		{"tex.2d.v4.f32.s32 " + d + "[%t, {3, 1}];", plane, 0, [4]any{3.0, 1.0, 31.0, 0.5}},
		{"tex.2d.v4.f32.s32 " + d + "[%t, {1, 0}], {2, 1};", plane, 0, [4]any{3.0, 1.0, 31.0, 0.5}},
		{"tex.2d.v4.f32.s32 " + d + "[%t, {4, 0}];", plane, 0, [4]any{0, 0, 0, 0}},
		{"tex.2d.v2.f16x2.f32 {%r0, %r1}, [%t, {0f3F200000, 0f3F400000}];", plane, 1, [4]any{0x3c004000, 0x38004d40, 0x21222324, 0x31323334}},
		{"tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%t, {0f3F200000, 0f3F400000}]; mov.b32 %r0, {%h0, %h1}; mov.b32 %r1, {%h2, %h3};", plane, 1, [4]any{0x3c004000, 0x38004d40, nil, nil}},
		{"tex.1d.v4.u32.s32 " + d + "[%t, {5}];", line, 0, [4]any{105, 0, 0, 1}},
		{"tex.1d.v4.u32.s32 " + d + "%t, {5, 0, 0, 0};", line, 0, [4]any{105, 0, 0, 1}}, // without brackets
		{"tex.2d.v4.f32.s32 " + d + "image, {1, 0}, {2, 1};", plane, 0, [4]any{3.0, 1.0, 31.0, 0.5}},
		{"tex.1d.v4.u32.s32 " + d + "[%t, 5];", line, 0, [4]any{105, 0, 0, 1}},
		{"tex.1d.v4.s32.f32 {%r0, _, _, _}, [%t, {0f3F000000}];", line, 1, [4]any{104, 0x11121314, 0x21222324, 0x31323334}},
		{"tex.3d.v4.f32.f32 " + d + "[%t, {0f00000000, 0f3F400000, 0f3F400000, 0f7FC00000}];", volume, 1, [4]any{6.0, 0.0, 0.0, 1.0}},
		{"tex.a2d.v4.s32.s32 " + d + "[%t, {1, 1, 0, 0}];", layers, 0, [4]any{-6, 0, 0, 1}},
		{"tex.a2d.v4.s32.f32 " + d + "[%t, {1, 0f3F400000, 0f00000000, 0f00000000}];", layers, 1, [4]any{-6, 0, 0, 1}},
		{"tex.a1d.v4.f32.f32 " + d + "[%t, {2, 0f3F400000}];", lines, 1, [4]any{21.0, 0.0, 0.0, 1.0}},
		{"tex.cube.v4.f32.f32 " + d + "[%t, {0f00000000, 0fBF800000, 0f00000000, 0f00000000}];", cube, 1, [4]any{3.0, 0.0, 0.0, 1.0}},
		{"tex.level.2d.v4.f32.f32 " + d + "[%t, {0f3F400000, 0f00000000}], 0f3F800000;", mips, 1, [4]any{11.0, 0.0, 0.0, 1.0}},
		{"tex.level.2d.v4.f32.s32 " + d + "[%t, {1, 0}], 1;", mips, 0, [4]any{11.0, 0.0, 0.0, 1.0}},
		{"tex.base.2d.v4.f32.f32 " + d + "[%t, {0f3F400000, 0f00000000}];", mips, 1, [4]any{3.0, 0.0, 0.0, 1.0}},
		{"tex.grad.2d.v4.f32.f32 " + d + "[%t, {0f3F400000, 0f00000000}], {0f3F800000, 0f00000000}, {0f00000000, 0f3F800000};", mips, 1, [4]any{20.0, 0.0, 0.0, 1.0}},
		{"tex.2dms.v4.f32.s32 " + d + "[%t, {3, 1, 0, 0}];", samples, 0, [4]any{13.0, 0.0, 0.0, 1.0}},
		{"tex.2d.v4.f32.f32 " + d + "[%t, {0f3F400000, 0f00000000}], 0f3E800000;", depth, 3, [4]any{1.0, 0.0, 0.0, 1.0}},
		{"tex.2d.v4.f32.f32 " + d + "[%t, {0f3F400000, 0f00000000}], 0f3F400000;", depth, 3, [4]any{0.0, 0.0, 0.0, 1.0}},
		{"tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}|%p, [%t, {0f3F200000, 0f3F400000}]; selp.u32 %r0, 7, 9, %p;", plane, 1, [4]any{7, 1.0, 21.0, 0.5}},
		{"tld4.b.2d.v4.f32.f32 " + d + "[%t, {0f3F000000, 0f3F000000}];", plane, 1, [4]any{11.0, 21.0, 20.0, 10.0}}, // from the lower left, counter-clockwise
		{"tld4.r.2d.v4.f32.f32 " + d + "[%t, {0f3F000000, 0f3F000000}], {1, 0};", plane, 1, [4]any{2.0, 3.0, 3.0, 2.0}},
		{"txq.width.b32 %r0, [%t]; txq.height.b32 %r1, [%t]; txq.depth.b32 %r2, [%t]; txq.array_size.b32 %r3, [%t];", layers, 0, [4]any{2, 2, 1, 2}},
		{"txq.num_mipmap_levels.b32 %r0, [%t]; txq.level.width.b32 %r1, [%t], 1; txq.num_samples.b32 %r2, [%t]; txq.level.width.b32 %r3, [%t], 3;", mips, 0, [4]any{3, 2, 0, 0}},
		{"txq.channel_data_type.b32 %r0, [%t]; txq.channel_order.b32 %r1, [%t]; txq.num_samples.b32 %r2, [%t];", samples, 0, [4]any{0x10de, 0x10b0, 4, nil}}, // CL_FLOAT, CL_R
		{"txq.num_mipmap_levels.b32 %r0, [%t]; txq.array_size.b32 %r1, [%t]; txq.num_samples.b32 %r2, [%t];", plane, 0, [4]any{0, 0, 0, nil}},
		{"txq.array_size.b32 %r0, [%t]; txq.num_samples.b32 %r1, [%t];", cubes, 0, [4]any{2, 0, nil, nil}}, {"txq.array_size.b32 %r0, [%t];", cube, 0, [4]any{0, nil, nil, nil}},
		{"txq.array_size.b32 %r0, [%t];", single, 0, [4]any{1, nil, nil, nil}},
		{"txq.channel_data_type.b32 %r0, [%t]; txq.channel_order.b32 %r1, [%t];", line, 0, [4]any{0x10dc, 0x10b0, nil, nil}}, // CL_UNSIGNED_INT32
		{"txq.filter_mode.b32 %r0, [%t]; txq.addr_mode_0.b32 %r1, [%t]; txq.addr_mode_1.b32 %r2, [%t]; txq.addr_mode_2.b32 %r3, [%t];", plane, 1, [4]any{0, 3, 0, 4}},
		{"txq.filter_mode.b32 %r0, [%t]; txq.force_unnormalized_coords.b32 %r1, [%t]; txq.normalized_coords.b32 %r2, [%t];", plane, 2, [4]any{1, 1, 0, nil}},
		{"istypep.texref %p, %t; selp.u32 %r0, 1, 0, %p; istypep.surfref %p, %t; selp.u32 %r1, 1, 0, %p;", plane, 0, [4]any{1, 0, nil, nil}},
		{"tex.2d.v4.f32.s32 " + d + "[p, {3, 1}];", plane, 0, [4]any{3.0, 1.0, 31.0, 0.5}},                     // a parameter of the kernel
		{"mov.u64 %t, image; tex.2d.v4.f32.s32 " + d + "[%t, {3, 1}];", plane, 0, [4]any{3.0, 1.0, 31.0, 0.5}}, // a variable, by its address
		{"tex.2d.v4.f32.f32 " + d + "[image, state, {0f3F200000, 0f3F400000}];", plane, 2, [4]any{2.0, 1.0, 21.0, 0.5}},
		{"tex.2d.v4.f32.s32 " + d + "[%t, {0, 0}];", line, 0, [4]any{0, 0, 0, 0}},    // another geometry
		{"tex.2d.v4.f32.s32 " + d + "[%rd0, {0, 0}];", plane, 0, [4]any{0, 0, 0, 0}}, // no texture
	}
	samplers := testSamplers(t)
	for _, row := range rows {
		l := launch{textures: x.list(), samplers: samplers, handles: map[string]uint64{"image": Handle(HandleTexture, row.view, 0), "state": Handle(HandleSampler, 0, 1)}}
		head := ".global .texref image;\n.global .samplerref state;\n"
		runTexture(t, row.text, textureKernel(row.text, head), l, Handle(HandleTexture, row.view, row.sampler), row.want)
	}
}

// TestSurfaces loads from surfaces, stores to them and reduces, with the results of the ISA's chapter on surfaces.
func TestSurfaces(t *testing.T) {
	for _, row := range []struct {
		text   string
		format string
		want   [4]any
		texels map[[2]int]uint32 // words of texels that change
	}{
		{"suld.b.2d.b32.zero %r0, [%t, {8, 1}];", "R32_UINT", [4]any{12, nil, nil, nil}, nil}, // 10·y + x
		{"suld.b.2d.v2.b32.zero {%r0, %r1}, [%t, {4, 1}];", "R32_UINT", [4]any{11, 12, nil, nil}, nil},
		{"suld.b.2d.v4.b8.zero {%h0, %h1, %h2, %h3}, [%t, {4, 1}]; cvt.u32.u16 %r0, %h0; cvt.u32.u16 %r1, %h1;", "R32_UINT", [4]any{11, 0, nil, nil}, nil},
		{"suld.b.2d.b32.zero %r0, [%t, {16, 0}];", "R32_UINT", [4]any{0, nil, nil, nil}, nil},
		{"suld.b.2d.b32.zero %r0, [%t, {-4, 0}];", "R32_UINT", [4]any{0, nil, nil, nil}, nil},
		{"suld.b.2d.b32.clamp %r0, [%t, {400, 1}];", "R32_UINT", [4]any{13, nil, nil, nil}, nil},
		{"suld.b.2d.b32.clamp %r0, [%t, {-400, -7}];", "R32_UINT", [4]any{0, nil, nil, nil}, nil},
		{"suld.b.2d.v2.b32.clamp {%r0, %r1}, [%t, {12, 1}];", "R32_UINT", [4]any{12, 13, nil, nil}, nil},
		{"suld.b.2d.b32.trap %r0, [%t, {12, 1}];", "R32_UINT", [4]any{13, nil, nil, nil}, nil},
		{"sust.b.2d.b32.zero [%t, {8, 1}], %r0;", "R32_UINT", [4]any{}, map[[2]int]uint32{{2, 1}: 0x01020304}},
		{"sust.b.2d.v2.b32.zero [%t, {8, 1}], {%r0, %r1};", "R32_UINT", [4]any{}, map[[2]int]uint32{{2, 1}: 0x01020304, {3, 1}: 0x11121314}},
		{"cvt.u16.u32 %h0, %r0; sust.b.2d.b8.zero [%t, {9, 1}], %h0;", "R32_UINT", [4]any{}, map[[2]int]uint32{{2, 1}: 0x040c}},
		{"sust.b.2d.b32.zero [%t, {16, 1}], %r0;", "R32_UINT", [4]any{}, nil},
		{"sust.b.2d.b32.clamp [%t, {16, 9}], %r0;", "R32_UINT", [4]any{}, map[[2]int]uint32{{3, 1}: 0x01020304}},
		{"sust.p.2d.b32.zero [%t, {2, 1}], %r0;", "R32_UINT", [4]any{}, map[[2]int]uint32{{2, 1}: 0x01020304}},
		{"mov.b32 %r0, 0f3F800000; mov.b32 %r1, 0f00000000; sust.p.2d.v2.b32.zero [%t, {2, 1}], {%r0, %r1};", "R16G16_UNORM", [4]any{}, map[[2]int]uint32{{2, 1}: 0xffff}},
		{"xor.b32 %r0, %r0, 0x3e820304; xor.b32 %r1, %r1, 0x11121314; sust.p.2d.v2.b32.zero [%t, {2, 1}], {%r0, %r1};", "E5B9G9R9_UFLOAT_PACK32", [4]any{}, map[[2]int]uint32{{2, 1}: 16<<27 | 256}}, // 1 and 0: 256/2⁹ · 2¹⁶⁻¹⁵
		{"sured.b.add.2d.u32.zero [%t, {8, 1}], 5;", "R32_UINT", [4]any{}, map[[2]int]uint32{{2, 1}: 17}},
		{"sured.b.max.2d.s32.zero [%t, {8, 1}], -1;", "R32_UINT", [4]any{}, nil},
		{"sured.b.and.2d.b32.zero [%t, {12, 1}], 5;", "R32_UINT", [4]any{}, map[[2]int]uint32{{3, 1}: 5}},
		{"sured.p.max.2d.b32.zero [%t, {2, 1}], 0xffffffff;", "R32_UINT", [4]any{}, map[[2]int]uint32{{2, 1}: 0xffffffff}},
		{"sured.p.min.2d.b32.zero [%t, {2, 1}], 0xffffffff;", "R32_SINT", [4]any{}, map[[2]int]uint32{{2, 1}: 0xffffffff}},
		{"suq.width.b32 %r0, [%t]; suq.height.b32 %r1, [%t]; suq.channel_data_type.b32 %r2, [%t]; suq.memory_layout.b32 %r3, [%t];", "R32_SINT", [4]any{4, 2, 0x10d9, 0}, nil},
		{"sust.b.2d.b32.zero [%rd0, {8, 1}], %r0;", "R32_UINT", [4]any{}, nil},
	} {
		x := &testImages{}
		n := x.add(t, texture.Desc{Format: row.format, Dim: ir.Dim2D, Width: 4, Height: 2}, texture.ViewDesc{}, func(texture.Coord) [4]uint64 { return [4]uint64{} })
		texel := func(i, j int) []byte { return x.images[0].Texel(texture.Coord{Aspect: format.Color, X: i, Y: j}) }
		m := parse(t, textureKernel(row.text, ""))
		for _, e := range engines {
			for i := range 8 {
				binary.LittleEndian.PutUint32(texel(i%4, i/4), uint32(i%4+10*(i/4)))
			}
			out := words(0x01020304, 0x11121314, 0x21222324, 0x31323334)
			h := Handle(HandleSurface, n, 0)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out, h, h}, surfaces: x.list()}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Errorf("%s on the %s: %v", row.text, e.name, err)
				continue
			}
			for i, w := range row.want {
				if got := word(out[4*i:]); w != nil && got != wordOf(w) {
					t.Errorf("%s on the %s: %%r%d is %#x; must be %#x", row.text, e.name, i, got, wordOf(w))
				}
			}
			for i := range 8 {
				at := [2]int{i % 4, i / 4}
				want, ok := row.texels[at]
				if !ok {
					want = uint32(i%4 + 10*(i/4))
				}
				if got := word(texel(at[0], at[1])); got != want {
					t.Errorf("%s on the %s: texel %d is %#x; must be %#x", row.text, e.name, at, got, want)
				}
			}
		}
	}
}

// TestWrongQueries lowers queries of a level that are not of an extent, queries with an operand too many or too few (PTX ISA, "txq"), and offsets in cubes
// ("tex", "tld4").
func TestWrongQueries(t *testing.T) {
	for _, text := range []string{
		"txq.level.array_size.b32 %r0, [%t], 1;", "txq.level.num_samples.b32 %r0, [%t], 1;", "txq.level.filter_mode.b32 %r0, [%t], 1;",
		"tex.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%f0, %f0, %f0, %f0}], {1, 1, 1, 1};", "tld4.r.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%f0, %f0, %f0, %f0}], {1, 1};",
		"txq.level.width.b32 %r0, [%t];", "txq.width.b32 %r0, [%t], 1;", "txq.addr_mode_0.b32 %r0, [%t], 1;",
	} {
		m := parse(t, textureKernel(text, ""))
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		var malformed *Malformed
		if _, err := Lower(m, image, "k", Options{Block: [3]uint32{1, 1, 1}}); !errors.As(err, &malformed) {
			t.Errorf("%s: %v; must be malformed", text, err)
		}
	}
}

// TestSurfaceTrap loads outside of a surface with .trap, which ends the launch.
func TestSurfaceTrap(t *testing.T) {
	x := &testImages{}
	n := x.add(t, texture.Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 4, Height: 2}, texture.ViewDesc{}, func(texture.Coord) [4]uint64 { return [4]uint64{} })
	m := parse(t, textureKernel("suld.b.2d.b32.trap %r0, [%t, {16, 1}];", ""))
	for _, e := range engines {
		h := Handle(HandleSurface, n, 0)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{make([]byte, 16), h, h}, surfaces: x.list()}
		if err := l.run(m, e.engine, e.optimize); err == nil || !strings.HasPrefix(err.Error(), "aborted") {
			t.Errorf("on the %s: %v; must be an abort", e.name, err)
		}
	}
}

// TestStaticSamplers reads the initializers of the ISA's section on textures, samplers and surfaces.
func TestStaticSamplers(t *testing.T) {
	m := parse(t, `.version 7.0
.target sm_70, texmode_independent
.address_size 64
.global .samplerref tsamp1 = { addr_mode_0 = clamp_to_border,
                               filter_mode = nearest
                             };
.global .samplerref linear = { addr_mode_0 = wrap, addr_mode_1 = mirror, addr_mode_2 = clamp_to_edge, filter_mode = linear, force_unnormalized_coords = 1 };
.global .texref tex = { width = 4, height = 2 };
`)
	image, err := NewImage(m)
	if err != nil {
		t.Fatal(err)
	}
	want := []StaticSampler{{"tsamp1", false, [3]int{4, 0, 0}, false}, {"linear", true, [3]int{0, 1, 3}, true}}
	if got := image.Samplers(); !slices.Equal(got, want) {
		t.Errorf("the samplers are %v; must be %v", got, want)
	}
	if typ, at := image.Opaque("tex"); typ != ".texref" || at%8 != 0 || at+8 > uint64(len(image.Bytes)) {
		t.Errorf("the texture has the type %s and the offset %d of %d bytes", typ, at, len(image.Bytes))
	}
	for text, want := range map[string]string{
		".global .samplerref s = { addr_mode_0 = edge };": `4:27: addr_mode_0 must be one of`,
		".global .samplerref s = { size = 1 };":           `4:27: s has the property size; must be one of .samplerref`,
		".global .texref s = { 1 };":                      `4:23: s has an initial value without the name of a property`,
	} {
		m := parse(t, ".version 7.0\n.target sm_70\n.address_size 64\n"+text+"\n")
		var malformed *Malformed
		if _, err := NewImage(m); !errors.As(err, &malformed) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v; must begin with %q", text, err, want)
		}
	}
	if got := fmt.Sprint(m); !strings.Contains(got, ".samplerref tsamp1 = {addr_mode_0 = clamp_to_border, filter_mode = nearest};") {
		t.Errorf("the module prints as\n%s", got)
	}
}

// TestSurfaceLayers loads from layers of a surface array: the index of a layer is an unsigned number (PTX ISA, "suld").
func TestSurfaceLayers(t *testing.T) {
	x := &testImages{}
	n := x.add(t, texture.Desc{Format: "R32_UINT", Dim: ir.Dim1D, Width: 2, Layers: 3}, texture.ViewDesc{Arrayed: true}, func(at texture.Coord) [4]uint64 {
		return [4]uint64{uint64(10*at.Layer + at.X)}
	})
	m := parse(t, textureKernel("suld.b.a1d.b32.clamp %r0, [%t, {1, 4}]; suld.b.a1d.b32.clamp %r1, [%t, {-1, -4}]; suld.b.a1d.b32.zero %r2, [%t, {-1, 0}]; suq.array_size.b32 %r3, [%t];", ""))
	for _, e := range engines {
		out := make([]byte, 16)
		h := Handle(HandleSurface, n, 0)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out, h, h}, surfaces: x.list()}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(e.name, err)
		}
		for i, want := range []uint32{11, 20, 0, 3} {
			if got := word(out[4*i:]); got != want {
				t.Errorf("on the %s: %%r%d is %d; must be %d", e.name, i, got, want)
			}
		}
	}
}
