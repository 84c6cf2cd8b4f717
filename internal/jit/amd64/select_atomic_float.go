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
		m.flushWords(in, 2, 3)
		m.RR(VADDPS, V128, 2, 2, 3, 0)
		m.flushWords(in, 2)
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

// flushWords makes denormal numbers in the lowest four lanes of each register zeros of their sign, if the atomic has FTZ. It clobbers K2.
func (m *machine) flushWords(in *vcode.Inst, list ...Reg) {
	if in.Key.Flags&ir.FTZ == 0 {
		return
	}
	for _, z := range list {
		m.RM(VPTESTNMD, V128, 2, z, m.word32(0x7f800000), BC)
		m.RM(VPANDD, V128, z, z, m.word32(1<<31), BC|K(2))
	}
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
		m.flushWords(in, 0, 1)
		m.rr(AVX_VADDPS, 2, 0, 1)
		m.flushWords(in, 2)
		m.rri(AVX_VCMPPS, 3, 2, 2, unordered)
		m.RMI(AVX_VBLENDVPS, V256, 2, 2, m.words(nan32), is4(3), 0)
	} else {
		m.numeric(0, 1, in.IR == ir.AtomFMax)
	}
	m.RR(AVX_VMOVD_ST, V128, 2, 0, RCX, 0)
}

// flushWords is machine.flushWords for AVX2. It clobbers Y3 and Y4.
func (m ymm) flushWords(in *vcode.Inst, list ...Reg) {
	if in.Key.Flags&ir.FTZ == 0 {
		return
	}
	for _, y := range list {
		m.flushed(y, y, 3, 4)
	}
}
