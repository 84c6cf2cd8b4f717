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
	if len(in.Defs) > 0 {
		m.zero(0)
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld))
	}
	done := m.NewLabel()
	if full, ok := m.atomicLanes(in); ok {
		if _, constant := m.f.Const(in.Uses[2]); !constant || !single(in) {
			m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOperand))
		}
		if single(in) {
			m.atomicNoResultLanes(in, ymmLanes, full, lock)
			return
		}
		if full {
			m.MovI(RAX, 1<<ymmLanes-1)
		} else {
			m.GRR(TEST, RAX, RAX)
			m.Jcc(Equal, done)
		}
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

// atomicLanes sets RAX to the active lanes of an atomic that are in range and aligned, unless all lanes are: full. The scratch memory then
// has their offsets and the address of offset 0, which RDX also has. It returns false if no lane can be in range.
func (m ymm) atomicLanes(in *vcode.Inst) (full, ok bool) {
	off, k := m.vec(in.Uses[1], 1), NoReg
	if !m.always(in) || m.facts.Demotes {
		k = m.storingLanes(in, 0)
	}
	if in.Proven {
		// Only accesses of the workgroup memory are Proven here; R12 is its address. Histograms and ranks mask their
		// index, so that this is their usual case: eleven instructions of eight lanes fewer than the check below.
		m.GRM(LEA|W, RDX, At(R12, int32(in.Key.Aux)))
		m.GRM(MOV_ST|W, RDX, m.scratch(scratchBase))
		m.rm(AVX_VMOVUPS_ST, off, 0, m.scratch(scratchOffset))
		if k != NoReg {
			m.rr(AVX_VMOVMSKPS, RAX, 0, k)
		}
		return k == NoReg, true
	}
	at, ok := m.inRange(in, k, off, target.HandleWrites)
	if !ok {
		return false, false
	}
	m.word(AVX_VPADDD, 3, off, uint32(in.Key.Aux))
	m.rri(AVX_VPSLLD, 3, 0, 3, 30) // the low two bits, 0 if aligned
	// Shifting the two low bits to the top clears all others, and a comparison with 0 makes the
	// mask.
	m.zero(0)
	m.rr(AVX_VPCMPEQD, 3, 3, 0)
	m.rr(AVX_VPAND, 2, 2, 3)
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	m.laneBase(at)
	return false, true
}
