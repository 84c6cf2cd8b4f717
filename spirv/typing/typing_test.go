package typing

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestTotal checks that every instruction of the four chapters has a row or a
// form, or is in the list of untyped ones, that no other has a row, and that rows
// have the grammar's operands.
func TestTotal(t *testing.T) {
	rows := spirv.Ops()
	for i := range rows {
		op := spirv.Op(rows[i].Value())
		r, ok := table[op]
		switch op.Class() {
		case spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassRelationalAndLogical, spirv.ClassConversion:
			n := 0
			_, none := untyped[op]
			for _, is := range []bool{ok, has(op), none} {
				if is {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s: a row %v, a form %v, untyped %v; want one of them", op, ok, has(op), none)
			}
		default:
			if _, none := untyped[op]; ok || none {
				t.Errorf("%s stands in another chapter", op)
			}
		}
		if n := len(rows[i].Operands()) - 2; ok && n != len(r.Operands) {
			t.Errorf("%s: %d operands; the grammar has %d", op, len(r.Operands), n)
		}
	}
}

// TestMisfit has, for each kind of row, types that the specification allows
// and types that it forbids.
func TestMisfit(t *testing.T) {
	i32, u32, u16 := Shape{Int, 32, 1}, Shape{UInt, 32, 1}, Shape{UInt, 16, 1}
	f32, f16, b := Shape{Float, 32, 1}, Shape{Float, 16, 1}, Shape{Bool, 1, 1}
	vec := func(s Shape, n uint8) Shape { s.Count = n; return s }
	for _, c := range []struct {
		op     spirv.Op
		result Shape
		args   []Shape
		want   int
	}{
		{spirv.OpIAdd, i32, []Shape{u32, i32}, -1},
		{spirv.OpIAdd, i32, []Shape{u32, u16}, 2},
		{spirv.OpIAdd, f32, []Shape{f32, f32}, 0},
		{spirv.OpUDiv, u32, []Shape{u32, u32}, -1},
		{spirv.OpUDiv, i32, []Shape{i32, i32}, 0},
		{spirv.OpUDiv, u32, []Shape{u32, i32}, 2},
		{spirv.OpFAdd, vec(f32, 3), []Shape{vec(f32, 3), vec(f32, 3)}, -1},
		{spirv.OpFAdd, vec(f32, 3), []Shape{vec(f32, 3), f32}, 2},
		{spirv.OpFAdd, f32, []Shape{f16, f32}, 1},
		{spirv.OpShiftLeftLogical, i32, []Shape{u32, u16}, -1},
		{spirv.OpShiftLeftLogical, vec(i32, 2), []Shape{vec(u32, 2), u32}, 2},
		{spirv.OpBitFieldInsert, vec(u32, 2), []Shape{vec(u32, 2), vec(u32, 2), i32, u16}, -1},
		{spirv.OpBitFieldInsert, vec(u32, 2), []Shape{vec(u32, 2), vec(u32, 2), vec(i32, 2), u16}, 3},
		{spirv.OpAny, b, []Shape{vec(b, 4)}, -1},
		{spirv.OpAny, b, []Shape{b}, 1},
		{spirv.OpULessThan, b, []Shape{i32, u32}, -1},
		{spirv.OpULessThan, vec(b, 2), []Shape{i32, u32}, 1},
		{spirv.OpULessThan, b, []Shape{u32, u16}, 2},
		{spirv.OpFOrdEqual, b, []Shape{f32, f16}, 2},
		{spirv.OpFOrdEqual, vec(b, 2), []Shape{vec(f32, 2), vec(f32, 2)}, -1},
		{spirv.OpConvertFToU, u32, []Shape{f16}, -1},
		{spirv.OpConvertFToU, i32, []Shape{f16}, 0},
		{spirv.OpConvertSToF, vec(f32, 2), []Shape{vec(i32, 3)}, 1},
	} {
		r, ok := Of(c.op)
		if !ok {
			t.Fatalf("no row for %s", c.op)
		}
		if got := r.Misfit(c.result, c.args); got != c.want {
			t.Errorf("%s %v %v: misfit at %d; want %d", c.op, c.result, c.args, got, c.want)
		}
	}
}

// TestSpecConstant demands that package spirv's generated copy of the trait
// SpecConstant is up to date.
func TestSpecConstant(t *testing.T) {
	for op := range spirv.Op(0xffff) {
		if got, want := op.SpecConstant(), TraitsOf(op).Has(SpecConstant); got != want {
			t.Errorf("%s: spirv has %v, typing %v; run internal/gen/spirvgen", op, got, want)
		}
	}
}

func has(op spirv.Op) bool {
	_, ok := FormOf(op)
	return ok
}
