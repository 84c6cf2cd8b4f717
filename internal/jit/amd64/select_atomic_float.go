package amd64

import "github.com/chiaro-gpu/chiaro/internal/ir"

// floatAtomic makes of the operand in RCX what an atomic on floats stores where
// RAX is found: canonical where it is NaN. It keeps RAX.
func (m *machine) floatAtomic(op ir.Op) {
	m.RR(VPBROADCASTD_R, V128, 2, 0, RAX, 0)
	m.RR(VPBROADCASTD_R, V128, 3, 0, RCX, 0)
	if op == ir.AtomFAdd {
		m.RR(VADDPS, V128, 2, 2, 3, 0)
		m.canonicalWord(2)
	} else {
		m.canonicalWord(2) // of a NaN and a number VRANGEPS gives the number where the NaN is a quiet one
		m.canonicalWord(3)
		way := uint8(rangeMin)
		if op == ir.AtomFMax {
			way = rangeMax
		}
		m.RRI(VRANGEPS, V128, 2, 2, 3, way, 0)
	}
	m.RR(VMOVD_ST, V128, 2, 0, RCX, 0)
}

// canonicalWord makes NaN in the lowest four lanes of z canonical. It uses K2.
func (m *machine) canonicalWord(z Reg) {
	m.RRI(VCMPPS, V128, 2, z, z, unordered, 0)
	m.RM(VPBROADCASTD, V128, z, 0, m.word32(nan32), K(2))
}

// floatAtomic is as that of AVX-512.
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
