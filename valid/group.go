package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// groupFamily checks group and non-uniform instructions (SPIR-V §3.3.21 and
// §3.3.24); their types are checked by the typing table.
var groupFamily = family{
	rules: []Rule{
		{Code: "SPV-NonUniform-Cluster", Section: "SPIR-V 3.3.24", Words: "a clustered operation has a ClusterSize, an unsigned constant"},
		{Code: "SPV-NonUniform-ClusterSize", Section: "SPIR-V 3.3.24", Words: "the ClusterSize of a clustered operation or a rotation is a power of two, else its behaviour is undefined: an error on a device, a warning elsewhere"},
		{Code: "SPV-NonUniform-Ballot", Section: "SPIR-V, SPV_EXT_shader_subgroup_partitioned", Words: "a partitioned operation has a ballot, a vector of four 32-bit integers"},
		{Code: "SPV-NonUniform-Operand", Section: "SPIR-V 3.3.24", Words: "only operations that define them have a ClusterSize or a ballot; a count of bits is not partitioned"},
		{Code: "SPV-NonUniform-Constant", Section: "SPIR-V 3.3.24", Words: "the Direction of a quad swap is a constant; before SPIR-V 1.5 also the Id of a broadcast and the Index of a quad broadcast"},
		{Code: "SPV-NonUniform-Direction", Section: "SPIR-V 3.3.24", Words: "the Direction of a quad swap is 0, 1 or 2"},
		{Code: vuid.StandaloneSpirv_OpGroupNonUniformBallotBitCount_04685, Section: environment, Words: "OpGroupNonUniformBallotBitCount has the operation Reduce, InclusiveScan or ExclusiveScan"},
		{Code: vuid.RuntimeSpirv_None_06275, Section: environment, Words: "group operations on 8, 16 and 64-bit integers and 16-bit floats need the feature shaderSubgroupExtendedTypes", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_06342, Section: environment, Words: "quad operations outside of fragment and compute shaders need subgroupQuadOperationsInAllStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderSubgroupRotateClustered_09566, Section: environment, Words: "a ClusterSize of OpGroupNonUniformRotateKHR needs the feature shaderSubgroupRotateClustered", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpGroupNonUniformBallotBitCount: scopeJudge((*scopes).ballotCount),
		spirv.OpGroupNonUniformBroadcast:      scopeJudge((*scopes).broadcast),
		spirv.OpGroupNonUniformQuadBroadcast:  scopeJudge((*scopes).broadcast),
		spirv.OpGroupNonUniformQuadSwap:       scopeJudge((*scopes).quadSwap),
		spirv.OpGroupNonUniformRotateKHR:      scopeJudge((*scopes).rotate),
	},
	ops: []group{
		{scopeJudge((*scopes).nonUniform), scopedGroups()},
		{scopeJudge((*scopes).combine), combineOps},
		{scopeJudge((*scopes).quad), []spirv.Op{spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap, spirv.OpGroupNonUniformQuadAllKHR, spirv.OpGroupNonUniformQuadAnyKHR}},
	},
}

// combineOps are the operations that combine the lanes' values.
var combineOps = []spirv.Op{
	spirv.OpGroupNonUniformIAdd, spirv.OpGroupNonUniformFAdd, spirv.OpGroupNonUniformIMul, spirv.OpGroupNonUniformFMul,
	spirv.OpGroupNonUniformSMin, spirv.OpGroupNonUniformUMin, spirv.OpGroupNonUniformFMin, spirv.OpGroupNonUniformSMax,
	spirv.OpGroupNonUniformUMax, spirv.OpGroupNonUniformFMax, spirv.OpGroupNonUniformBitwiseAnd,
	spirv.OpGroupNonUniformBitwiseOr, spirv.OpGroupNonUniformBitwiseXor, spirv.OpGroupNonUniformLogicalAnd,
	spirv.OpGroupNonUniformLogicalOr, spirv.OpGroupNonUniformLogicalXor,
}

// scopedGroups are the group and non-uniform instructions that have the execution
// scope as the first operand.
func scopedGroups() []spirv.Op {
	var out []spirv.Op
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		if op.Class() != spirv.ClassNonUniform && op.Class() != spirv.ClassGroup {
			continue
		}
		for _, o := range r.Operands() {
			if o.Kind == spirv.KindIdResultType || o.Kind == spirv.KindIdResult {
				continue
			}
			if o.Kind == spirv.KindIdScope {
				out = append(out, op)
			}
			break
		}
	}
	return out
}

// nonUniform checks the scope, and the type that the lanes exchange.
func (c *scopes) nonUniform(i int, in spirv.Inst) {
	if !in.Op().HasType() {
		return
	}
	c.executionScope(i, spirv.ID(in[3]))
	t := c.m.Type(in.Type())
	if t == nil || !c.vulkan || t.Scalar() == nil {
		return
	}
	s := t.Scalar()
	if s.IsInt() && s.Width != 32 || s.IsFloat() && s.Width == 16 {
		if !c.feature(vuid.RuntimeSpirv_None_06275, "shaderSubgroupExtendedTypes") {
			c.fail(i, vuid.RuntimeSpirv_None_06275, "%s on %s; needs the feature shaderSubgroupExtendedTypes", in.Op(), c.typeName(t))
		}
	}
}

// combine checks the operand that a clustered or partitioned operation has.
func (c *scopes) combine(i int, in spirv.Inst) {
	op := in.Op()
	var last spirv.ID
	if len(in) > 6 {
		last = spirv.ID(in[6])
	}
	switch how := spirv.GroupOperation(in[4]); how {
	case spirv.GroupOperationClusteredReduce:
		if last == 0 {
			c.fail(i, "SPV-NonUniform-Cluster", "%s ClusteredReduce without a ClusterSize; must have one", op)
			return
		}
		c.clusterSize(i, op, last)
	case spirv.GroupOperationPartitionedReduceEXT, spirv.GroupOperationPartitionedInclusiveScanEXT, spirv.GroupOperationPartitionedExclusiveScanEXT:
		if last == 0 {
			c.fail(i, "SPV-NonUniform-Ballot", "%s %s without a ballot; must have one", op, how)
			return
		}
		t := c.m.TypeOf(last)
		if t != nil && (!t.IsVector() || t.Components() != 4 || !t.Elem.IsInt() || t.Elem.Width != 32) {
			c.fail(i, "SPV-NonUniform-Ballot", "the ballot of %s is %s; must be a vector of 4 integers of 32 bits", op, c.typeName(t))
		}
	default:
		if last != 0 {
			c.fail(i, "SPV-NonUniform-Operand", "%s %s with an extra operand; must have none", op, how)
		}
	}
}

// clusterSize checks the size of the clusters of an operation.
func (c *scopes) clusterSize(i int, op spirv.Op, id spirv.ID) {
	if t := c.m.TypeOf(id); t != nil && (!t.IsInt() || t.Signed) {
		c.fail(i, "SPV-NonUniform-Cluster", "the ClusterSize of %s is %s; must be an unsigned integer", op, c.typeName(t))
		return
	}
	k := c.constant(i, op, id, "ClusterSize", "SPV-NonUniform-Cluster")
	if k != nil && k.Spec && c.m.Spec == nil {
		return // specialization can give a power of two
	}
	if n, ok := k.Int(); ok && (n <= 0 || n&(n-1) != 0) {
		f := c.fail(i, "SPV-NonUniform-ClusterSize", "the ClusterSize of %s is %d; must be a power of two, else the behaviour is undefined", op, n)
		if c.env.Device == nil {
			// The module is valid. A device executes the instruction.
			f.warn()
		}
	}
}

// constant demands that an operand is a constant, and returns it.
func (c *scopes) constant(i int, op spirv.Op, id spirv.ID, what, code string) *facts.Const {
	k := c.m.Const(id)
	if d := c.code.Def(id); d >= 0 && !c.isConstant(c.code.Inst(d).Op()) && !c.typeless(id) {
		c.fail(i, code, "the %s of %s is %s; must be a constant", what, op, c.name(id)).also(c, d, "the definition")
	}
	return k
}

// isConstant reports whether an opcode makes a constant.
func (c *scopes) isConstant(op spirv.Op) bool {
	return op.Class() == spirv.ClassConstantCreation
}

// broadcast checks the lane that is read: a constant before SPIR-V 1.5.
func (c *scopes) broadcast(i int, in spirv.Inst) {
	if c.since(spirv.Version15) {
		return
	}
	what := "Id"
	if in.Op() == spirv.OpGroupNonUniformQuadBroadcast {
		what = "Index"
	}
	c.constant(i, in.Op(), inst.GroupNonUniformBroadcast(in).InvocationId(), what, "SPV-NonUniform-Constant")
}

func (c *scopes) quadSwap(i int, in spirv.Inst) {
	k := c.constant(i, in.Op(), inst.GroupNonUniformQuadSwap(in).Direction(), "Direction", "SPV-NonUniform-Constant")
	if k != nil && k.Known && !k.Spec && k.Bits > 2 {
		c.fail(i, "SPV-NonUniform-Direction", "the Direction of OpGroupNonUniformQuadSwap is %d; must be 0, 1 or 2", k.Bits)
	}
}

// quad checks the stage of a quad operation.
func (c *scopes) quad(i int, in spirv.Inst) {
	const code = vuid.RuntimeSpirv_None_06342
	bad := c.callerModels() &^ (inFragment | inGLCompute)
	if !c.vulkan || bad == 0 {
		return
	}
	if all, known := c.limit(code, "subgroupQuadOperationsInAllStages"); known && all == 0 {
		c.fail(i, code, "%s in a function that a %s entry point calls; needs subgroupQuadOperationsInAllStages, or be in Fragment or GLCompute", in.Op(), bad)
	}
}

func (c *scopes) rotate(i int, in spirv.Inst) {
	if len(in) < 7 {
		return
	}
	c.clusterSize(i, in.Op(), spirv.ID(in[6]))
	if c.vulkan && !c.feature(vuid.RuntimeSpirv_shaderSubgroupRotateClustered_09566, "shaderSubgroupRotateClustered") {
		c.fail(i, vuid.RuntimeSpirv_shaderSubgroupRotateClustered_09566, "OpGroupNonUniformRotateKHR with a ClusterSize; needs the feature shaderSubgroupRotateClustered")
	}
}

func (c *scopes) ballotCount(i int, in spirv.Inst) {
	how := inst.GroupNonUniformBallotBitCount(in).Operation()
	if !c.vulkan { // Vulkan has a rule of its own
		switch how {
		case spirv.GroupOperationPartitionedReduceEXT, spirv.GroupOperationPartitionedInclusiveScanEXT, spirv.GroupOperationPartitionedExclusiveScanEXT:
			c.fail(i, "SPV-NonUniform-Operand", "OpGroupNonUniformBallotBitCount %s; must be an operation that is not partitioned", how)
		}
		return
	}
	switch how {
	case spirv.GroupOperationReduce, spirv.GroupOperationInclusiveScan, spirv.GroupOperationExclusiveScan:
	default:
		c.fail(i, vuid.StandaloneSpirv_OpGroupNonUniformBallotBitCount_04685, "the operation of OpGroupNonUniformBallotBitCount is %s; must be Reduce, InclusiveScan or ExclusiveScan", how)
	}
}
