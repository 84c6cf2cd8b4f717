package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// floatAtomic computes in RCX the new value of a float atomic from the old one in RAX and the
// operand in RCX. A NaN result is canonical. It preserves RAX. There is no float form of XADD or
// CMPXCHG, so this is the body of the compare-exchange loop: move to a vector, compute, move back.
func (m *machine) floatAtomic(in *vcode.Inst) {
	// VMOVD to lane 0 would do too: the other lanes are not read.
	m.RR(VPBROADCASTD_R, V128, 2, 0, RAX, 0)
	m.RR(VPBROADCASTD_R, V128, 3, 0, RCX, 0)
	if in.IR == ir.AtomFAdd {
		m.flushWord(in, 3)
		m.flushWord(in, 2)
		m.RR(VADDPS, V128, 2, 2, 3, 0)
		m.flushWord(in, 2)
		m.canonicalWord(2)
	} else {
		m.canonicalWord(2) // VRANGEPS ignores a NaN only if it is quiet
		m.canonicalWord(3)
		way := uint8(rangeMin)
		if in.IR == ir.AtomFMax {
			way = rangeMax
		}
		m.RRI(VRANGEPS, V128, 2, 2, 3, way, 0)
	}
	m.RR(VMOVD_ST, V128, 2, 0, RCX, 0)
}

// flushWord makes a denormal number in the lowest lane of z the zero of its sign, if the atomic has FTZ. It clobbers RCX. The branch is
// predicted as long as such numbers and zeros are rare, so that a chain of sums at one address does not wait for the test.
func (m *machine) flushWord(in *vcode.Inst, z Reg) {
	m.unlessNormal(in, VMOVD_ST, z, func() { m.RM(VPANDD, V128, z, z, m.word32(1<<31), BC) })
}

// unlessNormal emits flush for a word with the exponent 0, if the atomic has FTZ. move copies vector z to RCX.
func (m *machine) unlessNormal(in *vcode.Inst, move Op, z Reg, flush func()) {
	if in.Key.Flags&ir.FTZ == 0 {
		return
	}
	normal := m.NewLabel()
	m.RR(move, V128, z, 0, RCX, 0)
	m.GI(AndI, false, RCX, 0x7f800000)
	m.Jcc(NotEqual, normal)
	flush()
	m.Bind(normal)
}

// canonicalWord makes NaNs in the lowest four lanes of z canonical. It clobbers K2. A NaN in memory
// can be observed, so that its bits must not depend on the operand that caused it.
func (m *machine) canonicalWord(z Reg) {
	m.RRI(VCMPPS, V128, 2, z, z, unordered, 0)
	m.RM(VPBROADCASTD, V128, z, 0, m.word32(nan32), K(2))
}

// floatAtomic is machine.floatAtomic for AVX2.
func (m ymm) floatAtomic(in *vcode.Inst) {
	m.splat(0, RAX)
	m.splat(1, RCX)
	if in.IR == ir.AtomFAdd {
		m.flushWord(in, 1)
		m.flushWord(in, 0)
		m.rr(AVX_VADDPS, 2, 0, 1)
		m.flushWord(in, 2)
		m.rri(AVX_VCMPPS, 3, 2, 2, unordered)
		m.RMI(AVX_VBLENDVPS, V256, 2, 2, m.words(nan32), is4(3), 0)
	} else {
		m.numeric(0, 1, in.IR == ir.AtomFMax)
	}
	m.RR(AVX_VMOVD_ST, V128, 2, 0, RCX, 0)
}

// flushWord is machine.flushWord for AVX2.
func (m ymm) flushWord(in *vcode.Inst, y Reg) {
	m.unlessNormal(in, AVX_VMOVD_ST, y, func() { m.word(AVX_VPAND, y, y, 1<<31) })
}
