package main

import "strings"

// The extended instruction sets without a file in the grammar folder, and the instructions
// that are newer than the file. A line is an instruction and its operands, which are ids;
// numbers count up from the first of the set. An operand with a star may occur any number
// of times, an operand with a # is a literal.
const (
	tosa = `ARGMAX axis nan_mode input
AVG_POOL2D kernel stride pad acc_type input input_zp output_zp
CONV2D pad stride dilation acc_type local_bound input weight bias input_zp weight_zp
CONV3D pad stride dilation acc_type local_bound input weight bias input_zp weight_zp
DEPTHWISE_CONV2D pad stride dilation acc_type local_bound input weight bias input_zp weight_zp
FFT2D inverse local_bound input_real input_imag
MATMUL A B A_zp B_zp
MAX_POOL2D kernel stride pad nan_mode input
RFFT2D local_bound input_real
TRANSPOSE_CONV2D out_pad stride acc_type local_bound input weight bias input_zp weight_zp
CLAMP min_val max_val nan_mode input
ERF input
SIGMOID input
TANH input
ADD input1 input2
ARITHMETIC_RIGHT_SHIFT round input1 input2
BITWISE_AND input1 input2
BITWISE_OR input1 input2
BITWISE_XOR input1 input2
INTDIV input1 input2
LOGICAL_AND input1 input2
LOGICAL_LEFT_SHIFT input1 input2
LOGICAL_RIGHT_SHIFT input1 input2
LOGICAL_OR input1 input2
LOGICAL_XOR input1 input2
MAXIMUM nan_mode input1 input2
MINIMUM nan_mode input1 input2
MUL input1 input2 shift
POW input1 input2
SUB input1 input2
TABLE input1 table
ABS input1
BITWISE_NOT input1
CEIL input1
CLZ input1
COS input1
EXP input1
FLOOR input1
LOG input1
LOGICAL_NOT input1
NEGATE input1 input1_zp output_zp
RECIPROCAL input1
RSQRT input1
SIN input1
SELECT input1 input2 input3
EQUAL input1 input2
GREATER input1 input2
GREATER_EQUAL input1 input2
REDUCE_ALL axis input
REDUCE_ANY axis input
REDUCE_MAX axis nan_mode input
REDUCE_MIN axis nan_mode input
REDUCE_PRODUCT axis input
REDUCE_SUM axis input
CONCAT axis input1*
PAD input1 padding pad_const
RESHAPE input1 shape
REVERSE axis input1
SLICE input1 start size
TILE input1 multiples
TRANSPOSE perms input1
GATHER values indices
SCATTER values_in indices input
RESIZE mode input scale offset border
CAST input
RESCALE scale32 rounding_mode per_channel input_unsigned output_unsigned input multiplier shift input_zp output_zp`

	armMotionEngine = `MIN_SAD operand1 operand2 operand3 operand4 operand5 operand6 operand7 operand8 operand9
MIN_SAD_COST operand1 operand2 operand3 operand4 operand5 operand6 operand7 operand8 operand9
RAW_SAD operand1 operand2 operand3 operand4 operand5 operand6 operand7 operand8`

	graphDebugInfo = `DebugGraph graph name
DebugOperation graph name instructions*
DebugTensor tensor name element*`

	armExperimentalML = `CALL op# operands*`

	shaderDebugInfo101 = `DebugTypeVectorIdEXT component_type component_count
DebugTypeCooperativeMatrixKHR component_type scope rows columns use`
)

// The parts of the core grammar that have no row in the file, from the texts of their extensions.
var (
	coreCapabilities = []enumerant{
		{Name: "SubpassShadingHUAWEI", Value: 6272, Capabilities: []string{"InputAttachment"}, Extensions: []string{"SPV_HUAWEI_subpass_shading"}, Version: "None"},
		{Name: "ClusterCullingShadingHUAWEI", Value: 6273, Capabilities: []string{"Shader"}, Extensions: []string{"SPV_HUAWEI_cluster_culling_shader"}, Version: "None"},
	}
	coreModels = []enumerant{
		{Name: "ClusterCullingHUAWEI", Value: 6272, Capabilities: []string{"ClusterCullingShadingHUAWEI"}, Version: "None"},
	}
	coreBuiltIns = clusterBuiltIns("IndexCountHUAWEI", "VertexCountHUAWEI", "InstanceCountHUAWEI", "FirstIndexHUAWEI", "FirstVertexHUAWEI",
		"VertexOffsetHUAWEI", "FirstInstanceHUAWEI", "ClusterIDHUAWEI", "", "ClusterShadingRateHUAWEI")
	coreInstructions = []instruction{
		{Name: "OpDispatchClusterHUAWEI", Class: "Reserved", Code: 6282, Capabilities: []string{"ClusterCullingShadingHUAWEI"}, Version: "None"},
	}
)

// clusterBuiltIns returns the built-ins of SPV_HUAWEI_cluster_culling_shader, whose numbers count up from 6274; "" is a gap.
func clusterBuiltIns(names ...string) (list []enumerant) {
	for i, n := range names {
		if n != "" {
			list = append(list, enumerant{Name: n, Value: number(6274 + i), Capabilities: []string{"ClusterCullingShadingHUAWEI"},
				Extensions: []string{"SPV_HUAWEI_cluster_culling_shader"}, Version: "None"})
		}
	}
	return list
}

// complete adds the parts without a row to the core grammar.
func complete(core *grammar) {
	core.Instructions = append(core.Instructions, coreInstructions...)
	for i := range core.Kinds {
		switch k := &core.Kinds[i]; k.Name {
		case "Capability":
			k.Enumerants = append(k.Enumerants, coreCapabilities...)
		case "ExecutionModel":
			k.Enumerants = append(k.Enumerants, coreModels...)
		case "BuiltIn":
			k.Enumerants = append(k.Enumerants, coreBuiltIns...)
		}
	}
}

// listed reads the instructions of such a list.
func listed(text string, first uint32) []instruction {
	var out []instruction
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		in := instruction{Name: words[0], Code: first + uint32(len(out))}
		for _, w := range words[1:] {
			name, star := strings.CutSuffix(w, "*")
			o := operand{Kind: "IdRef", Name: name}
			if literal, ok := strings.CutSuffix(name, "#"); ok {
				o = operand{Kind: "LiteralInteger", Name: literal}
			}
			if star {
				o.Quantifier = "*"
			}
			in.Operands = append(in.Operands, o)
		}
		out = append(out, in)
	}
	return out
}
