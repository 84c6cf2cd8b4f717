package vk

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// dynamicState is a state that commands may set. copy copies it from one state to another.
type dynamicState struct {
	state enum.DynamicState
	copy  func(to, from *state.State)
}

// dynamicStates are all of them. Those of Vulkan that two names share, with and without count, are two rows.
var dynamicStates = []dynamicState{
	{enum.DynamicStateViewport, func(to, from *state.State) { to.Viewports = from.Viewports }},
	{enum.DynamicStateViewportWithCount, func(to, from *state.State) { to.Viewports = from.Viewports }},
	{enum.DynamicStateScissor, func(to, from *state.State) { to.Scissors = from.Scissors }},
	{enum.DynamicStateScissorWithCount, func(to, from *state.State) { to.Scissors = from.Scissors }},
	{enum.DynamicStateLineWidth, func(to, from *state.State) { to.Rasterization.LineWidth = from.Rasterization.LineWidth }},
	{enum.DynamicStateDepthBias, func(to, from *state.State) {
		r, f := &to.Rasterization, &from.Rasterization
		r.BiasConstant, r.BiasClamp, r.BiasSlope, r.BiasScale = f.BiasConstant, f.BiasClamp, f.BiasSlope, f.BiasScale
	}},
	{enum.DynamicStateBlendConstants, func(to, from *state.State) { to.Blend.Constants = from.Blend.Constants }},
	{enum.DynamicStateDepthBounds, func(to, from *state.State) {
		to.DepthStencil.MinBound, to.DepthStencil.MaxBound = from.DepthStencil.MinBound, from.DepthStencil.MaxBound
	}},
	{enum.DynamicStateStencilCompareMask, func(to, from *state.State) {
		to.DepthStencil.Front.CompareMask, to.DepthStencil.Back.CompareMask = from.DepthStencil.Front.CompareMask, from.DepthStencil.Back.CompareMask
	}},
	{enum.DynamicStateStencilWriteMask, func(to, from *state.State) {
		to.DepthStencil.Front.WriteMask, to.DepthStencil.Back.WriteMask = from.DepthStencil.Front.WriteMask, from.DepthStencil.Back.WriteMask
	}},
	{enum.DynamicStateStencilReference, func(to, from *state.State) {
		to.DepthStencil.Front.Reference, to.DepthStencil.Back.Reference = from.DepthStencil.Front.Reference, from.DepthStencil.Back.Reference
	}},
	{enum.DynamicStateStencilOp, func(to, from *state.State) {
		for _, p := range [...][2]*state.StencilFace{{&to.DepthStencil.Front, &from.DepthStencil.Front}, {&to.DepthStencil.Back, &from.DepthStencil.Back}} {
			p[0].Fail, p[0].Pass, p[0].DepthFail, p[0].Compare = p[1].Fail, p[1].Pass, p[1].DepthFail, p[1].Compare
		}
	}},
	{enum.DynamicStateCullMode, func(to, from *state.State) { to.Rasterization.Cull = from.Rasterization.Cull }},
	{enum.DynamicStateFrontFace, func(to, from *state.State) { to.Rasterization.Clockwise = from.Rasterization.Clockwise }},
	{enum.DynamicStatePrimitiveTopology, func(to, from *state.State) { to.Assembly.Topology = from.Assembly.Topology }},
	{enum.DynamicStatePrimitiveRestartEnable, func(to, from *state.State) { to.Assembly.Restart = from.Assembly.Restart }},
	{enum.DynamicStatePatchControlPoints, func(to, from *state.State) { to.Assembly.PatchPoints = from.Assembly.PatchPoints }},
	{enum.DynamicStateTessellationDomainOrigin, func(to, from *state.State) { to.Assembly.LowerLeft = from.Assembly.LowerLeft }},
	{enum.DynamicStateVertexInput, func(to, from *state.State) { to.Vertex = from.Vertex }},
	{enum.DynamicStateDepthTestEnable, func(to, from *state.State) { to.DepthStencil.Test = from.DepthStencil.Test }},
	{enum.DynamicStateDepthWriteEnable, func(to, from *state.State) { to.DepthStencil.Write = from.DepthStencil.Write }},
	{enum.DynamicStateDepthCompareOp, func(to, from *state.State) { to.DepthStencil.Compare = from.DepthStencil.Compare }},
	{enum.DynamicStateDepthBoundsTestEnable, func(to, from *state.State) { to.DepthStencil.Bounds = from.DepthStencil.Bounds }},
	{enum.DynamicStateStencilTestEnable, func(to, from *state.State) { to.DepthStencil.Stencil = from.DepthStencil.Stencil }},
	{enum.DynamicStateRasterizerDiscardEnable, func(to, from *state.State) { to.Rasterization.Discard = from.Rasterization.Discard }},
	{enum.DynamicStateDepthBiasEnable, func(to, from *state.State) { to.Rasterization.DepthBias = from.Rasterization.DepthBias }},
	{enum.DynamicStateDepthClampEnable, func(to, from *state.State) { to.Rasterization.DepthClamp = from.Rasterization.DepthClamp }},
	{enum.DynamicStateDepthClampRange, func(to, from *state.State) {
		r, f := &to.Rasterization, &from.Rasterization
		r.ClampRange, r.MinClamp, r.MaxClamp = f.ClampRange, f.MinClamp, f.MaxClamp
	}},
	{enum.DynamicStateDepthClipEnable, func(to, from *state.State) { to.Rasterization.DepthClip = from.Rasterization.DepthClip }},
	{enum.DynamicStateDepthClipNegativeOneToOne, func(to, from *state.State) { to.Rasterization.NegativeOneZ = from.Rasterization.NegativeOneZ }},
	{enum.DynamicStatePolygonMode, func(to, from *state.State) { to.Rasterization.PolygonMode = from.Rasterization.PolygonMode }},
	{enum.DynamicStateLineRasterizationMode, func(to, from *state.State) { to.Rasterization.LineMode = from.Rasterization.LineMode }},
	{enum.DynamicStateLineStipple, func(to, from *state.State) { to.Rasterization.Stipple = from.Rasterization.Stipple }},
	{enum.DynamicStateProvokingVertexMode, func(to, from *state.State) { to.Rasterization.LastVertex = from.Rasterization.LastVertex }},
	{enum.DynamicStateRasterizationStream, func(to, from *state.State) { to.Rasterization.Stream = from.Rasterization.Stream }},
	{enum.DynamicStateConservativeRasterizationMode, func(to, from *state.State) { to.Rasterization.Conservative = from.Rasterization.Conservative }},
	{enum.DynamicStateRasterizationSamples, func(to, from *state.State) { to.Multisample.Samples = from.Multisample.Samples }},
	{enum.DynamicStateSampleMask, func(to, from *state.State) { to.Multisample.Mask = from.Multisample.Mask }},
	{enum.DynamicStateSampleLocationsEnable, func(to, from *state.State) { to.Multisample.Located = from.Multisample.Located }},
	{enum.DynamicStateSampleLocations, func(to, from *state.State) { to.Multisample.Locations = from.Multisample.Locations }},
	{enum.DynamicStateAlphaToCoverageEnable, func(to, from *state.State) { to.Multisample.AlphaToCoverage = from.Multisample.AlphaToCoverage }},
	{enum.DynamicStateAlphaToOneEnable, func(to, from *state.State) { to.Multisample.AlphaToOne = from.Multisample.AlphaToOne }},
	{enum.DynamicStateLogicOpEnable, func(to, from *state.State) { to.Blend.Logic = from.Blend.Logic }},
	{enum.DynamicStateLogicOp, func(to, from *state.State) { to.Blend.LogicOp = from.Blend.LogicOp }},
	{enum.DynamicStateFragmentShadingRate, func(to, from *state.State) { to.Rate = from.Rate }},
	{enum.DynamicStateColorBlendEnable, func(to, from *state.State) {
		attachments(to, from, func(t, f *state.BlendAttachment) { t.Enable = f.Enable })
	}},
	{enum.DynamicStateColorBlendEquation, func(to, from *state.State) {
		attachments(to, from, func(t, f *state.BlendAttachment) {
			t.SrcColor, t.DstColor, t.ColorOp = f.SrcColor, f.DstColor, f.ColorOp
			t.SrcAlpha, t.DstAlpha, t.AlphaOp = f.SrcAlpha, f.DstAlpha, f.AlphaOp
			t.Advanced = f.Advanced
		})
	}},
	{enum.DynamicStateColorBlendAdvanced, func(to, from *state.State) {
		attachments(to, from, func(t, f *state.BlendAttachment) {
			t.ColorOp, t.AlphaOp, t.Advanced = f.ColorOp, f.AlphaOp, f.Advanced
		})
	}},
	{enum.DynamicStateColorWriteMask, func(to, from *state.State) {
		attachments(to, from, func(t, f *state.BlendAttachment) { t.WriteMask = f.WriteMask })
	}},
	{enum.DynamicStateExtraPrimitiveOverestimationSize, func(to, from *state.State) {
		to.Rasterization.ExtraOverestimate = from.Rasterization.ExtraOverestimate
	}},
	{enum.DynamicStateDiscardRectangle, func(to, from *state.State) { to.Discard.Rectangles = from.Discard.Rectangles }},
}

// attachments calls each for the color attachments. The list of to is the draw's own, of state.MaxColors attachments.
func attachments(to, from *state.State, each func(t, f *state.BlendAttachment)) {
	for i := range min(len(to.Blend.Attachments), len(from.Blend.Attachments)) {
		each(&to.Blend.Attachments[i], &from.Blend.Attachments[i])
	}
}

// blendStates are the states of color attachments: bits of bound.have.
const blendStates = 1<<setBlendEnable | 1<<setBlendEquation | 1<<setWriteMask

// ownAttachments replaces the color attachments of a draw by a copy of the greatest length, which dynamic states change.
func (g *graphics) ownAttachments(s *state.State) {
	n := copy(g.blend[:], s.Blend.Attachments)
	for i := n; i < len(g.blend); i++ {
		g.blend[i] = state.BlendAttachment{WriteMask: 15}
	}
	s.Blend.Attachments = g.blend[:]
}

// dynamicOf returns the row of a state; nil if commands cannot set it.
func dynamicOf(s enum.DynamicState) *dynamicState {
	for i := range dynamicStates {
		if dynamicStates[i].state == s {
			return &dynamicStates[i]
		}
	}
	return nil
}

// setKind is a field that a recorded command sets.
type setKind uint8

// setter is a recorded setting: how its operands change the state. max bounds the first operand, an enumeration; 0 is no
// bound.
type setter struct {
	name  string
	max   uint32
	apply func(s *state.State, x [3]uint64)
}

func float(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func bits(x float32) uint64  { return uint64(math.Float32bits(x)) }
func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

const (
	setLineWidth setKind = iota
	setDepthBias
	setDepthBounds
	setStencilCompareMask
	setStencilWriteMask
	setStencilReference
	setStencilOp
	setCullMode
	setFrontFace
	setTopology
	setRestart
	setPatchPoints
	setDomainOrigin
	setDepthTest
	setDepthWrite
	setDepthCompare
	setBoundsTest
	setStencilTest
	setDiscard
	setBiasEnable
	setDepthClamp
	setDepthClip
	setNegativeOne
	setPolygonMode
	setLineMode
	setLineStipple
	setProvoking
	setStream
	setConservative
	setSamples
	setSampleMask
	setAlphaToCoverage
	setAlphaToOne
	setLogicEnable
	setLogicOp
	setShadingRate
	setExtraOverestimate
	setBlendEnable
	setBlendEquation
	setWriteMask
	setClampRange
	setLocated
)

// Faces is a set of faces of polygons (VkStencilFaceFlagBits).
type Faces uint8

// The faces.
const (
	FrontFace Faces = 1 << iota
	BackFace
)

// faces calls each for the stencil state of faces.
func faces(s *state.State, f uint64, each func(*state.StencilFace)) {
	if f&uint64(FrontFace) != 0 {
		each(&s.DepthStencil.Front)
	}
	if f&uint64(BackFace) != 0 {
		each(&s.DepthStencil.Back)
	}
}

var setters = [...]setter{
	setLineWidth: {"line width", 0, func(s *state.State, x [3]uint64) { s.Rasterization.LineWidth = float(x[0]) }},
	setDepthBias: {"depth bias", 0, func(s *state.State, x [3]uint64) {
		r := &s.Rasterization
		r.BiasConstant, r.BiasClamp, r.BiasSlope, r.BiasScale = float(x[0]), float(x[1]), float(x[2]), raster.BiasScale(x[2]>>32)
	}},
	setDepthBounds: {"depth bounds", 0, func(s *state.State, x [3]uint64) {
		s.DepthStencil.MinBound, s.DepthStencil.MaxBound = float(x[0]), float(x[1])
	}},
	setStencilCompareMask: {"stencil compare mask", 0, func(s *state.State, x [3]uint64) {
		faces(s, x[0], func(f *state.StencilFace) { f.CompareMask = uint32(x[1]) })
	}},
	setStencilWriteMask: {"stencil write mask", 0, func(s *state.State, x [3]uint64) {
		faces(s, x[0], func(f *state.StencilFace) { f.WriteMask = uint32(x[1]) })
	}},
	setStencilReference: {"stencil reference", 0, func(s *state.State, x [3]uint64) {
		faces(s, x[0], func(f *state.StencilFace) { f.Reference = uint32(x[1]) })
	}},
	setStencilOp: {"stencil operation", 0, func(s *state.State, x [3]uint64) {
		faces(s, x[0], func(f *state.StencilFace) {
			f.Fail, f.Pass, f.DepthFail, f.Compare = enum.StencilOp(x[1]&0xff), enum.StencilOp(x[1]>>8&0xff), enum.StencilOp(x[1]>>16&0xff), enum.CompareOp(x[1]>>24&0xff)
		})
	}},
	setCullMode:     {"cull mode", maxCull, func(s *state.State, x [3]uint64) { s.Rasterization.Cull = enum.CullMode(x[0]) }},
	setFrontFace:    {"front face", 1, func(s *state.State, x [3]uint64) { s.Rasterization.Clockwise = x[0] == 1 }},
	setTopology:     {"topology", maxTopology, func(s *state.State, x [3]uint64) { s.Assembly.Topology = enum.Topology(x[0]) }},
	setRestart:      {"primitive restart", 1, func(s *state.State, x [3]uint64) { s.Assembly.Restart = x[0] == 1 }},
	setPatchPoints:  {"patch control points", 0, func(s *state.State, x [3]uint64) { s.Assembly.PatchPoints = uint32(x[0]) }},
	setDomainOrigin: {"domain origin", 1, func(s *state.State, x [3]uint64) { s.Assembly.LowerLeft = x[0] == 1 }},
	setDepthTest:    {"depth test", 1, func(s *state.State, x [3]uint64) { s.DepthStencil.Test = x[0] == 1 }},
	setDepthWrite:   {"depth write", 1, func(s *state.State, x [3]uint64) { s.DepthStencil.Write = x[0] == 1 }},
	setDepthCompare: {"depth comparison", maxCompare, func(s *state.State, x [3]uint64) { s.DepthStencil.Compare = enum.CompareOp(x[0]) }},
	setBoundsTest:   {"depth bounds test", 1, func(s *state.State, x [3]uint64) { s.DepthStencil.Bounds = x[0] == 1 }},
	setStencilTest:  {"stencil test", 1, func(s *state.State, x [3]uint64) { s.DepthStencil.Stencil = x[0] == 1 }},
	setDiscard:      {"rasterizer discard", 1, func(s *state.State, x [3]uint64) { s.Rasterization.Discard = x[0] == 1 }},
	setBiasEnable:   {"depth bias", 1, func(s *state.State, x [3]uint64) { s.Rasterization.DepthBias = x[0] == 1 }},
	setDepthClamp:   {"depth clamp", 1, func(s *state.State, x [3]uint64) { s.Rasterization.DepthClamp = x[0] == 1 }},
	setDepthClip:    {"depth clip", 1, func(s *state.State, x [3]uint64) { s.Rasterization.DepthClip = x[0] == 1 }},
	setNegativeOne:  {"depth clip from minus one", 1, func(s *state.State, x [3]uint64) { s.Rasterization.NegativeOneZ = x[0] == 1 }},
	setPolygonMode:  {"polygon mode", maxPolygon, func(s *state.State, x [3]uint64) { s.Rasterization.PolygonMode = enum.PolygonMode(x[0]) }},
	setLineMode:     {"line mode", maxLineMode, func(s *state.State, x [3]uint64) { s.Rasterization.LineMode = enum.LineMode(x[0]) }},
	setLineStipple: {"line stipple", state.MaxStipple, func(s *state.State, x [3]uint64) {
		s.Rasterization.Stipple = state.LineStipple{Factor: uint32(x[0]), Pattern: uint16(x[1])}
	}},
	setProvoking: {"provoking vertex", 1, func(s *state.State, x [3]uint64) { s.Rasterization.LastVertex = x[0] == 1 }},
	setStream:    {"rasterization stream", 3, func(s *state.State, x [3]uint64) { s.Rasterization.Stream = uint32(x[0]) }},
	setConservative: {"conservative mode", 2, func(s *state.State, x [3]uint64) {
		s.Rasterization.Conservative = conservative(enum.ConservativeMode(x[0]))
	}},
	setSamples:           {"samples", state.MaxSamples, func(s *state.State, x [3]uint64) { s.Multisample.Samples = uint32(x[0]) }},
	setSampleMask:        {"sample mask", 0, func(s *state.State, x [3]uint64) { s.Multisample.Mask = &[2]uint32{uint32(x[0]), uint32(x[0] >> 32)} }},
	setAlphaToCoverage:   {"alpha to coverage", 1, func(s *state.State, x [3]uint64) { s.Multisample.AlphaToCoverage = x[0] == 1 }},
	setAlphaToOne:        {"alpha to one", 1, func(s *state.State, x [3]uint64) { s.Multisample.AlphaToOne = x[0] == 1 }},
	setLogicEnable:       {"logic operation", 1, func(s *state.State, x [3]uint64) { s.Blend.Logic = x[0] == 1 }},
	setLogicOp:           {"logic operation", maxLogicOp, func(s *state.State, x [3]uint64) { s.Blend.LogicOp = enum.LogicOp(x[0]) }},
	setExtraOverestimate: {"extra overestimation", 0, func(s *state.State, x [3]uint64) { s.Rasterization.ExtraOverestimate = float(x[0]) }},
	setBlendEnable: {"blend enable", state.MaxColors - 1, func(s *state.State, x [3]uint64) {
		color(s, x[0], func(a *state.BlendAttachment) { a.Enable = x[1] == 1 })
	}},
	setBlendEquation: {"blend equation", state.MaxColors - 1, func(s *state.State, x [3]uint64) {
		color(s, x[0], func(a *state.BlendAttachment) {
			if x[2] != 0 {
				a.ColorOp, a.Advanced = unpackAdvanced(x[1], x[2])
				a.AlphaOp = a.ColorOp
				return
			}
			a.Advanced = state.AdvancedBlend{}
			a.SrcColor, a.DstColor, a.ColorOp = enum.BlendFactor(x[1]&0xff), enum.BlendFactor(x[1]>>8&0xff), enum.BlendOp(x[1]>>16&0xff)
			a.SrcAlpha, a.DstAlpha, a.AlphaOp = enum.BlendFactor(x[1]>>24&0xff), enum.BlendFactor(x[1]>>32&0xff), enum.BlendOp(x[1]>>40&0xff)
		})
	}},
	setWriteMask: {"write mask", state.MaxColors - 1, func(s *state.State, x [3]uint64) {
		color(s, x[0], func(a *state.BlendAttachment) { a.WriteMask = uint8(x[1] & 15) })
	}},
	setClampRange: {"depth clamp range", 0, func(s *state.State, x [3]uint64) {
		r := &s.Rasterization
		r.ClampRange, r.MinClamp, r.MaxClamp = x[0] == 1, float(x[1]), float(x[2])
	}},
	setLocated: {"sample locations", 1, func(s *state.State, x [3]uint64) { s.Multisample.Located = x[0] == 1 }},
	setShadingRate: {"shading rate", 0, func(s *state.State, x [3]uint64) {
		s.Rate = state.ShadingRate{Width: uint32(x[0]), Height: uint32(x[0] >> 32), Combiners: [2]enum.RateCombiner{enum.RateCombiner(x[1] & 0xff), enum.RateCombiner(x[1] >> 8 & 0xff)}}
	}},
}

// color changes the blend state of one color attachment.
func color(s *state.State, n uint64, change func(*state.BlendAttachment)) {
	s.Blend.Attachments = slices.Grow(s.Blend.Attachments, state.MaxColors-len(s.Blend.Attachments))
	for len(s.Blend.Attachments) < state.MaxColors {
		s.Blend.Attachments = append(s.Blend.Attachments, state.BlendAttachment{WriteMask: 15})
	}
	change(&s.Blend.Attachments[n])
}

// set records a setting.
func (c *CommandBuffer) set(kind setKind, x ...uint64) {
	switch {
	case c != nil && c.state != recording:
		c.starts(kind.command())
		return
	case !c.begin():
		return
	}
	s := &setters[kind]
	if s.max > 0 && x[0] > uint64(s.max) {
		c.fail(&UnsupportedError{Feature: "the value " + uintText(x[0]) + " of the dynamic state " + s.name})
		return
	}
	k := command{kind: setState, x: [4]uint64{uint64(kind)}}
	copy(k.x[1:], x)
	c.commands = append(c.commands, k)
}

// SetLineWidth sets the width of lines in pixels.
func (c *CommandBuffer) SetLineWidth(width float32) { c.set(setLineWidth, bits(width)) }

// SetDepthBias sets the terms of the depth bias.
func (c *CommandBuffer) SetDepthBias(constant, clamp, slope float32) {
	c.set(setDepthBias, bits(constant), bits(clamp), bits(slope))
}

// SetDepthBias2 sets the terms of the depth bias and the unit of the constant one.
func (c *CommandBuffer) SetDepthBias2(b DepthBias) {
	if !c.begin() {
		return
	}
	if err := b.Representation.check(c.dev); err != nil {
		c.fail(err)
		return
	}
	c.set(setDepthBias, bits(b.Constant), bits(b.Clamp), bits(b.Slope)|uint64(b.Representation)<<32)
}

// SetDepthClampRange sets the range of depth clamping; nil is the viewport's.
func (c *CommandBuffer) SetDepthClampRange(r *DepthRange) {
	if err := r.check(c.unrestricted()); err != nil {
		if c.begin() {
			c.fail(err)
		}
		return
	}
	if r == nil {
		c.set(setClampRange, 0)
		return
	}
	c.set(setClampRange, 1, bits(r.Min), bits(r.Max))
}

// SetDepthBounds sets the bounds of the depth bounds test.
func (c *CommandBuffer) SetDepthBounds(least, most float32) {
	c.set(setDepthBounds, bits(least), bits(most))
}

// SetStencilCompareMask sets the compare mask of faces.
func (c *CommandBuffer) SetStencilCompareMask(f Faces, mask uint32) {
	c.set(setStencilCompareMask, uint64(f), uint64(mask))
}

// SetStencilWriteMask sets the write mask of faces.
func (c *CommandBuffer) SetStencilWriteMask(f Faces, mask uint32) {
	c.set(setStencilWriteMask, uint64(f), uint64(mask))
}

// SetStencilReference sets the reference of faces.
func (c *CommandBuffer) SetStencilReference(f Faces, reference uint32) {
	c.set(setStencilReference, uint64(f), uint64(reference))
}

// SetStencilOp sets the operations and the comparison of faces.
func (c *CommandBuffer) SetStencilOp(f Faces, fail, pass, depthFail enum.StencilOp, compare enum.CompareOp) {
	if op := uint32(max(fail, pass, depthFail)); op > maxStencilOp || uint32(compare) > maxCompare {
		if c.begin() {
			c.fail(&UnsupportedError{Feature: "the stencil operations or the comparison " + uintText(uint64(max(op, uint32(compare))))})
		}
		return
	}
	c.set(setStencilOp, uint64(f), uint64(fail)|uint64(pass)<<8|uint64(depthFail)<<16|uint64(compare)<<24)
}

// SetCullMode sets the culled faces.
func (c *CommandBuffer) SetCullMode(m enum.CullMode) { c.set(setCullMode, uint64(m)) }

// SetFrontFace sets the order of vertices of front faces.
func (c *CommandBuffer) SetFrontFace(f enum.FrontFace) { c.set(setFrontFace, uint64(f)) }

// SetTopology sets the topology.
func (c *CommandBuffer) SetTopology(t enum.Topology) { c.set(setTopology, uint64(t)) }

// SetPrimitiveRestart enables primitive restart.
func (c *CommandBuffer) SetPrimitiveRestart(on bool) { c.set(setRestart, flag(on)) }

// SetPatchControlPoints sets the vertices of a patch.
func (c *CommandBuffer) SetPatchControlPoints(n uint32) { c.set(setPatchPoints, uint64(n)) }

// SetDomainOrigin sets the origin of the tessellation domain.
func (c *CommandBuffer) SetDomainOrigin(o enum.DomainOrigin) { c.set(setDomainOrigin, uint64(o)) }

// SetDepthTest enables the depth test.
func (c *CommandBuffer) SetDepthTest(on bool) { c.set(setDepthTest, flag(on)) }

// SetDepthWrite enables writes of depths.
func (c *CommandBuffer) SetDepthWrite(on bool) { c.set(setDepthWrite, flag(on)) }

// SetDepthCompareOp sets the comparison of the depth test.
func (c *CommandBuffer) SetDepthCompareOp(op enum.CompareOp) { c.set(setDepthCompare, uint64(op)) }

// SetDepthBoundsTest enables the depth bounds test.
func (c *CommandBuffer) SetDepthBoundsTest(on bool) { c.set(setBoundsTest, flag(on)) }

// SetStencilTest enables the stencil test.
func (c *CommandBuffer) SetStencilTest(on bool) { c.set(setStencilTest, flag(on)) }

// SetRasterizerDiscard discards all primitives before rasterization.
func (c *CommandBuffer) SetRasterizerDiscard(on bool) { c.set(setDiscard, flag(on)) }

// SetDepthBiasEnable enables the depth bias.
func (c *CommandBuffer) SetDepthBiasEnable(on bool) { c.set(setBiasEnable, flag(on)) }

// SetDepthClamp enables depth clamping.
func (c *CommandBuffer) SetDepthClamp(on bool) { c.set(setDepthClamp, flag(on)) }

// SetDepthClip enables depth clipping.
func (c *CommandBuffer) SetDepthClip(on bool) { c.set(setDepthClip, flag(on)) }

// SetNegativeOneToOne makes clip space depths −1 to 1.
func (c *CommandBuffer) SetNegativeOneToOne(on bool) { c.set(setNegativeOne, flag(on)) }

// SetPolygonMode sets the polygon mode.
func (c *CommandBuffer) SetPolygonMode(m enum.PolygonMode) { c.set(setPolygonMode, uint64(m)) }

// SetLineMode sets the line rasterization mode.
func (c *CommandBuffer) SetLineMode(m enum.LineMode) { c.set(setLineMode, uint64(m)) }

// SetLineStipple sets the line stipple; a factor of 0 is none.
func (c *CommandBuffer) SetLineStipple(factor uint32, pattern uint16) {
	c.set(setLineStipple, uint64(factor), uint64(pattern))
}

// SetProvokingVertex sets the provoking vertex.
func (c *CommandBuffer) SetProvokingVertex(p enum.ProvokingVertex) { c.set(setProvoking, uint64(p)) }

// SetRasterizationStream sets the rasterized stream.
func (c *CommandBuffer) SetRasterizationStream(n uint32) { c.set(setStream, uint64(n)) }

// SetConservativeMode sets the mode of conservative rasterization.
func (c *CommandBuffer) SetConservativeMode(m enum.ConservativeMode) {
	c.set(setConservative, uint64(m))
}

// SetSamples sets the samples of a pixel: a power of two.
func (c *CommandBuffer) SetSamples(n uint32) {
	if n == 0 || n&(n-1) != 0 {
		if c.begin() {
			c.fail(usage("VUID-vkCmdSetRasterizationSamplesEXT-rasterizationSamples-parameter", "%d samples; must be a power of two", n))
		}
		return
	}
	c.set(setSamples, uint64(n))
}

// SetSampleMask sets the sample mask.
func (c *CommandBuffer) SetSampleMask(mask [2]uint32) {
	c.set(setSampleMask, uint64(mask[0])|uint64(mask[1])<<32)
}

// SetAlphaToCoverage enables alpha to coverage.
func (c *CommandBuffer) SetAlphaToCoverage(on bool) { c.set(setAlphaToCoverage, flag(on)) }

// SetAlphaToOne enables alpha to one.
func (c *CommandBuffer) SetAlphaToOne(on bool) { c.set(setAlphaToOne, flag(on)) }

// SetLogicOpEnable enables the logic operation.
func (c *CommandBuffer) SetLogicOpEnable(on bool) { c.set(setLogicEnable, flag(on)) }

// SetLogicOp sets the logic operation.
func (c *CommandBuffer) SetLogicOp(op enum.LogicOp) { c.set(setLogicOp, uint64(op)) }

// SetFragmentShadingRate sets the shading rate: 1, 2 or 4 pixels along each axis, and its combiners.
func (c *CommandBuffer) SetFragmentShadingRate(width, height uint32, combiners [2]enum.RateCombiner) {
	if uint32(max(combiners[0], combiners[1])) > maxCombiner {
		if c.begin() {
			c.fail(&UnsupportedError{Feature: "a combiner of shading rates that is none of Vulkan's"})
		}
		return
	}
	c.set(setShadingRate, uint64(width)|uint64(height)<<32, uint64(combiners[0])|uint64(combiners[1])<<8)
}

// SetExtraOverestimation sets the extra size of overestimated primitives in pixels.
func (c *CommandBuffer) SetExtraOverestimation(pixels float32) {
	c.set(setExtraOverestimate, bits(pixels))
}

// SetBlendEnable enables blending of color attachments from first on.
func (c *CommandBuffer) SetBlendEnable(first int, on ...bool) {
	for i, x := range on {
		c.set(setBlendEnable, uint64(first+i), flag(x))
	}
}

// SetBlendEquation sets the factors and operations of color attachments from first on. Enable and Mask are ignored.
func (c *CommandBuffer) SetBlendEquation(first int, list ...link.Blend) {
	for i, b := range list {
		if uint32(max(b.SrcColor, b.DstColor, b.SrcAlpha, b.DstAlpha)) > maxFactor || uint32(max(b.ColorOp, b.AlphaOp)) > maxBlendOp {
			if c.begin() {
				c.fail(usage("VUID-VkColorBlendEquationEXT-colorBlendOp-07361", "a blend equation has the factors %d, %d, %d, %d and the operations %d, %d; must be of Vulkan 1.0",
					b.SrcColor, b.DstColor, b.SrcAlpha, b.DstAlpha, b.ColorOp, b.AlphaOp))
			}
			return
		}
		c.set(setBlendEquation, uint64(first+i), uint64(b.SrcColor)|uint64(b.DstColor)<<8|uint64(b.ColorOp)<<16|uint64(b.SrcAlpha)<<24|uint64(b.DstAlpha)<<32|uint64(b.AlphaOp)<<40)
	}
}

// SetColorWriteMask sets the written components of color attachments from first on: bits 0 to 3 for R to A.
func (c *CommandBuffer) SetColorWriteMask(first int, masks ...uint32) {
	for i, m := range masks {
		c.set(setWriteMask, uint64(first+i), uint64(m))
	}
}

// SetBlendConstants sets the constants of blending.
func (c *CommandBuffer) SetBlendConstants(k [4]float32) {
	if c.begin() {
		c.commands = append(c.commands, command{kind: setBlendConstants, x: [4]uint64{bits(k[0]), bits(k[1]), bits(k[2]), bits(k[3])}})
	}
}

// SetViewports sets the viewports.
func (c *CommandBuffer) SetViewports(list []Viewport) {
	if !c.begin() {
		return
	}
	if len(list) > state.MaxViewports {
		c.fail(usage("VUID-vkCmdSetViewport-firstViewport-01223", "%d viewports; must be at most %d", len(list), state.MaxViewports))
		return
	}
	at := len(c.data)
	for _, v := range list {
		for _, x := range [...]float32{v.X, v.Y, v.Width, v.Height, v.MinDepth, v.MaxDepth} {
			c.data = binary.LittleEndian.AppendUint32(c.data, math.Float32bits(x))
		}
	}
	c.commands = append(c.commands, command{kind: setViewports, x: [4]uint64{uint64(at), uint64(len(list))}})
}

// SetScissors sets the scissor rectangles.
func (c *CommandBuffer) SetScissors(list []Rect) { c.rects(setScissors, list, state.MaxViewports) }

// SetDiscardRectangles sets the discard rectangles.
func (c *CommandBuffer) SetDiscardRectangles(list []Rect) {
	c.rects(setDiscardRectangles, list, state.MaxDiscardRectangles)
}

func (c *CommandBuffer) rects(kind commandKind, list []Rect, most int) {
	if !c.begin() {
		return
	}
	if len(list) > most {
		c.fail(usage("VUID-vkCmdSetScissor-firstScissor-00592", "%d rectangles; must be at most %d", len(list), most))
		return
	}
	at := len(c.data)
	for _, r := range list {
		for _, x := range [...]uint32{uint32(r.X), uint32(r.Y), r.Width, r.Height} {
			c.data = binary.LittleEndian.AppendUint32(c.data, x)
		}
	}
	c.commands = append(c.commands, command{kind: kind, x: [4]uint64{uint64(at), uint64(len(list))}})
}

// SetVertexInput sets the vertex buffers' layout and the attributes.
func (c *CommandBuffer) SetVertexInput(v link.VertexInput) {
	if !c.starts("vkCmdSetVertexInputEXT") {
		return
	}
	input := vertexInput(v)
	c.commands = append(c.commands, command{kind: setVertexInput, a: &input})
}
