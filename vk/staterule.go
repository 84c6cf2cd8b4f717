package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// The rules on draws that need the dynamic states which commands have set, and the vertex buffers.

// off reports whether the device of a profile has a limit that is a boolean, and it is false.
func (c *drawCheck) off(limit string) bool {
	v, known := c.dev.env.Device.Limit(limit)
	return known && v == 0
}

// pipelineStates checks the states of a pipeline that commands set.
func (c *drawCheck) pipelineStates() {
	p, b := c.p, &c.graphics.bound
	if set := b.have & statesOfNeeds &^ p.settable; set != 0 {
		for i := range needs {
			if n := &needs[i]; set>>n.set&1 != 0 {
				c.find(vuid.VkCmdDraw_None_08608, "%s was called after %v was bound, in which the state is static; must not be", n.command, &p.object)
			}
		}
	}
	if t := c.s.Assembly.Topology; c.dynamic(uint8(setTopology)) && c.off("dynamicPrimitiveTopologyUnrestricted") && topologyClass(t) != topologyClass(p.static.Assembly.Topology) {
		c.find(vuid.VkCmdDraw_dynamicPrimitiveTopologyUnrestricted_07500, "the topology is %v and that of %v is %v; must be of one class", t, &p.object, p.static.Assembly.Topology)
	}
	if p.strides && !c.dynamic(haveVertexInput) && !b.strided {
		c.find(vuid.VkCmdDraw_pStrides_04913, "the strides of vertex buffers are dynamic in %v and no command has set them; must be set by vkCmdBindVertexBuffers2", &p.object)
	}
	if b.third != 0 && !p.strides && !c.dynamic(haveVertexInput) {
		c.find(vuid.VkCmdDraw_None_13118, "vkCmdBindVertexBuffers3KHR has set strides, which are static in %v; must not", &p.object)
	}
	if writesRate(c.last()) && c.dynamic(haveViewports) && c.off("primitiveFragmentShadingRateWithMultipleViewports") && len(c.s.Viewports) != 1 {
		c.find(vuid.VkCmdDraw_primitiveFragmentShadingRateWithMultipleViewports_04552, "a stage writes PrimitiveShadingRateKHR and %d viewports are set; must be 1", len(c.s.Viewports))
	}
	f := c.fragment()
	if f == nil || !f.Program.Modes.Has(ir.EarlyTests) {
		return
	}
	reads := func(semantic ir.Semantic) bool {
		for i := range f.Program.In {
			if f.Program.In[i].Semantic == semantic {
				return true
			}
		}
		return false
	}
	d := &c.s.DepthStencil
	if d.Write && c.dynamic(uint8(setDepthWrite)) && reads(ir.TileDepth) {
		c.find(vuid.VkCmdDraw_pDynamicStates_08715, "depths are written before the fragment stage reads them; must not be")
	}
	if mask := d.Front.WriteMask | d.Back.WriteMask; mask != 0 && c.dynamic(uint8(setStencilWriteMask)) && reads(ir.TileStencil) {
		c.find(vuid.VkCmdDraw_pDynamicStates_08716, "the write mask of stencils is %#x before the fragment stage reads them; must be 0", mask)
	}
}

// writesRate reports whether a stage writes the shading rate of primitives.
func writesRate(s *shader.Stage) bool {
	return outputs(s, ir.PrimitiveShadingRate, func(*ir.Output) bool { return true })
}

// states checks the states of pipelines and of shader objects.
func (c *drawCheck) states() {
	counted := c.dynamic(haveScissors) && c.dynamic(haveViewports)
	if n, m := len(c.s.Viewports), len(c.s.Scissors); counted && n != m {
		c.find(vuid.VkCmdDraw_viewportCount_03419, "%d viewports and %d scissors are set; must be as many", n, m)
	}
	if c.p == nil && c.off("primitiveFragmentShadingRateWithMultipleViewports") && slices.ContainsFunc(c.d.stages, writesRate) &&
		(c.graphics.bound.have>>haveViewports&1 == 0 || len(c.s.Viewports) != 1) {
		c.find(vuid.VkCmdDraw_primitiveFragmentShadingRateWithMultipleViewports_08642, "a shader object writes PrimitiveShadingRateKHR and %d viewports are set; must be 1", len(c.s.Viewports))
	}
	flat := topologyClass(c.topology())
	if c.s.Rasterization.Conservative != 0 && !c.s.Rasterization.Discard && (flat == enum.TopologyPointList || flat == enum.TopologyLineList) &&
		c.dev.extension("VK_EXT_conservative_rasterization") && c.off("conservativePointAndLineRasterization") {
		c.find(vuid.VkCmdDraw_conservativePointAndLineRasterization_07499, "rasterization of points or lines is conservative; must not be on this device")
	}
}

// located checks sample locations that commands enable.
func (c *drawCheck) located(u *uses) {
	if c.p == nil && c.objects[StageFragment] == nil || !c.dynamic(uint8(setLocated)) || !c.s.Multisample.Located {
		return
	}
	if d := c.r.info.Depth; d != nil && d.View != nil && d.View.image.info.Flags&ImageSampleLocationsDepth == 0 {
		c.find(vuid.VkCmdDraw_sampleLocationsEnable_07484, "%v is the depth attachment and samples have their own locations; must have the flag ImageSampleLocationsDepth", &d.View.image.object)
	}
	if u.atSample {
		c.find(vuid.VkCmdDraw_sampleLocationsEnable_07487, "the fragment stage interpolates at a sample and samples have their own locations; must not")
	}
}

// advanced checks the number of color attachments of advanced blend operations.
func (c *drawCheck) advanced() {
	most, known := c.dev.env.Device.Limit("advancedBlendMaxColorAttachments")
	if !known || uint64(len(c.r.info.Colors)) <= most || c.s.Rasterization.Discard || c.p == nil && c.objects[StageFragment] == nil ||
		c.p != nil && (!c.dynamic(uint8(setBlendEnable)) || !c.dynamic(uint8(setBlendEquation))) {
		return
	}
	for i := range c.r.info.Colors {
		if b := c.blend(i); b.Enable && isAdvanced(b.ColorOp) {
			c.find(vuid.VkCmdDraw_advancedBlendMaxColorAttachments_07480, "color attachment %d of %d blends by %v; must be at most %d attachments", i, len(c.r.info.Colors), b.ColorOp, most)
			return
		}
	}
}

// vertices checks that a buffer is bound to each vertex binding that the vertex stage reads.
func (c *drawCheck) vertices() {
	v := c.stage(ir.Vertex)
	if v == nil {
		return
	}
	null, known := c.dev.env.Device.Feature("nullDescriptor")
	checked := uint32(0)
	for i := range v.Program.In {
		in := &v.Program.In[i]
		if in.Semantic != ir.Location {
			continue
		}
		for _, a := range c.s.Vertex.Attributes {
			if a.Location != in.Index/4 || a.Binding >= 32 || checked>>a.Binding&1 != 0 {
				continue
			}
			checked |= 1 << a.Binding
			switch b := &c.graphics.bound; {
			case b.buffers>>a.Binding&1 == 0:
				c.find(vuid.VkCmdDraw_None_04007, "no vertex buffer is bound to binding %d, which the vertex stage reads; must be bound", a.Binding)
			case b.vertices[a.Binding].Bytes == nil && known && !null:
				c.find(vuid.VkCmdDraw_None_04008, "the null buffer is bound to binding %d, which the vertex stage reads; must be a buffer without the feature nullDescriptor", a.Binding)
			}
		}
	}
}
