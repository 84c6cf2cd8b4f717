package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// everyOther selects the lower byte of each 16-bit half.
const everyOther = 0x00ff00ff

// dotBytes is u2 plus the products of the unsigned bytes of u0 and the signed bytes of u1. Without
// VNNI it uses two exact VPMADDWD on 16-bit halves; VPMADDUBSW would saturate. x has bytes a3 a2 a1
// a0, y bytes b3 b2 b1 b0:
//
//	x & 0x00ff00ff         0  a2 |  0  a0      as 16-bit halves
//	y << 8 >> 8 (halves)     b2  |    b0       sign-extended
//	VPMADDWD              a2·b2 + a0·b0        exact in 32 bits
//	x >> 8 & 0x00ff00ff    0  a3 |  0  a1
//	y >> 8 (halves)          b3  |    b1
//	VPMADDWD              a3·b3 + a1·b1
func dotBytes(m *machine, in *vcode.Inst) {
	if m.features&DotBytes != 0 {
		m.dotBytes(in)
		return
	}
	x, y := m.vec(in.Uses[0], 4), m.vec(in.Uses[1], 5)
	m.RM(VPANDD, V512, 1, x, m.word32(everyOther), BC)
	m.RRI(VPSLLD, V512, 2, 0, y, 8, 0)
	m.RRI(VPSRAW, V512, 2, 0, 2, 8, 0)
	m.RR(VPMADDWD, V512, 1, 1, 2, 0)
	m.RRI(VPSRLD, V512, 2, 0, x, 8, 0)
	m.RM(VPANDD, V512, 2, 2, m.word32(everyOther), BC)
	m.RRI(VPSRAW, V512, 3, 0, y, 8, 0)
	m.RR(VPMADDWD, V512, 2, 2, 3, 0)
	m.RR(VPADDD, V512, 1, 1, 2, 0)
	// The sum wraps modulo 2³², as an addition of the IR.
	m.with(VPADDD, 0, 1, in.Uses[2], 0)
	m.define(in, 0)
}

// dotBytes uses VNNI, which accumulates u2 in the result's register, unless that holds a factor.
// VPDPBUSD has the operand order of the IR, unsigned bytes first, and wraps; VPDPBUSDS would saturate.
func (m *machine) dotBytes(in *vcode.Inst) {
	d, inRegister := m.phys(in.Defs[0])
	x, y := m.vec(in.Uses[0], 1), m.vec(in.Uses[1], 2)
	if in.Merging || !inRegister || d == x || d == y {
		d = 0
	}
	m.loadVec(d, in.Uses[2])
	m.RR(VPDPBUSD, V512, d, x, y, 0)
	m.define(in, d)
}
