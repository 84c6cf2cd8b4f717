package compute_test

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// samples is a program that stores what sampling an image at (lane, 0) gives.
func samples() *ir.Program {
	p := &ir.Program{Name: "samples", SubgroupSize: 16, LocalSize: [3]uint32{16, 1, 1},
		In: []ir.Input{{Semantic: ir.LocalInvocationIdX, Type: ir.I32}},
		Res: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}, {Binding: 1, Kind: ir.Texels, Count: 1, NonWritable: true},
			{Binding: 1, Kind: ir.ImageShape, Count: 1, NonWritable: true}, {Binding: 1, Kind: ir.SamplerState, Count: 1, NonWritable: true}}}
	head := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Image: 1, Sampler: 3, Operands: ir.TextureLod}
	b := ir.NewFunc("main", nil, nil)
	x := b.OpAux(ir.In, ir.I32, 0)
	_, results := head.Signature()
	t := b.Call(1, results, b.I32(0), b.I32(0), b.Op(ir.UToF, ir.F32, x), b.Const(ir.F32, 0), b.Const(ir.F32, 0))
	h := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
	at := b.OpAux(ir.At, ir.I32, 16, b.I32(0), x)
	for i, v := range t {
		b.Emit(ir.Val{Op: ir.St, Type: ir.F32, Aux: uint64(4 * i), Args: [4]ir.V{h, at, v}})
	}
	p.Funcs = []*ir.Func{b.Finish(), ir.NewTexture("sample", head)}
	p.StateEffects()
	return p
}

// BenchmarkVariant compiles a pipeline for one more sampler, bilinear and repeating.
func BenchmarkVariant(b *testing.B) {
	if len(jit.Levels()) == 0 {
		b.Skip("no machine code on this machine")
	}
	m, err := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 256, Height: 256})
	if err != nil {
		b.Fatal(err)
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		b.Fatal(err)
	}
	s, err := texture.NewSampler(texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear})
	if err != nil {
		b.Fatal(err)
	}
	at := compute.Binding{Binding: 1}
	args := compute.Args{Images: map[compute.Binding][]*texture.View{at: {v}}, Samplers: map[compute.Binding][]*texture.Sampler{at: {s}}}
	p := samples()
	pass.Run(p)
	for b.Loop() {
		l, err := compute.NewPipeline(p, jit.Engine{}, exec.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Compile(context.Background(), args); err != nil {
			b.Fatal(err)
		}
		l.Close()
	}
}
