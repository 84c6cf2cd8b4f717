package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// combiners are the operators of reductions and scans: V0 = V0 op V1.
var combiners = map[codegen.Rule]body{}

func init() {
	for op, do := range map[ir.Op]body{
		ir.Add: direct(VADD), ir.UMin: direct(VUMIN), ir.UMax: direct(VUMAX), ir.SMin: direct(VSMIN), ir.SMax: direct(VSMAX),
		ir.Mul: direct(VMUL), ir.And: logic(VAND), ir.Or: logic(VORR), ir.Xor: logic(VEOR),
	} {
		combiners[codegen.Rule{op, ir.I32, ir.I32}] = do
	}
	for op, do := range map[ir.Op]body{
		ir.Add: direct(VADD), ir.UMin: choice(VCMHI, true), ir.UMax: choice(VCMHI, false), ir.SMin: choice(VCMGT, true),
		ir.SMax: choice(VCMGT, false), ir.Mul: scalarBody(func(m *machine, w Op) { m.R(MUL|w, X0, X0, X1) }),
		ir.And: logic(VAND), ir.Or: logic(VORR), ir.Xor: logic(VEOR),
	} {
		combiners[codegen.Rule{op, ir.I64, ir.I64}] = do
	}
	for _, t := range [...]ir.Type{ir.F32, ir.F64} {
		for op, do := range map[ir.Op]body{
			ir.FAdd: direct(VFADD), ir.FMul: direct(VFMUL),
			ir.NMin: func(m *machine, t Arr, _ uint32) { m.numeric(t, 0, 1, VFMINNM) },
			ir.NMax: func(m *machine, t Arr, _ uint32) { m.numeric(t, 0, 1, VFMAXNM) },
		} {
			combiners[codegen.Rule{op, t, t}] = do
		}
	}
}

// combinerRule returns the rule of the operator of a reduction or scan.
func combinerRule(in *vcode.Inst) codegen.Rule {
	return codegen.Rule{ir.Op(in.Key.Aux & 0xff), in.Key.Type, in.Key.Type}
}

// combine is V0 = V0 op V1 for the operator of a reduction or scan. It clobbers V1 to V4 and X0 to X2.
func (m *machine) combine(in *vcode.Inst) {
	combiners[combinerRule(in)](m, rowArr(in), uint32(in.Key.Type.Bits()))
}

// clusterOf returns the lanes of the clusters of a reduction or scan, by default those of the instruction.
func (m *machine) clusterOf(in *vcode.Inst) int {
	if n := int(in.Key.Aux >> 8); n != 0 {
		return n
	}
	return min(int(m.prog.SubgroupSize), lanes*len(in.Masks))
}

// identity fills v with the identity of the operator.
func (m *machine) identity(v Reg, in *vcode.Inst) {
	m.lanesOf(rowArr(in), v, ir.Identity(combinerRule(in).Op, in.Key.Type))
}

// combinedRows puts the operand into the rows, with the identity in inactive lanes.
func (m *machine) combinedRows(in *vcode.Inst) {
	for i := range rowsOf(in) {
		m.rowOperand(1, in, 0, i)
		m.rowMask(2, in, i)
		m.identity(0, in)
		m.bits(VBIT, 0, 1, 2)
		m.store(0, m.row(0, i))
	}
}

// reduce is a tree over the lanes of a cluster, with the identity in inactive ones. Lanes that are no multiple of the step have unused
// values:
//
//	k = 1    x0∘x1, …             a vector with its neighbors exchanged
//	k = 2    (x0∘x1)∘(x2∘x3)      with its halves exchanged
//	k = 4…   first lanes of two rows
func reduce(m *machine, in *vcode.Inst) {
	t, cluster := rowArr(in), m.clusterOf(in)
	wide := rowLanes(t)
	m.combinedRows(in)
	for i := range rowsOf(in) {
		m.load(0, m.row(0, i))
		for k := 1; k < min(cluster, wide); k *= 2 {
			m.moveVec(1, 0)
			m.swap(t, 1, uint64(k))
			m.combine(in)
		}
		m.store(0, m.row(0, i))
	}
	for k := 1; k < cluster/wide; k *= 2 {
		for i := 0; i+k < rowsOf(in); i += 2 * k {
			m.load(0, m.row(0, i))
			m.load(1, m.row(0, i+k))
			m.combine(in)
			m.store(0, m.row(0, i))
		}
	}
	rows := max(cluster/wide, 1)
	if in.Key.Aux>>8 == 0 { // the result of a whole subgroup is in all lanes, also in those beyond a narrow one
		rows = rowsOf(in)
	}
	for i := range rowsOf(in) {
		m.load(0, m.row(0, i/rows*rows))
		switch {
		case in.Key.Aux>>8 == 0 || cluster >= wide:
			m.VE(VDUP, t, 0, 0, 0)
		case cluster == 2:
			m.s4(VTRN1, 0, 0, 0)
		}
		m.putRow(in, i, 0)
	}
}

// laneMask sets v to the lanes of row i whose number in their cluster is at least k, and reports whether these are all, or none.
func (m *machine) laneMask(v Reg, t Arr, i, cluster, k int) (all, none bool) {
	var words [4]uint32
	wide := rowLanes(t)
	all, none = true, true
	for word := range words {
		if lane := word * wide / 4; (i*wide+lane)%cluster >= k {
			words[word], none = ^uint32(0), false
		} else {
			all = false
		}
	}
	if !all && !none {
		m.literal(v, words)
	}
	return all, none
}

// lower puts the lanes k below those of row i into V0. Those of the first row are any.
func (m *machine) lower(t Arr, i, k int) {
	wide := rowLanes(t)
	if k >= wide {
		m.load(0, m.row(0, i-k/wide))
		return
	}
	m.load(0, m.row(0, max(i-1, 0)))
	m.load(1, m.row(0, i))
	m.emit(Insn{Op: VEXT, Arr: B16, D: 0, N: 0, M: 1, Index: uint8(vectorBytes - k<<t.size())})
}

// scan computes the inclusive scan of the clusters in the rows (Kogge & Stone 1973). A step goes from the last row to the first, so that it
// reads rows of the previous step.
func (m *machine) scan(in *vcode.Inst) {
	t, cluster := rowArr(in), m.clusterOf(in)
	m.combinedRows(in)
	for k := 1; k < cluster; k *= 2 {
		for i := rowsOf(in) - 1; i >= 0; i-- {
			if _, none := m.laneMask(5, t, i, cluster, k); none {
				continue
			}
			m.lower(t, i, k)
			m.load(1, m.row(0, i))
			m.combine(in)
			if all, _ := m.laneMask(5, t, i, cluster, k); !all {
				m.load(1, m.row(0, i))
				m.bits(VBIF, 0, 1, 5)
			}
			m.store(0, m.row(0, i))
		}
	}
}

func scanInclusive(m *machine, in *vcode.Inst) {
	m.scan(in)
	m.fromRows(in)
}

// scanExclusive shifts the inclusive scan by one active lane within each cluster, with the identity first: by one lane if all are active,
// else out of line.
func scanExclusive(m *machine, in *vcode.Inst) {
	t, cluster := rowArr(in), m.clusterOf(in)
	some, resume := m.NewLabel(), m.NewLabel()
	m.scan(in)
	m.laneBits(in, nil)
	all := ^uint64(0) >> (64 - lanes*len(in.Masks))
	m.MovI(X1, all)
	m.R(CMP|W, 0, X0, X1)
	m.BCond(NE, some)
	for i := rowsOf(in) - 1; i >= 0; i-- {
		switch every, none := m.laneMask(5, t, i, cluster, 1); {
		case none:
			m.identity(0, in)
		case every:
			m.lower(t, i, 1)
		default:
			m.lower(t, i, 1)
			m.identity(1, in)
			m.bits(VBIF, 0, 1, 5)
		}
		m.store(0, m.row(0, i))
	}
	m.Bind(resume)
	m.fromRows(in)
	m.outOfLine(in, func() {
		m.Bind(some)
		m.shiftLanes(in, cluster)
		m.B(resume)
	})
}

// shiftLanes exchanges the rows' values with those of the next lower active lanes of the clusters, with the identity in the first ones. X0
// has a bit for each active lane, from the current one on, X1 the address of its value, X2 the value for it, and LR its number.
func (m *machine) shiftLanes(in *vcode.Inst, cluster int) {
	next, inside, skip := m.NewLabel(), m.NewLabel(), m.NewLabel()
	size, load, store := int64(4), LDRW, STRW
	if rowArr(in) == D2 {
		size, load, store = 8, LDRX, STRX
	}
	m.addI(X1, record, uint64(m.record.Scratch))
	m.MovI(LR, 0)
	m.Bind(next)
	if cluster > 1 {
		m.RI(TSTI, 0, LR, int64(cluster-1))
		m.BCond(NE, inside)
	}
	m.MovI(X2, ir.Identity(combinerRule(in).Op, in.Key.Type))
	m.Bind(inside)
	m.unlessBit(X0, 0, skip)
	m.Access(load, scratch, At(X1, 0), address)
	m.Access(store, X2, At(X1, 0), address)
	m.Move(X2, scratch)
	m.Bind(skip)
	m.RI(LSRI|W, X0, X0, 1)
	m.plus(X1, X1, size)
	m.plus(LR, LR, 1)
	m.cmpI(W, LR, uint64(lanes*len(in.Masks)))
	m.BCond(NE, next)
}
