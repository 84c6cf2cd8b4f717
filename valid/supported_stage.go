package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// supportedStageFamily judges instructions that a device may have in some stages
// alone (Vulkan, Shader Validation).
var supportedStageFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_None_06343, Section: environment, Words: "group operations of the scope Subgroup stand in the stages of subgroupSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpTypeCooperativeMatrixNV_06322, Section: environment, Words: "instructions on NVIDIA's cooperative matrices stand in the stages of cooperativeMatrixSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixSupportedStages_08985, Section: environment, Words: "instructions on cooperative matrices stand in the stages of cooperativeMatrixSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeVectorSupportedStages_10091, Section: environment, Words: "instructions on cooperative vectors stand in the stages of cooperativeVectorSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderTensorSupportedStages_09901, Section: environment, Words: "instructions on tensors stand in the stages of shaderTensorSupportedStages", Need: NeedDevice},
	},
	ops: []group{
		{(*checker).groupStage, nonUniformOps()},
		{(*checker).matrixStage, []spirv.Op{
			spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixStoreKHR, spirv.OpCooperativeMatrixMulAddKHR, spirv.OpCooperativeMatrixLengthKHR,
			spirv.OpCooperativeMatrixLoadTensorNV, spirv.OpCooperativeMatrixStoreTensorNV, spirv.OpCooperativeMatrixPerElementOpEXT,
			spirv.OpCooperativeMatrixReduceEXT, spirv.OpCooperativeMatrixConvertUseEXT, spirv.OpCooperativeMatrixTransposeNV,
			spirv.OpCooperativeMatrixGetCoordinateEXT,
		}},
		{(*checker).matrixStageNV, []spirv.Op{
			spirv.OpCooperativeMatrixLoadNV, spirv.OpCooperativeMatrixStoreNV, spirv.OpCooperativeMatrixMulAddNV, spirv.OpCooperativeMatrixLengthNV,
		}},
		{(*checker).vectorStage, []spirv.Op{
			spirv.OpCooperativeVectorLoadNV, spirv.OpCooperativeVectorStoreNV, spirv.OpCooperativeVectorMatrixMulNV, spirv.OpCooperativeVectorMatrixMulAddNV,
			spirv.OpCooperativeVectorOuterProductAccumulateNV, spirv.OpCooperativeVectorReduceSumAccumulateNV,
		}},
		{(*checker).tensorStage, []spirv.Op{spirv.OpTensorReadARM, spirv.OpTensorWriteARM, spirv.OpTensorQuerySizeARM}},
	},
}

// nonUniformOps are the non-uniform instructions.
func nonUniformOps() []spirv.Op {
	var out []spirv.Op
	for _, r := range spirv.Ops() {
		if op := spirv.Op(r.Value()); op.Class() == spirv.ClassNonUniform {
			out = append(out, op)
		}
	}
	return out
}

// stageBits are the bits of VkShaderStageFlagBits, in the order of modelOrder; 0
// where a model has none.
var stageBits = [len(modelOrder)]uint64{
	0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0, 0x40, 0x80, 0x100, 0x1000, 0x200, 0x400, 0x800, 0x2000, 0x40, 0x80,
}

// stages judges that the stages that an instruction is reached from are among
// those of a property.
func (c *checker) stages(i int, code, property string) {
	s := c.callerModels()
	if !c.vulkan || s == 0 {
		return
	}
	have, ok := c.limit(code, property)
	if !ok {
		return
	}
	var bad modelSet
	for n, bit := range stageBits {
		if s>>n&1 != 0 && bit != 0 && have&bit == 0 {
			bad |= 1 << n
		}
	}
	if bad != 0 {
		c.fail(i, code, "%s in a function that a %s entry point calls; %s has not that stage", c.code.Inst(i).Op(), bad, property)
	}
}

func (c *checker) groupStage(i int, _ spirv.Inst) {
	c.stages(i, vuid.RuntimeSpirv_None_06343, "subgroupSupportedStages")
}

func (c *checker) matrixStage(i int, _ spirv.Inst) {
	c.stages(i, vuid.RuntimeSpirv_cooperativeMatrixSupportedStages_08985, "cooperativeMatrixSupportedStages")
}

func (c *checker) matrixStageNV(i int, _ spirv.Inst) {
	c.stages(i, vuid.RuntimeSpirv_OpTypeCooperativeMatrixNV_06322, "cooperativeMatrixSupportedStages")
}

func (c *checker) vectorStage(i int, _ spirv.Inst) {
	c.stages(i, vuid.RuntimeSpirv_cooperativeVectorSupportedStages_10091, "cooperativeVectorSupportedStages")
}

func (c *checker) tensorStage(i int, _ spirv.Inst) {
	c.stages(i, vuid.RuntimeSpirv_shaderTensorSupportedStages_09901, "shaderTensorSupportedStages")
}
