package link

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// drawRules are the rules on draws, and some on dispatches, that a description decides:
// rules on dynamic state, if the description has its later value, and rules on faults that
// no descriptor can correct.
var drawRules = []Rule{
	{vuid.VkCmdDraw_Input_07939, "each input of a vertex stage has an attribute that is set, unless vertexAttributeRobustness or maintenance9 is enabled"},
	{vuid.VkCmdDraw_Input_08734, "an attribute that is set is of the numeric type of the input that reads it"},
	{vuid.VkCmdDraw_format_08936, "an input that reads an attribute of 64 bits that is set has 64 bits"},
	{vuid.VkCmdDraw_format_08937, "an input of 64 bits reads an attribute of 64 bits that is set"},
	{vuid.VkCmdDraw_None_09203, "an input that reads an attribute of 64 bits that is set has no more components"},
	{vuid.VkCmdDraw_OpExecutionMode_12239, "the tessellation stages that are bound agree on the subdivision of primitives"},
	{vuid.VkCmdDraw_OpExecutionMode_12240, "the tessellation stages that are bound agree on the orientation of triangles"},
	{vuid.VkCmdDraw_OpExecutionMode_12241, "the tessellation stages that are bound agree on the spacing of segments"},
	{vuid.VkCmdDraw_OpExecutionMode_12242, "the tessellation stages that are bound agree on the size of output patches"},
	{vuid.VkCmdDraw_primitiveTopology_10286, "tessellation stages draw patches"},
	{vuid.VkCmdDraw_primitiveTopology_10747, "a draw of patches has a tessellation control stage"},
	{vuid.VkCmdDraw_primitiveTopology_10748, "a vertex stage that draws points writes PointSize, unless maintenance5 is enabled"},
	{vuid.VkCmdDraw_None_09637, "draws of lists do not restart primitives without primitiveTopologyListRestart"},
	{vuid.VkCmdDraw_None_10909, "draws of patches do not restart primitives without primitiveTopologyPatchListRestart"},
	{vuid.VkCmdDraw_None_08610, "a sampler with unnormalized coordinates samples with an explicit level of detail, without projection or comparison"},
	{vuid.VkCmdDraw_None_08611, "a sampler with unnormalized coordinates samples without a bias or an offset"},
	{vuid.VkCmdDraw_None_10068, "an index of an array of descriptors is below the descriptors of the binding"},
}

// set maps the rules on vertex attributes to the rules for shader objects, which have their
// attributes set when commands are recorded.
var set = map[string]string{
	vuid.VkGraphicsPipelineCreateInfo_Input_07904:             vuid.VkCmdDraw_Input_07939,
	vuid.VkGraphicsPipelineCreateInfo_Input_08733:             vuid.VkCmdDraw_Input_08734,
	vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08929: vuid.VkCmdDraw_format_08936,
	vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_08930: vuid.VkCmdDraw_format_08937,
	vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_09198: vuid.VkCmdDraw_None_09203,
}

// bound maps the rules on linked tessellation stages to the rules on bound ones.
var bound = map[string]string{
	vuid.VkCreateShadersEXT_pCreateInfos_08867: vuid.VkCmdDraw_OpExecutionMode_12239,
	vuid.VkCreateShadersEXT_pCreateInfos_08868: vuid.VkCmdDraw_OpExecutionMode_12240,
	vuid.VkCreateShadersEXT_pCreateInfos_08870: vuid.VkCmdDraw_OpExecutionMode_12241,
	vuid.VkCreateShadersEXT_pCreateInfos_08871: vuid.VkCmdDraw_OpExecutionMode_12242,
}

// lists are the topologies without strips, fans and patches.
var lists = []enum.Topology{enum.TopologyPointList, enum.TopologyLineList, enum.TopologyTriangleList, enum.TopologyLineListWithAdjacency, enum.TopologyTriangleListWithAdjacency}

// drawn checks shader objects, and pipelines with dynamic states that commands have set, with
// the input assembly that they are drawn with.
func (l *linker) drawn() {
	a, v, control := l.d.Assembly, l.stage(vertex), l.stage(tessellationControl)
	if a == nil || v == nil {
		return
	}
	objects, varies := l.d.Kind == ShaderObjects, l.d.dynamic(enum.DynamicStatePrimitiveTopology)
	set := l.setFor(enum.DynamicStatePrimitiveTopology)
	switch {
	case !objects && (!varies || !set):
	case control != nil && a.Topology != enum.TopologyPatchList:
		l.fail(vuid.VkCmdDraw_primitiveTopology_10286, []Side{entrySide(control)}, "there is a tessellation control stage and the topology is %s; must be %s", a.Topology, enum.TopologyPatchList)
	case control == nil && a.Topology == enum.TopologyPatchList:
		l.fail(vuid.VkCmdDraw_primitiveTopology_10747, []Side{entrySide(v)}, "the topology is %s and there is no tessellation control stage; must be one", a.Topology)
	case a.Topology == enum.TopologyPointList && l.stage(geometry) == nil && l.d.lacks("maintenance5") && !stores(v, spirv.BuiltInPointSize):
		l.fail(vuid.VkCmdDraw_primitiveTopology_10748, []Side{entrySide(v)}, "the topology is %s and the vertex stage does not write PointSize; must write it without the feature maintenance5", a.Topology)
	}
	if !objects && (varies && !set || !l.d.dynamic(enum.DynamicStatePrimitiveRestartEnable) || !l.setFor(enum.DynamicStatePrimitiveRestartEnable)) {
		return
	}
	if a.PrimitiveRestart && slices.Contains(lists, a.Topology) {
		l.off(vuid.VkCmdDraw_None_09637, "primitiveTopologyListRestart", []Side{entrySide(v)}, "primitives of the topology "+a.Topology.String()+" restart")
	}
	if a.PrimitiveRestart && a.Topology == enum.TopologyPatchList {
		l.off(vuid.VkCmdDraw_None_10909, "primitiveTopologyPatchListRestart", []Side{entrySide(v)}, "primitives of the topology "+a.Topology.String()+" restart")
	}
}

// unnormalized checks how a stage samples with immutable samplers that have unnormalized
// coordinates.
func (l *linker) unnormalized(s *Shader) {
	of := s.bound(func(r *iface.Resource) bool {
		b := l.d.Layout.binding(s, r)
		return b != nil && len(b.Immutable) > 0 && !slices.ContainsFunc(b.Immutable, func(x Sampler) bool { return !x.Unnormalized })
	})
	if len(of) == 0 {
		return // before the module is read
	}
	t := s.trace()
	if t == nil {
		return
	}
	for i, in := range t.instructions() {
		if !samples(in.Op()) || in.Op() == spirv.OpImageSampleWeightedQCOM || len(in) < 4 { // its sampler is never unnormalized
			continue
		}
		for _, at := range t.samplers(spirv.ID(in[3])) {
			if r := of[at.id]; r != nil {
				l.texelSample(s, t.m, i, r)
				break
			}
		}
	}
}

// samples reports whether an instruction is one of OpImageSample* and
// OpImageSparseSample*.
func samples(op spirv.Op) bool {
	name := op.String()
	return strings.HasPrefix(name, "OpImageSample") || strings.HasPrefix(name, "OpImageSparseSample")
}

// texelSample checks an instruction that samples by coordinates which are not
// normalized.
func (l *linker) texelSample(s *Shader, m *facts.Module, i int, r *iface.Resource) {
	name, sides := m.Code.Inst(i).Op().String(), []Side{s.at(i), resourceSide(s, r)}
	if strings.Contains(name, "ImplicitLod") || strings.Contains(name, "Dref") || strings.Contains(name, "Proj") {
		l.fail(vuid.VkCmdDraw_None_08610, sides, "%s samples with %s, which has unnormalized coordinates; must be an instruction with an explicit level of detail, without projection or comparison", name, r.Name)
	}
	const moved = spirv.ImageOperandsBiasMask | spirv.ImageOperandsConstOffsetMask | spirv.ImageOperandsOffsetMask | spirv.ImageOperandsConstOffsetsMask
	if mask := imageOperands(m, i); mask&moved != 0 {
		l.fail(vuid.VkCmdDraw_None_08611, sides, "%s samples with %s, which has unnormalized coordinates, and has %s; must have no bias and no offset", name, r.Name, mask)
	}
}

// imageOperands returns the image operands of an instruction.
func imageOperands(m *facts.Module, i int) spirv.ImageOperands {
	in := m.Code.Inst(i)
	for w := m.Code.Walk(i); w.Next(); {
		if w.Kind == spirv.KindImageOperands {
			return spirv.ImageOperands(in[w.Pos])
		}
	}
	return 0
}

// indices checks constant indices into arrays of descriptors that have their length in the
// layout. The instruction may never be executed, so that a finding is a warning.
func (l *linker) indices(s *Shader) {
	of := s.bound(func(r *iface.Resource) bool { return len(r.Arrays) > 0 && r.Arrays[0] == 0 })
	if len(of) == 0 {
		return // before the module is read
	}
	t := s.trace()
	if t == nil {
		return
	}
	for i, in := range t.instructions() {
		if in.Op() != spirv.OpAccessChain && in.Op() != spirv.OpInBoundsAccessChain {
			continue
		}
		for _, at := range t.pointers(in.Result()) {
			r := of[at.id]
			if r == nil || len(at.path) == 0 || at.path[0].at != i {
				continue
			}
			b, k := l.d.Layout.binding(s, r), t.m.Const(at.path[0].index)
			if b != nil && k != nil && k.Known && b.Type != InlineUniformBlock && k.Bits >= uint64(b.Count) {
				l.warn(vuid.VkCmdDraw_None_10068, []Side{s.at(i), resourceSide(s, r), b.side(r.Set)}, "element %d of %s is used, and its binding has %d descriptors; must be one of them", k.Bits, r.Name, b.Count)
			}
		}
	}
}
