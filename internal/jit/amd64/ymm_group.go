package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmGroups are the rules of operations between lanes. The parts of the strip are in rows of the
// scratch memory meanwhile. Unlike for AVX-512, one code serves strips of one and of several parts:
// masks are vectors here, and a subgroup of 32 lanes has four parts already. Only QuadSwap of one
// part avoids the rows.
var ymmGroups = map[ir.Op]ymmEmitter{
	ir.Elect:    ymmElect,
	ir.Any:      ymmAny,
	ir.All:      ymmAll,
	ir.Ballot:   ymmBallot,
	ir.Shuf:     ymmShuffle,
	ir.QuadSwap: ymmQuadSwap,
	ir.Reduce:   ymmReduce,
	ir.ScanI:    ymmScan,
	ir.ScanX:    ymmScanExclusive,
}

// ymmGroupParts is the number of parts that fit in the scratch memory.
const ymmGroupParts = 8

// ymmCombiners are the operators of reductions and scans.
var ymmCombiners = map[codegen.Rule]Op{
	{ir.Add, ir.I32, ir.I32}:  AVX_VPADDD,
	{ir.Mul, ir.I32, ir.I32}:  AVX_VPMULLD,
	{ir.UMin, ir.I32, ir.I32}: AVX_VPMINUD,
	{ir.UMax, ir.I32, ir.I32}: AVX_VPMAXUD,
	{ir.SMin, ir.I32, ir.I32}: AVX_VPMINSD,
	{ir.SMax, ir.I32, ir.I32}: AVX_VPMAXSD,
	{ir.And, ir.I32, ir.I32}:  AVX_VPAND,
	{ir.Or, ir.I32, ir.I32}:   AVX_VPOR,
	{ir.Xor, ir.I32, ir.I32}:  AVX_VPXOR,
	{ir.FAdd, ir.F32, ir.F32}: AVX_VADDPS,
	{ir.FMul, ir.F32, ir.F32}: AVX_VMULPS,
	{ir.NMin, ir.F32, ir.F32}: AVX_VMINPS, // see combine
	{ir.NMax, ir.F32, ir.F32}: AVX_VMAXPS,
}

// combine is Y0 = Y0 op Y1. It clobbers Y2, Y3 and Y4. VMINPS and VMAXPS order neither NaN nor zeros
// as the IR requires, so that these operators need several instructions (numeric).
func (m ymm) combine(c Op, op ir.Op) {
	if op == ir.NMin || op == ir.NMax {
		m.numeric(0, 1, op == ir.NMax)
		m.moveVec(0, 2)
		return
	}
	m.rr(c, 0, 0, 1)
}

// combiner returns the operator of a reduction or scan and its cluster size, by default the
// subgroup's.
func (m ymm) combiner(in *vcode.Inst) (c Op, op ir.Op, cluster int, ok bool) {
	op, t := ir.Op(in.Key.Aux&0xff), in.Key.Type
	c, ok = ymmCombiners[codegen.Rule{op, t, t}]
	if cluster = int(in.Key.Aux >> 8); cluster == 0 {
		cluster = int(m.prog.SubgroupSize)
	}
	return c, op, cluster, ok && in.Key.Flags&ir.RTZ == 0
}

// groupNative reports whether ymmGroups has code for an instruction.
func (m ymm) groupNative(in *vcode.Inst) bool {
	if len(in.Masks) > ymmGroupParts || ymmGroups[in.IR] == nil {
		return false
	}
	switch in.IR {
	case ir.Shuf, ir.QuadSwap:
		return vcode.ClassOf(in.Key.Type) == vcode.Vec
	case ir.Reduce, ir.ScanI, ir.ScanX:
		_, _, _, ok := m.combiner(in)
		return ok
	}
	return true
}

// partScratch returns the scratch memory of a part.
func (m ymm) partScratch(part int) Mem { return m.scratch(int32(part) * ymmBytes) }

// putAll writes y to all parts of the result. y must not be Y3 or Y4, which it clobbers.
func (m ymm) putAll(in *vcode.Inst, y Reg) {
	for part := range in.Masks {
		one := m.partOf(in, part)
		m.put(&one, in.Defs[part], y)
	}
}

// partOf returns an instruction with the mask and result of one part.
func (m ymm) partOf(in *vcode.Inst, part int) vcode.Inst {
	one := *in
	one.Masks, one.Defs = in.Masks[part:part+1], in.Defs[part:part+1]
	return one
}

// bits puts the lanes of the masks, intersected with u if present, into RAX. It clobbers RCX.
// VMOVMSKPS collects the sign bits of the lanes, which is a whole mask because all bits of a lane
// are equal:
//
//	part 1   part 0
//	lanes 15…8  lanes 7…0      bits of RAX
//
// The highest part is first, since each iteration shifts the earlier ones up by eight. Eight parts
// fill the 64 bits.
func (m ymm) bits(in *vcode.Inst, u []vcode.Reg) {
	m.GRR(XOR, RAX, RAX)
	for part := len(in.Masks) - 1; part >= 0; part-- {
		k := m.vec(in.Masks[part], 0)
		if u != nil {
			m.with(AVX_VPAND, 0, k, u[part])
			k = 0
		}
		m.rr(AVX_VMOVMSKPS, RCX, 0, k)
		m.ShiftI(ShlI, true, RAX, ymmLanes)
		m.GRR(OR|W, RAX, RCX)
	}
}

// ymmElect is the lowest active lane. x & −x isolates the lowest active lane of all parts at once,
// since RAX has a bit for each lane of the strip. Byte p of the result is the mask of part p.
func ymmElect(m ymm, in *vcode.Inst) {
	m.bits(in, nil)
	m.GRR(XOR, RCX, RCX)
	m.GRR(SUB|W, RCX, RAX)
	m.GRR(AND|W, RAX, RCX)
	m.GRM(MOV_ST|W, RAX, m.scratch(scratchBase))
	for part := range in.Masks {
		one := m.partOf(in, part)
		m.expand(0, m.scratch(scratchBase+int32(part)))
		m.put(&one, in.Defs[part], 0)
	}
}

// truth sets the mask result in all lanes to a condition of the flags. Unlike for AVX-512 the result
// is a vector of all ones or zeros, and so a broadcast of 0 − flag.
func (m ymm) truth(in *vcode.Inst, c Cond) {
	m.SetCC(c, RAX)
	m.GRR(XOR, RCX, RCX)
	m.GRR(SUB, RCX, RAX)
	m.splat(0, RCX)
	m.putAll(in, 0)
}

func ymmAny(m ymm, in *vcode.Inst) {
	m.bits(in, in.Uses)
	m.GRR(TEST|W, RAX, RAX)
	m.truth(in, NotEqual)
}

// ymmAll searches for an active lane in which the operand is false.
func ymmAll(m ymm, in *vcode.Inst) {
	for part, u := range in.Uses {
		y := Reg(0)
		if part > 0 {
			y = 1
		}
		m.loadVec(y, u)
		// not operand, and active: the lanes that refute the condition.
		m.with(AVX_VPANDN, y, y, in.Masks[part])
		if part > 0 {
			m.rr(AVX_VPOR, 0, 0, 1)
		}
	}
	// One test suffices for all parts, since the lanes of Y0 are the union over the parts.
	m.rr(AVX_VMOVMSKPS, RAX, 0, 0)
	m.GRR(TEST, RAX, RAX)
	m.truth(in, Equal)
}

// ymmBallot is a word of the lanes as a number, 0 beyond the strip. bits has numbered the lanes from
// bit 0 on. Eight parts of eight lanes, two words, are the maximum here (ymmGroupParts).
func ymmBallot(m ymm, in *vcode.Inst) {
	m.bits(in, in.Uses)
	switch in.Key.Aux {
	case 0:
	case 1:
		m.ShiftI(ShrI, true, RAX, 32)
	default:
		m.GRR(XOR, RAX, RAX)
	}
	m.splat(0, RAX)
	m.putAll(in, 0)
}

// ymmShuffle reads 0 from inactive lanes and from beyond the strip. AVX2 has VPERMD only within
// eight lanes, so that the index may address another part: the gather reads the rows.
func ymmShuffle(m ymm, in *vcode.Inst) {
	n := len(in.Masks)
	x, from := in.Uses[:n], in.Uses[n:]
	for part := range n {
		k := m.vec(in.Masks[part], 0)
		m.with(AVX_VPAND, 0, k, x[part])
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.partScratch(part))
	}
	for part := range n {
		index := m.vec(from[part], 1)
		// AVX2 has no unsigned comparison: min(i, n−1) = i is i < n. The gather reads lanes with the
		// sign bit of Y2 set, and leaves 0 in the others.
		m.word(AVX_VPMINUD, 2, index, uint32(n*ymmLanes-1))
		m.rr(AVX_VPCMPEQD, 2, 2, index)
		m.zero(0)
		m.rm(AVX_VPGATHERDD, 0, 2, Indexed(R14, index, 4, m.record.Scratch))
		m.rm(AVX_VMOVUPS_ST, 0, 0, plusBytes(m.partScratch(part), scratchResults))
	}
	m.fromScratch(in, scratchResults)
}

// permuteXor sets lane i of d to lane i xor n of x, with n below the lanes of a part. Bits 0 and 1
// of n permute within groups of four lanes (VPSHUFD), bit 2 exchanges the two 128-bit halves
// (VPERMQ, which is slower):
//
//	x           0 1 2 3 | 4 5 6 7
//	n = 1       1 0 3 2 | 5 4 7 6      VPSHUFD 0xb1
//	n = 4       4 5 6 7 | 0 1 2 3      VPERMQ 0x4e
func (m ymm) permuteXor(d, x Reg, n uint64) {
	if n&3 != 0 || n == 0 && d != x {
		m.rri(AVX_VPSHUFD, d, 0, x, quadOrders[n&3])
		x = d
	}
	if n&4 != 0 {
		m.rri(AVX_VPERMQ, d, 0, x, 0x4e)
	}
}

// ymmQuadSwap swaps lanes within quads and preserves a lane's own value if its partner is inactive.
// The mask of the partner moves by the same permutation as its value, so that it selects in the
// receiving lane.
func ymmQuadSwap(m ymm, in *vcode.Inst) {
	n := m.prog.QuadLane(in.Key.Aux & 3)
	if in.Key.Aux&(vcode.NearSide|vcode.FarSide) != 0 {
		m.quadSide(in, n)
		return
	}
	for part := range in.Masks {
		other := part ^ int(n/ymmLanes)
		m.permuteXor(1, m.vec(in.Uses[other], 1), n%ymmLanes)
		one := m.partOf(in, other)
		if !m.always(&one) {
			m.permuteXor(2, m.vec(in.Masks[other], 2), n%ymmLanes)
			m.blend(1, m.vec(in.Uses[part], 0), 1, 2)
		}
		if len(in.Masks) == 1 {
			m.put(in, in.Defs[0], 1)
			return
		}
		m.rm(AVX_VMOVUPS_ST, 1, 0, m.partScratch(part))
	}
	m.fromScratch(in, 0)
}

// quadSide reads the near or the far side of each quad, of which all lanes are active. n is 1, 2 or 4; VPERMQ moves halves for 4.
func (m ymm) quadSide(in *vcode.Inst, n uint64) {
	x, order, d := m.vec(in.Uses[0], 1), sideOrders[sideOrder(in)], m.dest(in, 1)
	if n < 4 {
		m.rri(AVX_VPSHUFD, d, 0, x, order[n])
	} else {
		m.rri(AVX_VPERMQ, d, 0, x, order[2])
	}
	m.done(in, d)
}

// ymmDemote adds the active lanes to the helpers. The helpers of a part are a word of the record,
// bit i for lane i. It is read at each store (storingLanes), so a program without demote has none.
func ymmDemote(m ymm, in *vcode.Inst) {
	at := At(R14, m.record.Helpers+8*int32(in.Part))
	m.rr(AVX_VMOVMSKPS, RAX, 0, m.execution(in, 0))
	m.GRM(MOV, RCX, at)
	m.GRR(OR, RAX, RCX)
	m.GRM(MOV_ST, RAX, at)
}

// ymmHelper is the mask of helpers.
func ymmHelper(m ymm, in *vcode.Inst) {
	m.expand(0, At(R14, m.record.Helpers+8*int32(in.Part)))
	m.put(in, in.Defs[0], 0)
}

// maskedOperand puts the operand into the rows, with the identity in inactive lanes.
func (m ymm) maskedOperand(in *vcode.Inst, op ir.Op) {
	for part := range in.Masks {
		m.fill(0, uint32(ir.Identity(op, in.Key.Type)))
		k := m.vec(in.Masks[part], 1)
		// VBLENDVPS tests only the sign bit of k, which suffices for a mask.
		m.withImm(AVX_VBLENDVPS, 0, 0, in.Uses[part], is4(k))
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.partScratch(part))
	}
}

// ymmReduce is a tree over the lane index (package ir, "Groups"), first within parts and then over
// parts. Lanes that are no multiple of the step compute unused values. The steps within a part, with
// VPSHUFD and VEXTRACTF128; a letter is a lane:
//
//	operand              a  b  c  d  e  f  g  h
//	0xf5 = 1 1 3 3       b  b  d  d  f  f  h  h      a+b is in lane 0, c+d in 2, …
//	0xee = 2 3 2 3       c' d' c' d' …              (a+b)+(c+d) in lane 0
//	upper half           e" f" g" h"                 the sum of eight in lane 0
//
// These patterns differ from the rotation of AVX-512 only in lanes that are not used.
func ymmReduce(m ymm, in *vcode.Inst) {
	c, op, cluster, _ := m.combiner(in)
	m.maskedOperand(in, op)
	for part := range in.Masks {
		m.rm(AVX_VMOVUPS, 0, 0, m.partScratch(part))
		for k := 1; k < min(cluster, ymmLanes); k *= 2 {
			switch k {
			case 1:
				m.rri(AVX_VPSHUFD, 1, 0, 0, 0xf5)
			case 2:
				m.rri(AVX_VPSHUFD, 1, 0, 0, 0xee)
			default:
				m.highHalf(1, 0)
			}
			m.combine(c, op)
		}
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.partScratch(part))
	}
	for k := 1; k < cluster/ymmLanes; k *= 2 {
		for part := 0; part+k < len(in.Masks); part += 2 * k {
			m.rm(AVX_VMOVUPS, 0, 0, m.partScratch(part))
			m.rm(AVX_VMOVUPS, 1, 0, m.partScratch(part+k))
			m.combine(c, op)
			m.rm(AVX_VMOVUPS_ST, 0, 0, m.partScratch(part))
		}
	}
	whole := in.Key.Aux>>8 == 0
	for part := range in.Masks {
		one := m.partOf(in, part)
		if whole || cluster >= ymmLanes {
			// The first word of the cluster's first row, which is in memory anyway. The result for a whole
			// subgroup is uniform, and so in all lanes, also those beyond a narrow subgroup.
			rows := max(cluster/ymmLanes, 1)
			m.rm(AVX_VBROADCASTSS, 0, 0, m.partScratch(part/rows*rows))
		} else {
			var first [8]uint32
			for lane := range first {
				first[lane] = uint32(lane / cluster * cluster)
			}
			m.rm(AVX_VMOVUPS, 0, 0, m.vector8(first))
			m.rm(AVX_VPERMD, 0, 0, m.partScratch(part))
		}
		m.put(&one, in.Defs[part], 0)
	}
}

// fromScratch copies the scratch memory of all parts from off on to the result. All operands must have
// been read, since they may share registers with it.
func (m ymm) fromScratch(in *vcode.Inst, off int32) {
	for part := range in.Masks {
		one := m.partOf(in, part)
		m.rm(AVX_VMOVUPS, 0, 0, plusBytes(m.partScratch(part), off))
		m.put(&one, in.Defs[part], 0)
	}
}
