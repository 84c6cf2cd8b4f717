package vk

import (
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// The states that have a command of their own kind, after the kinds of setState.
const (
	haveViewports = 48 + iota
	haveScissors
	haveVertexInput
	haveBlendConstants
	haveDiscardRectangles
	haveLocations
	haveLoops
	haveEnables // of the first enable; the others follow in their order
)

// need is a state that must be set before a draw with shader objects, or with a pipeline for which it is dynamic (Vulkan,
// Setting State).
type need struct {
	command string
	rule    string
	set     uint8  // a setKind, or one of the above
	of      string // the features and extensions of which the device must have one, separated by spaces; "" of all devices
	when    func(*needy) bool
}

// is reports whether the command sets a dynamic state: their names are equal but for the prefix, the extension and the style.
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
	stages uint8    // bits by ShaderStage
	modes  ir.Modes // of the stages before rasterization
	colors int      // color attachments
	on     uint8    // bits by enable: enabled
	off    uint8    // bits by enable: disabled
}

func (n *needy) stippled() bool {
	return n.rasterized() && n.on>>enableStipple&1 != 0 || n.lines() && n.off>>enableStipple&1 == 0
}
func (n *needy) discarded() bool { return n.rasterized() && n.off>>enableDiscard&1 == 0 }

func (n *needy) always() bool           { return true }
func (n *needy) rasterized() bool       { return !n.Rasterization.Discard }
func (n *needy) has(s ShaderStage) bool { return n.stages>>s&1 != 0 }
func (n *needy) vertex() bool           { return n.has(StageVertex) }
func (n *needy) fragment() bool         { return n.has(StageFragment) && n.rasterized() }

// lines reports whether lines are rasterized: by the output of the last stage before rasterization, or the topology (effective
// rasterization input topology).
func (n *needy) lines() bool {
	if !n.rasterized() {
		return false
	}
	switch t := n.Assembly.Topology; {
	case n.has(StageMesh):
		return n.modes.Has(ir.OutputLines)
	case n.has(StageGeometry):
		return n.modes.Has(ir.OutputLineStrip)
	case n.has(StageTessEvaluation):
		return n.modes.Has(ir.TessIsolines) && !n.modes.Has(ir.PointMode)
	default:
		return t == enum.TopologyLineList || t == enum.TopologyLineStrip || t == enum.TopologyLineListWithAdjacency || t == enum.TopologyLineStripWithAdjacency
	}
}

// stippled are the features of stippled lines.
const stippled = "stippledRectangularLines stippledBresenhamLines stippledSmoothLines"

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
// descriptions of pipelines in a table of its own: a description may leave states, stages and features unknown.
// TestNeedsOfLink compares the commands of both tables.
var needs = []need{
	{"vkCmdSetViewportWithCount", vuid.VkCmdDraw_viewportCount_03417, haveViewports, "", (*needy).always},
	{"vkCmdSetScissorWithCount", vuid.VkCmdDraw_scissorCount_03418, haveScissors, "", (*needy).always},
	{"vkCmdSetRasterizerDiscardEnable", vuid.VkCmdDraw_None_04876, uint8(setDiscard), "", (*needy).always},
	{"vkCmdSetVertexInputEXT", vuid.VkCmdDraw_None_04914, haveVertexInput, "", (*needy).vertex},
	{"vkCmdSetPrimitiveTopology", vuid.VkCmdDraw_None_07842, uint8(setTopology), "", (*needy).vertex},
	{"vkCmdSetPrimitiveRestartEnable", vuid.VkCmdDraw_None_04879, uint8(setRestart), "", (*needy).vertex},
	{"vkCmdSetPatchControlPointsEXT", vuid.VkCmdDraw_None_04875, uint8(setPatchPoints), "", func(n *needy) bool { return n.has(StageTessControl) && n.Assembly.Topology == enum.TopologyPatchList }},
	{"vkCmdSetTessellationDomainOriginEXT", vuid.VkCmdDraw_None_07619, uint8(setDomainOrigin), "", func(n *needy) bool { return n.has(StageTessEvaluation) }},
	{"vkCmdSetRasterizationSamplesEXT", vuid.VkCmdDraw_None_07622, uint8(setSamples), "", (*needy).rasterized},
	{"vkCmdSetSampleMaskEXT", vuid.VkCmdDraw_None_07623, uint8(setSampleMask), "", (*needy).rasterized},
	{"vkCmdSetSampleLocationsEnableEXT", vuid.VkCmdDraw_None_07634, uint8(setLocated), "VK_EXT_sample_locations", (*needy).rasterized},
	{"vkCmdSetSampleLocationsEXT", vuid.VkCmdDraw_None_06666, haveLocations, "VK_EXT_sample_locations", func(n *needy) bool { return n.rasterized() && n.Multisample.Located }},
	{"vkCmdSetAlphaToCoverageEnableEXT", vuid.VkCmdDraw_None_07624, uint8(setAlphaToCoverage), "", (*needy).rasterized},
	{"vkCmdSetAlphaToOneEnableEXT", vuid.VkCmdDraw_None_07625, uint8(setAlphaToOne), "alphaToOne", (*needy).rasterized},
	{"vkCmdSetPolygonModeEXT", vuid.VkCmdDraw_None_07621, uint8(setPolygonMode), "", (*needy).rasterized},
	{"vkCmdSetLineWidth", vuid.VkCmdDraw_None_08617, uint8(setLineWidth), "", (*needy).lines},
	{"vkCmdSetCullMode", vuid.VkCmdDraw_None_07840, uint8(setCullMode), "", (*needy).rasterized},
	{"vkCmdSetFrontFace", vuid.VkCmdDraw_None_07841, uint8(setFrontFace), "", (*needy).rasterized},
	{"vkCmdSetDepthTestEnable", vuid.VkCmdDraw_None_07843, uint8(setDepthTest), "", (*needy).rasterized},
	{"vkCmdSetDepthWriteEnable", vuid.VkCmdDraw_None_07844, uint8(setDepthWrite), "", func(n *needy) bool { return n.rasterized() && n.DepthStencil.Test }},
	{"vkCmdSetDepthCompareOp", vuid.VkCmdDraw_None_07845, uint8(setDepthCompare), "", func(n *needy) bool { return n.rasterized() && n.DepthStencil.Test }},
	{"vkCmdSetDepthBoundsTestEnable", vuid.VkCmdDraw_None_07846, uint8(setBoundsTest), "depthBounds", (*needy).rasterized},
	{"vkCmdSetDepthBounds", vuid.VkCmdDraw_None_07836, uint8(setDepthBounds), "", func(n *needy) bool { return n.rasterized() && n.DepthStencil.Bounds }},
	{"vkCmdSetDepthBiasEnable", vuid.VkCmdDraw_None_04877, uint8(setBiasEnable), "", (*needy).rasterized},
	{"vkCmdSetDepthBias", vuid.VkCmdDraw_None_07834, uint8(setDepthBias), "", func(n *needy) bool { return n.rasterized() && n.Rasterization.DepthBias }},
	{"vkCmdSetDepthClampEnableEXT", vuid.VkCmdDraw_None_07620, uint8(setDepthClamp), "depthClamp", (*needy).rasterized},
	{"vkCmdSetDepthClampRangeEXT", vuid.VkCmdDraw_None_09650, uint8(setClampRange), "depthClampControl", func(n *needy) bool { return n.Rasterization.DepthClamp }},
	{"vkCmdSetStencilTestEnable", vuid.VkCmdDraw_None_07847, uint8(setStencilTest), "", (*needy).rasterized},
	{"vkCmdSetStencilOp", vuid.VkCmdDraw_None_07848, uint8(setStencilOp), "", func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetStencilCompareMask", vuid.VkCmdDraw_None_07837, uint8(setStencilCompareMask), "", func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetStencilWriteMask", vuid.VkCmdDraw_None_07838, uint8(setStencilWriteMask), "", func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetStencilReference", vuid.VkCmdDraw_None_07839, uint8(setStencilReference), "", func(n *needy) bool { return n.rasterized() && n.DepthStencil.Stencil }},
	{"vkCmdSetLogicOpEnableEXT", vuid.VkCmdDraw_None_07626, uint8(setLogicEnable), "logicOp", (*needy).fragment},
	{"vkCmdSetLogicOpEXT", vuid.VkCmdDraw_logicOp_04878, uint8(setLogicOp), "", func(n *needy) bool { return n.fragment() && n.Blend.Logic }},
	{"vkCmdSetColorBlendEnableEXT", vuid.VkCmdDraw_None_07627, uint8(setBlendEnable), "", func(n *needy) bool { return n.fragment() && n.colors > 0 }},
	{"vkCmdSetColorWriteMaskEXT", vuid.VkCmdDraw_None_07629, uint8(setWriteMask), "", func(n *needy) bool { return n.fragment() && n.colors > 0 }},
	{"vkCmdSetColorWriteEnableEXT", vuid.VkCmdDraw_None_07749, haveEnables + uint8(enableWrites), "colorWriteEnable", (*needy).fragment},
	{"vkCmdSetColorBlendEquationEXT", vuid.VkCmdDraw_None_10864, uint8(setBlendEquation), "", func(n *needy) bool { return n.blends(anyFactor) }},
	{"vkCmdSetBlendConstants", vuid.VkCmdDraw_None_07835, haveBlendConstants, "", func(n *needy) bool { return n.blends(constant) }},
	{"vkCmdSetFragmentShadingRateKHR", vuid.VkCmdDraw_pipelineFragmentShadingRate_09238, uint8(setShadingRate), "pipelineFragmentShadingRate", (*needy).rasterized},
	{"vkCmdSetRasterizationStreamEXT", vuid.VkCmdDraw_None_07630, uint8(setStream), "geometryStreams", func(n *needy) bool { return n.has(StageGeometry) }},
	{"vkCmdSetDiscardRectangleEXT", vuid.VkCmdDraw_rasterizerDiscardEnable_09236, haveDiscardRectangles, "VK_EXT_discard_rectangles", (*needy).discarded},
	{"vkCmdSetDiscardRectangleEnableEXT", vuid.VkCmdDraw_None_07880, haveEnables + uint8(enableDiscard), "VK_EXT_discard_rectangles", (*needy).rasterized},
	{"vkCmdSetDiscardRectangleModeEXT", vuid.VkCmdDraw_None_07881, haveEnables + uint8(exclusiveDiscard), "VK_EXT_discard_rectangles", (*needy).discarded},
	{"vkCmdSetConservativeRasterizationModeEXT", vuid.VkCmdDraw_None_07631, uint8(setConservative), "VK_EXT_conservative_rasterization", (*needy).rasterized},
	{"vkCmdSetExtraPrimitiveOverestimationSizeEXT", vuid.VkCmdDraw_None_07632, uint8(setExtraOverestimate), "VK_EXT_conservative_rasterization", func(n *needy) bool { return n.rasterized() && n.Rasterization.Conservative > 0 }},
	{"vkCmdSetDepthClipEnableEXT", vuid.VkCmdDraw_None_07633, uint8(setDepthClip), "depthClipEnable", (*needy).always},
	{"vkCmdSetProvokingVertexModeEXT", vuid.VkCmdDraw_None_07636, uint8(setProvoking), "VK_EXT_provoking_vertex", func(n *needy) bool { return n.rasterized() && n.has(StageVertex) }},
	{"vkCmdSetLineRasterizationModeEXT", vuid.VkCmdDraw_None_08666, uint8(setLineMode), stippled, (*needy).lines},
	{"vkCmdSetLineStippleEnableEXT", vuid.VkCmdDraw_None_08669, haveEnables + uint8(enableStipple), stippled, (*needy).lines},
	{"vkCmdSetLineStipple", vuid.VkCmdDraw_None_07849, uint8(setLineStipple), stippled, (*needy).stippled},
	{"vkCmdSetDepthClipNegativeOneToOneEXT", vuid.VkCmdDraw_None_07639, uint8(setNegativeOne), "depthClipControl", (*needy).always},
	{"vkCmdSetAttachmentFeedbackLoopEnableEXT", vuid.VkCmdDraw_None_08877, haveLoops, "attachmentFeedbackLoopDynamicState", (*needy).fragment},
}

// command returns Vulkan's name of the command that sets a state; "" if no draw needs the state.
func (k setKind) command() string {
	for i := range needs {
		if needs[i].set == uint8(k) {
			return needs[i].command
		}
	}
	return ""
}

// statesOfNeeds are the states of needs: bits of bound.have.
var statesOfNeeds = func() (bits uint64) {
	for i := range needs {
		bits |= 1 << needs[i].set
	}
	return bits
}()

// needsByState has the states of needs that are dynamic with a state of Vulkan: bits of bound.have.
var needsByState = sync.OnceValue(func() map[enum.DynamicState]uint64 {
	out := map[enum.DynamicState]uint64{enum.DynamicStateColorBlendAdvanced: 1 << setBlendEquation} // it replaces the equation
	states := commandStates()
	for i := range needs {
		for _, s := range states {
			if needs[i].is(s) {
				out[s] |= 1 << needs[i].set
			}
		}
	}
	return out
})

// commandStates returns the dynamic states that commands set: those of package draw, and the parts of them that have a
// command of their own.
func commandStates() []enum.DynamicState {
	list := append(enableStates[:], enum.DynamicStateAttachmentFeedbackLoopEnable)
	for i := range dynamicStates {
		list = append(list, dynamicStates[i].state)
	}
	return list
}

// neededStates returns the states that draws on the device may need, by its features and extensions: bits of bound.have.
func (d *Device) neededStates() (bits uint64) {
	for i := range needs {
		n := &needs[i]
		if n.of == "" || slices.ContainsFunc(strings.Fields(n.of), func(name string) bool { return d.feature(name) || d.extension(name) }) {
			bits |= 1 << n.set
		}
	}
	return bits
}

// missing returns the states that the draw needs and that no command has set: at most limit. s is the state of the draw, and p the
// bound pipeline, or nil with shader objects. The common draw misses none and tests only a mask.
func (x *executor) missing(p *GraphicsPipeline, s *state.State, limit int) (list []*need) {
	g := &x.graphics
	unset := x.dev.needed &^ g.bound.have
	if p != nil {
		unset &= p.keeps // the other states are static
	}
	if unset == 0 {
		return nil
	}
	x.needy = needy{s, g.bound.shaders.stages(), g.bound.shaders.modes(), len(g.current.info.Colors), g.bound.enables.on(), g.bound.enables.off()}
	if n := &x.needy; p != nil {
		n.stages, n.modes = p.stageBits, p.modes
		n.on, n.off = n.on&p.enables, n.off&p.enables
		switch {
		case p.enables>>enableStipple&1 != 0:
		case p.stippled:
			n.on |= 1 << enableStipple
		default:
			n.off |= 1 << enableStipple
		}
	}
	for i := range needs {
		if n := &needs[i]; unset>>n.set&1 != 0 && n.when(&x.needy) {
			if list = append(list, n); len(list) == limit {
				break
			}
		}
	}
	return list
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

// modes returns the execution modes of the shader objects before rasterization.
func (c *combination) modes() (all ir.Modes) {
	for i, s := range c {
		if s != nil && s.stage != nil && ShaderStage(i) != StageFragment {
			all |= s.stage.Program.Modes
		}
	}
	return all
}

// checkState returns a *UsageError that names the command of each missing state, with the rule on the first. Each is a finding.
func (x *executor) checkState(p *GraphicsPipeline, s *state.State) error {
	list := x.missing(p, s, len(needs))
	if len(list) == 0 {
		return nil
	}
	var commands []string
	first := len(x.findings)
	for _, n := range list {
		x.find(n.rule, "the draw needs a state that is not set; must be set by %s", n.command)
		commands = append(commands, n.command)
	}
	if first < len(x.findings) {
		x.findings[first].Message = "the draw needs states that are not set; must be set by " + strings.Join(commands, ", ")
	}
	return x.found()
}

// feature reports whether the device of a profile has a feature, enabled. Without a profile no feature is enabled that makes a
// state required.
func (d *Device) feature(name string) bool {
	on, known := d.env.Device.Feature(name)
	return on && known && (d.enabled == nil || d.enabled[name])
}

// extension reports whether the device of a profile has an extension, enabled.
func (d *Device) extension(name string) bool {
	on, known := d.env.Device.Extension(name)
	return on && known && (d.enabled == nil || d.enabled[name])
}
