package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Bits of floats.
const (
	sign64     = 1 << 63
	infinity64 = 0x7ff << 52
	nan64      = 0x7ff8 << 48
	nan32      = 0x7fc00000
	nan16      = 0x7e00
)

// Predicates of VCMPPS and VCMPPD in addition to the ones in select_compare.go. Those with "not" hold for
// NaN.
const (
	// Q in the names of the manual means quiet: no invalid exception for a quiet NaN. All exceptions
	// are masked (mxcsr), so that the choice affects only flags that no shader reads.
	orNotEQ   = 0x04
	notLT     = 0x15
	notGT     = 0x1a
	orderedGE = 0x1d
	orderedGT = 0x1e
)

// doubles are the rules of arithmetic and comparisons of f64. VMINPD has its operands in the order
// of VMINPS (swappedOp).
func doubles() map[codegen.Rule]emitter {
	const f = ir.F64
	return map[codegen.Rule]emitter{
		{ir.FAdd, f, f}:       pairRounded(VADDPD),
		{ir.FSub, f, f}:       pairRounded(VSUBPD),
		{ir.FMul, f, f}:       pairRounded(VMULPD),
		{ir.FDiv, f, f}:       pairRounded(VDIVPD),
		{ir.FFma, f, f}:       pairMultiplyAdd,
		{ir.FSqrt, f, f}:      pairSqrt,
		{ir.FNeg, f, f}:       pairWord(VPXORQ, sign64),
		{ir.FAbs, f, f}:       pairWord(VPANDQ, sign64-1),
		{ir.FFloor, f, f}:     pairScale(roundFloor),
		{ir.FCeil, f, f}:      pairScale(roundCeil),
		{ir.FTrunc, f, f}:     pairScale(roundTrunc),
		{ir.FRoundEven, f, f}: pairScale(roundEven),
		{ir.FMin, f, f}:       pairSwapped(VMINPD),
		{ir.FMax, f, f}:       pairSwapped(VMAXPD),

		{ir.FEq, ir.B1, f}: comparison(f, plain, VCMPPD, orderedEQ),
		{ir.FLt, ir.B1, f}: comparison(f, plain, VCMPPD, orderedLT),
		{ir.FLe, ir.B1, f}: comparison(f, plain, VCMPPD, orderedLE),
	}
}

// pairRounded is d = u0 op u1, rounded to nearest even or toward zero. Embedded rounding is in the
// EVEX prefix and needs register operands, so that a memory operand is loaded first.
func pairRounded(op Op) emitter {
	nearest := pair(op)
	return func(m *machine, in *vcode.Inst) {
		if in.Key.Flags&ir.RTZ == 0 {
			nearest(m, in)
			return
		}
		for i := range 2 {
			a, b := m.half(in.Uses[0], i, 0), m.half(in.Uses[1], i, 3)
			d, o := m.destHalf(in, i, 0)
			m.RR(op, V512, d, a, b, o|RZ)
			m.doneHalf(in, i, d)
		}
	}
}

// rounding returns the embedded rounding of an instruction, none for the default.
func rounding(in *vcode.Inst) Opt {
	if in.Key.Flags&ir.RTZ != 0 {
		return RZ
	}
	return 0
}

// pairMultiplyAdd is d = u0·u1 + u2, rounded once. The form 213 overwrites the first factor, which
// therefore is a copy in Z0.
func pairMultiplyAdd(m *machine, in *vcode.Inst) {
	for i := range 2 {
		m.load(wideInt, 0, in.Uses[0], i)
		b := m.half(in.Uses[1], i, 3)
		if o := rounding(in); o != 0 {
			m.RR(VFMADD213PD, V512, 0, b, m.half(in.Uses[2], i, 4), o)
		} else {
			m.withHalf(VFMADD213PD, 0, b, in.Uses[2], i, 0)
		}
		m.defineHalf(in, i, 0)
	}
}

func pairSqrt(m *machine, in *vcode.Inst) {
	for i := range 2 {
		a := m.half(in.Uses[0], i, 0)
		d, o := m.destHalf(in, i, 0)
		m.RR(VSQRTPD, V512, d, 0, a, o|rounding(in))
		m.doneHalf(in, i, d)
	}
}

// Mode 8 of VRNDSCALE suppresses the inexact exception, its upper four bits are the number of
// fraction bits to retain, 0.
func pairScale(mode uint8) emitter {
	return func(m *machine, in *vcode.Inst) {
		for i := range 2 {
			d, o := m.destHalf(in, i, 0)
			m.RRI(VRNDSCALEPD, V512, d, 0, m.half(in.Uses[0], i, 0), mode, o)
			m.doneHalf(in, i, d)
		}
	}
}
