package vk

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// The states that have a command of their own kind, after the kinds of setState.
const (
	haveViewports = 56 + iota
	haveScissors
	haveVertexInput
	haveBlendConstants
	haveDiscardRectangles
	haveLocations
)

// need is a state that must be set before a draw with shader objects, or with a pipeline for which it is dynamic (Vulkan,
// Setting State).
type need struct {
	command string
	set     uint8 // a setKind, or one of the above
	when    func(*needy) bool
}

// is reports whether a dynamic state is that of the command: their names are equal but for the prefix, the extension and
// the style.
func (n *need) is(s enum.DynamicState) bool {
	name := n.command[len("vkCmdSet"):]
	for _, extension := range []string{"EXT", "KHR"} {
		name = strings.TrimSuffix(name, extension)
	}
	return strings.EqualFold(name, strings.ReplaceAll(s.String(), "_", ""))
}

// needy is a draw whose needs are checked.
type needy struct {
	*state.State
	device *Device
	stages uint8 // bits by ShaderStage
	colors int   // color attachments
}

func (n *needy) rasterized() bool         { return !n.Rasterization.Discard }
func (n *needy) feature(name string) bool { return n.device.feature(name) }
func (n *needy) has(s ShaderStage) bool   { return n.stages>>s&1 != 0 }
func (n *needy) fragment() bool           { return n.has(StageFragment) && n.rasterized() }
func (n *needy) lines() bool {
	t := n.Assembly.Topology
	return n.rasterized() && !n.has(StageTessEvaluation) && !n.has(StageGeometry) && (t == enum.TopologyLineList || t == enum.TopologyLineStrip || t == enum.TopologyLineListWithAdjacency || t == enum.TopologyLineStripWithAdjacency)
}
func (n *needy) stippled() bool {
	return n.lines() && (n.feature("stippledRectangularLines") || n.feature("stippledBresenhamLines") || n.feature("stippledSmoothLines"))
}

// blends reports whether an attachment of the rendering blends, with factors that satisfy a condition.
func (n *needy) blends(with func(enum.BlendFactor) bool) bool {
	return n.fragment() && slices.ContainsFunc(n.Blend.Attachments[:min(n.colors, len(n.Blend.Attachments))], func(a state.BlendAttachment) bool {
		return a.Enable && (with(a.SrcColor) || with(a.DstColor) || with(a.SrcAlpha) || with(a.DstAlpha))
	})
}

func constant(f enum.BlendFactor) bool {
	return f >= enum.BlendFactorConstantColor && f <= enum.BlendFactorOneMinusConstantAlpha
}
func anyFactor(enum.BlendFactor) bool { return true }

// needs are the rules of the section, for the states that a device of Chiaro has. Package link has the same rules for
// descriptions of pipelines in a table of its own: a description may leave states, stages and features unknown, and it has
// one state for each command, but SetLineStipple and SetDiscardRectangles also set the enable of their state.
// TestNeedsOfLink compares the commands of both tables.
var needs = []need{
	{"vkCmdSetViewportWithCount", haveViewports, func(n *needy) bool { return true }},
	{"vkCmdSetScissorWithCount", haveScissors, func(n *needy) bool { return true }},
	{"vkCmdSetRasterizerDiscardEnable", uint8(setDiscard), func(n *needy) bool { return true }},
	{"vkCmdSetVertexInputEXT", haveVertexInput, func(n *needy) bool { return n.has(StageVertex) }},
	{"vkCmdSetPrimitiveTopology", uint8(setTopology), func(n *needy) bool { return n.has(StageVertex) }},
	{"vkCmdSetPrimitiveRestartEnable", uint8(setRestart), func(n *needy) bool { return n.has(StageVertex) }},
	{"vkCmdSetPatchControlPointsEXT", uint8(setPatchPoints), func(n *needy) bool { return n.has(StageTessControl) && n.Assembly.Topology == enum.TopologyPatchList }},
	{"vkCmdSetTessellationDomainOriginEXT", uint8(setDomainOrigin), func(n *needy) bool { return n.has(StageTessEvaluation) }},
	{"vkCmdSetRasterizationSamplesEXT", uint8(setSamples), (*needy).rasterized},
	{"vkCmdSetSampleMaskEXT", uint8(setSampleMask), (*needy).rasterized},
	{"vkCmdSetSampleLocationsEnableEXT", uint8(setLocated), func(n *needy) bool { return n.rasterized() && n.device.extension("VK_EXT_sample_locations") }},
	{"vkCmdSetSampleLocationsEXT", haveLocations, func(n *needy) bool {
		return n.rasterized() && n.Multisample.Located && n.device.extension("VK_EXT_sample_locations")
	}},
	{"vkCmdSetAlphaToCoverageEnableEXT", uint8(setAlphaToCoverage), (*needy).rasterized},
	{"vkCmdSetAlphaToOneEnableEXT", uint8(setAlphaToOne), func(n *needy) bool { return n.rasterized() && n.feature("alphaToOne") }},
	{"vkCmdSetPolygonModeEXT", uint8(setPolygonMode), (*needy).rasterized},
	{"vkCmdSetLineWidth", uint8(setLineWidth), (*needy).lines},
	{"vkCmdSetCullMode", uint8(setCullMode), (*needy).rasterized},
	{"vkCmdSetFrontFace", uint8(setFrontFace), (*needy).rasterized},
	{"vkCmdSetDepthTestEnable", uint8(setDepthTest), (*needy).rasterized},
	{"vkCmdSetDepthWriteEnable", uint8(setDepthWrite), func(n *needy) bool { return n.rasterized() && n.DepthStencil.Test }},
	{"vkCmdSetDepthCompareOp", uint8(setDepthCompare), func(n *needy) bool { return n.rasterized() && n.DepthStencil.Test }},
	{"vkCmdSetDepthBoundsTestEnable", uint8(setBoundsTest), func(n *needy) bool { return n.rasterized() && n.feature("depthBounds") }},
	{"vkCmdSetDepthBounds", uint8(setDepthBounds), func(n *needy) bool { return n.rasterized() && n.DepthStencil.Bounds }},
	{"vkCmdSetDepthBiasEnable", uint8(setBiasEnable), (*needy).rasterized},
	{"vkCmdSetDepthBias", uint8(setDepthBias), func(n *needy) bool { return n.rasterized() && n.Rasterization.DepthBias }},
	{"vkCmdSetDepthClampEnableEXT", uint8(setDepthClamp), func(n *needy) bool { return n.rasterized() && n.feature("depthClamp") }},
	{"vkCmdSetDepthClampRangeEXT", uint8(setClampRange), func(n *needy) bool { return n.Rasterization.DepthClamp && n.feature("depthClampControl") }},
	{"vkCmdSetStencilTestEnable", uint8(setStencilTest), (*needy).rasterized},
	{"vkCmdSetStencilOp", uint8(setStencilOp), func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetStencilCompareMask", uint8(setStencilCompareMask), func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetStencilWriteMask", uint8(setStencilWriteMask), func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetStencilReference", uint8(setStencilReference), func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetLogicOpEnableEXT", uint8(setLogicEnable), func(n *needy) bool { return n.fragment() && n.feature("logicOp") }},
	{"vkCmdSetLogicOpEXT", uint8(setLogicOp), func(n *needy) bool { return n.fragment() && n.Blend.Logic }},
	{"vkCmdSetColorBlendEnableEXT", uint8(setBlendEnable), func(n *needy) bool { return n.fragment() && n.colors > 0 }},
	{"vkCmdSetColorWriteMaskEXT", uint8(setWriteMask), func(n *needy) bool { return n.fragment() && n.colors > 0 }},
	{"vkCmdSetColorBlendEquationEXT", uint8(setBlendEquation), func(n *needy) bool { return n.blends(anyFactor) }},
	{"vkCmdSetBlendConstants", haveBlendConstants, func(n *needy) bool { return n.blends(constant) }},
	{"vkCmdSetFragmentShadingRateKHR", uint8(setShadingRate), func(n *needy) bool { return n.rasterized() && n.feature("pipelineFragmentShadingRate") }},
	{"vkCmdSetRasterizationStreamEXT", uint8(setStream), func(n *needy) bool { return n.feature("geometryStreams") && n.has(StageGeometry) }},
	{"vkCmdSetDiscardRectangleEXT", haveDiscardRectangles, func(n *needy) bool { return n.rasterized() && n.device.extension("VK_EXT_discard_rectangles") }},
	{"vkCmdSetConservativeRasterizationModeEXT", uint8(setConservative), func(n *needy) bool {
		return n.rasterized() && n.device.extension("VK_EXT_conservative_rasterization")
	}},
	{"vkCmdSetExtraPrimitiveOverestimationSizeEXT", uint8(setExtraOverestimate), func(n *needy) bool {
		return n.rasterized() && n.Rasterization.Conservative > 0 && n.device.extension("VK_EXT_conservative_rasterization")
	}},
	{"vkCmdSetDepthClipEnableEXT", uint8(setDepthClip), func(n *needy) bool { return n.feature("depthClipEnable") }},
	{"vkCmdSetProvokingVertexModeEXT", uint8(setProvoking), func(n *needy) bool {
		return n.rasterized() && n.has(StageVertex) && n.device.extension("VK_EXT_provoking_vertex")
	}},
	{"vkCmdSetLineRasterizationModeEXT", uint8(setLineMode), (*needy).stippled},
	{"vkCmdSetLineStipple", uint8(setLineStipple), (*needy).stippled},
	{"vkCmdSetDepthClipNegativeOneToOneEXT", uint8(setNegativeOne), func(n *needy) bool { return n.feature("depthClipControl") }},
}

// neededStates are the states of needs: bits of bound.have.
var neededStates = func() (bits uint64) {
	for i := range needs {
		bits |= 1 << needs[i].set
	}
	return bits
}()

// missing returns the commands of the states that the draw needs and that no command has set: at most limit. s is the state of
// the draw, and p the bound pipeline, or nil with shader objects. The common draw misses none and tests only a mask.
func (x *executor) missing(p *GraphicsPipeline, s *state.State, limit int) (commands []string) {
	g := &x.graphics
	unset := neededStates &^ g.bound.have
	if p != nil {
		unset &= p.keeps // the other states are static
	}
	if unset == 0 {
		return nil
	}
	stages := g.bound.shaders.stages()
	if p != nil {
		stages = p.stageBits
	}
	x.needy = needy{s, x.dev, stages, len(g.current.info.Colors)}
	for i := range needs {
		if unset>>needs[i].set&1 != 0 && needs[i].when(&x.needy) {
			if commands = append(commands, needs[i].command); len(commands) == limit {
				break
			}
		}
	}
	return commands
}

// stages returns the stages that have a shader object: bits by ShaderStage.
func (c *combination) stages() (bits uint8) {
	for i, s := range c {
		if s != nil {
			bits |= 1 << i
		}
	}
	return bits
}

// checkState returns a *UsageError that names the command of each missing state.
func (x *executor) checkState(p *GraphicsPipeline, s *state.State) error {
	if list := x.missing(p, s, len(needs)); len(list) > 0 {
		return usage("", "the draw needs states that are not set; must be set by %s", strings.Join(list, ", "))
	}
	return nil
}

// feature reports whether the device of a profile has a feature. Without a profile no feature is enabled that makes a
// state required.
func (d *Device) feature(name string) bool {
	on, known := d.env.Device.Feature(name)
	return on && known
}

// extension reports whether the device of a profile has an extension.
func (d *Device) extension(name string) bool {
	on, known := d.env.Device.Extension(name)
	return on && known
}
