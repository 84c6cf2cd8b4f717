package link

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// vertexRules are the rules of vertex input and tessellation state by
// themselves.
var vertexRules = []Rule{
	{vuid.VkPipelineVertexInputStateCreateInfo_vertexBindingDescriptionCount_00613, "vertex input has no more buffers than maxVertexInputBindings"},
	{vuid.VkPipelineVertexInputStateCreateInfo_vertexAttributeDescriptionCount_00614, "vertex input has no more attributes than maxVertexInputAttributes"},
	{vuid.VkPipelineVertexInputStateCreateInfo_binding_00615, "each attribute reads an existing buffer"},
	{vuid.VkPipelineVertexInputStateCreateInfo_pVertexBindingDescriptions_00616, "each vertex buffer has its own number"},
	{vuid.VkPipelineVertexInputStateCreateInfo_pVertexAttributeDescriptions_00617, "each attribute has its own location"},
	{vuid.VkVertexInputBindingDescription_binding_00618, "the number of a vertex buffer is below maxVertexInputBindings"},
	{vuid.VkVertexInputBindingDescription_stride_00619, "the stride of a vertex buffer is at most maxVertexInputBindingStride"},
	{vuid.VkVertexInputBindingDescription_stride_04456, "in the portability subset the stride of a vertex buffer is a multiple of minVertexInputBindingStrideAlignment"},
	{vuid.VkVertexInputAttributeDescription_location_00620, "the location of an attribute is below maxVertexInputAttributes"},
	{vuid.VkVertexInputAttributeDescription_binding_00621, "the buffer of an attribute is below maxVertexInputBindings"},
	{vuid.VkVertexInputAttributeDescription_offset_00622, "the offset of an attribute is at most maxVertexInputAttributeOffset"},
	{vuid.VkVertexInputAttributeDescription_format_00623, "the format of an attribute is one that vertex buffers support"},
	{vuid.VkVertexInputAttributeDescription_vertexAttributeAccessBeyondStride_04457, "in the portability subset an attribute ends inside of the stride"},
	{vuid.VkVertexInputBindingDivisorDescription_binding_01869, "the buffer of a divisor is below maxVertexInputBindings"},
	{vuid.VkVertexInputBindingDivisorDescription_vertexAttributeInstanceRateZeroDivisor_02228, "a divisor of 0 needs the feature vertexAttributeInstanceRateZeroDivisor"},
	{vuid.VkVertexInputBindingDivisorDescription_vertexAttributeInstanceRateDivisor_02229, "a divisor other than 1 needs the feature vertexAttributeInstanceRateDivisor"},
	{vuid.VkVertexInputBindingDivisorDescription_divisor_01870, "a divisor is at most maxVertexAttribDivisor"},
	{vuid.VkVertexInputBindingDivisorDescription_inputRate_01871, "a buffer with a divisor steps by instances"},
	{vuid.VkGraphicsPipelineCreateInfo_pVertexInputState_09198, "an input of 64 bits has no more components than its attribute"},
	{vuid.VkPipelineTessellationStateCreateInfo_patchControlPoints_01214, "patches have 1 to maxTessellationPatchSize control points"},
}

// vertexInput checks vertex input and tessellation state by themselves.
func (l *linker) vertexInput() {
	if t := l.d.Tessellation; t != nil && l.stage(tessellationControl) != nil && !l.d.dynamic(enum.DynamicStatePatchControlPoints) {
		l.controlPoints(t)
	}
	if l.d.Vertex != nil && !l.d.dynamic(enum.DynamicStateVertexInput) {
		l.vertices()
	}
}

// controlPoints checks how many control points patches have.
func (l *linker) controlPoints(t *Tessellation) {
	side := []Side{{Stage: "tessellation state"}}
	if t.PatchControlPoints == 0 {
		l.fail(vuid.VkPipelineTessellationStateCreateInfo_patchControlPoints_01214, side, "patches have no control point; must have some")
	}
	l.over(vuid.VkPipelineTessellationStateCreateInfo_patchControlPoints_01214, "maxTessellationPatchSize", uint64(t.PatchControlPoints), side, "the number of patch control points")
}

// vertices checks the buffers of vertices and the attributes.
func (l *linker) vertices() {
	v := l.d.Vertex
	side := []Side{{Stage: "vertex input"}}
	l.over(vuid.VkPipelineVertexInputStateCreateInfo_vertexBindingDescriptionCount_00613, "maxVertexInputBindings", uint64(len(v.Bindings)), side, "the number of vertex buffers")
	l.over(vuid.VkPipelineVertexInputStateCreateInfo_vertexAttributeDescriptionCount_00614, "maxVertexInputAttributes", uint64(len(v.Attributes)), side, "the number of attributes")
	buffers := map[uint32]*VertexBinding{}
	for i := range v.Bindings {
		b := &v.Bindings[i]
		if buffers[b.Binding] != nil {
			l.fail(vuid.VkPipelineVertexInputStateCreateInfo_pVertexBindingDescriptions_00616, side, "two vertex buffers have the number %d; must have numbers of their own", b.Binding)
		}
		buffers[b.Binding] = b
		l.vertexBuffer(b)
	}
	for _, k := range v.Divisors {
		l.divisor(k.Binding, k.Divisor)
		l.fail(vuid.VkVertexInputBindingDivisorDescription_inputRate_01871, side, "there is a divisor of vertex buffer %d, which does not exist; must exist and step by instance", k.Binding)
	}
	locations := map[uint32]bool{}
	for i := range v.Attributes {
		a := &v.Attributes[i]
		at := []Side{{Stage: "vertex input", Slot: fmt.Sprintf("location %d", a.Location), Type: a.Format.String(), path: fmt.Sprintf("vertex_input.attributes[%d]", i)}}
		if locations[a.Location] {
			l.fail(vuid.VkPipelineVertexInputStateCreateInfo_pVertexAttributeDescriptions_00617, at, "two attributes have the location %d; must have locations of their own", a.Location)
		}
		locations[a.Location] = true
		b := buffers[a.Binding]
		if len(v.Bindings) > 0 && b == nil { // a description may leave the buffers out
			l.fail(vuid.VkPipelineVertexInputStateCreateInfo_binding_00615, at, "the attribute reads vertex buffer %d, which does not exist; must exist", a.Binding)
		}
		l.attributeLimits(a, b, at)
	}
}

// below reports a number that is not below a limit that is known.
func (l *linker) below(code, limit string, n uint64, sides []Side, what string) {
	if most, known := l.d.limit(limit); known && n >= most {
		l.fail(code, sides, "%s is %d; must be below %s, %d", what, n, limit, most)
	}
}

// portable reports whether the portability subset is known to be enabled.
func (l *linker) portable() bool {
	on, known := l.d.Device.Extension("VK_KHR_portability_subset")
	return on && known
}

// vertexBuffer checks one buffer of vertices.
func (l *linker) vertexBuffer(b *VertexBinding) {
	side := []Side{{Stage: "vertex input", Slot: fmt.Sprintf("buffer %d", b.Binding), path: l.d.Vertex.bindingPath(b.Binding)}}
	l.below(vuid.VkVertexInputBindingDescription_binding_00618, "maxVertexInputBindings", uint64(b.Binding), side, "the number of a vertex buffer")
	if !l.d.dynamic(enum.DynamicStateVertexInputBindingStride) {
		l.over(vuid.VkVertexInputBindingDescription_stride_00619, "maxVertexInputBindingStride", uint64(b.Stride), side, "the stride")
		if n, known := l.d.limit("minVertexInputBindingStrideAlignment"); known && n > 0 && l.portable() && (uint64(b.Stride)%n != 0 || uint64(b.Stride) < n) {
			l.fail(vuid.VkVertexInputBindingDescription_stride_04456, side, "the stride is %d; must be a multiple of minVertexInputBindingStrideAlignment, %d", b.Stride, n)
		}
	}
	if b.Divisor == nil {
		return
	}
	l.divisor(b.Binding, *b.Divisor)
	if b.Rate != enum.InputRateInstance {
		l.fail(vuid.VkVertexInputBindingDivisorDescription_inputRate_01871, side, "a buffer with a divisor steps by %s; must step by instance", b.Rate)
	}
}

// divisor checks by itself how many instances a buffer steps over.
func (l *linker) divisor(binding, divisor uint32) {
	side, n := []Side{{Stage: "vertex input", Slot: fmt.Sprintf("buffer %d", binding), path: l.d.Vertex.bindingPath(binding)}}, uint64(divisor)
	l.below(vuid.VkVertexInputBindingDivisorDescription_binding_01869, "maxVertexInputBindings", uint64(binding), side, "the buffer of a divisor")
	l.over(vuid.VkVertexInputBindingDivisorDescription_divisor_01870, "maxVertexAttribDivisor", n, side, "the divisor")
	switch n {
	case 0:
		l.off(vuid.VkVertexInputBindingDivisorDescription_vertexAttributeInstanceRateZeroDivisor_02228, "vertexAttributeInstanceRateZeroDivisor", side, "the divisor is 0")
	case 1:
	default:
		l.off(vuid.VkVertexInputBindingDivisorDescription_vertexAttributeInstanceRateDivisor_02229, "vertexAttributeInstanceRateDivisor", side, fmt.Sprintf("the divisor is %d", n))
	}
}

// attributeLimits checks one attribute against the limits.
func (l *linker) attributeLimits(a *Attribute, b *VertexBinding, side []Side) {
	l.below(vuid.VkVertexInputAttributeDescription_location_00620, "maxVertexInputAttributes", uint64(a.Location), side, "the location of an attribute")
	l.below(vuid.VkVertexInputAttributeDescription_binding_00621, "maxVertexInputBindings", uint64(a.Binding), side, "the buffer of an attribute")
	l.over(vuid.VkVertexInputAttributeDescription_offset_00622, "maxVertexInputAttributeOffset", uint64(a.Offset), side, "the offset of an attribute")
	if on, known := l.d.Device.VertexFormat(a.Format.String()); known && !on {
		l.fail(vuid.VkVertexInputAttributeDescription_format_00623, side, "the attribute is %s, which vertex buffers of the device do not support; must have the format feature VERTEX_BUFFER", a.Format)
	}
	f := format.ByID(uint32(a.Format))
	if b == nil || f == nil || !l.portable() || !l.d.lacks("vertexAttributeAccessBeyondStride") {
		return
	}
	if end := uint64(a.Offset) + uint64(f.Bytes); end > uint64(b.Stride) {
		l.fail(vuid.VkVertexInputAttributeDescription_vertexAttributeAccessBeyondStride_04457, side, "the attribute ends at byte %d of a stride of %d; must end inside", end, b.Stride)
	}
}
