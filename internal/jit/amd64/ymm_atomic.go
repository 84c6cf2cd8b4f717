package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// atomic performs an atomic lane by lane, in ascending order; see machine.atomic.
//
// AVX-512 has the same loop over lanes: x86 has no vector atomics. The difference is only in the
// check: the mask is a vector here, and there is no VPTESTNMD for the alignment. A misaligned word
// is treated as one out of range.
func (m ymm) atomic(in *vcode.Inst, lock bool) {
	if atomic64Bit(in) {
		m.atomic64(in, lock)
		return
	}
	off := m.vec(in.Uses[1], 1)
	if len(in.Defs) > 0 {
		m.zero(0)
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld))
	}
	done := m.NewLabel()
	if at, ok := m.inRange(in, m.storingLanes(in, 0), off, target.HandleWrites); ok {
		m.word(AVX_VPADDD, 3, off, uint32(in.Key.Aux))
		m.rri(AVX_VPSLLD, 3, 0, 3, 30) // the low two bits, 0 if aligned
		// Shifting the two low bits to the top clears all others, and a comparison with 0 makes the
		// mask.
		m.zero(0)
		m.rr(AVX_VPCMPEQD, 3, 3, 0)
		m.rr(AVX_VPAND, 2, 2, 3)
		m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
		m.laneBase(at)
		m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOperand))
		if _, ok := storeForms[in.IR]; ok && len(in.Defs) == 0 {
			m.atomicNoResultLanes(in, ymmLanes, false, lock)
			return
		}
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, done)
		if in.IR == ir.AtomCmpXchg {
			m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[3], 0), 0, m.scratch(scratchCompare))
		}
		m.exchangeLanes(in, lock)
	}
	m.Bind(done)
	if len(in.Defs) > 0 {
		m.rm(AVX_VMOVUPS, 0, 0, m.scratch(scratchOld))
		m.done(in, 0)
	}
}
