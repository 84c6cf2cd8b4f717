package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

var (
	integerTypes = [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}
	floatTypes   = [...]ir.Type{ir.F16, ir.F32, ir.F64}
	allTypes     = [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64}
)

// conversions are the rules of conversions between all types, and of 64-bit selects. An f16 lane is
// 16 bits in a 32-bit lane, and its conversions pass through f32; a 64-bit value is two vectors of
// eight lanes.
func conversions() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{
		{ir.Select, ir.I64, ir.B1}: selectWide,
		{ir.Select, ir.F64, ir.B1}: selectWide,
	}
	for _, t := range integerTypes {
		r[codegen.Rule{ir.ZExt, t, ir.B1}] = fromMask
		for _, from := range integerTypes {
			switch {
			case from.Bits() < t.Bits():
				r[codegen.Rule{ir.ZExt, t, from}] = lanewise(t, plain, nothing)
				r[codegen.Rule{ir.SExt, t, from}] = extend(t, from)
			case from.Bits() > t.Bits():
				r[codegen.Rule{ir.Trunc, t, from}] = truncateTo(t, from)
			}
		}
		for _, f := range floatTypes {
			r[codegen.Rule{ir.FToS, t, f}] = toInteger(t, f, true)
			r[codegen.Rule{ir.FToU, t, f}] = toInteger(t, f, false)
			r[codegen.Rule{ir.SToF, f, t}] = toFloat(f, t, true)
			r[codegen.Rule{ir.UToF, f, t}] = toFloat(f, t, false)
		}
	}
	for _, t := range allTypes {
		for _, from := range allTypes {
			if t.Bits() == from.Bits() {
				r[codegen.Rule{ir.Bitcast, t, from}] = copyBits
			}
		}
	}
	for _, t := range floatTypes {
		for _, from := range floatTypes {
			r[codegen.Rule{ir.FCvt, t, from}] = between(t, from)
		}
	}
	r[codegen.Rule{ir.ZExt, ir.I64, ir.B1}] = wideFromMask
	return r
}

func nothing(m *machine, in *vcode.Inst, e element) {}

// extend is a sign extension. The result of a narrow type must have zeros above the value (element),
// so that i8 to i16 extends to 32 bits and truncates again.
func extend(t, from ir.Type) emitter {
	return func(m *machine, in *vcode.Inst) {
		if t != ir.I64 {
			m.loadVec(0, in.Uses[0])
			m.signExtend(0, uint32(from.Bits()))
			m.truncate(0, uint32(t.Bits()))
			m.define(in, 0)
			return
		}
		for i := range 2 {
			m.eightLanes(0, in.Uses[0], i)
			m.signExtend(0, uint32(from.Bits()))
			m.RR(VPMOVSXDQ, V512, 0, 0, 0, 0)
			m.defineHalf(in, i, 0)
		}
	}
}

// Truncation drops bits only, so that the sign does not matter.
func truncateTo(t, from ir.Type) emitter {
	return func(m *machine, in *vcode.Inst) {
		if from == ir.I64 {
			m.lowWords(0, in.Uses[0])
		} else {
			m.loadVec(0, in.Uses[0])
		}
		m.truncate(0, uint32(t.Bits()))
		m.define(in, 0)
	}
}

// lowWords puts the low 32 bits of each 64-bit lane into z. It clobbers the register after z.
// VPMOVQD narrows eight 64-bit lanes to 256 bits; the join combines both halves.
func (m *machine) lowWords(z Reg, u vcode.Reg) {
	for i := range 2 {
		m.RR(VPMOVQD, V512, m.half(u, i, z+Reg(i)), 0, z+Reg(i), 0)
	}
	m.join(z, z, z+1)
}

// wideFromMask is 1 in the lanes of the mask and 0 in the others. KSHIFTRW by 8 moves the mask of
// lanes 8 to 15 to the lanes of the second vector.
func wideFromMask(m *machine, in *vcode.Inst) {
	k := m.mask(in.Uses[0], 3)
	m.RM(VPBROADCASTQ, V512, 0, 0, m.word64(1), K(k)|Z)
	m.RRI(KSHIFTRW, V128, 3, 0, k, 8, 0)
	m.RM(VPBROADCASTQ, V512, 3, 0, m.word64(1), K(3)|Z)
	m.defineHalf(in, 0, 0)
	m.defineHalf(in, 1, 3)
}

// selectWide is u0 ? u1 : u2. The mask moves down by eight lanes after the first half; K3 is a copy,
// since the shift destroys it.
func selectWide(m *machine, in *vcode.Inst) {
	m.loadMask(3, in.Uses[0])
	for i := range 2 {
		m.withHalf(VPBLENDMQ, 0, m.half(in.Uses[2], i, 0), in.Uses[1], i, K(3))
		m.defineHalf(in, i, 0)
		m.RRI(KSHIFTRW, V128, 3, 0, 3, 8, 0)
	}
}

// limits are the first float beyond the range of a signed integer, and the greatest integer, which
// replaces it. For example 2³¹ is 0x4f000000 as an f32. It is exact in each float type, but 2³¹ − 1
// is not in f32, hence the comparison with the number beyond the range.
type limits struct {
	top  uint64 // as a float
	most uint64
}

// toInteger truncates a float; it saturates, and NaN yields 0. Types below 32 bits are clamped
// afterwards. The instructions yield the "integer indefinite" value (Intel SDM) for everything out
// of range:
//
//	              NaN         too small     too great
//	signed        0x80000000  0x80000000    0x80000000
//	unsigned      0xffffffff  0xffffffff    0xffffffff
//	required      0           least         most
func toInteger(t, from ir.Type, sign bool) emitter {
	return func(m *machine, in *vcode.Inst) {
		switch {
		case t == ir.I64:
			for i := range 2 {
				if from == ir.F64 {
					m.load(wideInt, 1, in.Uses[0], i)
					m.cutTo(wideInt, wideInt, VCVTTPD2QQ, VCVTTPD2UQQ, limits{0x43e0 << 48, 1<<63 - 1}, sign)
				} else {
					m.floats(1, in.Uses[0], from)
					if i == 1 {
						m.highHalf(1, 1)
					}
					m.cutTo(narrowInt, wideInt, VCVTTPS2QQ, VCVTTPS2UQQ, limits{0x5f000000, 1<<63 - 1}, sign)
				}
				m.defineHalf(in, i, 0)
			}
			return
		case from == ir.F64:
			for i := range 2 {
				m.load(wideInt, 1, in.Uses[0], i)
				m.cutTo(wideInt, narrowInt, VCVTTPD2DQ, VCVTTPD2UDQ, limits{0x41e0 << 48, 1<<31 - 1}, sign)
				m.moveVec(Reg(3+i), 0)
			}
			m.join(0, 3, 4)
		default:
			m.floats(1, in.Uses[0], from)
			m.cutTo(narrowInt, narrowInt, VCVTTPS2DQ, VCVTTPS2UDQ, limits{0x4f000000, 1<<31 - 1}, sign)
		}
		m.clamp(uint32(t.Bits()), sign)
		m.define(in, 0)
	}
}

// cutTo converts Z1 to Z0. The instruction already saturates an unsigned number above the range and
// a signed one below it; this code handles the other cases. A negative number is not greater than 0,
// and so becomes 0, as NaN does.
func (m *machine) cutTo(from, to element, toSigned, toUnsigned Op, l limits, sign bool) {
	cmp := from.op(VCMPPS, VCMPPD)
	if !sign {
		m.RMI(cmp, V512, 2, 1, m.constant(from, 0), orderedGT, BC)
		m.RR(toUnsigned, V512, 0, 0, 1, K(2)|Z)
		return
	}
	m.RR(toSigned, V512, 0, 0, 1, 0)
	m.RMI(cmp, V512, 2, 1, m.constant(from, l.top), orderedGE, BC)
	m.fill(to, 0, l.most, 2)
	// The signed instruction yields the least integer for NaN too; a blend with 0 replaces it.
	m.RRI(cmp, V512, 2, 1, 1, unordered, 0)
	m.RR(VPXORD, V128, 2, 2, 2, 0)
	m.RR(to.op(VMOVDQA32, VMOVDQA64), V512, 0, 0, 2, K(2))
}

// clamp limits Z0 to the range of a type below 32 bits. A 32-bit result is saturated already, so
// that clamping it to the narrow range saturates there.
func (m *machine) clamp(bits uint32, sign bool) {
	switch {
	case bits == 32:
	// The truncation clears the sign bits above the type.
	case sign:
		m.word(narrowInt, VPMINSD, 0, 0, 1<<(bits-1)-1, 0)
		m.word(narrowInt, VPMAXSD, 0, 0, -(uint64(1) << (bits - 1)), 0)
		m.truncate(0, bits)
	default:
		m.word(narrowInt, VPMINUD, 0, 0, 1<<bits-1, 0)
	}
}

// aboveF16 is greater than any f16 and exact in f32.
const aboveF16 = 1 << 17

// toFloat converts integers, rounded once. For f16 it first clamps them to ±2¹⁷, which still
// overflows to infinity and is exact in f32. An integer of more than 24 bits is rounded in f32, and
// rounding it to f16 again would round twice; but each of them overflows in f16, as 2¹⁷ does.
func toFloat(t, from ir.Type, sign bool) emitter {
	// The DQ extension has conversions of 64-bit integers, which AVX2 must compose (wholeDouble).
	toDouble, toSingle, wideDouble, wideSingle := VCVTUDQ2PD, VCVTUDQ2PS, VCVTUQQ2PD, VCVTUQQ2PS
	if sign {
		toDouble, toSingle, wideDouble, wideSingle = VCVTDQ2PD, VCVTDQ2PS, VCVTQQ2PD, VCVTQQ2PS
	}
	switch {
	case t == ir.F64 && from == ir.I64:
		return lanewise(t, plain, func(m *machine, in *vcode.Inst, e element) { m.RR(wideDouble, V512, 0, 0, 0, rounding(in)) })
	case t == ir.F64:
		return func(m *machine, in *vcode.Inst) {
			for i := range 2 {
				// 32 bits are exact in a double, and so need no rounding mode.
				m.eightLanes(0, in.Uses[0], i)
				if sign {
					m.signExtend(0, uint32(from.Bits()))
				}
				m.RR(toDouble, V512, 0, 0, 0, 0)
				m.defineHalf(in, i, 0)
			}
		}
	case t == ir.F32 && from == ir.I64:
		return func(m *machine, in *vcode.Inst) {
			for i := range 2 {
				m.RR(wideSingle, V512, Reg(i), 0, m.half(in.Uses[0], i, Reg(i)), rounding(in))
			}
			m.join(0, 0, 1)
			m.define(in, 0)
		}
	}
	return func(m *machine, in *vcode.Inst) {
		if from == ir.I64 {
			m.clampedWords(in.Uses[0], sign)
		} else {
			m.loadVec(0, in.Uses[0])
			if sign {
				m.signExtend(0, uint32(from.Bits()))
			}
			if t == ir.F16 {
				m.limit(narrowInt, 0, sign)
			}
		}
		m.RR(toSingle, V512, 0, 0, 0, rounding(in))
		m.defineFloat(in, t, rounding(in))
	}
}

// clampedWords puts 64-bit integers, clamped, into Z0 as 32-bit ones.
func (m *machine) clampedWords(u vcode.Reg, sign bool) {
	for i := range 2 {
		z := Reg(i)
		m.load(wideInt, z, u, i)
		m.limit(wideInt, z, sign)
		m.RR(VPMOVQD, V512, z, 0, z, 0)
	}
	m.join(0, 0, 1)
}

// Negative numbers of unsigned types do not exist, so one bound suffices.
func (m *machine) limit(e element, z Reg, sign bool) {
	if !sign {
		m.word(e, e.op(VPMINUD, VPMINUQ), z, z, aboveF16, 0)
		return
	}
	m.word(e, e.op(VPMINSD, VPMINSQ), z, z, aboveF16, 0)
	m.word(e, e.op(VPMAXSD, VPMAXSQ), z, z, 1<<64-aboveF16, 0)
}

// between converts floats to another width, rounded once. Widening is exact. Narrowing by one step
// is one instruction; from f64 to f16 it is two, with the first rounded to odd.
func between(t, from ir.Type) emitter {
	switch {
	case t == from:
		return copyBits
	case t == ir.F64:
		return func(m *machine, in *vcode.Inst) {
			for i := range 2 {
				m.asDouble(0, in.Uses[0], from, i)
				m.defineHalf(in, i, 0)
			}
		}
	case from == ir.F64:
		return func(m *machine, in *vcode.Inst) {
			for i := range 2 {
				m.single(Reg(6+i), m.half(in.Uses[0], i, 0), t, rounding(in))
			}
			m.join(0, 6, 7)
			m.defineFloat(in, t, rounding(in))
		}
	}
	return func(m *machine, in *vcode.Inst) {
		m.floats(0, in.Uses[0], from)
		m.defineFloat(in, t, rounding(in))
	}
}

// single rounds eight doubles to f32, or to odd if they will be rounded to f16 afterwards. It
// clobbers Z1, Z2 and K2. Rounding to odd retains, in the last bit, the information that digits were
// lost, so that the second rounding decides as the first would have (Boldo & Melquiond 2008). It
// needs two more bits than the final format: f32 has 24, f16 11.
func (m *machine) single(d, z Reg, t ir.Type, o Opt) {
	if t == ir.F32 || o == RZ {
		m.RR(VCVTPD2PS, V512, d, 0, z, o)
		return
	}
	m.RR(VCVTPD2PS, V512, d, 0, z, RZ)
	m.RR(VCVTPD2PS, V512, 1, 0, z, RD)
	m.RR(VCVTPD2PS, V512, 2, 0, z, RU)
	// Rounded down and rounded up differ exactly if the conversion is inexact.
	m.odd(d, 1, 2)
}
