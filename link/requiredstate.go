package link

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// recordedDraw is a draw with the states that commands have set before it. The current value of
// a state is known if the description has it, and if the state is static or a command has set it:
// no condition on an unknown value holds.
type recordedDraw struct {
	linker       *linker
	set, enabled []enum.DynamicState
	objects      bool // shader objects are drawn, so that no state is static
}

// known reports whether the value of a state in the description is the current value.
func (r *recordedDraw) known(s enum.DynamicState) bool {
	return slices.Contains(r.set, s) || !r.objects && r.linker.d.HasDynamic && !r.linker.d.dynamic(s)
}

// setFor reports whether a command has set a state for a draw of vertices, so that the
// description has its current value.
func (l *linker) setFor(s enum.DynamicState) bool {
	c := l.d.Commands
	return c != nil && c.Draw && c.Set != nil && slices.Contains(*c.Set, s)
}

// stateCondition is a condition on which a draw needs a state.
type stateCondition struct {
	words string
	holds func(*recordedDraw) bool
}

// enabled is the condition that one of some features is enabled.
func enabled(features ...string) stateCondition {
	return stateCondition{strings.Join(features, " or ") + " is enabled", func(r *recordedDraw) bool {
		return slices.ContainsFunc(features, func(name string) bool {
			on, known := r.linker.d.feature(name)
			return on && known
		})
	}}
}

// extended is the condition that an extension is enabled.
func extended(name string) stateCondition {
	return stateCondition{name + " is enabled", func(r *recordedDraw) bool {
		on, known := r.linker.d.Device.Extension(name)
		return on && known
	}}
}

// turnedOn is the condition that a command has set a state to a value other than VK_FALSE or
// NONE, for states that no other part of a description has.
func turnedOn(s enum.DynamicState) stateCondition {
	return stateCondition{s.String() + " is set to a value other than none or false", func(r *recordedDraw) bool {
		return slices.Contains(r.set, s) && slices.Contains(r.enabled, s)
	}}
}

// rasterizes is a condition on a state of rasterization.
func rasterizes(words string, s enum.DynamicState, holds func(*Rasterization) bool) stateCondition {
	return stateCondition{words, func(r *recordedDraw) bool {
		return r.linker.d.Rasterization != nil && r.known(s) && holds(r.linker.d.Rasterization)
	}}
}

// tests is a condition on a depth or stencil state.
func tests(words string, s enum.DynamicState, holds func(*DepthStencil) bool) stateCondition {
	return stateCondition{words, func(r *recordedDraw) bool {
		return r.linker.d.DepthStencil != nil && r.known(s) && holds(r.linker.d.DepthStencil)
	}}
}

// The conditions on values of states.
var (
	whenRasterized    = rasterizes("primitives are rasterized", enum.DynamicStateRasterizerDiscardEnable, func(s *Rasterization) bool { return !s.Discard })
	whenBiased        = rasterizes("depth has a bias", enum.DynamicStateDepthBiasEnable, func(s *Rasterization) bool { return s.DepthBias })
	whenClamped       = rasterizes("depth is clamped", enum.DynamicStateDepthClampEnable, func(s *Rasterization) bool { return s.DepthClamp })
	whenStippled      = rasterizes("lines are stippled", enum.DynamicStateLineStippleEnable, func(s *Rasterization) bool { return s.Stippled })
	whenOverestimated = rasterizes("rasterization overestimates", enum.DynamicStateConservativeRasterizationMode, func(s *Rasterization) bool { return s.Conservative == enum.ConservativeModeOverestimate })

	whenTested    = tests("depth is tested", enum.DynamicStateDepthTestEnable, func(s *DepthStencil) bool { return s.DepthTest })
	whenBounded   = tests("depth bounds are tested", enum.DynamicStateDepthBoundsTestEnable, func(s *DepthStencil) bool { return s.BoundsTest })
	whenStenciled = tests("the stencil is tested", enum.DynamicStateStencilTestEnable, func(s *DepthStencil) bool { return s.StencilTest })

	whenLocated = stateCondition{"samples have their own locations", func(r *recordedDraw) bool {
		return r.linker.d.Multisample != nil && r.known(enum.DynamicStateSampleLocationsEnable) && r.linker.d.Multisample.Locations
	}}
	whenRateImage = stateCondition{"there is a shading rate image", func(r *recordedDraw) bool {
		return r.linker.d.Viewport != nil && r.known(enum.DynamicStateShadingRateImageEnable) && r.linker.d.Viewport.ShadingRateNV
	}}
	whenLogical = stateCondition{"a logic operation combines colors", func(r *recordedDraw) bool {
		return r.linker.d.Blend != nil && r.known(enum.DynamicStateLogicOpEnable) && r.linker.d.Blend.Logic
	}}
	whenPatches = stateCondition{"patches are drawn", func(r *recordedDraw) bool {
		return r.linker.d.Assembly != nil && r.known(enum.DynamicStatePrimitiveTopology) && r.linker.d.Assembly.Topology == enum.TopologyPatchList
	}}
	whenLines   = stateCondition{"the primitives are lines", (*recordedDraw).lines}
	whenColored = stateCondition{"there are color attachments", func(r *recordedDraw) bool { return slices.Contains(r.colors(), true) }}
	whenBlended = stateCondition{"a color attachment blends", func(r *recordedDraw) bool {
		return r.blends(func(*Blend) bool { return true })
	}}
	whenConstants = stateCondition{"a color attachment blends with the blend constants", func(r *recordedDraw) bool {
		return r.known(enum.DynamicStateColorBlendEquation) && r.blends(func(b *Blend) bool {
			return slices.ContainsFunc([]enum.BlendFactor{b.SrcColor, b.DstColor, b.SrcAlpha, b.DstAlpha}, func(f enum.BlendFactor) bool {
				return f >= enum.BlendFactorConstantColor && f <= enum.BlendFactorOneMinusConstantAlpha
			})
		})
	}}
)

// colors returns for each color attachment of the draw whether there is one.
func (r *recordedDraw) colors() (out []bool) {
	if d := r.linker.d.Rendering; d != nil {
		for _, f := range d.Color {
			out = append(out, f != 0)
		}
		return out
	}
	if p := r.linker.subpass(); p != nil {
		for _, c := range p.Color {
			out = append(out, c != Unused)
		}
	}
	return out
}

// blends reports whether a color attachment of the draw blends in a certain way.
func (r *recordedDraw) blends(as func(*Blend) bool) bool {
	if r.linker.d.Blend == nil || !r.known(enum.DynamicStateColorBlendEnable) {
		return false
	}
	for i, there := range r.colors() {
		if there && i < len(r.linker.d.Blend.Attachments) && r.linker.d.Blend.Attachments[i].Enable && as(&r.linker.d.Blend.Attachments[i]) {
			return true
		}
	}
	return false
}

// lines reports whether the primitives that are rasterized are lines (Vulkan, Rasterization: the
// topology of the last stage before it, or of the input assembly). The edges of polygons are
// not counted.
func (r *recordedDraw) lines() bool {
	if slices.ContainsFunc(r.linker.d.Stages, func(s Shader) bool { return s.Entry == nil }) {
		return false // a stage that is not known may be the last
	}
	if m := r.linker.stage(mesh); m != nil {
		_, is := oneOf(m, spirv.ExecutionModeOutputLinesEXT)
		return is
	}
	if g := r.linker.stage(geometry); g != nil {
		_, is := oneOf(g, spirv.ExecutionModeOutputLineStrip)
		return is
	}
	if control, evaluation := r.linker.stage(tessellationControl), r.linker.stage(tessellationEvaluation); control != nil || evaluation != nil {
		_, first := oneOf(control, spirv.ExecutionModeIsolines)
		_, second := oneOf(evaluation, spirv.ExecutionModeIsolines)
		_, points := oneOf(evaluation, spirv.ExecutionModePointMode)
		_, early := oneOf(control, spirv.ExecutionModePointMode)
		return (first || second) && !points && !early
	}
	return r.linker.d.Assembly != nil && r.known(enum.DynamicStatePrimitiveTopology) && slices.Contains([]enum.Topology{
		enum.TopologyLineList, enum.TopologyLineStrip, enum.TopologyLineListWithAdjacency, enum.TopologyLineStripWithAdjacency,
	}, r.linker.d.Assembly.Topology)
}

// stateRules are the rules on states that commands must have set before a draw.
var stateRules = func() (out []Rule) {
	for i := range stateNeeds {
		n := &stateNeeds[i]
		objects := "shader objects"
		if n.stages != 0 {
			objects += " with a " + n.stages.String() + " stage"
		}
		words := n.command + " precedes a draw with the dynamic state " + n.state.String() + " or with " + objects
		for k, c := range n.when {
			words += [...]string{", if ", " and "}[min(k, 1)] + c.words
		}
		out = append(out, Rule{n.code, words})
	}
	for _, b := range bindNeeds {
		words := "before a draw of shader objects vkCmdBindShadersEXT has bound a shader, or none, to the " + stageOrder[b.stage].name + " stage"
		if b.feature != "" {
			words += ", if " + b.feature + " is enabled"
		}
		out = append(out, Rule{b.code, words})
	}
	return append(out, Rule{vuid.VkCmdDraw_primitiveFragmentShadingRateWithMultipleViewports_08642, "before a draw of shader objects that write PrimitiveShadingRateKHR vkCmdSetViewportWithCount has set one viewport, unless primitiveFragmentShadingRateWithMultipleViewports is supported"})
}()

// recordedStates checks that commands have set the states that a draw needs.
func (l *linker) recordedStates(c *Commands, at func(path string) []Side) {
	if !c.Draw && c.DrawMesh == nil && c.DrawMeshNV == nil {
		return
	}
	r := &recordedDraw{linker: l, objects: l.d.Kind == ShaderObjects}
	if c.Bound != nil && r.objects {
		r.boundStages(*c.Bound, at("bind_shaders"))
	}
	if c.Set == nil {
		return
	}
	r.set, r.enabled = *c.Set, c.Enabled
	side := at("set")
	for i := range stateNeeds {
		n := &stateNeeds[i]
		if n.vertices && !c.Draw || !r.applies(n) || slices.Contains(r.set, n.state) || n.either && slices.Contains(r.set, n.with) {
			continue
		}
		if !slices.ContainsFunc(n.when, func(c stateCondition) bool { return !c.holds(r) }) {
			l.fail(n.code, side, "the draw needs the state %s, and no command has set it; must be set by %s", n.state, n.command)
		}
	}
	if r.objects {
		r.oneViewport(side)
	}
}

// applies reports whether a draw needs a state, if the conditions of the need hold: the state
// is dynamic, or a stage that needs it is bound.
func (r *recordedDraw) applies(n *stateNeed) bool {
	if !r.objects && (!r.linker.d.dynamic(n.state) || n.with != 0 && !r.linker.d.dynamic(n.with)) {
		return false
	}
	stages := n.stages
	if stages == 0 {
		stages = 1<<(fragment+1) - 1
	}
	return !r.objects && !n.own || slices.ContainsFunc(r.linker.stages, func(s *Shader) bool { return stages>>StageOf(s.Entry.Model)&1 != 0 })
}

// boundStages checks that shader objects, or none, were bound to each graphics stage.
func (r *recordedDraw) boundStages(bound []Stages, side []Side) {
	all := Stages(0)
	for _, s := range bound {
		all |= s
	}
	for _, b := range bindNeeds {
		if all>>b.stage&1 == 0 && (b.feature == "" || enabled(b.feature).holds(r)) {
			r.linker.fail(b.code, side, "shader objects are drawn, and no command has bound one to the %s stage, or none; must be bound by vkCmdBindShadersEXT", stageOrder[b.stage].name)
		}
	}
}

// oneViewport checks that there is one viewport if shader objects write the shading rate of
// primitives.
func (r *recordedDraw) oneViewport(side []Side) {
	if v, known := r.linker.d.limit("primitiveFragmentShadingRateWithMultipleViewports"); !known || v != 0 {
		return
	}
	for _, s := range r.linker.stages {
		if k := StageOf(s.Entry.Model); k >= fragment || !stores(s, spirv.BuiltInPrimitiveShadingRateKHR) {
			continue
		}
		const code = vuid.VkCmdDraw_primitiveFragmentShadingRateWithMultipleViewports_08642
		if !slices.Contains(r.set, enum.DynamicStateViewportWithCount) {
			r.linker.fail(code, side, "the %s stage writes PrimitiveShadingRateKHR, and no command has set the viewports; must be set by vkCmdSetViewportWithCount", entrySide(s).Stage)
		} else if v := r.linker.d.Viewport; v != nil && v.Viewports != 1 {
			r.linker.fail(code, side, "the %s stage writes PrimitiveShadingRateKHR, and vkCmdSetViewportWithCount has set %d viewports; must be one", entrySide(s).Stage, v.Viewports)
		}
	}
}
