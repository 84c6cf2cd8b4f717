package link_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// inMemory are the endings of rules on the form of structures and calls: their types,
// chains, pointers, handles and counts. A description has none of them; its reader reports
// wrong names and types as errors with a position.
var inMemory = []string{
	"-sType-sType", "-sType-unique", "-pNext-pNext", "-parameter", "-parent", "-commonparent", "-arraylength", "-requiredbitmask", "-zerobitmask",
}

// reason is why some rules are not checked.
type reason struct {
	why   string
	codes []string // without VUID-
}

// unjudged are the other rules that Link does not check, by the information that they need
// and that neither a description nor a device has.
var unjudged = []reason{
	{"a description has no names for debugging", []string{
		"VkDescriptorMappingSourceConstantOffsetEXT-pEmbeddedSampler-11415", "VkDescriptorMappingSourcePushIndexEXT-pEmbeddedSampler-11415",
		"VkDescriptorMappingSourceIndirectIndexEXT-pEmbeddedSampler-11415", "VkDescriptorMappingSourceIndirectIndexArrayEXT-pEmbeddedSampler-11415",
		"VkDescriptorMappingSourceShaderRecordIndexEXT-pEmbeddedSampler-11415",
	}},
	{"a base pipeline is a handle", []string{
		"vkCreateExecutionGraphPipelinesAMDX-flags-09125", "vkCreateExecutionGraphPipelinesAMDX-flags-09126",
	}},
	{"the cache of the call is a handle", []string{
		"vkCreateExecutionGraphPipelinesAMDX-pipelineCache-09127", "vkCreateExecutionGraphPipelinesAMDX-pNext-09616",
		"vkCreateExecutionGraphPipelinesAMDX-pNext-09617",
	}},
	{"binaries and their feedback are of the call", []string{
		"vkCreateExecutionGraphPipelinesAMDX-binaryCount-09620", "vkCreateExecutionGraphPipelinesAMDX-binaryCount-09621",
		"vkCreateExecutionGraphPipelinesAMDX-binaryCount-09622",
	}},
	{"it counts the samplers that the application has made on the device", []string{
		"vkCreateExecutionGraphPipelinesAMDX-pCreateInfos-11414", "vkCreateExecutionGraphPipelinesAMDX-pCreateInfos-11429",
	}},
	{"it states in general what the individual rules of interfaces and layouts require", []string{
		"VkExecutionGraphPipelineCreateInfoAMDX-pStages-09129", "VkExecutionGraphPipelineCreateInfoAMDX-layout-09130",
	}},
	{"the same is judged of the pipeline: VkGraphicsPipelineCreateInfo-renderPass-06038", []string{
		"vkCmdDraw-OpTypeImage-07468",
	}},
	{"it needs the views that are attached or bound at the draw, and their images: formats, format features, layouts and sizes", []string{
		"vkCmdDraw-None-07469", "vkCmdDraw-pDepthInputAttachmentIndex-09595", "vkCmdDraw-aspectMask-06478", "vkCmdDraw-None-06479", "vkCmdDraw-None-02691",
		"vkCmdDraw-None-07888", "vkCmdDraw-None-02692", "vkCmdDraw-None-02693", "vkCmdDraw-filterCubic-02694", "vkCmdDraw-filterCubicMinmax-02695",
		"vkCmdDraw-flags-02696", "vkCmdDraw-OpTypeImage-07027", "vkCmdDraw-OpTypeImage-07028", "vkCmdDraw-OpTypeImage-07029", "vkCmdDraw-OpTypeImage-07030",
		"vkCmdDraw-imageLayout-00344", "vkCmdDraw-viewType-07752", "vkCmdDraw-format-07753", "vkCmdDraw-OpImageWrite-08795", "vkCmdDraw-OpImageWrite-08796",
		"vkCmdDraw-OpImageWrite-04469", "vkCmdDraw-SampledType-04470", "vkCmdDraw-SampledType-04471", "vkCmdDraw-SampledType-04472",
		"vkCmdDraw-SampledType-04473", "vkCmdDraw-sparseImageInt64Atomics-04474", "vkCmdDraw-sparseImageInt64Atomics-04475",
		"vkCmdDraw-OpImageSampleWeightedQCOM-06971", "vkCmdDraw-OpImageSampleWeightedQCOM-06972", "vkCmdDraw-OpImageBoxFilterQCOM-06973",
		"vkCmdDraw-OpImageBlockMatchSSDQCOM-06974", "vkCmdDraw-OpImageBlockMatchSADQCOM-12420", "vkCmdDraw-OpImageBlockMatchWindow-09215",
		"vkCmdDraw-OpImageBlockMatchWindow-09216", "vkCmdDraw-None-09600",
	}},
	{"it needs a sampler together with the view that it samples at the draw", []string{
		"vkCmdDraw-magFilter-04553", "vkCmdDraw-magFilter-09598", "vkCmdDraw-mipmapMode-04770", "vkCmdDraw-mipmapMode-09599",
		"vkCmdDraw-unnormalizedCoordinates-09635", "vkCmdDraw-None-08609", "vkCmdDraw-cubicRangeClamp-09212", "vkCmdDraw-reductionMode-09213",
		"vkCmdDraw-selectableCubicWeights-09214", "vkCmdDraw-OpImageBlockMatchSADQCOM-06976", "vkCmdDraw-OpImageSampleWeightedQCOM-06977",
		"vkCmdDraw-OpImageSampleWeightedQCOM-06978", "vkCmdDraw-OpImageBlockMatchWindow-09217", "vkCmdDraw-OpImageBlockMatchWindow-12421",
		"vkCmdDraw-addressModeU-12422",
	}},
	{"it needs the objects that commands bind before the draw: pipelines, sets, buffers, heaps, push data", []string{
		"vkCmdDraw-None-08698", "vkCmdDraw-None-08600", "vkCmdDraw-None-08601", "vkCmdDraw-None-08114", "vkCmdDraw-None-08115", "vkCmdDraw-None-08116",
		"vkCmdDraw-None-08117", "vkCmdDraw-None-08119", "vkCmdDraw-None-08605", "vkCmdDraw-None-08606", "vkCmdDraw-None-12472", "vkCmdDraw-None-11308",
		"vkCmdDraw-None-11309", "vkCmdDraw-pBindInfo-11375", "vkCmdDraw-None-11376", "vkCmdDraw-index-11450", "vkCmdDraw-None-04007", "vkCmdDraw-None-04008",
		"vkCmdDraw-pStrides-04913", "vkCmdDraw-None-13118", "vkCmdDraw-None-08885",
	}},
	{"it needs addresses and indices that shaders compute or read at the draw", []string{
		"vkCmdDraw-uniformBuffers-06935", "vkCmdDraw-None-08612", "vkCmdDraw-storageBuffers-06936", "vkCmdDraw-None-08613", "vkCmdDraw-None-11297",
		"vkCmdDraw-None-11298", "vkCmdDraw-None-11299", "vkCmdDraw-None-11397", "vkCmdDraw-None-11300", "vkCmdDraw-None-11301", "vkCmdDraw-None-11302",
		"vkCmdDraw-None-11304", "vkCmdDraw-None-11305", "vkCmdDraw-None-11306", "vkCmdDraw-None-11372", "vkCmdDraw-None-11373", "vkCmdDraw-None-11374",
		"vkCmdDraw-None-11398", "vkCmdDraw-None-11437", "vkCmdDraw-None-11438", "vkCmdDraw-None-11441", "vkCmdDraw-None-11439", "vkCmdDraw-None-11442",
		"vkCmdDraw-None-11485", "vkCmdDraw-protectedNoFault-11455", "vkCmdDraw-protectedNoFault-11456", "vkCmdDraw-None-02721", "vkCmdDraw-format-10389",
		"vkCmdDraw-format-10390",
	}},
	{"protected memory is of resources and command buffers", []string{
		"vkCmdDraw-commandBuffer-02707", "vkCmdDraw-commandBuffer-02712", "vkCmdDraw-commandBuffer-02713",
	}},
	{"it needs the earlier writes in the render pass instance", []string{
		"vkCmdDraw-None-10795", "vkCmdDraw-None-10796", "vkCmdDraw-None-10797", "vkCmdDraw-None-09003",
	}},
	{"it needs the instance of the render pass in which the draw is recorded: how it was begun, its views, attachments and queries", []string{
		"vkCmdDraw-maxMultiviewInstanceIndex-02688", "vkCmdDraw-multisampledRenderToSingleSampled-07285", "vkCmdDraw-multisampledRenderToSingleSampled-07286",
		"vkCmdDraw-multisampledRenderToSingleSampled-07287", "vkCmdDraw-pNext-07935", "vkCmdDraw-pColorAttachments-08963", "vkCmdDraw-pColorAttachments-11539",
		"vkCmdDraw-stage-07073", "vkCmdDraw-colorAttachmentCount-09372", "vkCmdDraw-None-09642", "vkCmdDraw-None-09643", "vkCmdDraw-None-10677",
		"vkCmdDraw-None-10678", "vkCmdDraw-None-10679",
	}},
	{"it needs values that commands set as dynamic state", []string{
		"vkCmdDraw-primitiveFragmentShadingRateWithMultipleViewports-04552", "vkCmdDraw-alphaToCoverageEnable-08919", "vkCmdDraw-coverageToColorEnable-07490",
		"vkCmdDraw-pDynamicStates-08715", "vkCmdDraw-pDynamicStates-08716", "vkCmdDraw-None-08608", "vkCmdDraw-dynamicPrimitiveTopologyUnrestricted-07500",
	}},
	{"whether an invocation ends is decided when it runs", []string{
		"vkCmdDraw-None-07288",
	}},
	{"a description does not name the draw command", []string{
		"vkCmdDraw-stage-06481",
	}},
	{"it needs the acceleration structures and micromaps that are bound", []string{
		"vkCmdDraw-micromap-11636", "vkCmdDraw-micromap-11637", "vkCmdDraw-micromap-11638", "vkCmdDraw-micromap-11639",
	}},
	{"it needs the tensors that are bound", []string{
		"vkCmdDraw-pDescription-09900", "vkCmdDraw-dimensionCount-09905", "vkCmdDraw-OpTypeTensorARM-09906", "vkCmdDraw-OpTensorReadARM-12462",
		"vkCmdDraw-pNext-12463",
	}},
}

// whyNot returns the reason why Link does not check a rule, or "" if there is none in the
// lists.
func whyNot(code string) string {
	for _, end := range inMemory {
		if strings.HasSuffix(code, end) {
			return "it is on the form of a structure or a call in memory"
		}
	}
	of := strings.TrimPrefix(code, "VUID-")
	why := ""
	for _, k := range slices.Concat(unjudged, unjudgedPipelines) {
		for _, c := range k.codes {
			begin, many := strings.CutSuffix(c, "*")
			switch {
			case c == of:
				return k.why
			case many && strings.HasPrefix(of, begin):
				why = k.why // if the rule itself has no reason
			}
		}
	}
	return why
}

// TestUnjudged demands that a rule is checked or has its reason, and not both.
func TestUnjudged(t *testing.T) {
	all := map[string]bool{}
	for _, code := range vuid.All {
		all[code] = true
		if _, judged := link.RuleOf(code); !judged && !ofModules(code) && whyNot(code) == "" {
			t.Errorf("%s is not judged and has no reason", code)
		}
	}
	seen := map[string]bool{}
	for _, k := range slices.Concat(unjudged, unjudgedPipelines) {
		for _, c := range k.codes {
			if strings.HasSuffix(c, "*") {
				continue
			}
			_, judged := link.RuleOf("VUID-" + c)
			switch {
			case judged:
				t.Errorf("%s is judged, and has a reason not to be", c)
			case !all["VUID-"+c]:
				t.Errorf("%s is no rule", c)
			case seen[c]:
				t.Errorf("%s: twice", c)
			}
			seen[c] = true
		}
	}
}
