package texture_test

import (
	"context"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// BenchmarkSample samples an image of 1024×1024 texels four times in each of
// 1920×1080 invocations, along a rotation: bytes are texels.
func BenchmarkSample(b *testing.B) {
	trilinear := texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MinLod: 0.375, MaxLod: 9}
	for _, c := range []struct {
		name   string
		levels int
		d      texture.SamplerDesc
	}{
		{"linear", 1, texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear}},
		{"nearest", 1, texture.SamplerDesc{}},
		{"clamp", 1, texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}}},
		{"trilinear R8G8B8A8_UNORM", 4, trilinear},
		{"R16G16B16A16_SFLOAT", 1, texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear}},
		{"trilinear R16G16B16A16_SFLOAT", 4, trilinear},
		{"trilinear R16G16B16A16_UNORM", 4, trilinear},
		{"trilinear R32G32_SFLOAT", 4, trilinear},
		{"trilinear R32G32B32A32_SFLOAT", 4, trilinear},
	} {
		for _, level := range target.LevelNames()[1:3] {
			level, _ := target.LevelOf(level)
			b.Run(c.name+"/"+level.String(), func(b *testing.B) {
				format, trilinear := strings.CutPrefix(c.name, "trilinear ")
				if !trilinear && !strings.HasPrefix(c.name, "R") {
					format = "R8G8B8A8_UNORM"
				}
				m, _ := texture.NewImage(texture.Desc{Format: format, Dim: ir.Dim2D, Width: 1024, Height: 1024, Levels: 4})
				fill(m, rand.New(rand.NewSource(1)))
				v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Levels: c.levels})
				s, _ := texture.NewSampler(c.d)
				p := rotation()
				q, err := texture.Bind(p, []texture.Bound{{}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}})
				if err != nil {
					b.Fatal(err)
				}
				pass.Run(q)
				run, err := jit.Engine{Level: level}.Compile(q, exec.Options{})
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
}

// BenchmarkVariant measures the time to generate and compile the code of a sampler: the compile time of the
// whole sampling program, and the processor time without the bodies of its samples: the fixed cost of any
// variant.
func BenchmarkVariant(b *testing.B) {
	linear := texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, MaxLod: 9}
	trilinear, anisotropic := linear, linear
	trilinear.MipLinear = true
	anisotropic.MipLinear, anisotropic.Anisotropy = true, 16
	border := linear
	border.Address = [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeClampToBorder, enum.AddressModeClampToBorder}
	for _, c := range []struct {
		name   string
		dim    ir.Dim
		levels int
		with   ir.TextureOperands
		d      texture.SamplerDesc
	}{
		{"nearest", ir.Dim2D, 1, ir.TextureLod, texture.SamplerDesc{}},
		{"bilinear", ir.Dim2D, 1, ir.TextureLod, linear},
		{"border", ir.Dim2D, 1, ir.TextureLod, border},
		{"trilinear", ir.Dim2D, 4, ir.TextureLod, trilinear},
		{"trilinear, grad", ir.Dim2D, 4, ir.TextureGrad, trilinear},
		{"anisotropic", ir.Dim2D, 4, ir.TextureGrad, anisotropic},
		{"cubic", ir.Dim2D, 1, ir.TextureLod, texture.SamplerDesc{Mag: enum.FilterCubic, Min: enum.FilterCubic}},
		{"cube", ir.DimCube, 1, ir.TextureLod, linear},
		{"nearest of 1D", ir.Dim1D, 1, ir.TextureLod, texture.SamplerDesc{}},
		{"nearest of 3D", ir.Dim3D, 1, ir.TextureLod, texture.SamplerDesc{}},
		{"nearest of a cube", ir.DimCube, 1, ir.TextureLod, texture.SamplerDesc{}},
		{"linear of 1D", ir.Dim1D, 1, ir.TextureLod, linear},
		{"linear of 3D", ir.Dim3D, 1, ir.TextureLod, linear},
		{"trilinear of 3D", ir.Dim3D, 4, ir.TextureLod, trilinear},
	} {
		b.Run(c.name, func(b *testing.B) {
			of, d := texture.Desc{Format: "R8G8B8A8_UNORM", Dim: c.dim, Width: 64, Height: 64, Levels: c.levels}, texture.ViewDesc{Dim: c.dim, Layers: 1}
			switch c.dim {
			case ir.DimCube:
				of.Dim, of.Layers, d.Layers = ir.Dim2D, 6, 6
			case ir.Dim1D:
				of.Height = 0
			case ir.Dim3D:
				of.Depth = 64
			}
			m, err := texture.NewImage(of)
			if err != nil {
				b.Fatal(err)
			}
			v, err := texture.NewView(m, d)
			if err != nil {
				b.Fatal(err)
			}
			s, _ := texture.NewSampler(c.d)
			x := ir.Texture{Op: ir.TextureSample, Dim: c.dim, Type: ir.F32, Operands: c.with}
			var whole, null float64
			for b.Loop() {
				whole = variant(b, x, []texture.Bound{{}, {}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}})
				null = variant(b, x, nil)
			}
			b.ReportMetric(whole, "cpu-ms/program")
			b.ReportMetric(whole-null, "cpu-ms/sampler")
		})
	}
}

// variant returns the processor time of compiling a program for bound descriptors, in milliseconds: the median
// of fifty runs.
func variant(b *testing.B, x ir.Texture, bound []texture.Bound) float64 {
	var times []time.Duration
	for range 50 {
		begin := cputime.Now()
		q, err := texture.Bind(program(x, -1), bound)
		if err != nil {
			b.Fatal(err)
		}
		pass.Run(q)
		run, err := jit.Engine{}.Compile(q, exec.Options{})
		if err != nil {
			b.Skip(err)
		}
		run.Close()
		times = append(times, cputime.Now()-begin)
	}
	slices.Sort(times)
	return times[len(times)/2].Seconds() * 1000
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
