package pass

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// large makes a program of about n operations: variables, loads, tests and
// loops in sequence, or in one nest if deep is set.
func large(n int, deep bool) *ir.Program {
	p := &ir.Program{Name: "large", SubgroupSize: 16, LocalSize: [3]uint32{16, 1, 1}}
	p.In = []ir.Input{{Semantic: ir.GlobalInvocationIdX, Type: ir.I32}}
	p.Res = []ir.Resource{{Count: 1}, {Binding: 1, Count: 1}}
	b := ir.NewFunc("main", nil, nil)
	var ends int
	for i := 0; len(b.Func.Code) < n; i++ {
		if i%8 == 0 {
			p.Vars = append(p.Vars, ir.Var{Name: "v", Slots: 4})
		}
		v := uint64(i / 8)
		id := b.OpAux(ir.In, ir.I32, 0)
		h := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
		x := b.OpAux(ir.Ld, ir.F32, uint64(i), h, b.OpAux(ir.At, ir.I32, 4, b.I32(0), id))
		old := b.OpAux(ir.PLd, ir.F32, v, b.I32(1))
		y := b.Op(ir.FMul, ir.F32, b.Op(ir.FAdd, ir.F32, x, old), x)
		b.OpAux(ir.PSt, ir.F32, v, b.I32(uint32(i%4)), y)
		b.If(b.Cmp(ir.ULt, id, b.I32(uint32(i))))
		b.OpAux(ir.PSt, ir.F32, v, b.I32(1), b.Op(ir.FSub, ir.F32, x, y))
		b.Else()
		b.OpAux(ir.PSt, ir.F32, v, b.I32(2), x)
		b.End()
		out := b.Block()
		loop := b.Loop(b.I32(0))
		count := b.Param(loop, 0)
		b.If(b.Cmp(ir.ULe, id, count))
		b.Br(out)
		b.End()
		b.OpAux(ir.PSt, ir.F32, v, b.I32(0), b.Op(ir.FAdd, ir.F32, b.OpAux(ir.PLd, ir.F32, v, b.I32(0)), y))
		b.Br(loop, b.Op(ir.Add, ir.I32, count, b.I32(3)))
		b.End()
		b.End()
		if deep {
			b.If(b.Cmp(ir.ULt, b.I32(uint32(i)), id))
			ends++
		}
		b.OpAux(ir.St, ir.F32, 0, b.OpAux(ir.Res, ir.H, 1, b.I32(0)), b.OpAux(ir.At, ir.I32, 4, b.I32(uint32(4*i)), id), b.Op(ir.FCanon, ir.F32, b.OpAux(ir.PLd, ir.F32, v, b.I32(0))))
	}
	for range ends {
		b.End()
	}
	p.Funcs = []*ir.Func{b.Finish()}
	p.StateEffects()
	return p
}

// BenchmarkPass measures each pass at its position in the order. The unit is
// nanoseconds per operation of the program before the first pass.
func BenchmarkPass(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
		deep bool
	}{{"3k", 3_000, false}, {"30k", 30_000, false}, {"30kdeep", 30_000, true}} {
		for i := range Passes {
			b.Run(size.name+"/"+Passes[i].Name, func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					p := large(size.n, size.deep)
					for _, x := range Passes[:i] {
						x.Run(p)
					}
					b.StartTimer()
					Passes[i].Run(p)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.n), "ns/operation")
			})
		}
		b.Run(size.name+"/all", func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				p := large(size.n, size.deep)
				b.StartTimer()
				Run(p)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.n), "ns/operation")
		})
	}
}

// TestNest promotes variables in a deep nest of ifs. Each if would need all of them
// as parameters; mem2reg limits that.
func TestNest(t *testing.T) {
	for _, depth := range []int{100, 3000} {
		p := &ir.Program{Name: "nest", SubgroupSize: 16, LocalSize: [3]uint32{16, 1, 1}, In: []ir.Input{{Semantic: ir.LocalInvocationIndex, Type: ir.I32}}}
		p.Res = []ir.Resource{{Count: 1}}
		p.Vars = []ir.Var{{Name: "v", Slots: 1000}}
		b := ir.NewFunc("main", nil, nil)
		id := b.OpAux(ir.In, ir.I32, 0)
		for i := range depth {
			b.If(b.Cmp(ir.ULt, id, b.I32(uint32(i))))
		}
		for i := range uint32(1000) {
			b.OpAux(ir.PSt, ir.I32, 0, b.I32(i), id)
		}
		for range depth {
			b.End()
		}
		h := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
		for i := range uint32(1000) {
			b.OpAux(ir.St, ir.I32, 0, h, b.I32(4*i), b.OpAux(ir.PLd, ir.I32, 0, b.I32(i)))
		}
		p.Funcs = []*ir.Func{b.Finish()}
		Run(p)
		if n := len(p.Funcs[0].Vals); n > 1<<20 {
			t.Errorf("%d ifs: %d values", depth, n)
		}
		if err := p.Verify(); err != nil {
			t.Error(err)
		}
	}
}
