package oracle

import (
	"math"
	"math/bits"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// request is a group operation at which an invocation waits. The invocations of a subgroup have one result if all of them wait at
// the same execution of an instruction: after the same blocks. If they differ, the specification leaves open which ones are together.
type request struct {
	frame   *frame
	at      int    // the instruction, from 0
	path    uint64 // of the invocation
	args    []value
	members []*request // of the subgroup, in order; of the workgroup if the subgroups are not known; nil if they differ
	lane    int        // in members

	shared  []Number // of the first member: the result of all, if it is found
	isFound bool
}

// folds are the operations of integers and bools that combine the values of a subgroup.
var folds = map[spirv.Op]ir.Op{
	spirv.OpGroupNonUniformIAdd: ir.Add, spirv.OpGroupNonUniformIMul: ir.Mul,
	spirv.OpGroupNonUniformSMin: ir.SMin, spirv.OpGroupNonUniformUMin: ir.UMin, spirv.OpGroupNonUniformSMax: ir.SMax, spirv.OpGroupNonUniformUMax: ir.UMax,
	spirv.OpGroupNonUniformBitwiseAnd: ir.And, spirv.OpGroupNonUniformBitwiseOr: ir.Or, spirv.OpGroupNonUniformBitwiseXor: ir.Xor,
	spirv.OpGroupNonUniformLogicalAnd: ir.And, spirv.OpGroupNonUniformLogicalOr: ir.Or, spirv.OpGroupNonUniformLogicalXor: ir.Xor,
}

// floatFolds are the atomics that combine floats as the group operations do.
var floatFolds = map[spirv.Op]spirv.Op{
	spirv.OpGroupNonUniformFAdd: spirv.OpAtomicFAddEXT, spirv.OpGroupNonUniformFMin: spirv.OpAtomicFMinEXT, spirv.OpGroupNonUniformFMax: spirv.OpAtomicFMaxEXT,
	spirv.OpGroupNonUniformFMul: spirv.OpFMul,
}

// idempotent are the operations whose result for invocations with one value is the value.
var idempotent = map[spirv.Op]bool{
	spirv.OpGroupNonUniformSMin: true, spirv.OpGroupNonUniformUMin: true, spirv.OpGroupNonUniformSMax: true, spirv.OpGroupNonUniformUMax: true,
	spirv.OpGroupNonUniformBitwiseAnd: true, spirv.OpGroupNonUniformBitwiseOr: true, spirv.OpGroupNonUniformLogicalAnd: true, spirv.OpGroupNonUniformLogicalOr: true,
	spirv.OpGroupNonUniformFMin: true, spirv.OpGroupNonUniformFMax: true,
}

// vintage are the instructions of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, which have no scope, with their successors.
var vintage = map[spirv.Op]spirv.Op{
	spirv.OpSubgroupAllKHR: spirv.OpGroupNonUniformAll, spirv.OpSubgroupAnyKHR: spirv.OpGroupNonUniformAny, spirv.OpSubgroupAllEqualKHR: spirv.OpGroupNonUniformAllEqual,
	spirv.OpSubgroupBallotKHR: spirv.OpGroupNonUniformBallot, spirv.OpSubgroupFirstInvocationKHR: spirv.OpGroupNonUniformBroadcastFirst,
	spirv.OpSubgroupReadInvocationKHR: spirv.OpGroupNonUniformBroadcast,
}

// isGroupOperation reports whether invocations wait for each other at an instruction of a subgroup.
func isGroupOperation(op spirv.Op) bool {
	return vintage[op] != 0 || strings.HasPrefix(op.String(), "OpGroupNonUniform")
}

// groupOperation executes an instruction of a subgroup; false if it is none.
func (x *frame) groupOperation(in spirv.Inst, i int) bool {
	op := in.Op()
	if !isGroupOperation(op) {
		return false
	}
	t := x.m.Type(in.Type())
	v, ok := anyOf(t, i+1)
	if !ok {
		x.undecided("%s", op)
	}
	x.vals[in.Result()] = v
	operands := in[3:]
	if now := vintage[op]; now != 0 {
		op = now
	} else if scope := x.operand(in[3]); len(scope) != 1 || scope[0].Any || spirv.Scope(scope[0].Bits) != spirv.ScopeSubgroup {
		return true // also of instructions without a scope, such as OpGroupNonUniformQuadAllKHR
	} else {
		operands = in[4:]
	}
	r := &request{frame: x, at: i, path: x.path}
	form := spirv.GroupOperationReduce
	if hasForm(op) {
		form, operands = spirv.GroupOperation(operands[0]), operands[1:]
	}
	for _, k := range operands {
		r.args = append(r.args, value{leaves: x.operand(k)})
	}
	x.request = r
	x.wait()
	x.request = nil
	if r.members == nil {
		return true
	}
	if list := x.grouped(op, form, t, r); list != nil {
		for k := range list {
			list[k].At = i + 1
		}
		x.vals[in.Result()] = value{leaves: list}
	}
	return true
}

// operand returns the scalars of an operand, without those of a pointer.
func (x *frame) operand(id uint32) []Number { return x.value(spirv.ID(id)).leaves }

// hasForm reports whether an instruction has the operand Group Operation.
func hasForm(op spirv.Op) bool {
	return folds[op] != 0 || floatFolds[op] != 0 || op == spirv.OpGroupNonUniformBallotBitCount
}

// resolve finds the subgroups of the invocations that wait at group operations, and lets them run.
func (w *group) resolve(list []*machine) {
	size := len(list)
	if n := list[0].subgroup(); n > 0 {
		size = n
	}
	for first := 0; first < len(list); first += size {
		lanes := list[first:min(first+size, len(list))]
		members := make([]*request, len(lanes))
		for k, m := range lanes {
			if members[k] = m.request; members[k] == nil || members[0] == nil || members[k].at != members[0].at || members[k].path != members[0].path {
				members = nil
				break
			}
		}
		for k, m := range lanes {
			if m.request != nil {
				m.request.members, m.request.lane, m.held = members, k, false
			}
		}
	}
}

// subgroup returns the size of the subgroups; 0 if it is not known.
func (d *dispatch) subgroup() int {
	if _, quads := d.job.Entry.Mode(spirv.ExecutionModeDerivativeGroupQuadsKHR); quads { // whose invocations have another order
		return 0
	}
	return int(min(d.job.SubgroupSize, maxGroup))
}

// grouped returns the result of a group operation; nil is any.
func (x *frame) grouped(op spirv.Op, form spirv.GroupOperation, t *facts.Type, r *request) []Number {
	size := x.subgroup()
	if size == 0 {
		first := r.members[0] // one result for all: it takes a look at each member
		if !first.isFound {
			first.shared, first.isFound = x.anywhere(op, form, t, r), true
		}
		return clone(first.shared)
	}
	switch op {
	case spirv.OpGroupNonUniformElect:
		return []Number{{Bits: bit(r.lane == 0)}}
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny:
		var all value
		for _, m := range r.members {
			all.leaves = append(all.leaves, m.args[0].leaves[0])
		}
		return logical(all, op == spirv.OpGroupNonUniformAll).leaves
	case spirv.OpGroupNonUniformAllEqual:
		return x.allEqual(r)
	case spirv.OpGroupNonUniformBroadcastFirst:
		return clone(r.members[0].args[0].leaves)
	case spirv.OpGroupNonUniformBallot:
		return ballot(r)
	}
	switch {
	case hasForm(op) && op != spirv.OpGroupNonUniformBallotBitCount:
		return x.reduced(op, form, t, r, r.terms(form, size))
	case len(r.args) > 0 && isBallot(op):
		return r.ballotValue(op, form, size)
	}
	if lane, ok := r.source(op, size); ok && lane >= 0 && lane < len(r.members) {
		return clone(r.members[lane].args[0].leaves)
	}
	return nil
}

func clone(list []Number) []Number { return append([]Number(nil), list...) }

// anywhere returns the result for any subgroups: one of the values of the workgroup.
func (x *frame) anywhere(op spirv.Op, form spirv.GroupOperation, t *facts.Type, r *request) []Number {
	switch op {
	case spirv.OpGroupNonUniformAllEqual:
		if equal := x.allEqual(r); !equal[0].Any && equal[0].Bits != 0 || len(r.members) == 1 {
			return equal
		}
		return nil
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformBroadcastFirst:
	default:
		if !idempotent[op] || form != spirv.GroupOperationReduce && form != spirv.GroupOperationInclusiveScan {
			return nil
		}
	}
	out := clone(r.members[0].args[0].leaves)
	for _, m := range r.members[1:] {
		for k := range out {
			out[k] = hull(t.Scalar(), out[k], m.args[0].leaves[k])
		}
	}
	if idempotent[op] && t.Scalar().IsFloat() {
		for k := range out {
			out[k] = x.finite(t.Scalar(), x.flushed(t.Scalar(), out[k]))
		}
	}
	return out
}

// finite returns any value in place of a float that may be infinite, unless the entry point preserves infinities.
func (x *frame) finite(t *facts.Type, n Number) Number {
	if !n.Any && n.infinite() && !x.infinite[t.Width] {
		return Number{Any: true}
	}
	return n
}

// allEqual compares the values of all members.
func (x *frame) allEqual(r *request) []Number {
	t := x.m.TypeOf(spirv.ID(x.m.Code.Inst(r.at)[len(x.m.Code.Inst(r.at))-1])).Scalar()
	first, out := r.members[0].args[0].leaves, Number{Bits: 1}
	for _, m := range r.members {
		for k, b := range m.args[0].leaves {
			a := first[k]
			if t.IsFloat() {
				a, b = x.finite(t, x.flushed(t, a)), x.finite(t, x.flushed(t, b))
			}
			switch {
			case a.Any || b.Any:
				out.Any = true
			case !t.IsFloat() && a.Bits != b.Bits || t.IsFloat() && (a.High < b.Low || b.High < a.Low):
				return []Number{{}}
			case t.IsFloat() && len(r.members) > 1 && !(a.isPoint() && b.isPoint()):
				out.Any = true
			case t.IsFloat() && math.Signbit(a.Low) != math.Signbit(b.Low): // -0 and 0, which are equal as numbers, not as bits
				out.Any = true
			}
		}
	}
	return []Number{out}
}

// ballot returns the bits of the members.
func ballot(r *request) []Number {
	out := make([]Number, 4)
	for lane, m := range r.members {
		b := m.args[0].leaves[0]
		if b.Any || lane >= 128 {
			return nil
		}
		out[lane/32].Bits |= b.Bits & 1 << (lane % 32)
	}
	return out
}

func isBallot(op spirv.Op) bool {
	switch op {
	case spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract, spirv.OpGroupNonUniformBallotBitCount,
		spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		return true
	}
	return false
}

// ballotValue returns the result of an operation on a ballot: bits beyond the subgroup do not count.
func (r *request) ballotValue(op spirv.Op, form spirv.GroupOperation, size int) []Number {
	words := r.args[0].leaves
	has := func(lane int) bool { return words[lane/32].Bits>>(lane%32)&1 != 0 }
	for _, w := range words {
		if w.Any || len(words) != 4 || size > 128 {
			return nil
		}
	}
	switch op {
	case spirv.OpGroupNonUniformInverseBallot:
		return []Number{{Bits: bit(has(r.lane))}}
	case spirv.OpGroupNonUniformBallotBitExtract:
		if n := r.args[1].leaves[0]; !n.Any && n.Bits < uint64(size) {
			return []Number{{Bits: bit(has(int(n.Bits)))}}
		}
		return nil
	case spirv.OpGroupNonUniformBallotBitCount:
		end := size
		switch form {
		case spirv.GroupOperationReduce:
		case spirv.GroupOperationInclusiveScan:
			end = r.lane + 1
		case spirv.GroupOperationExclusiveScan:
			end = r.lane
		default:
			return nil
		}
		n := uint64(0)
		for lane := range end {
			n += bit(has(lane))
		}
		return []Number{{Bits: n}}
	}
	least, most := -1, -1
	for lane := range size {
		if has(lane) {
			if most = lane; least < 0 {
				least = lane
			}
		}
	}
	switch {
	case least < 0:
		return nil
	case op == spirv.OpGroupNonUniformBallotFindLSB:
		return []Number{{Bits: uint64(least)}}
	}
	return []Number{{Bits: uint64(most)}}
}

// source returns the invocation from which an operation takes its value.
func (r *request) source(op spirv.Op, size int) (int, bool) {
	if len(r.args) < 2 || len(r.args[1].leaves) != 1 || r.args[1].leaves[0].Any || r.args[1].leaves[0].Bits >= maxGroup {
		return 0, false
	}
	n := int(r.args[1].leaves[0].Bits)
	switch op {
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformRotateKHR:
		if !sameArgument(r.members) {
			return 0, false
		}
	case spirv.OpGroupNonUniformQuadBroadcast:
		if quad := r.lane &^ 3; !sameArgument(r.members[quad:min(quad+4, len(r.members))]) {
			return 0, false
		}
	}
	switch op {
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle:
		return n, true
	case spirv.OpGroupNonUniformShuffleXor:
		return r.lane ^ n, true
	case spirv.OpGroupNonUniformShuffleUp:
		return r.lane - n, true
	case spirv.OpGroupNonUniformShuffleDown:
		return r.lane + n, true
	case spirv.OpGroupNonUniformQuadBroadcast:
		return r.lane&^3 + n, n < 4
	case spirv.OpGroupNonUniformQuadSwap: // horizontal, vertical, diagonal
		return r.lane ^ (n + 1), n < 3
	case spirv.OpGroupNonUniformRotateKHR:
		cluster := size
		if len(r.args) > 2 {
			cluster = r.cluster(2, size)
		}
		return r.lane&^(cluster-1) + (r.lane+n)&(cluster-1), cluster > 0
	}
	return 0, false
}

// sameArgument reports whether the second argument of all members is the same number: if it must be dynamically uniform and is not, the
// behavior is undefined.
func sameArgument(members []*request) bool {
	first := members[0].args[1].leaves[0]
	for _, m := range members {
		if n := m.args[1].leaves[0]; n.Any || n.Bits != first.Bits {
			return false
		}
	}
	return true
}

// cluster returns the cluster size of an operand; 0 if it has none that is valid.
func (r *request) cluster(operand, size int) int {
	n := r.args[operand].leaves[0]
	if n.Any || n.Bits == 0 || n.Bits > uint64(size) || bits.OnesCount64(n.Bits) != 1 {
		return 0
	}
	return int(n.Bits)
}

// terms returns the members whose values an operation combines; nil if they are not known.
func (r *request) terms(form spirv.GroupOperation, size int) []*request {
	switch form {
	case spirv.GroupOperationReduce:
		return r.members
	case spirv.GroupOperationInclusiveScan:
		return r.members[:r.lane+1]
	case spirv.GroupOperationExclusiveScan:
		return r.members[:r.lane]
	case spirv.GroupOperationClusteredReduce:
		if len(r.args) > 1 {
			if n := r.cluster(1, size); n > 0 {
				first := r.lane &^ (n - 1)
				return r.members[first:min(first+n, len(r.members))]
			}
		}
	}
	return nil
}

// reduced combines the values of some members. No members have the identity.
func (x *frame) reduced(op spirv.Op, form spirv.GroupOperation, t *facts.Type, r *request, terms []*request) []Number {
	if terms == nil {
		return nil
	}
	out := make([]Number, len(r.args[0].leaves))
	for k := range out {
		list := make([]Number, len(terms))
		for i, m := range terms {
			list[i] = m.args[0].leaves[k]
		}
		if s := t.Scalar(); floatFolds[op] != 0 {
			out[k] = x.foldFloats(op, s, list)
		} else {
			out[k] = foldIntegers(op, s, list)
		}
	}
	return out
}

func foldIntegers(op spirv.Op, s *facts.Type, list []Number) Number {
	t := facts.Lane(s)
	out := Number{Bits: identity(op, t)}
	for _, n := range list {
		if n.Any {
			return Number{Any: true}
		}
		out.Bits = evaluator{}.Make(folds[op], t, t, out.Bits, n.Bits, 0) & t.Mask()
	}
	return out
}

// identity returns the identity of an operation of integers or bools.
func identity(op spirv.Op, t ir.Type) uint64 {
	least := (t.Mask() >> 1) + 1 // of integers with a sign
	switch folds[op] {
	case ir.Mul:
		return 1
	case ir.SMin:
		return least - 1
	case ir.SMax:
		return least
	case ir.UMin, ir.And:
		return t.Mask()
	}
	return 0
}

// foldFloats returns the results of all orders, in which each step is as precise as the instruction of two operands.
func (x *frame) foldFloats(op spirv.Op, t *facts.Type, list []Number) Number {
	for _, n := range list {
		if n.Any || n.infinite() {
			return Number{Any: true}
		}
	}
	switch {
	case len(list) == 0 && op == spirv.OpGroupNonUniformFAdd:
		return point(0)
	case len(list) == 0 && op == spirv.OpGroupNonUniformFMul:
		return point(1)
	case len(list) == 0: // an infinity
		return Number{Any: true}
	case op == spirv.OpGroupNonUniformFMul:
		return x.product(t, list)
	}
	s, out := sum{op: floatFolds[op]}, list[0]
	for i, n := range list[1:] {
		if out = s.float(t, i == 0, out, n); out.Any {
			return out
		}
	}
	return x.flushed(t, out)
}

// product returns the products of all orders, any value if one of them may overflow or be denormal.
func (x *frame) product(t *facts.Type, list []Number) Number {
	digits, most, least := 23, math.MaxFloat32, 0x1p-126
	switch t.Width {
	case 16:
		digits, most, least = 10, 65504.0, 0x1p-14
	case 32:
	default:
		return Number{Any: true}
	}
	if len(list) == 1 {
		return x.flushed(t, list[0])
	}
	out, greatest, smallest := point(1), 1.0, 1.0
	for _, n := range list {
		far, near := max(math.Abs(n.Low), math.Abs(n.High)), min(math.Abs(n.Low), math.Abs(n.High))
		greatest *= max(far, 1)
		if smallest *= min(near, 1); n.Low <= 0 && n.High >= 0 || smallest < 2*least || greatest > most/2 {
			return Number{Any: true}
		}
		a, b, c, d := out.Low*n.Low, out.Low*n.High, out.High*n.Low, out.High*n.High
		out.Low, out.High = min(a, b, c, d), max(a, b, c, d)
	}
	// Each of the roundings is by a factor of at most one unit in the last place. The last term is for the roundings here.
	e := math.Pow(1+math.Ldexp(1, -digits), float64(len(list))) - 1 + 0x1p-40
	return Number{Low: out.Low - float64(math.Abs(out.Low)*e), High: out.High + float64(math.Abs(out.High)*e)}
}

// subgroupInput returns the value of an input of a subgroup; nil if it is not known.
func (x *frame) subgroupInput(b spirv.BuiltIn) []uint32 {
	size := uint32(x.subgroup())
	if size == 0 {
		return nil
	}
	lane := x.ids.index % size
	switch b {
	case spirv.BuiltInSubgroupSize:
		return []uint32{size}
	case spirv.BuiltInSubgroupLocalInvocationId:
		return []uint32{lane}
	case spirv.BuiltInSubgroupId:
		return []uint32{x.ids.index / size}
	case spirv.BuiltInNumSubgroups:
		return []uint32{(x.ids.size[0]*x.ids.size[1]*x.ids.size[2] + size - 1) / size}
	}
	var has func(n uint32) bool
	switch b {
	case spirv.BuiltInSubgroupEqMask:
		has = func(n uint32) bool { return n == lane }
	case spirv.BuiltInSubgroupGeMask:
		has = func(n uint32) bool { return n >= lane }
	case spirv.BuiltInSubgroupGtMask:
		has = func(n uint32) bool { return n > lane }
	case spirv.BuiltInSubgroupLeMask:
		has = func(n uint32) bool { return n <= lane }
	case spirv.BuiltInSubgroupLtMask:
		has = func(n uint32) bool { return n < lane }
	default:
		return nil
	}
	words := make([]uint32, 4)
	for n := range min(size, 128) {
		if has(n) {
			words[n/32] |= 1 << (n % 32)
		}
	}
	return words
}
