package ptxlower

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// hostileImageLines are instructions on the handle %t with the coordinates %c0 to %c3. Thread 5 alone writes.
var hostileImageLines = []string{
	"tex.1d.v4.f32.f32 R, [%t, {%c0}], {-3}, %c1;", "tex.level.a1d.v4.u32.s32 R, [%t, {%c0, %c1}], %c2;", "tex.2d.v4.f32.f32 R|%p, [%t, {%c0, %c1}], {-3, 1};",
	"tex.grad.2d.v4.s32.f32 R, [%t, {%c0, %c1}], {%c1, %c2}, {%c2, %c3};", "tex.level.a2d.v4.f32.f32 R, [%t, {%c0, %c1, %c2, %c3}], %c3;", "tex.3d.v4.f32.s32 R, [%t, {%c0, %c1, %c2, %c3}];",
	"tex.level.3d.v4.f32.f32 R, [%t, {%c0, %c1, %c2, %c3}], %c0;", "tex.cube.v4.f32.f32 R, [%t, {%c0, %c1, %c2, %c3}];", "tex.acube.v4.f32.f32 R, [%t, {%c0, %c1, %c2, %c3}], %c1;",
	"tex.a2dms.v4.u32.s32 R, [%t, {%c0, %c1, %c2, %c3}];", "tld4.g.a2d.v4.f32.f32 R, [%t, {%c0, %c1, %c2, %c3}];", "tld4.a.cube.v4.s32.f32 R, [%t, {%c0, %c1, %c2, %c3}];",
	"txq.level.width.b32 %r0, [%t], %c0; txq.array_size.b32 %r1, [%t]; txq.channel_order.b32 %r2, [%t]; txq.addr_mode_1.b32 %r3, [%t];",
	"suld.b.1d.v4.b32.clamp R, [%t, {%c0}];", "suld.b.a2d.v4.b32.zero R, [%t, {%c0, %c1, %c2, %c3}];", "suld.b.3d.b32.clamp %r0, [%t, {%c0, %c1, %c2, %c3}];",
	"@%one sust.b.2d.v2.b32.clamp [%t, {%c0, %c1}], {%c0, %c1};", "@%one sust.p.a1d.v4.b32.clamp [%t, {%c0, %c1}], R;", "@%one sust.p.2d.v4.b32.zero [%t, {%c0, %c1}], R;",
	"@%one sured.b.max.3d.s32.clamp [%t, {%c0, %c1, %c2, %c3}], %c0;", "@%one sured.p.min.a2d.b32.clamp [%t, {%c0, %c1, %c2, %c3}], %c0;",
}

// hostileViews returns views of random shapes and formats, and the memory of their images.
func hostileViews(r *rand.Rand) (views []*texture.View, memory [][]byte) {
	formats := []string{"R32G32B32A32_SFLOAT", "R32_UINT", "R8G8B8A8_UNORM", "R8_SINT", "R64_UINT", "D32_SFLOAT", "S8_UINT", "BC1_RGB_UNORM_BLOCK", "E5B9G9R9_UFLOAT_PACK32", "R32G32B32_SFLOAT", "R64G64B64A64_SFLOAT"}
	for len(views) < 24 {
		d := texture.Desc{Format: formats[r.IntN(len(formats))], Dim: ir.Dim1D + ir.Dim(r.IntN(3)), Width: 1 + r.IntN(9), Height: 1 + r.IntN(9), Depth: 1 + r.IntN(4), Layers: []int{1, 3, 6, 12}[r.IntN(4)], Levels: 1 + r.IntN(2), Samples: 1 + 3*r.IntN(2)}
		v := texture.ViewDesc{Dim: d.Dim, Arrayed: d.Layers > 1, BaseLevel: r.IntN(d.Levels)}
		if r.IntN(2) == 0 {
			v.Dim, v.Arrayed, d.Height = ir.DimCube, d.Layers > 6, d.Width
		}
		layout, err := texture.NewLayout(d)
		if err != nil {
			continue // such an image does not exist
		}
		b := make([]byte, layout.Size())
		image, err := layout.On(b)
		if err != nil {
			continue
		}
		if view, err := texture.NewView(image, v); err == nil {
			views, memory = append(views, view), append(memory, b)
		}
	}
	return views, memory
}

// hostileSamplers returns samplers of random states.
func hostileSamplers(r *rand.Rand) []*texture.Sampler {
	list := []*texture.Sampler{nil}
	for len(list) < 8 {
		filter := enum.Filter(r.IntN(2))
		d := texture.SamplerDesc{Mag: filter, Min: filter, MaxLod: float32(16 * r.IntN(2)), Compare: r.IntN(4) == 0, CompareOp: enum.CompareOpLess, Unnormalized: r.IntN(4) == 0}
		for i := range d.Address {
			d.Address[i] = enum.AddressMode(r.IntN(4))
		}
		if s, err := texture.NewSampler(d); err == nil {
			list = append(list, s)
		}
	}
	return list
}

// hostileThreads returns the input of 32 threads: words for results, coordinates, and a handle.
func hostileThreads(r *rand.Rand) []byte {
	var in []byte
	for range 32 {
		in = append(in, words(r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32())...)
		for range 4 {
			c := uint32(r.IntN(12)) - 2
			switch r.IntN(4) {
			case 0:
				c = []uint32{math.MaxInt32, 1 << 31, math.MaxUint32, 0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff, 1 << 30, r.Uint32()}[r.IntN(9)]
			case 1, 2:
				c = math.Float32bits(3*r.Float32() - 1)
			}
			in = append(in, words(c)...)
		}
		h := Handle(1+uint32(r.IntN(3)), uint32(r.IntN(26)), uint32(r.IntN(9)))
		if r.IntN(8) == 0 {
			h = r.Uint64()
		}
		in = append(in, words(uint32(h), uint32(h>>32))...)
	}
	return in
}

// TestHostileImages runs instructions on textures and surfaces with any numbers as handles, views of any geometry and format, and any
// coordinates: no launch fails, and the engines agree. A number in CHIARO_LONG is that of the launches.
func TestHostileImages(t *testing.T) {
	n := 63
	if v, err := strconv.Atoi(os.Getenv("CHIARO_LONG")); err == nil && v > 1 {
		n = v
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		line := strings.ReplaceAll(hostileImageLines[seed%len(hostileImageLines)], "R", "{%r0, %r1, %r2, %r3}")
		m := parse(t, `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 o)
{
	.reg .pred %p, %one;
	.reg .b32 %r<4>, %c<4>, %i;
	.reg .b64 %t, %o;
	ld.param.u64 %o, [o];
	mov.u32 %i, %tid.x;
	setp.eq.u32 %one, %i, 5;
	mul.wide.u32 %t, %i, 40;
	add.u64 %o, %o, %t;
	ld.global.v2.u32 {%r0, %r1}, [%o]; ld.global.v2.u32 {%r2, %r3}, [%o+8];
	ld.global.v2.u32 {%c0, %c1}, [%o+16]; ld.global.v2.u32 {%c2, %c3}, [%o+24];
	ld.global.u64 %t, [%o+32];
	`+line+`
	st.global.v2.u32 [%o], {%r0, %r1}; st.global.v2.u32 [%o+8], {%r2, %r3};
	ret;
}
`)
		views, memory := hostileViews(r)
		views = append([]*texture.View{nil}, views...)
		samplers, in := hostileSamplers(r), hostileThreads(r)
		var want []byte
		for _, e := range engines {
			texels := rand.New(rand.NewPCG(uint64(seed), 10))
			for _, b := range memory {
				for i := range b {
					b[i] = byte(texels.Uint32())
				}
			}
			out := bytes.Clone(in)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}, textures: views, surfaces: views, samplers: samplers}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatalf("seed %d, %s on the %s: %v", seed, line, e.name, err)
			}
			if out = bytes.Join(append(memory, out), nil); want == nil {
				want = out
			}
			if !bytes.Equal(out, want) {
				t.Errorf("seed %d: %s has other results on the %s than on the %s", seed, line, e.name, engines[0].name)
			}
		}
	}
}
