package driver

import (
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

func createGraphicsPipelines(a *abi.CreateGraphicsPipelinesArgs) abi.Result {
	b := pipelineBatch[abi.GraphicsPipelineCreateInfo, vk.GraphicsPipelineInfo, vk.GraphicsPipeline]{
		read: func(i *abi.GraphicsPipelineCreateInfo) vk.GraphicsPipelineInfo {
			return graphicsInfo(i, a.PipelineCache)
		},
		make:     (*vk.Device).NewGraphicsPipelines,
		feedback: func(i *abi.GraphicsPipelineCreateInfo, x *vk.GraphicsPipelineInfo) { putFeedback(i.PNext, x.Feedback) },
		wrap:     func(p *vk.GraphicsPipeline) *pipeline { return &pipeline{graphics: p} },
	}
	return b.create(a.Device, a.PCreateInfos, a.PPipelines, a.CreateInfoCount)
}

// graphicsReader reads the creation of a graphics pipeline. Vulkan lets pointers to state that the pipeline does not use be
// anything: they must not be followed, and not be in a variable while the reader calls a function, where the garbage collector
// takes them for pointers of Go.
type graphicsReader struct {
	*abi.GraphicsPipelineCreateInfo
	group   *abi.GraphicsShaderGroupCreateInfoNV // whose stages, vertex input and tessellation it reads; nil for those of the pipeline
	parts   enum.Parts                           // of the pipeline itself
	stages  uint32                               // VkShaderStageFlags
	dynamic []enum.DynamicState
	out     vk.GraphicsPipelineInfo
}

const allParts = enum.PartsVertexInputInterface | enum.PartsPreRasterizationShaders | enum.PartsFragmentShader | enum.PartsFragmentOutputInterface

// graphicsInfo reads the creation of a graphics pipeline.
func graphicsInfo(i *abi.GraphicsPipelineCreateInfo, cache abi.PipelineCache) vk.GraphicsPipelineInfo {
	r := graphicsReader{GraphicsPipelineCreateInfo: i, parts: allParts}
	r.out.Creation = creation(i.Flags, i.PNext, cache, i.BasePipelineHandle, i.BasePipelineIndex)
	r.libraries()
	r.dynamics()
	r.shaders()
	r.out.Layout = pipelineLayouts.get(uint64(i.Layout))
	r.out.RenderPass, r.out.Subpass = renderPasses.get(uint64(i.RenderPass)), int(i.Subpass)
	s := &r.out.State
	s.Dynamic = r.dynamic
	if r.parts&enum.PartsVertexInputInterface != 0 {
		r.vertexInput(s)
	}
	discard := false
	if r.parts&enum.PartsPreRasterizationShaders != 0 {
		discard = r.preRasterization(s)
	}
	if !discard {
		r.fragments(s)
	}
	r.rendering(s)
	r.shaderGroups()
	return r.out
}

// dynamics reads the dynamic states.
func (r *graphicsReader) dynamics() {
	if s := r.PDynamicState; s != nil {
		r.dynamic = each(array(s.PDynamicStates, s.DynamicStateCount), func(n *uint32) enum.DynamicState { return enum.DynamicState(*n) })
	}
}

// readsVertexInput reports whether the pipeline has a vertex input that it does not ignore.
func (r *graphicsReader) readsVertexInput() bool {
	return r.stages&abi.ShaderStageMeshBitEXT == 0 && r.input() != nil && !r.has(enum.DynamicStateVertexInput)
}

// input returns the vertex input, which may be anything if the pipeline ignores it.
func (r *graphicsReader) input() *abi.PipelineVertexInputStateCreateInfo {
	if g := r.group; g != nil {
		return g.PVertexInputState
	}
	return r.PVertexInputState
}

// readsTessellation reports whether the pipeline has a tessellation state that it does not ignore.
func (r *graphicsReader) readsTessellation() bool {
	const tessellation = abi.ShaderStageTessellationControlBit | abi.ShaderStageTessellationEvaluationBit
	return r.patches() != nil && r.stages&tessellation != 0
}

// patches returns the tessellation state, which may be anything if the pipeline ignores it.
func (r *graphicsReader) patches() *abi.PipelineTessellationStateCreateInfo {
	if g := r.group; g != nil {
		return g.PTessellationState
	}
	return r.PTessellationState
}

// has reports whether a state is dynamic.
func (r *graphicsReader) has(s enum.DynamicState) bool { return slices.Contains(r.dynamic, s) }

// libraries reads the libraries and the parts.
func (r *graphicsReader) libraries() {
	if l := abi.Find[abi.PipelineLibraryCreateInfoKHR](r.PNext, abi.StructureTypePipelineLibraryCreateInfoKHR); l != nil {
		for _, h := range array(l.PLibraries, l.LibraryCount) {
			if p := pipelines.get(uint64(h)); p != nil && p.graphics != nil {
				r.out.Libraries = append(r.out.Libraries, p.graphics)
			}
		}
	}
	if l := abi.Find[abi.GraphicsPipelineLibraryCreateInfoEXT](r.PNext, abi.StructureTypeGraphicsPipelineLibraryCreateInfoEXT); l != nil {
		r.parts = enum.Parts(l.Flags)
		r.out.Parts = r.parts
	} else if len(r.out.Libraries) > 0 || r.out.Flags&abi.PipelineCreateLibraryBitKHR != 0 && r.out.Flags&enum.PipelineFlagsExecutionGraph == 0 {
		r.parts = 0
	}
}

// shaders reads the stages.
func (r *graphicsReader) shaders() {
	if r.parts&(enum.PartsPreRasterizationShaders|enum.PartsFragmentShader) == 0 {
		return // the stages are ignored
	}
	list := array(r.PStages, r.StageCount)
	if g := r.group; g != nil {
		list = array(g.PStages, g.StageCount)
	}
	for n := range list {
		s := stageInfo(&list[n])
		switch r.stages |= list[n].Stage; list[n].Stage {
		case abi.ShaderStageVertexBit:
			r.out.Vertex = &s
		case abi.ShaderStageTessellationControlBit:
			r.out.TessControl = &s
		case abi.ShaderStageTessellationEvaluationBit:
			r.out.TessEvaluation = &s
		case abi.ShaderStageGeometryBit:
			r.out.Geometry = &s
		case abi.ShaderStageTaskBitEXT:
			r.out.Task = &s
		case abi.ShaderStageMeshBitEXT:
			r.out.Mesh = &s
		case abi.ShaderStageClusterCullingBitHUAWEI:
			r.out.ClusterCulling = &s
		case abi.ShaderStageFragmentBit:
			r.out.Fragment = &s
		}
	}
}

// vertexInput reads the vertex input and the input assembly, which a pipeline with a mesh stage ignores.
func (r *graphicsReader) vertexInput(s *vk.FixedState) {
	if r.stages&abi.ShaderStageMeshBitEXT != 0 {
		return
	}
	if r.readsVertexInput() {
		v := r.input()
		s.Vertex = &link.VertexInput{
			Bindings: each(array(v.PVertexBindingDescriptions, v.VertexBindingDescriptionCount), func(b *abi.VertexInputBindingDescription) link.VertexBinding {
				return link.VertexBinding{Binding: b.Binding, Stride: b.Stride, Rate: enum.InputRate(b.InputRate)}
			}),
			Attributes: each(array(v.PVertexAttributeDescriptions, v.VertexAttributeDescriptionCount), func(x *abi.VertexInputAttributeDescription) link.Attribute {
				return link.Attribute{Location: x.Location, Binding: x.Binding, Format: format(x.Format), Offset: x.Offset}
			}),
		}
		if d := abi.Find[abi.PipelineVertexInputDivisorStateCreateInfo](v.PNext, abi.StructureTypePipelineVertexInputDivisorStateCreateInfo); d != nil {
			for _, x := range array(d.PVertexBindingDivisors, d.VertexBindingDivisorCount) {
				for n := range s.Vertex.Bindings {
					if b := &s.Vertex.Bindings[n]; b.Binding == x.Binding {
						divisor := x.Divisor
						b.Divisor = &divisor
					}
				}
			}
		}
	}
	if x := r.PInputAssemblyState; x != nil {
		s.Assembly = &link.InputAssembly{Topology: enum.Topology(x.Topology), PrimitiveRestart: x.PrimitiveRestartEnable != 0}
	}
}

// preRasterization reads the state before fragments. It reports whether all primitives are discarded.
func (r *graphicsReader) preRasterization(s *vk.FixedState) (discard bool) {
	r.tessellation(s)
	x := r.PRasterizationState
	if x == nil { // all of it is dynamic
		r.viewports(s)
		return false
	}
	s.Rasterization = &link.Rasterization{
		DepthClamp: x.DepthClampEnable != 0, Discard: x.RasterizerDiscardEnable != 0, Polygon: enum.PolygonMode(x.PolygonMode), Cull: enum.CullMode(x.CullMode),
		Front: enum.FrontFace(x.FrontFace), DepthBias: x.DepthBiasEnable != 0, LineWidth: x.LineWidth,
	}
	s.BiasConstant, s.BiasClamp, s.BiasSlope, s.BiasUnit = x.DepthBiasConstantFactor, x.DepthBiasClamp, x.DepthBiasSlopeFactor, biasUnit(x.PNext)
	r.rasterization(s, x.PNext)
	if discard = s.Rasterization.Discard && !r.has(enum.DynamicStateRasterizerDiscardEnable); !discard {
		r.viewports(s)
	}
	return discard
}

// tessellation reads the tessellation state.
func (r *graphicsReader) tessellation(s *vk.FixedState) {
	if !r.readsTessellation() {
		return
	}
	t := r.patches()
	s.Tessellation = &link.Tessellation{PatchControlPoints: t.PatchControlPoints}
	if o := abi.Find[abi.PipelineTessellationDomainOriginStateCreateInfo](t.PNext, abi.StructureTypePipelineTessellationDomainOriginStateCreateInfo); o != nil {
		s.Tessellation.Origin = enum.DomainOrigin(o.DomainOrigin)
	}
}

// rasterization reads the chain of the rasterization state.
func (r *graphicsReader) rasterization(s *vk.FixedState, chain unsafe.Pointer) {
	abi.Chain(chain, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypePipelineRasterizationDepthClipStateCreateInfoEXT:
			on := (*abi.PipelineRasterizationDepthClipStateCreateInfoEXT)(p).DepthClipEnable != 0
			s.Rasterization.DepthClip = &on
		case abi.StructureTypePipelineRasterizationStateStreamCreateInfoEXT:
			s.Rasterization.Stream, s.Rasterization.HasStream = (*abi.PipelineRasterizationStateStreamCreateInfoEXT)(p).RasterizationStream, true
		case abi.StructureTypePipelineRasterizationConservativeStateCreateInfoEXT:
			c := (*abi.PipelineRasterizationConservativeStateCreateInfoEXT)(p)
			s.Rasterization.Conservative, s.ExtraOverestimate = enum.ConservativeMode(c.ConservativeRasterizationMode), c.ExtraPrimitiveOverestimationSize
		case abi.StructureTypePipelineRasterizationLineStateCreateInfo:
			l := (*abi.PipelineRasterizationLineStateCreateInfo)(p)
			s.Rasterization.Lines, s.Rasterization.Stippled = enum.LineMode(l.LineRasterizationMode), l.StippledLineEnable != 0
			s.LineStipple, s.LinePattern = l.LineStippleFactor, l.LineStipplePattern
		case abi.StructureTypePipelineRasterizationProvokingVertexStateCreateInfoEXT:
			s.Rasterization.Provoking = enum.ProvokingVertex((*abi.PipelineRasterizationProvokingVertexStateCreateInfoEXT)(p).ProvokingVertexMode)
		}
	})
}

// maxViewports bounds the counts of dynamic viewports and scissors.
const maxViewports = 1 << 10

// viewports reads viewports and scissors. If they are dynamic, their count remains.
func (r *graphicsReader) viewports(s *vk.FixedState) {
	if d := abi.Find[abi.PipelineDiscardRectangleStateCreateInfoEXT](r.PNext, abi.StructureTypePipelineDiscardRectangleStateCreateInfoEXT); d != nil {
		s.DiscardRectangles = each(array(d.PDiscardRectangles, d.DiscardRectangleCount), rectAt)
		s.DiscardExclusive = d.DiscardRectangleMode == abi.DiscardRectangleModeExclusiveEXT
	}
	if f := abi.Find[abi.PipelineFragmentShadingRateStateCreateInfoKHR](r.PNext, abi.StructureTypePipelineFragmentShadingRateStateCreateInfoKHR); f != nil {
		s.ShadingRate = &link.ShadingRate{Width: f.FragmentSize.Width, Height: f.FragmentSize.Height, Combiners: [2]enum.RateCombiner{enum.RateCombiner(f.CombinerOps[0]), enum.RateCombiner(f.CombinerOps[1])}}
	}
	v := r.PViewportState
	if v == nil {
		return
	}
	switch {
	case r.has(enum.DynamicStateViewportWithCount):
	case r.has(enum.DynamicStateViewport):
		s.Viewports = make([]vk.Viewport, min(v.ViewportCount, maxViewports)) // an array need not exist
	default:
		s.Viewports = each(array(v.PViewports, v.ViewportCount), viewport)
	}
	switch {
	case r.has(enum.DynamicStateScissorWithCount):
	case r.has(enum.DynamicStateScissor):
		s.Scissors = make([]vk.Rect, min(v.ScissorCount, maxViewports))
	default:
		s.Scissors = each(array(v.PScissors, v.ScissorCount), rectAt)
	}
	if c := abi.Find[abi.PipelineViewportDepthClipControlCreateInfoEXT](v.PNext, abi.StructureTypePipelineViewportDepthClipControlCreateInfoEXT); c != nil {
		s.NegativeOneToOne = c.NegativeOneToOne != 0
	}
	if c := abi.Find[abi.PipelineViewportDepthClampControlCreateInfoEXT](v.PNext, abi.StructureTypePipelineViewportDepthClampControlCreateInfoEXT); c != nil && !r.has(enum.DynamicStateDepthClampRange) {
		s.ClampRange = clampRange(c.DepthClampMode, c.PDepthClampRange)
	}
}

// sampleMask returns the static sample mask. Its length is of the static number of samples, also if that number is dynamic otherwise;
// samples beyond it are covered.
func sampleMask(m *abi.PipelineMultisampleStateCreateInfo) *[2]uint32 {
	mask := [2]uint32{^uint32(0), ^uint32(0)}
	copy(mask[:], array(m.PSampleMask, (min(max(m.RasterizationSamples, 1), 64)+31)/32))
	return &mask
}

// fragments reads the state of fragments.
func (r *graphicsReader) fragments(s *vk.FixedState) {
	both := r.parts & (enum.PartsFragmentShader | enum.PartsFragmentOutputInterface)
	if m := r.PMultisampleState; m != nil && both != 0 {
		s.Multisample = &link.Multisample{
			Samples: m.RasterizationSamples, SampleShading: m.SampleShadingEnable != 0, MinShading: m.MinSampleShading,
			AlphaToCoverage: m.AlphaToCoverageEnable != 0, AlphaToOne: m.AlphaToOneEnable != 0,
		}
		if m.PSampleMask != nil && !r.has(enum.DynamicStateSampleMask) {
			s.SampleMask = sampleMask(m)
		}
		r.locations(s, m.PNext)
	}
	if r.parts&enum.PartsFragmentShader != 0 && r.attachments().depth && r.PDepthStencilState != nil {
		x := r.PDepthStencilState
		s.DepthStencil = &link.DepthStencil{
			DepthTest: x.DepthTestEnable != 0, DepthWrite: x.DepthWriteEnable != 0, Compare: enum.CompareOp(x.DepthCompareOp),
			BoundsTest: x.DepthBoundsTestEnable != 0, StencilTest: x.StencilTestEnable != 0, Front: stencil(&x.Front), Back: stencil(&x.Back),
			Ordered: x.Flags&(abi.PipelineDepthStencilStateCreateRasterizationOrderAttachmentDepthAccessBitEXT|abi.PipelineDepthStencilStateCreateRasterizationOrderAttachmentStencilAccessBitEXT) != 0,
		}
		s.DepthBounds = [2]float32{x.MinDepthBounds, x.MaxDepthBounds}
	}
	if r.parts&enum.PartsFragmentOutputInterface != 0 && r.attachments().color && r.PColorBlendState != nil {
		x := r.PColorBlendState
		s.Blend = &link.ColorBlend{Logic: x.LogicOpEnable != 0, LogicOp: enum.LogicOp(x.LogicOp), Attachments: each(array(x.PAttachments, x.AttachmentCount), blend)}
		s.BlendConstants, s.BlendAdvanced = x.BlendConstants, advancedBlend(x.PNext)
		if w := abi.Find[abi.PipelineColorWriteCreateInfoEXT](x.PNext, abi.StructureTypePipelineColorWriteCreateInfoEXT); w != nil && !r.has(enum.DynamicStateColorWriteEnable) {
			for n, on := range array(w.PColorWriteEnables, w.AttachmentCount) {
				if n < len(s.Blend.Attachments) && on == abi.False {
					s.Blend.Attachments[n].Mask = new(uint32)
				}
			}
		}
	}
}

// attachmentUse is the kinds of attachments that a pipeline may have.
type attachmentUse struct{ color, depth bool }

// attachments returns the attachments that the pipeline may have: those of a rendering, or any of a render pass.
func (r *graphicsReader) attachments() attachmentUse {
	if p := r.out.RenderPass; p != nil {
		colors, depth := p.SubpassAttachments(r.out.Subpass)
		return attachmentUse{colors > 0, depth}
	}
	i := abi.Find[abi.PipelineRenderingCreateInfo](r.PNext, abi.StructureTypePipelineRenderingCreateInfo)
	if r.parts&enum.PartsFragmentOutputInterface == 0 {
		return attachmentUse{depth: true} // another library has the formats
	}
	if i == nil {
		return attachmentUse{}
	}
	return attachmentUse{i.ColorAttachmentCount > 0, i.DepthAttachmentFormat != 0 || i.StencilAttachmentFormat != 0}
}

func stencil(s *abi.StencilOpState) link.StencilFace {
	return link.StencilFace{
		Fail: enum.StencilOp(s.FailOp), Pass: enum.StencilOp(s.PassOp), DepthFail: enum.StencilOp(s.DepthFailOp), Compare: enum.CompareOp(s.CompareOp),
		CompareMask: s.CompareMask, WriteMask: s.WriteMask, Reference: s.Reference,
	}
}

func blend(b *abi.PipelineColorBlendAttachmentState) link.Blend {
	mask := b.ColorWriteMask
	return link.Blend{
		Enable: b.BlendEnable != 0, SrcColor: enum.BlendFactor(b.SrcColorBlendFactor), DstColor: enum.BlendFactor(b.DstColorBlendFactor), ColorOp: enum.BlendOp(b.ColorBlendOp),
		SrcAlpha: enum.BlendFactor(b.SrcAlphaBlendFactor), DstAlpha: enum.BlendFactor(b.DstAlphaBlendFactor), AlphaOp: enum.BlendOp(b.AlphaBlendOp), Mask: &mask,
	}
}

// rendering reads the formats of attachments without a render pass.
func (r *graphicsReader) rendering(s *vk.FixedState) {
	i := abi.Find[abi.PipelineRenderingCreateInfo](r.PNext, abi.StructureTypePipelineRenderingCreateInfo)
	if i == nil || r.RenderPass != 0 {
		return
	}
	s.Rendering.ViewMask, s.CustomResolve = i.ViewMask, customResolve(r.PNext)
	if r.parts&enum.PartsFragmentOutputInterface != 0 {
		s.Rendering.Color = each(array(i.PColorAttachmentFormats, i.ColorAttachmentCount), func(f *uint32) link.Format { return format(*f) })
		s.Rendering.Depth, s.Rendering.Stencil = format(i.DepthAttachmentFormat), format(i.StencilAttachmentFormat)
	}
	localRead(&s.Rendering, r.PNext)
}

// localRead reads the locations and the indices of attachments.
func localRead(to *link.Rendering, chain unsafe.Pointer) {
	if l := abi.Find[abi.RenderingAttachmentLocationInfo](chain, abi.StructureTypeRenderingAttachmentLocationInfo); l != nil && l.PColorAttachmentLocations != nil {
		to.Locations = each(array(l.PColorAttachmentLocations, l.ColorAttachmentCount), ref)
	}
	if x := abi.Find[abi.RenderingInputAttachmentIndexInfo](chain, abi.StructureTypeRenderingInputAttachmentIndexInfo); x != nil {
		if x.PColorAttachmentInputIndices != nil {
			to.Inputs = each(array(x.PColorAttachmentInputIndices, x.ColorAttachmentCount), ref)
		}
		to.DepthInput, to.StencilInput = refAt(x.PDepthInputAttachmentIndex), refAt(x.PStencilInputAttachmentIndex)
	}
}

func ref(n *uint32) link.Ref { return link.Ref(*n) }

func refAt(n *uint32) *link.Ref {
	if n == nil {
		return nil
	}
	r := link.Ref(*n)
	return &r
}
