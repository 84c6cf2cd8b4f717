package amber

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// instruction is a shader body over one image and its result %r, by the rules of Vulkan's
// chapter "Image Operations" and SPIR-V's "Image Instructions".
type instruction struct {
	kind   string // of image, one of kinds
	needs  string // capabilities; after a bar extensions
	body   string
	result string // the type of %r: float, uint or int, or a vector of four of them
	want   string
}

// kinds are images and their bindings: the operands of OpTypeImage, the declaration, and
// the binding. The texels of the two-dimensional images are 1, 2 and, below, 3, 4; a second
// level is 0; depths are a quarter each.
var kinds = map[string]struct{ image, declared, bound string }{
	"nearest": {"%float 2D 0 0 0 1 Unknown", "IMAGE tex FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 2 MIP_LEVELS 2 DATA 1 2 3 4 END\nSAMPLER s", "combined_image_sampler SAMPLER s"},
	"linear":  {"%float 2D 0 0 0 1 Unknown", "IMAGE tex FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 2 MIP_LEVELS 2 DATA 1 2 3 4 END\nSAMPLER s MAG_FILTER linear MIN_FILTER linear", "combined_image_sampler SAMPLER s"},
	"texels":  {"%float 2D 0 0 0 1 Unknown", "IMAGE tex FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 2 DATA 1 2 3 4 END\nSAMPLER s UNNORMALIZED_COORDS ADDRESS_MODE_U clamp_to_edge ADDRESS_MODE_V clamp_to_edge", "combined_image_sampler SAMPLER s"},
	"less":    {"%float 2D 1 0 0 1 Unknown", "IMAGE tex FORMAT D32_SFLOAT DIM_2D WIDTH 2 HEIGHT 2 MIP_LEVELS 2 DATA 0.25 0.5 0.75 1 END\nSAMPLER s COMPARE on COMPARE_OP less MAG_FILTER linear MIN_FILTER linear", "combined_image_sampler SAMPLER s"},
	"sampled": {"%float 2D 0 0 0 1 Unknown", "IMAGE tex FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 2 MIP_LEVELS 2 DATA 1 2 3 4 END", "sampled_image"},
	"storage": {"%uint 2D 0 0 0 2 R32ui", "IMAGE tex FORMAT R32_UINT DIM_2D WIDTH 2 HEIGHT 2 DATA 1 2 3 4 END", "storage_image"},
	"signed":  {"%int 2D 0 0 0 2 R32i", "IMAGE tex FORMAT R32_SINT DIM_2D WIDTH 2 HEIGHT 2 DATA -5 2 3 4 END", "storage_image"},
	"volume":  {"%float 3D 0 0 0 1 Unknown", "IMAGE tex FORMAT R32_SFLOAT DIM_3D WIDTH 1 HEIGHT 2 DEPTH 2 DATA 1 2 3 4 END\nSAMPLER s", "combined_image_sampler SAMPLER s"},
	"line":    {"%float 1D 0 0 0 1 Unknown", "IMAGE tex FORMAT R32_SFLOAT DIM_1D WIDTH 4 DATA 1 2 3 4 END\nSAMPLER s", "combined_image_sampler SAMPLER s"},
	"buffer":  {"%uint Buffer 0 0 0 1 Unknown", "BUFFER tex DATA_TYPE uint32 DATA 1 2 3 4 END", "uniform_texel_buffer"},
	"samples": {"%uint 2D 0 0 1 2 R32ui", "IMAGE tex FORMAT R32_UINT DIM_2D WIDTH 2 HEIGHT 2 SAMPLES 4 FILL 0", "storage_image"},
	"several": {"%uint 2D 0 0 1 1 Unknown", "IMAGE tex FORMAT R32_UINT DIM_2D WIDTH 2 HEIGHT 2 SAMPLES 4 FILL 5", "sampled_image"},
	"counter": {"%uint Buffer 0 0 0 2 R32ui", "BUFFER tex DATA_TYPE uint32 DATA 5 2 3 4 END", "storage_texel_buffer"},
}

const (
	quads     = "ComputeDerivativeGroupLinearKHR|SPV_KHR_compute_shader_derivatives"
	footprint = "ImageFootprintNV|SPV_NV_shader_image_footprint"
	resident  = "SparseResidency"
)

var instructions = []instruction{
	{"nearest", "", "%r = OpImageSampleExplicitLod %vec4 %t %p31 Lod %f0", "vec4", "2 0 0 1"},
	{"nearest", "", "%r = OpImageSampleExplicitLod %vec4 %t %p31 Lod %f1", "vec4", "0 0 0 1"},
	{"linear", "", "%r = OpImageSampleExplicitLod %vec4 %t %p22 Lod %f0", "vec4", "2.5 0 0 1"},
	{"nearest", "", "%r = OpImageSampleExplicitLod %vec4 %t %p11 Lod|ConstOffset %f0 %i01", "vec4", "3 0 0 1"},
	{"nearest", "ImageGatherExtended", "%r = OpImageSampleExplicitLod %vec4 %t %p11 Lod|Offset %f0 %i01", "vec4", "3 0 0 1"},
	{"nearest", "", "%r = OpImageSampleExplicitLod %vec4 %t %p11 Grad %z %z", "vec4", "1 0 0 1"},
	{"nearest", "", "%r = OpImageSampleExplicitLod %vec4 %t %p11 Grad %wide %z", "vec4", "0 0 0 1"}, // 2 texels: level 1
	{"nearest", "MinLod", "%r = OpImageSampleExplicitLod %vec4 %t %p11 Grad|MinLod %z %z %f1", "vec4", "0 0 0 1"},
	{"volume", "", "%r = OpImageSampleExplicitLod %vec4 %t %p113 Lod %f0", "vec4", "3 0 0 1"},
	{"line", "Sampled1D", "%r = OpImageSampleExplicitLod %vec4 %t %f3q Lod %f0", "vec4", "4 0 0 1"},
	{"nearest", quads, "%r = OpImageSampleImplicitLod %vec4 %t %p31", "vec4", "2 0 0 1"},
	{"nearest", quads, "%r = OpImageSampleImplicitLod %vec4 %t %spread", "vec4", "0 0 0 1"}, // 2 texels from lane to lane
	{"nearest", quads, "%r = OpImageSampleImplicitLod %vec4 %t %spread Bias %fm1", "vec4", "1 0 0 1"},
	{"less", "", "%r = OpImageSampleDrefExplicitLod %float %t %p22 %f3q Lod %f0", "float", "0.25"},
	{"less", quads, "%r = OpImageSampleDrefImplicitLod %float %t %p22 %fq", "float", "0.75"},
	{"nearest", "", "%r = OpImageSampleProjExplicitLod %vec4 %t %proj Lod %f0", "vec4", "2 0 0 1"},
	{"nearest", quads, "%r = OpImageSampleProjImplicitLod %vec4 %t %proj", "vec4", "2 0 0 1"},
	{"less", "", "%r = OpImageSampleProjDrefExplicitLod %float %t %projm %f1 Lod %f0", "float", "0.5"}, // 1/2 is less than 3/4 and 1
	{"less", quads, "%r = OpImageSampleProjDrefImplicitLod %float %t %projm %f1", "float", "0.5"},
	{"sampled", "", "%r = OpImageFetch %vec4 %t %i11 Lod %u0", "vec4", "4 0 0 1"},
	{"sampled", "", "%r = OpImageFetch %vec4 %t %i00 Lod|ConstOffset %u0 %i01", "vec4", "3 0 0 1"},
	{"sampled", "", "%r = OpImageFetch %vec4 %t %i00 Lod %u1", "vec4", "0 0 0 1"},
	{"buffer", "SampledBuffer", "%r = OpImageFetch %uvec4 %t %u2", "uvec4", "3 0 0 1"},
	{"nearest", "", "%i = OpImage %im %t\n%r = OpImageFetch %vec4 %i %i01 Lod %u0", "vec4", "3 0 0 1"},
	{"nearest", "", "%r = OpImageGather %vec4 %t %p22 %u0", "vec4", "3 4 2 1"},
	{"nearest", "", "%r = OpImageGather %vec4 %t %p22 %u3", "vec4", "1 1 1 1"},
	{"nearest", "", "%r = OpImageGather %vec4 %t %p22 %u0 ConstOffset %i10", "vec4", "4 3 1 2"}, // repeats
	{"nearest", "ImageGatherExtended", "%r = OpImageGather %vec4 %t %p22 %u0 ConstOffsets %four", "vec4", "1 2 3 4"},
	{"less", "", "%r = OpImageDrefGather %vec4 %t %p22 %fh", "vec4", "1 1 0 0"},
	{"storage", "", "%r = OpImageRead %uvec4 %t %i10", "uvec4", "2 0 0 1"},
	{"storage", "", "%r = OpImageRead %uvec4 %t %i22", "uvec4", "0 0 0 1"}, // robustImageAccess2
	{"storage", "", "OpImageWrite %t %i10 %texel\n%r = OpImageRead %uvec4 %t %i10", "uvec4", "7 0 0 1"},
	{"storage", "", "OpImageWrite %t %i22 %texel\n%r = OpImageRead %uvec4 %t %i11", "uvec4", "4 0 0 1"},
	{"samples", "StorageImageMultisample", "OpImageWrite %t %i10 %texel Sample %u2\n%r = OpImageRead %uvec4 %t %i10 Sample %u2", "uvec4", "7 0 0 1"},
	{"samples", "StorageImageMultisample", "OpImageWrite %t %i10 %texel Sample %u2\n%r = OpImageRead %uvec4 %t %i10 Sample %u1", "uvec4", "0 0 0 1"},
	{"samples", "StorageImageMultisample", "OpImageWrite %t %i10 %texel Sample %u4\n%r = OpImageRead %uvec4 %t %i10 Sample %u3", "uvec4", "0 0 0 1"}, // there are four
	{"samples", "StorageImageMultisample ImageQuery", "%r = OpImageQuerySamples %uint %t", "uint", "4"},
	{"several", "", "%r = OpImageFetch %uvec4 %t %i11 Sample %u3", "uvec4", "5 0 0 1"},
	{"several", "", "%r = OpImageFetch %uvec4 %t %i11 Sample %u4", "uvec4", "0 0 0 1"},
	{"several", "ImageQuery", "%r = OpImageQuerySamples %uint %t", "uint", "4"},
	{"counter", "ImageBuffer", "%r = OpImageRead %uvec4 %t %u3", "uvec4", "4 0 0 1"},
	{"sampled", "ImageQuery", "%q = OpImageQuerySizeLod %ivec2 %t %u1\n%r = OpCompositeConstruct %ivec4 %q %q", "ivec4", "1 1 1 1"},
	{"storage", "ImageQuery", "%q = OpImageQuerySize %ivec2 %t\n%r = OpCompositeConstruct %ivec4 %q %q", "ivec4", "2 2 2 2"},
	{"buffer", "ImageQuery SampledBuffer", "%r = OpImageQuerySize %uint %t", "uint", "4"},
	{"sampled", "ImageQuery", "%r = OpImageQueryLevels %uint %t", "uint", "2"},
	{"nearest", "ImageQuery " + quads, "%q = OpImageQueryLod %vec2 %t %spread\n%r = OpCompositeConstruct %vec4 %q %q", "vec4", "1 1 1 1"},
	{"nearest", resident, "%q = OpImageSparseSampleExplicitLod %sparse %t %p31 Lod %f0\n%r = OpCompositeExtract %vec4 %q 1", "vec4", "2 0 0 1"},
	{"nearest", resident + " " + quads, "%q = OpImageSparseSampleImplicitLod %sparse %t %p31\n%r = OpCompositeExtract %vec4 %q 1", "vec4", "2 0 0 1"},
	{"less", resident, "%q = OpImageSparseSampleDrefExplicitLod %sparse1 %t %p22 %f3q Lod %f0\n%r = OpCompositeExtract %float %q 1", "float", "0.25"},
	{"less", resident + " " + quads, "%q = OpImageSparseSampleDrefImplicitLod %sparse1 %t %p22 %fq\n%r = OpCompositeExtract %float %q 1", "float", "0.75"},
	{"sampled", resident, "%q = OpImageSparseFetch %sparse %t %i11 Lod %u0\n%r = OpCompositeExtract %vec4 %q 1", "vec4", "4 0 0 1"},
	{"nearest", resident, "%q = OpImageSparseGather %sparse %t %p22 %u0\n%r = OpCompositeExtract %vec4 %q 1", "vec4", "3 4 2 1"},
	{"less", resident, "%q = OpImageSparseDrefGather %sparse %t %p22 %fh\n%r = OpCompositeExtract %vec4 %q 1", "vec4", "1 1 0 0"},
	{"storage", resident, "%q = OpImageSparseRead %sparseu %t %i10\n%r = OpCompositeExtract %uvec4 %q 1", "uvec4", "2 0 0 1"},
	{"sampled", resident, "%q = OpImageSparseFetch %sparse %t %i11 Lod %u0\n%c = OpCompositeExtract %int %q 0\n%b = OpImageSparseTexelsResident %bool %c\n%r = OpSelect %uint %b %u1 %u0", "uint", "1"},
	{"nearest", "TextureBoxFilterQCOM|SPV_QCOM_image_processing", "%r = OpImageBoxFilterQCOM %vec4 %t %p22 %two", "vec4", "2.5 0 0 1"},
	{"texels", "TextureBlockMatchQCOM|SPV_QCOM_image_processing", "%r = OpImageBlockMatchSADQCOM %vec4 %t %v00 %t %v01 %v21", "vec4", "4 0 0 1"}, // |1−3| + |2−4|; components that the format lacks are substituted afterwards
	{"texels", "TextureBlockMatchQCOM|SPV_QCOM_image_processing", "%r = OpImageBlockMatchSSDQCOM %vec4 %t %v00 %t %v01 %v21", "vec4", "8 0 0 1"},
	{"nearest", footprint, "%q = OpImageSampleFootprintNV %foot %t %p11 %u1 %no Lod %f0\n%m = OpCompositeExtract %uint %q 3 0\n%r = OpCopyObject %uint %m", "uint", "1"},
}

// pointerInstructions are the atomics on the first texel, 5 or −5, with the operand 3:
// the old value and the new one. %x3 and %x5 are 3 and 5, or −5, of the texel's type.
var pointerInstructions = []struct{ kind, op, operands, want string }{
	{"counter", "OpAtomicLoad", "", "5 5"},
	{"counter", "OpAtomicExchange", "%x3", "5 3"},
	{"counter", "OpAtomicCompareExchange", "%u0 %x3 %x5", "5 3"},
	{"counter", "OpAtomicCompareExchange", "%u0 %x3 %x3", "5 5"},
	{"counter", "OpAtomicIIncrement", "", "5 6"},
	{"counter", "OpAtomicIDecrement", "", "5 4"},
	{"counter", "OpAtomicIAdd", "%x3", "5 8"},
	{"counter", "OpAtomicISub", "%x3", "5 2"},
	{"counter", "OpAtomicUMin", "%x3", "5 3"},
	{"counter", "OpAtomicUMax", "%x3", "5 5"},
	{"counter", "OpAtomicAnd", "%x3", "5 1"},
	{"counter", "OpAtomicOr", "%x3", "5 7"},
	{"counter", "OpAtomicXor", "%x3", "5 6"},
	{"signed", "OpAtomicSMin", "%x3", "-5 -5"},
	{"signed", "OpAtomicSMax", "%x3", "-5 3"},
	{"signed", "OpAtomicIAdd", "%x3", "-5 -2"},
	{"storage", "OpAtomicIAdd", "%x3", "1 4"},
}

// TestImageInstructions runs a script for each instruction on images, on every engine.
func TestImageInstructions(t *testing.T) {
	for _, c := range instructions {
		runInstruction(t, c)
	}
	for _, c := range pointerInstructions {
		typ, needs, at := "uint", "", "%i00"
		if c.kind == "signed" {
			typ = "int"
		}
		if c.kind == "counter" {
			needs, at = "ImageBuffer", "%u0"
		}
		body := fmt.Sprintf("%%p = OpImageTexelPointer %%pi%[1]s %%tex %[2]s %%u0\n%%old = %[3]s %%%[1]s %%p %%u1 %%u0 %[4]s\n%%n = OpImageRead %%%[5]svec4 %%t %[2]s\n%%new = OpCompositeExtract %%%[1]s %%n 0\n%%r = OpCompositeConstruct %%%[5]svec4 %%old %%new %%old %%new",
			typ, at, c.op, strings.NewReplacer("%x3", "%"+typ[:1]+"3", "%x5", "%"+typ[:1]+"5").Replace(c.operands), typ[:1])
		runInstruction(t, instruction{c.kind, needs, body, typ[:1] + "vec4", c.want + " " + c.want})
	}
}

// imageModule is the module of a case: the fields are its capabilities, its modes, the
// operands of its image, the type of the bound object, the stored scalar, and its
// instructions.
const imageModule = `SHADER compute c SPIRV-ASM
OpCapability Shader
%[1]sOpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%lane
%[2]sOpDecorate %%lane BuiltIn LocalInvocationId
OpDecorate %%B BufferBlock
OpMemberDecorate %%B 0 Offset 0
OpDecorate %%list ArrayStride 4
OpDecorate %%o DescriptorSet 0
OpDecorate %%o Binding 1
OpDecorate %%tex DescriptorSet 0
OpDecorate %%tex Binding 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%no = OpConstantFalse %%bool
%%uint = OpTypeInt 32 0
%%int = OpTypeInt 32 1
%%float = OpTypeFloat 32
%%vec2 = OpTypeVector %%float 2
%%vec3 = OpTypeVector %%float 3
%%vec4 = OpTypeVector %%float 4
%%ivec2 = OpTypeVector %%int 2
%%ivec4 = OpTypeVector %%int 4
%%uvec2 = OpTypeVector %%uint 2
%%uvec3 = OpTypeVector %%uint 3
%%uvec4 = OpTypeVector %%uint 4
%%u0 = OpConstant %%uint 0
%%u1 = OpConstant %%uint 1
%%u2 = OpConstant %%uint 2
%%u3 = OpConstant %%uint 3
%%u4 = OpConstant %%uint 4
%%u5 = OpConstant %%uint 5
%%u7 = OpConstant %%uint 7
%%i0 = OpConstant %%int 0
%%i1 = OpConstant %%int 1
%%i2 = OpConstant %%int 2
%%i3 = OpConstant %%int 3
%%f0 = OpConstant %%float 0
%%fq = OpConstant %%float 0.25
%%fh = OpConstant %%float 0.5
%%f3q = OpConstant %%float 0.75
%%f1 = OpConstant %%float 1
%%f3h = OpConstant %%float 1.5
%%f2 = OpConstant %%float 2
%%fm1 = OpConstant %%float -1
%%z = OpConstantComposite %%vec2 %%f0 %%f0
%%two = OpConstantComposite %%vec2 %%f2 %%f2
%%wide = OpConstantComposite %%vec2 %%f1 %%f0
%%p11 = OpConstantComposite %%vec2 %%fq %%fq
%%p22 = OpConstantComposite %%vec2 %%fh %%fh
%%p31 = OpConstantComposite %%vec2 %%f3q %%fq
%%p113 = OpConstantComposite %%vec3 %%fh %%fq %%f3q
%%proj = OpConstantComposite %%vec3 %%f3h %%fh %%f2
%%projm = OpConstantComposite %%vec3 %%f1 %%f1 %%f2
%%i00 = OpConstantComposite %%ivec2 %%i0 %%i0
%%i01 = OpConstantComposite %%ivec2 %%i0 %%i1
%%i10 = OpConstantComposite %%ivec2 %%i1 %%i0
%%i11 = OpConstantComposite %%ivec2 %%i1 %%i1
%%i22 = OpConstantComposite %%ivec2 %%i2 %%i2
%%v00 = OpConstantComposite %%uvec2 %%u0 %%u0
%%v01 = OpConstantComposite %%uvec2 %%u0 %%u1
%%v21 = OpConstantComposite %%uvec2 %%u2 %%u1
%%offsets = OpTypeArray %%ivec2 %%u4
%%four = OpConstantComposite %%offsets %%i00 %%i10 %%i01 %%i11
%%texel = OpConstantComposite %%uvec4 %%u7 %%u7 %%u7 %%u7
%%sparse = OpTypeStruct %%int %%vec4
%%sparse1 = OpTypeStruct %%int %%float
%%sparseu = OpTypeStruct %%int %%uvec4
%%foot = OpTypeStruct %%bool %%uvec2 %%uvec2 %%uvec2 %%uint %%uint
%%list = OpTypeRuntimeArray %%%[5]s
%%B = OpTypeStruct %%list
%%pB = OpTypePointer Uniform %%B
%%pout = OpTypePointer Uniform %%%[5]s
%%piuint = OpTypePointer Image %%uint
%%piint = OpTypePointer Image %%int
%%im = OpTypeImage %[3]s
%%T = %[4]s
%%pT = OpTypePointer UniformConstant %%T
%%pin = OpTypePointer Input %%uvec3
%%o = OpVariable %%pB Uniform
%%tex = OpVariable %%pT UniformConstant
%%lane = OpVariable %%pin Input
%%main = OpFunction %%void None %%fn
%%l = OpLabel
%%id = OpLoad %%uvec3 %%lane
%%idx = OpCompositeExtract %%uint %%id 0
%%odd = OpBitwiseAnd %%uint %%idx %%u1
%%row = OpShiftRightLogical %%uint %%idx %%u1
%%fx = OpConvertUToF %%float %%odd
%%fy = OpConvertUToF %%float %%row
%%both = OpCompositeConstruct %%vec2 %%fx %%fy
%%spread = OpFAdd %%vec2 %%both %%p11
%%t = OpLoad %%T %%tex
%[6]sOpReturn
OpFunctionEnd
END
`

// script returns the script of a case.
func (c *instruction) script() string {
	k := kinds[c.kind]
	names, extensions, _ := strings.Cut(c.needs, "|")
	head := ""
	for _, n := range strings.Fields(names) {
		head += "OpCapability " + n + "\n"
	}
	for _, n := range strings.Fields(extensions) {
		head += "OpExtension \"" + n + "\"\n"
	}
	modes, typ := "OpExecutionMode %main LocalSize 4 1 1\n", ""
	if strings.Contains(names, "Derivative") {
		modes += "OpExecutionMode %main DerivativeGroupLinearKHR\n"
	}
	if strings.Contains(c.body, "BlockMatch") {
		modes += "OpDecorate %tex BlockMatchTextureQCOM\nOpDecorate %tex BlockMatchSamplerQCOM\n"
	}
	if strings.HasPrefix(k.bound, "combined") {
		typ = "OpTypeSampledImage %im"
	}
	scalar := map[string]string{"vec4": "float", "uvec4": "uint", "ivec4": "int"}[c.result]
	body := c.body + "\n"
	if scalar == "" {
		scalar = c.result
		body += "%to = OpAccessChain %pout %o %u0 %u0\nOpStore %to %r\n"
	} else {
		for i := range 4 {
			body += fmt.Sprintf("%%c%[1]d = OpCompositeExtract %%%[2]s %%r %[1]d\n%%to%[1]d = OpAccessChain %%pout %%o %%u0 %%u%[1]d\nOpStore %%to%[1]d %%c%[1]d\n", i, scalar)
		}
	}
	text := fmt.Sprintf(imageModule, head, modes, k.image, typ, scalar, body)
	if typ == "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "%T = \n", ""), "%T ", "%im ")
		text = strings.ReplaceAll(text, "UniformConstant %T", "UniformConstant %im")
	}
	data := map[string]string{"uint": "uint32", "int": "int32"}[scalar]
	if data == "" {
		data = scalar
	}
	return "#!amber\n" + text + k.declared + "\nBUFFER io DATA_TYPE " + data + " DATA 99 99 99 99 END\nPIPELINE compute p\n  ATTACH c\n  BIND BUFFER tex AS " + k.bound +
		" DESCRIPTOR_SET 0 BINDING 0\n  BIND BUFFER io AS storage DESCRIPTOR_SET 0 BINDING 1\nEND\nRUN p 1 1 1\nEXPECT io IDX 0 EQ " + c.want + "\n"
}

func runInstruction(t *testing.T, c instruction) {
	t.Helper()
	engines := []exec.Engine{interp.Engine{}}
	for _, l := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: l})
	}
	if strings.Contains(c.body, "OpImageTexelPointer") || strings.Contains(c.body, "OpImageWrite") { // one invocation
		c.body = "%only = OpIEqual %bool %idx %u0\nOpSelectionMerge %done None\nOpBranchConditional %only %do %done\n%do = OpLabel\n" + c.body
	}
	text := c.script()
	if strings.Contains(c.body, "%done") {
		text = strings.Replace(text, "OpReturn\n", "OpBranch %done\n%done = OpLabel\nOpReturn\n", 1)
	}
	for _, e := range engines {
		if r := Run(context.Background(), mustParse(t, text), Options{Engine: e}); r.Status != Pass {
			t.Errorf("%s: %s: %s %s", e.Name(), c.body, r.Status, r.Message)
		}
	}
	// The code of the sanitizers reads the residency of texels, which not all instructions have.
	r := Run(context.Background(), mustParse(t, text), Options{Engine: interp.Engine{}, Lowering: lower.Options{Sanitize: ir.SanitizeAll}})
	if r.Status != Pass && len(r.Reports) == 0 {
		t.Errorf("with sanitizers: %s: %s %s", c.body, r.Status, r.Message)
	}
}

// TestImageInstructionsAreAll demands a case of every image instruction that a script can
// supply with operands: not views of weights, windows of samplers, nor heaps.
func TestImageInstructionsAreAll(t *testing.T) {
	have := map[string]bool{}
	for _, c := range instructions {
		for _, op := range regexp.MustCompile(`Op\w+`).FindAllString(c.body, -1) {
			have[op] = true
		}
	}
	for _, c := range pointerInstructions {
		have[c.op] = true
	}
	for _, op := range strings.Fields(`OpImageSampleImplicitLod OpImageSampleExplicitLod OpImageSampleDrefImplicitLod OpImageSampleDrefExplicitLod
		OpImageSampleProjImplicitLod OpImageSampleProjExplicitLod OpImageSampleProjDrefImplicitLod OpImageSampleProjDrefExplicitLod
		OpImageFetch OpImageGather OpImageDrefGather OpImageRead OpImageWrite OpImage OpImageQuerySizeLod OpImageQuerySize OpImageQueryLod
		OpImageQueryLevels OpImageQuerySamples OpImageSparseSampleImplicitLod OpImageSparseSampleExplicitLod OpImageSparseSampleDrefImplicitLod
		OpImageSparseSampleDrefExplicitLod OpImageSparseFetch OpImageSparseGather OpImageSparseDrefGather OpImageSparseTexelsResident
		OpImageSparseRead OpImageBoxFilterQCOM OpImageBlockMatchSSDQCOM OpImageBlockMatchSADQCOM OpImageSampleFootprintNV
		OpAtomicLoad OpAtomicExchange OpAtomicCompareExchange OpAtomicIIncrement OpAtomicIDecrement OpAtomicIAdd OpAtomicISub
		OpAtomicSMin OpAtomicUMin OpAtomicSMax OpAtomicUMax OpAtomicAnd OpAtomicOr OpAtomicXor`) {
		if !have[op] {
			t.Errorf("no case of %s", op)
		}
	}
}
