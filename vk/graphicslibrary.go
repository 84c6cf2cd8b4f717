package vk

import (
	"context"
	mathbits "math/bits"
	"reflect"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The parts of a graphics pipeline (VK_EXT_graphics_pipeline_library).
const (
	inputPart    = enum.PartsVertexInputInterface
	rasterPart   = enum.PartsPreRasterizationShaders
	fragmentPart = enum.PartsFragmentShader
	outputPart   = enum.PartsFragmentOutputInterface
	allParts     = inputPart | rasterPart | fragmentPart | outputPart
)

// assembly is a graphics pipeline that its parts make: a library, or a pipeline before it is linked.
type assembly struct {
	parts       enum.Parts
	state       FixedState
	stages      [StageCompute]*assembledStage
	culling     *assembledStage // cluster culling
	node        *graphNode      // of a mesh stage, if the pipeline is for execution graphs
	flags       enum.PipelineFlags
	layout      *PipelineLayout
	description *link.Description

	pass    *RenderPass // nil for dynamic rendering
	subpass int
}

// views returns the number of views of the renderings that the pipeline is for.
func (a *assembly) views() uint32 {
	mask := a.state.Rendering.ViewMask
	if a.pass != nil {
		mask = a.pass.info.Subpasses[a.subpass].ViewMask
	}
	return max(uint32(mathbits.OnesCount32(mask)), 1)
}

// assembledStage is a stage of an assembly.
type assembledStage struct {
	piece      *piece
	stage      *shader.Stage
	robustness *Robustness
	mappings   []Mapping // with descriptor heaps
}

// pieces returns the pieces of the stages, in order.
func (a *assembly) pieces() (out []*piece) {
	for _, s := range a.stages {
		if s != nil {
			out = append(out, s.piece)
		}
	}
	if a.culling != nil {
		out = append(out, a.culling.piece)
	}
	return out
}

// own returns the parts that the description itself has.
func (i *GraphicsPipelineInfo) own() enum.Parts {
	switch {
	case i.Parts != 0:
		return i.Parts & allParts
	case len(i.Libraries) > 0 || i.Flags&enum.PipelineFlagsLibrary != 0 && i.Flags&enum.PipelineFlagsExecutionGraph == 0:
		return 0
	}
	return allParts
}

// assemble makes the parts of the description, and joins them with those of its libraries.
func (c *creation) assemble(ctx context.Context, info *GraphicsPipelineInfo) (*assembly, error) {
	a := &assembly{parts: info.own(), layout: info.Layout, flags: info.Flags}
	if err := c.checkLibraries(info, a.parts); err != nil {
		return nil, err
	}
	const shaders = rasterPart | fragmentPart
	if info.Layout != nil || len(info.Libraries) == 0 && a.parts&shaders != 0 {
		if _, err := layoutOf(c.dev, info.Layout, info.heaps(), "VUID-VkGraphicsPipelineCreateInfo-flags-11311"); err != nil {
			return nil, err
		}
	}
	if err := a.renderPass(c.dev, info); err != nil {
		return nil, err
	}
	if err := info.State.check(c.dev); err != nil {
		return nil, err
	}
	own := deepCopy(info.State)
	a.state.take(a.parts, &own)
	for i := range graphicsStages {
		s := graphicsStages[i].info(info)
		if s == nil || a.parts&partOf(ShaderStage(i)) == 0 {
			continue
		}
		if err := c.add(ctx, s, graphicsStages[i].model); err != nil {
			return nil, err
		}
	}
	if info.ClusterCulling != nil && a.parts&rasterPart != 0 {
		if err := c.add(ctx, info.ClusterCulling, spirv.ExecutionModelClusterCullingHUAWEI); err != nil {
			return nil, err
		}
	}
	if c.dev.checking > None {
		a.description = c.describe(info, a)
		if err := linked(a.description); err != nil {
			return nil, err
		}
	}
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	for _, s := range c.stages {
		x := &assembledStage{s.piece, s.stage(), c.robustnessOf(s.info), deepCopy(s.info.Mappings)}
		if i := slices.IndexFunc(graphicsStages[:], func(g graphicsStage) bool { return g.model == s.model }); i >= 0 {
			a.stages[i] = x
		} else {
			a.culling = x
		}
		if s.model == spirv.ExecutionModelMeshEXT && info.Flags&enum.PipelineFlagsExecutionGraph != 0 {
			var err error
			if a.node, err = c.dev.graphNode(ctx, s); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range info.Libraries {
		a.join(l.library)
	}
	return a, nil
}

// renderPass sets the subpass of the pipeline.
func (a *assembly) renderPass(d *Device, info *GraphicsPipelineInfo) error {
	if info.RenderPass == nil || a.parts&^inputPart == 0 {
		return nil
	}
	if err := check(d, "the render pass", info.RenderPass); err != nil {
		return err
	}
	if n := len(info.RenderPass.subpasses); info.Subpass < 0 || info.Subpass >= n {
		return usage("VUID-VkGraphicsPipelineCreateInfo-renderPass-06046", "the pipeline is for subpass %d; the render pass has %d", info.Subpass, n)
	}
	a.pass, a.subpass = info.RenderPass, info.Subpass
	return nil
}

// partOf returns the part that a stage belongs to.
func partOf(s ShaderStage) enum.Parts {
	if s == StageFragment {
		return fragmentPart
	}
	return rasterPart
}

// checkLibraries checks the libraries of a pipeline whose own parts are given.
func (c *creation) checkLibraries(info *GraphicsPipelineInfo, parts enum.Parts) error {
	const optimize, retain = enum.PipelineFlagsLinkTimeOptimization, enum.PipelineFlagsRetainLinkTimeOptimizationInfo
	if err := checkLibraries(c.dev, info.Libraries); err != nil {
		return err
	}
	for _, l := range info.Libraries {
		switch lacks := l.flags&retain == 0; {
		case parts&l.library.parts != 0:
			return usage("", "%v has the parts %v, which the pipeline has already; must have others", &l.object, parts&l.library.parts)
		case lacks && info.Flags&optimize != 0:
			return usage("VUID-VkGraphicsPipelineCreateInfo-flags-06609", "the pipeline is optimized as it is linked, and %v lacks the flag %v; must have it", &l.object, retain)
		case lacks && info.Flags&retain != 0:
			return usage("VUID-VkGraphicsPipelineCreateInfo-flags-06610", "the pipeline has the flag %v, and %v lacks it; must have it", retain, &l.object)
		}
		parts |= l.library.parts
	}
	if c.dev.checking > None && parts == allParts && info.Flags&enum.PipelineFlagsLibrary != 0 && info.Flags&enum.PipelineFlagsExecutionGraph == 0 {
		return usage("VUID-VkGraphicsPipelineCreateInfo-flags-06608", "the pipeline has all parts and the flag %v; must not have it", enum.PipelineFlagsLibrary)
	}
	return nil
}

// describe returns the description of the pipeline for the rules of package link.
func (c *creation) describe(info *GraphicsPipelineInfo, a *assembly) *link.Description {
	d := a.state.description()
	if a.parts&rasterPart == 0 {
		d.Viewport = nil
	}
	switch {
	case a.parts&^inputPart == 0:
		d.Rendering = nil
	case a.pass != nil:
		d.Rendering, d.Pass, d.Subpass = nil, a.pass.link, uint32(a.subpass)
	}
	if a.parts != allParts {
		d.Parts = a.parts
	}
	d.NoLayout, d.Library = info.Layout == nil, info.Flags&enum.PipelineFlagsLibrary != 0
	for _, l := range info.Libraries {
		part := *l.library.description
		part.Apart = true
		d.Libraries = append(d.Libraries, &part)
	}
	return c.description(&d, link.Graphics, info.Layout)
}

// join adds the parts of a library.
func (a *assembly) join(l *assembly) {
	a.parts |= l.parts
	a.state.take(l.parts, &l.state)
	for i, s := range l.stages {
		if s != nil {
			a.stages[i] = s
		}
	}
	if l.culling != nil {
		a.culling = l.culling
	}
	if l.node != nil {
		a.node = l.node
	}
	a.layout = union(a.layout, l.layout)
	if a.pass == nil {
		a.pass, a.subpass = l.pass, l.subpass
	}
}

// union returns the layout of two parts of a pipeline: with independent sets each may lack sets of the other.
func union(x, y *PipelineLayout) *PipelineLayout {
	switch {
	case x == nil:
		return y
	case y == nil || x == y:
		return x
	}
	out := &PipelineLayout{sets: slices.Clone(x.sets), link: x.link, push: max(x.push, y.push)}
	out.link.Sets = slices.Clone(x.link.Sets)
	for i, s := range y.sets {
		switch {
		case i >= len(out.sets):
			out.sets, out.link.Sets = append(out.sets, s), append(out.link.Sets, y.link.Sets[i])
		case out.sets[i] == nil:
			out.sets[i], out.link.Sets[i] = s, y.link.Sets[i]
		}
	}
	return out
}

// take copies the state of parts, and the dynamic states that belong to them.
func (f *FixedState) take(parts enum.Parts, from *FixedState) {
	if parts == allParts {
		*f = *from
		return
	}
	for _, s := range from.Dynamic {
		if parts&partsOf(s) != 0 && !slices.Contains(f.Dynamic, s) {
			f.Dynamic = append(f.Dynamic, s)
		}
	}
	if parts&inputPart != 0 {
		f.Vertex, f.Assembly = from.Vertex, from.Assembly
	}
	if parts&rasterPart != 0 {
		f.Tessellation, f.Rasterization, f.ShadingRate = from.Tessellation, from.Rasterization, from.ShadingRate
		f.Viewports, f.Scissors, f.NegativeOneToOne = from.Viewports, from.Scissors, from.NegativeOneToOne
		f.BiasConstant, f.BiasClamp, f.BiasSlope, f.BiasUnit = from.BiasConstant, from.BiasClamp, from.BiasSlope, from.BiasUnit
		f.ClampRange = from.ClampRange
		f.LineStipple, f.LinePattern, f.ExtraOverestimate = from.LineStipple, from.LinePattern, from.ExtraOverestimate
		f.DiscardRectangles, f.DiscardExclusive = from.DiscardRectangles, from.DiscardExclusive
	}
	if parts&fragmentPart != 0 {
		f.DepthStencil, f.DepthBounds = from.DepthStencil, from.DepthBounds
		if f.ShadingRate == nil {
			f.ShadingRate = from.ShadingRate
		}
	}
	if parts&outputPart != 0 {
		f.BlendAdvanced, f.CustomResolve = from.BlendAdvanced, from.CustomResolve
		f.Blend, f.BlendConstants, f.Multisample, f.SampleMask, f.Rendering = from.Blend, from.BlendConstants, from.Multisample, from.SampleMask, from.Rendering
	}
	if parts&outputPart != 0 || f.Multisample == nil {
		f.SampleLocations = from.SampleLocations
	}
	if f.Multisample == nil {
		f.Multisample = from.Multisample // of a fragment part with sample shading
	}
	if parts&^inputPart != 0 && f.Rendering.ViewMask == 0 {
		f.Rendering.ViewMask = from.Rendering.ViewMask
	}
}

// partsOf returns the parts that a dynamic state belongs to (Vulkan, Graphics Pipeline Libraries). A state that is in no
// other list belongs to the pre-rasterization shaders.
func partsOf(s enum.DynamicState) enum.Parts {
	switch s {
	case enum.DynamicStateVertexInput, enum.DynamicStateVertexInputBindingStride, enum.DynamicStatePrimitiveTopology, enum.DynamicStatePrimitiveRestartEnable:
		return inputPart
	case enum.DynamicStateDepthBounds, enum.DynamicStateStencilCompareMask, enum.DynamicStateStencilWriteMask, enum.DynamicStateStencilReference,
		enum.DynamicStateStencilOp, enum.DynamicStateDepthTestEnable, enum.DynamicStateDepthWriteEnable, enum.DynamicStateDepthCompareOp,
		enum.DynamicStateDepthBoundsTestEnable, enum.DynamicStateStencilTestEnable:
		return fragmentPart
	case enum.DynamicStateBlendConstants, enum.DynamicStateLogicOp, enum.DynamicStateLogicOpEnable, enum.DynamicStateColorBlendEnable,
		enum.DynamicStateColorBlendEquation, enum.DynamicStateColorBlendAdvanced, enum.DynamicStateColorWriteMask, enum.DynamicStateColorWriteEnable:
		return outputPart
	case enum.DynamicStateRasterizationSamples, enum.DynamicStateSampleMask, enum.DynamicStateAlphaToCoverageEnable, enum.DynamicStateAlphaToOneEnable,
		enum.DynamicStateSampleLocations, enum.DynamicStateSampleLocationsEnable, enum.DynamicStateAttachmentFeedbackLoopEnable,
		enum.DynamicStateCoverageToColorEnable, enum.DynamicStateCoverageToColorLocation, enum.DynamicStateCoverageModulationMode,
		enum.DynamicStateCoverageModulationTable, enum.DynamicStateCoverageModulationTableEnable, enum.DynamicStateCoverageReductionMode:
		return fragmentPart | outputPart
	case enum.DynamicStateFragmentShadingRate:
		return rasterPart | fragmentPart
	}
	return rasterPart
}

// deepCopy returns a copy of a description that shares no memory with it.
func deepCopy[T any](x T) T {
	v := reflect.ValueOf(&x).Elem()
	detach(v)
	return x
}

// detach replaces all that pointers and slices of v lead to by copies.
func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				detach(f)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			n := reflect.New(v.Type().Elem())
			n.Elem().Set(v.Elem())
			detach(n.Elem())
			v.Set(n)
		}
	case reflect.Slice:
		if !v.IsNil() {
			n := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(n, v)
			for i := range n.Len() {
				detach(n.Index(i))
			}
			v.Set(n)
		}
	case reflect.Array:
		for i := range v.Len() {
			detach(v.Index(i))
		}
	}
}
