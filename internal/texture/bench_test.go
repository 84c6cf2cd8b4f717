package texture_test

import (
	"context"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// BenchmarkSample samples an image of 1024×1024 texels four times in each of
// 1920×1080 invocations, along a rotation: bytes are texels.
func BenchmarkSample(b *testing.B) {
	m, _ := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 1024, Height: 1024})
	fill(m, rand.New(rand.NewSource(1)))
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	for _, c := range []struct {
		name string
		d    texture.SamplerDesc
	}{
		{"linear", texture.SamplerDesc{Mag: texture.Linear, Min: texture.Linear}},
		{"nearest", texture.SamplerDesc{}},
		{"clamp", texture.SamplerDesc{Mag: texture.Linear, Min: texture.Linear, Address: [3]texture.AddressMode{texture.ClampToEdge, texture.ClampToEdge}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, _ := texture.NewSampler(c.d)
			p := rotation()
			q, err := texture.Bind(p, []texture.Bound{{}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}})
			if err != nil {
				b.Fatal(err)
			}
			pass.Run(q)
			run, err := jit.Engine{}.Compile(q, exec.Options{})
			if err != nil {
				b.Skip(err)
			}
			defer run.Close()
			out := make([]uint64, 1920*1080/2)
			job := &exec.Job{Groups: [3]uint32{120, 68, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: raw(out)}}, {v.Memory()}, {v.Shape()}, {s.State()}}}
			b.SetBytes(4 * 1920 * 1080)
			for b.Loop() {
				if err := run.Run(context.Background(), job); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkVariant is the time to make and compile the code of a sampler.
func BenchmarkVariant(b *testing.B) {
	m, _ := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 64, Height: 64, Levels: 4})
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	s, _ := texture.NewSampler(texture.SamplerDesc{Mag: texture.Linear, Min: texture.Linear, MipLinear: true, MaxLod: 9})
	x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod}
	for b.Loop() {
		q, err := texture.Bind(program(x, 16), []texture.Bound{{}, {}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}})
		if err != nil {
			b.Fatal(err)
		}
		pass.Run(q)
		run, err := jit.Engine{}.Compile(q, exec.Options{})
		if err != nil {
			b.Skip(err)
		}
		run.Close()
	}
}

// rotation is the program of BenchmarkSample.
func rotation() *ir.Program {
	p := &ir.Program{Name: "rotation", SubgroupSize: 16, LocalSize: [3]uint32{16, 16, 1},
		In: []ir.Input{{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}, {Semantic: ir.GlobalInvocationIdY, Type: ir.I32}},
		Res: []ir.Resource{{Count: 1}, {Count: 1, Binding: 1, Kind: ir.Texels, NonWritable: true}, {Count: 1, Binding: 1, Kind: ir.ImageShape, NonWritable: true},
			{Count: 1, Binding: 1, Kind: ir.SamplerState, NonWritable: true}}}
	x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Image: 1, Sampler: 3, Operands: ir.TextureLod}
	_, results := x.Signature()
	b := ir.NewFunc("main", nil, nil)
	num := func(x float64) ir.V { return b.Const(ir.F32, f32(x)) }
	f := func(op ir.Op, args ...ir.V) ir.V { return b.Op(op, ir.F32, args...) }
	gx, gy := b.OpAux(ir.In, ir.I32, 0), b.OpAux(ir.In, ir.I32, 1)
	b.If(b.Op(ir.And, ir.B1, b.Cmp(ir.ULt, gx, b.I32(1920)), b.Cmp(ir.ULt, gy, b.I32(1080))))
	u, v := f(ir.FMul, f(ir.UToF, gx), num(1.0/1920)), f(ir.FMul, f(ir.UToF, gy), num(1.0/1080))
	sum := [4]ir.V{num(0), num(0), num(0), num(0)}
	for range 4 {
		for k, c := range b.Call(1, results, b.I32(0), b.I32(0), u, v, num(0)) {
			sum[k] = f(ir.FAdd, sum[k], c)
		}
		u, v = f(ir.FAdd, f(ir.FMul, f(ir.FAdd, f(ir.FMul, u, num(0.8)), f(ir.FMul, v, num(0.6))), num(1.125)), num(0.01)),
			f(ir.FAdd, f(ir.FMul, f(ir.FSub, f(ir.FMul, v, num(0.8)), f(ir.FMul, u, num(0.6))), num(1.125)), num(0.01))
	}
	word := b.I32(0)
	for k, c := range sum {
		i := b.Op(ir.FToU, ir.I32, f(ir.FMul, c, num(63.75)))
		word = b.Op(ir.Or, ir.I32, word, b.Op(ir.Shl, ir.I32, i, b.I32(uint32(8*k))))
	}
	out := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
	at := b.OpAux(ir.At, ir.I32, 4, b.OpAux(ir.At, ir.I32, 4*1920, b.I32(0), gy), gx)
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, word}})
	b.End()
	b.Return()
	p.Funcs = []*ir.Func{b.Finish(), ir.NewTexture("texture", x)}
	p.StateEffects()
	return p
}
