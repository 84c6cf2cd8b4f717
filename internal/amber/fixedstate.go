package amber

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// maxPatchPoints is maxTessellationPatchSize.
const maxPatchPoints = 32

// drawTopologies are the topologies by the words of AmberScript.
var drawTopologies = map[string]enum.Topology{
	"POINT_LIST": enum.TopologyPointList, "LINE_LIST": enum.TopologyLineList, "LINE_STRIP": enum.TopologyLineStrip,
	"TRIANGLE_LIST": enum.TopologyTriangleList, "TRIANGLE_STRIP": enum.TopologyTriangleStrip, "TRIANGLE_FAN": enum.TopologyTriangleFan,
	"LINE_LIST_WITH_ADJACENCY": enum.TopologyLineListWithAdjacency, "LINE_STRIP_WITH_ADJACENCY": enum.TopologyLineStripWithAdjacency,
	"TRIANGLE_LIST_WITH_ADJACENCY": enum.TopologyTriangleListWithAdjacency, "TRIANGLE_STRIP_WITH_ADJACENCY": enum.TopologyTriangleStripWithAdjacency,
	"PATCH_LIST": enum.TopologyPatchList,
}

// logicOps are the logic operations in the order of their numbers.
var logicOps = []string{"clear", "and", "and_reverse", "copy", "and_inverted", "no_op", "xor", "or", "nor", "equivalent",
	"invert", "or_reverse", "copy_inverted", "or_inverted", "nand", "set"}

// words are the words of fixed-function state that apply to a pipeline: the words of its
// declaration, in the names of AmberScript, and the words that VkScript's commands have set
// since.
type words struct {
	amber map[string][]string
	vk    map[string][]string
}

// first returns the first word under one of two names; VkScript's name has no prefix and is
// in lower case.
func (w words) first(amber, vk string) string {
	list := w.amber[amber]
	if l, ok := w.vk[vk]; ok {
		list = l
	}
	if len(list) == 0 {
		return ""
	}
	word := list[0]
	if prefix := vkStates[vk]; strings.HasPrefix(prefix, "VK_") {
		word = strings.ToLower(strings.TrimPrefix(word, prefix))
	}
	return word
}

func (w words) on(amber, vk string) bool {
	word := w.first(amber, vk)
	return word == "on" || word == "true"
}

// one returns the index of a word in a list, or other if there is none.
func (w words) one(amber, vk string, list []string, other int) int {
	if i := slices.Index(list, w.first(amber, vk)); i >= 0 {
		return i
	}
	return other
}

func (w words) float(amber, vk string, other float32) float32 {
	if word := w.first(amber, vk); word != "" {
		if x, err := strconv.ParseFloat(word, 64); err == nil {
			return float32(x)
		}
	}
	return other
}

func (w words) bits(amber, vk string, other uint32) uint32 {
	if n, ok := parseNumber(w.first(amber, vk)); ok {
		return uint32(n.Bits)
	}
	return other
}

// setState stores words that apply to the following draws.
func (r *runner) setState(c *SetState) {
	m := r.states[c.Pipeline]
	if m == nil {
		m = map[string][]string{}
		r.states[c.Pipeline] = m
	}
	m[c.Name] = c.Values
}

// fixedState returns the state of a draw. The defaults are Amber's: no test, no blending,
// no culling, and the whole framebuffer as viewport.
func (r *runner) fixedState(c *Draw) (*drawState, error) {
	g := &c.Pipeline.Graphics
	w := words{g.State, r.states[c.Pipeline]}
	s := newDrawState()
	s.Assembly.Topology, s.Assembly.PrimitiveRestart = enum.TopologyTriangleStrip, w.on("", "primitiveRestartEnable")
	s.Tessellation.PatchControlPoints = w.bits("", "patch parameter vertices", uint32(g.PatchControlPoints))
	if t, ok := drawTopologies[c.Topology]; ok {
		s.Assembly.Topology = t
	}
	if n := s.Tessellation.PatchControlPoints; s.Assembly.Topology == enum.TopologyPatchList && (n < 1 || n > maxPatchPoints) {
		return nil, r.fault(vuid.VkPipelineTessellationStateCreateInfo_patchControlPoints_01214, c.At, "pipeline %s has patches of %d control points; must be 1 to %d", c.Pipeline.Name, n, maxPatchPoints)
	}
	s.Viewports = []vk.Viewport{{Width: float32(g.Width), Height: float32(g.Height), MaxDepth: 1}}
	if v := g.Viewport; v != nil {
		s.Viewports[0] = vk.Viewport{X: float32(v.X), Y: float32(v.Y), Width: float32(v.Width), Height: float32(v.Height),
			MinDepth: float32(v.MinDepth), MaxDepth: float32(v.MaxDepth)}
	}
	s.Scissors = []vk.Rect{{Width: uint32(g.Width), Height: uint32(g.Height)}}
	w.rasterization(s)
	w.depthStencil(s)
	if err := w.blend(s.Blend, g.locations(), r, c); err != nil {
		return nil, err
	}
	for _, set := range g.Settings {
		set(s)
	}
	return s, nil
}

// locations returns the number of color attachments, unused ones included.
func (g *Graphics) locations() (n int) {
	for _, c := range g.Colors {
		n = max(n, min(c.Location+1, vk.MaxColorAttachments))
	}
	return n
}

func (w words) rasterization(d *drawState) {
	s := d.Rasterization
	s.Discard = w.on("", "rasterizerDiscardEnable")
	s.Polygon = enum.PolygonMode(w.one("POLYGON_MODE", "polygonMode", polygonModes, 0))
	for _, face := range w.vk["cullMode"] {
		switch face {
		case "VK_CULL_MODE_FRONT_BIT":
			s.Cull |= enum.CullModeFront
		case "VK_CULL_MODE_BACK_BIT":
			s.Cull |= enum.CullModeBack
		case "VK_CULL_MODE_FRONT_AND_BACK":
			s.Cull = enum.CullModeFront | enum.CullModeBack
		}
	}
	if w.first("", "frontFace") == "clockwise" {
		s.Front = enum.FrontFaceClockwise
	}
	s.DepthClamp = w.on("DEPTH CLAMP", "depthClampEnable")
	bias := w.amber["DEPTH BIAS"]
	s.DepthBias = w.on("", "depthBiasEnable") || bias != nil
	named := words{amber: map[string][]string{}, vk: w.vk}
	for i, name := range []string{"constant", "clamp", "slope"} {
		if i < len(bias) {
			named.amber[name] = bias[i : i+1]
		}
	}
	d.BiasConstant = named.float("constant", "depthBiasConstantFactor", 0)
	d.BiasClamp = named.float("clamp", "depthBiasClamp", 0)
	d.BiasSlope = named.float("slope", "depthBiasSlopeFactor", 0)
	s.LineWidth = w.float("", "lineWidth", 1)
}

func (w words) depthStencil(d *drawState) {
	s := d.DepthStencil
	compare := func(amber, vk string) enum.CompareOp {
		return enum.CompareOp(w.one(amber, vk, compareOps, int(enum.CompareOpAlways)))
	}
	s.DepthTest, s.DepthWrite = w.on("DEPTH TEST", "depthTestEnable"), w.on("DEPTH WRITE", "depthWriteEnable")
	s.Compare = compare("DEPTH COMPARE_OP", "depthCompareOp")
	bounds := w.amber["DEPTH BOUNDS"]
	s.BoundsTest = w.on("", "depthBoundsTestEnable") || bounds != nil
	named := words{amber: map[string][]string{}, vk: w.vk}
	if len(bounds) == 2 {
		named.amber = map[string][]string{"min": bounds[:1], "max": bounds[1:]}
	}
	d.DepthBounds = [2]float32{named.float("min", "minDepthBounds", 0), named.float("max", "maxDepthBounds", 0)}
	s.StencilTest = w.on("", "stencilTestEnable")
	for _, f := range []struct {
		name string
		face *link.StencilFace
	}{{"front", &s.Front}, {"back", &s.Back}} {
		at := func(word string) string { return "STENCIL " + f.name + " " + word }
		op := func(amber, vk string) enum.StencilOp {
			return enum.StencilOp(w.one(at(amber), f.name+"."+vk, stencilOps, 0))
		}
		s.StencilTest = s.StencilTest || w.on(at("TEST"), "")
		*f.face = link.StencilFace{
			Fail: op("FAIL_OP", "failOp"), Pass: op("PASS_OP", "passOp"), DepthFail: op("DEPTH_FAIL_OP", "depthFailOp"),
			Compare:     compare(at("COMPARE_OP"), f.name+".compareOp"),
			CompareMask: w.bits(at("COMPARE_MASK"), f.name+".compareMask", math.MaxUint32),
			WriteMask:   w.bits(at("WRITE_MASK"), f.name+".writeMask", math.MaxUint32),
			Reference:   w.bits(at("REFERENCE"), f.name+".reference", 0),
		}
	}
}

// mixing are the words of the basic blend operations.
var mixing = map[string]enum.BlendOp{
	"": enum.BlendOpAdd, "add": enum.BlendOpAdd, "substract": enum.BlendOpSubtract, "subtract": enum.BlendOpSubtract,
	"reverse_substract": enum.BlendOpReverseSubtract, "reverse_subtract": enum.BlendOpReverseSubtract, "min": enum.BlendOpMin, "max": enum.BlendOpMax,
}

// blendOperation returns the blend operation of a word. Those of AmberScript from "zero" on are the advanced ones in Vulkan's
// order; Vulkan's names have other underlines and a suffix.
func blendOperation(word string) (enum.BlendOp, bool) {
	if op, ok := mixing[word]; ok {
		return op, true
	}
	plain := func(s string) string {
		return strings.Replace(strings.ReplaceAll(strings.TrimSuffix(s, "_ext"), "_", ""), "ovg", "org", 1)
	}
	first := slices.Index(blendOps, "zero")
	i := slices.IndexFunc(blendOps[first:], func(name string) bool { return plain(name) == plain(word) })
	return enum.BlendOpZero + enum.BlendOp(i), i >= 0
}

func (w words) blend(s *link.ColorBlend, colors int, r *runner, c *Draw) error {
	a := link.Blend{Enable: w.on("BLEND", "blendEnable")}
	factor := func(amber, vk string, other enum.BlendFactor) enum.BlendFactor {
		return enum.BlendFactor(w.one(amber, vk, blendFactors, int(other)))
	}
	a.SrcColor = factor("BLEND SRC_COLOR_FACTOR", "srcColorBlendFactor", enum.BlendFactorOne)
	a.DstColor = factor("BLEND DST_COLOR_FACTOR", "dstColorBlendFactor", enum.BlendFactorZero)
	a.SrcAlpha = factor("BLEND SRC_ALPHA_FACTOR", "srcAlphaBlendFactor", enum.BlendFactorOne)
	a.DstAlpha = factor("BLEND DST_ALPHA_FACTOR", "dstAlphaBlendFactor", enum.BlendFactorZero)
	for _, x := range []struct {
		op        *enum.BlendOp
		amber, vk string
	}{{&a.ColorOp, "BLEND COLOR_OP", "colorBlendOp"}, {&a.AlphaOp, "BLEND ALPHA_OP", "alphaBlendOp"}} {
		word := w.first(x.amber, x.vk)
		op, ok := blendOperation(word)
		if !ok {
			return r.unsupported(c.At, "the blend operation "+word)
		}
		*x.op = op
	}
	if mask, ok := w.vk["colorWriteMask"]; ok {
		a.Mask = new(uint32)
		for _, bit := range mask {
			if i := strings.Index("RGBA", strings.TrimSuffix(strings.TrimPrefix(bit, "VK_COLOR_COMPONENT_"), "_BIT")); i >= 0 {
				*a.Mask |= 1 << i
			}
		}
	}
	s.Attachments = slices.Repeat([]link.Blend{a}, colors)
	s.Logic = w.on("", "logicOpEnable")
	s.LogicOp = enum.LogicOp(w.one("", "logicOp", logicOps, 0))
	return nil
}
