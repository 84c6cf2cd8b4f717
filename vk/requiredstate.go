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
)

// need is a state that must be set before a draw with shader objects (Vulkan, Setting State).
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
	device  *Device
	shaders combination
	colors  int // color attachments
}

func (n *needy) rasterized() bool         { return !n.Rasterization.Discard }
func (n *needy) feature(name string) bool { return n.device.feature(name) }
func (n *needy) has(s ShaderStage) bool   { return n.shaders[s] != nil }
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

// missing returns the commands of the states that a draw with shader objects needs and that no command has set.
func (x *executor) missing() (commands []string) {
	for i := range needs {
		if x.misses(&needs[i]) {
			commands = append(commands, needs[i].command)
		}
	}
	return commands
}

// incomplete reports whether a draw with shader objects needs a state that no command has set.
func (x *executor) incomplete() bool {
	for i := range needs {
		if x.misses(&needs[i]) {
			return true
		}
	}
	return false
}

// misses reports whether a draw with shader objects needs a state that no command has set.
func (x *executor) misses(r *need) bool {
	g := &x.graphics
	if g.bound.have>>r.set&1 != 0 {
		return false
	}
	x.needy = needy{&g.bound.dynamic, x.dev, g.bound.shaders, len(g.current.info.Colors)}
	return r.when(&x.needy)
}

// checkState returns a *UsageError that names each missing command.
func (x *executor) checkState() error {
	if list := x.missing(); len(list) > 0 {
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
