package texture_test

import (
	"context"
	"math/rand"
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// lanes is the number of calls of a texture function that a harness makes at once.
const lanes = 16

// call runs a texture function in every engine, with the arguments of each of n
// calls, and returns its results. Engines must agree in every bit.
func call(t testing.TB, x ir.Texture, v *texture.View, s *texture.Sampler, args [][]uint64) [][]uint64 {
	t.Helper()
	return callWith(t, x, v, nil, s, args)
}

// callWith is call with another image.
func callWith(t testing.TB, x ir.Texture, v, other *texture.View, s *texture.Sampler, args [][]uint64) [][]uint64 {
	t.Helper()
	p := program(x, len(args))
	bound := []texture.Bound{{}, {}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}, {Views: []*texture.View{other}}, {}}
	q, err := texture.Bind(p, bound)
	if err != nil {
		t.Fatal(err)
	}
	types, results := x.Signature()
	words := make([]uint64, max(len(args), 1)*max(len(types), 1))
	for i, list := range args {
		copy(words[i*len(types):], list)
	}
	var first [][]uint64
	for _, e := range engines() {
		out := make([]uint64, len(args)*max(len(results), 1))
		compiled, err := e.Compile(q, exec.Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", e.Name(), err, q)
		}
		job := &exec.Job{Groups: [3]uint32{uint32(len(args)+lanes-1) / lanes, 1, 1}, Workers: 1,
			Resources: [][]exec.Buffer{{{Bytes: raw(words)}}, {{Bytes: raw(out)}}, {v.Memory()}, {v.Shape()}, {s.State()}, {other.Memory()}, {other.Shape()}}}
		if err := compiled.Run(context.Background(), job); err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		compiled.Close()
		got := make([][]uint64, len(args))
		for i := range got {
			got[i] = out[i*len(results):][:len(results)]
		}
		if first == nil {
			first = got
		} else if !slices.EqualFunc(got, first, slices.Equal[[]uint64]) {
			t.Fatalf("%s: %x\ninterp: %x\n%s", e.Name(), got, first, q)
		}
	}
	return first
}

func engines() []exec.Engine {
	list := []exec.Engine{interp.Engine{}}
	for _, l := range jit.Levels() {
		list = append(list, jit.Engine{Level: l})
	}
	return list
}

func raw(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// program calls x once in each of n invocations: its arguments are words of 64
// bits of resource 0, and its results become such words of resource 1.
func program(x ir.Texture, n int) *ir.Program {
	x.Image = 2
	if x.Sampler >= 0 {
		x.Sampler = 4
	}
	if x.HasOther() {
		x.Other = 5
	}
	p := &ir.Program{Name: "call", SubgroupSize: lanes, LocalSize: [3]uint32{lanes, 1, 1},
		In: []ir.Input{{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}},
		Res: []ir.Resource{{Count: 1}, {Count: 1, Binding: 1}, {Count: 1, Binding: 2, Kind: ir.Texels}, {Count: 1, Binding: 2, Kind: ir.ImageShape, NonWritable: true},
			{Count: 1, Binding: 4, Kind: ir.SamplerState, NonWritable: true},
			{Count: 1, Binding: 5, Kind: ir.Texels}, {Count: 1, Binding: 5, Kind: ir.ImageShape, NonWritable: true}}}
	args, results := x.Signature()
	b := ir.NewFunc("main", nil, nil)
	i := b.OpAux(ir.In, ir.I32, 0)
	if n >= 0 {
		b.If(b.Cmp(ir.ULt, i, b.I32(uint32(n))))
	}
	in, out := b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.Res, ir.H, 1, b.I32(0))
	at := b.OpAux(ir.At, ir.I32, uint64(8*len(args)), b.I32(0), i)
	list := make([]ir.V, len(args))
	for k, t := range args {
		list[k] = b.OpAux(ir.Ld, t, uint64(8*k), in, at)
	}
	at = b.OpAux(ir.At, ir.I32, uint64(8*len(results)), b.I32(0), i)
	for k, v := range b.Call(1, results, list...) {
		b.Emit(ir.Val{Op: ir.St, Type: results[k], Args: [4]ir.V{out, at, v}, Aux: uint64(8 * k)})
	}
	if n >= 0 {
		b.End()
	}
	b.Return()
	p.Funcs = []*ir.Func{b.Finish(), ir.NewTexture("texture", x)}
	p.StateEffects()
	return p
}

// fill fills an image with random texels.
func fill(m *texture.Image, r *rand.Rand) {
	for l := range m.Levels {
		_, _, depth := m.LevelExtent(l)
		for n := range depth * m.Layers {
			for _, a := range m.Aspects() {
				for y := 0; ; y++ {
					row := m.TexelRow(texture.Coord{Y: y, Z: n % depth, Layer: n / depth, Level: l, Aspect: a})
					if row == nil {
						break
					}
					r.Read(row)
				}
			}
		}
	}
}
