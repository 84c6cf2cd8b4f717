package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// scan computes the inclusive scan of the clusters in the rows (Kogge & Stone 1973). A step goes
// from the last part to the first, so that it reads rows of the previous step. high is an immediate
// of VPBLENDD, which is one micro-operation; AVX2 has no masks that would predicate the operator
// itself.
func (m ymm) scan(in *vcode.Inst) {
	// Y0 holds the lower lanes: the left operand.
	c, op, cluster, _ := m.combiner(in)
	m.maskedOperand(in, op)
	for k := 1; k < cluster; k *= 2 {
		for part := len(in.Masks) - 1; part >= 0; part-- {
			var high uint8 // lanes with index at least k in their cluster
			for lane := range ymmLanes {
				if (part*ymmLanes+lane)%cluster >= k {
					high |= 1 << lane
				}
			}
			if high == 0 {
				continue
			}
			m.lower(part, k)
			m.rm(AVX_VMOVUPS, 1, 0, m.partScratch(part))
			m.combine(c, op)
			m.rm(AVX_VMOVUPS, 1, 0, m.partScratch(part))
			m.rri(AVX_VPBLENDD, 0, 1, 0, high)
			m.rm(AVX_VMOVUPS_ST, 0, 0, m.partScratch(part))
		}
	}
}

// lower puts the lanes k below the lanes of a part into Y0. Lanes k below cross the boundary of the
// part, unless it is the first. Example for k = 3 and part 1 (lanes 8 to 15):
//
//	rotated part 1     13 14 15  8  9 10 11 12
//	rotated part 0      5  6  7  …
//	blend, mask 0b111   5  6  7  8  9 10 11 12
func (m ymm) lower(part, k int) {
	if k >= ymmLanes {
		m.rm(AVX_VMOVUPS, 0, 0, m.partScratch(part-k/ymmLanes))
		return
	}
	m.rm(AVX_VMOVUPS, 2, 0, m.vector8(octetOf(uint32(ymmLanes-k), 1))) // modulo 8
	m.rm(AVX_VPERMD, 0, 2, m.partScratch(part))
	if part > 0 {
		m.rm(AVX_VPERMD, 3, 2, m.partScratch(part-1))
		m.rri(AVX_VPBLENDD, 0, 0, 3, uint8(1<<k-1))
	}
}

// ymmScan defines the sums up to each lane, which scan leaves in the scratch memory.
func ymmScan(m ymm, in *vcode.Inst) {
	m.scan(in)
	m.fromScratch(in, 0)
}

// ymmScanExclusive shifts the inclusive scan by one active lane within each cluster, with the
// identity first, lane by lane. RDX holds the value for the next active lane, RBX the lane's own one
// while both are exchanged. RBX is allocatable, and so is saved in the scratch memory meanwhile.
func ymmScanExclusive(m ymm, in *vcode.Inst) {
	_, op, cluster, _ := m.combiner(in)
	m.scan(in)
	identity := uint64(uint32(ir.Identity(op, in.Key.Type)))
	m.bits(in, nil)
	m.GRM(MOV_ST|W, RAX, m.scratch(scratchBase))
	m.GRM(MOV_ST|W, RBX, m.scratch(scratchSaved))
	for from := 0; from < len(in.Masks)*ymmLanes; from += cluster {
		next, done := m.NewLabel(), m.NewLabel()
		m.GRM(MOV|W, RAX, m.scratch(scratchBase))
		if from > 0 {
			m.ShiftI(ShrI, true, RAX, uint8(from))
		}
		// With a cluster of 64 lanes all bits of RAX belong to it, and 1<<64 has no bit.
		if cluster < 64 {
			m.MovI(RCX, 1<<cluster-1)
			m.GRR(AND|W, RAX, RCX)
		}
		m.MovI(RDX, identity)
		m.Bind(next)
		m.GRR(TEST|W, RAX, RAX)
		m.Jcc(Equal, done)
		m.GRR(TZCNT|W, RCX, RAX)
		at := Indexed(R14, RCX, 4, m.record.Scratch+int32(4*from))
		m.GRM(MOV, RBX, at)
		m.GRM(MOV_ST, RDX, at)
		m.GRR(MOV, RDX, RBX)
		m.GRM(LEA|W, RCX, At(RAX, -1)) // clear the lowest bit
		m.GRR(AND|W, RAX, RCX)
		m.Jmp(next)
		m.Bind(done)
	}
	m.GRM(MOV|W, RBX, m.scratch(scratchSaved))
	m.fromScratch(in, 0)
}
