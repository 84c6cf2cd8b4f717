package link

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// graphicsRules are the rules of the shaders of graphics pipelines and the
// states around them.
var graphicsRules = []Rule{
	{vuid.VkGraphicsPipelineCreateInfo_pStages_09022, "a pipeline with a tessellation control stage declares the number of patch control points, or that it is dynamic"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_08888, "with tessellation stages the topology is patch_list"},
	{vuid.VkGraphicsPipelineCreateInfo_topology_08889, "with the topology patch_list there are tessellation stages"},
	{vuid.VkGraphicsPipelineCreateInfo_topology_08773, "a vertex stage that draws points writes PointSize, unless maintenance5 is enabled"},
	{vuid.VkGraphicsPipelineCreateInfo_TessellationEvaluation_07723, "a tessellation evaluation stage that draws points writes PointSize, unless maintenance5 is enabled"},
	{vuid.VkGraphicsPipelineCreateInfo_TessellationEvaluation_07724, "a tessellation evaluation stage that draws points writes no PointSize without shaderTessellationAndGeometryPointSize"},
	{vuid.VkGraphicsPipelineCreateInfo_shaderTessellationAndGeometryPointSize_08776, "a geometry stage that draws points writes PointSize, unless maintenance5 is enabled"},
	{vuid.VkGraphicsPipelineCreateInfo_Geometry_07726, "a geometry stage that draws points writes no PointSize without shaderTessellationAndGeometryPointSize"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00738, "the input primitives of a geometry stage match the topology"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06038, "a fragment stage reads no input attachment that the subpass does not use"},
	{vuid.VkGraphicsPipelineCreateInfo_alphaToCoverageEnable_08891, "with alpha to coverage, a fragment stage writes the alpha component of location 0"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06047, "a subpass of several views with tessellation stages needs multiviewTessellationShader"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06048, "a subpass of several views with a geometry stage needs multiviewGeometryShader"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06050, "no stage has Layer in a subpass of several views"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_07064, "a subpass of several views with a mesh stage needs multiviewMeshShader"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_12325, "a subpass with a mesh stage has no more views than maxMeshMultiviewViewCount"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06057, "rendering to several views with tessellation stages needs multiviewTessellationShader"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06058, "rendering to several views with a geometry stage needs multiviewGeometryShader"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06059, "no stage has Layer in rendering to several views"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_07720, "rendering to several views with a mesh stage needs multiviewMeshShader"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_12326, "rendering with a mesh stage has no more views than maxMeshMultiviewViewCount"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_06061, "without a render pass a fragment stage with InputAttachment needs dynamicRenderingLocalRead"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_08710, "a fragment stage in a render pass has none of the capabilities that read tile images"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_06894, "a pipeline library without fragment shader state has no fragment stage"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_06895, "a pipeline library without pre-rasterization state has no stage before the fragment stage"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_06896, "each stage of a graphics pipeline is one that draws"},
	{vuid.VkGraphicsPipelineCreateInfo_stageCount_09587, "a pipeline library without shader state has no stage"},
	{vuid.VkGraphicsPipelineCreateInfo_geometryStreams_02321, "a geometry stage with the capability GeometryStreams needs the feature geometryStreams"},
	{vuid.VkGraphicsPipelineCreateInfo_rasterizationStream_02319, "rasterized primitives come from the stream in the rasterization state"},
	{vuid.VkGraphicsPipelineCreateInfo_rasterizationStream_02320, "rasterized primitives come from stream 0 if the rasterization state has no other"},
	{vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_07065, "with a mesh stage, topology and strides of vertex buffers are not dynamic"},
	{vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_07066, "with a mesh stage, primitive restart and patch control points are not dynamic"},
	{vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_07067, "with a mesh stage, vertex input is not dynamic"},
	{vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_04870, "dynamic patch control points need extendedDynamicState2PatchControlPoints"},
	{vuid.VkGraphicsPipelineCreateInfo_extendedDynamicState3TessellationDomainOrigin_07370, "a dynamic origin of the tessellation domain needs extendedDynamicState3TessellationDomainOrigin"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_08711, "with early fragment tests, a pipeline with a stage that reads the depth attachment of the tile has no depth writes"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_08712, "with early fragment tests, a pipeline with a stage that reads the stencil attachment of the tile has no stencil writes"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_09652, "without remapped input attachments, InputAttachmentIndex is below the number of color attachments"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_09531, "remapped input attachments are as many as color attachments"},
	{vuid.VkGraphicsPipelineCreateInfo_renderPass_09532, "remapped locations are as many as color attachments"},
	{vuid.VkGraphicsPipelineCreateInfo_primitiveFragmentShadingRateWithMultipleViewports_04503, "with several viewports, PrimitiveShadingRateKHR is written only if primitiveFragmentShadingRateWithMultipleViewports is supported"},
	{vuid.VkGraphicsPipelineCreateInfo_primitiveFragmentShadingRateWithMultipleViewports_04504, "ViewportIndex and PrimitiveShadingRateKHR are both written only if primitiveFragmentShadingRateWithMultipleViewports is supported"},
	{vuid.VkGraphicsPipelineCreateInfo_primitiveFragmentShadingRateWithMultipleViewports_04505, "ViewportMaskNV and PrimitiveShadingRateKHR are both written only if primitiveFragmentShadingRateWithMultipleViewports is supported"},
	{vuid.VkGraphicsPipelineCreateInfo_flags_02966, "no stage of a pipeline that is bound by the device has the mode Xfb"},
	{vuid.VkGraphicsPipelineCreateInfo_shaderMeshEnqueue_10187, "the capability ShaderEnqueueAMDX needs the feature shaderMeshEnqueue"},
	{vuid.VkGraphicsPipelineCreateInfo_flags_10188, "a pipeline with the capability ShaderEnqueueAMDX is a library"},
	{vuid.VkGraphicsPipelineCreateInfo_stageCount_09530, "a pipeline with pre-rasterization state has a stage"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_08894, "a pipeline with a vertex stage has vertex input state"},
}

// graphics checks the states of a graphics pipeline and its shaders.
func (l *linker) graphics() {
	l.vertexInput()
	l.localReads()
	l.topology()
	l.pointSizes()
	l.views()
	l.parts()
	l.streams()
	l.dynamicStates()
	l.reads()
	l.coverage()
	l.outputs()
	l.taskPayload()
	l.shadingRates()
	l.enqueue()
	l.external()
	l.libraryLayout()
	l.recordedState()
	l.drawn()
}

// anyTopology reports whether the topology may be another when drawn.
func (l *linker) anyTopology() bool {
	if !l.d.dynamic(enum.DynamicStatePrimitiveTopology) {
		return false
	}
	v, known := l.d.limit("dynamicPrimitiveTopologyUnrestricted")
	return !known || v != 0
}

// dynamic3 reports whether some states are all dynamic, for rules that need
// VK_EXT_extended_dynamic_state3 for it too.
func (l *linker) dynamic3(states ...enum.DynamicState) bool {
	on, known := l.d.Device.Extension("VK_EXT_extended_dynamic_state3")
	return (on || !known) && !slices.ContainsFunc(states, func(s enum.DynamicState) bool { return !l.d.dynamic(s) })
}

// topology checks the input assembly against the stages that follow it.
func (l *linker) topology() {
	control, evaluation := l.stage(tessellationControl), l.stage(tessellationEvaluation)
	if control != nil && l.d.Tessellation == nil && l.d.Assembly != nil && l.d.HasDynamic && !l.dynamic3(enum.DynamicStatePatchControlPoints) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_09022, []Side{entrySide(control)}, "there is a tessellation control stage and no tessellation state; must be one, or dynamic patch control points")
	}
	a := l.d.Assembly
	if a == nil || l.stage(vertex) == nil || l.anyTopology() {
		return
	}
	state := Side{Stage: "input assembly", Type: a.Topology.String(), path: "input_assembly.topology"}
	patches := a.Topology == enum.TopologyPatchList
	switch {
	case evaluation != nil && !patches:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_08888, []Side{entrySide(evaluation), state}, "the topology is %s in a pipeline with tessellation stages; must be patch_list", a.Topology)
	case patches && control == nil && evaluation == nil:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_topology_08889, []Side{state, entrySide(l.stage(vertex))}, "the topology is patch_list in a pipeline without tessellation stages; must have them")
	}
	g := l.stage(geometry)
	if g == nil || evaluation != nil || patches {
		return
	}
	want := takenBy[a.Topology]
	if got, ok := inputPrimitive(g); ok && want != got {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00738, []Side{entrySide(g), state}, "the geometry stage expects %s, the topology is %s, which needs %s; must be the same", got, a.Topology, want)
	}
}

// takenBy is the input mode of a geometry stage for each topology (Vulkan,
// Geometry Shader Input Primitives).
var takenBy = map[enum.Topology]spirv.ExecutionMode{
	enum.TopologyPointList: spirv.ExecutionModeInputPoints, enum.TopologyLineList: spirv.ExecutionModeInputLines, enum.TopologyLineStrip: spirv.ExecutionModeInputLines,
	enum.TopologyTriangleList: spirv.ExecutionModeTriangles, enum.TopologyTriangleStrip: spirv.ExecutionModeTriangles, enum.TopologyTriangleFan: spirv.ExecutionModeTriangles,
	enum.TopologyLineListWithAdjacency: spirv.ExecutionModeInputLinesAdjacency, enum.TopologyLineStripWithAdjacency: spirv.ExecutionModeInputLinesAdjacency,
	enum.TopologyTriangleListWithAdjacency:  spirv.ExecutionModeInputTrianglesAdjacency,
	enum.TopologyTriangleStripWithAdjacency: spirv.ExecutionModeInputTrianglesAdjacency,
}

func inputPrimitive(g *Shader) (spirv.ExecutionMode, bool) {
	m, ok := oneOf(g, spirv.ExecutionModeInputPoints, spirv.ExecutionModeInputLines, spirv.ExecutionModeInputLinesAdjacency,
		spirv.ExecutionModeTriangles, spirv.ExecutionModeInputTrianglesAdjacency)
	return m.Mode, ok
}

// pointSizes checks that stages that draw points write their size, or do not.
func (l *linker) pointSizes() {
	v, evaluation, g := l.stage(vertex), l.stage(tessellationEvaluation), l.stage(geometry)
	must := l.d.lacks("maintenance5")
	large, known := l.d.feature("shaderTessellationAndGeometryPointSize")
	judge := func(s *Shader, missing, extra string) {
		has := stores(s, spirv.BuiltInPointSize)
		switch {
		case known && large && must && !has:
			l.fail(missing, []Side{entrySide(s)}, "the %s stage draws points and does not write PointSize; must write it", entrySide(s).Stage)
		case known && !large && has:
			l.fail(extra, []Side{entrySide(s)}, "the %s stage draws points and writes PointSize; must not without the feature shaderTessellationAndGeometryPointSize", entrySide(s).Stage)
		}
	}
	switch {
	case g != nil:
		if _, points := oneOf(g, spirv.ExecutionModeOutputPoints); points {
			judge(g, vuid.VkGraphicsPipelineCreateInfo_shaderTessellationAndGeometryPointSize_08776, vuid.VkGraphicsPipelineCreateInfo_Geometry_07726)
		}
	case evaluation != nil:
		if _, points := oneOf(evaluation, spirv.ExecutionModePointMode); points {
			judge(evaluation, vuid.VkGraphicsPipelineCreateInfo_TessellationEvaluation_07723, vuid.VkGraphicsPipelineCreateInfo_TessellationEvaluation_07724)
		}
	case v != nil && l.d.Assembly != nil && l.d.Assembly.Topology == enum.TopologyPointList && !l.anyTopology() && must && !stores(v, spirv.BuiltInPointSize):
		l.fail(vuid.VkGraphicsPipelineCreateInfo_topology_08773, []Side{entrySide(v)}, "the topology is point_list and the vertex stage does not write PointSize; must write it without the feature maintenance5")
	}
}

// viewCodes are the rules of several views, of render passes and of dynamic
// rendering.
var viewCodes = [2]struct{ tessellation, geometry, layer, mesh, count string }{
	{
		vuid.VkGraphicsPipelineCreateInfo_renderPass_06047, vuid.VkGraphicsPipelineCreateInfo_renderPass_06048, vuid.VkGraphicsPipelineCreateInfo_renderPass_06050,
		vuid.VkGraphicsPipelineCreateInfo_renderPass_07064, vuid.VkGraphicsPipelineCreateInfo_renderPass_12325,
	},
	{
		vuid.VkGraphicsPipelineCreateInfo_renderPass_06057, vuid.VkGraphicsPipelineCreateInfo_renderPass_06058, vuid.VkGraphicsPipelineCreateInfo_renderPass_06059,
		vuid.VkGraphicsPipelineCreateInfo_renderPass_07720, vuid.VkGraphicsPipelineCreateInfo_renderPass_12326,
	},
}

// subpass returns the subpass of the draw, or nil if it is not known.
func (l *linker) subpass() *Subpass {
	if l.d.Pass == nil || uint64(l.d.Subpass) >= uint64(len(l.d.Pass.Subpasses)) {
		return nil
	}
	return &l.d.Pass.Subpasses[l.d.Subpass]
}

// views checks a draw to several views.
func (l *linker) views() {
	c, mask := viewCodes[0], uint32(0)
	if s := l.subpass(); s != nil {
		mask = s.ViewMask
	} else if l.d.Rendering != nil {
		c, mask = viewCodes[1], l.d.Rendering.ViewMask
	}
	if mask == 0 {
		return
	}
	for _, s := range l.stages {
		side := []Side{entrySide(s)}
		switch StageOf(s.Entry.Model) {
		case tessellationControl:
			l.off(c.tessellation, "multiviewTessellationShader", side, "tessellation stages draw to several views")
		case geometry:
			l.off(c.geometry, "multiviewGeometryShader", side, "a geometry stage draws to several views")
		case mesh:
			l.off(c.mesh, "multiviewMeshShader", side, "a mesh stage draws to several views")
			if most, known := l.d.limit("VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshMultiviewViewCount"); known && uint64(bits.Len32(mask)) > most {
				l.fail(c.count, side, "the mask of views is %#x; must be of views below maxMeshMultiviewViewCount, %d", mask, most)
			}
		}
		if hasBuiltIn(s.Entry, spirv.BuiltInLayer) {
			l.fail(c.layer, side, "the %s stage has Layer and draws to several views; must not have it", side[0].Stage)
		}
	}
}

// parts checks the combination of stages in a pipeline library with some parts.
func (l *linker) parts() {
	before := slices.ContainsFunc(l.stages, func(s *Shader) bool { return StageOf(s.Entry.Model) < fragment })
	p := l.d.Parts
	if n := len(l.stages); n > 0 && StageOf(l.stages[n-1].Entry.Model) > fragment {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_06896, []Side{entrySide(l.stages[n-1])}, "there is a %s stage in a graphics pipeline; must be a stage that draws", entrySide(l.stages[n-1]).Stage)
	}
	if p != 0 && p&(enum.PartsPreRasterizationShaders|enum.PartsFragmentShader) == 0 && len(l.stages) > 0 {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_stageCount_09587, []Side{entrySide(l.stages[0])}, "a library of %s has a %s stage; must have none", p, entrySide(l.stages[0]).Stage)
	}
	pre, frag := p&enum.PartsPreRasterizationShaders != 0, p&enum.PartsFragmentShader != 0
	if f := l.stage(fragment); p != 0 && pre && !frag && f != nil {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_06894, []Side{entrySide(f)}, "a library of %s has a fragment stage; must not", p)
	}
	if p != 0 && frag && !pre && before {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_06895, []Side{entrySide(l.stages[0])}, "a library of %s has a %s stage; must not", p, entrySide(l.stages[0]).Stage)
	}
	if p&enum.PartsVertexInputInterface != 0 && l.d.Assembly != nil && l.d.Vertex == nil && l.d.HasDynamic && !l.d.dynamic(enum.DynamicStateVertexInput) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_02097, []Side{{Stage: "pipeline", Decorations: p.String()}}, "there is no vertex input state in a library of %s; must be one, or dynamic", p)
	}
	if v := l.stage(vertex); v != nil && p == 0 && !l.d.Library && l.d.Kind == Graphics && l.d.Assembly != nil && l.d.Vertex == nil && l.d.HasDynamic && !l.d.dynamic(enum.DynamicStateVertexInput) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_02097, []Side{entrySide(v)}, "there is a vertex stage and no vertex input state; must be one, or dynamic")
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_08894, []Side{entrySide(v)}, "there is a vertex stage and no vertex input state; must be one")
	}
}

// streams checks which stream of vertices is rasterized.
func (l *linker) streams() {
	var last *Shader
	for _, s := range l.stages {
		if k := StageOf(s.Entry.Model); k <= geometry {
			last = s
		}
		if _, xfb := oneOf(s, spirv.ExecutionModeXfb); xfb && l.d.Flags&enum.PipelineFlagsIndirectBindable != 0 {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_02966, []Side{entrySide(s)}, "a stage has the mode Xfb in a pipeline with the flag indirect_bindable; must not")
		}
	}
	if last == nil {
		return
	}
	if StageOf(last.Entry.Model) == geometry && slices.Contains(last.Entry.Capabilities, spirv.CapabilityGeometryStreams) {
		l.off(vuid.VkGraphicsPipelineCreateInfo_geometryStreams_02321, "geometryStreams", []Side{entrySide(last)}, "the geometry stage has the capability GeometryStreams")
	}
	want, code := uint32(0), vuid.VkGraphicsPipelineCreateInfo_rasterizationStream_02320
	if r := l.d.Rasterization; r != nil && r.Stream != 0 {
		want, code = r.Stream, vuid.VkGraphicsPipelineCreateInfo_rasterizationStream_02319
	}
	if want == 0 && !slices.Contains(last.Entry.Capabilities, spirv.CapabilityGeometryStreams) {
		return // the decoration Stream needs it
	}
	m := last.facts()
	if m == nil {
		return
	}
	for i := range last.Entry.BuiltIns {
		b := &last.Entry.BuiltIns[i]
		if b.Class != spirv.StorageClassOutput || !slices.Contains(rasterized, b.BuiltIn) {
			continue
		}
		d, ok := m.Decoration(b.ID, spirv.DecorationStream)
		if b.Member >= 0 && !ok {
			if v := m.Variable(b.ID); v != nil && v.Type != nil && v.Type.IsStruct() {
				d, ok = m.MemberDecoration(v.Type.ID, b.Member, spirv.DecorationStream)
			}
		}
		got := uint32(0)
		if ok {
			got = d.Literal()
		}
		if got != want && (ok || want != 0) {
			side := entrySide(last)
			side.Name, side.Slot = b.Name, b.BuiltIn.String()
			l.fail(code, []Side{side}, "%s is in stream %d, and stream %d is rasterized; must be the same", b.BuiltIn, got, want)
			return
		}
	}
}

var rasterized = []spirv.BuiltIn{spirv.BuiltInPosition, spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance}

// dynamicStates checks which states are dynamic.
func (l *linker) dynamicStates() {
	if m := l.stage(mesh); m != nil {
		for _, k := range [...]struct {
			code   string
			states []enum.DynamicState
		}{
			{vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_07065, []enum.DynamicState{enum.DynamicStatePrimitiveTopology, enum.DynamicStateVertexInputBindingStride}},
			{vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_07066, []enum.DynamicState{enum.DynamicStatePrimitiveRestartEnable, enum.DynamicStatePatchControlPoints}},
			{vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_07067, []enum.DynamicState{enum.DynamicStateVertexInput}},
		} {
			for _, s := range k.states {
				if l.d.dynamic(s) {
					l.fail(k.code, []Side{entrySide(m)}, "%s is dynamic in a pipeline with a mesh stage; must not be", s)
				}
			}
		}
	}
	if l.d.dynamic(enum.DynamicStatePatchControlPoints) {
		l.off(vuid.VkGraphicsPipelineCreateInfo_pDynamicStates_04870, "extendedDynamicState2PatchControlPoints", nil, "patch_control_points is dynamic")
	}
	if l.d.dynamic(enum.DynamicStateTessellationDomainOrigin) {
		l.off(vuid.VkGraphicsPipelineCreateInfo_extendedDynamicState3TessellationDomainOrigin_07370, "extendedDynamicState3TessellationDomainOrigin", nil, "tessellation_domain_origin is dynamic")
	}
	if len(l.stages) == 0 && l.d.Kind == Graphics && !l.d.Library && l.d.Parts == 0 && l.d.Assembly != nil {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_stageCount_09530, nil, "there is no stage; must be one")
	}
}

// tileReads are the capabilities of reading tile images.
var tileReads = []spirv.Capability{
	spirv.CapabilityTileImageColorReadAccessEXT, spirv.CapabilityTileImageDepthReadAccessEXT, spirv.CapabilityTileImageStencilReadAccessEXT,
}

// reads checks the attachment reads of a fragment stage.
func (l *linker) reads() {
	f := l.stage(fragment)
	if f == nil {
		return
	}
	side := entrySide(f)
	if p := l.subpass(); p != nil {
		for i := range f.Entry.Resources {
			l.readsInput(f, &f.Entry.Resources[i], p)
		}
		l.inputsTwice(f, p)
	}
	if l.d.Pass != nil {
		for _, c := range tileReads {
			if slices.Contains(f.Entry.Capabilities, c) {
				l.fail(vuid.VkGraphicsPipelineCreateInfo_renderPass_08710, []Side{side}, "the fragment stage has the capability %s in a render pass; must not", c)
			}
		}
	}
	l.tileTests(f)
	if r := l.d.Rendering; r != nil && l.d.Pass == nil {
		l.readsRendered(f, r)
	}
}

// readsInput checks one input attachment of a subpass.
func (l *linker) readsInput(f *Shader, r *iface.Resource, p *Subpass) {
	if r.Type != iface.InputAttachment || !r.Used || r.Attachment == nil {
		return
	}
	for n := range max(r.Count, 1) {
		i := uint64(*r.Attachment) + n
		if i >= uint64(len(p.Input)) || p.Input[i] == Unused {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_renderPass_06038, []Side{resourceSide(f, r)}, "%s reads input attachment %d, which the subpass does not use; must use it", r.Name, i)
			return
		}
		l.aspect(f, r, p, i)
	}
}

// tileTests checks early fragment tests with reads of depth or stencil.
func (l *linker) tileTests(f *Shader) {
	d := l.d.DepthStencil
	if _, early := oneOf(f, spirv.ExecutionModeEarlyFragmentTests); !early || d == nil {
		return
	}
	if !l.d.dynamic(enum.DynamicStateDepthWriteEnable) && d.DepthWrite && uses(f, spirv.OpDepthAttachmentReadEXT) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_08711, []Side{entrySide(f)}, "the fragment stage reads the depth attachment after early tests, and depth is written; must not be written")
	}
	if !l.d.dynamic(enum.DynamicStateStencilWriteMask) && (d.Front.WriteMask != 0 || d.Back.WriteMask != 0) && uses(f, spirv.OpStencilAttachmentReadEXT) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_08712, []Side{entrySide(f)}, "the fragment stage reads the stencil attachment after early tests, and stencil is written; both write masks must be 0")
	}
}

// uses reports whether a stage may run an instruction.
func uses(s *Shader, op spirv.Op) bool {
	m := s.facts()
	if m == nil {
		return false
	}
	for _, in := range instructions(m, s.Entry) {
		if in.Op() == op {
			return true
		}
	}
	return false
}

// readsRendered checks input attachments of dynamic rendering.
func (l *linker) readsRendered(f *Shader, r *Rendering) {
	if slices.Contains(f.Entry.Capabilities, spirv.CapabilityInputAttachment) {
		l.off(vuid.VkGraphicsPipelineCreateInfo_renderPass_06061, "dynamicRenderingLocalRead", []Side{entrySide(f)}, "the fragment stage has the capability InputAttachment without a render pass")
	}
	count := uint64(len(r.Color))
	if r.Inputs != nil && uint64(len(r.Inputs)) != count {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_renderPass_09531, []Side{entrySide(f)}, "there are %d indices of input attachments and %d color attachments; must be as many", len(r.Inputs), count)
	}
	if r.Locations != nil && uint64(len(r.Locations)) != count {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_renderPass_09532, []Side{entrySide(f)}, "there are %d locations of color attachments and %d color attachments; must be as many", len(r.Locations), count)
	}
	if r.Inputs != nil || r.DepthInput != nil || r.StencilInput != nil {
		return
	}
	for i := range f.Entry.Resources {
		x := &f.Entry.Resources[i]
		if x.Type == iface.InputAttachment && x.Attachment != nil && uint64(*x.Attachment)+max(x.Count, 1) > count {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_renderPass_09652, []Side{resourceSide(f, x)}, "%s has InputAttachmentIndex %d, and there are %d color attachments; must be below", x.Name, *x.Attachment, count)
		}
	}
}

// coverage checks alpha to coverage.
func (l *linker) coverage() {
	f, m := l.stage(fragment), l.d.Multisample
	if f == nil || m == nil || !m.AlphaToCoverage || l.d.dynamic(enum.DynamicStateAlphaToCoverageEnable) {
		return
	}
	for i := range f.Entry.Outputs {
		v := &f.Entry.Outputs[i]
		if !v.Missing && v.Location == 0 && v.Index == 0 && v.Component <= 3 && int(v.Component)+v.Type.Rows > 3 {
			return
		}
	}
	l.fail(vuid.VkGraphicsPipelineCreateInfo_alphaToCoverageEnable_08891, []Side{entrySide(f)}, "alpha to coverage is enabled and the fragment stage has no alpha component at location 0; must have it")
}

// shadingRates checks which stages write the shading rate of primitives.
func (l *linker) shadingRates() {
	if v, known := l.d.limit("primitiveFragmentShadingRateWithMultipleViewports"); !known || v != 0 {
		return
	}
	for _, s := range l.stages {
		if StageOf(s.Entry.Model) == fragment || !stores(s, spirv.BuiltInPrimitiveShadingRateKHR) {
			continue
		}
		side := []Side{entrySide(s)}
		if v := l.d.Viewport; v != nil && v.Viewports > 1 && !l.d.dynamic(enum.DynamicStateViewportWithCount) {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_primitiveFragmentShadingRateWithMultipleViewports_04503, side, "the %s stage writes PrimitiveShadingRateKHR and there are %d viewports; must be one", side[0].Stage, v.Viewports)
		}
		if stores(s, spirv.BuiltInViewportIndex) {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_primitiveFragmentShadingRateWithMultipleViewports_04504, side, "the %s stage writes PrimitiveShadingRateKHR and ViewportIndex; must not write both", side[0].Stage)
		}
		if stores(s, spirv.BuiltInViewportMaskNV) {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_primitiveFragmentShadingRateWithMultipleViewports_04505, side, "the %s stage writes PrimitiveShadingRateKHR and ViewportMaskNV; must not write both", side[0].Stage)
		}
	}
}

// enqueue checks stages that enqueue work.
func (l *linker) enqueue() {
	for _, s := range l.stages {
		if !slices.Contains(s.Entry.Capabilities, spirv.CapabilityShaderEnqueueAMDX) {
			continue
		}
		l.off(vuid.VkGraphicsPipelineCreateInfo_shaderMeshEnqueue_10187, "shaderMeshEnqueue", []Side{entrySide(s)}, "a stage has the capability ShaderEnqueueAMDX")
		if l.d.Kind == Graphics && !l.d.Library && l.d.Flags&enum.PipelineFlagsLibrary == 0 {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_10188, []Side{entrySide(s)}, "a stage has the capability ShaderEnqueueAMDX; the pipeline must be a library")
		}
	}
}
