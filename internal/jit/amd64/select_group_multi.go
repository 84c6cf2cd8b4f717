package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Operations between lanes of several parts go through rows of the scratch memory, one per part,
// because their results may share registers with operands of other parts.

// multiGroups are the rules of operations between lanes, for strips of several parts. A strip of 32
// lanes has two parts, one of 128 lanes, the largest size, has eight.
var multiGroups = map[ir.Op]emitter{
	ir.Elect:    multiElect,
	ir.Any:      multiAny,
	ir.All:      multiAll,
	ir.AllEq:    multiAllEqual,
	ir.Ballot:   multiBallot,
	ir.Shuf:     multiShuffle,
	ir.QuadSwap: multiQuadSwap,
	ir.Reduce:   multiReduce,
	ir.ScanI:    multiScan,
	ir.ScanX:    multiScanExclusive,
}

// Rows of 64 bytes of scratch memory: one for each part, and one for each part of a result.
const (
	multiParts   = 8
	multiResults = 64 * multiParts
	// The second half holds results: a shuffle reads all rows of the operand for each part of the
	// result.
	multiScratchBytes = 2 * multiResults
)

// partScratch returns the scratch memory of a part.
func (m *machine) partScratch(part int) Mem { return m.scratch(int32(64 * part)) }

// partOfStrip returns an instruction on one part, with that part's operands: each operand has one
// register per part. Operands are stored operand by operand, so that the operands of part p are
// Uses[p], Uses[p + parts] and so on:
//
//	uses of a shuffle with two parts    x0 x1 from0 from1
//	part 1                              x1 from1
func (m *machine) partOfStrip(in *vcode.Inst, part int) vcode.Inst {
	one := *in
	one.Part += uint8(part)
	one.Masks, one.Checked = in.Masks[part:part+1], false
	one.Defs, one.Uses = in.Defs[part:part+1], nil
	for i := part; i < len(in.Uses); i += len(in.Masks) {
		one.Uses = append(one.Uses, in.Uses[i])
	}
	return one
}

// eachPart calls do for each part of an instruction.
func (m *machine) eachPart(in *vcode.Inst, do func(part int, one *vcode.Inst)) {
	for part := range in.Masks {
		one := m.partOfStrip(in, part)
		do(part, &one)
	}
}

// fromScratch copies the scratch memory of all parts from off on to the result.
func (m *machine) fromScratch(in *vcode.Inst, off int32) {
	m.eachPart(in, func(part int, one *vcode.Inst) {
		m.RM(VMOVDQU32, V512, 2, 0, m.scratch(off+int32(64*part)), 0)
		m.define(one, 2)
	})
}

// multiTruth sets all masks of the result to a condition of the flags.
func (m *machine) multiTruth(in *vcode.Inst, c Cond) {
	m.SetCC(c, RAX)
	m.GRR(XOR, RCX, RCX)
	m.GRR(SUB, RCX, RAX)
	m.eachPart(in, func(_ int, one *vcode.Inst) {
		m.RR(KMOVW_KR, V128, 2, 0, RCX, 0)
		m.doneMask(one, 2)
	})
}

// anyBits sets the zero flag if op of the operand and the active lanes is empty in all parts. It
// collects in RAX, because scratch masks and vectors change in each iteration: fetching an operand
// from memory uses K1 and K2.
func (m *machine) anyBits(in *vcode.Inst, op Op) {
	m.GRR(XOR, RAX, RAX)
	m.eachPart(in, func(_ int, one *vcode.Inst) {
		m.RR(op, V128, 2, m.mask(one.Uses[0], 2), m.execution(one), 0)
		// KMOVW clears the upper 48 bits of the register, so OR needs no mask.
		m.RR(KMOVW_RK, V128, RCX, 0, 2, 0)
		m.GRR(OR, RAX, RCX)
	})
	m.GRR(TEST, RAX, RAX)
}

func multiAny(m *machine, in *vcode.Inst) {
	m.anyBits(in, KANDW)
	m.multiTruth(in, NotEqual)
}

func multiAll(m *machine, in *vcode.Inst) {
	m.anyBits(in, KANDNW)
	m.multiTruth(in, Equal)
}

// firstActive runs do for the first part with an active lane: RCX is the lowest one, RAX the active
// lanes. A branch per part is cheaper than a merge of all masks: usually the first part has an
// active lane.
func (m *machine) firstActive(in *vcode.Inst, do func(part int)) {
	done := m.NewLabel()
	m.eachPart(in, func(part int, one *vcode.Inst) {
		next := m.NewLabel()
		m.RR(KMOVW_RK, V128, RAX, 0, m.execution(one), 0)
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, next)
		m.GRR(TZCNT, RCX, RAX)
		do(part)
		m.Jmp(done)
		m.Bind(next)
	})
	m.Bind(done)
}

// multiElect holds the elected lane of each part in the first row.
func multiElect(m *machine, in *vcode.Inst) {
	m.broadcast(2, 0)
	// The row has a word per part; all but the part with the elected lane have an empty mask.
	m.RM(VMOVDQU32_ST, V512, 2, 0, m.partScratch(0), 0)
	m.firstActive(in, func(part int) {
		m.GRR(XOR, RCX, RCX)
		m.GRR(SUB, RCX, RAX)
		m.GRR(AND, RAX, RCX)
		m.GRM(MOV_ST, RAX, m.scratch(int32(4*part)))
	})
	m.eachPart(in, func(part int, one *vcode.Inst) {
		m.RM(KMOVW, V128, 2, 0, m.scratch(int32(4*part)), 0)
		m.doneMask(one, 2)
	})
}

// multiAllEqual compares with the value of the lowest active lane, floats as floats.
func multiAllEqual(m *machine, in *vcode.Inst) {
	m.eachPart(in, func(part int, one *vcode.Inst) {
		m.RM(VMOVDQU32_ST, V512, m.vec(one.Uses[0], 2), 0, m.partScratch(part), 0)
	})
	m.broadcast(3, 0)
	m.firstActive(in, func(part int) {
		// RCX is the lane number, lane32 its word in the row.
		m.RM(VPBROADCASTD, V512, 3, 0, m.lane32(int32(64*part)), 0)
	})
	m.GRR(XOR, RAX, RAX)
	m.eachPart(in, func(part int, one *vcode.Inst) {
		k := m.execution(one)
		m.RM(VMOVDQU32, V512, 2, 0, m.partScratch(part), 0)
		if in.Key.From == ir.F32 {
			m.RRI(VCMPPS, V512, 2, 2, 3, orderedEQ, K(k))
		} else {
			m.RRI(VPCMPUD, V512, 2, 2, 3, compareEQ, K(k))
		}
		// The compare under mask k yields a subset of k; the difference is the lanes with another
		// value. Floats compare by feq: a NaN differs from itself, and −0 equals +0.
		m.RR(KXORW, V128, 2, 2, k, 0)
		m.RR(KMOVW_RK, V128, RCX, 0, 2, 0)
		m.GRR(OR, RAX, RCX)
	})
	m.GRR(TEST, RAX, RAX)
	m.multiTruth(in, Equal)
}

// multiBallot is the lanes of two parts as a number, 0 beyond the strip. Two parts of 16 lanes fill
// a word of 32 bits; the loop starts with the upper part, which the shift then moves up.
//
//	word Aux   | part 2·Aux+1 | part 2·Aux |
//	bit        31           16 15          0
func multiBallot(m *machine, in *vcode.Inst) {
	m.GRR(XOR, RAX, RAX)
	for half := 1; half >= 0; half-- {
		part := 2*in.Key.Aux + uint64(half)
		if part >= uint64(len(in.Masks)) {
			continue
		}
		one := m.partOfStrip(in, int(part))
		m.RR(KANDW, V128, 2, m.mask(one.Uses[0], 2), m.execution(&one), 0)
		m.RR(KMOVW_RK, V128, RCX, 0, 2, 0)
		m.ShiftI(ShlI, false, RAX, zmmLanes)
		m.GRR(OR, RAX, RCX)
	}
	m.RR(VPBROADCASTD_R, V512, 2, 0, RAX, 0)
	m.eachPart(in, func(_ int, one *vcode.Inst) { m.define(one, 2) })
}

// multiShuffle reads 0 from inactive lanes and from beyond the strip. A gather from the rows costs
// one load per lane, but works for any number of parts. Without memory, n parts need n permutes of n
// operands: n² permutes and blends.
func multiShuffle(m *machine, in *vcode.Inst) {
	m.eachPart(in, func(part int, one *vcode.Inst) {
		// Inactive lanes become 0 in the row, so that the gather needs no mask of its operand.
		m.RR(VMOVDQA32, V512, 2, 0, m.vec(one.Uses[0], 2), K(m.execution(one))|Z)
		m.RM(VMOVDQU32_ST, V512, 2, 0, m.partScratch(part), 0)
	})
	m.eachPart(in, func(part int, one *vcode.Inst) {
		m.loadVec(3, one.Uses[1])
		m.RMI(VPCMPUD, V512, 2, 3, m.word32(uint32(len(in.Masks)*zmmLanes)), compareLT, BC)
		m.broadcast(2, 0)
		// The index is a lane number of the strip; the rows are contiguous, so it is the word's
		// index too.
		m.RM(VPGATHERDD, V512, 2, 0, Indexed(R14, 3, 4, m.record.Scratch), K(2))
		m.RM(VMOVDQU32_ST, V512, 2, 0, m.scratch(multiResults+int32(64*part)), 0)
	})
	m.fromScratch(in, multiResults)
}

// multiQuadSwap preserves a lane's own value if its partner is inactive. Lane i reads lane i xor n.
// In quads of consecutive lanes n is 1, 2 or 3, and the partner is in the same part; with a QuadRow
// of 16 or more the vertical neighbor is in another part.
func multiQuadSwap(m *machine, in *vcode.Inst) {
	n := m.prog.QuadLane(in.Key.Aux & 3)
	m.eachPart(in, func(part int, one *vcode.Inst) {
		other := m.partOfStrip(in, part^int(n/zmmLanes))
		m.partnerMask(m.execution(&other), n%zmmLanes)
		m.loadVec(4, one.Uses[0])
		m.permuteXor(4, m.vec(other.Uses[0], 5), n%zmmLanes, K(2))
		m.RM(VMOVDQU32_ST, V512, 4, 0, m.partScratch(part), 0)
	})
	m.fromScratch(in, 0)
}

// multiMembers puts the operand into the rows, with the identity in inactive lanes.
func (m *machine) multiMembers(in *vcode.Inst, op ir.Op) {
	m.eachPart(in, func(part int, one *vcode.Inst) {
		m.maskedOperand(one, op)
		m.RM(VMOVDQU32_ST, V512, 2, 0, m.partScratch(part), 0)
	})
}

// multiCluster returns the operator of a reduction or scan and the cluster size in lanes.
func (m *machine) multiCluster(in *vcode.Inst) (c Op, op ir.Op, cluster int) {
	c, op, cluster, _ = combinerOf(in)
	if cluster == 0 {
		cluster = int(m.prog.SubgroupSize)
	}
	return c, op, cluster
}

// multiReduce is a tree over the lane index (package ir, "Groups"), first within parts and then over
// parts. Lanes that are no multiple of the step compute unused values. The order is the same as in
// reduce: first distances below 16 within a part, then distances of 16, 32 and 64 lanes between
// rows.
func multiReduce(m *machine, in *vcode.Inst) {
	c, op, cluster := m.multiCluster(in)
	m.eachPart(in, func(part int, one *vcode.Inst) {
		m.maskedOperand(one, op)
		for k := 1; k < min(cluster, zmmLanes); k *= 2 {
			m.RRI(VALIGND, V512, 3, 2, 2, uint8(k), 0)
			m.combine(c, op, 2, 2, 3, 0)
		}
		m.RM(VMOVDQU32_ST, V512, 2, 0, m.partScratch(part), 0)
	})
	for k := 1; k < cluster/zmmLanes; k *= 2 {
		for part := 0; part+k < len(in.Masks); part += 2 * k {
			m.RM(VMOVDQU32, V512, 2, 0, m.partScratch(part), 0)
			m.RM(VMOVDQU32, V512, 3, 0, m.partScratch(part+k), 0)
			m.combine(c, op, 2, 2, 3, 0)
			m.RM(VMOVDQU32_ST, V512, 2, 0, m.partScratch(part), 0)
		}
	}
	m.eachPart(in, func(part int, one *vcode.Inst) {
		if n := cluster / zmmLanes; n > 0 {
			// One cluster covers n whole rows, and its result is in the first word of the first one.
			m.RM(VPBROADCASTD, V512, 2, 0, m.partScratch(part/n*n), 0)
		} else {
			m.RM(VMOVDQU32, V512, 2, 0, m.partScratch(part), 0)
			m.RM(VMOVDQU32, V512, 3, 0, m.iota16(), 0)
			m.RM(VPANDD, V512, 3, 3, m.word32(uint32(-cluster)), BC)
			m.RR(VPERMD, V512, 2, 3, 2, 0)
		}
		m.define(one, 2)
	})
}

// multiInclusiveScan computes the inclusive scan of the clusters in the rows (Kogge & Stone 1973). A
// step goes from the last part to the first, so that it reads rows of the previous step.
func (m *machine) multiInclusiveScan(in *vcode.Inst) {
	c, op, cluster := m.multiCluster(in)
	m.multiMembers(in, op)
	for k := 1; k < cluster; k *= 2 {
		for part := len(in.Masks) - 1; part >= 0; part-- {
			high := uint64(0) // lanes with index at least k in their cluster
			for lane := range zmmLanes {
				if (part*zmmLanes+lane)%cluster >= k {
					high |= 1 << lane
				}
			}
			if high == 0 {
				continue
			}
			m.RM(VMOVDQU32, V512, 2, 0, m.partScratch(part), 0)
			m.RM(VMOVDQU32, V512, 3, 0, m.partScratch(max(part-max(k/zmmLanes, 1), 0)), 0)
			if k < zmmLanes {
				m.RRI(VALIGND, V512, 3, 2, 3, uint8(zmmLanes-k), 0)
			}
			m.MovI(RAX, high)
			m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
			m.combine(c, op, 2, 3, 2, K(2))
			m.RM(VMOVDQU32_ST, V512, 2, 0, m.partScratch(part), 0)
		}
	}
}

func multiScan(m *machine, in *vcode.Inst) {
	m.multiInclusiveScan(in)
	m.fromScratch(in, 0)
}

// multiScanExclusive shifts the inclusive scan by one active lane within each cluster, with the
// identity first, part by part. The row of results carries the value from one part to the next. It
// is a loop over active lanes, with two rows as variables: multiResults holds the value for the next
// lane, and the word after it the lane's own. An exclusive scan of clusters with inactive lanes has
// no vector form as short as compress and expand, since these cross clusters.
func multiScanExclusive(m *machine, in *vcode.Inst) {
	_, op, cluster := m.multiCluster(in)
	m.multiInclusiveScan(in)
	identity := uint64(uint32(ir.Identity(op, in.Key.Type)))
	step := min(cluster, zmmLanes)
	for from := 0; from < len(in.Masks)*zmmLanes; from += step {
		part, low := from/zmmLanes, from%zmmLanes
		one := m.partOfStrip(in, part)
		if from%cluster == 0 {
			m.MovI(RDX, identity)
			m.GRM(MOV_ST, RDX, m.scratch(multiResults))
		}
		next, done := m.NewLabel(), m.NewLabel()
		m.RR(KMOVW_RK, V128, RAX, 0, m.execution(&one), 0)
		if step < zmmLanes {
			// The bits of the other clusters in this part are cleared; their iterations handle them.
			m.GI(AndI, false, RAX, int32(1<<step-1)<<low)
		}
		m.Bind(next)
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, done)
		m.GRR(TZCNT, RCX, RAX)
		at := m.lane32(int32(64 * part))
		m.GRM(MOV, RDX, at)
		m.GRM(MOV_ST, RDX, m.scratch(multiResults+4))
		m.GRM(MOV, RDX, m.scratch(multiResults))
		m.GRM(MOV_ST, RDX, at)
		m.GRM(MOV, RDX, m.scratch(multiResults+4))
		m.GRM(MOV_ST, RDX, m.scratch(multiResults))
		m.GRM(LEA, RCX, At(RAX, -1)) // clear the lowest bit
		m.GRR(AND, RAX, RCX)
		m.Jmp(next)
		m.Bind(done)
	}
	m.fromScratch(in, 0)
}
