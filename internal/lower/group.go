package lower

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var groupRules = rules{
	spirv.OpGroupNonUniformElect:          elect,
	spirv.OpGroupNonUniformAll:            vote,
	spirv.OpGroupNonUniformAny:            vote,
	spirv.OpGroupNonUniformAllEqual:       voteEqual,
	spirv.OpSubgroupAllKHR:                vote,
	spirv.OpSubgroupAnyKHR:                vote,
	spirv.OpSubgroupAllEqualKHR:           voteEqual,
	spirv.OpGroupNonUniformBroadcast:      shuffle,
	spirv.OpGroupNonUniformBroadcastFirst: broadcastFirst,
	spirv.OpSubgroupFirstInvocationKHR:    broadcastFirst,
	spirv.OpSubgroupReadInvocationKHR:     shuffle,
	spirv.OpGroupNonUniformShuffle:        shuffle,
	spirv.OpGroupNonUniformShuffleXor:     shuffle,
	spirv.OpGroupNonUniformShuffleUp:      shuffle,
	spirv.OpGroupNonUniformShuffleDown:    shuffle,
	spirv.OpGroupNonUniformRotateKHR:      rotate,
	spirv.OpGroupNonUniformQuadBroadcast:  quadBroadcast,
	spirv.OpGroupNonUniformQuadSwap:       quadSwap,
	spirv.OpGroupNonUniformQuadAllKHR:     quadVote,
	spirv.OpGroupNonUniformQuadAnyKHR:     quadVote,
	spirv.OpGroupNonUniformIAdd:           groupArithmetic,
	spirv.OpGroupNonUniformFAdd:           groupArithmetic,
	spirv.OpGroupNonUniformIMul:           groupArithmetic,
	spirv.OpGroupNonUniformFMul:           groupArithmetic,
	spirv.OpGroupNonUniformSMin:           groupArithmetic,
	spirv.OpGroupNonUniformUMin:           groupArithmetic,
	spirv.OpGroupNonUniformFMin:           groupArithmetic,
	spirv.OpGroupNonUniformSMax:           groupArithmetic,
	spirv.OpGroupNonUniformUMax:           groupArithmetic,
	spirv.OpGroupNonUniformFMax:           groupArithmetic,
	spirv.OpGroupNonUniformBitwiseAnd:     groupArithmetic,
	spirv.OpGroupNonUniformBitwiseOr:      groupArithmetic,
	spirv.OpGroupNonUniformBitwiseXor:     groupArithmetic,
	spirv.OpGroupNonUniformLogicalAnd:     groupArithmetic,
	spirv.OpGroupNonUniformLogicalOr:      groupArithmetic,
	spirv.OpGroupNonUniformLogicalXor:     groupArithmetic,
}

// groupOperands returns the operands of a group instruction after its scope,
// which must be the subgroup. The instructions of SPV_KHR_shader_ballot and
// SPV_KHR_subgroup_vote have no scope: it is the subgroup.
func (f *function) groupOperands(in spirv.Inst) []uint32 {
	switch in.Op() {
	case spirv.OpSubgroupAllKHR, spirv.OpSubgroupAnyKHR, spirv.OpSubgroupAllEqualKHR, spirv.OpSubgroupBallotKHR,
		spirv.OpSubgroupFirstInvocationKHR, spirv.OpSubgroupReadInvocationKHR,
		spirv.OpGroupNonUniformQuadAllKHR, spirv.OpGroupNonUniformQuadAnyKHR:
		return in[3:]
	}
	if s := f.scope(spirv.ID(in[3])); s != spirv.ScopeSubgroup {
		f.unsupported("of scope %s", s)
	}
	return in[4:]
}

// lane returns the number of the lane in its subgroup.
func (f *function) lane() ir.V { return f.input32(ir.SubgroupLocalInvocationId) }

func elect(f *function, in spirv.Inst) {
	f.groupOperands(in)
	f.define(in, f.b.Op(ir.Elect, ir.B1))
}

func vote(f *function, in spirv.Inst) {
	x := f.typed(spirv.ID(f.groupOperands(in)[0]), ir.B1)
	op := ir.All
	if in.Op() == spirv.OpGroupNonUniformAny || in.Op() == spirv.OpSubgroupAnyKHR {
		op = ir.Any
	}
	f.define(in, f.b.Op(op, ir.B1, x))
}

func voteEqual(f *function, in spirv.Inst) {
	var equal []ir.V
	for _, p := range f.scalars(spirv.ID(f.groupOperands(in)[0])) {
		equal = append(equal, f.b.Op(ir.AllEq, ir.B1, p))
	}
	f.define(in, f.combine(ir.And, equal))
}

// shuffle lowers the instructions that read the value of a lane given by an
// operand, absolutely or relatively.
func shuffle(f *function, in spirv.Inst) {
	args := f.groupOperands(in)
	x := f.scalars(spirv.ID(args[0]))
	lane := f.toInt(f.one(spirv.ID(args[1])), ir.I32)
	switch in.Op() {
	case spirv.OpGroupNonUniformShuffleXor:
		lane = f.b.Op(ir.Xor, ir.I32, f.lane(), lane)
	case spirv.OpGroupNonUniformShuffleUp:
		lane = f.b.Op(ir.Sub, ir.I32, f.lane(), lane)
	case spirv.OpGroupNonUniformShuffleDown:
		lane = f.b.Op(ir.Add, ir.I32, f.lane(), lane)
	}
	f.define(in, f.fromLane(x, lane)...)
}

// fromLane returns the scalars that a lane has.
func (f *function) fromLane(x []ir.V, lane ir.V) []ir.V {
	f.checkLane(lane)
	parts := make([]ir.V, len(x))
	for i, p := range x {
		parts[i] = f.b.Op(ir.Shuf, f.b.Func.Type(p), p, lane)
	}
	return parts
}

// rotate lowers OpGroupNonUniformRotateKHR: the lane so many further on, round
// the cluster.
func rotate(f *function, in spirv.Inst) {
	args := f.groupOperands(in)
	x := f.scalars(spirv.ID(args[0]))
	delta := f.toInt(f.one(spirv.ID(args[1])), ir.I32)
	n := f.options.SubgroupSize
	if len(args) > 2 {
		n = f.cluster(spirv.ID(args[2]))
	}
	lane := f.lane()
	within := f.b.Op(ir.And, ir.I32, f.b.Op(ir.Add, ir.I32, lane, delta), f.b.I32(n-1))
	first := f.b.Op(ir.And, ir.I32, lane, f.b.I32(^(n - 1)))
	f.define(in, f.fromLane(x, f.b.Op(ir.Or, ir.I32, first, within))...)
}

// cluster returns the size of a cluster: a power of two, at most the subgroup.
// Another size leaves the behaviour undefined: the greatest power of two below it
// is taken, and 1 for 0.
func (f *function) cluster(id spirv.ID) uint32 {
	f.checkCluster(f.known(id))
	n := min(max(f.known(id), 1), uint64(f.options.SubgroupSize))
	return 1 << (bits.Len64(n) - 1)
}

func broadcastFirst(f *function, in spirv.Inst) {
	x := f.scalars(spirv.ID(f.groupOperands(in)[0]))
	first := f.findLsb(f.ballotWords(f.b.Bool(true)))
	f.define(in, f.fromLane(x, first)...)
}

// groupOps are the operators of the group arithmetic instructions.
var groupOps = map[spirv.Op]ir.Op{
	spirv.OpGroupNonUniformIAdd:       ir.Add,
	spirv.OpGroupNonUniformFAdd:       ir.FAdd,
	spirv.OpGroupNonUniformIMul:       ir.Mul,
	spirv.OpGroupNonUniformFMul:       ir.FMul,
	spirv.OpGroupNonUniformSMin:       ir.SMin,
	spirv.OpGroupNonUniformUMin:       ir.UMin,
	spirv.OpGroupNonUniformFMin:       ir.NMin,
	spirv.OpGroupNonUniformSMax:       ir.SMax,
	spirv.OpGroupNonUniformUMax:       ir.UMax,
	spirv.OpGroupNonUniformFMax:       ir.NMax,
	spirv.OpGroupNonUniformBitwiseAnd: ir.And,
	spirv.OpGroupNonUniformBitwiseOr:  ir.Or,
	spirv.OpGroupNonUniformBitwiseXor: ir.Xor,
	spirv.OpGroupNonUniformLogicalAnd: ir.And,
	spirv.OpGroupNonUniformLogicalOr:  ir.Or,
	spirv.OpGroupNonUniformLogicalXor: ir.Xor,
}

func groupArithmetic(f *function, in spirv.Inst) {
	f.groupOperands(in)
	v := inst.GroupNonUniformIAdd(in) // all have the same operands
	op, n := ir.Reduce, uint32(0)
	switch g := v.Operation(); g {
	case spirv.GroupOperationReduce:
	case spirv.GroupOperationInclusiveScan:
		op = ir.ScanI
	case spirv.GroupOperationExclusiveScan:
		op = ir.ScanX
	case spirv.GroupOperationClusteredReduce:
		id, ok := v.ClusterSize()
		if !ok {
			f.malformed("the clustered operation has no cluster size")
		}
		n = f.cluster(id)
	case spirv.GroupOperationPartitionedReduceEXT, spirv.GroupOperationPartitionedInclusiveScanEXT, spirv.GroupOperationPartitionedExclusiveScanEXT:
		id, ok := v.ClusterSize() // an operand at the position of the ballot
		if !ok {
			f.malformed("the partitioned operation has no ballot")
		}
		f.define(in, f.partitioned(g, groupOps[in.Op()], f.operators(in, v.Value()), id)...)
		return
	default:
		f.unsupported("%s", g)
	}
	f.define(in, f.reduce(op, groupOps[in.Op()], n, f.operators(in, v.Value()))...)
}

// operators returns the scalars of the value that a group combines, which must
// be of types that the operator is defined on.
func (f *function) operators(in spirv.Inst, id spirv.ID) []ir.V {
	x := f.scalars(id)
	for _, p := range x {
		if t := f.b.Func.Type(p); !groupOps[in.Op()].Row().On.Has(t) {
			f.malformed("the operand is %s, for which the operator is undefined", t)
		}
	}
	return x
}

// reduce combines the lanes' values of each scalar under the entry point's float
// modes; 0 is no cluster.
func (f *function) reduce(op, by ir.Op, cluster uint32, x []ir.V) []ir.V {
	parts := make([]ir.V, len(x))
	for i, p := range x {
		v := ir.Val{Op: op, Type: f.b.Func.Type(p), Aux: uint64(by) | uint64(cluster)<<8, Args: [4]ir.V{p}}
		if !by.Is(ir.Rounds) {
			parts[i] = f.emit(v)
			continue
		}
		v.Args[0] = f.flush(p)
		if f.float.rtz.has(v.Type) {
			v.Flags |= ir.RTZ
		}
		parts[i] = f.flush(f.emit(v))
	}
	return parts
}

func quadBroadcast(f *function, in spirv.Inst) {
	f.requireQuads("a quad operation")
	args := f.groupOperands(in)
	x := f.scalars(spirv.ID(args[0]))
	i := f.toInt(f.one(spirv.ID(args[1])), ir.I32)
	if f.sanitizes(ir.SanitizeUndefined) {
		f.report(quadIndex, f.b.Cmp(ir.ULt, f.b.I32(3), i), "index %u of the 4 invocations of a quad", i)
	}
	if f.prog.Stage == ir.Fragment {
		if f.sanitizes(ir.SanitizeUniform) {
			own := f.lane()
			self := f.b.Cmp(ir.Eq, f.quadSide(), f.b.Op(ir.And, ir.I32, i, f.b.I32(3)))
			f.checkSwap(own, f.b.Select(self, f.b.Op(ir.Not, ir.I32, own), f.ofQuad([]ir.V{own}, i)[0]))
		}
		f.define(in, f.ofQuad(x, i)...)
		return
	}
	first := f.b.Op(ir.And, ir.I32, f.lane(), f.b.I32(^uint32(3)))
	f.define(in, f.fromLane(x, f.b.Op(ir.Add, ir.I32, first, i))...)
}

// ofQuad returns the values of lane i of a fragment's quad, wherever lanes of a quad
// are, and has the quad run as a whole.
func (f *function) ofQuad(x []ir.V, i ir.V) []ir.V {
	way := f.b.Op(ir.And, ir.I32, f.b.Op(ir.Xor, ir.I32, f.quadSide(), i), f.b.I32(3))
	parts := make([]ir.V, len(x))
	for k, p := range x {
		of := []ir.V{p}
		for n := range uint64(3) {
			of = append(of, f.b.OpAux(ir.QuadSwap, f.b.Func.Type(p), n+1, p))
		}
		parts[k] = f.selectPart(of, operand{v: way})
	}
	return parts
}

// quadSide returns the number of a fragment in its quad.
func (f *function) quadSide() ir.V {
	return f.b.Op(ir.Or, ir.I32, f.input32(ir.QuadX), f.b.Op(ir.Shl, ir.I32, f.input32(ir.QuadY), f.b.I32(1)))
}

func quadSwap(f *function, in spirv.Inst) {
	f.requireQuads("a quad operation")
	args := f.groupOperands(in)
	direction := f.known(spirv.ID(args[1]))
	if direction > 2 {
		f.malformed("the direction of the quad is %d; must be 0, 1 or 2", direction)
	}
	x := f.scalars(spirv.ID(args[0]))
	parts := make([]ir.V, len(x))
	for i, p := range x {
		parts[i] = f.b.OpAux(ir.QuadSwap, f.b.Func.Type(p), direction+1, p)
	}
	if f.sanitizes(ir.SanitizeUniform) {
		own := f.lane()
		f.checkSwap(own, f.b.OpAux(ir.QuadSwap, ir.I32, direction+1, own))
	}
	f.define(in, parts...)
}

func quadVote(f *function, in spirv.Inst) {
	f.requireQuads("a quad operation")
	op := ir.And
	if in.Op() == spirv.OpGroupNonUniformQuadAnyKHR {
		op = ir.Or
	}
	x := f.typed(spirv.ID(f.groupOperands(in)[0]), ir.B1)
	f.define(in, f.reduce(ir.Reduce, op, 4, []ir.V{x})...)
}
