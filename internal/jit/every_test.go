package jit_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestEvery requires that every is false or its operand, in each lane: for a relation of strided values, for a varying condition, for lanes
// that diverge, and in a loop that lanes leave in different iterations.
func TestEvery(t *testing.T) { eachLevel(t, testEvery) }

const everyPrograms = 6

func testEvery(t *testing.T, engine jit.Engine) {
	random := rand.New(rand.NewPCG(7, 8))
	for form := range everyPrograms {
		prog, err := engine.Compile(everyProgram(form), exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer prog.Close()
		chosen := 0
		for range 200 {
			bound := uint32(random.IntN(80))
			if random.IntN(8) == 0 {
				bound = []uint32{0, 1<<32 - 1, 1 << 31}[random.IntN(3)]
			}
			start := []uint32{0, uint32(random.IntN(40)), -uint32(random.IntN(40))}[random.IntN(3)]
			got := make([]byte, 8*regionLanes)
			in := make([]byte, 8)
			binary.LittleEndian.PutUint32(in, bound)
			binary.LittleEndian.PutUint32(in[4:], start)
			job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: in}}, {{Bytes: got}}}}
			if err := prog.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
			for k := range regionLanes {
				is, every := binary.LittleEndian.Uint32(got[8*k:]), binary.LittleEndian.Uint32(got[8*k+4:])
				if every > is {
					t.Fatalf("form %d, from %d, bound %d: every is 1 in lane %d, and its operand is 0", form, start, bound, k)
				}
				chosen += int(every)
			}
		}
		if chosen == 0 {
			t.Errorf("form %d: every is never 1", form)
		}
	}
}

// everyProgram stores a condition and every of it, for each lane.
func everyProgram(form int) *ir.Program {
	b := ir.NewFunc("main", nil, nil)
	in, out := b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.Res, ir.H, 1, b.I32(0))
	bound, start := b.OpAux(ir.Ld, ir.I32, 0, in, b.I32(0)), b.OpAux(ir.Ld, ir.I32, 4, in, b.I32(0))
	lane := b.OpAux(ir.In, ir.I32, 0)
	index := b.Op(ir.Add, ir.I32, start, lane)
	at := b.Op(ir.Shl, ir.I32, lane, b.I32(3))
	store := func(c ir.V) {
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, b.Op(ir.ZExt, ir.I32, c)}})
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, b.Op(ir.ZExt, ir.I32, b.Op(ir.Every, ir.B1, c))}, Aux: 4})
	}
	switch form {
	case 0:
		store(b.Cmp(ir.ULt, index, bound))
	case 1: // varying
		store(b.Cmp(ir.ULt, b.Op(ir.Xor, ir.I32, index, b.I32(5)), bound))
	case 2: // some lanes
		b.If(b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, lane, b.I32(3)), b.I32(1)))
		store(b.Cmp(ir.ULt, index, bound))
		b.End()
	case 3: // a value of each lane's last iteration
		done := b.Block(ir.B1, ir.B1)
		loop := b.Loop(b.I32(0))
		i := b.Param(loop, 0)
		c := b.Cmp(ir.ULt, b.Op(ir.Add, ir.I32, index, i), bound)
		e := b.Op(ir.Every, ir.B1, c)
		b.If(b.Cmp(ir.ULe, lane, i))
		b.Br(done, c, e)
		b.End()
		b.Br(loop, b.Op(ir.Add, ir.I32, i, b.I32(1)))
		b.End()
		b.End()
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, b.Op(ir.ZExt, ir.I32, b.Param(done, 0))}})
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, b.Op(ir.ZExt, ir.I32, b.Param(done, 1))}, Aux: 4})
	case 4, 5: // the same, without a parameter for every; of one lane's condition in each iteration
		done := b.Block(ir.I32)
		loop := b.Loop(b.I32(0))
		i := b.Param(loop, 0)
		low := index
		if form == 5 {
			low = start
		}
		c := b.Cmp(ir.ULt, b.Op(ir.Add, ir.I32, low, i), bound)
		e := b.Op(ir.Every, ir.B1, c)
		word := b.Op(ir.ZExt, ir.I32, c)
		b.If(b.Cmp(ir.ULe, lane, i))
		b.Br(done, word)
		b.End()
		b.Br(loop, b.Op(ir.Add, ir.I32, i, b.I32(1)))
		b.End()
		b.End()
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, b.Param(done, 0)}})
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, b.Op(ir.ZExt, ir.I32, e)}, Aux: 4})
	}
	b.Return()
	return ofLanes("every", b.Finish())
}
