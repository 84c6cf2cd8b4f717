package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// conversions are the rules of conversions between all types, except floats() and bits of 64-bit types.
//
//	integer → float   i64 → f32 lane by lane, as its rounding in f64 would be a second one; → f16 by f32, exact or beyond f16
//	float → integer   of 32 bits, and then clamped; f64 by i64, and then saturated
//	f64 → f16         f32 rounded to odd, then f16 (Boldo & Melquiond 2008, "Emulation of FMA and correctly rounded sums")
func conversions() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{}
	integers, floats := [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}, [...]ir.Type{ir.F16, ir.F32, ir.F64}
	for _, t := range integers {
		r[codegen.Rule{ir.ZExt, t, ir.B1}] = maskToInteger
		for _, from := range integers {
			switch {
			case from.Bits() < t.Bits():
				r[codegen.Rule{ir.ZExt, t, from}] = zeroExtend
				r[codegen.Rule{ir.SExt, t, from}] = signExtend
			case from.Bits() > t.Bits():
				r[codegen.Rule{ir.Trunc, t, from}] = truncateInteger
			}
		}
		for _, f := range floats {
			r[codegen.Rule{ir.FToS, t, f}] = toInteger
			r[codegen.Rule{ir.FToU, t, f}] = toInteger
			r[codegen.Rule{ir.SToF, f, t}] = toFloat
			r[codegen.Rule{ir.UToF, f, t}] = toFloat
		}
	}
	for _, t := range floats {
		for _, from := range floats {
			r[codegen.Rule{ir.FCvt, t, from}] = betweenFloats
		}
	}
	for _, t := range allTypes {
		for _, from := range allTypes {
			if t.Bits() == from.Bits() {
				r[codegen.Rule{ir.Bitcast, t, from}] = (*machine).copy
			}
		}
	}
	return r
}

// maskToInteger is 1 in the lanes of the mask and 0 in the others.
func maskToInteger(m *machine, in *vcode.Inst) {
	if in.Key.Type != ir.I64 {
		fromMask(m, in)
		return
	}
	k := m.vec(in.Uses[0], 2)
	for i := range 2 {
		m.longMask(0, k, i)
		m.VI(VUSHR, D2, 0, 0, 63)
		m.doneHalf(in, i, 0)
	}
}

// zeroExtend only widens: lanes have zeros above the value.
func zeroExtend(m *machine, in *vcode.Inst) {
	if in.Key.Type != ir.I64 {
		m.copy(in)
		return
	}
	x := m.vec(in.Uses[0], 2)
	for i := range 2 {
		m.widen(VUXTL, 0, x, i)
		m.doneHalf(in, i, 0)
	}
}

// signExtend truncates the result of a narrow type, since the sign bits would be above the value.
func signExtend(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 2)
	if from := uint32(in.Key.From.Bits()); from < 32 {
		m.signExtend(2, x, from)
		x = 2
	}
	if in.Key.Type == ir.I64 {
		for i := range 2 {
			m.widen(VSXTL, 0, x, i)
			m.doneHalf(in, i, 0)
		}
		return
	}
	m.moveVec(0, x)
	m.truncate(0, uint32(in.Key.Type.Bits()))
	m.done(in, 0)
}

// truncateInteger clears the bits above the type; from 64 bits, it takes the low words first.
func truncateInteger(m *machine, in *vcode.Inst) {
	if in.Key.From == ir.I64 {
		m.loadHalf(0, in.Uses[0], 0)
		m.loadHalf(1, in.Uses[0], 1)
		m.s4(VUZP1, 0, 0, 1)
	} else {
		m.loadVec(0, in.Uses[0])
	}
	m.truncate(0, uint32(in.Key.Type.Bits()))
	m.done(in, 0)
}

// double puts two lanes of a float into v as f64, exactly.
func (m *machine) double(v Reg, in *vcode.Inst, i int) {
	u := in.Uses[0]
	switch in.Key.From {
	case ir.F64:
		m.loadHalf(v, u, i)
		return
	case ir.F16:
		m.fromHalf(v, m.vec(u, v))
	default:
		m.loadVec(v, u)
	}
	m.widenFloat(v, v, i)
}

// widenFloat converts two lanes of f32 to f64.
func (m *machine) widenFloat(d, x Reg, i int) { m.V2(VFCVTL, [2]Arr{S2, S4}[i], d, x) }

// toInteger truncates a float; it saturates, and a NaN yields 0, as the instruction does.
func toInteger(m *machine, in *vcode.Inst) {
	t, convert, narrowed := in.Key.Type, VFCVTZS, VSQXTN
	if in.IR == ir.FToU {
		convert, narrowed = VFCVTZU, VUQXTN
	}
	switch {
	case t == ir.I64:
		for i := range 2 {
			m.double(0, in, i)
			m.V2(convert, D2, 0, 0)
			m.doneHalf(in, i, 0)
		}
		return
	case in.Key.From == ir.F64:
		for i := range 2 {
			m.double(1, in, i)
			m.V2(convert, D2, 1, 1)
			m.V2(narrowed, [2]Arr{S2, S4}[i], 0, 1)
		}
	case in.Key.From == ir.F16:
		m.fromHalf(0, m.vec(in.Uses[0], 0))
		m.V2(convert, S4, 0, 0)
	default:
		m.V2(convert, S4, 0, m.vec(in.Uses[0], 0))
	}
	m.clamp(0, uint32(t.Bits()), in.IR == ir.FToS)
	m.done(in, 0)
}

// clamp saturates a number of 32 bits to fewer. It clobbers V1.
func (m *machine) clamp(v Reg, bits uint32, signed bool) {
	if bits == 32 {
		return
	}
	if !signed {
		m.fill(1, 1<<bits-1)
		m.s4(VUMIN, v, v, 1)
		return
	}
	m.fill(1, 1<<(bits-1)-1)
	m.s4(VSMIN, v, v, 1)
	m.fill(1, -(1 << (bits - 1)))
	m.s4(VSMAX, v, v, 1)
	m.truncate(v, bits)
}

// toFloat converts an integer, rounded once.
func toFloat(m *machine, in *vcode.Inst) {
	t, from := in.Key.Type, in.Key.From
	convert, extend, one := VSCVTF, VSXTL, SCVTFSX
	if in.IR == ir.UToF {
		convert, extend, one = VUCVTF, VUXTL, UCVTFSX
	}
	if from == ir.I64 && t != ir.F64 {
		for lane := range uint8(lanes) {
			m.laneGen(X0, in.Uses[0], lane)
			m.emit(Insn{Op: one, D: 1, N: X0})
			m.emit(Insn{Op: VINS4, D: 2, N: 1, Index: lane})
		}
		m.moveVec(0, 2)
		m.doneFloat(in, 0)
		return
	}
	if from == ir.I64 {
		for i := range 2 {
			m.loadHalf(0, in.Uses[0], i)
			m.V2(convert, D2, 0, 0)
			m.doneHalf(in, i, 0)
		}
		return
	}
	x := m.vec(in.Uses[0], 2)
	if in.IR == ir.SToF && from != ir.I32 {
		m.signExtend(2, x, uint32(from.Bits()))
		x = 2
	}
	if t == ir.F64 {
		for i := range 2 {
			m.widen(extend, 0, x, i)
			m.V2(convert, D2, 0, 0)
			m.doneHalf(in, i, 0)
		}
		return
	}
	m.V2(convert, S4, 0, x)
	m.doneFloat(in, 0)
}

// doneFloat writes f32 in v to a result of f32 or f16.
func (m *machine) doneFloat(in *vcode.Inst, v Reg) {
	if in.Key.Type == ir.F16 {
		m.toHalf(v)
	}
	m.done(in, v)
}

// betweenFloats converts floats to another width.
func betweenFloats(m *machine, in *vcode.Inst) {
	t, from := in.Key.Type, in.Key.From
	switch {
	case t == from:
		m.copy(in)
	case t == ir.F64:
		for i := range 2 {
			m.double(0, in, i)
			m.doneHalf(in, i, 0)
		}
	case from == ir.F64:
		narrowed := VFCVTN
		if t == ir.F16 {
			narrowed = VFCVTXN
		}
		for i := range 2 {
			m.loadHalf(1, in.Uses[0], i)
			m.V2(narrowed, [2]Arr{S2, S4}[i], 0, 1)
		}
		m.doneFloat(in, 0)
	case from == ir.F16:
		m.fromHalf(0, m.vec(in.Uses[0], 0))
		m.done(in, 0)
	default:
		m.loadVec(0, in.Uses[0])
		m.toHalf(0)
		m.done(in, 0)
	}
}
