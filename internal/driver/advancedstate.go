package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// advancedStateCommands are the states of VK_EXT_sample_locations, VK_EXT_depth_clamp_control, VK_EXT_depth_bias_control,
// VK_EXT_blend_operation_advanced and VK_EXT_custom_resolve.
var advancedStateCommands = map[int]recorder{
	abi.CmdCmdSetSampleLocationsEXT: rec(func(c *commandBuffer, a *abi.CmdSetSampleLocationsEXTArgs) {
		c.vk.SetSampleLocations(sampleLocations(a.PSampleLocationsInfo))
	}),
	abi.CmdCmdSetSampleLocationsEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetSampleLocationsEnableEXTArgs) {
		c.vk.SetSampleLocationsEnable(a.SampleLocationsEnable != 0)
	}),
	abi.CmdCmdSetDepthClampRangeEXT: rec(func(c *commandBuffer, a *abi.CmdSetDepthClampRangeEXTArgs) {
		c.vk.SetDepthClampRange(clampRange(a.DepthClampMode, a.PDepthClampRange))
	}),
	abi.CmdCmdSetDepthBias2EXT: rec(func(c *commandBuffer, a *abi.CmdSetDepthBias2EXTArgs) {
		i := a.PDepthBiasInfo
		c.vk.SetDepthBias2(vk.DepthBias{Constant: i.DepthBiasConstantFactor, Clamp: i.DepthBiasClamp, Slope: i.DepthBiasSlopeFactor, Representation: biasUnit(i.PNext)})
	}),
	abi.CmdCmdSetColorBlendAdvancedEXT: rec(func(c *commandBuffer, a *abi.CmdSetColorBlendAdvancedEXTArgs) {
		c.vk.SetColorBlendAdvanced(int(a.FirstAttachment), each(array(a.PColorBlendAdvanced, a.AttachmentCount), func(b *abi.ColorBlendAdvancedEXT) vk.ColorBlendAdvanced {
			return vk.ColorBlendAdvanced{
				Op: enum.BlendOp(b.AdvancedBlendOp), ClampResults: b.ClampResults != 0,
				BlendAdvanced: vk.BlendAdvanced{SrcPremultiplied: b.SrcPremultiplied != 0, DstPremultiplied: b.DstPremultiplied != 0, Overlap: vk.BlendOverlap(b.BlendOverlap)},
			}
		})...)
	}),
	abi.CmdCmdBeginCustomResolveEXT: rec(func(c *commandBuffer, _ *abi.CmdBeginCustomResolveEXTArgs) { c.vk.BeginCustomResolve() }),
}

// sampleLocations reads places of samples. VkSampleLocationEXT and a pair of numbers have one layout.
func sampleLocations(i *abi.SampleLocationsInfoEXT) vk.SampleLocations {
	return vk.SampleLocations{
		Samples: i.SampleLocationsPerPixel, Width: i.SampleLocationGridSize.Width, Height: i.SampleLocationGridSize.Height,
		Points: array((*[2]float32)(unsafe.Pointer(i.PSampleLocations)), i.SampleLocationsCount),
	}
}

// clampRange reads a range of depth clamping; nil is the viewport's.
func clampRange(mode uint32, r *abi.DepthClampRangeEXT) *vk.DepthRange {
	if mode != abi.DepthClampModeUserDefinedRangeEXT || r == nil {
		return nil
	}
	return &vk.DepthRange{Min: r.MinDepthClamp, Max: r.MaxDepthClamp}
}

// biasUnit reads the unit of the constant term of a depth bias.
func biasUnit(chain unsafe.Pointer) vk.BiasRepresentation {
	if r := abi.Find[abi.DepthBiasRepresentationInfoEXT](chain, abi.StructureTypeDepthBiasRepresentationInfoEXT); r != nil {
		return vk.BiasRepresentation(r.DepthBiasRepresentation)
	}
	return vk.BiasLeastRepresentable
}

// customResolve reads the custom resolve in a chain; nil if there is none.
func customResolve(chain unsafe.Pointer) *vk.CustomResolve {
	i := abi.Find[abi.CustomResolveCreateInfoEXT](chain, abi.StructureTypeCustomResolveCreateInfoEXT)
	if i == nil {
		return nil
	}
	return &vk.CustomResolve{
		Resolve: i.CustomResolve != 0, Colors: each(array(i.PColorAttachmentFormats, i.ColorAttachmentCount), func(f *uint32) link.Format { return format(*f) }),
		Depth: format(i.DepthAttachmentFormat), Stencil: format(i.StencilAttachmentFormat),
	}
}

// locations reads the places of samples of a pipeline. If they are dynamic, the pointer in the structure may be invalid.
func (r *graphicsReader) locations(s *vk.FixedState, chain unsafe.Pointer) {
	l := abi.Find[abi.PipelineSampleLocationsStateCreateInfoEXT](chain, abi.StructureTypePipelineSampleLocationsStateCreateInfoEXT)
	if l == nil {
		return
	}
	s.Multisample.Locations = l.SampleLocationsEnable != 0
	used := s.Multisample.Locations || r.has(enum.DynamicStateSampleLocationsEnable) && l.SampleLocationsInfo.PSampleLocations != nil
	if used && !r.has(enum.DynamicStateSampleLocations) {
		x := sampleLocations(&l.SampleLocationsInfo)
		s.SampleLocations = &x
	}
}

// advancedBlend reads the parameters of advanced blend operations; nil if there are none.
func advancedBlend(chain unsafe.Pointer) *vk.BlendAdvanced {
	b := abi.Find[abi.PipelineColorBlendAdvancedStateCreateInfoEXT](chain, abi.StructureTypePipelineColorBlendAdvancedStateCreateInfoEXT)
	if b == nil {
		return nil
	}
	return &vk.BlendAdvanced{SrcPremultiplied: b.SrcPremultiplied != 0, DstPremultiplied: b.DstPremultiplied != 0, Overlap: vk.BlendOverlap(b.BlendOverlap)}
}
