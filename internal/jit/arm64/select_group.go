package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// groups are the rules of operations between the lanes of a subgroup, which has all parts of the instruction. A result may have the
// register of an operand that is dead after the instruction, so that all operands are read before the first result is written. Clusters,
// scans and operands of 64 bits exit to Go.
var groups = map[ir.Op]emitter{
	ir.Elect: elect, ir.Any: anyLane, ir.All: allLanes, ir.Ballot: ballot, ir.Shuf: shuffle, ir.Reduce: reduce, ir.QuadSwap: quadSwap,
}

// maxGroupParts is the number of parts for which a general register has a bit of each lane, and rows in the scratch memory.
const maxGroupParts = 16

// Rows of the scratch memory: a vector for each part, and one of zeros after the first ones.
const rowBytes = maxGroupParts*vectorBytes + 64

// combiners are the operators of reductions.
var combiners = map[codegen.Rule]Op{
	{ir.Add, ir.I32, ir.I32}:  VADD,
	{ir.Mul, ir.I32, ir.I32}:  VMUL,
	{ir.UMin, ir.I32, ir.I32}: VUMIN,
	{ir.UMax, ir.I32, ir.I32}: VUMAX,
	{ir.SMin, ir.I32, ir.I32}: VSMIN,
	{ir.SMax, ir.I32, ir.I32}: VSMAX,
	{ir.FAdd, ir.F32, ir.F32}: VFADD,
	{ir.FMul, ir.F32, ir.F32}: VFMUL,
}

// combinerOf returns the operator of a reduction, its instruction or 0, and the cluster size; 0 is the subgroup.
func combinerOf(in *vcode.Inst) (op ir.Op, c Op, cluster int) {
	op, t := ir.Op(in.Key.Aux&0xff), in.Key.Type
	return op, combiners[codegen.Rule{op, t, t}], int(in.Key.Aux >> 8)
}

// groupNative reports whether groups has code for a Strip.
func groupNative(in *vcode.Inst) bool {
	if len(in.Masks) > maxGroupParts || groups[in.IR] == nil {
		return false
	}
	switch in.IR {
	case ir.Shuf, ir.QuadSwap:
		return vcode.ClassOf(in.Key.Type) == vcode.Vec
	case ir.Reduce:
		_, c, cluster := combinerOf(in)
		return c != 0 && (cluster == 0 || cluster == lanes*len(in.Masks)) && in.Key.Flags&ir.RTZ == 0
	}
	return true
}

// row returns a part's vector in the first or second rows of the scratch memory.
func (m *machine) row(which, part int) Mem {
	return At(record, int64(m.record.Scratch)+int64(which*rowBytes+vectorBytes*part))
}

// putAll writes v, which is not V4 or V5, to all parts of the result.
func (m *machine) putAll(in *vcode.Inst, v Reg) {
	for part := range in.Masks {
		one := groupPart(in, part)
		m.put(&one, in.Defs[part], v)
	}
}

// groupPart returns an instruction with the mask and result of one part.
func groupPart(in *vcode.Inst, part int) vcode.Inst {
	one := *in
	one.Masks, one.Defs = in.Masks[part:part+1], in.Defs[part:part+1]
	return one
}

// laneBits puts the lanes of the masks, intersected with u if present, into X0, a bit each. It clobbers V0 to V2 and X1.
func (m *machine) laneBits(in *vcode.Inst, u []vcode.Reg) {
	m.MovI(X0, 0)
	m.literal(2, quadBits)
	for part, r := range in.Masks {
		k := m.vec(r, 0)
		if u != nil {
			m.bits(VAND, 0, k, m.vec(u[part], 1))
			k = 0
		}
		m.bits(VAND, 0, k, 2)
		m.V2(VADDV, S4, 0, 0)
		m.emit(Insn{Op: FMOVWS, D: X1, N: 0})
		m.RL(ORR|W, X0, X0, X1, int64(lanes*part))
	}
}

// elect is true in the lowest active lane.
func elect(m *machine, in *vcode.Inst) {
	m.laneBits(in, nil)
	m.R(NEG|W, X1, 0, X0)
	m.R(AND|W, X0, X0, X1)
	for part := range in.Masks {
		m.RI(LSRI|W, X1, X0, int64(lanes*part))
		m.splat(0, X1)
		m.literal(1, quadBits)
		m.s4(VCMTST, 0, 0, 1)
		one := groupPart(in, part)
		m.put(&one, in.Defs[part], 0)
	}
}

// ballot is word Aux of the mask of lanes with a true u.
func ballot(m *machine, in *vcode.Inst) {
	m.laneBits(in, in.Uses)
	switch {
	case in.Key.Aux > 1:
		m.MovI(X0, 0)
	case in.Key.Aux == 1:
		m.RI(LSRI|W, X0, X0, 32)
	}
	m.splat(0, X0)
	m.putAll(in, 0)
}

// anyLane is true if u is true in an active lane.
func anyLane(m *machine, in *vcode.Inst) {
	m.laneBits(in, in.Uses)
	m.truthOf(in, NE)
}

// allLanes is true if u is true in all active lanes: the active lanes with u are the active lanes.
func allLanes(m *machine, in *vcode.Inst) {
	m.laneBits(in, in.Uses)
	m.Move(X2, X0)
	m.laneBits(in, nil)
	m.R(EOR|W, X0, X0, X2)
	m.truthOf(in, EQ)
}

// truthOf makes the result the condition on X0 compared with 0, in all lanes.
func (m *machine) truthOf(in *vcode.Inst, c Cond) {
	m.cmpI(W, X0, 0)
	m.emit(Insn{Op: CSETM, D: X0, Cond: c})
	m.splat(0, X0)
	m.putAll(in, 0)
}

// shuffle is u0 of lane u1, 0 if that is inactive. The first rows have u0 of the active lanes and zeros, with a vector of zeros after them
// for lanes that do not exist; the second rows have u1.
func shuffle(m *machine, in *vcode.Inst) {
	parts := len(in.Masks)
	for part, k := range in.Masks {
		m.bits(VAND, 0, m.vec(in.Uses[part], 0), m.vec(k, 1))
		m.store(0, m.row(0, part))
		m.store(m.vec(in.Uses[parts+part], 0), m.row(1, part))
	}
	m.zero(0)
	m.store(0, m.row(0, parts))
	m.addI(X1, record, uint64(m.record.Scratch))
	for part := range parts {
		for lane := range uint8(lanes) {
			m.loadW(X0, plusBytes(m.row(1, part), 4*int64(lane)))
			m.MovI(X2, uint64(lanes*parts))
			m.R(CMP, 0, X0, X2)
			m.Select(CSEL, X0, X0, X2, LO)
			m.RL(ADD|W, X0, X1, X0, 2)
			m.VE(LD1S, S4, 0, X0, lane)
		}
		one := groupPart(in, part)
		m.put(&one, in.Defs[part], 0)
	}
}

// reduce is a tree over the lanes, with the identity in inactive ones:
//
//	k = 1    x0∘x1, …             a vector with its neighbors exchanged
//	k = 2    (x0∘x1)∘(x2∘x3)      with its halves exchanged
//	k = 4…   first lanes of two parts
func reduce(m *machine, in *vcode.Inst) {
	op, c, _ := combinerOf(in)
	for part, k := range in.Masks {
		m.fill(0, uint32(ir.Identity(op, in.Key.Type)))
		m.bits(VBIT, 0, m.vec(in.Uses[part], 1), m.vec(k, 2))
		m.V2(VREV64, S4, 1, 0)
		m.s4(c, 0, 0, 1)
		m.emit(Insn{Op: VEXT, Arr: B16, D: 1, N: 0, M: 0, Index: 8})
		m.s4(c, 0, 0, 1)
		m.store(0, m.row(0, part))
	}
	for k := 1; k < len(in.Masks); k *= 2 {
		for part := 0; part+k < len(in.Masks); part += 2 * k {
			m.load(0, m.row(0, part))
			m.load(1, m.row(0, part+k))
			m.s4(c, 0, 0, 1)
			m.store(0, m.row(0, part))
		}
	}
	m.load(0, m.row(0, 0))
	m.VE(VDUP, S4, 0, 0, 0)
	m.putAll(in, 0)
}

// quadSwap is u of the lane whose number is this lane's xor n, this lane's u if that is inactive. The mask of the partner moves as its value
// does.
func quadSwap(m *machine, in *vcode.Inst) {
	n := m.prog.QuadLane(in.Key.Aux & 3)
	for part := range in.Masks {
		other := part ^ int(n/lanes)
		m.swap(0, m.vec(in.Uses[other], 0), n%lanes)
		m.swap(1, m.vec(in.Masks[other], 1), n%lanes)
		m.loadVec(2, in.Uses[part])
		m.bits(VBIT, 2, 0, 1)
		m.store(2, m.row(0, part))
	}
	for part := range in.Masks {
		m.load(0, m.row(0, part))
		one := groupPart(in, part)
		m.put(&one, in.Defs[part], 0)
	}
}

// swap sets lane i of d to lane i xor n of x.
func (m *machine) swap(d, x Reg, n uint64) {
	if n&1 != 0 {
		m.V2(VREV64, S4, d, x)
		x = d
	}
	if n&2 != 0 {
		m.emit(Insn{Op: VEXT, Arr: B16, D: d, N: x, M: x, Index: 8})
		x = d
	}
	m.moveVec(d, x)
}
