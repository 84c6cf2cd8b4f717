package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
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

// combiners are the operators of reductions and scans. Types of 8, 16 and 64 bits have no row and
// exit to Go.
var combiners = map[codegen.Rule]Op{
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
	c, ok = combiners[codegen.Rule{op, t, t}]
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

// groupNative reports whether there is code for an operation between lanes. False means a service
// call, so the allocator must know it before code generation: such an instruction preserves no
// register (clobbers).
func groupNative(in *vcode.Inst) bool {
	switch n := len(in.Masks); {
	case n == 0, n == 1 && groups[in.IR] == nil, n > 1 && multiGroups[in.IR] == nil, n > multiParts:
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

// elect is the lowest active lane. x & −x isolates the lowest one bit:
//
//	active     0110 1000
//	−active    1001 1000
//	and        0000 1000   the elected lane, as a mask
//
// At least one lane is active (package ir, "Groups").
func elect(m *machine, in *vcode.Inst) {
	m.RR(KMOVW_RK, V128, RAX, 0, m.execution(in), 0)
	m.GRR(XOR, RCX, RCX)
	m.GRR(SUB, RCX, RAX)
	m.GRR(AND, RAX, RCX)
	m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
	m.doneMask(in, 2)
}

// truth sets the mask result in all lanes to a condition of the flags. It computes 0 − flag, because
// mask registers have no instruction that replicates a bit: 0 becomes an empty mask and 1 a full
// one. Only the low 16 bits reach K2.
func (m *machine) truth(in *vcode.Inst, c Cond) {
	m.SetCC(c, RAX)
	m.GRR(XOR, RCX, RCX)
	m.GRR(SUB, RCX, RAX)
	m.RR(KMOVW_KR, V128, 2, 0, RCX, 0)
	m.doneMask(in, 2)
}

// anyLane reports whether the operand is true in an active lane.
func anyLane(m *machine, in *vcode.Inst) {
	m.RR(KANDW, V128, 2, m.mask(in.Uses[0], 2), m.execution(in), 0)
	// KORTESTW sets the zero flag if the result is empty; it saves the move to a general register.
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.truth(in, NotEqual)
}

// The mask K2 contains the active lanes in which the operand is false: KANDNW is not the first
// operand, and the second.
func allLanes(m *machine, in *vcode.Inst) {
	m.RR(KANDNW, V128, 2, m.mask(in.Uses[0], 2), m.execution(in), 0)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.truth(in, Equal)
}

// ballot is the mask as a number; words beyond the strip are 0. Lanes 0 to 15 are bits 0 to 15 of
// word 0, as SPIR-V numbers the components of a ballot (OpGroupNonUniformBallot). Aux is the number
// of the word.
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

// shuffle reads 0 from inactive lanes and from beyond the part. VPERMD uses only the low four bits
// of an index, so that lane 17 would read lane 1; the comparison with the number of lanes clears
// those results.
func shuffle(m *machine, in *vcode.Inst) {
	k := m.execution(in)
	x, from := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
	// The copy has zeros in inactive lanes: the value of an inactive lane is undefined in SPIR-V,
	// the IR defines it as 0.
	m.RR(VMOVDQA32, V512, 2, 0, x, K(k)|Z)
	m.RMI(VPCMPUD, V512, 2, from, m.word32(zmmLanes), compareLT, BC)
	// The result and the source may be the same register, because VPERMD reads its operands first.
	m.RR(VPERMD, V512, 2, from, 2, K(2)|Z)
	m.define(in, 2)
}

// maskedOperand puts the operand into Z2, with the identity in inactive lanes. The identity e
// satisfies e op x = x: 0 for add, −0 for fadd, all ones for and, +∞ for nmin.
func (m *machine) maskedOperand(in *vcode.Inst, op ir.Op) {
	k := m.execution(in)
	x := m.vec(in.Uses[0], 0)
	m.broadcast(2, uint32(ir.Identity(op, in.Key.Type)))
	m.RR(VMOVDQA32, V512, 2, 0, x, K(k))
	if op == ir.NMin || op == ir.NMax {
		// VRANGEPS ignores a NaN only if it is quiet, so that each NaN becomes the canonical one
		// before the first step.
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

// size returns the number of lanes of a cluster; 0 is the subgroup. It is a power of two, and so are
// cluster sizes (SPIR-V, ClusteredReduce).
func (m *machine) size(cluster int) int {
	if cluster == 0 {
		return int(min(m.prog.SubgroupSize, zmmLanes))
	}
	return cluster
}

// reduce is a tree over the lane index (package ir, "Groups"). Lanes that are no multiple of the
// step compute unused values. The order of operations is part of the IR, because float addition is
// not associative: the interpreter and all levels yield the same bits. Four lanes:
//
//	lane        0             1          2          3
//	operand     a             b          c          d
//	step 1      a+b           b+c        c+d        …
//	step 2      (a+b)+(c+d)   …          …          …
//
// Step k adds the lane k above. The first lane of each cluster has the result, and a broadcast or a
// permute copies it to the others. For 16 lanes these are four steps, each with the latency of
// VALIGND and of the operator.
func reduce(m *machine, in *vcode.Inst) {
	c, op, cluster, _ := combinerOf(in)
	m.maskedOperand(in, op)
	n := m.size(cluster)
	for k := 1; k < n; k *= 2 {
		// Both operands are Z2: the shift of the pair by k lanes is a rotation.
		m.RRI(VALIGND, V512, 3, 2, 2, uint8(k), 0)
		m.combine(c, op, 2, 2, 3, 0)
	}
	if cluster == 0 {
		m.RR(VPBROADCASTD, V512, 2, 0, 2, 0)
	} else {
		m.RM(VMOVDQU32, V512, 3, 0, m.iota16(), 0)
		// n is a power of two, so that lane & −n is the first lane of the cluster.
		m.RM(VPANDD, V512, 3, 3, m.word32(uint32(-n)), BC)
		m.RR(VPERMD, V512, 2, 3, 2, 0)
	}
	m.define(in, 2)
}

// scan computes the inclusive scan of the clusters in Z2 (Kogge & Stone 1973). Four lanes, one
// cluster:
//
//	lane        0     1      2          3
//	operand     a     b      c          d
//	step 1      a     a+b    b+c        c+d         lanes 1, 2, 3 active
//	step 2      a     a+b    a+(b+c)    (a+b)+(c+d) lanes 2, 3 active
//
// It needs more operations than the scan of Brent & Kung 1982, n·log n instead of 2n, but lanes are
// free here and only the number of steps counts: log n instead of 2·log n.
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
		// The mask is a constant of the code; the masked operation preserves the lanes that have no
		// partner in their cluster, so that the rotation may bring any value there.
		m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
		m.RRI(VALIGND, V512, 3, 2, 2, uint8(zmmLanes-k), 0)
		// The lower lane is the left operand, as the order of the IR requires.
		m.combine(c, op, 2, 3, 2, K(2))
	}
}

// scanInclusive defines the sums up to each lane, which scan leaves in Z2.
func scanInclusive(m *machine, in *vcode.Inst) {
	m.scan(in)
	m.define(in, 2)
}

// scanExclusive shifts the inclusive scan up by one active lane: compress, shift in the identity,
// expand. Inactive lanes are skipped and not only neutral, because their own result is undefined but
// the next active lane must see the sum up to the previous one:
//
//	active      x   .   x   x
//	inclusive   a   .   b   c
//	compressed  a   b   c   0
//	shifted     e   a   b   c       e is the identity
//	expanded    e   .   a   b
func scanExclusive(m *machine, in *vcode.Inst) {
	m.scan(in)
	k := m.execution(in)
	m.RR(VPCOMPRESSD, V512, 2, 0, 2, K(k)|Z)
	_, op, _, _ := combinerOf(in)
	m.broadcast(3, uint32(ir.Identity(op, in.Key.Type)))
	// The pair is Z2 above Z3; lane 15 of the identity moves to lane 0.
	m.RRI(VALIGND, V512, 2, 2, 3, zmmLanes-1, 0)
	m.RR(VPEXPANDD, V512, 2, 0, 2, K(k)|Z)
	m.define(in, 2)
}
