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
	if single(in) {
		m.atomicNoResult(in, lock)
		return
	}
	if len(in.Defs) > 0 {
		m.zero(0)
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld))
	}
	done := m.NewLabel()
	if full, ok := m.atomicLanes(in); ok {
		m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOperand))
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

// atomicNoResult performs an atomic without a used result; see machine.atomicNoResult.
func (m ymm) atomicNoResult(in *vcode.Inst, lock bool) {
	off, k := m.vec(in.Uses[1], 1), NoReg
	if !m.always(in) || m.facts.Demotes {
		k = m.storingLanes(in, 0)
	}
	known := func(base Mem) { // the words of the active lanes are in range and aligned
		m.rm(AVX_VMOVUPS_ST, off, 0, m.scratch(scratchOffset))
		if k != NoReg {
			m.rr(AVX_VMOVMSKPS, RAX, 0, k) // Y0 may be k
		}
		m.atomicOperands(in)
		m.atomicNoResultLanes(in, ymmLanes, k == NoReg, lock, base, true)
	}
	if in.Proven {
		known(At(R12, int32(in.Key.Aux))) // only accesses of the workgroup memory are Proven here
		return
	}
	checked := func() {
		at, ok := m.checkedLanes(in, k, off)
		if !ok {
			return
		}
		m.rm(AVX_VMOVUPS_ST, 4, 0, m.scratch(scratchOffset))
		m.atomicOperands(in)
		m.atomicNoResultLanes(in, ymmLanes, false, lock, At(at.Base, at.Disp), false)
	}
	m.withinLimit(in, lock, known, checked)
}

// atomicOperands writes the operands of an atomic to the scratch memory, unless they are one constant.
func (m ymm) atomicOperands(in *vcode.Inst) {
	if _, constant := m.f.Const(in.Uses[2]); !constant {
		m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOperand))
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
	at, ok := m.checkedLanes(in, k, off)
	if !ok {
		return false, false
	}
	m.laneBase(at)
	return false, true
}

// checkedLanes sets RAX to the lanes of k, or of all if k is NoReg, with an aligned word in range, and Y4 to their offsets from the memory
// that it returns. It returns false if no lane can be in range.
func (m ymm) checkedLanes(in *vcode.Inst, k, off Reg) (at Mem, ok bool) {
	at, ok = m.inRange(in, k, off, target.HandleWrites)
	if !ok {
		return at, false
	}
	m.word(AVX_VPADDD, 3, off, uint32(in.Key.Aux))
	m.rri(AVX_VPSLLD, 3, 0, 3, 30) // the low two bits, 0 if aligned
	// Shifting the two low bits to the top clears all others, and a comparison with 0 makes the
	// mask.
	m.zero(0)
	m.rr(AVX_VPCMPEQD, 3, 3, 0)
	m.rr(AVX_VPAND, 2, 2, 3)
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	return at, true
}
