package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// narrowTypes are the integers in the low bits of a 32-bit lane.
var narrowTypes = [...]ir.Type{ir.I8, ir.I16}

// integers are the rules of arithmetic, logic and comparisons of integers of 8, 16 and 64 bits.
// Narrow operations compute in 32-bit lanes although VPADDW has 32 lanes of 16 bits: a value of any
// type occupies one 32-bit lane per invocation, so that masks, selects and conversions need no
// shuffle of lanes.
func integers() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{
		{ir.Add, ir.I64, ir.I64}:       pair(VPADDQ),
		{ir.Sub, ir.I64, ir.I64}:       pair(VPSUBQ),
		{ir.Mul, ir.I64, ir.I64}:       pair(VPMULLQ),
		{ir.And, ir.I64, ir.I64}:       pair(VPANDQ),
		{ir.Or, ir.I64, ir.I64}:        pair(VPORQ),
		{ir.Xor, ir.I64, ir.I64}:       pair(VPXORQ),
		{ir.UMin, ir.I64, ir.I64}:      pair(VPMINUQ),
		{ir.UMax, ir.I64, ir.I64}:      pair(VPMAXUQ),
		{ir.SMin, ir.I64, ir.I64}:      pair(VPMINSQ),
		{ir.SMax, ir.I64, ir.I64}:      pair(VPMAXSQ),
		{ir.Not, ir.I64, ir.I64}:       pairWord(VPXORQ, 1<<64-1),
		{ir.SAbs, ir.I64, ir.I64}:      lanewise(ir.I64, plain, absolute),
		{ir.Shl, ir.I64, ir.I64}:       lanewise(ir.I64, plain, shiftBy(VPSLLVD, VPSLLVQ)),
		{ir.LShr, ir.I64, ir.I64}:      lanewise(ir.I64, plain, shiftBy(VPSRLVD, VPSRLVQ)),
		{ir.AShr, ir.I64, ir.I64}:      lanewise(ir.I64, plain, shiftBy(VPSRAVD, VPSRAVQ)),
		{ir.UMulHi, ir.I64, ir.I64}:    lanewise(ir.I64, plain, multiplyHighWide),
		{ir.SMulHi, ir.I64, ir.I64}:    lanewise(ir.I64, plain, multiplyHighSigned),
		{ir.AddCarry, ir.I64, ir.I64}:  lanewise(ir.I64, plain, carryOf),
		{ir.SubBorrow, ir.I64, ir.I64}: lanewise(ir.I64, plain, borrowOf),

		{ir.Eq, ir.B1, ir.I64}:  comparison(ir.I64, plain, VPCMPUQ, compareEQ),
		{ir.ULt, ir.B1, ir.I64}: comparison(ir.I64, plain, VPCMPUQ, compareLT),
		{ir.ULe, ir.B1, ir.I64}: comparison(ir.I64, plain, VPCMPUQ, compareLE),
		{ir.SLt, ir.B1, ir.I64}: comparison(ir.I64, plain, VPCMPQ, compareLT),
		{ir.SLe, ir.B1, ir.I64}: comparison(ir.I64, plain, VPCMPQ, compareLE),
	}
	for _, t := range narrowTypes {
		mask := uint32(elementOf(t).mask())
		r[codegen.Rule{ir.Add, t, t}] = lanewise(t, truncated, direct(VPADDD, VPADDQ))
		r[codegen.Rule{ir.Sub, t, t}] = lanewise(t, truncated, direct(VPSUBD, VPSUBQ))
		r[codegen.Rule{ir.Mul, t, t}] = lanewise(t, truncated, direct(VPMULLD, VPMULLQ))
		r[codegen.Rule{ir.And, t, t}] = commutativeOp(VPANDD)
		r[codegen.Rule{ir.Or, t, t}] = commutativeOp(VPORD)
		r[codegen.Rule{ir.Xor, t, t}] = commutativeOp(VPXORD)
		r[codegen.Rule{ir.Not, t, t}] = constOp(VPXORD, mask)
		r[codegen.Rule{ir.UMin, t, t}] = commutativeOp(VPMINUD)
		r[codegen.Rule{ir.UMax, t, t}] = commutativeOp(VPMAXUD)
		r[codegen.Rule{ir.SMin, t, t}] = lanewise(t, signExtended|truncated, direct(VPMINSD, VPMINSQ))
		r[codegen.Rule{ir.SMax, t, t}] = lanewise(t, signExtended|truncated, direct(VPMAXSD, VPMAXSQ))
		r[codegen.Rule{ir.SAbs, t, t}] = lanewise(t, signExtended|truncated, absolute)
		r[codegen.Rule{ir.Shl, t, t}] = lanewise(t, truncated, shiftBy(VPSLLVD, VPSLLVQ))
		r[codegen.Rule{ir.LShr, t, t}] = lanewise(t, plain, shiftBy(VPSRLVD, VPSRLVQ))
		r[codegen.Rule{ir.AShr, t, t}] = lanewise(t, signExtended|truncated, shiftBy(VPSRAVD, VPSRAVQ))
		r[codegen.Rule{ir.UMulHi, t, t}] = lanewise(t, plain, multiplyShift(VPSRLD))
		r[codegen.Rule{ir.SMulHi, t, t}] = lanewise(t, signExtended|truncated, multiplyShift(VPSRAD))
		r[codegen.Rule{ir.AddCarry, t, t}] = lanewise(t, plain, carryNarrow)
		r[codegen.Rule{ir.SubBorrow, t, t}] = lanewise(t, plain, borrowOf)
		r[codegen.Rule{ir.SLt, ir.B1, t}] = comparison(t, signExtended, VPCMPD, compareLT)
		r[codegen.Rule{ir.SLe, ir.B1, t}] = comparison(t, signExtended, VPCMPD, compareLE)
	}
	return r
}

// The least integer is its own absolute value, modulo 2ⁿ.
func absolute(m *machine, in *vcode.Inst, e element) {
	m.RR(e.op(VPABSD, VPABSQ), V512, 0, 0, 0, 0)
}

// shiftBy shifts by the count modulo the width. The processor yields 0 or the sign for counts from
// the lane width on; the IR defines the count modulo the width.
func shiftBy(narrow, wide Op) body {
	return func(m *machine, in *vcode.Inst, e element) {
		m.word(e, e.op(VPANDD, VPANDQ), 1, 1, uint64(e.bits-1), 0)
		m.RR(e.op(narrow, wide), V512, 0, 0, 1, 0)
	}
}

// multiplyShift is the high half of a product that fits in 32 bits. 8 or 16 bits: the product has at
// most 32, and a shift by the width leaves the high half.
func multiplyShift(shift Op) body {
	return func(m *machine, in *vcode.Inst, e element) {
		m.RR(VPMULLD, V512, 0, 0, 1, 0)
		m.RRI(shift, V512, 0, 0, 0, uint8(e.bits), 0)
	}
}

// multiplyHighWide is the high half of an unsigned 64-bit product, from 32-bit halves h and l of each
// operand (schoolbook multiplication, Warren, Hacker's Delight, 8-2): hh + (hl + ll>>32)>>32 + (lh +
// (hl + ll>>32) mod 2³²)>>32. It preserves Z1 and leaves the first operand in Z7.
func multiplyHighWide(m *machine, in *vcode.Inst, e element) {
	m.moveVec(7, 0)
	m.RRI(VPSRLQ, V512, 2, 0, 0, 32, 0)
	m.RRI(VPSRLQ, V512, 3, 0, 1, 32, 0)
	m.RR(VPMULUDQ, V512, 4, 0, 1, 0) // ll
	m.RR(VPMULUDQ, V512, 5, 2, 1, 0) // hl
	m.RR(VPMULUDQ, V512, 6, 0, 3, 0) // lh
	m.RR(VPMULUDQ, V512, 0, 2, 3, 0) // hh
	m.RRI(VPSRLQ, V512, 4, 0, 4, 32, 0)
	// hl + ll>>32 does not overflow: (2³²−1)² + 2³²−1 < 2⁶⁴.
	m.RR(VPADDQ, V512, 5, 5, 4, 0)
	m.word(e, VPANDQ, 4, 5, 0xffffffff, 0)
	m.RR(VPADDQ, V512, 6, 6, 4, 0)
	m.RRI(VPSRLQ, V512, 5, 0, 5, 32, 0)
	m.RRI(VPSRLQ, V512, 6, 0, 6, 32, 0)
	m.RR(VPADDQ, V512, 0, 0, 5, 0)
	m.RR(VPADDQ, V512, 0, 0, 6, 0)
}

// multiplyHighSigned subtracts from the unsigned product each operand if the other is negative
// (Hacker's Delight, 8-3). A negative operand is its unsigned reading minus 2⁶⁴, so that the product
// loses the other operand in its upper half.
func multiplyHighSigned(m *machine, in *vcode.Inst, e element) {
	multiplyHighWide(m, in, e)
	// All ones if the first operand is negative; and yields the other operand or 0.
	m.RRI(VPSRAQ, V512, 2, 0, 7, 63, 0)
	m.RRI(VPSRAQ, V512, 3, 0, 1, 63, 0)
	m.RR(VPANDQ, V512, 2, 2, 1, 0)
	m.RR(VPANDQ, V512, 3, 3, 7, 0)
	m.RR(VPSUBQ, V512, 0, 0, 2, 0)
	m.RR(VPSUBQ, V512, 0, 0, 3, 0)
}

// carryOf is 1 if the sum is less than an operand.
func carryOf(m *machine, in *vcode.Inst, e element) {
	m.RR(e.op(VPADDD, VPADDQ), V512, 0, 0, 1, 0)
	borrowOf(m, in, e)
}

// The operands are zero-extended, so that the carry is the bit above the type.
func carryNarrow(m *machine, in *vcode.Inst, e element) {
	m.RR(VPADDD, V512, 0, 0, 1, 0)
	m.RRI(VPSRLD, V512, 0, 0, 0, uint8(e.bits), 0)
}

// borrowOf is 1 if Z0 < Z1. The zeroing broadcast of the constant 1 turns the mask into numbers
// without another register.
func borrowOf(m *machine, in *vcode.Inst, e element) {
	m.RRI(e.op(VPCMPUD, VPCMPUQ), V512, 2, 0, 1, compareLT, 0)
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, 0, 0, m.constant(e, 1), K(2)|Z)
}
