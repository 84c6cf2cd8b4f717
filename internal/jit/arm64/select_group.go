package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// groups are the rules of operations between the lanes of a subgroup, which has all parts of the instruction. A result may have the
// register of an operand that is dead after the instruction, so that all operands are read before the first result is written.
var groups map[ir.Op]emitter

func init() {
	groups = map[ir.Op]emitter{
		ir.Elect: elect, ir.Any: anyLane, ir.All: allLanes, ir.Ballot: ballot, ir.Shuf: shuffle, ir.QuadSwap: quadSwap,
		ir.Reduce: reduce, ir.ScanI: scanInclusive, ir.ScanX: scanExclusive,
	}
}

// maxGroupParts is the number of parts for which a general register has a bit of each lane, and rows in the scratch memory.
const maxGroupParts = 16

// Rows of the scratch memory: a vector for each part, and one of zeros after the first ones. Values of 64 bits have two rows of these.
const rowBytes = maxGroupParts*vectorBytes + 64

// groupNative reports whether groups has code for a Strip.
func groupNative(in *vcode.Inst) bool {
	if len(in.Masks) > maxGroupParts || groups[in.IR] == nil {
		return false
	}
	switch in.IR {
	case ir.Shuf, ir.QuadSwap:
		c := vcode.ClassOf(in.Key.Type)
		return c == vcode.Vec || c == vcode.Wide
	case ir.Reduce, ir.ScanI, ir.ScanX:
		return combiners[combinerRule(in)] != nil && in.Key.Flags&ir.RTZ == 0
	}
	return true
}

// row returns a vector in the first, second or third rows of the scratch memory.
func (m *machine) row(which, i int) Mem {
	return At(record, int64(m.record.Scratch)+int64(which*rowBytes+vectorBytes*i))
}

// rowArr returns the arrangement of the rows of an operation: vectors of four lanes, or of two with 64 bits.
func rowArr(in *vcode.Inst) Arr {
	if vcode.ClassOf(in.Key.Type) == vcode.Wide {
		return D2
	}
	return S4
}

// rowLanes returns the number of lanes of a row.
func rowLanes(t Arr) int { return vectorBytes >> t.size() }

// rowsOf returns the number of rows of an operation's value.
func rowsOf(in *vcode.Inst) int { return len(in.Masks) * lanes / rowLanes(rowArr(in)) }

// rowOperand loads row i of an operand, whose first part is the register first of the operands.
func (m *machine) rowOperand(v Reg, in *vcode.Inst, first, i int) {
	if rowArr(in) == D2 {
		m.loadHalf(v, in.Uses[first+i/2], i%2)
		return
	}
	m.loadVec(v, in.Uses[first+i])
}

// rowMask loads row i of the masks.
func (m *machine) rowMask(v Reg, in *vcode.Inst, i int) {
	if rowArr(in) == D2 {
		m.longMask(v, m.vec(in.Masks[i/2], v), i%2)
		return
	}
	m.loadVec(v, in.Masks[i])
}

// putRow writes v, which is not V4 or V5, to row i of the result.
func (m *machine) putRow(in *vcode.Inst, i int, v Reg) {
	if rowArr(in) == D2 {
		one := groupPart(in, i/2)
		m.doneHalf(&one, i%2, v)
		return
	}
	one := groupPart(in, i)
	m.put(&one, in.Defs[i], v)
}

// fromRows copies the first rows to the result.
func (m *machine) fromRows(in *vcode.Inst) {
	for i := range rowsOf(in) {
		m.load(0, m.row(0, i))
		m.putRow(in, i, 0)
	}
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
// for lanes that do not exist; the third rows have u1.
func shuffle(m *machine, in *vcode.Inst) {
	t, parts := rowArr(in), len(in.Masks)
	load := map[Arr]Op{S4: LD1S, D2: LD1D}[t]
	for i := range rowsOf(in) {
		m.rowOperand(0, in, 0, i)
		m.rowMask(1, in, i)
		m.bits(VAND, 0, 0, 1)
		m.store(0, m.row(0, i))
	}
	for part := range parts {
		m.store(m.vec(in.Uses[parts+part], 0), m.row(2, part))
	}
	m.zero(0)
	m.store(0, m.row(0, rowsOf(in)))
	m.addI(X1, record, uint64(m.record.Scratch))
	for i := range rowsOf(in) {
		for lane := range rowLanes(t) {
			m.loadW(X0, plusBytes(m.row(2, 0), 4*int64(i*rowLanes(t)+lane)))
			m.MovI(X2, uint64(lanes*parts))
			m.R(CMP, 0, X0, X2)
			m.Select(CSEL, X0, X0, X2, LO)
			m.RL(ADD|W, X0, X1, X0, int64(t.size()))
			m.VE(load, t, 0, X0, uint8(lane))
		}
		m.putRow(in, i, 0)
	}
}

// quadSwap is u of the lane whose number is this lane's xor n, this lane's u if that is inactive. The mask of the partner moves as its value
// does.
func quadSwap(m *machine, in *vcode.Inst) {
	n, t := m.prog.QuadLane(in.Key.Aux&3), rowArr(in)
	wide := uint64(rowLanes(t))
	for i := range rowsOf(in) {
		other := i ^ int(n/wide)
		m.rowOperand(0, in, 0, other)
		m.swap(t, 0, n%wide)
		m.rowMask(1, in, other)
		m.swap(t, 1, n%wide)
		m.rowOperand(2, in, 0, i)
		m.bits(VBIT, 2, 0, 1)
		m.store(2, m.row(0, i))
	}
	m.fromRows(in)
}

// swap sets lane i of v to lane i xor n.
func (m *machine) swap(t Arr, v Reg, n uint64) {
	if t == S4 && n&1 != 0 {
		m.V2(VREV64, S4, v, v)
	}
	if t == S4 && n&2 != 0 || t == D2 && n&1 != 0 {
		m.emit(Insn{Op: VEXT, Arr: B16, D: v, N: v, M: v, Index: 8})
	}
}
