package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// floats are the rules of f32 operations with several instructions, and of conversions between f32 and 32-bit integers, which saturate and
// yield 0 for a NaN as the IR's do.
func floats() map[codegen.Rule]emitter {
	return map[codegen.Rule]emitter{
		{ir.NMin, ir.F32, ir.F32}:   number32(VFMINNM),
		{ir.NMax, ir.F32, ir.F32}:   number32(VFMAXNM),
		{ir.FLdexp, ir.F32, ir.F32}: scaleBy,
		{ir.FCanon, ir.F32, ir.F32}: canonical32,
		{ir.FFlush, ir.F32, ir.F32}: flush,
		{ir.FToS, ir.I32, ir.F32}:   unaryOp(VFCVTZS, S4),
		{ir.FToU, ir.I32, ir.F32}:   unaryOp(VFCVTZU, S4),
		{ir.SToF, ir.F32, ir.I32}:   unaryOp(VSCVTF, S4),
		{ir.UToF, ir.F32, ir.I32}:   unaryOp(VUCVTF, S4),
	}
}

func canonical32(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	d := m.dest(in, 0)
	m.canonical(S4, d, x)
	m.done(in, d)
}

// number32 is nmin or nmax: a number wins over a NaN, −0 < +0, and two NaNs yield the canonical one.
func number32(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.numeric(S4, m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1), op)
		m.done(in, 0)
	}
}

// numeric puts the minimum or maximum of x and y into V0. The instruction has the IR's meaning for quiet NaNs; canonical ones are quiet.
// It clobbers V1, V3 and V4.
func (m *machine) numeric(t Arr, x, y Reg, op Op) {
	m.canonical(t, 0, x)
	m.canonical(t, 1, y)
	m.V(op, t, 0, 0, 1)
}

// flush keeps only the sign of a number without exponent bits.
func flush(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.fill(1, 0x7f800000)
	m.s4(VCMTST, 1, x, 1)
	m.fill(2, 1<<31)
	m.bits(VORR, 1, 1, 2) // the bits that remain
	d := m.dest(in, 0)
	m.bits(VAND, d, x, 1)
	m.done(in, d)
}
