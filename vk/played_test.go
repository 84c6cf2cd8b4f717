package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestPlayedStates plays a device with the least properties of advanced blending and without representations of the depth
// bias: its properties follow the profile, and pipelines and commands that need more have errors.
func TestPlayedStates(t *testing.T) {
	p := &PhysicalDevice{Version: valid.Vulkan13, Limits: &valid.Device{
		Features: map[string]bool{"floatRepresentation": false, "leastRepresentableValueForceUnormRepresentation": false},
		Limits: map[string]uint64{
			"advancedBlendMaxColorAttachments": 1, "advancedBlendIndependentBlend": 0, "advancedBlendNonPremultipliedSrcColor": 0,
			"advancedBlendNonPremultipliedDstColor": 0, "advancedBlendCorrelatedOverlap": 0, "advancedBlendAllOperations": 0,
			"sampleLocationSampleCounts": 4 | 1<<20, "sampleLocationSubPixelBits": 4, "variableSampleLocations": 0,
		},
	}}
	if got := p.BlendAdvancedProperties(); got != (BlendAdvancedProperties{MaxColorAttachments: 1}) {
		t.Errorf("properties of blending %+v", got)
	}
	if got := p.SampleLocationsProperties(); got.Samples != 4 || got.SubPixelBits != 4 || got.Variable || p.MaxSampleLocationGrid(4) != [2]uint32{2, 2} || p.MaxSampleLocationGrid(2) != [2]uint32{} {
		t.Errorf("properties of sample locations %+v", got)
	}
	d := must(p.NewDevice(DeviceInfo{Checking: Pipelines}))(t)
	t.Cleanup(func() { d.Close() })
	op := func(list ...enum.BlendOp) *link.ColorBlend {
		out := &link.ColorBlend{}
		for _, o := range list {
			out.Attachments = append(out.Attachments, link.Blend{Enable: true, ColorOp: o, AlphaOp: o})
		}
		return out
	}
	const attachment, advanced = "VUID-VkPipelineColorBlendAttachmentState-", "VUID-VkPipelineColorBlendAdvancedStateCreateInfoEXT-"
	for rule, f := range map[string]FixedState{
		attachment + "advancedBlendIndependentBlend-01407":                                            {Blend: op(enum.BlendOpMultiply, enum.BlendOpScreen)},
		attachment + "advancedBlendAllOperations-01409":                                               {Blend: op(enum.BlendOpPlus)},
		attachment + "colorBlendOp-01410":                                                             {Blend: op(enum.BlendOpMultiply, enum.BlendOpMultiply), Rendering: link.Rendering{Color: make([]link.Format, 2)}},
		advanced + "srcPremultiplied-01424":                                                           {BlendAdvanced: &BlendAdvanced{DstPremultiplied: true}},
		advanced + "dstPremultiplied-01425":                                                           {BlendAdvanced: &BlendAdvanced{SrcPremultiplied: true}},
		advanced + "blendOverlap-01426":                                                               {BlendAdvanced: &BlendAdvanced{SrcPremultiplied: true, DstPremultiplied: true, Overlap: OverlapConjoint}},
		"VUID-VkDepthBiasRepresentationInfoEXT-floatRepresentation-08948":                             {BiasUnit: BiasFloat},
		"VUID-VkDepthBiasRepresentationInfoEXT-leastRepresentableValueForceUnormRepresentation-08947": {BiasUnit: BiasLeastRepresentableForceUnorm},
	} {
		wantRule(t, f.check(d), rule)
	}
	for _, f := range []FixedState{{Blend: op(enum.BlendOpHslColor)}, {Blend: op(enum.BlendOpAdd, enum.BlendOpMax)}, {BlendAdvanced: &BlendAdvanced{SrcPremultiplied: true, DstPremultiplied: true}}} {
		if err := f.check(d); err != nil {
			t.Error(err)
		}
	}
	for rule, command := range map[string]func(*CommandBuffer){
		"VUID-VkColorBlendAdvancedEXT-srcPremultiplied-07505": func(c *CommandBuffer) {
			c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpScreen, BlendAdvanced: BlendAdvanced{DstPremultiplied: true}})
		},
		"VUID-VkColorBlendAdvancedEXT-dstPremultiplied-07506": func(c *CommandBuffer) {
			c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpScreen, BlendAdvanced: BlendAdvanced{SrcPremultiplied: true}})
		},
		"VUID-VkColorBlendAdvancedEXT-blendOverlap-07507": func(c *CommandBuffer) {
			c.SetColorBlendAdvanced(0, ColorBlendAdvanced{Op: enum.BlendOpScreen, BlendAdvanced: BlendAdvanced{SrcPremultiplied: true, DstPremultiplied: true, Overlap: OverlapDisjoint}})
		},
		"VUID-VkDepthBiasRepresentationInfoEXT-floatRepresentation-08948": func(c *CommandBuffer) { c.SetDepthBias2(DepthBias{Representation: BiasFloat}) },
	} {
		(&scene{rig: &rig{dev: d}}).refuses(t, rule, command)
	}
}
