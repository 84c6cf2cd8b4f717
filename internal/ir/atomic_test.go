package ir_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestReplacement checks the value that each atomic stores; every atomic has a case.
func TestReplacement(t *testing.T) {
	const minusOne = 0xffff_ffff
	i32, f32 := ir.Key{Type: ir.I32, From: ir.H}, ir.Key{Type: ir.F32, From: ir.H}
	want := map[ir.Op]struct {
		k                          ir.Key
		old, operand, compare, new uint64
	}{
		ir.AtomXchg:    {i32, 1, 2, 0, 2},
		ir.AtomCmpXchg: {i32, 1, 2, 1, 2},
		ir.AtomAdd:     {i32, minusOne, 2, 0, 1},
		ir.AtomSMin:    {i32, minusOne, 2, 0, minusOne},
		ir.AtomSMax:    {i32, minusOne, 2, 0, 2},
		ir.AtomUMin:    {i32, minusOne, 2, 0, 2},
		ir.AtomUMax:    {i32, minusOne, 2, 0, minusOne},
		ir.AtomAnd:     {i32, 6, 3, 0, 2},
		ir.AtomOr:      {i32, 6, 3, 0, 7},
		ir.AtomXor:     {i32, 6, 3, 0, 5},
		ir.AtomFAdd:    {f32, 0xffc0_1234, 0x3f80_0000, 0, 0x7fc0_0000}, // NaN + 1
		ir.AtomFMin:    {f32, 0x7fc0_0000, 0x3f80_0000, 0, 0x3f80_0000}, // a NaN loses
		ir.AtomFMax:    {f32, 0x8000_0000, 0, 0, 0},                     // −0 < +0
	}
	for o := ir.Const; o.String() != "op?"; o++ {
		if c, ok := want[o]; ok != (o.Family() == ir.Atomics) {
			t.Errorf("%s: in the table %v, an atomic %v", o, ok, o.Family() == ir.Atomics)
		} else if got := uint64(0); ok {
			if got = ir.Replacement(o, c.k, c.old, c.operand, c.compare); got != c.new {
				t.Errorf("%s of %#x and %#x stores %#x; want %#x", o, c.old, c.operand, got, c.new)
			}
		}
	}
	ftz := ir.Key{Type: ir.F32, From: ir.H, Flags: ir.FTZ}
	for _, c := range [...]struct{ old, operand, sum, flushed uint64 }{
		{1, 1, 2, 0},
		{0x8000_0001, 0x8000_0001, 0x8000_0002, 0x8000_0000},
		{0x0080_0000, 0x007f_ffff, 0x00ff_ffff, 0x0080_0000}, // the operand is 0
		{0x007f_ffff, 0x0080_0000, 0x00ff_ffff, 0x0080_0000}, // the old value is 0
		{0x0080_0000, 0x8080_0001, 0x8000_0001, 0x8000_0000}, // the sum is −0
		{0x0080_0001, 0x8080_0000, 0x0000_0001, 0},
		{0x8000_0001, 0, 0x8000_0001, 0},
		{0x3f80_0000, 0x3f80_0000, 0x4000_0000, 0x4000_0000},
		{0xffc0_1234, 0x0000_0001, 0x7fc0_0000, 0x7fc0_0000},
	} {
		sum, flushed := ir.Replacement(ir.AtomFAdd, f32, c.old, c.operand, 0), ir.Replacement(ir.AtomFAdd, ftz, c.old, c.operand, 0)
		if sum != c.sum || flushed != c.flushed {
			t.Errorf("atomfadd of %#x and %#x stores %#x, with FTZ %#x; want %#x, %#x", c.old, c.operand, sum, flushed, c.sum, c.flushed)
		}
	}
	if got := ir.Replacement(ir.AtomCmpXchg, i32, 1, 2, 3); got != 1 {
		t.Errorf("atomcmpxchg that does not match stores %d; want the old value, 1", got)
	}
}
