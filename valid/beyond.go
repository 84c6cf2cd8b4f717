package valid

import (
	"iter"
	"slices"
	"strings"
)

// Beyond is the reason why a rule on modules is not checked: the information that
// it needs and that neither a module nor an [Env] has.
type Beyond uint8

// The missing information.
const (
	BeyondPipeline Beyond = iota // the pipeline, its layout, its flags, its other stages
	BeyondDraw                   // the bound or attached resources, and their creation
	BeyondRun                    // values computed by an execution
	BeyondText                   // none: the subject of the rule is not in this version of the specification
	BeyondOther                  // none: the rules that Unjudged.Why names have the same content
)

// String returns "pipeline", "draw", "run", "text" or "other".
func (b Beyond) String() string {
	return [...]string{"pipeline", "draw", "run", "text", "other"}[b]
}

// Unjudged is a Vulkan rule on modules that Check does not check. Package link
// may check one that needs a pipeline.
type Unjudged struct {
	Code  string
	Needs Beyond
	Why   string // the missing information, in a word or two
}

// AllUnjudged yields the Vulkan rules on modules that Check does not check, in
// order of their codes. With the rules of [Rules] they are a partition of all
// VUIDs on modules; a test compares them with the registry.
func AllUnjudged() iter.Seq[Unjudged] {
	var all []Unjudged
	for _, g := range unjudged {
		for _, code := range g.codes {
			all = append(all, Unjudged{"VUID-" + code, g.needs, g.why})
		}
	}
	slices.SortFunc(all, func(x, y Unjudged) int { return strings.Compare(x.Code, y.Code) })
	return slices.Values(all)
}

// unjudged are these rules by reason.
var unjudged = [...]struct {
	needs Beyond
	why   string
	codes []string
}{
	{BeyondPipeline, "the other stages", []string{
		"RuntimeSpirv-OpEntryPoint-07754", "RuntimeSpirv-OpEntryPoint-08743", "RuntimeSpirv-OpVariable-08746", "RuntimeSpirv-maintenance4-06817",
		"RuntimeSpirv-MeshEXT-12380", "RuntimeSpirv-OpTraceRayKHR-11855", "PrimitiveId-Fragment-04331", "PrimitiveId-Fragment-04332",
	}},
	{BeyondPipeline, "a flag without a name in Vulkan's registry", []string{"RuntimeSpirv-micromap-11630"}},
	{BeyondPipeline, "the module as a stage of a pipeline", []string{"RuntimeSpirv-GraphARM-09922"}},
	{BeyondPipeline, "its flags", []string{
		"RuntimeSpirv-OpTraceRayKHR-06553", "RuntimeSpirv-OpTraceRayKHR-06554", "RuntimeSpirv-OpTraceRayMotionNV-06367",
		"RuntimeSpirv-OpHitObjectTraceRayMotionNV-07711", "RuntimeSpirv-OpHitObjectTraceRayNV-07715", "RuntimeSpirv-OpHitObjectTraceRayNV-07716",
		"RuntimeSpirv-OpHitObjectTraceRayMotionEXT-11877", "RuntimeSpirv-OpHitObjectTraceRayEXT-11886", "RuntimeSpirv-OpHitObjectTraceRayEXT-11887",
		"RuntimeSpirv-OpArrayLength-11807", "RuntimeSpirv-OpConstantSizeOfEXT-11475",
		"RuntimeSpirv-OpCooperativeVectorMatrixMulAddNV-11808", "RuntimeSpirv-OpCooperativeVectorLoadNV-11809",
		"RuntimeSpirv-OpTypeCooperativeMatrixKHR-10770", "RuntimeSpirv-OpTypeCooperativeMatrixKHR-10771",
	}},
	{BeyondPipeline, "its multisample state", []string{"RuntimeSpirv-minSampleShading-08731", "RuntimeSpirv-minSampleShading-08732"}},
	{BeyondPipeline, "its subpass", []string{"RuntimeSpirv-SampleRateShading-06378", "ViewportMaskPerViewNV-ViewportMaskPerViewNV-04416"}},
	{BeyondPipeline, "the mapping of its descriptors", []string{
		"RuntimeSpirv-DescriptorSet-11385", "RuntimeSpirv-DescriptorSet-11388", "RuntimeSpirv-source-11387",
	}},
	{BeyondPipeline, "the resources and constants of a data graph pipeline", []string{
		"RuntimeSpirv-pNext-09919", "RuntimeSpirv-pNext-09920", "RuntimeSpirv-pNext-09921", "RuntimeSpirv-pNext-09923",
	}},
	{BeyondPipeline, "its immutable samplers, and their conversion", []string{
		"RuntimeSpirv-OpTypeSampler-12203", "RuntimeSpirv-OpTypeImage-12204", "RuntimeSpirv-None-12205", "RuntimeSpirv-OpTypeSampledImage-12206",
		"RuntimeSpirv-OpTypeImage-12207", "RuntimeSpirv-ConstOffset-10718",
	}},
	{BeyondDraw, "the bound view, and its conversion", []string{"RuntimeSpirv-OpTypeSampledImage-12208"}},
	{BeyondDraw, "the image, and its samples", []string{"RuntimeSpirv-samples-08725", "RuntimeSpirv-samples-08726"}},
	{BeyondDraw, "the image, and its sparse flag", []string{"RuntimeSpirv-None-06287"}},
	{BeyondPipeline, "its subpass, and the aspects of the attachments", []string{"RuntimeSpirv-OpEntryPoint-08727"}},
	{BeyondDraw, "the samplers", []string{
		"RuntimeSpirv-OpImageBlockMatchSSDQCOM-06985", "RuntimeSpirv-OpImageBlockMatchSSDQCOM-06986", "RuntimeSpirv-OpImageBlockMatchWindow-09222",
		"RuntimeSpirv-OpImageBlockMatchWindow-09223", "RuntimeSpirv-pNext-09226",
	}},
	{BeyondDraw, "the acceleration structure, its build and the hit", []string{
		"RuntimeSpirv-OpRayQueryInitializeKHR-06352", "RuntimeSpirv-OpRayQueryGenerateIntersectionKHR-06354", "RuntimeSpirv-flags-08761",
		"RuntimeSpirv-OpTraceRayKHR-06359", "RuntimeSpirv-OpTraceRayKHR-06360", "RuntimeSpirv-OpTraceRayMotionNV-06365",
		"RuntimeSpirv-OpHitObjectTraceRayMotionNV-07704", "RuntimeSpirv-OpHitObjectTraceRayMotionNV-07709", "RuntimeSpirv-flags-11875",
		"RuntimeSpirv-flags-11876", "HitTriangleVertexPositionsKHR-None-08751",
	}},
	{BeyondDraw, "the attachments", []string{
		"RuntimeSpirv-OpTypeImage-10707", "RuntimeSpirv-OpTypeImage-10708", "RuntimeSpirv-OpTypeImage-10709", "RuntimeSpirv-OpTypeImage-10710",
		"RuntimeSpirv-OpTypeSampledImage-10711",
	}},
	{BeyondDraw, "the render pass, and its tiles", []string{
		"RuntimeSpirv-TileShadingQCOM-10700", "RuntimeSpirv-TileShadingQCOM-10701", "RuntimeSpirv-z-10704", "RuntimeSpirv-tileSize-10705",
	}},
	{BeyondDraw, "the buffer and its creation", []string{"RuntimeSpirv-protectedNoFault-09645"}},
	{BeyondDraw, "the descriptors, which may be null", []string{"RuntimeSpirv-OpCooperativeMatrix-12379"}},
	{BeyondDraw, "the descriptors in the heap", []string{
		"RuntimeSpirv-Result-11340", "RuntimeSpirv-Result-11341", "RuntimeSpirv-Result-11342", "RuntimeSpirv-Result-11343", "RuntimeSpirv-Result-11345",
		"RuntimeSpirv-Image-11379", "RuntimeSpirv-Image-11380", "RuntimeSpirv-Image-11382",
	}},
	{BeyondRun, "the addresses", []string{
		"RuntimeSpirv-PhysicalStorageBuffer64-11819",
		"RuntimeSpirv-PhysicalStorageBuffer64-06315", "RuntimeSpirv-OpTypeUntypedPointerKHR-11166", "RuntimeSpirv-None-10834",
	}},
	{BeyondRun, "the coordinates", []string{"RuntimeSpirv-Coordinate-10713", "RuntimeSpirv-Coordinate-10714"}},
	{BeyondRun, "the distance of the hit", []string{"RuntimeSpirv-OpRayQueryGenerateIntersectionKHR-06353"}},
	{BeyondRun, "the kind of the hit", []string{"HitTriangleVertexPositionsKHR-HitTriangleVertexPositionsKHR-08750"}},
	{BeyondRun, "the active invocations", []string{"RuntimeSpirv-OpControlBarrierArriveEXT-13558"}},
	{BeyondOther, "only in a specification without Vulkan 1.3 or VK_KHR_format_feature_flags2; apiVersion-07954 and apiVersion-07955 check the same", []string{
		"RuntimeSpirv-OpTypeImage-06269", "RuntimeSpirv-OpTypeImage-06270", "RuntimeSpirv-apiVersion-07952", "RuntimeSpirv-apiVersion-07953",
		"RuntimeSpirv-shaderStorageImageWriteWithoutFormat-07956", "RuntimeSpirv-shaderStorageImageReadWithoutFormat-07957",
	}},
	{BeyondOther, "only in a specification without VK_EXT_shader_atomic_float2; None-06337 and None-06338 check the same", []string{
		"RuntimeSpirv-None-06335", "RuntimeSpirv-None-06336",
	}},
	{BeyondOther, "only in a specification without maintenance4; LocalSizeId-06434 checks the same", []string{"RuntimeSpirv-LocalSizeId-06433"}},
	{BeyondOther, "only in a specification without maintenance4; maintenance4-06817 is the same", []string{"RuntimeSpirv-OpTypeVector-06816"}},
	{BeyondOther, "only in a specification without VK_KHR_zero_initialize_workgroup_memory; shaderZeroInitializeWorkgroupMemory-06372 checks the same", []string{
		"RuntimeSpirv-OpVariable-06373",
	}},
	{BeyondText, "SPIR-V has no built-in of the name; its number, 5021, is now RemainingRecursionLevelsAMDX, of which BuiltIn-04668 warns", []string{
		"CoalescedInputCountAMDX-CoalescedInputCountAMDX-09172", "CoalescedInputCountAMDX-CoalescedInputCountAMDX-09173",
		"CoalescedInputCountAMDX-CoalescedInputCountAMDX-09174",
	}},
	{BeyondText, "SPIR-V has no storage class NodeOutputPayloadAMDX", []string{
		"RuntimeSpirv-maxExecutionGraphShaderPayloadCount-09196", "RuntimeSpirv-maxExecutionGraphShaderPayloadSize-09194",
		"RuntimeSpirv-maxExecutionGraphShaderPayloadSize-09195",
	}},
}
