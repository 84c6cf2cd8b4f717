package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// groups are the rules of operations between lanes, for strips of one part.
var groups = map[ir.Op]emitter{
	ir.Elect:  elect,
	ir.Any:    anyLane,
	ir.All:    allLanes,
	ir.Ballot: ballot,
	ir.Shuf:   shuffle,
	ir.Reduce: reduce,
	ir.ScanI:  scanInclusive,
	ir.ScanX:  scanExclusive,

	ir.QuadSwap: quadSwap,
	ir.AllEq:    allEqual,
}

// combiners are the operators of reductions and scans.
var combiners = map[rule]Op{
	{ir.Add, ir.I32, ir.I32}:  VPADDD,
	{ir.Mul, ir.I32, ir.I32}:  VPMULLD,
	{ir.UMin, ir.I32, ir.I32}: VPMINUD,
	{ir.UMax, ir.I32, ir.I32}: VPMAXUD,
	{ir.SMin, ir.I32, ir.I32}: VPMINSD,
	{ir.SMax, ir.I32, ir.I32}: VPMAXSD,
	{ir.And, ir.I32, ir.I32}:  VPANDD,
	{ir.Or, ir.I32, ir.I32}:   VPORD,
	{ir.Xor, ir.I32, ir.I32}:  VPXORD,
	{ir.FAdd, ir.F32, ir.F32}: VADDPS,
	{ir.FMul, ir.F32, ir.F32}: VMULPS,
	{ir.NMin, ir.F32, ir.F32}: VRANGEPS,
	{ir.NMax, ir.F32, ir.F32}: VRANGEPS,
}

// combinerOf returns the operator of a reduction or scan and its cluster size, 0 for the whole
// subgroup.
func combinerOf(in *vcode.Inst) (c Op, op ir.Op, cluster int, ok bool) {
	op, t := ir.Op(in.Key.Aux&0xff), in.Key.Type
	c, ok = combiners[rule{op, t, t}]
	return c, op, int(in.Key.Aux >> 8), ok && in.Key.Flags&ir.RTZ == 0
}

// group emits an operation between lanes. multiGroups also has the exclusive scan of clusters within
// one part.
func (m *machine) group(in *vcode.Inst) {
	if len(in.Masks) > 1 || in.IR == ir.ScanX && in.Key.Aux>>8 != 0 {
		multiGroups[in.IR](m, in)
		return
	}
	groups[in.IR](m, in)
}

// groupNative reports whether there is code for an operation between lanes.
func groupNative(in *vcode.Inst) bool {
	switch {
	case len(in.Masks) > 1:
		return multiNative(in)
	case len(in.Masks) == 0 || groups[in.IR] == nil:
		return false
	}
	switch in.IR {
	case ir.AllEq:
		return in.Key.From == ir.I32 || in.Key.From == ir.F32
	case ir.Shuf, ir.QuadSwap:
		return vcode.ClassOf(in.Key.Type) == vcode.Vec
	case ir.Reduce, ir.ScanI, ir.ScanX:
		_, _, _, ok := combinerOf(in)
		return ok
	}
	return true
}

// elect is the lowest active lane.
func elect(m *machine, in *vcode.Inst) {
	m.RR(KMOVW_RK, V128, RAX, 0, m.execution(in), 0)
	m.GRR(XOR, RCX, RCX)
	m.GRR(SUB, RCX, RAX)
	m.GRR(AND, RAX, RCX)
	m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
	m.doneMask(in, 2)
}

// truth sets the mask result in all lanes to a condition of the flags.
func (m *machine) truth(in *vcode.Inst, c Cond) {
	m.SetCC(c, RAX)
	m.GRR(XOR, RCX, RCX)
	m.GRR(SUB, RCX, RAX)
	m.RR(KMOVW_KR, V128, 2, 0, RCX, 0)
	m.doneMask(in, 2)
}

func anyLane(m *machine, in *vcode.Inst) {
	m.RR(KANDW, V128, 2, m.mask(in.Uses[0], 2), m.execution(in), 0)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.truth(in, NotEqual)
}

func allLanes(m *machine, in *vcode.Inst) {
	m.RR(KANDNW, V128, 2, m.mask(in.Uses[0], 2), m.execution(in), 0)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.truth(in, Equal)
}

// ballot is the mask as a number; words beyond the strip are 0.
func ballot(m *machine, in *vcode.Inst) {
	m.RR(KANDW, V128, 2, m.mask(in.Uses[0], 2), m.execution(in), 0)
	m.RR(KMOVW_RK, V128, RAX, 0, 2, 0)
	if in.Key.Aux > 0 {
		m.GRR(XOR, RAX, RAX)
	}
	d, o := m.dest(in, 0)
	m.RR(VPBROADCASTD_R, V512, d, 0, RAX, o)
	m.done(in, d)
}

// shuffle reads 0 from inactive lanes and from beyond the part.
func shuffle(m *machine, in *vcode.Inst) {
	k := m.execution(in)
	x, from := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
	m.RR(VMOVDQA32, V512, 2, 0, x, K(k)|Z)
	m.RMI(VPCMPUD, V512, 2, from, m.word32(zmmLanes), compareLT, BC)
	m.RR(VPERMD, V512, 2, from, 2, K(2)|Z)
	m.define(in, 2)
}

// maskedOperand puts the operand into Z2, with the identity in inactive lanes.
func (m *machine) maskedOperand(in *vcode.Inst, op ir.Op) {
	k := m.execution(in)
	x := m.vec(in.Uses[0], 0)
	m.broadcast(2, uint32(ir.Identity(op, in.Key.Type)))
	m.RR(VMOVDQA32, V512, 2, 0, x, K(k))
	if op == ir.NMin || op == ir.NMax {
		m.RRI(VCMPPS, V512, 2, 2, 2, unordered, 0)
		m.RM(VPBROADCASTD, V512, 2, 0, m.word32(nan32), K(2))
	}
}

// combine is d = a op b. VRANGEPS prefers a number over a quiet NaN, and orders zeros by sign.
func (m *machine) combine(c Op, op ir.Op, d, a, b Reg, o Opt) {
	switch op {
	case ir.NMin:
		m.RRI(c, V512, d, a, b, rangeMin, o)
	case ir.NMax:
		m.RRI(c, V512, d, a, b, rangeMax, o)
	default:
		m.RR(c, V512, d, a, b, o)
	}
}

// size returns the number of lanes of a cluster; 0 is the subgroup.
func (m *machine) size(cluster int) int {
	if cluster == 0 {
		return int(min(m.prog.SubgroupSize, zmmLanes))
	}
	return cluster
}

// reduce is a tree over the lane index (package ir, "Groups"). Lanes that are no multiple of the step
// compute unused values.
func reduce(m *machine, in *vcode.Inst) {
	c, op, cluster, _ := combinerOf(in)
	m.maskedOperand(in, op)
	n := m.size(cluster)
	for k := 1; k < n; k *= 2 {
		m.RRI(VALIGND, V512, 3, 2, 2, uint8(k), 0)
		m.combine(c, op, 2, 2, 3, 0)
	}
	if cluster == 0 {
		m.RR(VPBROADCASTD, V512, 2, 0, 2, 0)
	} else {
		m.RM(VMOVDQU32, V512, 3, 0, m.iota16(), 0)
		m.RM(VPANDD, V512, 3, 3, m.word32(uint32(-n)), BC)
		m.RR(VPERMD, V512, 2, 3, 2, 0)
	}
	m.define(in, 2)
}

// scan computes the inclusive scan of the clusters in Z2 (Kogge & Stone 1973).
func (m *machine) scan(in *vcode.Inst) {
	c, op, cluster, _ := combinerOf(in)
	m.maskedOperand(in, op)
	n := m.size(cluster)
	for k := 1; k < n; k *= 2 {
		low := uint64(0) // lanes with index at least k in their cluster
		for lane := range zmmLanes {
			if lane%n >= k {
				low |= 1 << lane
			}
		}
		m.MovI(RAX, low)
		m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
		m.RRI(VALIGND, V512, 3, 2, 2, uint8(zmmLanes-k), 0)
		m.combine(c, op, 2, 3, 2, K(2))
	}
}

func scanInclusive(m *machine, in *vcode.Inst) {
	m.scan(in)
	m.define(in, 2)
}

// scanExclusive shifts the inclusive scan up by one active lane: compress, shift in the identity,
// expand.
func scanExclusive(m *machine, in *vcode.Inst) {
	m.scan(in)
	k := m.execution(in)
	m.RR(VPCOMPRESSD, V512, 2, 0, 2, K(k)|Z)
	_, op, _, _ := combinerOf(in)
	m.broadcast(3, uint32(ir.Identity(op, in.Key.Type)))
	m.RRI(VALIGND, V512, 2, 2, 3, zmmLanes-1, 0)
	m.RR(VPEXPANDD, V512, 2, 0, 2, K(k)|Z)
	m.define(in, 2)
}
