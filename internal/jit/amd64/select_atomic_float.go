package amd64

import "github.com/chiaro-gpu/chiaro/internal/ir"

// floatAtomic computes in RCX the new value of a float atomic from the old one in RAX and the
// operand in RCX. A NaN result is canonical. It preserves RAX. There is no float form of XADD or
// CMPXCHG, so this is the body of the compare-exchange loop: move to a vector, compute, move back.
func (m *machine) floatAtomic(op ir.Op) {
	// VMOVD to lane 0 would do too: the other lanes are not read.
	m.RR(VPBROADCASTD_R, V128, 2, 0, RAX, 0)
	m.RR(VPBROADCASTD_R, V128, 3, 0, RCX, 0)
	if op == ir.AtomFAdd {
		m.RR(VADDPS, V128, 2, 2, 3, 0)
		m.canonicalWord(2)
	} else {
		m.canonicalWord(2) // VRANGEPS ignores a NaN only if it is quiet
		m.canonicalWord(3)
		way := uint8(rangeMin)
		if op == ir.AtomFMax {
			way = rangeMax
		}
		m.RRI(VRANGEPS, V128, 2, 2, 3, way, 0)
	}
	m.RR(VMOVD_ST, V128, 2, 0, RCX, 0)
}

// canonicalWord makes NaNs in the lowest four lanes of z canonical. It clobbers K2. A NaN in memory
// can be observed, so that its bits must not depend on the operand that caused it.
func (m *machine) canonicalWord(z Reg) {
	m.RRI(VCMPPS, V128, 2, z, z, unordered, 0)
	m.RM(VPBROADCASTD, V128, z, 0, m.word32(nan32), K(2))
}

// floatAtomic is machine.floatAtomic for AVX2.
func (m ymm) floatAtomic(op ir.Op) {
	m.splat(0, RAX)
	m.splat(1, RCX)
	if op == ir.AtomFAdd {
		m.rr(AVX_VADDPS, 2, 0, 1)
		m.rri(AVX_VCMPPS, 3, 2, 2, unordered)
		m.RMI(AVX_VBLENDVPS, V256, 2, 2, m.words(nan32), is4(3), 0)
	} else {
		m.numeric(0, 1, op == ir.AtomFMax)
	}
	m.RR(AVX_VMOVD_ST, V128, 2, 0, RCX, 0)
}
