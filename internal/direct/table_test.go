package direct

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// evaluator computes, and checks that the operands of each operation match its row.
type evaluator struct{ t *testing.T }

func (e evaluator) Const(_ ir.Type, bits uint64) uint64 { return bits }

func (e evaluator) Make(op ir.Op, t, from ir.Type, x, y, z uint64) uint64 {
	r := op.Row()
	own := t
	if r.Sig[0] == 'b' {
		own = from
	}
	if !r.On.Has(own) {
		e.t.Errorf("%v of type %v", op, own)
	}
	v := r.Eval(ir.Key{Type: t, From: from}, x, y, z)
	if v&^t.Mask() != 0 {
		e.t.Errorf("%v.%v yields %#x", op, t, v)
	}
	return v
}

type operands = []Operand[uint64]

func b1(x uint64) Operand[uint64]  { return Operand[uint64]{x, ir.B1} }
func i8(x int8) Operand[uint64]    { return Operand[uint64]{uint64(uint8(x)), ir.I8} }
func i16(x int16) Operand[uint64]  { return Operand[uint64]{uint64(uint16(x)), ir.I16} }
func i32(x int32) Operand[uint64]  { return Operand[uint64]{uint64(uint32(x)), ir.I32} }
func i64(x int64) Operand[uint64]  { return Operand[uint64]{uint64(x), ir.I64} }
func f16(x uint16) Operand[uint64] { return Operand[uint64]{uint64(x), ir.F16} }
func f32(x float64) Operand[uint64] {
	return Operand[uint64]{uint64(math.Float32bits(float32(x))), ir.F32}
}

var nan = f32(math.NaN())

// TestApply: the values follow from the descriptions in SPIR-V §3.3.11 to
// §3.3.15.
func TestApply(t *testing.T) {
	yes, no := b1(1), b1(0)
	for _, c := range []struct {
		op   spirv.Op
		args operands
		want Operand[uint64]
	}{
		{spirv.OpSNegate, operands{i32(5)}, i32(-5)},
		{spirv.OpSNegate, operands{i8(-128)}, i8(-128)},
		{spirv.OpFNegate, operands{f32(0)}, f32(math.Copysign(0, -1))},
		{spirv.OpIAdd, operands{i16(32767), i16(1)}, i16(-32768)},
		{spirv.OpFAdd, operands{f32(1), f32(2)}, f32(3)},
		{spirv.OpISub, operands{i32(3), i32(5)}, i32(-2)},
		{spirv.OpFSub, operands{f32(3), f32(5)}, f32(-2)},
		{spirv.OpIMul, operands{i64(1 << 40), i64(1 << 40)}, i64(0)},
		{spirv.OpFMul, operands{f32(3), f32(5)}, f32(15)},
		{spirv.OpUDiv, operands{i32(-1), i32(2)}, i32(math.MaxInt32)},
		{spirv.OpSDiv, operands{i32(-7), i32(2)}, i32(-3)},
		{spirv.OpFDiv, operands{f32(1), f32(4)}, f32(0.25)},
		{spirv.OpUMod, operands{i32(-1), i32(10)}, i32(5)}, // 4294967295 mod 10
		{spirv.OpSRem, operands{i32(-7), i32(3)}, i32(-1)},
		{spirv.OpSMod, operands{i32(-7), i32(3)}, i32(2)},
		{spirv.OpFRem, operands{f32(-7), f32(3)}, f32(-1)},
		{spirv.OpFRem, operands{f32(5), f32(3)}, f32(2)},
		{spirv.OpFmaKHR, operands{f32(2), f32(3), f32(4)}, f32(10)},

		{spirv.OpShiftRightLogical, operands{i32(-8), i8(1)}, i32(0x7ffffffc)},
		{spirv.OpShiftRightArithmetic, operands{i32(-8), i64(1)}, i32(-4)},
		{spirv.OpShiftLeftLogical, operands{i64(1), i32(40)}, i64(1 << 40)},
		{spirv.OpBitwiseOr, operands{i32(12), i32(10)}, i32(14)},
		{spirv.OpBitwiseXor, operands{i32(12), i32(10)}, i32(6)},
		{spirv.OpBitwiseAnd, operands{i32(12), i32(10)}, i32(8)},
		{spirv.OpNot, operands{i8(0)}, i8(-1)},
		{spirv.OpBitFieldSExtract, operands{i32(0x0f0), i32(4), i32(4)}, i32(-1)},
		{spirv.OpBitFieldUExtract, operands{i32(0x0f0), i8(4), i64(4)}, i32(15)},
		{spirv.OpBitReverse, operands{i32(1)}, i32(math.MinInt32)},
		{spirv.OpBitCount, operands{i64(-1)}, i32(64)},
		{spirv.OpBitCount, operands{i8(7)}, i32(3)},

		{spirv.OpLogicalEqual, operands{yes, yes}, yes},
		{spirv.OpLogicalEqual, operands{yes, no}, no},
		{spirv.OpLogicalNotEqual, operands{yes, no}, yes},
		{spirv.OpLogicalOr, operands{no, yes}, yes},
		{spirv.OpLogicalAnd, operands{no, yes}, no},
		{spirv.OpLogicalNot, operands{no}, yes},
		{spirv.OpSelect, operands{yes, f32(1), f32(2)}, f32(1)},
		{spirv.OpSelect, operands{no, b1(0), b1(1)}, b1(1)},

		{spirv.OpIEqual, operands{i32(1), i32(1)}, yes},
		{spirv.OpINotEqual, operands{i32(1), i32(1)}, no},

		{spirv.OpConvertFToU, operands{f32(3.9)}, i8(3)},
		{spirv.OpConvertFToS, operands{f32(-3.9)}, i64(-3)},
		{spirv.OpConvertSToF, operands{i8(-3)}, f32(-3)},
		{spirv.OpConvertUToF, operands{i8(-3)}, f32(253)},
		{spirv.OpUConvert, operands{i8(-3)}, i32(253)},
		{spirv.OpUConvert, operands{i32(0x1234)}, i8(0x34)},
		{spirv.OpUConvert, operands{i32(7)}, i32(7)},
		{spirv.OpSConvert, operands{i8(-3)}, i32(-3)},
		{spirv.OpSConvert, operands{i64(-3)}, i32(-3)},
		{spirv.OpFConvert, operands{f32(1.5)}, f16(0x3e00)},
		{spirv.OpFConvert, operands{f16(0x3e00)}, f32(1.5)},
		{spirv.OpBitcast, operands{f32(1)}, i32(0x3f800000)},
		{spirv.OpBitcast, operands{i16(0x3e00)}, f16(0x3e00)},
	} {
		row, ok := Lookup(c.op)
		if !ok {
			t.Errorf("%v has no row", c.op)
			continue
		}
		got, ok := Apply(evaluator{t}, row, c.want.Type, c.args...)
		if !ok || got != c.want.Value {
			t.Errorf("%v %v: %#x %v, want %#x", c.op, c.args, got, ok, c.want.Value)
		}
	}
}

// TestCompare: each comparison for less, equal, greater and, of floats, for
// operands of which one is a NaN.
func TestCompare(t *testing.T) {
	ints := []operands{{i32(1), i32(2)}, {i32(2), i32(2)}, {i32(2), i32(1)}, {i32(-1), i32(1)}, {i32(1), i32(-1)}}
	floats := []operands{{f32(1), f32(2)}, {f32(2), f32(2)}, {f32(2), f32(1)}, {nan, f32(1)}, {f32(1), nan}, {nan, nan}}
	for _, c := range []struct {
		op   spirv.Op
		args []operands
		want string // 1 for true
	}{
		{spirv.OpULessThan, ints, "10001"},
		{spirv.OpSLessThan, ints, "10010"},
		{spirv.OpULessThanEqual, ints, "11001"},
		{spirv.OpSLessThanEqual, ints, "11010"},
		{spirv.OpUGreaterThan, ints, "00110"},
		{spirv.OpSGreaterThan, ints, "00101"},
		{spirv.OpUGreaterThanEqual, ints, "01110"},
		{spirv.OpSGreaterThanEqual, ints, "01101"},
		{spirv.OpFOrdEqual, floats, "010000"},
		{spirv.OpFUnordEqual, floats, "010111"},
		{spirv.OpFOrdNotEqual, floats, "101000"},
		{spirv.OpLessOrGreater, floats, "101000"},
		{spirv.OpFUnordNotEqual, floats, "101111"},
		{spirv.OpFOrdLessThan, floats, "100000"},
		{spirv.OpFUnordLessThan, floats, "100111"},
		{spirv.OpFOrdGreaterThan, floats, "001000"},
		{spirv.OpFUnordGreaterThan, floats, "001111"},
		{spirv.OpFOrdLessThanEqual, floats, "110000"},
		{spirv.OpFUnordLessThanEqual, floats, "110111"},
		{spirv.OpFOrdGreaterThanEqual, floats, "011000"},
		{spirv.OpFUnordGreaterThanEqual, floats, "011111"},
		{spirv.OpOrdered, floats, "111000"},
		{spirv.OpUnordered, floats, "000111"},
		{spirv.OpIsNan, []operands{{f32(1)}, {nan}, {f32(math.Inf(1))}}, "010"},
	} {
		row, _ := Lookup(c.op)
		got := ""
		for _, args := range c.args {
			v, ok := Apply(evaluator{t}, row, ir.B1, args...)
			if !ok {
				t.Errorf("%v %v: not made", c.op, args)
			}
			got += string(rune('0' + v))
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.op, got, c.want)
		}
	}
}

func TestQuantize(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{1, 1},
		{1 + 0x1p-11, 1},                     // a tie goes to even
		{1 + 0x1p-11 + 0x1p-20, 1 + 0x1p-10}, // above the tie
		{0x1p-14, 0x1p-14},                   // the smallest normal number
		{0x1p-15, 0},                         // below it: zero
		{-0x1p-15, math.Copysign(0, -1)},     // of its sign
		{65504, 65504},
		{1e6, math.Inf(1)},
		{-1e6, math.Inf(-1)},
		{math.Inf(1), math.Inf(1)},
	} {
		got, ok := Quantize(evaluator{t}, ir.F32, f32(c.x))
		if want := f32(c.want).Value; !ok || got != want {
			t.Errorf("%g: %#x, want %#x", c.x, got, want)
		}
	}
	if v, _ := Quantize(evaluator{t}, ir.F32, nan); !math.IsNaN(float64(math.Float32frombits(uint32(v)))) {
		t.Errorf("NaN: %#x", v)
	}
	if _, ok := Quantize(evaluator{t}, ir.F64, f32(1)); ok {
		t.Error("made of type f64")
	}
}

// TestRefused: types that an operation is not defined on.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		op   spirv.Op
		t    ir.Type
		args operands
	}{
		{spirv.OpIAdd, ir.I32, operands{f32(1), f32(2)}},
		{spirv.OpIAdd, ir.F32, operands{i32(1), i32(2)}},
		{spirv.OpIAdd, ir.I32, operands{i32(1)}},
		{spirv.OpIAdd, ir.I32, nil},
		{spirv.OpIAdd, ir.I32, operands{i32(1), i32(1), i32(1), i32(1)}},
		{spirv.OpFAdd, ir.F32, operands{f32(1), f16(2)}},
		{spirv.OpFAdd, ir.None, operands{f32(1), f32(1)}},
		{spirv.OpIEqual, ir.I32, operands{i32(1), i32(1)}},
		{spirv.OpFOrdEqual, ir.B1, operands{i32(1), i32(1)}},
		{spirv.OpFOrdNotEqual, ir.B1, operands{f32(1)}},
		{spirv.OpIsNan, ir.B1, operands{i32(1)}},
		{spirv.OpSelect, ir.I32, operands{i32(1), i32(1), i32(1)}},
		{spirv.OpBitcast, ir.I64, operands{f32(1)}},
		{spirv.OpBitcast, ir.I32, operands{{0, ir.H}}},
		{spirv.OpConvertFToS, ir.I32, operands{i32(1)}},
		{spirv.OpConvertSToF, ir.F32, operands{f32(1)}},
		{spirv.OpUConvert, ir.I32, operands{b1(1)}},
		{spirv.OpUConvert, ir.F32, operands{i32(1)}},
		{spirv.OpFConvert, ir.F32, operands{i32(1)}},
		{spirv.OpLogicalNot, ir.B1, operands{{0, ir.H}}},
	} {
		row, _ := Lookup(c.op)
		if v, ok := Apply(evaluator{t}, row, c.t, c.args...); ok {
			t.Errorf("%v.%v %v: %#x, must not be made", c.op, c.t, c.args, v)
		}
	}
}

// TestTotal: each instruction of the chapters that the table covers has a row,
// or a reason for having none.
func TestTotal(t *testing.T) {
	without := map[spirv.Op]string{}
	list := func(why string, ops ...spirv.Op) {
		for _, op := range ops {
			without[op] = why
		}
	}
	list("more than one operation", spirv.OpFMod, spirv.OpBitFieldInsert, spirv.OpIsInf, spirv.OpIsFinite,
		spirv.OpIsNormal, spirv.OpSignBitSet, spirv.OpQuantizeToF16, spirv.OpSatConvertSToU, spirv.OpSatConvertUToS)
	list("not of each component alone", spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar, spirv.OpVectorTimesMatrix,
		spirv.OpMatrixTimesVector, spirv.OpMatrixTimesMatrix, spirv.OpOuterProduct, spirv.OpDot, spirv.OpAny, spirv.OpAll,
		spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat)
	list("two results", spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended)
	list("pointers", spirv.OpConvertPtrToU, spirv.OpConvertUToPtr, spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr,
		spirv.OpGenericCastToPtrExplicit, spirv.OpConvertUToAccelerationStructureKHR)
	list("of extensions that no lane computes alone, or that Chiaro does not have", spirv.OpBitcastExtractEXT,
		spirv.OpBitCastArrayQCOM, spirv.OpCooperativeMatrixMulAddKHR, spirv.OpCooperativeMatrixConvertUseEXT,
		spirv.OpCooperativeMatrixTransposeNV, spirv.OpConvertFToBF16INTEL, spirv.OpConvertBF16ToFINTEL,
		spirv.OpBitwiseFunctionINTEL, spirv.OpRoundFToTF32INTEL)
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		switch op.Class() {
		case spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassRelationalAndLogical, spirv.ClassConversion:
		default:
			continue
		}
		_, has := Lookup(op)
		why, hasNot := without[op]
		switch {
		case has && hasNot:
			t.Errorf("%v has a row, and none: %s", op, why)
		case !has && !hasNot && len(r.Extensions()) == 0:
			t.Errorf("%v has no row", op)
		}
	}
	for op, r := range table {
		if r.Op.Row().Eval == nil {
			t.Errorf("%v: %v has no value", op, r.Op)
		}
	}
}
