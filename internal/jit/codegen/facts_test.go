package codegen

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// calls returns a function that calls others.
func calls(callees ...int) *vcode.Func {
	f := &vcode.Func{Blocks: make([]vcode.Block, 1)}
	for _, c := range callees {
		f.Blocks[0].Insts = append(f.Blocks[0].Insts, vcode.Inst{Op: vcode.Call, Target: c})
	}
	return f
}

// TestDepth: the deepest chain is 0, 1, 3, though the longest is 0, 2, 4, 5.
func TestDepth(t *testing.T) {
	funcs := []*vcode.Func{calls(1, 2), calls(3), calls(4), calls(), calls(5), calls()}
	frames := []int64{64, 1 << 31, 8, 128, 8, 8}
	if got, want := Depth(funcs, func(i int) int64 { return frames[i] }), int64(64+1<<31+128); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestTable(t *testing.T) {
	add, sub := Rule{ir.Add, ir.I32, ir.I32}, Rule{ir.Sub, ir.I32, ir.I32}
	table := NewTable(map[Rule]string{add: "first"}, map[Rule]string{add: "second", sub: "second"})
	words := ir.Key{Type: ir.I32, From: ir.I32}
	for op, want := range map[ir.Op]string{ir.Add: "first", ir.Sub: "second", ir.Mul: ""} {
		if got := table.Of(op, words); got != want {
			t.Errorf("%s: %q, want %q", op, got, want)
		}
	}
}
